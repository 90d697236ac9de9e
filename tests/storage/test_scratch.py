"""A store of one's own that leaves nothing behind."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest

from tests.fakes.keys import WORDS, NoService, cheap_vault
from tests.fakes.loop import in_loop
from tests.fakes.stores import chat, said
from workbench.domain.errors import StoreFull, StoreInUse
from workbench.storage.folder import DataFolder
from workbench.storage.keys.keyring import OsKeyring
from workbench.storage.keys.unlocking import GivenCredentials, Unlocker, UserPrompts
from workbench.storage.opening import HistoryFolder
from workbench.storage.scratch import ScratchHistory


async def written_and_read() -> list[str]:
    with ScratchHistory() as scratch:
        store = await scratch.open()
        await store.create_chat(chat())
        await store.append([said("m1", "kept for now")])
        await store.close()
        store = await scratch.open()
        found = [record.id for record in await store.path("c")]
        await store.close()
    return found


def test_it_is_found_again_until_it_is_left_and_then_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert asyncio.run(written_and_read()) == ["m1"]
    assert list(tmp_path.iterdir()) == []


def names(path: Path) -> set[str]:
    return {one.name for one in path.iterdir()}


def folder_for(path: Path, scratch: ScratchHistory | None = None) -> HistoryFolder:
    """A data folder that is opened by WORDS; of a scratch's key, where it is to become its own."""

    def unlocker(folder: DataFolder) -> Unlocker:
        people = UserPrompts(None, lambda words: None)
        given = GivenCredentials(passphrase=WORDS, first_key=scratch.data_key if scratch else None)
        return Unlocker(folder, cheap_vault(folder), given, people, OsKeyring(NoService()))

    return HistoryFolder(unlocker, DataFolder(path), lambda: "2026-01-01T00:00:00Z")


@in_loop
async def test_kept_it_is_the_folders_own_and_whoever_has_it_open_goes_on(tmp_path: Path):
    with ScratchHistory() as scratch:
        store = await scratch.open()
        await store.create_chat(chat())
        await store.append([said("m1", "before")])
        moving = asyncio.gather(
            folder_for(tmp_path, scratch).keep(scratch, store), store.append([said("m2", "meanwhile", "m1")])
        )
        await moving
        await store.append([said("m3", "after", "m2")])
        with pytest.raises(StoreInUse):
            await folder_for(tmp_path).open(writable=True)
        await store.close()
    kept = await folder_for(tmp_path).open(writable=True)
    assert [record.id for record in await kept.path("c")] == ["m1", "m2", "m3"]
    assert (await kept.verify()).problems == ()
    await kept.close()
    assert "store.db.moving" not in names(tmp_path)


@in_loop
async def test_where_it_cannot_be_kept_it_goes_on_and_the_folder_is_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def full(source: Path, target: Path) -> None:
        target.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    with ScratchHistory() as scratch:
        store = await scratch.open()
        await store.create_chat(chat())
        with monkeypatch.context() as patch:
            patch.setattr("workbench.storage.opening.copy_file", full)
            with pytest.raises(StoreFull, match="No space"):
                await folder_for(tmp_path, scratch).keep(scratch, store)
        assert not names(tmp_path) & {"keys.json", "store.db", "store.db.moving"}
        await store.append([said("m1", "goes on")])
        await folder_for(tmp_path, scratch).keep(scratch, store)
        await store.close()
    kept = await folder_for(tmp_path).open(writable=True)
    assert [record.id for record in await kept.path("c")] == ["m1"]
    await kept.close()


@in_loop
async def test_a_store_that_somebody_made_meanwhile_is_theirs(tmp_path: Path):
    other = await folder_for(tmp_path).open(writable=True)
    await other.create_chat(chat())
    await other.close()
    with ScratchHistory() as scratch:
        store = await scratch.open()
        with pytest.raises(StoreInUse):
            await folder_for(tmp_path, scratch).keep(scratch, store)
        await store.close()
    other = await folder_for(tmp_path).open(writable=True)
    assert [one.id for one in await other.chats()] == ["c"]
    await other.close()
