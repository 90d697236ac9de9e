"""Differences from what was expected, in words."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from workbench.cli.expected import Case, differences, junit

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
