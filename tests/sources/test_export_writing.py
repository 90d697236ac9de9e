"""Files of an export: all of them or none, over nothing, for their owner only."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from workbench.domain.errors import WorkbenchError
from workbench.ports.exchange_files import WritingStopped
from workbench.sources import exchange_files
from workbench.sources.exchange_files import write_files

FILES = [("a.md", b"Alpha"), ("deep/b.md", b"Beta"), ("c.md", b"")]


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones too."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_files_are_their_owners_only(tmp_path: Path):
    written = write_files(tmp_path / "new" / "out", FILES, alone=False)
    assert contents(tmp_path / "new" / "out") == {"a.md": b"Alpha", "c.md": b"", "deep/b.md": b"Beta"}
    assert written == tuple(str(tmp_path / "new" / "out" / name) for name, _ in FILES)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "new").rglob("*")}
    assert modes == {0o600, 0o700}


def test_a_single_file_becomes_the_place_itself_unless_that_is_a_folder(tmp_path: Path):
    assert write_files(tmp_path / "x.json", [("chats.json", b"{}")], alone=True) == (f"{tmp_path}/x.json",)
    assert write_files(tmp_path, [("chats.json", b"{}")], alone=True) == (f"{tmp_path}/chats.json",)
    written = write_files(tmp_path / "folder", [("chats.json", b"{}")], alone=False)
    assert written == (f"{tmp_path}/folder/chats.json",)
    assert list(contents(tmp_path)) == ["chats.json", "folder/chats.json", "x.json"]


def test_what_exists_stays_and_nothing_is_written(tmp_path: Path):
    (tmp_path / "c.md").write_text("precious")
    with pytest.raises(WorkbenchError, match=r"c\.md exists already\. Nothing was written"):
        write_files(tmp_path, FILES, alone=False)
    assert contents(tmp_path) == {"c.md": b"precious"}
    assert not (tmp_path / "deep").exists()


def test_what_comes_to_be_in_the_last_moment_stays_too(tmp_path: Path):
    """Between the look and the writing another program may use the name: renaming would take its file away."""
    asked: list[bool] = []

    def stopped() -> bool:
        if not asked:
            (tmp_path / "c.md").write_text("precious")
        asked.append(True)
        return False

    with pytest.raises(WorkbenchError, match="exists already"):
        write_files(tmp_path, FILES, alone=False, stopped=stopped)
    assert contents(tmp_path) == {"c.md": b"precious"}
    assert not (tmp_path / "deep").exists()


@pytest.mark.parametrize("after", range(7))
def test_stopped_at_any_moment_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int):
    monkeypatch.setattr(exchange_files, "_PIECE_BYTES", 2)
    asked: list[bool] = []

    def stopped() -> bool:
        asked.append(True)
        return len(asked) > after

    with pytest.raises(WritingStopped):
        write_files(tmp_path / "new" / "out", FILES, alone=False, stopped=stopped)
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_takes_no_more_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    real = os.link

    def link(source: Path, target: Path) -> None:
        if target.name == "c.md":
            raise OSError(28, "No space left on device")
        real(source, target)

    def rename(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "link", link)
    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(WorkbenchError, match=r"could not be written \(No space left on device\)") as error:
        write_files(tmp_path / "out", FILES, alone=False)
    assert "Nothing of it was left there" in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_a_system_without_second_names_renames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def link(source: Path, target: Path) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    write_files(tmp_path / "out", FILES, alone=False)
    assert contents(tmp_path / "out") == {"a.md": b"Alpha", "c.md": b"", "deep/b.md": b"Beta"}


def test_a_link_is_not_followed(tmp_path: Path):
    (tmp_path / "a.md").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WorkbenchError, match="exists already"):
        write_files(tmp_path, FILES, alone=False)
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_where_a_folder_should_be_is_said(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkbenchError, match="could not be written"):
        write_files(tmp_path / "file" / "x.json", [("chats.json", b"{}")], alone=True)
    assert contents(tmp_path) == {"file": b""}
