"""The workspace: what is in it is found and read, and nothing outside it, whoever tries."""

from __future__ import annotations

import os
import stat
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from tests.fakes.workspaces import OpenRoot, every_way_in, fill, workspace_in
from workbench.files.writing import FileState
from workbench.tools.workspace.paths import Refused, parse_path
from workbench.tools.workspace.states import FolderState
from workbench.tools.workspace.workspace import MOST_FILE_BYTES, Workspace


@every_way_in
def test_a_file_is_read_and_described(open_root: OpenRoot, tmp_path: Path):
    fill(tmp_path, {"src/a.txt": "words"})
    (tmp_path / "src/a.txt").chmod(0o640)
    workspace = workspace_in(tmp_path, open_root)
    assert workspace.read(parse_path("src/a.txt")).content == b"words"
    state = workspace.state(parse_path("src/a.txt"))
    assert isinstance(state, FileState)
    assert (state.content, state.mode) == (b"words", 0o640)
    assert workspace.state(parse_path("src")) == FolderState(stat.S_IMODE((tmp_path / "src").stat().st_mode))
    assert workspace.state(parse_path("no/such/thing")) is None
    assert workspace.names(parse_path(".")) == ["src"]
    assert workspace.look(parse_path(".")) is not None


@every_way_in
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("pipe", "not a regular file"),
        ("link", "a link, and links are not followed"),
        ("folder-link/secret", "links are not followed"),
        ("folder", "is a folder"),
        (".", "the workspace itself"),
        ("nothing", "no file nothing"),
        ("folder/in/nothing", "There is no folder/in"),
        ("file/in", "not a folder"),
    ],
)
def test_what_is_not_a_file_in_it_is_refused_by_name(
    open_root: OpenRoot, name: str, why: str, tmp_path: Path
):
    fill(tmp_path, {"outside/secret": "x", "root/folder/": "", "root/file": "1"})
    root = tmp_path / "root"
    os.mkfifo(root / "pipe")
    (root / "link").symlink_to(tmp_path / "outside" / "secret")
    (root / "folder-link").symlink_to(tmp_path / "outside")
    with pytest.raises(Refused, match=why):
        workspace_in(root, open_root).read(parse_path(name))


def test_a_large_file_is_refused_with_its_size(tmp_path: Path):
    with open(tmp_path / "big", "wb") as file:
        file.truncate(MOST_FILE_BYTES + 1)
    with pytest.raises(Refused, match="8,388,609 bytes"):
        Workspace(tmp_path).read(parse_path("big"))
    with pytest.raises(Refused, match="brought back"):
        Workspace(tmp_path).state(parse_path("big"))


def test_a_workspace_that_went_away_is_said(tmp_path: Path):
    with pytest.raises(Refused, match="not there any more"):
        Workspace(tmp_path / "gone").names(parse_path("."))


def test_no_descriptor_is_left_open(tmp_path: Path):
    fill(tmp_path, {"a/b/c": "1", "f": "1"})
    workspace = Workspace(tmp_path)
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for text in ("a/b/c", "a/x", "x/y", "f/g", "a"):
        path = parse_path(text)
        for use in (workspace.read, workspace.look, workspace.state, workspace.names):
            with suppress(Refused, OSError):
                use(path)
    after = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    assert after == before


@pytest.mark.parametrize("swapped", ["folder", "file"])
def test_nothing_leaks_while_somebody_swaps_links_in(swapped: str, tmp_path: Path):
    """Jan CVE-2024-36857, and why `resolve()` is not enough: between its check and the reading there is a gap."""
    fill(tmp_path, {"outside/a.txt": "SECRET", "root/sub/a.txt": "inside"})
    root, stop = tmp_path / "root", threading.Event()
    (tmp_path / "link-to-folder").symlink_to(tmp_path / "outside")
    (tmp_path / "link-to-file").symlink_to(tmp_path / "outside" / "a.txt")
    place, link = {
        "folder": (root / "sub", tmp_path / "link-to-folder"),
        "file": (root / "sub" / "a.txt", tmp_path / "link-to-file"),
    }[swapped]
    kept = tmp_path / "kept"

    def swap() -> None:
        while not stop.is_set():
            place.rename(kept)
            link.rename(place)
            place.rename(link)
            kept.rename(place)

    attacker = threading.Thread(target=swap)
    attacker.start()
    workspace, path, refused = Workspace(root), parse_path("sub/a.txt"), 0
    read: list[bytes] = []
    try:
        while len(read) + refused < 4000:
            try:
                read.append(workspace.read(path).content)
            except (Refused, OSError):
                refused += 1
    finally:
        stop.set()
        attacker.join()
    assert set(read) <= {b"inside"}
    assert refused > 0


def test_a_file_whose_size_is_not_what_it_says_is_refused():
    """As of one that grows while it is read: half of the old and half of the new would be neither."""
    if not os.path.exists("/proc/self/status"):
        pytest.skip("there is no such file here")
    with pytest.raises(Refused, match="changed while it was read"):
        Workspace(Path("/proc/self")).read(parse_path("status"))
