"""What was read before is found again, and nothing else is taken for it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.passing import call, messages, passed, result, said
from workbench.context.watch.prefix import ReadBefore
from workbench.context.watch.reading import ReadRequests, body_of, read_request
from workbench.domain.watch.request import WatchedRequest


def read(known: ReadRequests | None, *talk: dict[str, Any]) -> WatchedRequest:
    exchange = passed(1, "anthropic", messages(*talk))
    return read_request(exchange, body_of(exchange), known)


def test_pieces_that_come_again_are_the_same_objects():
    known, talk = ReadRequests(), [said("user", "Why?"), said("assistant", call("Read", "c", path="a"))]
    first = read(known, *talk)
    second = read(known, *talk, said("user", result("c", "Words.")))

    assert second.pieces[1] is first.pieces[1]
    assert second.pieces[-1].name == "Read"


ASKED = said("user", "Why?")
OTHERS = [
    (said("assistant", call("Read", "c", a=1, b=2)), said("assistant", call("Read", "c", b=2, a=1))),
    (said("assistant", call("Read", "c", a=1)), said("assistant", call("Read", "c", a=True))),
    (said("assistant", call("Read", "c", a=1)), said("assistant", call("Read", "c", a=1.0))),
    (said("assistant", call("Read", "c")), said("assistant", call("Write", "c"))),
    (said("user", "x"), said("assistant", "x")),
]


@pytest.mark.parametrize(("was", "now"), OTHERS)
def test_a_message_that_is_equal_but_not_the_same_is_read_anew(was: dict[str, Any], now: dict[str, Any]):
    """Some programs write the fields of a call in another order each time: that breaks a cache, and is to be seen."""
    known, end = ReadRequests(), said("user", result("c", "Words."))
    read(known, ASKED, was, end)

    assert read(known, ASKED, now, end) == read(None, ASKED, now, end)
    assert read(known, ASKED, end) == read(None, ASKED, end)
    assert read(known, ASKED, was, end) == read(None, ASKED, was, end)


def test_so_many_conversations_may_take_turns_and_no_more():
    known: ReadBefore[str] = ReadBefore()
    for n in range(9):
        known.begun([f"{n}"]).add(f"{n}", [f"found {n}"], [])

    assert known.begun(["8", "more"]).found == ["found 8"]
    assert known.begun(["0", "more"]).found == []


def test_what_is_nested_too_deeply_to_compare_is_read_anew():
    known: ReadBefore[str] = ReadBefore()
    known.begun([deep()]).add(deep(), ["found"], ["text"])

    assert known.begun([deep()]).found == []


def deep() -> object:
    value: list[object] = []
    for _ in range(5000):
        value = [value]
    return value
