"""What turns teach about their models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import Step, words
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.turns import fake_builder
from workbench.domain.answer import Finished, TextGrew, UsageReported
from workbench.domain.model import CacheSeen, Calibration, TurnReport
from workbench.domain.usage import Usage
from workbench.engine.assembly.counters import counted_alike
from workbench.engine.events import EnvelopeBuilt, NoticeGiven
from workbench.engine.intents import CloseChat, EditDraft, OpenChat, OpenTurn, SendMessage
from workbench.engine.learning import PIECE, read_learnt, report_of
from workbench.engine.workbench import Workbench

ESTIMATED = replace(WORD_MODEL, exact=False, context_window_tokens=20_000)
LONG = " ".join(["word"] * 400)


def answer(prompt_tokens: int, cached: int | None = None) -> list[Step]:
    return [TextGrew("Yes."), UsageReported(Usage(prompt_tokens, cached, None, 1)), Finished("stop")]


def bench_of(*answers: Sequence[Step], **card: Any) -> Bench:
    return fake_bench(*answers, builder=fake_builder(replace(ESTIMATED, **card)))


async def ask(bench: Bench, times: int = 1) -> None:
    for _ in range(times):
        await bench.do(SendMessage("talk", LONG))


def total(bench: Bench) -> int:
    view = bench.workbench.state.open["talk"].view
    assert view is not None
    return view.total_tokens


def counted(bench: Bench) -> list[int]:
    return [row.total_tokens for row in bench.workbench.state.open["talk"].turns]


async def taught(reports: int = 3) -> Bench:
    """A chat whose provider reports a fifth more than we count."""
    bench = bench_of(*(answer(round((412 + n * 409) * 1.2)) for n in range(reports)), answer(1))
    await bench.start()
    await ask(bench, reports)
    return bench


@in_calm_loop
async def test_counts_are_corrected_after_a_few_reports_and_say_how_sure_they_are():
    bench = await taught()
    assert counted(bench) == [412, 821, 1_230]
    await until(lambda: not bench.world.tasks.is_at("learn"))
    opened = bench.workbench.state.open["talk"]
    assert opened.view is not None
    assert opened.view.spread is not None
    assert opened.view.spread < 0.02
    assert not opened.view.exact
    learnt = bench.workbench.state.learnt["word-1"]
    assert learnt.calibration is not None
    assert learnt.calibration.ratio == pytest.approx(1.2, abs=0.01)
    await ask(bench)
    assert counted(bench)[-1] == pytest.approx(1.2 * 1_639, rel=0.01)


@in_calm_loop
async def test_what_was_learnt_is_known_when_the_program_starts_again():
    bench = await taught()
    before = total(bench)
    again = Workbench(replace(bench.world, builder=fake_builder(ESTIMATED)))
    await again.dispatch(OpenChat("talk"))
    await until(lambda: "word-1" in again.state.learnt)
    await until(lambda: again.state.open["talk"].view is not None)
    view = again.state.open["talk"].view
    assert view is not None
    assert (view.total_tokens, view.spread) == (before, bench.workbench.state.open["talk"].view.spread)  # type: ignore[union-attr]
    learnt = await read_learnt(bench.world.store)
    assert learnt == bench.workbench.state.learnt


@in_calm_loop
async def test_a_request_is_sent_only_when_all_that_is_known_was_read():
    bench = await taught()
    again = Bench(replace(bench.world, builder=fake_builder(ESTIMATED)))
    await again.workbench.dispatch(OpenChat("talk"))
    await ask(again)
    assert counted(again)[-1] == pytest.approx(1.2 * 1_639, rel=0.01)


@in_calm_loop
async def test_exact_counts_are_never_corrected():
    bench = bench_of(*(answer(2_000) for _ in range(4)), exact=True)
    await bench.start()
    await ask(bench, 4)
    assert counted(bench) == [412, 821, 1_230, 1_639]
    assert bench.workbench.state.learnt["word-1"].calibration is None


@in_calm_loop
async def test_a_server_that_cuts_off_in_silence_raises_an_alarm():
    bench = bench_of(answer(412), answer(400))
    await bench.start()
    await ask(bench, 2)
    (notice,) = bench.told(NoticeGiven)
    assert notice.chat == "talk"
    assert notice.text.startswith("The server read only 400 of about 821 tokens, and said nothing:")
    assert "num_ctx" in notice.text
    await until(lambda: len(bench.shows("turns")) > 2)
    assert [row.truncated for row in bench.workbench.state.open["talk"].turns] == [False, True]
    opened = bench.workbench.state.open["talk"]
    assert opened.ended is not None
    assert opened.ended.truncated is not None
    await bench.workbench.dispatch(CloseChat("talk"), OpenChat("talk"))
    assert [row.truncated for row in bench.workbench.state.open["talk"].turns] == [False, True]


@in_calm_loop
async def test_how_often_forecasts_came_true_is_known_by_model():
    card = replace(ESTIMATED, provider="builtin", cache_rules="llamacpp")
    bench = fake_bench(answer(412, 0), answer(821, 413), answer(1_230, 7), builder=fake_builder(card))
    await bench.start()
    await ask(bench, 3)
    learnt = bench.workbench.state.learnt["word-1"]
    assert (learnt.judged, learnt.within) == (3, 2)


@in_calm_loop
async def test_a_turn_that_was_not_answered_teaches_nothing():
    bench = fake_bench(words("Yes."))
    await bench.start()
    await bench.do(SendMessage("talk", "Well?"))
    assert bench.workbench.state.learnt == {}


@in_calm_loop
async def test_a_request_that_was_sent_is_shown_as_its_provider_counted_it():
    bench = bench_of(answer(500))
    await bench.start()
    await ask(bench)
    await bench.workbench.dispatch(OpenTurn("talk", 1))
    opened = bench.workbench.state.open["talk"].opened
    assert opened is not None
    assert (opened.total_tokens, opened.reported, opened.exact) == (500, True, False)
    assert sum(layer.tokens for layer in opened.layers) == 500
    exact = bench_of(answer(500), exact=True)
    await exact.start()
    await ask(exact)
    await exact.workbench.dispatch(OpenTurn("talk", 1))
    sent = exact.workbench.state.open["talk"].opened
    assert sent is not None
    assert (sent.total_tokens, sent.reported, sent.exact) == (412, False, True)


@in_calm_loop
async def test_a_report_is_taken_with_the_ratio_its_request_was_counted_with():
    """Where another chat taught the ratio while the answer came, it was learnt squared: 1.5 as 2.25."""
    bench = bench_of([TextGrew("Yes."), 0.2, UsageReported(Usage(618, None, None, 1)), Finished("stop")])
    await bench.start()
    asking = bench.world.tasks.start("ask", ask(bench))
    await until(lambda: bool(bench.told(EnvelopeBuilt)))
    bench.world.builder.counters.calibrate(counted_alike(ESTIMATED), Calibration(1.5, 0.0, 3))
    await asking
    ended = bench.workbench.state.open["talk"].ended
    assert ended is not None
    assert ended.report == TurnReport("word-1", "fake/word-1", 412, 1.0, 618)
    ((_, notes),) = await bench.world.store.recent_notes(9)
    assert report_of(notes) == ended.report


@in_calm_loop
async def test_a_report_more_that_says_the_same_builds_no_request_again():
    bench = bench_of(*(answer((412 + n * 409) * 2) for n in range(5)))
    await bench.start()
    await ask(bench, 4)
    first = bench.workbench.state.learnt["word-1"].calibration
    counter = bench.world.builder.counters.counter("exact", ESTIMATED)
    await ask(bench)
    last = bench.workbench.state.learnt["word-1"].calibration
    assert first is not None
    assert last == replace(first, turns=5)
    assert bench.world.builder.counters.counter("exact", ESTIMATED) is counter


@in_calm_loop
async def test_an_imported_chat_teaches_nothing_about_models_used_here():
    """Three turns in a file were enough to have every count of a real model multiplied by four."""
    bench = await taught()
    archive = await bench.world.store.archive("talk")
    fresh = bench_of(answer(412))
    assert await fresh.workbench.adopt(archive) == "talk"
    assert await read_learnt(fresh.world.store) == {}
    await fresh.workbench.dispatch(OpenChat("talk"))
    await until(lambda: not fresh.world.tasks.is_at("learn"))
    assert fresh.workbench.state.learnt == {}
    assert [row.prompt_tokens for row in fresh.workbench.state.open["talk"].turns] == [494, 985, 1_476]
    before = bench.workbench.state.learnt
    await bench.workbench.adopt(archive)
    assert await read_learnt(bench.world.store) == before, "taken back by the same machine, it counts once"


def test_the_last_request_of_a_turn_with_tools_is_what_was_counted():
    notes = {
        "request": {"model": "m", "total_tokens": 500, "counted_as": "x/m", "ratio": 1.5},
        "prompt_tokens": 900, "requests": [{"prompt_tokens": 300}, {"prompt_tokens": 600}],
        "cache": {"predicted_read_tokens": 10, "reported_read_tokens": 9},
    }  # fmt: skip
    assert report_of(notes) == TurnReport("m", "x/m", 500, 1.5, 600, 10, 9)
    assert PIECE > 0


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "request": st.fixed_dictionaries(
                {}, optional=dict.fromkeys(("model", "total_tokens", "counted_as", "ratio"), anything)
            )
            | anything,
            "cache": anything,
            "prompt_tokens": anything,
            "requests": anything,
        },
    )
)
def test_notes_from_elsewhere_may_be_anything(notes: dict[str, Any]):
    found = report_of(notes)
    assert found is None or (found.counted_tokens > 0 and found.ratio > 0)


@in_calm_loop
async def test_a_cache_without_published_rules_is_seen_in_the_reports():
    bench = bench_of(answer(412, 0), answer(820, 256), answer(1_230, 640))
    await bench.start()
    await ask(bench, 3)
    seen = CacheSeen(640, 1_230, 256)
    assert bench.workbench.state.learnt["word-1"].seen == seen
    assert (await read_learnt(bench.world.store))["word-1"].seen == seen


@in_calm_loop
async def test_a_first_answer_that_was_counted_differently_accuses_nobody():
    bench = bench_of(answer(round(412 * 0.74)))
    await bench.start()
    await ask(bench)
    assert bench.told(NoticeGiven) == []


@in_calm_loop
async def test_where_nobody_knows_a_cache_s_rules_forecasts_go_by_what_was_seen():
    """A server reported what its cache had served after every answer, and the next request had no forecast."""
    bench = bench_of(answer(412, 0), answer(820, 256), answer(1_230, 640), answer(1_640, 0), cache_rules=None)
    await bench.start()
    await ask(bench)
    view = bench.workbench.state.open["talk"].view
    assert view is not None
    assert view.cached_tokens is None
    await ask(bench, 2)
    await bench.workbench.dispatch(EditDraft("talk", "Well?"))
    await bench.calm()
    view = bench.workbench.state.open["talk"].view
    assert view is not None
    assert view.cached_tokens is not None
    assert 600 < view.cached_tokens <= view.total_tokens
    await ask(bench)
    assert bench.workbench.state.open["talk"].turns[-1].verdict == "less"
