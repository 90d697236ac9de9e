"""Keys that exist on paper only."""

from __future__ import annotations

from collections.abc import Callable

from tests.fakes.keys import DATABASE_ID
from workbench.domain.secrets import KeyStatus, ProtectorStatus, Secret, StoreIdentity


class PaperKeys:
    """Keys that exist on paper only → KeyKeeper."""

    def __init__(self, rotating: bool = False) -> None:
        self.done: list[str] = []
        self._rotating = rotating

    def status(self) -> KeyStatus:
        """Two protectors."""
        protectors = (ProtectorStatus("passphrase", "monday"), ProtectorStatus("key_file", "tuesday"))
        return KeyStatus(StoreIdentity(DATABASE_ID, 3), "sunday", "monday", protectors, self._rotating)

    def check(self, text: Secret) -> None:
        """Note it."""
        self.done.append(f"check {text.reveal_text()}")

    def change_passphrase(self, choose: Callable[[], Secret]) -> None:
        """Note it."""
        self.done.append(choose().reveal_text())

    def new_recovery_code(self) -> Secret:
        """Always the same."""
        return Secret.of_text("CODE")

    def use_keyring(self, wanted: bool) -> None:
        """Note it."""
        self.done.append(f"keyring {wanted}")

    def rotate(self) -> KeyStatus:
        """Note it."""
        self.done.append("rotate")
        return self.status()
