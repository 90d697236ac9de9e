"""One writer a folder, who says who it is."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.fakes.stores import WHEN
from workbench.domain.errors import StoreInUse
from workbench.storage.database.writer_lock import WriterLock


def test_the_second_is_told_who_is_the_first(tmp_path: Path):
    first = WriterLock(tmp_path, WHEN)
    with pytest.raises(StoreInUse, match=rf"process {os.getpid()}\) has it open since {WHEN}") as refusal:
        WriterLock(tmp_path, WHEN)
    assert "Commands that only read work meanwhile" in str(refusal.value)
    first.close()
    WriterLock(tmp_path, WHEN).close()


@pytest.mark.parametrize("holder", ["", "[]", "{}", "\x00", json.dumps({"process": 1})])
def test_an_unreadable_note_is_no_obstacle(tmp_path: Path, holder: str):
    first = WriterLock(tmp_path, WHEN)
    (tmp_path / "writer.json").write_text(holder)
    with pytest.raises(StoreInUse, match="Another program has it open"):
        WriterLock(tmp_path, WHEN)
    first.close()


def test_only_the_owner_can_read_who_it_is(tmp_path: Path):
    WriterLock(tmp_path, WHEN).close()
    assert [one.stat().st_mode & 0o777 for one in tmp_path.iterdir()] == [0o600, 0o600]


def test_where_the_note_cannot_be_written_one_may_write_all_the_same(tmp_path: Path):
    (tmp_path / "writer.json").mkdir()
    first = WriterLock(tmp_path, WHEN)
    with pytest.raises(StoreInUse, match="Another program"):
        WriterLock(tmp_path, WHEN)
    first.close()
