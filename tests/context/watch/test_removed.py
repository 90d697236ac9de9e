"""What a compaction removed can be attached again."""

from __future__ import annotations

from tests.context.watch.test_anthropic import pieces_of
from tests.fakes.passing import call, messages, result, said
from workbench.context.watch.conversations import removed_text

SUMMARY = said("user", "This session is being continued from a previous conversation. It was about a.py.")
TALK = (
    said("user", "What does a.py do?"),
    said("assistant", {"type": "thinking", "thinking": "Read it."}, call("Read", "t1", path="a.py")),
    said("user", result("t1", "pass")),
    said("assistant", "It passes."),
)
BEFORE = pieces_of(messages(*TALK, system="Be kind."))


def test_what_is_gone_is_told_by_whom():
    after = pieces_of(messages(SUMMARY, said("user", "And now?"), system="Be brief."))

    assert removed_text(BEFORE, after) == (
        'User:\nWhat does a.py do?\n\nAssistant, thinking:\nRead it.\n\nCall of Read:\n{"path":"a.py"}\n\n'
        "Result of Read:\npass\n\nAssistant:\nIt passes."
    )


def test_what_was_kept_is_not_gone():
    after = pieces_of(messages(SUMMARY, TALK[3], said("user", "And now?")))

    assert "It passes." not in removed_text(BEFORE, after)


def test_a_second_compaction_removes_the_first_summary_too():
    again = said("user", "This session is being continued from a previous conversation. It was about b.py.")
    once, twice = (pieces_of(messages(one, said("user", "Two?"))) for one in (SUMMARY, again))

    assert removed_text(once, twice) == (
        "Context:\nThis session is being continued from a previous conversation. It was about a.py."
    )


def test_without_a_new_summary_nothing_was_compacted():
    once = pieces_of(messages(SUMMARY, said("user", "One?")))

    assert removed_text(BEFORE, pieces_of(messages(said("user", "Something else.")))) == ""
    assert removed_text(once, pieces_of(messages(SUMMARY, said("user", "Two?")))) == ""
