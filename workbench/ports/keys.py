"""Secrets and who is asked for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from workbench.domain.secrets import KeyStatus, Secret


class SecretPrompt(Protocol):
    """Asks a person for a secret: at a terminal, or in a window."""

    def ask(self, prompt: str) -> Secret:
        """What the person types, unseen."""

    def ask_new(self) -> Secret:
        """A new passphrase, typed twice alike."""


class KeyKeeper(Protocol):
    """The keys of a data folder."""

    def status(self) -> KeyStatus:
        """Returns what is known without a secret."""

    def check(self, text: Secret) -> None:
        """`WrongSecret` where this is neither the passphrase nor the recovery code of the store."""

    def change_passphrase(self, choose: Callable[[], Secret]) -> None:
        """Unlock, then put the chosen passphrase in the place of the old one."""

    def new_recovery_code(self) -> Secret:
        """Make a new recovery code; the old one opens nothing from now on."""

    def use_keyring(self, wanted: bool) -> None:
        """Let the system's keyring open the store, or no longer."""

    def rotate(self) -> KeyStatus:
        """Put the store under a new key."""


class ProviderKeys(Protocol):
    """Keys of providers, each for one origin (scheme, host and port) and for no other."""

    async def find(self, origin: str) -> Secret | None:
        """The key for that origin, if there is one."""

    async def keep(self, origin: str, key: Secret | None) -> None:
        """Keep a key, or with None forget it."""

    async def origins(self) -> tuple[str, ...]:
        """Returns the origins that have keys."""
