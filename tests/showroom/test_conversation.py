"""The conversation behind the pictures: its figures counted anew from the bytes, the prices and the published rules."""

from __future__ import annotations

import asyncio
import tomllib
from typing import Any

import pytest

from tests.architecture.source_tree import ROOT
from tests.fakes.scripted_moments import all_moments
from workbench.domain.message import Message
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.shown.turn_view import TurnRow
from workbench.engine.state import ChatState
from workbench.providers.tokenizer import TiktokenTokenizer
from workbench.showroom.player import ACTS, CHAT, SAMPLE, moments
from workbench.showroom.script import load_script

COUNT = TiktokenTokenizer("o200k_base", ROOT / "resources" / "encodings").count
SCRIPT = load_script(ROOT / "resources" / "sample" / "work")
EXACT = ("tried", "looked back", "written", "over", "arriving")
FRAMING = 3
SLACK = 4
"""Tokens that frame a message and open the answer go to one of its segments; which one is the counter's choice."""


def chat_at(name: str) -> ChatState:
    return all_moments()[name].state.open[CHAT]


def views_at(name: str) -> list[EnvelopeView]:
    chat = chat_at(name)
    found = (chat.view, chat.in_flight, chat.opened, None if chat.trial is None else chat.trial.view)
    return [view for view in found if view is not None]


def body_of(view: EnvelopeView) -> dict[str, Any]:
    form = view.wire()
    assert form is not None
    return dict(form.body)


@pytest.mark.parametrize("name", EXACT)
def test_the_total_is_that_of_the_bytes_and_the_sum_of_layers_and_rows(name: str):
    for view in views_at(name):
        assert view.exact
        sent = body_of(view)["messages"]
        counted = sum(FRAMING + COUNT(row["role"]) + COUNT(row["content"]) for row in sent) + FRAMING
        assert view.total_tokens == counted == sum(layer.tokens for layer in view.layers)
        for layer in view.layers:
            assert layer.tokens == sum(row.tokens for row in layer.rows if row.counted)
            assert layer.cached_tokens == sum(row.cached_tokens for row in layer.rows)


@pytest.mark.parametrize("name", EXACT)
def test_every_row_is_counted_from_its_own_bytes(name: str):
    for view in views_at(name):
        form = view.wire()
        assert form is not None
        costs: dict[str, int] = {}
        for message in form.messages:
            before = ""
            for place, piece in enumerate(message.pieces):
                added = COUNT(before + piece.text) - COUNT(before)
                framing = 0 if place else FRAMING + COUNT(message.role)
                key = f"{piece.layer} {piece.id}"
                costs[key] = costs.get(key, 0) + added + framing
                before += piece.text
        for layer in view.layers:
            for row in layer.rows:
                if row.counted:
                    members = [f"{layer.name} {member}" for member in row.members]
                    assert abs(sum(costs[member] for member in members) - row.tokens) <= SLACK * len(members)


@pytest.mark.parametrize("name", EXACT)
def test_limits_follow_from_the_settings(name: str):
    for view in views_at(name):
        trial = chat_at(name).trial
        tried = trial is not None and view is trial.view
        settings = trial.settings if trial is not None and tried else chat_at(name).chat.settings
        assert view.limit_tokens + view.reserve_tokens == settings.context_window
        assert view.threshold_tokens == int(view.limit_tokens * (settings.history.threshold or 1))


def turns_at(name: str) -> tuple[TurnRow, ...]:
    turns = chat_at(name).turns
    assert len(turns) >= len(SCRIPT.turns)
    return turns


def test_the_local_cache_served_what_was_foretold_in_every_turn():
    for turn in turns_at("written"):
        assert turn.predicted_tokens == turn.cached_tokens
        assert (turn.verdict, turn.cost_usd) == ("as_predicted", 0.0)


