"""The places that a cache with marks could know are those of the request as it is written."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from typing import SupportsIndex

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.turns import artifact, assistant, build, fake_builder, result, user
from workbench.context.cache.breakpoints import _walked, marked_places
from workbench.context.cache.forecast import Beginnings
from workbench.context.outgoing import model_request
from workbench.domain.change import Built
from workbench.domain.message import Image, Message
from workbench.domain.request import Picture
from workbench.domain.settings.context_settings import ContextSettings, Layout
from workbench.domain.tool import ToolDefinition
from workbench.engine.assembly.building import Preview
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation, after_turn
from workbench.providers.anthropic.messages import request_body
from workbench.providers.cache_rules import Rulebook, load_rules
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


@pytest.mark.parametrize("key", ["anthropic", "openai-5.6"])
@pytest.mark.parametrize("layout", ["layered", "append_only"])
def test_what_is_remembered_while_someone_types_changes_no_forecast(key: str, layout: Layout):
    rules = replace(load_rules(resource_path("cache-rules.toml")).by_id[key], minimum_tokens=8)
    card = replace(WORD_MODEL, cache_rules=key)
    builder = replace(fake_builder(card), rulebook=Rulebook({key: rules}))
    settings = ContextSettings(model=card.name, system_prompt="Be kind.", layout=layout)
    conversation = Conversation("talk", history=HISTORY[:4], attached=(artifact("a"),))
    for number in range(3):
        preview = Preview(builder)
        for words in ("W", "We", "We see", "", "Other words, and more of them"):
            ask = Ask(settings, user(f"q{number}", words))
            anew = replace(builder, beginnings=Beginnings())
            assert (
                preview.prepare(conversation, ask).forecast == prepare_turn(conversation, ask, anew).forecast
            )
        last = preview.last
        assert last is not None
        conversation = after_turn(conversation, last.built, [assistant(f"r{number}")])
        conversation = replace(
            conversation, attached=(artifact("a", f"text {number}"), artifact(f"b{number}"))
        )


class Pausing(str):
    """A text that says when it is being read, and waits there for something."""

    reached: Event
    go_on: Event

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        self.reached.set()
        assert self.go_on.wait(20)
        return str(self)[key]


def test_two_threads_on_one_walk_change_no_digest_of_each_other_nor_later_ones():
    """A request built in a thread beside a draft left words of its question in the digests of all drafts after it."""
    built = request()
    walked = _walked(built, RULES, 2)
    assert walked.row is not None
    right = [walked.seen(replace(walked.row, text=text), 50).end for text in ("first", "second", "third")]
    first, second, done = Pausing("first"), Pausing("second"), Event()
    first.reached, second.reached = Event(), Event()
    first.go_on, second.go_on = second.reached, done
    with ThreadPoolExecutor(2) as threads:
        one = threads.submit(walked.seen, replace(walked.row, text=first), 50)
        assert first.reached.wait(20)
        other = threads.submit(walked.seen, replace(walked.row, text=second), 50)
        found = [one.result(20).end]
        done.set()
        found.append(other.result(20).end)
    found.append(walked.seen(replace(walked.row, text="third"), 50).end)
    assert found == right
