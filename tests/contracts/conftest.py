"""Every implementation of a port whose facts take several files."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.history import MemoryHistory
from tests.fakes.stores import open_store
from workbench.ports.history import HistoryStore
from workbench.storage.temporary import HistoryWithTemporary


@pytest.fixture(params=["encrypted", "memory", "temporary"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HistoryStore]:
    """An empty history: in an encrypted file, the fake that tests use instead, and with temporary chats beside."""
    made: HistoryStore
    if request.param == "temporary":
        made = HistoryWithTemporary(MemoryHistory())
    else:
        made = open_store(tmp_path / "history.db") if request.param == "encrypted" else MemoryHistory()
    yield made
    asyncio.run(made.close())
