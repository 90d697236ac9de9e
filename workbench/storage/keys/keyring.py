"""The system's keyring: only backends that are known to protect what they keep.

Backends are made here by name instead of asking the `keyring` package to choose: its choice follows the environment,
a configuration file and installed plug-ins, and may be one that writes plain text.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from importlib import import_module
from typing import Protocol

from workbench.domain.errors import KeyringUnusable
from workbench.domain.secrets import Secret
from workbench.domain.translation import tr
from workbench.storage.keys.protectors import KEY_BYTES, Credential

SERVICE = "Context Workbench"
ALLOWED = (
    "keyring.backends.macOS.Keyring",
    "keyring.backends.Windows.WinVaultKeyring",
    "keyring.backends.SecretService.Keyring",
    "keyring.backends.libsecret.Keyring",
    "keyring.backends.kwallet.DBusKeyring",
)


class Backend(Protocol):
    """The part of a `keyring` backend that is used."""

    def get_password(self, service: str, username: str) -> str | None:
        """The kept text, or None."""
        ...

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep a text."""
        ...

    def delete_password(self, service: str, username: str) -> None:
        """Forget a text."""
        ...


class OsKeyring:
    """Stores one random key per database in the system's keyring, and other short secrets by name."""

    def __init__(self, backend: Backend | None = None) -> None:
        self._given = backend

    def available(self) -> bool:
        try:
            self._backend()
        except KeyringUnusable:
            return False
        return True

    def find(self, database_id: str) -> Credential | None:
        """The key stored for this database; None if there is none, or no keyring."""
        try:
            kept = self._ask("get_password", database_id)
            return None if kept is None else Credential("keyring", Secret(bytes.fromhex(kept)))
        except (KeyringUnusable, ValueError):
            return None

    def make(self, database_id: str) -> Credential:
        """Store a new random key for this database, and verify that it can be read back."""
        credential = Credential("keyring", Secret(secrets.token_bytes(KEY_BYTES)))
        self._ask("set_password", database_id, credential.secret.reveal().hex())
        if self.find(database_id) != credential:
            raise KeyringUnusable(tr("it does not give back what was put into it"))
        return credential

    def find_text(self, name: str) -> Secret | None:
        """The text stored under a name; raises `KeyringUnusable` if the keyring cannot be queried."""
        kept = self._ask("get_password", name)
        return None if kept is None else Secret.of_text(kept)

    def keep_text(self, name: str, text: Secret) -> None:
        """Store a text under a name, and verify that it can be read back."""
        self._ask("set_password", name, text.reveal_text())
        if self.find_text(name) != text:
            raise KeyringUnusable(tr("it does not give back what was put into it"))

    def forget(self, name: str) -> None:
        """Remove the entry of a database or a name."""
        self._ask("delete_password", name)

    def _ask(self, method: str, *arguments: str) -> str | None:
        backend = self._backend()
        try:
            answer: str | None = getattr(backend, method)(SERVICE, *arguments)
        except Exception as problem:  # noqa: BLE001  (each backend raises what its system raises)
            # Its own words might quote what it was given.
            raise KeyringUnusable(f"{name_of(backend)} failed ({type(problem).__name__})") from None
        return answer

    def _backend(self) -> Backend:
        backend = self._given or next(viable_backends(), None)
        if backend is None:
            raise KeyringUnusable(tr("none is running here"))
        if name_of(backend) not in ALLOWED:
            raise KeyringUnusable(
                tr("{name_of} is not known to protect what it keeps", name_of=name_of(backend))
            )
        return backend


def viable_backends() -> Iterator[Backend]:
    """The allowed backends that work on this machine."""
    for name in ALLOWED:
        module, _, class_name = name.rpartition(".")
        try:
            kind = getattr(import_module(module), class_name)
            # `viable` asks the backend for its priority, which raises where its service does not run.
            if kind.viable:
                yield kind()
        except Exception:  # noqa: BLE001  (whatever a missing service raises, it means: not this one)
            continue


def name_of(backend: Backend) -> str:
    """The backend's full name, as in the list of allowed ones."""
    return f"{type(backend).__module__}.{type(backend).__qualname__}"
