"""A store of one's own that leaves nothing behind."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest

from tests.fakes.stores import chat, said
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
