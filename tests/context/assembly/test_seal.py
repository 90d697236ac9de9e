"""The sealed envelope: five measured layers, every token attributed, every cut written down."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.fakes.turns import artifact, assistant, build, shelved, user, word_counter
from workbench.context.assembly.render import WIRE_ORDER
from workbench.context.assembly.seal import new_compactions
from workbench.domain.envelope import Envelope
from workbench.domain.message import Image, Message
from workbench.domain.settings.context_settings import CompactionSettings, ContextSettings
from workbench.domain.tool import ToolDefinition
from workbench.domain.turn import Tuning

LONG = "word " * 100
SETTINGS = ContextSettings(
    model="word-1",
    system_prompt="Be kind.",
    tools=(ToolDefinition("read"),),
    compaction=CompactionSettings(verbatim_chars=100, section_chars=10),
)


def full_request(**changes: Any) -> Envelope:
    given: dict[str, Any] = {
        "library": (shelved(artifact("old", LONG)),),
        "attached": (artifact("new"),),
        "history": (user("u"), assistant("a")),
        "question": user("q"),
        "now": "noon",
        **changes,
    }
    return build(SETTINGS, **given).envelope


def test_there_are_always_five_layers_in_wire_order():
    for envelope in (full_request(), build().envelope):
        assert tuple(layer.name for layer in envelope.layers) == WIRE_ORDER


def test_every_segment_stands_in_its_layer():
    found = {layer.name: [s.id for s in layer.segments] for layer in full_request().layers}
    assert found == {
        "L1_SYSTEM": ["tool:read", "system"],
        "L2_PREVIOUS": ["old"],
        "L4_STRIP": ["u", "a"],
        "L3_TURN": ["new"],
        "L5_USER": ["time", "q"],
    }


def test_segments_layers_and_total_sum():
    envelope, counter = full_request(), word_counter()
    tools = sum(counter.tool_tokens(tool) for tool in SETTINGS.tools)
    expected = counter.raw_cost(envelope.messages) + counter.reply_cost + tools
    assert envelope.total_tokens == sum(layer.total_tokens for layer in envelope.layers) == expected


def test_what_is_not_sent_stands_in_its_place_at_no_cost():
    envelope = full_request(tuning=Tuning(excluded=frozenset({"u"})))
    layer = envelope.layer("L4_STRIP")
    assert [(s.id, s.form) for s in layer.segments] == [("u", "excluded"), ("a", "full")]
    assert layer.tokens[0] == 0


def test_a_compaction_is_written_down_with_its_price_and_its_way_back():
    envelope = full_request()
    (found,) = envelope.cuts.compacted
    (tokens,) = envelope.layer("L2_PREVIOUS").tokens
    full = full_request(
        attached=(artifact("old", LONG), artifact("new")),
        library=(shelved(artifact("old", LONG), attached=True),),
    )
    assert (found.id, found.to_tokens, found.recover_with) == ("old", tokens, "read old")
    assert found.from_tokens == full.layer("L2_PREVIOUS").tokens[0]


def test_it_is_exact_only_where_the_framing_is_known():
    plain = ContextSettings(model="word-1", system_prompt="Be kind.")
    picture = Message("q", "user", ("look",), (Image("d", 85),))
    assert build(plain, question=user("q")).envelope.exact
    assert not build(plain, question=picture).envelope.exact
    assert not full_request().exact


def test_it_says_whose_it_is():
    envelope = build(SETTINGS, conversation="talk", turn=7).envelope
    assert (envelope.conversation, envelope.turn, envelope.model) == ("talk", 7, "word-1")


def test_what_a_log_s_newest_message_has_in_short_is_told_with_how_to_have_the_rest():
    one = artifact("a.md", "word " * 2_000, most_tokens=300)
    built = build(ContextSettings(model="word-1", context_window=9_000), attached=(one,), question=user("q"))
    turn = built.envelope.layer("L3_TURN")
    rows = list(zip(turn.segments, turn.tokens, strict=True))
    (told,) = new_compactions(rows, built.inputs, word_counter())
    assert (told.id, told.to_tokens, told.recover_with) == ("a.md", turn.tokens[0], "ask for a.md")
    assert told.from_tokens > 2_000
    assert new_compactions(rows, replace(built.inputs, attached=()), word_counter()) == ()
