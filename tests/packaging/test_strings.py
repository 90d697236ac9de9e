"""packaging/strings.py: every kind of place where a string is shown, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest

import strings
from strings import Shown

CODE = """
WORDS = {"a": N_("In a table")}
title = tr("In a " "function").format(n="not shown")
counted(n, "wheel"); counted(n, "box", "boxes")
parser.add_argument("--flag", help="of an option" if x else f"{n} of another")
OPTIONS = {"--set": {"metavar": "KEY", "help": "in a dictionary"}}
Command("ask", "what a command does", load)
raise ValueError("an error")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "program"
    made.mkdir()
    (made / "a.py").write_text(CODE, encoding="utf-8")
    (made / "b.py").write_text("NOTHING = 'not shown'", encoding="utf-8")
    return made


def test_every_kind_of_string_is_found_with_its_line(folder: Path):
    assert strings.strings(folder) == [
        Shown("program/a.py", 2, "In a table"),
        Shown("program/a.py", 3, "In a function"),
        Shown("program/a.py", 4, "{number:,} box"),
        Shown("program/a.py", 4, "{number:,} boxes"),
        Shown("program/a.py", 4, "{number:,} wheel"),
        Shown("program/a.py", 4, "{number:,} wheels"),
        Shown("program/a.py", 5, " of another"),
        Shown("program/a.py", 5, "of an option"),
        Shown("program/a.py", 6, "in a dictionary"),
        Shown("program/a.py", 7, "what a command does"),
    ]


def test_the_table_has_one_line_for_each_string(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert strings.main(folder) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (len(lines), lines[0]) == (10, "program/a.py:2\t'In a table'")
