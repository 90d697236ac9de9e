"""Which name is being typed, and whether something fits into the next request."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.sample_envelope import sample_view
from workbench.domain.shown.completion_view import Offer, TypedName, Verdict, typed_name, verdict_on


@pytest.mark.parametrize(
    ("before", "begun"),
    [
        ("@", TypedName(0, "")),
        ("see @no", TypedName(4, "no")),
        ("first\n@src/a.py#Cl", TypedName(6, "src/a.py#Cl")),
        ('@"my no', TypedName(0, "my no")),
        ('@"', TypedName(0, "")),
        ('@"my notes.md"#p', TypedName(0, "my notes.md#p")),
        ('@"my notes.md"', None),
        ("me@example", None),
        ("@a b", None),
        ("@@", None),
        ("(@a", None),
        ("", None),
        ("@" + "x" * 5_000, None),
    ],
)
def test_the_name_at_the_cursor(before: str, begun: TypedName | None):
    assert typed_name(before) == begun


@given(st.text(max_size=200))
def test_whatever_is_written_the_name_stands_at_its_end(before: str):
    found = typed_name(before)
    assert found is None or (before[found.start] == "@" and "\n" not in before[found.start :])


def test_a_verdict_is_about_the_request_as_it_stands():
    view = replace(sample_view(), total_tokens=900, limit_tokens=1_000, threshold_tokens=950)
    offer = Offer("file", "a", "@a", "a", tokens=40, added_tokens=40)
    assert verdict_on(offer, view) == Verdict()
    assert verdict_on(replace(offer, added_tokens=50), view) == Verdict()
    assert verdict_on(replace(offer, added_tokens=51), view) == Verdict("past_trim", 1)
    assert verdict_on(replace(offer, added_tokens=100, in_part=True), view) == Verdict("past_trim", 50, True)
    assert verdict_on(replace(offer, added_tokens=101), view) == Verdict("over", 1)
    assert verdict_on(replace(offer, attached=True), view) == Verdict("attached")
    assert verdict_on(replace(offer, problem="gone"), view) == Verdict("problem")
    assert verdict_on(replace(offer, added_tokens=None), view) == Verdict()
