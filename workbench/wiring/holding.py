"""Applies changed preferences while the program runs: stores them, and passes them to servers and tools at once."""

from __future__ import annotations

from workbench.domain.settings.app_preferences import Preferences, SettingsProblem
from workbench.wiring.folder import ProgramFolder


class FolderPreferences:
    """The settings of a data folder, read and checked when needed → PreferencesStore."""

    def __init__(self, place: ProgramFolder) -> None:
        self._place = place

    @property
    def problems(self) -> tuple[SettingsProblem, ...]:
        """The problems found when the settings were last read."""
        return self._place.found

    def load(self) -> Preferences:
        """Returns the stored settings; the defaults where there is no file."""
        return self._place.read_again()

    def save(self, preferences: Preferences) -> None:
        """Stores settings, all or none."""
        self._place.save(preferences)
