"""The files of a folder by their names: nothing that is hidden, ignored or leads out, and a lot of them at once."""

from __future__ import annotations

import os
import time
from pathlib import Path

from workbench.domain.files.attached import AttachLimits, FolderList
from workbench.sources.attach import listed_files

FILES = (
    "b.md", "A.md", "src/main.py", "src/deep/x.py", "src/keep.tmp", "src/drop.tmp", "out/page.html", ".env",
    ".git/config", "node_modules/x/index.js", "a.log", "sub/only.txt", "sub/not.txt", "new\nline.md", "a#b.md",
)  # fmt: skip


def list_files(path: str, most: int) -> FolderList | None:
    return listed_files(path, most, AttachLimits())


def made(folder: Path) -> Path:
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name, encoding="utf-8")
    (folder / ".gitignore").write_text("*.log\n/out/\n*.tmp\n", encoding="utf-8")
    (folder / "src" / ".gitignore").write_text("!keep.tmp\n", encoding="utf-8")
    (folder / "sub" / ".gitignore").write_text("not.txt\n", encoding="utf-8")
    return folder


def test_files_high_up_come_first_and_nested_rules_hold(tmp_path: Path):
    found = list_files(str(made(tmp_path)), 1_000)
    assert found is not None
    assert [one.path for one in found.files] == [
        "a#b.md", "A.md", "b.md", "new\nline.md", "src/keep.tmp", "src/main.py", "sub/only.txt", "src/deep/x.py",
    ]  # fmt: skip
    assert not found.more
    assert found.files[1].size_bytes == len("A.md")


def test_links_and_pipes_are_left_out(tmp_path: Path):
    (tmp_path / "real.md").write_text("x", encoding="utf-8")
    (tmp_path / "link.md").symlink_to("/etc/hostname")
    (tmp_path / "away").symlink_to("/etc")
    os.mkfifo(tmp_path / "pipe.md")
    found = list_files(str(tmp_path), 100)
    assert found is not None
    assert [one.path for one in found.files] == ["real.md"]


def test_no_folder_gives_none_and_too_many_are_said(tmp_path: Path):
    assert list_files(str(tmp_path / "nowhere"), 10) is None
    assert list_files("", 10) is None
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert list_files(str(tmp_path / "file"), 10) is None
    for number in range(5):
        (tmp_path / f"{number}.md").write_text("x", encoding="utf-8")
    found = list_files(str(tmp_path), 3)
    assert found is not None
    assert (len(found.files), found.more) == (3, True)


def test_a_folder_that_cannot_be_read_is_passed_over(tmp_path: Path):
    (tmp_path / "shut").mkdir()
    (tmp_path / "shut" / "in.md").write_text("x", encoding="utf-8")
    (tmp_path / "b.md").write_text("x", encoding="utf-8")
    (tmp_path / "shut").chmod(0)
    try:
        found = list_files(str(tmp_path), 10)
    finally:
        (tmp_path / "shut").chmod(0o700)
    assert found is not None
    assert "b.md" in [one.path for one in found.files]


def test_twenty_thousand_files_are_listed_in_seconds(tmp_path: Path):
    """A coarse guard: it is some tenths of a second, and other programs run on the same machine."""
    for folder in range(100):
        (tmp_path / f"d{folder:03}").mkdir()
        for number in range(200):
            os.close(os.open(tmp_path / f"d{folder:03}" / f"f{number:03}.md", os.O_CREAT | os.O_WRONLY))
    begun = time.thread_time()
    found = list_files(str(tmp_path), 50_000)
    assert found is not None
    assert len(found.files) == 20_000
    assert time.thread_time() - begun < 10
