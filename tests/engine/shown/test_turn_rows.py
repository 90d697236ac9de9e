"""Turns as they are listed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import words
from tests.fakes.engine import SETTINGS, fake_bench
from tests.fakes.loop import in_calm_loop
from tests.fakes.turns import fake_builder
from workbench.domain.answer import Failure, Finished, TextGrew, UsageReported
from workbench.domain.model import ModelCard
from workbench.domain.record import TurnLine
from workbench.domain.settings.context_settings import HistorySettings
from workbench.domain.usage import Price, Usage
from workbench.engine.events import ChatLoaded, ChatShown
from workbench.engine.intents import (
    ChangeSettings,
    EditQuestion,
    OpenChat,
    RegenerateAnswer,
    SendMessage,
    ShowBranch,
)
from workbench.engine.shown.turn_rows import list_turns, turn_row

USAGE = Usage(20, 8, None, 5, 2)
BUILTIN = replace(WORD_MODEL, provider="builtin", cache_rules="llamacpp")


class OnePrice:
    """Everything costs the same → PriceList."""

    def price(self, card: ModelCard) -> Price | None:
        return Price(card.name, 1.0, 2.0, "2026-01-01")


def line(**usage: Any) -> TurnLine:
    return TurnLine(3, "q", "2026-01-01T00:00:00Z", "complete", usage, None, "a")


@in_calm_loop
async def test_a_row_says_what_a_turn_cost_and_how_it_went():
    bench = fake_bench(
        [TextGrew("Yes."), UsageReported(USAGE), Finished("stop")],
        builder=fake_builder(replace(WORD_MODEL, cache_rules="llamacpp", provider="gguf")),
        prices=OnePrice(),
    )
    await bench.start()
    await bench.do(SendMessage("talk", "What is new here?"))
    (row,) = bench.workbench.state.open["talk"].turns
    assert (row.number, row.asked, row.model, row.state, row.finish_reason) == (
        1, "What is new here?", "word-1", "complete", "stop",
    )  # fmt: skip
    assert (row.prompt_tokens, row.cached_tokens, row.completion_tokens, row.reasoning_tokens) == (
        20,
        8,
        5,
        2,
    )
    assert (row.predicted_tokens, row.verdict, row.change, row.broke) == (0, "more", "first", None)
    assert (row.local, row.cost_usd) == (True, 0.0)
    assert (row.total_ms > 0, row.failure) == (True, None)
    assert sum(tokens for _, tokens in row.layers) == row.total_tokens
    assert (row.question, row.reply) == tuple(r.id for r in await bench.world.store.path("talk"))


@in_calm_loop
async def test_turns_are_listed_whenever_a_chat_is_loaded():
    bench = fake_bench()
    await bench.start()
    await bench.do(SendMessage("talk", "Well?"))
    await bench.workbench.dispatch(OpenChat("talk"))
    loaded = [isinstance(event, ChatLoaded) for event in bench.events]
    listed = [isinstance(event, ChatShown) and "turns" in event.fields for event in bench.events]
    assert (sum(loaded), listed[1:]) == (3, loaded[:-1])
    assert [len(one) for one in bench.shows("turns")] == [0, 1, 1]


@in_calm_loop
async def test_the_row_is_that_of_the_answer_in_view_and_siblings_are_told():
    bench = fake_bench(words("One."), words("Two."), words("Three."), prices=OnePrice())
    await bench.start()
    await bench.do(SendMessage("talk", "Well?"))
    question, first = (record.id for record in await bench.world.store.path("talk"))
    await bench.do(RegenerateAnswer("talk", question))
    second = (await bench.world.store.path("talk"))[-1].id
    state = bench.workbench.state.open["talk"]
    assert [row.reply for row in state.turns] == [second]
    assert state.versions == {second: (first, second)}
    await bench.workbench.dispatch(ShowBranch("talk", first))
    state = bench.workbench.state.open["talk"]
    assert [row.reply for row in state.turns] == [first]
    assert state.versions == {first: (first, second)}
    await bench.do(EditQuestion("talk", question, "Really?"))
    state = bench.workbench.state.open["talk"]
    edited = state.turns[0].question
    assert [row.asked for row in state.turns] == ["Really?"]
    assert state.versions == {edited: (question, edited)}


@in_calm_loop
async def test_a_failed_turn_is_listed_with_its_failure():
    bench = fake_bench([Failure("rate", "Too many.", retry_after_s=3.0)])
    await bench.start()
    await bench.do(SendMessage("talk", "Well?"))
    (row,) = bench.workbench.state.open["talk"].turns
    assert (row.state, row.reply, row.failure) == ("failed", None, Failure("rate", "Too many.", 3.0))


@in_calm_loop
async def test_only_a_real_break_is_shown_as_one():
    """That a turn's context leaves its question happens in every other turn: shown as a break, nobody would look."""
    bench = fake_bench(words("One " * 60), words("Two " * 60), words("Three " * 60), words("Four."))
    await bench.start()
    await bench.do(SendMessage("talk", "First?", now="12:00"))
    await bench.do(SendMessage("talk", "Second?"))
    tight = replace(
        SETTINGS,
        context_window=230,
        reserved_output_tokens=10,
        history=HistorySettings(keep_last_n_assistant=1),
    )
    await bench.workbench.dispatch(ChangeSettings("talk", replace(tight, system_prompt="Be brief.")))
    await bench.do(SendMessage("talk", "Third?"))
    await bench.do(SendMessage("talk", "Fourth?"))
    first, second, third, fourth = bench.workbench.state.open["talk"].turns
    assert (first.change, first.broke) == ("first", None)
    assert (second.change, second.broke) == ("diverged", None)
    assert (third.change, third.broke, third.broke_subject) == ("diverged", "settings", "system")
    assert (fourth.change, fourth.broke) == ("diverged", "trimmed")
    assert int(fourth.broke_subject) > 0


