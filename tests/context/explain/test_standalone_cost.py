"""What an artifact is said to cost by itself is what it adds to a request."""

from __future__ import annotations

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.turns import fake_builder, user
from workbench.context.request_cost import attached_tokens
from workbench.domain.files.attachment import Artifact
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation


@pytest.mark.parametrize("text", ["", "one", "one two\n" * 40, "no end of line"])
def test_an_artifact_costs_alone_what_its_row_costs(text: str):
    builder = fake_builder(WORD_MODEL)
    first, second = Artifact("a.md", "file", "alpha beta\n"), Artifact("b.md#L1-2", "file", text)
    conversation = Conversation("talk", attached=(first, second))
    ask = Ask(ContextSettings(model=WORD_MODEL.name), user("q", "Why?"))
    built = prepare_turn(conversation, ask, builder).built
    layer = built.envelope.layer("L3_TURN")
    rows = {segment.id: tokens for segment, tokens in zip(layer.segments, layer.tokens, strict=True)}
    counter = builder.counters.counter("exact", WORD_MODEL)
    assert attached_tokens(second, counter) == rows["b.md#L1-2"]
