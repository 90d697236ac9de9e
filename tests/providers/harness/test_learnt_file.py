"""What servers said outlives the process, and never stands in anybody's way."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from workbench.providers.harness.learnt_file import FILE_NAME, LearntFile

OLD = b'{"format": "workbench-servers/1", "said": {"models at https://me-token@lab/v1": {}}}'


def test_what_was_said_is_there_again_and_only_for_its_owner(tmp_path: Path):
    LearntFile(tmp_path)["models at http://lab"] = {"data": [{"id": "m", "max_model_len": 8192}]}
    assert LearntFile(tmp_path).get("models at http://lab") == {"data": [{"id": "m", "max_model_len": 8192}]}
    assert LearntFile(tmp_path).get("models at http://other") is None
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / FILE_NAME).stat().st_mode) == 0o600


def test_no_folder_is_made_for_it(tmp_path: Path):
    learnt = LearntFile(tmp_path / "none")
    learnt["a"] = {"b": 1}
    assert learnt.get("a") == {"b": 1}
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"format": "workbench-servers/2", "said": [1]}',
        b'{"said": {"a": {}}}',
        b"\xff",
        OLD,
    ],
)
def test_a_file_that_is_none_is_as_good_as_none(tmp_path: Path, content: bytes):
    (tmp_path / FILE_NAME).write_bytes(content)
    assert LearntFile(tmp_path) == {}


def test_equal_words_are_not_written_again(tmp_path: Path):
    learnt = LearntFile(tmp_path)
    learnt["a"] = {"b": 1}
    (tmp_path / FILE_NAME).unlink()
    learnt["a"] = {"b": 1}
    assert not (tmp_path / FILE_NAME).exists()


def test_the_oldest_go_where_there_are_too_many(tmp_path: Path):
    learnt = LearntFile(tmp_path)
    for number in range(205):
        learnt[f"server {number}"] = {"n": number}
    kept = LearntFile(tmp_path)
    assert len(kept) == 200
    assert "server 204" in kept
    assert "server 4" not in kept
