"""Who only reads makes no store: a mistyped folder is named, and nothing is left there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.loop import in_loop
from tests.storage.faults.read_only import fill, history
from workbench.domain.errors import NoKeysYet


@in_loop
async def test_a_folder_without_a_history_is_named_and_stays_as_it_is(tmp_path: Path):
    mistyped = tmp_path / "dtaa"
    with pytest.raises(NoKeysYet, match=r"There is no history in .*dtaa.* Nothing was written\."):
        await history(mistyped).open(writable=False)
    assert not mistyped.exists()


@in_loop
async def test_one_that_is_there_is_read(tmp_path: Path):
    await fill(tmp_path / "data")
    store = await history(tmp_path / "data").open(writable=False)
    assert [chat.id for chat in await store.chats()] == ["c"]
    await store.close()
