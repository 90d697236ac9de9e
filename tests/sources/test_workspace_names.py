"""Names in messages that would lead out of the workspace: each is refused or a mere word, and nothing leaks."""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import suppress
from pathlib import Path

import pytest

from tests.fakes.extractor import PlainExtractor
from workbench.domain.files.attached import Attached, CannotAttach
from workbench.sources.attach import FileAttachments
from workbench.sources.attached_file import Naming

SECRET = "the secret of the house"
HOSTILE = [
    "../secret.txt", "..", ".", "./../secret.txt", "inner/../../secret.txt", "inner/../../../etc/passwd", "/etc/passwd",
    "//etc/passwd", "~/secret.txt", "~root/secret.txt", "link.txt", "way/secret.txt", "inner/deep-link.txt", "loop",
    "loop/loop/secret.txt", "pipe", "socket", "inner", "C:\\secret.txt", "..\\secret.txt", "\\\\server\\share\\x",
    "secret.txt\0.md", "inner/\0", "a" * 5000, "inner/" * 400 + "x", "/proc/self/environ", "/dev/stdin", "link.txt#L1",
    "../secret.txt#L1", "way/../way/secret.txt", "file:///etc/passwd", "inner/..", "%2e%2e/secret.txt",
    "..;/secret.txt",
]  # fmt: skip


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text(SECRET)
    top = tmp_path / "work"
    (top / "inner").mkdir(parents=True)
    (top / "fine.md").write_text("# One\nfine\n")
    (top / "inner" / "odd#1.md").write_text("odd\n")
    (top / "link.txt").symlink_to(tmp_path / "secret.txt")
    (top / "way").symlink_to(tmp_path)
    (top / "inner" / "deep-link.txt").symlink_to(tmp_path / "secret.txt")
    (top / "loop").symlink_to(top / "loop")
    os.mkfifo(top / "pipe")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(os.path.relpath(top / "socket"))
    listening.close()
    return top


def find(workspace: Path, name: str) -> Attached | None:
    reader = FileAttachments(PlainExtractor(), naming=Naming(workspace=lambda: str(workspace)))
    return asyncio.run(reader.find(name))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_leads_out_is_refused_or_a_word(workspace: Path, name: str):
    assert len(HOSTILE) >= 26
    with suppress(CannotAttach):
        assert find(workspace, name) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("fine.md", "# One\nfine\n"),
        ("./fine.md", "# One\nfine\n"),
        ("fine.md#L2", "fine\n"),
        ("inner/odd#1.md", "odd\n"),
    ],
)  # fmt: skip
def test_a_name_of_the_workspace_is_found(workspace: Path, name: str, text: str):
    found = find(workspace, name)
    assert found is not None
    assert (found.artifact.text, found.place.startswith(str(workspace))) == (text, True)


def test_without_a_workspace_a_name_is_a_word(tmp_path: Path):
    assert find(tmp_path / "nowhere", "fine.md") is None


def test_a_folder_is_only_spoken_of_where_a_file_may_be_meant(workspace: Path):
    (workspace / "notes.d").mkdir()
    (workspace / "inner" / "deep").mkdir()
    assert find(workspace, "inner") is None
    for name in ("notes.d", "inner/deep"):
        with pytest.raises(CannotAttach, match="it is a folder"):
            find(workspace, name)


def test_the_programs_own_data_is_not_named_by_a_message(workspace: Path):
    naming = Naming(workspace=lambda: str(workspace), own=str(workspace / "inner"))
    reader = FileAttachments(PlainExtractor(), naming=naming)
    with pytest.raises(CannotAttach, match="the program's own data"):
        asyncio.run(reader.find("inner/odd#1.md"))
    assert asyncio.run(reader.find("fine.md")) is not None
