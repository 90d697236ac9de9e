"""What a person set for the whole program."""

from __future__ import annotations

from typing import Protocol

from workbench.domain.settings.app_preferences import Preferences, SettingsProblem


class PreferencesStore(Protocol):
    """Where preferences are kept; never a secret among them."""

    @property
    def problems(self) -> tuple[SettingsProblem, ...]:
        """What was wrong when they were last read; nothing is sent while one of them blocks."""

    def load(self) -> Preferences:
        """The preferences as they are kept; what cannot be used has its default, and is named in `problems`."""

    def save(self, preferences: Preferences) -> None:
        """Keep them, all or nothing; `InvalidInput` where one holds a secret or cannot be used.

        `SavingOff` where something blocks in what is kept: that is left as it is.
        """
