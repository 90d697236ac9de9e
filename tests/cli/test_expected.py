"""Differences from what was expected, in words."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.cli.expected import EXPECTED_FORMAT, Case, check, check_options, differences, junit
from workbench.domain.errors import InvalidInput

FACTS = {
    "tokens": 100, "fits": True, "layers": {"L1_SYSTEM": 40, "L2_PREVIOUS": 60}, "prefix": "aa",
    "segments": {"L1_SYSTEM/persona": [40, "x"], "L2_PREVIOUS/a.md": [60, "y"]}, "dropped": [], "shortened": [],
    "trimmed": [], "cached": 96,
}  # fmt: skip


def test_what_is_as_expected_says_nothing():
    assert differences(FACTS, Case("turn 1", FACTS)) == []


def test_every_difference_has_its_reason():
    now = {
        **FACTS, "tokens": 90, "layers": {"L1_SYSTEM": 40, "L2_PREVIOUS": 50}, "prefix": "bb", "fits": False,
        "segments": {"L1_SYSTEM/persona": [40, "x"], "L2_PREVIOUS/a.md": [50, "z"]}, "dropped": ["b.md"],
        "cached": None,
    }  # fmt: skip
    assert differences(FACTS, Case("turn 1", now)) == [
        "90 tokens, expected 100 (-10)",
        "no longer fits the window",
        "50 Library tokens, expected 60 (-10)",
        "Library, a.md changed, 60 → 50 tokens",
        "b.md is dropped now",
        "cached tokens: unknown, expected 96",
        "the cacheable start has other bytes",
    ]


def test_many_segments_are_counted_not_listed():
    many = {**FACTS, "segments": {f"L4_STRIP/m{number}": [1, "a"] for number in range(40)}}
    lines = differences(FACTS, Case("turn 1", many))
    assert lines[-1] == "34 more segments differ"


@given(st.dictionaries(st.text(max_size=20), st.lists(st.text(max_size=20), max_size=2), max_size=4))
def test_any_text_is_xml(found: dict[str, list[str]]):
    suite = ElementTree.fromstring(junit("a & <b>", found))
    assert suite.attrib["tests"] == str(len(found))
    assert len(suite.findall("testcase/failure")) == sum(map(bool, found.values()))


def checked(file: Path, *unbuilt: tuple[str, str], update: bool = False) -> int:
    arguments = argparse.Namespace(check=str(file), update=update, junit=None)
    return check([Case("turn 1", FACTS)], arguments, "talk", unbuilt)


@pytest.mark.parametrize(
    "facts",
    [{"segments": {"L1_SYSTEM/x": 7}}, {"segments": {"a": ["x", "y"]}}, {"dropped": 3}, {"trimmed": "ab"}],
)
def test_figures_of_another_form_are_refused(tmp_path: Path, facts: dict[str, Any]):
    """A file that somebody wrote by hand ended the program."""
    file = tmp_path / "expected.json"
    file.write_text(json.dumps({"format": EXPECTED_FORMAT, "cases": [{**FACTS, "name": "turn 1", **facts}]}))
    with pytest.raises(InvalidInput, match="'turn 1' have another form; --update"):
        checked(file)


def test_a_file_that_is_not_json_is_named(tmp_path: Path):
    file = tmp_path / "notes.md"
    file.write_text("# Notes")
    with pytest.raises(InvalidInput, match=r"notes\.md: line 1 column 1: not valid JSON"):
        checked(file)


def test_what_could_not_be_built_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "expected.json"
    cases = [{**FACTS, "name": "turn 1"}, {**FACTS, "name": "Gone"}]
    file.write_text(json.dumps({"format": EXPECTED_FORMAT, "cases": cases}))
    assert checked(file, ("Gone", "a.md: not attached")) == 1
    assert capsys.readouterr().err.startswith(
        "Gone: could not be built: a.md: not attached\n1 of 2 as expected"
    )


@pytest.mark.parametrize("text", ["# Notes", "[1]", '{"name": "a package"}'])
def test_a_file_of_another_kind_is_not_written_over(tmp_path: Path, text: str):
    """A wrong name after --check was the end of that file."""
    file = tmp_path / "notes"
    file.write_text(text)
    with pytest.raises(InvalidInput, match="it stays as it is"):
        checked(file, update=True)
    assert file.read_text() == text


@pytest.mark.parametrize("text", ["", '{"format": "workbench-expected/1"}', '{"turns": []}'])
def test_figures_are_written_into_their_own_file_or_beside_the_turns(tmp_path: Path, text: str):
    file = tmp_path / "case.json"
    file.write_text(text)
    assert checked(file, update=True) == 0
    assert ("turns" in json.loads(file.read_text())) == ("turns" in text)
    assert checked(file) == 0


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"check": None, "junit": "x.xml"}, "needs --check"),
        ({"check": "", "junit": None}, "--check: names no file"),
        ({"junit": ""}, "--junit: names no file"),
        ({"junit": "./a.json"}, "is read, too"),
        ({"junit": "talk.json"}, "is read, too"),
        ({"junit": "x.xml", "update": True}, "--update checks nothing"),
    ],
)
def test_options_that_would_lose_something_are_refused(options: dict[str, Any], why: str):
    """`--junit` with the name of the case wrote over it."""
    given = argparse.Namespace(**{"check": "a.json", "update": False, "junit": "x.xml", **options})
    with pytest.raises(InvalidInput, match=why):
        check_options(given, "talk.json")


def test_the_figures_of_a_comparison_are_not_written_among_turns(tmp_path: Path):
    """They took the place of the figures that replay expects."""
    file = tmp_path / "case.json"
    file.write_text('{"turns": [], "expected": {}}')
    with pytest.raises(InvalidInput, match="holds turns for replay, and stays as it is"):
        check(
            [Case("A", {"tokens": 1})],
            argparse.Namespace(check=str(file), update=True, junit=None),
            "compare talk",
        )
    assert file.read_text() == '{"turns": [], "expected": {}}'


def test_a_result_that_cannot_be_written_is_told_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "expected.json"
    checked(file, update=True)
    wanted = argparse.Namespace(check=str(file), update=False, junit=str(tmp_path / "no" / "x.xml"))
    with pytest.raises(InvalidInput, match=r"x\.xml: No such file"):
        check([Case("turn 1", FACTS)], wanted, "talk")
    assert "1 of 1 as expected" in capsys.readouterr().err
