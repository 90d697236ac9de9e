"""Every byte of a message belongs to a segment, and the bytes are those that are sent."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings

from tests.fakes.effort import tries
from tests.fakes.turns import artifact, assistant, build, result, shelved, user
from tests.trajectories.prepared_turns import prepared_turns
from tests.trajectories.strategies import trajectories
from tests.trajectories.support import Json
from workbench.context.outgoing import payload_messages, request_messages
from workbench.domain.change import Built
from workbench.domain.message import Image
from workbench.domain.request import PayloadMessage
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.tool import ToolDefinition

SETTINGS = ContextSettings(model="word-1", system_prompt="Be brief.")


def text_of(message: PayloadMessage) -> str:
    return "".join(piece.text for piece in message.pieces)


def agree(built: Built) -> None:
    shown, sent = payload_messages(built), request_messages(built)
    assert [(message.role, text_of(message)) for message in shown] == [(m.role, m.text) for m in sent]
    assert [message.calls for message in shown] == [tuple(c.name for c in m.tool_calls) for m in sent]
    tools = sum(
        tokens
        for layer in built.envelope.layers
        for segment, tokens in zip(layer.segments, layer.tokens, strict=True)
        if segment.kind == "tool" and segment.layer == "L1_SYSTEM"
    )
    assert sum(message.tokens for message in shown) + tools == built.envelope.total_tokens


def test_headings_and_labels_belong_to_the_segment_they_lead():
    built = build(
        SETTINGS,
        library=(shelved(artifact("a.md", "Alpha.")),),
        attached=(artifact("b.md", "Beta."),),
        question=user("q", "Why?"),
    )
    system, asked = payload_messages(built)
    assert [(piece.layer, piece.id) for piece in system.pieces] == [
        ("L1_SYSTEM", "system"), ("L2_PREVIOUS", "a.md"),
    ]  # fmt: skip
    assert system.pieces[1].text.startswith("\n\nContext library")
    assert [(piece.layer, piece.id) for piece in asked.pieces] == [("L3_TURN", "b.md"), ("L5_USER", "q")]
    assert asked.pieces[1].text == "[User query]:\nWhy?"
    agree(built)


def test_results_of_tools_are_a_message_each_and_calls_are_named():
    said = (assistant("a1", "", "c1", "c2"), result("r1", "c1", "one"), result("r2", "c2", "two"))
    built = build(replace(SETTINGS, tools=(ToolDefinition("read"),)), question=user("q"), rounds=said)
    *_, calls, first, second = payload_messages(built)
    assert (calls.calls, text_of(calls)) == (("read", "read"), "")
    assert [(m.role, text_of(m), m.pieces[0].id) for m in (first, second)] == [
        ("tool", "one", "r1"), ("tool", "two", "r2"),
    ]  # fmt: skip
    agree(built)


def test_pictures_are_counted():
    built = build(question=replace(user("q"), images=(Image("d", 3), Image("e", 4))))
    assert payload_messages(built)[-1].pictures == 2


@settings(max_examples=tries(150))
@given(trajectories())
def test_whatever_is_sent_its_pieces_joined_are_its_bytes(document: Json):
    """A gap would leave bytes that nobody owns; an overlap would show a segment's text twice."""
    for prepared in prepared_turns(document):
        agree(prepared.built)
