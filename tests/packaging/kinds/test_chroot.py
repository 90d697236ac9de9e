"""A fresh Debian is fetched from where this machine's apt fetches."""

from __future__ import annotations

from pathlib import Path

import pytest

from failure import Failure
from kinds.chroot import Debian, mirror

STANZAS = """\
Types: deb
# an older form of it
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main

Types: deb
URIs: http://mirror.example/security
Suites: bookworm-security
"""


def test_both_forms_of_sources_are_understood():
    assert mirror(STANZAS) == "http://mirror.example/debian"
    line = "deb [signed-by=/k] http://other.example/debian bookworm main\n"
    assert (
        mirror(f"# nothing\ndeb http://x.example/s bookworm-security main\n{line}")
        == "http://other.example/debian"
    )
    with pytest.raises(Failure, match="does not know bookworm"):
        mirror("deb http://x.example/ubuntu noble main\n")


def test_a_file_that_stays_is_named_but_for_the_systems_own_books(tmp_path: Path):
    for name in ("usr/bin", "var/log", "home/trial"):
        (tmp_path / name).mkdir(parents=True)
    system = Debian(tmp_path)
    before = system.files()
    (tmp_path / "var/log/dpkg.log").touch()
    (tmp_path / "home/trial/chats").touch()
    system.require_same(before)
    (tmp_path / "usr/bin/workbench").touch()
    with pytest.raises(Failure, match=r"Left behind: .*usr/bin/workbench"):
        system.require_same(before)
