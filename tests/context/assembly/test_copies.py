"""Which copy of an attached text counts in a request that carries several."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.turns import build, segment, user, wire
from workbench.context.assembly.references import copies_in, held_copies, is_artifact, order_in
from workbench.domain.envelope import Envelope
from workbench.domain.segment import Segment


def copy(key: str, sent_in: int, form: str = "full") -> Segment:
    return segment(
        key, f"{key} in turn {sent_in}", layer="L2_PREVIOUS", kind="file", form=form, sent_in=sent_in
    )


def log(*copies: Segment) -> Envelope:
    """A request with copies in their order, each in a message of its own, and words between them."""
    sent = [
        message
        for place, one in enumerate(copies)
        for message in (wire(f"m{place}", "user", one), wire(f"a{place}", "assistant", "said"))
    ]
    return replace(build(question=user("q")).envelope, messages=tuple(sent))


def test_the_newest_copy_counts():
    found = copies_in(log(copy("a.md", 1), copy("b.md", 2), copy("a.md", 3)))
    assert {key: one.sent_in for key, one in found.items()} == {"a.md": 3, "b.md": 2}


def test_changes_are_whole_where_what_they_change_is():
    whole = copies_in(log(copy("a.md", 1), copy("a.md", 2, "changes")))
    short = copies_in(log(copy("a.md", 1, "compacted"), copy("a.md", 2, "changes")))
    assert (whole["a.md"].whole, short["a.md"].whole) == (True, False)


def test_a_reference_is_no_copy():
    request = log(copy("a.md", 1), copy("b.md", 2, "reference"))
    assert [one.id for one in held_copies(request)] == ["a.md"]


def test_what_changed_last_stands_last():
    order = order_in(log(copy("a.md", 1), copy("b.md", 1), copy("a.md", 2)))
    assert sorted(order, key=order.__getitem__) == ["b.md", "a.md"]


def test_what_was_said_is_no_artifact():
    assert [is_artifact(one) for one in (copy("a.md", 1), segment("m"))] == [True, False]
