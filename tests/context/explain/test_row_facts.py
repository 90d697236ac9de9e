"""What is around a request: its artifacts, the messages before, and when something was attached first."""

from __future__ import annotations

from tests.fakes.turns import artifact, assistant, build, shelved, user, word_counter
from tests.fakes.views import around
from workbench.context.explain.row_facts import RowFacts, messages_of, turns_of_attachments
from workbench.domain.message import Message
from workbench.domain.recall import Found
from workbench.domain.record import Record

WHEN = "2026-01-01T00:00:00Z"


def test_an_attached_artifact_stands_for_the_one_in_the_library():
    old, new, other = artifact("a", "old"), artifact("a", "new"), artifact("b")
    seen = around(build(library=(shelved(old), shelved(other)), attached=(new,)))
    assert dict(seen.artifacts) == {"a": new, "b": other}
    assert seen.attached == {"a": new}
    assert list(seen.artifacts) == ["a", "b"]


def test_the_messages_of_the_request_before_are_its_history():
    previous = build(history=(user("u"), assistant("a")), question=user("q"))
    assert messages_of(previous) == frozenset({"u", "a"})
    assert messages_of(None) is None


def asked(message: Message, *attached: str) -> Record:
    return Record("c", message, WHEN, attached=attached)


def test_something_was_attached_in_the_turn_of_the_first_question_that_had_it():
    records = [
        asked(user("u1"), "a"),
        asked(assistant("a1"), "not a question"),
        asked(user("u2"), "a", "b"),
        asked(user("u3"), "b", "c"),
    ]
    assert turns_of_attachments(records) == {"a": 1, "b": 2, "c": 3}


def test_what_only_had_room_kept_for_it_is_not_quoted():
    found = (Found("u", 2.0), Found("a", 1.0, reserved=True))
    built = build(history=(user("u"), assistant("a")), question=user("q"), found=found)
    assert list(RowFacts(built, word_counter()).found) == ["u"]