def test_what_a_provider_serves_is_what_was_foretold():
    chat = chat_at("arriving")
    assert None not in {view.cached_tokens for view in views_at("arriving")}
    for turn in chat.turns:
        assert turn.predicted_tokens == turn.cached_tokens
        assert turn.verdict in ("as_predicted", "below_minimum")
        served = turn.cached_tokens or 0
        assert served == 0 or (served >= 1024 and served % 128 == 0)
    assert any(turn.cached_tokens for turn in chat.turns)
    assert {turn.cached_tokens for turn in chat.turns} >= {0}


@pytest.mark.parametrize("name", EXACT)
def test_what_was_sent_was_counted_by_both_sides_alike_and_is_what_was_shown(name: str):
    for turn in turns_at(name):
        assert turn.prompt_tokens == turn.total_tokens == sum(tokens for _, tokens in turn.layers)
        assert turn.digest == turn.shown_digest != ""


def test_answers_cost_what_the_price_list_says():
    lists = tomllib.loads((ROOT / "resources" / "prices.toml").read_text(encoding="utf-8"))["family"]
    price = next(one for family in lists for one in family["models"] if one["name"] == "gpt-4.1-mini")
    for turn in turns_at("arriving"):
        served = turn.cached_tokens or 0
        fresh, out = (turn.prompt_tokens or 0) - served, turn.completion_tokens or 0
        cost = fresh * price["input"] + served * price["cached"] + out * price["output"]
        assert turn.cost_usd == pytest.approx(cost / 1_000_000)


@pytest.mark.parametrize(("name", "kind"), [("written", "local"), ("arriving", "hosted")])
def test_answers_took_as_long_as_their_tokens_take(name: str, kind: str):
    pace = SCRIPT.models[kind]
    for turn in turns_at(name):
        fresh = (turn.prompt_tokens or 0) - (turn.cached_tokens or 0)
        out = (turn.completion_tokens or 0) - 1  # that it is over takes no time
        assert turn.total_ms == pytest.approx((fresh / pace.reads + out / pace.writes) * 1000, abs=1)


def test_what_was_said_is_counted_in_the_answers():
    """The words of each answer, and the token that ends it."""
    chat = chat_at("written")
    words = {r.id: r.entry for r in chat.records if isinstance(r.entry, Message)}
    for turn in chat.turns:
        reply = words[turn.reply or ""]
        thought = sum(COUNT(one.text) for one in reply.thinking)
        assert turn.completion_tokens == COUNT(reply.text) + thought + 1
        assert (turn.reasoning_tokens or 0) == thought


def test_the_states_are_those_that_the_pictures_are_about():
    tried, waiting, over = chat_at("tried"), chat_at("waiting"), chat_at("over")
    assert tried.trial is not None
    assert tried.view is not None
    assert all(layer.tokens for layer in tried.view.layers)
    assert {row.disk for row in tried.attachments} >= {"renewed"}
    assert waiting.running is not None
    assert [card.call.name for card in waiting.running.tools] == ["edit"]
    assert over.view is not None
    assert over.view.over_tokens > 0
    assert over.fixes
    assert chat_at("looked back").opened is not None
    arriving = chat_at("arriving").running
    assert arriving is not None
    assert arriving.text == SCRIPT.arriving.answer
    sample = all_moments()[SAMPLE].state.open[SAMPLE]
    assert sample.view is not None
    assert not sample.view.exact  # nobody has started the built-in model, so nobody has counted
    assert sample.view.cached_tokens == 0  # and nothing is cached
    assert tried.view.cached_tokens  # while this one's server was asked


def test_tags_are_those_that_the_renderer_writes():
    """A file attached now, and files in the library, in the tags of the payload itself."""
    text = "".join(row["content"] for row in body_of(views_at("tried")[0])["messages"])
    for path in SCRIPT.draft.attach:
        assert f'<file_context id="{path}"' in text
    assert '<prior_context source="project-spec.md"' in text


def test_a_moment_is_the_same_every_time():
    first = ACTS["local"][0][0]
    again = asyncio.run(moments([first]))[first]
    before = all_moments()[first]
    assert again.now_utc == before.now_utc
    chat, other = again.state.open[CHAT], before.state.open[CHAT]
    assert chat.view is not None
    assert other.view is not None
    assert (chat.view.digest, chat.turns) == (other.view.digest, other.turns)
