"""The request that the scripted pictures show: turn 9 of a chat about a token refresh, figure by figure."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from tests.fakes.sample_payload import wire_form
from workbench.domain.segment import LayerName
from workbench.domain.shown.envelope_view import (
    DropCard,
    DropOrder,
    EnvelopeView,
    LayerRow,
    Reason,
    ReasonCode,
    RowKey,
    RowState,
    SegmentRow,
)

LIMIT, RESERVE, TRIM_AT = 16_000, 2_000, 12_800
CACHED = 4_205
MODEL = "openai:gpt-4.1-mini"
FILES = {"project-spec.md": 3, "docs/api.md": 5, "src/auth.py": 5, "logs/big.log": 10}


def sample_view() -> EnvelopeView:
    """The next request: 11,686 of 16,000 tokens, 4,205 of them cached."""
    layers = (_system(), _library(), _history(), _turn(), _question())
    return EnvelopeView(
        turn=9,
        model=MODEL,
        layers=layers,
        total_tokens=sum(layer.tokens for layer in layers),
        trimmed=tuple(f"m{n}" for n in range(2, 13, 2)),
        trimmed_tokens=1_480,
        limit_tokens=LIMIT,
        reserve_tokens=RESERVE,
        threshold_tokens=TRIM_AT,
        cached_tokens=CACHED,
        cost_usd=0.0041,
        digest="4f0c92be" + digest_of("request")[8:],
        drop_order=_drop_order(),
        wire=wire_form,
    )


def over_view() -> EnvelopeView:
    """The same with all four files pinned: 14,486 tokens too many."""
    view = sample_view()
    turn = view.layers[3]
    log = replace(
        turn.rows[2],
        state="sent",
        counted=True,
        pinned=True,
        cache="new",
        reason=Reason("pinned"),
    )
    rows = (*(replace(row, pinned=True) for row in turn.rows[:2]), log)
    library = replace(view.layers[1], rows=tuple(replace(row, pinned=True) for row in view.layers[1].rows))
    layers = (
        view.layers[0],
        library,
        view.layers[2],
        _layer("L3_TURN", rows, Reason("rebuilt")),
        view.layers[4],
    )
    total = sum(layer.tokens for layer in layers)
    return replace(
        view, layers=layers, total_tokens=total, cost_usd=0.0116, drop_order=DropOrder((), 7, 26_806)
    )


def trial_view() -> EnvelopeView:
    """What keeping only the last two turns would make of it: 10,206 tokens, 1,835 of them cached."""
    view = sample_view()
    history = _layer("L4_STRIP", _history().rows[1:], Reason("grew", number=8), cached=0)
    fresh = replace(history, rows=tuple(replace(row, cache="new", cached_tokens=0) for row in history.rows))
    layers = (*view.layers[:2], fresh, *view.layers[3:])
    return replace(
        view,
        layers=layers,
        total_tokens=sum(layer.tokens for layer in layers),
        cached_tokens=1_835,
        cost_usd=0.0042,
    )


def turn_7_view() -> EnvelopeView:
    """Turn 7 as it was sent: its history trimmed, 1,835 tokens of it cached."""
    view = sample_view()
    history = replace(view.layers[2].rows[0], cache="new", cached_tokens=0)
    question = replace(view.layers[4].rows[0], tokens=55)
    layers = (
        *view.layers[:2],
        _layer("L4_STRIP", (history,), Reason("boundary", number=12)),
        _layer("L3_TURN", view.layers[3].rows[:1], Reason("rebuilt")),
        _layer("L5_USER", (question,), Reason()),
    )
    return replace(
        view,
        turn=7,
        layers=layers,
        total_tokens=sum(layer.tokens for layer in layers),
        cached_tokens=1_835,
        standing="sent",
        sent_utc="2026-11-12T13:57:00Z",
        drop_order=DropOrder(),
    )


def digest_of(words: str) -> str:
    """A digest that looks like one, and is always the same."""
    return sha256(words.encode()).hexdigest()


def _layer(
    name: LayerName, rows: tuple[SegmentRow, ...], reason: Reason, cached: int | None = None
) -> LayerRow:
    tokens = sum(row.tokens for row in rows if row.counted)
    read = sum(row.cached_tokens for row in rows) if cached is None else cached
    return LayerRow(name, tokens, rows, digest_of(name), read, reason)


def _row(
    layer: LayerName, name: str, tokens: int, state: RowState, why: tuple[ReasonCode, int]
) -> SegmentRow:
    """A row as most are: new, with the priority of its file, if it is one."""
    code, number = why
    return SegmentRow(
        key=RowKey(layer, name),
        members=(name,),
        kind="file",
        name=name,
        tokens=tokens,
        state=state,
        digest=digest_of(f"{layer} {name}"),
        priority=FILES.get(name),
        tunable=name in FILES,
        excludable=name in FILES,
        cache="new",
        reason=Reason(code, number=number),
    )


def _hit(row: SegmentRow) -> SegmentRow:
    return replace(row, cache="hit", cached_tokens=row.tokens)


def _system() -> LayerRow:
    persona = _row("L1_SYSTEM", "persona", 820, "locked", ("always_first", 0))
    memory = _row("L1_SYSTEM", "memory", 240, "locked", ("", 0))
    rows = (replace(persona, kind="persona"), replace(memory, kind="memory"))
    pinned = tuple(_hit(replace(row, pinned=True, priority=0)) for row in rows)
    return _layer("L1_SYSTEM", pinned, Reason("unchanged", number=1))


def _library() -> LayerRow:
    rows = (
        _row("L2_PREVIOUS", "project-spec.md", 410, "compacted", ("promoted", 1)),
        _row("L2_PREVIOUS", "docs/api.md", 365, "compacted", ("promoted", 2)),
    )
    return _layer("L2_PREVIOUS", tuple(_hit(row) for row in rows), Reason("unchanged", number=2))


def _history() -> LayerRow:
    old = _row("L4_STRIP", "turns 1-6", 1_480, "trimmed", ("boundary", 12))
    seventh = _row("L4_STRIP", "turn 7", 890, "sent", ("", 0))
    eighth = _row("L4_STRIP", "turn 8", 1_310, "sent", ("first_time", 0))
    rows = (
        _hit(replace(old, first_turn=1, last_turn=6, members=tuple(f"m{n}" for n in range(1, 13)))),
        _hit(replace(seventh, first_turn=7, last_turn=7, members=("m13", "m14"))),
        replace(eighth, first_turn=8, last_turn=8, members=("m15", "m16")),
    )
    said = tuple(
        replace(row, kind="turn", name="", priority=5, excludable=True, tunable=True) for row in rows
    )
    return _layer("L4_STRIP", said, Reason("grew", number=8))


def _turn() -> LayerRow:
    reference = _row("L3_TURN", "project-spec.md", 9, "reference", ("in_library", 0))
    source = _row("L3_TURN", "src/auth.py", 6_120, "sent", ("attached_now", 0))
    log = _row("L3_TURN", "logs/big.log", 18_800, "dropped", ("over_budget", 10))
    return _layer(
        "L3_TURN", (reference, source, replace(log, counted=False, cache="none")), Reason("rebuilt")
    )


def _question() -> LayerRow:
    row = _row("L5_USER", "question", 42, "locked", ("draft", 0))
    return _layer("L5_USER", (replace(row, kind="question", pinned=True, priority=0),), Reason())


def _drop_order() -> DropOrder:
    cards = (
        DropCard(
            RowKey("L3_TURN", "logs/big.log"), "logs/big.log", 18_800, 10, out=True, back_with_tokens=14_486
        ),
        DropCard(RowKey("L3_TURN", "src/auth.py"), "src/auth.py", 6_120, 5),
        DropCard(RowKey("L2_PREVIOUS", "docs/api.md"), "docs/api.md", 365, 5),
        DropCard(RowKey("L2_PREVIOUS", "project-spec.md"), "project-spec.md", 419, 3),
    )
    return DropOrder(cards, pinned=3, pinned_tokens=1_102)
