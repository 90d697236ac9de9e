"""The README names the two commands that everything begins with, and nothing that does not exist."""

from __future__ import annotations

import re
import tomllib

import dev
from tests.architecture.source_tree import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    python3 packaging/dev\.py (.+)$", README, re.MULTILINE)
NAMED = re.findall(r"`python3 packaging/dev\.py ([a-z]+)", README)


def test_the_two_commands_are_those_that_begin_everything():
    assert COMMANDS == ["run", "test"]
    assert {*COMMANDS, *NAMED} <= set(dev.COMMANDS)


def test_the_versions_of_python_are_those_that_are_taken():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    least, beyond = re.findall(r"3\.(\d+)", project["requires-python"])
    said = [int(minor) for minor in re.findall(r"3\.(\d+)", README.partition("python3")[0])]
    assert said == list(range(int(least), int(beyond)))


def test_it_has_no_figure():
    """A figure in it would need the command that measures it; versions, steps, keys and exit codes are none."""
    words = re.sub(
        r"```.*?```|`[^`]*`|\]\([^)]*\)|^### \d|^    [^\n]*$|F1", "", README, flags=re.DOTALL | re.MULTILINE
    )
    for other in ("3.11, 3.12 or 3.13", "0 done, 1 failed, 2 wrong usage, 130 stopped"):
        words = words.replace(other, "")
    assert re.findall(r"\S*\d\S*", words) == []
