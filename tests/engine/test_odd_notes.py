"""Notes come along with chats from elsewhere and may be anything: whatever reads them goes on, and so does sending."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.archives import full_archive
from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import words
from tests.fakes.engine import fake_bench
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.odd_notes import HUGE, odd_notes
from tests.fakes.turns import fake_builder
from workbench.context.cache.forecast import accuracy
from workbench.context.cache.shares import layout_shares, sent_figures, sent_layout
from workbench.context.count.calibration import learn, rescaled, truncated
from workbench.domain.record import MOST_TOKENS, ChatArchive, TurnLine
from workbench.domain.usage import Price
from workbench.engine.exchange.json_format import export_json, import_json
from workbench.engine.intents import CompareLayouts, CompareTurns, OpenChat, OpenTurn, SendMessage
from workbench.engine.learning import read_learnt, report_of, told_prompt
from workbench.engine.shown.inspection import stored_report
from workbench.engine.shown.turn_rows import turn_row
from workbench.engine.stored_conversation import load_conversation
from workbench.engine.turn.outcome import last_answer_id

FULL = full_archive()
ESTIMATED = replace(WORD_MODEL, exact=False, cache_rules="openai")
PRICE = Price("word-1", 1.0, 2.0, "2026-01-01")


def noted(*notes: dict[str, Any], archive: ChatArchive = FULL) -> ChatArchive:
    """The chat with these notes, over and over."""
    turns = tuple(replace(turn, usage=notes[i % len(notes)]) for i, turn in enumerate(archive.turns))
    return replace(archive, turns=turns)


def bricking(odd: object) -> ChatArchive:
    """A file with a figure that no float holds, as it is imported."""
    document = json.loads(export_json([FULL]))
    for turn in document["chats"][0]["turns"]:
        request = {"model": "word-1", "total_tokens": 300, "counted_as": "fake/word-1", "ratio": 1.0}
        turn["usage"] = {"request": request, "prompt_tokens": odd, "timings_ms": {"total": odd}}
    (archive,) = import_json(json.loads(json.dumps(document))).archives
    return archive


@pytest.mark.parametrize(
    "odd", [HUGE, float("nan"), float("inf"), "9", -1, True], ids=lambda odd: str(odd)[:5]
)
@in_calm_loop
async def test_a_chat_with_odd_figures_keeps_no_question_from_being_sent(odd: object):
    """A file with one huge number made sending impossible in every chat, and could not be opened."""
    bench = fake_bench(words("Yes."))
    await bench.world.store.adopt(bricking(odd))
    await bench.workbench.begin()
    await bench.start("other")
    ended = await bench.do(SendMessage("other", "Well?"))
    assert (ended.outcome.state, ended.outcome.failure) == ("complete", None)
    await bench.workbench.dispatch(OpenChat("talk"))
    assert "talk" in bench.workbench.state.open


class Broken(MemoryHistory):
    """A store that cannot say what was noted, for a reason nobody foresaw."""

    async def recent_notes(self, number: int, before: int | None = None) -> Any:
        raise RuntimeError("odd")


@in_calm_loop
async def test_whatever_goes_wrong_with_what_was_learnt_the_question_is_sent():
    bench = fake_bench(words("Yes."), store=Broken())
    await bench.start()
    ended = await bench.do(SendMessage("talk", "Well?"))
    assert ended.outcome.state == "complete"


@given(odd_notes())
def test_nothing_that_reads_notes_raises(notes: dict[str, Any]):
    report = report_of(notes)
    if report is not None:
        many = [report] * 3
        found = learn(many)
        assert found is None or 0 < found.ratio < 10
        judged, within = accuracy(many)
        assert 0 <= within <= judged <= 3
        truncated(report)
    line = TurnLine(3, "q", "2026-01-01T00:00:00Z", "complete", notes, None, "a")
    row = turn_row(line, "asked")
    assert 0 <= row.total_tokens <= MOST_TOKENS
    figures = [sent_figures(row, ESTIMATED, PRICE)]
    layout_shares([row], [("sent", figures)])
    sent_layout([row])
    last_answer_id([line])
    turn = replace(FULL.turns[-1], usage=notes)
    stored_report(turn, FULL.turns[0], fake_builder())
    rescaled(turn.built.envelope, told_prompt(notes))


@settings(max_examples=20)
@given(st.lists(odd_notes(), min_size=1, max_size=4))
def test_a_chat_with_odd_notes_can_be_looked_at_from_all_sides(notes: list[dict[str, Any]]):
    asyncio.run(_looked_at(noted(*notes)))


async def _looked_at(archive: ChatArchive) -> None:
    bench = fake_bench(words("Yes."), builder=fake_builder(ESTIMATED))
    await bench.world.store.adopt(archive)
    await read_learnt(bench.world.store)
    await load_conversation(bench.world.store, "talk")
    await bench.workbench.dispatch(OpenChat("talk"))
    for turn in bench.workbench.state.open["talk"].turns:
        await bench.workbench.dispatch(OpenTurn("talk", turn.number), CompareTurns("talk", 1, turn.number))
    await bench.workbench.dispatch(CompareLayouts("talk"))
    await until(lambda: not bench.world.tasks.is_at("compare", "learn"))
    assert bench.workbench.state.open["talk"].shares is not None
    ended = await bench.do(SendMessage("talk", "Well?"))
    assert ended.outcome.state == "complete"
