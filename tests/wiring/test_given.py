"""What the window is given: a real folder made, opened and changed; and one that is thrown away."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from tests.fakes.loop import in_loop
from workbench.domain.errors import StoreLocked, WorkbenchError, WrongSecret
from workbench.domain.secrets import Secret
from workbench.ui.given import Choice
from workbench.wiring.folder import scratch
from workbench.wiring.window import FolderGiven, demo_given

RIGHT, WRONG = Secret.of_text("the right passphrase"), Secret.of_text("a wrong one")


def arguments(folder: Path) -> Namespace:
    return Namespace(data_dir=str(folder), key_file=None)


@in_loop
async def test_a_store_is_made_opened_and_its_passphrase_changed(tmp_path: Path):
    given = FolderGiven(arguments(tmp_path / "data")).given()
    assert not given.store_exists()
    code = await given.create(Choice(RIGHT, keyring=False))
    assert given.store_exists()
    store = await given.open(RIGHT)
    assert await store.chats() == ()
    await store.close()

    again = FolderGiven(arguments(tmp_path / "data")).given()
    with pytest.raises((StoreLocked, WrongSecret)):
        await again.open(None)
    with pytest.raises(WrongSecret):
        await again.open(WRONG)
    store = await again.open(code)
    await store.close()
    kinds = {one.kind for one in again.keys().status().protectors}
    assert kinds == {"passphrase", "recovery"}


def test_a_throw_away_folder_asks_nothing_and_keeps_nothing(tmp_path: Path):
    in_loop(use_a_throw_away_folder)(tmp_path)
    assert list(tmp_path.iterdir()) == []


async def use_a_throw_away_folder(tmp_path: Path) -> None:
    with scratch() as folder:
        given = demo_given(arguments(tmp_path), folder.open)
        assert given.throwaway()
        assert given.store_exists()
        store = await given.open(None)
        await store.adopt(given.sample())
        assert len(await store.chats()) == 1
        await store.close()
        with pytest.raises(WorkbenchError):
            given.keys()


@in_loop
async def test_what_was_looked_at_is_gone_or_kept_as_one_chooses(tmp_path: Path):
    given = FolderGiven(arguments(tmp_path / "data")).given()
    assert given.look is not None
    store = await given.look()
    assert given.throwaway()
    assert not given.store_exists()
    with pytest.raises(WorkbenchError, match="Keep these chats"):
        given.keys()
    await store.adopt(given.sample())
    (chat,) = await store.chats()
    await given.create(Choice(RIGHT, keyring=False))
    assert not given.throwaway()
    assert {one.kind for one in given.keys().status().protectors} == {"passphrase", "recovery"}
    await store.save_draft(chat.id, "written after it was kept")
    await store.close()

    again = FolderGiven(arguments(tmp_path / "data")).given()
    store = await again.open(RIGHT)
    assert [one.id for one in await store.chats()] == [chat.id]
    assert await store.draft(chat.id) == "written after it was kept"
    await store.close()


def test_what_was_only_looked_at_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    in_loop(look_around)(tmp_path)
    assert [one.name for one in tmp_path.rglob("*")] == ["temporary"]


async def look_around(tmp_path: Path) -> None:
    given = FolderGiven(arguments(tmp_path / "data")).given()
    assert given.look is not None
    store = await given.look()
    await store.adopt(given.sample())
    await store.close()
