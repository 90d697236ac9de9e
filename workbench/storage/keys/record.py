"""What a key file says, as values, and as the JSON they are written in."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, replace

from workbench.domain.errors import TooFewProtectors
from workbench.domain.keys.store_keys import KeyStatus, ProtectorKind, ProtectorStatus, StoreIdentity
from workbench.storage.keys.protectors import FORMAT, Protector

LEAST_PROTECTORS = 2


@dataclass(frozen=True, slots=True)
class Generation:
    """One data key with its protectors, of each kind at most one."""

    number: int
    created: str
    protectors: tuple[Protector, ...]

    def __post_init__(self) -> None:
        if len({protector.kind for protector in self.protectors}) < LEAST_PROTECTORS:
            raise TooFewProtectors

    def find(self, kind: ProtectorKind) -> Protector | None:
        """The protector of this kind, if there is one."""
        return next((protector for protector in self.protectors if protector.kind == kind), None)

    def with_protector(self, protector: Protector) -> Generation:
        """The same key with this protector, in place of the one of its kind."""
        others = self._without(protector.kind)
        return replace(self, protectors=(*others, protector))

    def without_protector(self, kind: ProtectorKind) -> Generation:
        """The same key without this protector; refused when fewer than two would be left."""
        return replace(self, protectors=self._without(kind))

    def _without(self, kind: ProtectorKind) -> tuple[Protector, ...]:
        return tuple(protector for protector in self.protectors if protector.kind != kind)


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """The whole key file.

    Attributes:
        store_made: whether the database exists; before that, and only then, it may be created.
        pending: the next key, while the database may be under this one or the other.
    """

    database_id: str
    created: str
    store_made: bool
    current: Generation
    pending: Generation | None = None

    def identity(self, generation: Generation) -> StoreIdentity:
        """What the database says of itself when it is under this key."""
        return StoreIdentity(self.database_id, generation.number)

    def status(self) -> KeyStatus:
        """What may be shown."""
        return KeyStatus(
            identity=self.identity(self.current),
            created=self.created,
            key_created=self.current.created,
            protectors=tuple(ProtectorStatus(each.kind, each.created) for each in self.current.protectors),
            rotating=self.pending is not None,
        )


def write_record(record: KeyRecord) -> bytes:
    """The record as JSON, with a digest that tells damage from a wrong passphrase."""
    fields = {
        "format": FORMAT,
        "database_id": record.database_id,
        "created": record.created,
        "store_made": record.store_made,
        "current": _generation_json(record.current),
        "pending": None if record.pending is None else _generation_json(record.pending),
    }
    return json.dumps({**fields, "digest": digest_of(fields)}, indent=2).encode() + b"\n"


def digest_of(fields: dict[str, object]) -> str:
    """SHA-256 of the fields in one fixed spelling."""
    spelled = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(spelled.encode()).hexdigest()


def _generation_json(generation: Generation) -> dict[str, object]:
    return {
        "generation": generation.number,
        "created": generation.created,
        "protectors": [_protector_json(protector) for protector in generation.protectors],
    }


def _protector_json(protector: Protector) -> dict[str, object]:
    cost = protector.cost
    argon2id = (
        {"memory_kib": cost.memory_kib, "iterations": cost.iterations, "lanes": cost.lanes} if cost else None
    )
    return {
        "kind": protector.kind,
        "created": protector.created,
        "argon2id": argon2id,
        "salt": _text(protector.salt),
        "nonce": _text(protector.nonce),
        "wrapped": _text(protector.wrapped),
    }


def _text(value: bytes) -> str:
    return base64.b64encode(value).decode()
