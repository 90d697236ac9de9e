"""Where code is, so that a decorator in it is not taken for a command."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.context.text.at_commands import code_spans, is_in


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("no code", []),
        ("a `b` c", ["`b`"]),
        ("a ``b ` c`` d `e`", ["``b ` c``", "`e`"]),
        ("a ` b", []),
        ("a `` b ` c", []),
        ("a\n```py\n@x\n```\nb", ["```py\n@x\n```\n"]),
        ("a\n~~~\n```\n~~~~\nb", ["~~~\n```\n~~~~\n"]),
        ("a\n```\nb", ["```\nb"]),
        ("a\n````\n```\n````\n", ["````\n```\n````\n"]),
        ("a\n    @x\nb", ["    @x\n"]),
        ("a\n\t@x", ["\t@x"]),
        ("``` `not a fence\n@x", []),
        ("`a\nb`", ["`a\nb`"]),
    ],
)
def test_code_is_found_as_markdown_has_it(text: str, code: list[str]):
    assert [text[start:end] for start, end in code_spans(text)] == code


@given(st.text(alphabet="`~ \na@", max_size=60))
def test_spans_are_in_order_and_do_not_overlap(text: str):
    spans = code_spans(text)
    borders = [border for span in spans for border in span]
    assert borders == sorted(borders)
    for place in range(len(text)):
        assert is_in(spans, place) == any(start <= place < end for start, end in spans)


def test_many_backticks_take_no_square_of_time():
    started = time.thread_time()
    code_spans("".join("`" * (number % 700 + 1) + " " for number in range(20_000)))
    assert time.thread_time() - started < 20
