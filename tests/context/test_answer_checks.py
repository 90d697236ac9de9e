"""Checks of answers."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from workbench.context.answer_checks import holds, refuse_unusable, search_here, shared_words, word_overlap
from workbench.domain.errors import InvalidInput
from workbench.domain.experiment import Cell, Check, parse_check

NAMED = '{"type": "object", "required": ["line"], "properties": {"line": {"type": "integer"}}}'


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (parse_check("contains:line 131"), "See line 131.", "See line 13."),
        (parse_check("lacks:sorry"), "Yes.", "I am sorry."),
        (parse_check(r"matches:^\d+ ms$"), "12 ms", "about 12 ms"),
        (parse_check("json"), '{"a": 1}', "{a: 1}"),
        (parse_check("json"), '```json\n{"a": 1}\n```', "```\na\n```"),
        (Check("schema", NAMED), '{"line": 131}', '{"line": "131"}'),
        (Check("schema", NAMED), '```\n{"line": 1}\n```', "null"),
    ],
)
def test_a_check_holds_or_not(check: Check, good: str, bad: str):
    assert (holds(check, good, search_here), holds(check, bad, search_here)) == (True, False)


@pytest.mark.parametrize(
    ("schema", "rounds"),
    [
        ({"items": {"pattern": "^a"}}, 1),
        ({"items": {"anyOf": [{"pattern": "^b"}, {"pattern": "^a"}]}}, 2),
        ({"items": {"not": {"pattern": "^b"}}}, 4),
        ({"items": {"oneOf": [{"pattern": "a"}, {"pattern": "b"}]}}, 4),
    ],
)
def test_patterns_of_a_schema_are_looked_for_together(schema: object, rounds: int):
    """Each look starts a process; a list of a thousand items must not start a thousand."""
    looks: list[int] = []

    def matches(pairs: Sequence[tuple[str, str]]) -> Sequence[bool]:
        looks.append(len(pairs))
        return search_here(pairs)

    check = Check("schema", json.dumps(schema))
    assert holds(check, '["a1", "a2", "a3", "a1"]', matches)
    assert len(looks) <= rounds
    assert not holds(check, '["a1", "c2", "b3"]', search_here) or "oneOf" in str(schema)


def test_what_a_model_judges_is_left_to_it():
    assert holds(parse_check("judged:It is polite."), "Go away.", search_here) is None


def test_a_schema_that_cannot_be_checked_is_refused_before_anything_is_asked():
    with pytest.raises(InvalidInput, match="not checked here"):
        refuse_unusable(Check("schema", '{"contains": {}}'))
    refuse_unusable(Check("contains", "x"))


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [("a b c", "A, b, d", 2 / 3), ("", "", 1.0), ("a", "", 0.0), ("a a", "a", 2 / 3)],
)
def test_answers_are_alike_by_the_words_they_share(one: str, other: str, share: float):
    assert word_overlap(one, other) == pytest.approx(share)
    assert word_overlap(other, one) == pytest.approx(share)


def test_repeats_share_words_on_the_average_of_their_pairs():
    cells = [Cell("A", "m", at, "complete", text) for at, text in enumerate(("a b", "a b", "a c"), 1)]
    assert shared_words(cells) == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert shared_words([*cells[:1], Cell("A", "m", 2)]) is None


def test_a_file_that_is_no_schema_is_named():
    with pytest.raises(InvalidInput, match=r"notes\.md: not JSON"):
        refuse_unusable(Check("schema", "# Notes", "notes.md"))
