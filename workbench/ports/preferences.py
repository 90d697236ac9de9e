"""What a person set for the whole program."""

from __future__ import annotations

from typing import Protocol

from workbench.domain.app_preferences import Preferences


class PreferencesStore(Protocol):
    """Where preferences are kept; never a secret among them."""

    @property
    def problems(self) -> tuple[str, ...]:
        """What was wrong when they were last read, in sentences for a person."""

    def load(self) -> Preferences:
        """The preferences as they are kept; what cannot be used has its default, and is named in `problems`."""

    def save(self, preferences: Preferences) -> None:
        """Keep them, all or nothing; `InvalidInput` where one holds a secret or cannot be used."""
