"""Facts of every PreferencesStore."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from tests.fakes.preferences import MemoryPreferences
from workbench.domain.request import Timeouts
from workbench.domain.settings.app_preferences import Preferences
from workbench.ports.preferences import PreferencesStore
from workbench.settings.settings_file import SettingsFile
from workbench.wiring.folder import ProgramFolder
from workbench.wiring.holding import FolderPreferences

EVERYTHING = Preferences(
    model="ollama:llama3.2",
    context={"counter": "chars4", "history": {"threshold": None, "headroom": 0.5}, "context_window": None},
    timeouts=Timeouts(1.5, 30.0, 5.0),
    tools_enabled=("read_file", "write_file"),
    workspace="/home/someone/a project",
    max_tool_rounds=3,
    redaction="replace",
    persona="terse",
    servers={"home": "http://127.0.0.1:8080/v1", "away": "https://models.example/v1"},
    catalogue="/home/someone/models.toml",
)


@pytest.fixture(params=["file", "place", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> PreferencesStore:
    folder = tmp_path / "data"
    made: dict[str, PreferencesStore] = {
        "file": SettingsFile(folder),
        "place": FolderPreferences(ProgramFolder(Namespace(data_dir=str(folder)))),
        "memory": MemoryPreferences(),
    }
    return made[request.param]


def test_at_first_everything_has_its_default(store: PreferencesStore):
    assert (store.load(), store.problems) == (Preferences(), ())


def test_what_is_saved_is_loaded(store: PreferencesStore):
    for preferences in (EVERYTHING, Preferences(), EVERYTHING):
        store.save(preferences)
        assert (store.load(), store.problems) == (preferences, ())
