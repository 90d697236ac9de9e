"""Equal bytes have equal digests, and any difference on the wire changes the digest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.turns import artifact, assistant, build, result, user
from workbench.context.explain.view import head_digest, layer_bytes_digest, request_digest
from workbench.domain.change import Built
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.tool import ToolDefinition
from workbench.domain.turn import Tuning

SETTINGS = ContextSettings(model="word-1", system_prompt="Be kind.")
SAID = (user("u"), assistant("a", "x", "c1"), result("r", "c1"), assistant("b"))


def request(settings: ContextSettings = SETTINGS, **changes: Any) -> Built:
    return build(
        settings, **{"history": SAID, "attached": (artifact("f"),), "question": user("q"), **changes}
    )


def test_the_same_request_has_the_same_digest():
    assert request_digest(request()) == request_digest(request())
    assert len(request_digest(request())) == 64


@pytest.mark.parametrize(
    "other",
    [
        request(question=user("q", "other")),
        request(replace(SETTINGS, system_prompt="Be brief.")),
        request(replace(SETTINGS, model="other-1")),
        request(replace(SETTINGS, reserved_output_tokens=7)),
        request(replace(SETTINGS, tools=(ToolDefinition("read"),))),
        request(attached=(artifact("f", "changed"),)),
        request(attached=()),
        request(history=SAID[:1]),
        request(history=(user("u"), assistant("a", "x", "c2"), result("r", "c2"), assistant("b"))),
        request(tuning=Tuning(excluded=frozenset({"b"}))),
        request(now="noon"),
    ],
)
def test_another_request_has_another(other: Built):
    assert request_digest(other) != request_digest(request())


def test_who_speaks_and_what_leads_a_text_are_part_of_it():
    layer = request().envelope.layer("L4_STRIP")
    first = layer.segments[0]
    for other in (replace(first, kind="assistant"), replace(first, lead="\n\n")):
        changed = replace(layer, segments=(other, *layer.segments[1:]))
        assert layer_bytes_digest(changed) != layer_bytes_digest(layer)


def test_what_is_not_sent_does_not_matter():
    capped = replace(SETTINGS, history=replace(SETTINGS.history, last_n_messages=0))
    assert request_digest(request(capped)) == request_digest(request(history=()))


def test_digests_of_layers_may_be_remembered():
    built = request()
    known = [layer_bytes_digest(layer) for layer in built.envelope.layers]
    assert request_digest(built, head_digest(built), known) == request_digest(built)
