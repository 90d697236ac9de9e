"""Stretches of a written text in what is shown of it."""

from __future__ import annotations

from workbench.ui.chat.text.selection import Mark, marks_in

SOURCE = "Take **the lock**, then\n\n```python\nself._lock\n```\n\nand the *lock* again."
SHOWN = ["Take the lock, then", "self._lock", "and the lock again."]


def marked(start: str, end: str, after: int = 0) -> list[list[str]]:
    first = SOURCE.index(start, after)
    mark = Mark(first, SOURCE.index(end, first) + len(end), True)
    found = marks_in(SOURCE, SHOWN, [mark])
    return [[text[one.start : one.end] for one in own] for text, own in zip(SHOWN, found, strict=True)]


def test_the_place_that_is_meant_is_marked_not_the_same_words_elsewhere():
    assert marked("lock", "lock") == [["lock"], [], []]
    assert marked("lock*", "lock") == [["lock"], [], []]
    assert marked("lock", "lock", SOURCE.index("and")) == [[], [], ["lock"]]


def test_a_stretch_over_marks_and_blocks_is_one_mark_in_each():
    assert marked("the lock", "self") == [["the lock, then"], ["self"], []]


def test_a_part_of_a_word_marks_the_word_and_strength_stays():
    found = marks_in("renewal", ["renewal"], [Mark(0, 3, True)])
    assert found == [[Mark(0, 7, True)]]


def test_what_is_not_in_the_text_is_passed_over():
    assert marks_in("one two", ["• one", "two"], [Mark(4, 7)]) == [[], [Mark(0, 3)]]
