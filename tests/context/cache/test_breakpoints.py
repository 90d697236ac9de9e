"""The places that a cache with marks could know are those of the request as it is written."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.turns import assistant, build, result, user
from workbench.context.build.outgoing import model_request
from workbench.context.cache.breakpoints import marked_places
from workbench.domain.change import Built
from workbench.domain.message import Image, Message
from workbench.domain.preferences import ContextSettings
from workbench.domain.request import Picture
from workbench.domain.tool import ToolDefinition
from workbench.providers.anthropic.messages import request_body
from workbench.providers.cache_rules import load_rules
from workbench.sources.resources import resource_path

RULES = load_rules(resource_path("cache-rules.toml")).by_id["anthropic"]
SEEN = Image("0" * 64, 5)
HISTORY = (
    user("u1", "Look."),
    assistant("s1", "I read it.", "call"),
    result("t1", "call", "Alpha."),
    assistant("s2", "So it is."),
    Message("u2", "user", ("And this?",), (SEEN,)),
    assistant("s3", "A dog."),
)
TOOL = ToolDefinition("read", "Reads.", "{}")


def request(history: tuple[Message, ...] = HISTORY) -> Built:
    settings = ContextSettings(model="word-1", system_prompt="Be kind.")
    return build(settings, history=history, question=user("q", "Well?"))


def blocks(built: Built) -> list[bool]:
    """Whether each block of the request as it is written is marked."""
    pictures = {SEEN.digest: Picture("image/png", b"x")}
    body = request_body(replace(model_request(built), pictures=pictures), "claude")
    said = [*body.get("system", []), *(block for message in body["messages"] for block in message["content"])]
    return ["cache_control" in block for block in said]


def test_blocks_and_marks_are_counted_as_they_are_written():
    built = request()
    written = blocks(built)
    places = marked_places(built, RULES, 2)
    assert places[-1].blocks == len(written)
    assert [place.blocks for place in places if place.marked] == [
        number for number, marked in enumerate(written, 1) if marked
    ]
    assert places[-1].tokens == built.envelope.total_tokens - 2


@pytest.mark.parametrize("changed", ["pictures", "tools", "model"])
def test_what_changes_moves_every_place_behind_it(changed: str):
    one = request()
    if changed == "pictures":
        other = request((*HISTORY[:4], user("u2", "And this?"), HISTORY[5]))
    elif changed == "tools":
        other = Built(replace(one.inputs, settings=replace(one.inputs.settings, tools=(TOOL,))), one.envelope)
    else:
        other = Built(
            replace(one.inputs, settings=replace(one.inputs.settings, model="word-2")), one.envelope
        )
    before, after = ({place.chain for place in marked_places(some, RULES, 2)} for some in (one, other))
    # Pictures that come or go leave the instructions.
    assert len(before & after) == (1 if changed == "pictures" else 0)