def test_a_turn_of_an_older_program_has_what_was_noted_then():
    row = turn_row(line(prompt_tokens=12, completion_tokens=3, finish_reason="stop"), "Why?")
    assert (row.total_tokens, row.completion_tokens, row.model, row.layers) == (12, 3, "", ())
    assert turn_row(replace(line(), usage=None), "").total_tokens == 0


def test_a_row_says_its_layout_and_why_it_was_rebuilt():
    row = turn_row(line(request={"layout": "append_only", "rebuilt": "cold"}, cache_write_tokens=7), "")
    assert (row.layout, row.rebuilt, row.cache_write_tokens) == ("append_only", "cold", 7)
    odd = turn_row(line(request={"layout": "piled", "rebuilt": ["cold"]}, cache_write_tokens="many"), "")
    assert (odd.layout, odd.rebuilt, odd.cache_write_tokens) == (None, None, None)


def test_an_unknown_price_is_not_free():
    assert turn_row(line(), "").cost_usd is None
    assert turn_row(line(cost={"usd": 0.25, "as_of": "2026"}), "").cost_usd == 0.25


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
NAMES = [
    "prompt_tokens", "cached_tokens", "finish_reason", "timings_ms", "error", "cache", "cost", "request",
    "removed_marks", "total_tokens", "layers", "change", "causes", "kind", "message", "verdict", "usd", "L1_SYSTEM",
    "model",
]  # fmt: skip
odd_notes = st.dictionaries(
    st.sampled_from(NAMES), json_values | st.dictionaries(st.sampled_from(NAMES), json_values), max_size=6
)


@given(odd_notes)
def test_notes_from_elsewhere_may_be_anything(usage: dict[str, Any]):
    """A chat that was imported must not keep others from being opened."""
    row = turn_row(line(**usage), "Why?")
    assert (row.number, row.question) == (3, "q")
    assert row.total_tokens >= 0


@pytest.mark.parametrize(
    "causes", [None, [], ["x"], [["nonsense", "a"]], [["turn_context", "q"]], [[1, 2, 3]]]
)
def test_a_break_without_a_known_cause_is_none(causes: object):
    assert turn_row(line(request={"change": "diverged", "causes": causes}), "").broke is None


@in_calm_loop
async def test_a_row_that_is_known_stays_the_same_object():
    """Then a front end sees that it need not draw it again; with a thousand turns that is felt."""
    bench = fake_bench()
    await bench.start()
    await bench.do(SendMessage("talk", "One?"))
    (first,) = bench.workbench.state.open["talk"].turns
    await bench.do(SendMessage("talk", "Two?"))
    again, second = bench.workbench.state.open["talk"].turns
    assert again is first
    assert second.asked == "Two?"


@in_calm_loop
async def test_a_turn_that_was_running_is_read_again():
    bench = fake_bench()
    store = bench.world.store
    await bench.start()
    await bench.do(SendMessage("talk", "One?"))
    path = await store.path("talk")
    (row,) = (await list_turns(store, "talk", path)).fields["turns"]
    running = replace(row, state="running", total_tokens=0)
    assert (await list_turns(store, "talk", path, (running,))).fields["turns"] == (row,)
    marked = replace(row, total_tokens=99_999)
    assert (await list_turns(store, "talk", path, (marked,))).fields["turns"] == (marked,)


def test_the_last_request_of_a_turn_with_tools_is_told_apart_from_their_sum():
    each = [{"prompt_tokens": 100, "cached_tokens": 0}, {"prompt_tokens": 300, "cached_tokens": 90}]
    row = turn_row(
        line(prompt_tokens=400, cached_tokens=90, requests=each, request={"total_tokens": 310}), "?"
    )
    assert (row.requests, row.prompt_tokens, row.last_tokens, row.reported_tokens) == (2, 400, 300, 90)
    assert turn_row(line(prompt_tokens=400, request={"total_tokens": 310}), "?").last_tokens == 400
