"""A result about the sample's last turn, so that its rows have figures, and the state that shows it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.influence import (
    CarriedWords,
    CouldGo,
    Influence,
    PieceInfluence,
    Reliability,
    SentenceInfluence,
)
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey, SegmentRow
from workbench.domain.shown.influence_view import InfluenceView, KeptInfluence
from workbench.engine.state import ChatState, WorkbenchState

ANSWER_TOKENS = 100


def measured_rows(view: EnvelopeView) -> list[SegmentRow]:
    """The rows that could be left out: all that are sent, but the question."""
    rows = [row for layer in view.layers for row in layer.rows if row.counted and layer.name != "L5_USER"]
    return list({row.key: row for row in rows}.values())


def result_for(view: EnvelopeView, **changes: Any) -> Influence:
    """Figures that fall from row to row, the last one below nothing; the first has words and sentences."""
    rows = measured_rows(view)
    nats = [40.0 / (place + 1) for place in range(len(rows) - 1)] + [-1.0]
    pieces = tuple(
        PieceInfluence(
            row.key.id, row.name or row.key.id, row.key.layer, "artifact", row.tokens, row.members,
            one, one / ANSWER_TOKENS,
        )
        for row, one in zip(rows, nats, strict=True)
    )  # fmt: skip
    first = replace(
        pieces[0],
        carried=(CarriedWords(0, 5, 25.0), CarriedWords(6, 11, 5.0)),
        sentences=(SentenceInfluence(31, "One renewal may be in flight.", 7, 30.0),),
        more_sentences=4,
        more_tokens=pieces[0].tokens - 7,
        more_nats=10.0,
    )
    made = Influence(
        "model", "leave_one_out", view.turn, "digest", ANSWER_TOKENS, -12.0, 0.0, 14, 14, 1000, 930,
        (first, *pieces[1:]), Reliability(0.81, 16), could_go=CouldGo(pieces[-1].id, pieces[-1].tokens, -0.01),
    )  # fmt: skip
    return replace(made, **changes)


def looked_back(**changes: Any) -> tuple[WorkbenchState, ChatState]:
    """The sample with its request opened as it was sent, measured before; the changes are the result's."""
    state = sample_state()
    chat = state.open[CHAT]
    view = chat.view
    assert view is not None
    turn = next(one for one in reversed(chat.turns) if one.reply)
    sent = replace(view, standing="sent")
    kept = KeptInfluence(
        turn.number, turn.question, turn.reply or "", turn.reply or "", 0, result_for(sent, **changes)
    )
    chat = replace(chat, opened=sent, influence=kept)
    return replace(state, open={**state.open, CHAT: chat}), chat


def measuring(state: WorkbenchState, chat: ChatState, **changes: Any) -> WorkbenchState:
    """The same with a measurement of that answer under way."""
    kept = chat.influence
    assert kept is not None
    from workbench.domain.influence import InfluenceWish

    live = InfluenceView(chat.chat.id, kept.question, kept.reply, InfluenceWish())
    return replace(state, influence=replace(live, **changes))


def first_key(chat: ChatState) -> RowKey:
    """The row with the largest figure."""
    assert chat.opened is not None
    return measured_rows(chat.opened)[0].key
