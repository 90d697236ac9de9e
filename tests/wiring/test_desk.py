"""What the window is given: a real folder made, opened and changed; and one that is thrown away."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from tests.fakes.loop import in_loop
from workbench.domain.errors import StoreLocked, WorkbenchError, WrongSecret
from workbench.domain.secret import Secret
from workbench.ui.given import Choice
from workbench.wiring.folder import scratch
from workbench.wiring.window import FolderDesk, demo_desk

RIGHT, WRONG = Secret.of_text("the right passphrase"), Secret.of_text("a wrong one")


def arguments(folder: Path) -> Namespace:
    return Namespace(data_dir=str(folder), key_file=None)


@in_loop
async def test_a_store_is_made_opened_and_its_passphrase_changed(tmp_path: Path):
    desk = FolderDesk(arguments(tmp_path / "data")).desk()
    assert not desk.store_exists()
    code = await desk.create(Choice(RIGHT, keyring=False))
    assert desk.store_exists()
    store = await desk.open(RIGHT)
    assert await store.chats() == ()
    await store.close()

    again = FolderDesk(arguments(tmp_path / "data")).desk()
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
        desk = demo_desk(arguments(tmp_path), folder.open)
        assert desk.throwaway
        assert desk.store_exists()
        store = await desk.open(None)
        await store.adopt(desk.sample())
        assert len(await store.chats()) == 1
        await store.close()
        with pytest.raises(WorkbenchError):
            desk.keys()
