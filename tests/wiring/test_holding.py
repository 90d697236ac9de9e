"""Other preferences hold at once: in the folder, for names of servers, and for the workspace of the tools."""

from __future__ import annotations

import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from tests.fakes.loop import in_loop
from tests.fakes.stores import open_store
from tests.wiring.test_engine import make_builder
from workbench.cli.services import WorldOptions
from workbench.domain.errors import InvalidInput
from workbench.domain.secrets import Secret
from workbench.domain.settings.app_preferences import Preferences
from workbench.wiring.engine import make_world, new_chat_settings
from workbench.wiring.folder import ProgramFolder
from workbench.wiring.holding import FolderPreferences


def place(folder: Path) -> ProgramFolder:
    return ProgramFolder(Namespace(data_dir=str(folder)))


def test_preferences_are_kept_in_the_folder_and_what_others_wrote_there_stays(tmp_path: Path):
    kept = FolderPreferences(place(tmp_path / "data"))
    assert (kept.load(), kept.problems) == (Preferences(), ())
    kept.save(Preferences(model="gpt-4o"))
    (settings,) = (tmp_path / "data").iterdir()
    settings.write_text(f"{settings.read_text()}\n# mine\nodd = 1\n", encoding="utf-8")
    again = FolderPreferences(place(tmp_path / "data"))
    again.save(Preferences(model="builtin"))
    assert "# mine\nodd = 1" in settings.read_text()
    assert FolderPreferences(place(tmp_path / "data")).load() == Preferences()


def test_what_whoever_read_them_first_found_wrong_is_still_known(tmp_path: Path):
    (tmp_path / "settings.toml").write_text("not TOML [", encoding="utf-8")
    first = place(tmp_path)
    first.preferences()
    kept = FolderPreferences(first)
    assert kept.load() == Preferences()
    assert "this is not valid TOML" in str(kept.problems[0])


def test_where_nothing_was_set_nothing_is_loaded_to_read_it(tmp_path: Path):
    code = (
        "import sys; from argparse import Namespace; from workbench.wiring.folder import ProgramFolder; "
        "from workbench.wiring.holding import FolderPreferences; "
        f"FolderPreferences(ProgramFolder(Namespace(data_dir={str(tmp_path)!r}))).load(); "
        "sys.exit('tomlkit' in sys.modules)"
    )
    assert subprocess.call([sys.executable, "-c", code]) == 0


@in_loop
async def test_a_world_goes_by_what_is_preferred_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "x.md").touch()
    store = open_store(tmp_path / "store.db")
    here = place(tmp_path)
    world = make_world(make_builder(), here, store, WorldOptions())
    try:
        with pytest.raises(InvalidInput):
            world.models.open("lab:some")
        new = Preferences(model="lab:some", servers={"lab": "https://lab.example"}, workspace="work")
        world.prefer(new)
        first = world.models.open("lab:some")
        assert new_chat_settings(here, tools=False).model == "lab:some"
        assert world.toolbox is not None
        assert "x.md" in (await world.toolbox.tools[0].run({})).text
        world.prefer(Preferences(servers={"lab": "https://other.example"}))
        assert world.models.open("lab:some") is not first
        assert world.keys is not None
        await world.keys.keep(world.origin_of("https://lab.example/v1"), Secret.of_text("sk-1"))
        assert await world.keys.origins() == ("https://lab.example:443",)
        with pytest.raises(InvalidInput):
            world.origin_of("http://lab.example")
        assert world.preferences is not None
        assert world.exchange is not None
        assert world.elara is not None
    finally:
        await world.models.close()
        await store.close()
