"""Unlocks the store of a data folder with given credentials, the keyring or a prompt; or creates its keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from workbench.domain.errors import StoreInUse, StoreLocked, WrongSecret
from workbench.domain.secrets import Secret
from workbench.domain.translation import tr
from workbench.ports.keys import SecretPrompt
from workbench.storage.database.cipher import open_encrypted
from workbench.storage.file_lock import FileLock
from workbench.storage.folder import DataFolder
from workbench.storage.keys.file import KeyRecord
from workbench.storage.keys.keyring import OsKeyring
from workbench.storage.keys.protectors import Credential, DataKey, passphrase, read_key_file
from workbench.storage.keys.rotation import Candidates, Rotation
from workbench.storage.keys.vault import KeyVault, looks_mistyped, new_data_key, read_code

if TYPE_CHECKING:
    from sqlite3 import Connection

ATTEMPTS = 3
SHORT_PASSPHRASE_LETTERS = 12
_HOW = tr("Set WORKBENCH_PASSPHRASE, or give --key-file FILE, or run the command in a terminal, which asks.")


@dataclass(frozen=True, slots=True)
class GivenCredentials:
    """Credentials given beforehand: used before anything else, and if they are wrong nothing else is tried.

    Attributes:
        first_key: the key of a store that is there before its keys are; where there is none, it gets a new one.
    """

    key_file: Path | None = None
    passphrase: Secret | None = None
    first_key: DataKey | None = None

    def __bool__(self) -> bool:
        return bool(self.key_file or self.passphrase)


@dataclass(frozen=True, slots=True)
class UserPrompts:
    """How to ask and tell the person.

    Attributes:
        prompt: None without a terminal or a window to ask. `tell` shows words once.
        heard: False where nobody can read them; then no store is made, because its recovery code would be lost.
        take_code: takes a new recovery code as it is; where there is none, it is told in words.
        attempts: how often a passphrase is asked for; whoever can ask again by themselves wants only one.
        ask_here: the prompt works only in the thread of who opens: at a terminal, only there can Ctrl-C end the asking.
    """

    prompt: SecretPrompt | None
    tell: Callable[[str], None]
    heard: bool = True
    take_code: Callable[[Secret], None] | None = None
    attempts: int = ATTEMPTS
    ask_here: bool = False

    def hand_code(self, code: Secret, words: str) -> None:
        """Show a recovery code to the person, once."""
        if self.take_code is not None:
            self.take_code(code)
        else:
            self.tell(f"{words}:\n\n    {code.reveal_text()}\n")


class UnlockedStore:
    """The key to the database; while it is held, the database cannot be replaced.

    Attributes:
        path: the database. `data_key`: its key and identity.
    """

    def __init__(self, path: Path, data_key: DataKey, lock: FileLock) -> None:
        self.path = path
        self.data_key = data_key
        self._lock = lock

    def connect(self) -> Connection:
        """A new, verified connection, for the calling thread."""
        return open_encrypted(self.path, self.data_key.key, self.data_key.identity)

    def close(self) -> None:
        """Release the database, after its connections are closed."""
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Unlocker:
    """Finds the key to one data folder.

    Attributes:
        folder, vault, people, keyring: what it works with, for who changes the keys once they are found.
    """

    def __init__(
        self,
        folder: DataFolder,
        vault: KeyVault,
        offered: GivenCredentials,
        people: UserPrompts,
        keyring: OsKeyring,
    ) -> None:
        self.folder = folder
        self.vault = vault
        self._offered = offered
        self.people = people
        self.keyring = keyring
        self._remembered: tuple[Credential, ...] = ()

    def unlock(self) -> UnlockedStore:
        """Unlock the store of the folder; on the first run, create its keys."""
        if not self.vault.keys.exists():
            self.make_keys()
        return self.unlock_existing()

    def unlock_existing(self) -> UnlockedStore:
        self.vault.keys.read()
        lock = self._share()
        try:
            record = self.vault.keys.read()
            candidates = self._reveal(record)
            if record.pending is None and record.store_made and candidates.current:
                data_key = candidates.current
            else:
                lock.close()
                data_key = self._settle(candidates)
                lock = self._share()
                self.require_unchanged(data_key)
            self.vault.keys.forget_kept()
        except BaseException:
            lock.close()
            raise
        return UnlockedStore(self.folder.store, data_key, lock)

    def credentials(self, record: KeyRecord) -> Iterator[Credential]:
        """Every credential available without asking again, given ones first."""
        yield from self._given()
        yield from self._remembered
        kept = self.keyring.find(record.database_id) if record.current.find("keyring") else None
        if kept is not None:
            yield kept

    def ask(self, prompt: str) -> Iterator[Credential]:
        """Credentials from what a person types: a recovery code or a passphrase; none if nobody can be asked."""
        if self.people.prompt is not None:
            yield from credentials_from(self.people.prompt.ask(prompt))

    def alone(self) -> FileLock:
        """Exclusive lock on the folder, to replace the database."""
        advice = tr("Close the window and other commands that use this folder, and try again.")
        return FileLock(self.folder.store_lock, alone=True, advice=advice)

    def require_unchanged(self, data_key: DataKey) -> None:
        """Raise if another process changed the key between two locks."""
        record = self.vault.keys.read()
        if record.pending is not None or record.identity(record.current) != data_key.identity:
            raise StoreInUse(str(self.folder.path), tr("It has just changed the key; try again."))

    def _given(self) -> Iterator[Credential]:
        if self._offered.key_file is not None:
            yield Credential("key_file", read_key_file(self._offered.key_file))
        if self._offered.passphrase:
            yield from credentials_from(self._offered.passphrase)

    def _reveal(self, record: KeyRecord) -> Candidates:
        if self._offered:
            return self._reveal_given(record)
        try:
            return self.vault.reveal(record, self.credentials(record))
        except (StoreLocked, WrongSecret):
            return self._reveal_asked(record)

    def _reveal_given(self, record: KeyRecord) -> Candidates:
        try:
            return self.vault.reveal(record, self._given())
        except WrongSecret as refusal:
            raise _with_hint(refusal, self._offered.passphrase) from None

    def _reveal_asked(self, record: KeyRecord) -> Candidates:
        if self.people.prompt is None:
            raise StoreLocked(
                tr("The store is locked, and there is no terminal to ask for its passphrase."), _HOW
            )
        for attempt in range(self.people.attempts):
            text = self.people.prompt.ask(tr("Passphrase (or recovery code)"))
            try:
                found = self.vault.reveal(record, credentials_from(text))
            except WrongSecret as refusal:
                if attempt == self.people.attempts - 1:
                    raise _with_hint(refusal, text) from None
                self.people.tell(str(_with_hint(refusal, text)))
            else:
                self._remembered = tuple(credentials_from(text))
                return found
        raise AssertionError("the last attempt returns or raises")

    def _settle(self, candidates: Candidates) -> DataKey:
        with self.alone():
            return Rotation(self.folder, self.vault.keys).settle(candidates)

    def _share(self) -> FileLock:
        advice = tr("It is changing the key of the store; try again when it is done.")
        return FileLock(self.folder.store_lock, alone=False, advice=advice)

    def make_keys(self) -> None:
        """Create and store the keys of a new store, and show the recovery code."""
        if not self.people.heard:
            raise StoreLocked(
                tr(
                    "There is no store yet, and standard error is closed: its recovery "
                    "code could not be shown."
                ),
                tr("Run the command once with standard error open."),
            )
        data_key = self._offered.first_key or new_data_key()
        credentials = self._new_credentials(data_key.identity.database_id)
        self.folder.make()
        with self.alone():
            if self.vault.keys.exists():
                return
            code = self.vault.create(data_key, credentials)
        self._remembered = credentials
        self.people.hand_code(
            code,
            tr(
                "A new encrypted store was made. Its recovery code opens it when the "
                "passphrase is lost; it is shown this once, keep it on paper"
            ),
        )

    def _new_credentials(self, database_id: str) -> tuple[Credential, ...]:
        given = [each for each in self._given() if each.kind != "recovery"]
        if not given and self.people.prompt is not None:
            given = [passphrase(self.people.prompt.ask_new())]
        if not given and self.keyring.available():
            given = [self.keyring.make(database_id)]
        if not given:
            raise StoreLocked(
                tr("There are no keys yet, and no keyring, terminal or window to make them with."),
                tr("{how} A key file holds 32 random bytes (`openssl rand -out FILE 32`).", how=_HOW),
            )
        self._warn_if_short(given)
        return tuple(given)

    def _warn_if_short(self, credentials: list[Credential]) -> None:
        for credential in credentials:
            letters = len(credential.secret.reveal_text()) if credential.kind == "passphrase" else None
            if letters is not None and letters < SHORT_PASSPHRASE_LETTERS:
                self.people.tell(
                    tr(
                        "This passphrase is short; several words are safer. `workbench keys "
                        "passphrase` changes it."
                    )
                )


def credentials_from(text: Secret) -> Iterator[Credential]:
    """Possible credentials in a typed text: a recovery code if its checksum fits, and always a passphrase."""
    material = read_code(text)
    if material is not None:
        yield Credential("recovery", material)
    yield passphrase(text)


def _with_hint(refusal: WrongSecret, text: Secret | None) -> WrongSecret:
    if text is None or not looks_mistyped(text):
        return refusal
    return WrongSecret(
        tr("What was given"),
        tr("If it was meant to be the recovery code, it has a typing error: compare each letter."),
    )
