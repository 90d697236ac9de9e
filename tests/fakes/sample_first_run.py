"""The first start as a scene: the sample chat with its third question waiting, and the built-in model ready."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.sample_envelope import digest_of
from tests.fakes.sample_state import NOW, sample_state
from workbench.domain.record import Chat
from workbench.domain.segment import LayerName
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.domain.shown.envelope_view import (
    EnvelopeView,
    LayerRow,
    Reason,
    ReasonCode,
    RowKey,
    SegmentRow,
)
from workbench.domain.shown.turn_view import TurnRow
from workbench.engine.conversation import Conversation
from workbench.engine.state import ChatState, Readiness, WorkbenchState

CHAT = "sample"
QUESTION = "Which endpoint refreshes a token, and who calls it?"
# layer, name, tokens, cached, state, kind, reason
ROWS: tuple[tuple[LayerName, str, int, bool, str, str, ReasonCode], ...] = (
    ("L1_SYSTEM", "persona", 96, True, "locked", "persona", "always_first"),
    ("L1_SYSTEM", "memory", 24, True, "locked", "memory", ""),
    ("L2_PREVIOUS", "project-spec.md", 212, True, "compacted", "file", "promoted"),
    ("L2_PREVIOUS", "docs/api.md", 148, True, "compacted", "file", "promoted"),
    ("L4_STRIP", "turn 1", 168, True, "sent", "turn", ""),
    ("L4_STRIP", "turn 2", 143, False, "sent", "turn", "first_time"),
    ("L3_TURN", "project-spec.md", 9, False, "reference", "file", "in_library"),
    ("L3_TURN", "src/auth.py", 141, False, "sent", "file", "attached_now"),
    ("L5_USER", "question", 15, False, "locked", "question", "draft"),
)


def first_run_state() -> WorkbenchState:
    """Nothing but the sample."""
    chat = Chat(CHAT, NOW, "Sample: three turns", ContextSettings(model="builtin"), used_utc=NOW)
    opened = ChatState(
        chat=chat,
        conversation=Conversation(CHAT, turn=2),
        draft=QUESTION,
        view=_view(),
        attachments=_attachments(),
        turns=(_turn(1, 0), _turn(2, 120)),
    )
    found = tuple(one for one in sample_state().models or () if not one.name.startswith("openai"))
    return WorkbenchState(
        chats=(chat,),
        open={CHAT: opened},
        models=found,
        readiness={"builtin": Readiness(ready=True, took_ms=1_400)},
    )


def _view() -> EnvelopeView:
    names: tuple[LayerName, ...] = ("L1_SYSTEM", "L2_PREVIOUS", "L4_STRIP", "L3_TURN", "L5_USER")
    layers = tuple(_layer(name) for name in names)
    return EnvelopeView(
        turn=3, model="builtin", layers=layers, total_tokens=sum(layer.tokens for layer in layers),
        limit_tokens=7_168, reserve_tokens=1_024, threshold_tokens=5_734, cached_tokens=648, cost_usd=0.0, local=True,
        digest=digest_of("first run"),
    )  # fmt: skip


def _layer(name: LayerName) -> LayerRow:
    rows = tuple(_row(place) for place, row in enumerate(ROWS) if row[0] == name)
    return LayerRow(
        name, sum(row.tokens for row in rows), rows, digest_of(name), sum(row.cached_tokens for row in rows)
    )


def _row(place: int) -> SegmentRow:
    layer, name, tokens, cached, state, kind, reason = ROWS[place]
    number = int(name.removeprefix("turn ")) if kind == "turn" else 0
    row = SegmentRow(
        key=RowKey(layer, name), members=(name,), kind=kind, name="" if kind == "turn" else name, tokens=tokens,
        state="sent", digest=digest_of(name + layer), priority=3 if name == "project-spec.md" else 5,
        pinned=state == "locked", tunable=kind == "file", excludable=kind in ("file", "turn"),
        cache="hit" if cached else "new", cached_tokens=tokens if cached else 0,
        reason=Reason(reason, number=place - 1), first_turn=number, last_turn=number,
    )  # fmt: skip
    if state == "locked":
        return replace(row, state="locked", priority=0)
    if state == "compacted":
        return replace(row, state="compacted")
    return replace(row, state="reference") if state == "reference" else row


def _attachments() -> tuple[AttachmentRow, ...]:
    return (
        AttachmentRow("project-spec.md", "file", "project-spec.md", 212, 3, False, "compacted"),
        AttachmentRow("docs/api.md", "file", "docs/api.md", 148, 5, False, "compacted"),
        AttachmentRow("src/auth.py", "file", "src/auth.py", 141, 5, False, "sent"),
    )


def _turn(number: int, cached: int) -> TurnRow:
    return TurnRow(
        number, f"q{number}", f"a{number}", "What is this service for?", NOW, "builtin", "complete", 360 + 40 * number,
        360 + 40 * number, cached, None if number == 1 else cached, 90, None, None if number == 1 else "as_predicted",
        local=True, cost_usd=0.0,
    )  # fmt: skip
