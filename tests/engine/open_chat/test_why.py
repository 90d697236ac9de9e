"""Why a quote is there: its words add up, its neighbours are priced, and it goes when the quote goes."""

from __future__ import annotations

import pytest

from tests.fakes.loop import in_calm_loop, until
from tests.fakes.recalled_chat import (
    CHAT,
    FACT,
    LOG,
    LONG,
    SAID,
    chat_of,
    fact_id,
    looked,
    quoted,
    recalled_bench,
)
from workbench.domain.shown.envelope_view import RowKey
from workbench.engine.intents import EditDraft
from workbench.engine.open_chat.looks import QuoteLook
from workbench.engine.tuning_intents import LookAtQuote, TuneMessages


@in_calm_loop
async def test_a_quote_is_told_with_its_words_marked_and_what_stands_beside_it():
    assert QuoteLook is not None
    bench = await recalled_bench()
    chat = chat_of(bench)
    why = await looked(bench, fact_id(chat))
    assert (why.text, why.place) == (FACT, 1)
    assert why.messages == len(chat.records)
    assert sum(word.part for word in why.words) == pytest.approx(why.score)
    assert {FACT[mark.start : mark.end] for mark in why.marks if mark.kind == "exact"} == {"spare", "key"}
    assert why.before is not None
    assert why.after is not None
    assert (why.before.text, why.before.turn) == (SAID[0][1], 1)
    assert why.after.text == SAID[1][1]


@in_calm_loop
async def test_a_neighbour_comes_along_for_exactly_its_price_and_goes_again():
    bench = await recalled_bench()
    why = await looked(bench, fact_id(chat_of(bench)))
    before = chat_of(bench).view
    assert before is not None
    beside = why.before
    assert beside is not None
    assert beside.state == "cut"
    await bench.workbench.dispatch(TuneMessages(CHAT, always=frozenset({beside.id})))
    await until(lambda: beside.id in quoted(bench))
    row = chat_of(bench).view.row(RowKey("L3_TURN", beside.id))  # type: ignore[union-attr]
    assert row is not None
    assert row.pinned
    told = chat_of(bench).why
    assert told is not None
    assert told.before is not None
    assert told.before.state == "along"
    made_room = sum(row.tokens for row in before.quotes if row.key.id not in quoted(bench))
    total = chat_of(bench).view.total_tokens  # type: ignore[union-attr]
    assert total == before.total_tokens - made_room + beside.tokens
    await bench.workbench.dispatch(TuneMessages(CHAT, as_found=frozenset({beside.id})))
    assert chat_of(bench).view == before


@in_calm_loop
async def test_what_is_never_to_come_back_closes_the_card_and_comes_again_by_its_undo():
    bench = await recalled_bench()
    key = fact_id(chat_of(bench))
    await looked(bench, key)
    await bench.workbench.dispatch(TuneMessages(CHAT, never=frozenset({key})))
    assert key not in quoted(bench)
    assert chat_of(bench).why is None
    assert (await bench.world.store.tuning(CHAT)).unrecalled == {key}
    await bench.workbench.dispatch(TuneMessages(CHAT, as_found=frozenset({key})))
    assert key in quoted(bench)


@in_calm_loop
async def test_another_question_or_closing_ends_the_look():
    bench = await recalled_bench()
    key = fact_id(chat_of(bench))
    await looked(bench, key)
    await bench.workbench.dispatch(EditDraft(CHAT, ""))
    await bench.calm()
    assert chat_of(bench).why is None
    await bench.workbench.dispatch(EditDraft(CHAT, "the spare key"))
    await bench.calm()
    await looked(bench, key)
    await bench.workbench.dispatch(LookAtQuote(CHAT))
    assert chat_of(bench).why is None
    await bench.workbench.dispatch(LookAtQuote(CHAT, "nobody said that"))
    assert chat_of(bench).why is None


@in_calm_loop
async def test_in_a_log_the_group_says_when_its_room_is_used_up():
    """Nothing would come back, and nobody would know why."""
    bench = await recalled_bench(LOG, LONG)
    view = chat_of(bench).view
    assert view is not None
    group = view.group("recalled")
    assert group is not None
    assert group.standing > 0
    assert group.used_up
