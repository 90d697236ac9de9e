"""What the system around the program offers."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from workbench.cli.surroundings import open_to_others, surroundings


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="there the display is the system's own")
@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"DISPLAY": ":0"}, ":0"),
        ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, "wayland-0"),
        ({}, "none; the commands need none"),
    ],
)
def test_a_display_is_named(given: dict[str, str], found: str):
    assert surroundings(given.get, lambda: "")[0] == ("display", found, "")


@pytest.mark.skipif(sys.platform == "win32", reason="rights are lists there")
@pytest.mark.parametrize(
    ("file", "folder", "open_"),
    [
        (0o600, 0o755, False),
        (0o644, 0o755, True),
        (0o640, 0o750, True),
        (0o644, 0o700, False),
        (0o604, 0o710, False),
    ],
)
def test_a_key_that_others_can_read_is_told(tmp_path: Path, file: int, folder: int, open_: bool):
    """Nobody heard of a key file that every user of the computer could copy."""
    above = Path(tempfile.mkdtemp(dir="/tmp")) if not _reachable(tmp_path) else tmp_path
    inside = above / "keys"
    inside.mkdir()
    key = inside / "key"
    key.write_bytes(b"k")
    key.chmod(file)
    inside.chmod(folder)
    above.chmod(0o755)
    found = open_to_others((key, above / "missing"))
    assert [(name, str(key) in what, advice) for name, what, advice in found] == (
        [("access", True, f"Close it to them: chmod 600 {key}")] if open_ else []
    )
    inside.chmod(0o700)
    if above != tmp_path:
        shutil.rmtree(above)


def _reachable(path: Path) -> bool:
    return all(one.stat().st_mode & 0o011 == 0o011 for one in path.parents)


def test_a_keyring_that_is_not_there_is_no_fault():
    name, found, advice = surroundings(lambda name: None, lambda: "locked")[2]
    assert (name, advice) == ("keyring", "")
    assert "locked" in found
