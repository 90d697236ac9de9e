"""What an attachment costs by itself, and what the first one costs more."""

from __future__ import annotations

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.turns import fake_builder
from workbench.context.assembly.render import artifact_segment, question_segments
from workbench.context.request_cost import attached_tokens, first_place_tokens, opening_tokens
from workbench.domain.envelope import WireMessage
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Message
from workbench.domain.segment import Segment

COUNTER = fake_builder(WORD_MODEL).counters.counter("exact", WORD_MODEL)
NOTES, MORE = Artifact("notes.md", "file", "one two three\n"), Artifact("more.md", "file", "four five\n")


def total(*segments: Segment) -> int:
    return COUNTER.total(sum(COUNTER.costs(WireMessage("m", "user", segments)))) if segments else 0


def asked(something_before: bool) -> tuple[Segment, ...]:
    return question_segments(Message("q", "user", ("What says it?",)), None, something_before)


def test_what_is_told_is_what_a_message_costs_more():
    notes, more = artifact_segment(NOTES), artifact_segment(MORE)
    alone = attached_tokens(NOTES, COUNTER)
    assert total(more, notes, *asked(True)) - total(more, *asked(True)) == alone
    assert total(notes, *asked(True)) - total(*asked(False)) == alone + opening_tokens(
        "What says it?", COUNTER
    )
    assert total(notes) == alone + opening_tokens("", COUNTER)
    assert total(notes) == alone + first_place_tokens(COUNTER)
