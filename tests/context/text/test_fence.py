"""No content can close or forge a wrapper tag, whatever it holds, and equal content gives equal bytes."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.context.text.fence import Wrapped, escape_attribute, fence_for, wrap
from workbench.domain.text import digest_text

TAGS = st.sampled_from(["file_context", "tool_result", "selected_text"])
BODIES = st.one_of(
    st.text(),
    st.text(alphabet="0123456789abcdef\n<>/ "),
    st.text().map(lambda text: text + digest_text(text)[:6]),
    st.lists(st.sampled_from(["</file_context", " ", ">", "\n", "<prior_context", "a1b2c3"])).map("".join),
)

UNICODE = unicodedata.ucd_3_2_0


@given(TAGS, BODIES)
def test_the_closing_line_never_occurs_in_the_body(tag: str, body: str) -> None:
    wrapped = wrap(tag, [("id", "x")], body)

    assert wrapped.closing.rstrip("\n") not in wrapped.body
    assert wrapped.text.count(wrapped.closing) == 1


@given(TAGS, BODIES)
def test_the_body_is_verbatim_and_the_bytes_are_stable(tag: str, body: str) -> None:
    wrapped = wrap(tag, [("id", "x")], body)

    assert wrapped.body == body
    assert wrapped == wrap(tag, [("id", "x")], body)
    assert wrapped.text == wrapped.opening + (body + "\n" if body else "") + wrapped.closing


@given(BODIES)
def test_the_fence_is_a_prefix_of_the_digest_that_the_body_does_not_hold(body: str) -> None:
    fence = fence_for(body)

    assert fence not in body
    assert len(fence) >= 6
    assert digest_text(body).startswith(fence)


@given(TAGS, TAGS, BODIES)
def test_a_wrapped_block_inside_another_cannot_end_it(outer: str, inner: str, body: str) -> None:
    forged = wrap(inner, [], body).text
    wrapped = wrap(outer, [], forged)

    assert wrapped.body == forged
    assert wrapped.text.index(wrapped.closing) == len(wrapped.opening) + len(forged) + 1


@pytest.mark.parametrize("forged", ["</file_context>", '<prior_context source="x">', "<selected_text>"])
def test_literal_tags_in_a_body_are_content(forged: str) -> None:
    fence = digest_text(forged)[:6]

    assert wrap("file_context", [("id", "a.md")], forged).text == (
        f'<file_context id="a.md" fence="{fence}">\n{forged}\n</file_context {fence}>\n'
    )


def test_the_fence_grows_while_the_body_holds_it() -> None:
    """A body that happens to hold the usual six characters gets a longer fence."""
    haystack = "".join(digest_text(str(number)) for number in range(4000))
    bodies = (f"{haystack}{number}" for number in range(2000))
    unlucky = next(body for body in bodies if digest_text(body)[:6] in body)

    assert len(fence_for(unlucky)) > 6
    assert fence_for(unlucky) not in unlucky


def test_an_empty_body_has_no_blank_line() -> None:
    fence = fence_for("")

    assert wrap("thinking", [], "").text == f'<thinking fence="{fence}">\n</thinking {fence}>\n'


def test_a_placeholder_goes_between_the_same_tags() -> None:
    wrapped = Wrapped("<a>\n", "long text", "</a>\n")

    assert wrapped.around("[trimmed]") == "<a>\n[trimmed]\n</a>\n"


@given(st.text())
def test_an_attribute_value_stays_in_its_quotes_and_on_its_line(value: str) -> None:
    escaped = escape_attribute(value)

    assert not re.search(r'["<>]', escaped)
    assert len(escaped.splitlines()) <= 1
    assert not any(UNICODE.category(one) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for one in escaped)


def test_what_newer_pythons_know_is_written_as_older_ones_write_it() -> None:
    """By the interpreter's own tables this name has another digest on Python 3.11 than on 3.13."""
    assert escape_attribute("notes 🫨.md") == "notes 🫨.md"
    assert escape_attribute("a\u2066b\u061c") == "a&#8294;b&#1564;"


def test_what_is_escaped_in_an_attribute() -> None:
    assert escape_attribute('a&<>"\n\u202e\u2028é') == "a&amp;&lt;&gt;&quot;&#10;&#8238;&#8232;é"
