"""packaging/strings.py: every kind of place where a string is shown, and no other."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import strings
from strings import ROOT, Shown

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


# Errors and notices that people read: their words are a sentence that can be translated, never a bare one.
SAID = (
    "WorkbenchError",
    "InvalidInput",
    "NoticeGiven",
    "NotSent",
    "Failure",
    "Unreadable",
    "NotFetched",
    "Why",
)


def test_what_people_are_told_can_be_translated():
    bare = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {words}"
        for path in sorted((ROOT / "workbench").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in SAID
        for given in (*node.args, *(keyword.value for keyword in node.keywords))
        for words in bare_words(given)
    ]
    assert bare == []


def bare_words(given: ast.expr) -> list[str]:
    """Words in English that are given as they are; a name of a setting or kind is one word."""
    if isinstance(given, ast.IfExp):
        return [*bare_words(given.body), *bare_words(given.orelse)]
    parts = given.values if isinstance(given, ast.JoinedStr) else [given]
    text = " ".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
    is_text = isinstance(given, ast.JoinedStr) or (
        isinstance(given, ast.Constant) and isinstance(given.value, str)
    )
    return [text] if is_text and len(re.findall(r"(?:^| )[A-Za-z]?[a-z]+\b(?![.\[])", text)) > 2 else []


def test_a_bare_sentence_is_noticed():
    found = ast.parse(
        'WorkbenchError("It did not go.", tr("It did not go."), "store", f"{a} did not go so.")'
    ).body[0]
    assert isinstance(found, ast.Expr)
    assert isinstance(found.value, ast.Call)
    assert [one for given in found.value.args for one in bare_words(given)] == [
        "It did not go.",
        "{}  did not go so.",
    ]
