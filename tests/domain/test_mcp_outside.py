"""Paths outside the folder: named where they are, and nothing inside is called outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from workbench.domain.mcp_server import paths_outside

HOME = "/home/ada/app"


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"path": "/etc/passwd"}, ("/etc/passwd",)),
        ({"path": "../other/key"}, ("../other/key",)),
        ({"path": "src/../../x"}, ("src/../../x",)),
        ({"path": "~/.ssh/id"}, ("~/.ssh/id",)),
        ({"path": "$HOME/.ssh"}, ("$HOME/.ssh",)),
        ({"path": "/home/ada/application"}, ("/home/ada/application",)),
        ({"uri": "file:///etc/hosts"}, ("file:///etc/hosts",)),
        ({"path": "C:\\Users\\ada"}, ("C:\\Users\\ada",)),
        ({"command": "cat /etc/passwd src/a.py"}, ("/etc/passwd",)),
        ({"edits": [{"file": "/tmp/a"}, {"file": "/tmp/a"}]}, ("/tmp/a",)),
    ],
)
def test_what_lies_outside_is_named(arguments: Mapping[str, Any], found: tuple[str, ...]):
    assert paths_outside(arguments, HOME) == found


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "src/a.py"},
        {"path": "/home/ada/app/src/a.py"},
        {"path": "src/../README.md"},
        {"path": HOME},
        {"path": "."},
        {"url": "https://example.org/etc/passwd"},
        {"content": "see /etc/passwd"},
        {"number": 3, "words": "and or $5"},
    ],
)
def test_what_lies_inside_or_is_no_path_is_not(arguments: Mapping[str, Any]):
    assert paths_outside(arguments, HOME) == ()


def test_a_drive_does_not_tell_upper_from_lower_case():
    assert paths_outside({"path": "c:/APP/a.txt"}, "C:\\App") == ()
    assert paths_outside({"path": "d:/App/a.txt"}, "C:\\App") == ("d:/App/a.txt",)


def test_without_a_folder_nothing_is_outside():
    assert paths_outside({"path": "/etc/passwd"}, "") == ()
