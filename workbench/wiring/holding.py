"""Lets other preferences hold while the program runs: kept in the folder, and for servers and workspace at once."""

from __future__ import annotations

from workbench.domain.settings.app_preferences import Preferences, SettingsProblem
from workbench.wiring.folder import ProgramFolder


class FolderPreferences:
    """The settings of a data folder; what reads and checks them is loaded when it is needed → PreferencesStore."""

    def __init__(self, place: ProgramFolder) -> None:
        self._place = place

    @property
    def problems(self) -> tuple[SettingsProblem, ...]:
        """What was wrong when they were last read."""
        return self._place.found

    def load(self) -> Preferences:
        """As they are kept; where there is no file, the defaults."""
        return self._place.read_again()

    def save(self, preferences: Preferences) -> None:
        """Keep them, all or nothing."""
        self._place.save(preferences)
