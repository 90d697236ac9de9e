"""A look at a file: what it says about a file that was written, touched, replaced, removed, or is none any more."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from workbench.domain.files.attached import AttachLimits, FileSight, KeptCopy
from workbench.sources import attach
from workbench.sources.attach import check_file

WORDS = b"some words"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_bytes(WORDS)
    return tmp_path / "a.md"


def copy_of(path: Path, content: bytes = WORDS) -> KeptCopy:
    return KeptCopy(str(path), "", len(content), hashlib.sha256(content).hexdigest())


def test_a_file_that_was_not_touched_is_not_read_again(file: Path, monkeypatch: pytest.MonkeyPatch):
    first = check_file(copy_of(file), None, AttachLimits())
    assert (first.state, first.changed_utc) == ("same", "")

    def refuse(*_: object) -> str:
        raise AssertionError("it was read")

    monkeypatch.setattr(attach, "_digest", refuse)
    assert check_file(copy_of(file), first, AttachLimits()) is first


def test_other_words_of_the_same_length_and_time_are_seen(file: Path):
    """An editor may write within the same second, and a tool may set the old time again."""
    first = check_file(copy_of(file), None, AttachLimits())
    times = os.stat(file)
    file.write_bytes(WORDS[::-1])
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert check_file(copy_of(file), None, AttachLimits()).state == "changed"
    assert check_file(copy_of(file), first, AttachLimits()).state == "changed"


def test_the_same_words_written_anew_are_the_same(file: Path):
    first = check_file(copy_of(file), None, AttachLimits())
    other = file.with_name("new")
    other.write_bytes(WORDS)
    other.replace(file)
    again = check_file(copy_of(file), first, AttachLimits())
    assert again.state == "same"
    assert again.stamp != first.stamp


def test_a_changed_file_says_when_it_was_written(file: Path):
    file.write_bytes(b"more words than before")
    os.utime(file, (1_700_000_000, 1_700_000_000))
    seen = check_file(copy_of(file), None, AttachLimits())
    assert (seen.state, seen.changed_utc) == ("changed", "2023-11-14T22:13:20Z")
    file.write_bytes(b"and others")
    assert check_file(copy_of(file), seen, AttachLimits()).stamp != seen.stamp


def test_a_file_that_has_become_huge_is_not_read(file: Path):
    with open(file, "wb") as stream:
        stream.truncate(10**12)
    assert check_file(copy_of(file), None, AttachLimits()).state == "changed"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a Unix thing")
def test_what_is_no_file_any_more_is_told_without_hanging(file: Path):
    missing = copy_of(file.with_name("nowhere"))
    assert check_file(missing, None, AttachLimits()) == FileSight("gone")
    assert check_file(copy_of(file / "below"), None, AttachLimits()) == FileSight("gone")
    assert check_file(copy_of(Path("a\0b")), None, AttachLimits()) == FileSight("unreadable")
    file.unlink()
    os.mkfifo(file)
    assert check_file(copy_of(file), None, AttachLimits()) == FileSight("unreadable")
    file.unlink()
    file.mkdir()
    assert check_file(copy_of(file), None, AttachLimits()) == FileSight("unreadable")
