"""The tool grep."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.workspaces import Called, fill


@pytest.fixture
def tools(tmp_path: Path) -> Called:
    return Called(
        fill(
            tmp_path,
            {
                "src/main.py": "import os\n\ndef total_budget(x):\n    return x\n",
                "src/other.py": "# Budget of tokens\nbudget = 1  # total\n",
                "notes.md": "(a.b)\n",
                ".git/config": "budget",
                "picture.png": b"\x89PNG\0budget",
            },
        )
    )


def test_plain_text_is_found_with_its_place(tools: Called):
    assert tools.text("grep", pattern="budget") == (
        "src/main.py:3: def total_budget(x):\nsrc/other.py:2: budget = 1  # total\n"
        "Not searched: .git/ (hidden), picture.png (not text)"
    )
    assert tools.text("grep", pattern="(a.b)", path="notes.md") == "notes.md:1: (a.b)"


def test_words_stand_in_any_order(tools: Called):
    found = tools.text("grep", pattern="TOTAL budget", words=True, ignore_case=True, path="src")
    assert found == "src/main.py:3: def total_budget(x):\nsrc/other.py:2: budget = 1  # total"


def test_an_expression_is_matched_on_request(tools: Called):
    assert tools.text("grep", pattern=r"^(def|import)\b", regex=True, glob="*.py", path="src") == (
        "src/main.py:1: import os\nsrc/main.py:3: def total_budget(x):"
    )
    assert tools.text("grep", pattern="B.dget", regex=True, path="src").startswith("src/other.py:1: # Budget")


def test_nothing_found_says_where_was_looked(tools: Called):
    assert tools.text("grep", pattern="zzz", path="src") == "No line matches in 2 files."


def test_much_found_is_capped_with_a_count(tmp_path: Path):
    tools = Called(fill(tmp_path, {"a": "x\n" * 150, "b": "x" * 1000}))
    lines = tools.text("grep", pattern="x").splitlines()
    assert (len(lines), lines[-1]) == (
        101, "… 51 more matching lines; narrow the search with path, glob or a longer pattern"
    )  # fmt: skip
    assert len(tools.text("grep", pattern="x", path="b")) < 300


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"pattern": " "}, "empty"),
        ({"pattern": "a\nb"}, "several lines"),
        ({"pattern": "a", "regex": True, "words": True}, "not both"),
        ({"pattern": "x" * 2000}, "too long"),
        ({"pattern": "x", "glob": "*" * 300}, "too long"),
        ({"pattern": "(", "regex": True}, "not a regular expression"),
        ({"pattern": "x", "path": "../.."}, ".."),
    ],
)
def test_what_cannot_be_searched_is_refused(tools: Called, arguments: dict[str, str], words: str):
    assert words in tools.refusal("grep", **arguments)


def test_it_is_a_search(tools: Called):
    assert tools.tool("grep").searches
    assert tools.preview("grep", pattern="a\tb").summary == 'Search . for "a\\u0009b"'
