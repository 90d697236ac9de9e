"""Preferences in memory."""

from __future__ import annotations

from workbench.domain.app_preferences import Preferences


class MemoryPreferences:
    """Keeps preferences until it is forgotten → PreferencesStore."""

    def __init__(self, preferences: Preferences | None = None, *problems: str) -> None:
        self.kept = preferences or Preferences()
        self._problems = problems

    @property
    def problems(self) -> tuple[str, ...]:
        """Those that a test has planted."""
        return self._problems

    def load(self) -> Preferences:
        """As they were saved last."""
        return self.kept

    def save(self, preferences: Preferences) -> None:
        """Keep them."""
        self.kept = preferences
