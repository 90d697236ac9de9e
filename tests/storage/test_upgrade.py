"""A whole data folder of an earlier program opens in this one after a copy; one of a later program is left alone."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.loop import in_loop
from tests.fakes.stores import IDENTITY, RAW_KEY, WHEN, connect
from tests.storage.fixtures.make_version import HERE, STORE
from workbench.cli.main import run
from workbench.domain.errors import FutureStore
from workbench.storage.database.format import SCHEMA_VERSION
from workbench.storage.file_lock import FileLock
from workbench.storage.folder import DataFolder
from workbench.storage.keys.protectors import DataKey
from workbench.storage.keys.unlocking import UnlockedStore
from workbench.storage.listing import list_unlocked
from workbench.storage.opening import open_unlocked
from workbench.wiring.command_line import command_parts

FIRST = HERE / "first-program"
CHAT = "d021f2c5dab944dc8402d48c7295aa00"
LATER = SCHEMA_VERSION + 1


def test_a_folder_of_the_first_program_opens_after_a_copy_of_its_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """Keys, chats and settings as they were made then, through the program as a person starts it now."""
    monkeypatch.setenv("WORKBENCH_PASSPHRASE", "four words as one")
    folder = tmp_path / "data"
    shutil.copytree(FIRST, folder)
    assert run(["--data-dir", str(folder), "history", "show", CHAT], command_parts) == 0
    shown = capsys.readouterr().out
    assert "When does the ferry leave?" in shown
    assert shown.count("First answer of the old program.") == 2
    assert sorted(path.name for path in folder.glob("store.db.version-*")) == [
        f"store.db.version-{number}" for number in range(2, SCHEMA_VERSION)
    ]
    assert run(["--data-dir", str(folder), "settings", "show"], command_parts) == 0
    assert "redaction=replace\ntimeouts.idle_s=45.0\nservers.desk=http://127.0.0.1:9999/v1\n" in (
        capsys.readouterr().out
    )
    assert (folder / "settings.toml").read_bytes() == (FIRST / "settings.toml").read_bytes()
    assert (folder / "keys.json").read_bytes() == (FIRST / "keys.json").read_bytes()


@pytest.fixture
def later(tmp_path: Path) -> DataFolder:
    """A data folder whose store a later program has written."""
    data = DataFolder(tmp_path)
    shutil.copyfile(HERE / f"version-{SCHEMA_VERSION}" / STORE, data.store)
    connection = connect(data.store)
    connection.execute("CREATE TABLE of_a_later_program (id INTEGER)")
    connection.execute(f"PRAGMA user_version = {LATER}")
    connection.commit()
    connection.close()
    return data


def unlocked(data: DataFolder) -> UnlockedStore:
    lock = FileLock(data.store_lock, alone=False, advice="")
    return UnlockedStore(data.store, DataKey(RAW_KEY, IDENTITY), lock)


def contents(data: DataFolder) -> dict[str, str]:
    """Every file but the locks, which say who has it open."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in data.path.iterdir()
        if path.suffix != ".lock" and path.name != "writer.json"
    }


Opening = Callable[[DataFolder], object]
WAYS: dict[str, Opening] = {
    "a reader": lambda data: open_unlocked(unlocked(data), False, lambda: WHEN),
    "a writer": lambda data: open_unlocked(unlocked(data), True, lambda: WHEN),
    "one beside": lambda data: open_unlocked(unlocked(data), True, lambda: WHEN, place="beside"),
    "a list": lambda data: list_unlocked(unlocked(data), lambda: WHEN),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_store_of_a_later_program_is_said_to_be_one_and_left_as_it_is(later: DataFolder, way: str):
    """Byte for byte, and with no file beside it: whoever goes back to the later program finds everything."""
    before = contents(later)
    with pytest.raises(FutureStore, match=rf"version {LATER}.*up to {SCHEMA_VERSION}.*Nothing was changed"):
        WAYS[way](later)
    assert contents(later) == before


@in_loop
async def test_the_next_program_of_the_same_store_is_not_kept_from_it(later: DataFolder):
    """The refusal keeps nothing locked."""
    for _ in range(2):
        with pytest.raises(FutureStore):
            open_unlocked(unlocked(later), True, lambda: WHEN)
