"""What may be known about the keys of a store without knowing a key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

ProtectorKind = Literal["passphrase", "key_file", "keyring", "recovery"]
PROTECTOR_KINDS: tuple[ProtectorKind, ...] = get_args(ProtectorKind)


@dataclass(frozen=True, slots=True)
class StoreIdentity:
    """Which database, and which of its successive keys: both stand in the key file and in the database."""

    database_id: str
    generation: int


@dataclass(frozen=True, slots=True)
class ProtectorStatus:
    """One way to open the store, and since when."""

    kind: ProtectorKind
    created: str


@dataclass(frozen=True, slots=True)
class KeyStatus:
    """The keys of one data folder.

    Attributes:
        created: when the store was made; `key_created`: when its present key was.
        rotating: a change of key was interrupted; the next opening finishes or undoes it.
    """

    identity: StoreIdentity
    created: str
    key_created: str
    protectors: tuple[ProtectorStatus, ...]
    rotating: bool
