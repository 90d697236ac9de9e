"""Keys for tests: cheap Argon2id, a data folder with known secrets, and somebody to be asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from workbench.domain.secrets import Secret, StoreIdentity
from workbench.storage.folder import DataFolder
from workbench.storage.keys.keyring import OsKeyring
from workbench.storage.keys.protectors import Argon2Cost, Credential, DataKey, passphrase
from workbench.storage.keys.unlocking import GivenCredentials, Unlocker, UserPrompts
from workbench.storage.keys.vault import USUAL_COST, KeyVault

CHEAP = Argon2Cost(memory_kib=32, iterations=1, lanes=1)
SHIPPED = USUAL_COST
"""As it was before the tests made it cheap."""
CREATED = "2026-01-01T12:00:00Z"
WORDS = Secret.of_text("correct horse battery staple")
RAW_KEY = bytes(range(7, 71))
BY_PASSPHRASE = passphrase(WORDS)
BY_KEY_FILE = Credential("key_file", Secret(RAW_KEY))
DATABASE_ID = "0123456789abcdef" * 2
NOTHING = GivenCredentials()


def cheap_vault(folder: DataFolder) -> KeyVault:
    return KeyVault(folder, lambda: CREATED, CHEAP)


def new_vault(path: Path, *credentials: Credential) -> tuple[KeyVault, Secret]:
    """A folder with fresh keys, and their recovery code."""
    folder = DataFolder(path)
    folder.make()
    vault = cheap_vault(folder)
    return vault, vault.create(DataKey.make(StoreIdentity(DATABASE_ID, 1)), credentials or (BY_PASSPHRASE,))


def current_key(vault: KeyVault, credential: Credential = BY_PASSPHRASE) -> DataKey:
    found = vault.reveal(vault.keys.read(), [credential]).current
    assert found is not None
    return found


class ScriptedPerson:
    """Types the given texts one after the other, and remembers what was shown → SecretPrompt."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.told: list[str] = []

    def ask(self, prompt: str) -> Secret:
        """The next text."""
        return Secret.of_text(self.texts.pop(0))

    def ask_new(self) -> Secret:
        """The next text."""
        return Secret.of_text(self.texts.pop(0))


class KeptInMemory:
    """A keyring backend that passes for an allowed one."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        """The kept text, or None."""
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep a text."""
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        """Forget a text."""
        del self.kept[service, username]


KeptInMemory.__module__ = "keyring.backends.SecretService"
KeptInMemory.__qualname__ = "Keyring"


class NoService(KeptInMemory):
    """A machine without a keyring: no allowed backend runs there."""


def unlocker_of(
    path: Path,
    offered: GivenCredentials = NOTHING,
    person: ScriptedPerson | None = None,
    keyring: OsKeyring | None = None,
) -> tuple[Unlocker, list[str]]:
    """An unlocker with cheap costs, and what it tells people."""
    told = person.told if person else []
    folder = DataFolder(path)
    people = UserPrompts(person, told.append)
    return Unlocker(folder, cheap_vault(folder), offered, people, keyring or OsKeyring(NoService())), told


def files_with(folder: Path, secrets: Sequence[bytes]) -> list[str]:
    """The names of files that contain one of the secrets, in the clear, in hexadecimal or in base64."""
    import base64

    spellings = [
        spelled
        for secret in secrets
        for spelled in (secret, secret.hex().encode(), base64.b64encode(secret).rstrip(b"=")[:-1])
    ]
    return [
        path.name
        for path in folder.rglob("*")
        if path.is_file() and any(spelled in path.read_bytes() for spelled in spellings)
    ]
