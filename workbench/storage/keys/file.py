"""The key file, `keys.json`: parsed strictly, replaced atomically, never overwritten if it cannot be understood."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn, TypeVar

from workbench.domain.errors import (
    DamagedKeyFile,
    FutureVersion,
    NoKeysYet,
    StoreFull,
    StoreInUse,
    TooFewProtectors,
)
from workbench.domain.secrets import (
    PROTECTOR_KINDS,
    KeyStatus,
    ProtectorKind,
    ProtectorStatus,
    StoreIdentity,
)
from workbench.domain.translation import tr
from workbench.files.writing import sync_folder, temporary_name, write_whole
from workbench.storage.file_lock import FileLock
from workbench.storage.folder import DataFolder
from workbench.storage.keys.protectors import (
    FORMAT,
    NONCE_BYTES,
    SALT_BYTES,
    WRAPPED_BYTES,
    Argon2Cost,
    Protector,
)

# What a key file says, as values, and as the JSON they are written in.


LEAST_PROTECTORS = 2


@dataclass(frozen=True, slots=True)
class Generation:
    """One data key with its protectors, at most one of each kind."""

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
        """A copy with this protector, replacing the one of its kind."""
        others = self._without(protector.kind)
        return replace(self, protectors=(*others, protector))

    def without_protector(self, kind: ProtectorKind) -> Generation:
        """A copy without this protector; refused if fewer than two would be left."""
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
        """The identity stored in the database under this key."""
        return StoreIdentity(self.database_id, generation.number)

    def status(self) -> KeyStatus:
        """The part that may be shown."""
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
    """SHA-256 of the fields in canonical form."""
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


# Reads the JSON of a key file and takes nothing on trust: what is not exactly as written is refused.


MOST_BYTES = 1024 * 1024
MOST_MEMORY_KIB = 4 * 1024 * 1024
MOST_ITERATIONS = 1000
MOST_LANES = 64
_RECORD = ("format", "database_id", "created", "store_made", "current", "pending", "digest")
_GENERATION = ("generation", "created", "protectors")
_PROTECTOR = ("kind", "created", "argon2id", "salt", "nonce", "wrapped")
_COST = ("memory_kib", "iterations", "lanes")
_FUTURE = re.compile(r"workbench-keys/[0-9]{1,9}")
_Wanted = TypeVar("_Wanted", str, int, bool)


class Unreadable(Exception):
    """Why a key file cannot be used."""


class FromTheFuture(Exception):
    """A format this version does not know; the message is its name."""


def read_record(content: bytes) -> KeyRecord:
    """Parse the record; raises `Unreadable` with the reason, or `FromTheFuture`."""
    fields = _parse(content)
    form = fields.get("format")
    if isinstance(form, str) and form != FORMAT and _FUTURE.fullmatch(form):
        raise FromTheFuture(form)
    if form != FORMAT:
        _refuse(tr("it is not a key file of this program"))
    _expect(fields, _RECORD)
    if fields.pop("digest") != digest_of(fields):
        _refuse(tr("its contents were altered or damaged"))
    return _record(fields)


def _parse(content: bytes) -> dict[str, object]:
    if not content:
        _refuse(tr("it is empty"))
    if len(content) > MOST_BYTES:
        _refuse(tr("it is too long for a key file"))
    try:
        fields = json.loads(content, object_pairs_hook=_unique_fields, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        _refuse(tr("it is not complete JSON"))
    return _object(fields)


def _record(fields: dict[str, object]) -> KeyRecord:
    current = _read_generation(fields["current"])
    pending = None if fields["pending"] is None else _read_generation(fields["pending"])
    if pending is not None and pending.number != current.number + 1:
        _refuse(tr("its two keys do not follow one another"))
    database_id = _field(fields, "database_id", str)
    if not re.fullmatch("[0-9a-f]{32}", database_id):
        _refuse(tr("database_id is none"))
    return KeyRecord(
        database_id, _field(fields, "created", str), _field(fields, "store_made", bool), current, pending
    )


def _read_generation(value: object) -> Generation:
    fields = _object(value)
    _expect(fields, _GENERATION)
    entries = fields["protectors"]
    if not isinstance(entries, list):
        _refuse(tr("protectors is not a list"))
    protectors = tuple(_read_protector(entry) for entry in entries)
    if len({protector.kind for protector in protectors}) != len(protectors):
        _refuse(tr("two protectors are of the same kind"))
    try:
        return Generation(_within(fields, "generation", 2**31), _field(fields, "created", str), protectors)
    except TooFewProtectors:
        _refuse(tr("it has fewer than two protectors"))


def _read_protector(value: object) -> Protector:
    fields = _object(value)
    _expect(fields, _PROTECTOR)
    written = fields["kind"]
    kind = next((kind for kind in PROTECTOR_KINDS if kind == written), None)
    if kind is None:
        _refuse(tr("it has a protector of an unknown kind"))
    cost = None if fields["argon2id"] is None else _cost(fields["argon2id"])
    if (kind == "passphrase") != (cost is not None):
        _refuse(tr("a passphrase, and only a passphrase, has the costs of Argon2id"))
    return Protector(
        kind,
        _field(fields, "created", str),
        cost,
        _bytes(fields, "salt", SALT_BYTES),
        _bytes(fields, "nonce", NONCE_BYTES),
        _bytes(fields, "wrapped", WRAPPED_BYTES),
    )


def _cost(value: object) -> Argon2Cost:
    """The costs, within bounds: a forged file must not take all memory, or for ever."""
    fields = _object(value)
    _expect(fields, _COST)
    lanes = _within(fields, "lanes", MOST_LANES)
    memory_kib = _within(fields, "memory_kib", MOST_MEMORY_KIB)
    if memory_kib < 8 * lanes:
        _refuse(tr("memory_kib is too small"))
    return Argon2Cost(memory_kib, _within(fields, "iterations", MOST_ITERATIONS), lanes)


def _within(fields: dict[str, object], name: str, most: int) -> int:
    number = fields[name]
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= most:
        _refuse(tr("{name} is out of bounds", name=name))
    return number


def _field(fields: dict[str, object], name: str, wanted: type[_Wanted]) -> _Wanted:
    value = fields[name]
    if not isinstance(value, wanted):
        _refuse(tr("{name} is of the wrong type", name=name))
    return value


def _bytes(fields: dict[str, object], name: str, length: int) -> bytes:
    try:
        value = base64.b64decode(_field(fields, name, str), validate=True)
    except (binascii.Error, ValueError):
        _refuse(tr("{name} is not base64", name=name))
    if len(value) != length:
        _refuse(tr("{name} has the wrong length", name=name))
    return value


def _object(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        _refuse(tr("it is not made of objects"))
    return value


def _expect(fields: dict[str, object], names: Sequence[str]) -> None:
    if set(fields) != set(names):
        _refuse(tr("fields are missing, or there are unknown ones"))


def _unique_fields(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a field twice")
    return fields


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _refuse(reason: str) -> NoReturn:
    raise Unreadable(reason)


class KeyFile:
    """The key file of one data folder."""

    def __init__(self, folder: DataFolder) -> None:
        self._folder = folder

    def exists(self) -> bool:
        """Whether this folder has keys; raises if only remains of some are found."""
        folder = self._folder
        if folder.keys.exists():
            return True
        if folder.kept_keys.exists():
            raise DamagedKeyFile(str(folder.keys), tr("it is missing"), str(folder.kept_keys))
        if folder.store.exists():
            raise DamagedKeyFile(
                str(folder.keys), tr("it is missing, though {name} is there", name=folder.store.name)
            )
        return False

    def read(self) -> KeyRecord:
        if not self.exists():
            raise NoKeysYet(str(self._folder.path))
        path = self._folder.keys
        try:
            with open(path, "rb") as stream:
                return read_record(stream.read(MOST_BYTES + 1))
        except FromTheFuture as version:
            raise FutureVersion(str(path), str(version)) from None
        except Unreadable as reason:
            raise self._damaged(str(reason)) from None
        except OSError as problem:
            raise self._damaged(problem.strerror or type(problem).__name__) from None

    def create(self, record: KeyRecord) -> None:
        """Write the first key file of a folder, which must have none."""
        with self._changing():
            if self.exists():
                raise StoreInUse(str(self._folder.path), tr("It has just made the keys; try again."))
            self._replace(record)

    def change(self, change: Callable[[KeyRecord], KeyRecord]) -> KeyRecord:
        """Replace the file by `change` of its present record; returns the new record."""
        with self._changing():
            record = change(self.read())
            self._replace(record)
            return record

    def forget_kept(self) -> None:
        """Remove remains of an interrupted change, once the present file has opened the store.

        Left there, they would let a passphrase that was given up open the store still.
        """
        remains = (self._folder.kept_keys, *map(temporary_name, (self._folder.keys, self._folder.kept_keys)))
        # In a folder that may only be read they stay, as everything does.
        if any(path.exists() for path in remains) and os.access(self._folder.path, os.W_OK):
            with self._changing():
                for path in remains:
                    path.unlink(missing_ok=True)

    def _replace(self, record: KeyRecord) -> None:
        folder = self._folder
        try:
            if folder.keys.exists():
                write_whole(folder.kept_keys, folder.keys.read_bytes())
            write_whole(folder.keys, write_record(record))
        except OSError as problem:
            raise StoreFull(problem.strerror or type(problem).__name__) from None
        if self.read() != record:
            raise self._damaged(tr("it reads differently from what was written"))
        folder.kept_keys.unlink(missing_ok=True)
        sync_folder(folder.path)

    def _changing(self) -> FileLock:
        return FileLock(
            self._folder.keys_lock, alone=True, advice=tr("It is changing the keys; try again in a moment.")
        )

    def _damaged(self, reason: str) -> DamagedKeyFile:
        kept = self._folder.kept_keys
        return DamagedKeyFile(str(self._folder.keys), reason, str(kept) if kept.exists() else None)
