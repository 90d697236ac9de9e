"""What a search found, by chat."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.record import Hit
from workbench.ui.chats.found_lines import BEFORE, FoundHead, FoundLine, found_lines, near_match

WHEN = "2026-11-12T12:00:00Z"


def hit(chat: str, where: str = "message", subject: str = "m1", snippet: str = "the token") -> Hit:
    return Hit(chat, f"Title of {chat}", where, subject, snippet, ((4, 9),), WHEN)  # type: ignore[arg-type]


def test_hits_stand_below_their_chat_in_the_order_of_the_best():
    lines = found_lines([hit("b"), hit("a"), hit("b", subject="m2")])
    assert [line.chat for line in lines] == ["b", "b", "b", "a", "a"]
    assert lines[0] == FoundHead("chat:b", "b", "Title of b", 2)


def test_a_hit_leads_to_its_message_or_attachment_with_its_words():
    lines = found_lines([hit("a"), hit("a", "title", "a"), hit("a", "attachment", "docs/api.md")])
    found = [line for line in lines if isinstance(line, FoundLine)]
    assert [line.subject for line in found] == ["m1", "", "docs/api.md"]
    assert {line.words for line in found} == {("token",)}


def test_ids_are_unique_even_where_hits_are_alike():
    lines = found_lines([hit("a"), hit("a"), hit("b")])
    assert len({line.id for line in lines}) == len(lines)


def test_a_match_far_behind_is_brought_to_the_front():
    """In a narrow list it would else be below the two lines that are shown."""
    text = "word " * 30 + "token and more"
    snippet, marks = near_match(text, ((150, 155),))
    assert snippet.startswith("…word ")
    assert [snippet[low:high] for low, high in marks] == ["token"]
    assert marks[0][0] <= BEFORE + 1


def test_without_a_space_the_cut_is_in_the_word():
    snippet, marks = near_match("x" * 60 + "token", ((60, 65),))
    assert snippet == "…" + "x" * BEFORE + "token"
    assert marks == ((BEFORE + 1, BEFORE + 6),)


def test_a_match_that_can_be_seen_moves_nothing():
    text = "x" * BEFORE + "token"
    assert near_match(text, ((BEFORE, BEFORE + 5),)) == (text, ((BEFORE, BEFORE + 5),))


def test_a_near_match_stays_where_it_is():
    assert near_match("the token", ((4, 9),)) == ("the token", ((4, 9),))


def test_marks_that_are_none_are_left_out():
    assert near_match("abc", ((-1, 2), (2, 2), (1, 9))) == ("abc", ())


@given(st.text(max_size=80), st.integers(0, 80), st.integers(1, 9))
def test_what_is_marked_is_the_same_text_as_before(text: str, start: int, length: int):
    start = min(start, len(text))
    end = min(start + length, len(text))
    snippet, marks = near_match(text, ((start, end),))
    assert [snippet[low:high] for low, high in marks] == ([text[start:end]] if end > start else [])


def test_marks_of_turned_text_lie_on_the_same_characters():
    """A character that is written out would move every mark behind it."""
    line = found_lines([hit("a", snippet="a\u202eb token")])[1]
    assert isinstance(line, FoundLine)
    assert "\u202e" not in line.snippet
    assert len(line.snippet) == len("a.b token")
