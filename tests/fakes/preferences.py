"""Preferences in memory."""

from __future__ import annotations

from workbench.domain.settings.app_preferences import Preferences, SavingOff, SettingsProblem, blocking


class MemoryPreferences:
    """Keeps preferences until it is forgotten → PreferencesStore."""

    def __init__(self, preferences: Preferences | None = None, *problems: SettingsProblem) -> None:
        self.kept = preferences or Preferences()
        self.planted = problems

    @property
    def problems(self) -> tuple[SettingsProblem, ...]:
        """Those that a test has planted."""
        return self.planted

    def load(self) -> Preferences:
        """As they were saved last."""
        return self.kept

    def save(self, preferences: Preferences) -> None:
        """Keep them, unless something stands in the way."""
        wrong = blocking(self.planted)
        if wrong is not None:
            raise SavingOff(wrong)
        self.kept = preferences
