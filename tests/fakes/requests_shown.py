"""Requests and chats as the inspector's pages get them: the scripted ones, and small or huge ones."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.sample_envelope import sample_view
from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.request import PayloadMessage, Piece, WireForm
from workbench.domain.shown.envelope_view import EnvelopeView, LayerRow, RowKey, SegmentRow
from workbench.domain.shown.turn_view import TurnRow
from workbench.engine.state import ChatState, WorkbenchState

AUTH = RowKey("L3_TURN", "src/auth.py")
QUESTION = RowKey("L5_USER", "question")


def scripted_state() -> tuple[WorkbenchState, ChatState]:
    """The state of the pictures, and its open chat."""
    state = sample_state()
    return state, state.open[CHAT]


def sent_view(turn: int = 7) -> EnvelopeView:
    """A turn's request as it was sent: the history's first row, a reference and a question."""
    view = sample_view()
    system, library, history, of_turn, question = view.layers
    layers = (
        system,
        library,
        replace(history, tokens=1_480, rows=history.rows[:1]),
        replace(of_turn, tokens=9, rows=of_turn.rows[:1]),
        replace(question, tokens=55, rows=(replace(question.rows[0], tokens=55),)),
    )
    return replace(
        view,
        turn=turn,
        layers=layers,
        total_tokens=3_379,
        cached_tokens=1_835,
        standing="sent",
        sent_utc="2026-11-12T13:57:00Z",
    )


def view_of(*texts: str) -> EnvelopeView:
    """A request of one message for each text, each a row of the history."""
    keys = [RowKey("L4_STRIP", f"m{number}") for number in range(len(texts))]
    rows = tuple(
        SegmentRow(key, (key.id,), "turn", f"row {number}", 10, "sent") for number, key in enumerate(keys)
    )
    messages = tuple(
        PayloadMessage("user", (Piece(key.layer, key.id, text),), 10)
        for key, text in zip(keys, texts, strict=True)
    )
    form = WireForm(
        lambda: messages,
        {"messages": [{"role": "user", "content": text} for text in texts]},
        "https://models.example/v1/chat",
        places=tuple(("messages", number, "content") for number in range(len(texts))),
    )
    return replace(
        sample_view(),
        layers=(LayerRow("L4_STRIP", 10 * len(texts), rows),),
        total_tokens=10 * len(texts),
        wire=lambda: form,
    )


def many_turns(count: int) -> tuple[TurnRow, ...]:
    """The scripted turns again and again, under numbers of their own."""
    turns = scripted_state()[1].turns
    return tuple(replace(turns[number % len(turns)], number=number + 1) for number in range(count))
