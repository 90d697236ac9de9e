"""The vault: creates the data key of a store, and keeps it wrapped by at least two protectors."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from workbench.domain.errors import StoreInUse, StoreLocked, TooFewProtectors, UnusableSecret, WrongSecret
from workbench.domain.secrets import KeyStatus, ProtectorKind, Secret, StoreIdentity
from workbench.domain.translation import tr
from workbench.storage.folder import DataFolder
from workbench.storage.keys.file import Generation, KeyFile, KeyRecord
from workbench.storage.keys.protectors import NAMES, Argon2Cost, Credential, DataKey, protect, reveal
from workbench.storage.keys.rotation import Candidates

# The printed recovery code: 160 random bits in letters that survive paper, with a check for typing errors.


# Crockford's alphabet: no I, L, O or U, so that what is read as one of them can only be 1, 1, 0.
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
RANDOM_BYTES = 20
CHECK_BITS = 20
GROUP_LETTERS = 4
CODE_LETTERS = (RANDOM_BYTES * 8 + CHECK_BITS) // 5
_READ_AS = str.maketrans({"I": "1", "L": "1", "O": "0"})


def make_code() -> Secret:
    """A new recovery code, as it is printed."""
    return print_code(secrets.token_bytes(RANDOM_BYTES))


def print_code(material: bytes) -> Secret:
    """The recovery code of these random bytes: nine groups of four letters."""
    number = int.from_bytes(material) << CHECK_BITS | _check(material)
    letters = "".join(ALPHABET[number >> shift & 31] for shift in reversed(range(0, CODE_LETTERS * 5, 5)))
    groups = [letters[start : start + GROUP_LETTERS] for start in range(0, CODE_LETTERS, GROUP_LETTERS)]
    return Secret.of_text("-".join(groups))


def read_code(text: Secret) -> Secret | None:
    """The random bytes of a typed recovery code; None if the text is something else, such as a passphrase."""
    letters = _letters(text)
    if len(letters) != CODE_LETTERS or not set(letters) <= set(ALPHABET):
        return None
    number = 0
    for letter in letters:
        number = number << 5 | ALPHABET.index(letter)
    material = (number >> CHECK_BITS).to_bytes(RANDOM_BYTES)
    return Secret(material) if number & ((1 << CHECK_BITS) - 1) == _check(material) else None


def looks_mistyped(text: Secret) -> bool:
    """Whether the text was probably meant as a recovery code: nearly as many letters, nearly all valid."""
    letters = _letters(text)
    impossible = sum(letter not in ALPHABET for letter in letters)
    return abs(len(letters) - CODE_LETTERS) <= 2 and impossible <= 2 and read_code(text) is None


def require_code(text: Secret) -> Secret:
    """The random bytes of a typed recovery code; raises with the reason if it is invalid."""
    material = read_code(text)
    if material is None:
        raise UnusableSecret(
            tr("This is not a recovery code, or it has a typing error."),
            tr(
                "It has {code_letters} letters and digits in groups of "
                "{group_letters}; compare each with the paper.",
                code_letters=CODE_LETTERS,
                group_letters=GROUP_LETTERS,
            ),
        )
    return material


def _letters(text: Secret) -> str:
    kept = [letter for letter in text.reveal_text().upper() if not letter.isspace() and letter not in "-–—_."]
    return "".join(kept).translate(_READ_AS)


def _check(material: bytes) -> int:
    digest = hashlib.sha256(b"workbench-recovery/1" + material).digest()
    return int.from_bytes(digest) >> (len(digest) * 8 - CHECK_BITS)


Now = Callable[[], str]
USUAL_COST = Argon2Cost()


class KeyVault:
    """The protectors of one store.

    Attributes:
        keys: the key file.
    """

    def __init__(self, folder: DataFolder, now: Now, cost: Argon2Cost | None = None) -> None:
        self.keys = KeyFile(folder)
        self._now = now
        self._cost = cost or USUAL_COST

    def create(self, data_key: DataKey, credentials: Sequence[Credential]) -> Secret:
        """Protect the key of a new store with these credentials and a recovery code, which is returned once."""
        code, generation = self._generation(data_key, credentials)
        database_id = data_key.identity.database_id
        self.keys.create(KeyRecord(database_id, generation.created, store_made=False, current=generation))
        return code

    def reveal(self, record: KeyRecord, credentials: Iterable[Credential]) -> Candidates:
        """The keys that the first matching credential unlocks."""
        tried: ProtectorKind | None = None
        for credential in credentials:
            if not any(each.find(credential.kind) for each in _generations(record)):
                continue
            tried = credential.kind
            found = Candidates(
                _reveal(record, record.current, credential), _reveal(record, record.pending, credential)
            )
            if found.current or found.pending:
                return found
        if tried:
            raise WrongSecret(NAMES[tried])
        raise StoreLocked(
            tr("What was given is not among the ways to open this store."), _protector_names(record)
        )

    def set_protector(self, data_key: DataKey, credential: Credential) -> None:
        """Wrap the key for this credential, replacing the one of its kind; the database is not touched."""
        protector = protect(data_key, credential, self._now(), self._cost)
        self._change(data_key, lambda generation: generation.with_protector(protector))

    def new_recovery_code(self, data_key: DataKey) -> Secret:
        """Replace the recovery code; the old one becomes invalid."""
        code = make_code()
        self.set_protector(data_key, Credential("recovery", require_code(code)))
        return code

    def remove_protector(self, data_key: DataKey, kind: ProtectorKind) -> None:
        """Remove one protector; at least two must stay."""
        self._change(data_key, lambda generation: generation.without_protector(kind))

    def next_generation(
        self, data_key: DataKey, credentials: Sequence[Credential]
    ) -> tuple[DataKey, Generation, Secret]:
        """A new data key with its protectors and its recovery code."""
        identity = data_key.identity
        new = DataKey.make(replace(identity, generation=identity.generation + 1))
        code, generation = self._generation(new, credentials)
        return new, generation, code

    def status(self) -> KeyStatus:
        return self.keys.read().status()

    def _generation(self, data_key: DataKey, credentials: Sequence[Credential]) -> tuple[Secret, Generation]:
        if not credentials:
            raise TooFewProtectors
        code, created = make_code(), self._now()
        every = (*credentials, Credential("recovery", require_code(code)))
        protectors = tuple(protect(data_key, each, created, self._cost) for each in every)
        return code, Generation(data_key.identity.generation, created, protectors)

    def _change(self, data_key: DataKey, change: Callable[[Generation], Generation]) -> None:
        def changed(record: KeyRecord) -> KeyRecord:
            if record.pending is not None or record.identity(record.current) != data_key.identity:
                raise StoreInUse(tr("this store"), tr("Its key was changed meanwhile; try again."))
            return replace(record, current=change(record.current))

        self.keys.change(changed)


def new_data_key() -> DataKey:
    """The key of a new database, with a unique id."""
    return DataKey.make(StoreIdentity(secrets.token_hex(16), 1))


def _generations(record: KeyRecord) -> tuple[Generation, ...]:
    return (record.current, record.pending) if record.pending else (record.current,)


def _reveal(record: KeyRecord, generation: Generation | None, credential: Credential) -> DataKey | None:
    protector = generation.find(credential.kind) if generation else None
    if generation is None or protector is None:
        return None
    try:
        return reveal(protector, credential, record.identity(generation))
    except WrongSecret:
        return None


def _protector_names(record: KeyRecord) -> str:
    return (
        tr("It opens with: ")
        + ", ".join(each.kind.replace("_", " ") for each in record.current.protectors)
        + "."
    )
