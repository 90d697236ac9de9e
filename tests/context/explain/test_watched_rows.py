"""Rows of a watched request: what changed is said, tools that were called stand apart, equal names are numbered."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.counter import LetterCounter
from tests.fakes.watched import QUESTION, agent_turns, watched
from workbench.context.explain.row_facts import CachedRun, RowFacts
from workbench.context.explain.view import watched_rows
from workbench.domain.change import Built
from workbench.domain.shown.envelope_view import SegmentRow
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedTurn
from workbench.engine.watch.turn_of import Before, kept_request


def built(turn: tuple[WatchedTurn, Exchange]) -> Built:
    return kept_request("c", *turn, WORD_MODEL, Before()).turn.built


def rows(now: Built, before: Built | None, layer: int = 0, read: int | None = None) -> list[SegmentRow]:
    facts = RowFacts(now, LetterCounter(), before, frozenset(), {}, {}, "sent")
    return list(watched_rows(now.envelope.layers[layer], facts, CachedRun(read)))


def test_what_is_new_and_what_changed_is_said():
    first, second, third = map(built, agent_turns())
    assert [row.reason.code for row in rows(second, first)] == ["", "marked"]
    assert [row.reason.code for row in rows(third, second, 2)] == ["", "", "", "", "first_time"]
    other = built(watched(2, [("user", (QUESTION,))], tools=("Read", "Write")))
    assert [row.reason.code for row in rows(other, first)] == ["changed", "marked"]


def test_rows_know_what_of_them_a_cache_holds():
    first, *_ = map(built, agent_turns())
    tools, system = rows(first, None, 0, 300)
    assert (tools.cache, tools.cached_tokens) == ("hit", 270)
    assert (system.cache, system.cached_tokens) == ("part", 30)


def test_pieces_that_are_called_alike_are_numbered():
    turn, exchange = agent_turns()[0]
    pieces = turn.request.pieces
    again = replace(pieces[3], path="system[1].text")
    more = replace(turn, request=replace(turn.request, pieces=(*pieces[:4], again, *pieces[4:])))
    assert [(row.kind, row.first_turn) for row in rows(built((more, exchange)), None)] == [
        ("tools", 3),
        ("system", 1),
        ("system", 2),
    ]
