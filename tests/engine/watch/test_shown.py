"""A watched chat in the engine: opened, it shows its last request as it was sent, and nothing is built for it."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.engine import fake_bench
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop
from tests.fakes.passing import passed, understanding
from tests.fakes.watched import CONVERSATION, agent_turns, changed_model, watched_bench
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import Finding, WatchedTurn
from workbench.engine.intents import CompareTurns, OpenChat, OpenTurn
from workbench.engine.program_intents import LookElsewhere
from workbench.engine.shown.inspection import stored_report
from workbench.engine.watch.stored_requests import Keeper


@in_loop
async def test_its_last_request_is_shown_in_rows_that_sum_and_with_the_bytes_that_passed():
    bench = fake_bench()
    turns = agent_turns()
    keeper = Keeper(bench.world.store, FakeCatalogue())
    for one in turns:
        await keeper.keep(*one)
    await bench.workbench.dispatch(OpenChat("5f0e3c"))
    chat = bench.workbench.state.open["5f0e3c"]
    view = chat.shown
    assert view is not None
    assert chat.view is None
    assert (view.turn, view.standing) == (3, "sent")
    assert view.total_tokens == sum(row.tokens for layer in view.layers for row in layer.rows)
    names = {layer.name: [(row.kind, row.name) for row in layer.rows] for layer in view.layers}
    assert names["L1_SYSTEM"] == [("tools", ""), ("system", "")]
    assert names["L4_STRIP"] == [
        ("question", ""),
        ("answer", ""),
        ("call", "Read"),
        ("result", "Read"),
        ("answer", ""),
    ]
    assert names["L5_USER"] == [("reminder", ""), ("question", "")]
    assert view.served_tokens == turns[2][0].answer.usage.cached_tokens == 0
    assert view.verdict == turns[2][0].verdict
    tools = view.layers[0].rows[0]
    assert [(part.source, part.text, part.number) for part in tools.parts] == [
        ("called", "Read", 1),
        ("unused", "Grep, Write", 2),
    ]
    form = view.wire()
    assert form is not None
    assert form.raw.encode() == turns[2][1].request
    assert [one.kind for one in view.findings] == ["unused_tools"]
    kept = await bench.world.store.turns("5f0e3c")
    assert stored_report(kept[2], kept[1], bench.world.builder)["violations"] == []
    diff = view.diff()
    assert diff is not None
    assert (diff.change, diff.lost_tokens) == ("extended", 0)
    await bench.workbench.close()


@in_loop
async def test_a_new_request_comes_into_view_unless_an_older_one_is_looked_at():
    bench = fake_bench()
    keeper = Keeper(bench.world.store, FakeCatalogue())
    first, second, third = agent_turns()
    await keeper.keep(*first)
    await bench.workbench.dispatch(OpenChat("5f0e3c"))

    def seen() -> int:
        view = bench.workbench.state.open["5f0e3c"].shown
        return 0 if view is None else view.turn

    await keeper.keep(*second)
    await bench.workbench.dispatch(OpenChat("5f0e3c"))
    assert seen() == 2
    await bench.workbench.dispatch(OpenTurn("5f0e3c", 1))
    await keeper.keep(*third)
    await bench.workbench.dispatch(OpenChat("5f0e3c"))
    assert seen() == 1
    await bench.workbench.dispatch(OpenTurn("5f0e3c", None))
    assert seen() == 3
    await bench.workbench.close()


@in_loop
async def test_what_a_watch_elsewhere_keeps_is_listed_and_shown_and_nothing_is_read_where_nobody_wrote():
    bench = await watched_bench(*agent_turns()[:1])
    store = bench.world.store
    assert isinstance(store, MemoryHistory)
    listed = len(bench.shows("chats"))
    await bench.workbench.dispatch(LookElsewhere())
    assert len(bench.shows("chats")) == listed
    await Keeper(store, FakeCatalogue()).keep(*agent_turns()[1])
    store.elsewhere = True
    await bench.workbench.dispatch(LookElsewhere())
    assert len(bench.shows("chats")) == listed + 1
    view = bench.workbench.state.open[CONVERSATION].shown
    assert view is not None
    assert view.turn == 2
    await bench.workbench.close()


@in_loop
async def test_a_block_that_comes_in_front_moves_the_others_and_they_are_no_difference():
    """One equal system prompt was new and gone at once, since a billing line came before it."""
    understood, turns = understanding(), list[tuple[WatchedTurn, Exchange]]()
    said = [{"role": "user", "content": "Hi there"}]
    blocks = [{"type": "text", "text": f"Block {n}. {'word ' * 99}"} for n in range(3)]
    line = {"type": "text", "text": "A line in front."}
    other = {"type": "text", "text": f"Other. {'word ' * 99}"}
    for n, system in enumerate((blocks, [line, *blocks], [line, blocks[0], other, blocks[2]]), 1):
        exchange = passed(n, "anthropic", {"model": "m", "max_tokens": 9, "system": system, "messages": said})
        turn = understood.take(exchange)
        assert turn is not None
        turns.append((turn, exchange))
        said = [*said, {"role": "assistant", "content": "Yes."}, {"role": "user", "content": f"More {n}"}]
    bench = await watched_bench(
        *((replace(one, conversation=CONVERSATION), exchange) for one, exchange in turns)
    )
    chat, found = CONVERSATION, []
    for before, after in ((1, 2), (2, 3)):
        await bench.workbench.dispatch(CompareTurns(chat, before, after))
        diff = bench.workbench.state.open[chat].compared
        assert diff is not None
        rows = [one for one in diff.causes if one.layer == "L1_SYSTEM"]
        found.append([(one.subject, one.before_tokens > 0, one.after_tokens > 0) for one in rows])
    assert found == [[("system[0].text", False, True)], [("system[2].text", True, True)]]
    await bench.workbench.close()


@in_loop
async def test_the_diff_says_the_figure_of_the_finding():
    """Two numbers for what one change lost are one too many."""
    first, second, (last, exchange) = agent_turns()
    found = Finding("prefix_lost", 640, "640 tokens are re-read.", "Keep one model.")
    lost = replace(changed_model(last), findings=(found,))
    bench = await watched_bench(first, second, (lost, exchange))
    view = bench.workbench.state.open[CONVERSATION].opened
    assert view is not None
    diff = view.diff()
    assert diff is not None
    assert diff.lost_tokens == found.tokens
    await bench.workbench.dispatch(CompareTurns(CONVERSATION, 1, 3))
    further = bench.workbench.state.open[CONVERSATION].compared
    assert further is not None
    assert (further.lost_tokens, further.after.watched) == (0, True)
    await bench.workbench.close()
