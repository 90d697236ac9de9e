"""Files that an imported chat names: found below one folder, and nowhere else, whatever the name says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from workbench.cli.history import imports
from workbench.cli.history.imports import FilesInFolder
from workbench.domain.files.attachment import Artifact
from workbench.domain.record import Snapshot
from workbench.engine.exchange.imported import Wanted


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text("secret")
    inside = tmp_path / "inside"
    (inside / "docs").mkdir(parents=True)
    (inside / "docs" / "a.md").write_bytes("Grüße\r\n".encode())
    os.utime(inside / "docs" / "a.md", (0, 86400))
    (inside / "picture.bin").write_bytes(b"\xff\xfe")
    return inside


def take(folder: Path, key: str, kind: Any = "file") -> Snapshot | str:
    return FilesInFolder(folder).take(Wanted("c", "m", key, kind), "2026-01-01T00:00:00Z")


@pytest.mark.parametrize("key", ["docs/a.md", "./docs/a.md", "docs\\a.md"])
def test_a_file_below_the_folder_is_found(folder: Path, key: str):
    artifact = Artifact(key, "note", "Grüße\r\n")
    expected = Snapshot("c", artifact, "2026-01-01T00:00:00Z", "Grüße\r\n".encode(), "1970-01-02T00:00:00Z")
    assert take(folder, key, "note") == expected


@pytest.mark.parametrize(
    "key",
    [
        "../secret.txt",
        "docs/../../secret.txt",
        "/etc/passwd",
        "",
        ".",
        "docs//a.md",
        "C:/x",
        "a\0b",
        "docs",
        "no.md",
    ],
)
def test_what_is_not_a_file_below_it_is_not(folder: Path, key: str):
    assert isinstance(take(folder, key), str)


def test_links_are_not_followed(folder: Path):
    (folder / "link.txt").symlink_to(folder.parent / "secret.txt")
    (folder / "up").symlink_to(folder.parent)
    (folder / "same.md").symlink_to(folder / "docs" / "a.md")
    for key in ("link.txt", "up/secret.txt", "same.md"):
        assert isinstance(take(folder, key), str)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a Unix thing")
def test_a_named_pipe_does_not_keep_us_waiting(folder: Path):
    os.mkfifo(folder / "pipe")
    assert take(folder, "pipe") == "it is not a regular file"


def test_what_is_no_text_is_not_attached(folder: Path):
    assert take(folder, "picture.bin") == "it is not text in UTF-8"


@pytest.mark.parametrize("kind", ["url", "web_tab", "youtube"])
def test_pages_are_never_fetched(folder: Path, kind: str):
    assert take(folder, "docs/a.md", kind) == "pages are never fetched again"


def test_a_selection_lies_in_no_folder(folder: Path):
    assert take(folder, "docs/a.md", "web_selection") == "a web selection cannot be read from a folder"


def test_a_file_that_is_too_large_is_not_attached(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(imports, "MOST_ATTACHED_BYTES", 3)
    assert "larger than" in str(take(folder, "docs/a.md"))
