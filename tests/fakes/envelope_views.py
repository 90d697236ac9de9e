"""Requests as they are drawn, made up for tests: changed at random, or very long."""

from __future__ import annotations

import random  # noqa: TID251 - seeded
from collections.abc import Iterator
from dataclasses import replace

from workbench.domain.segment import LayerName
from workbench.domain.shown.envelope_view import EnvelopeView, LayerRow, Reason, RowKey, RowState, SegmentRow

LAYERS: tuple[LayerName, ...] = ("L1_SYSTEM", "L2_PREVIOUS", "L4_STRIP", "L3_TURN", "L5_USER")
STATES: tuple[RowState, ...] = ("sent", "compacted", "dropped", "excluded", "locked", "stale")


def made_row(layer: LayerName, name: str, tokens: int = 10, state: RowState = "sent") -> SegmentRow:
    """A row of an attachment."""
    return SegmentRow(
        RowKey(layer, name),
        (name,),
        "file",
        name,
        tokens,
        state,
        f"{tokens:08x}",
        priority=5,
        tunable=True,
        excludable=True,
        counted=state not in ("dropped", "excluded"),
        cache="new",
    )


def made_view(layers: dict[LayerName, tuple[SegmentRow, ...]], limit_tokens: int = 16_000) -> EnvelopeView:
    """A request of these rows."""
    made = tuple(
        LayerRow(name, sum(row.tokens for row in rows if row.counted), rows, f"{len(rows):08x}")
        for name, rows in layers.items()
    )
    return EnvelopeView(1, "model", made, sum(layer.tokens for layer in made), limit_tokens, 2_000)


def long_view(rows: int = 2_000, draft_tokens: int = 42) -> EnvelopeView:
    """A request of very many rows; only the draft differs between two of them."""
    per = rows // 2
    history = tuple(_turn(number) for number in range(1, per + 1))
    files = tuple(
        made_row("L3_TURN", f"src/file{number}.py", 20 + number % 90) for number in range(rows - per)
    )
    return made_view(
        {
            "L1_SYSTEM": (replace(made_row("L1_SYSTEM", "persona", 820, "locked"), kind="persona"),),
            "L4_STRIP": history,
            "L3_TURN": files,
            "L5_USER": (replace(made_row("L5_USER", "question", draft_tokens, "locked"), kind="question"),),
        },
        limit_tokens=400_000,
    )


def retyped(view: EnvelopeView, draft_tokens: int, anew: bool = False) -> EnvelopeView:
    """The same request after a keystroke; with `anew` every row is another object, as after a full rebuild."""
    layers = []
    for layer in view.layers:
        if layer.name == "L5_USER":
            row = replace(layer.rows[0], tokens=draft_tokens, digest=f"{draft_tokens:08x}")
            layers.append(replace(layer, tokens=draft_tokens, rows=(row,), digest=row.digest))
        else:
            layers.append(replace(layer, rows=tuple(replace(row) for row in layer.rows)) if anew else layer)
    return replace(view, layers=tuple(layers), total_tokens=sum(layer.tokens for layer in layers))


def wandering(seed: int, steps: int) -> Iterator[EnvelopeView | None]:
    """Requests, each a random change of the one before: rows come, go, move and change; layers too."""
    dice = random.Random(seed)
    rows: dict[LayerName, list[SegmentRow]] = {}
    for number in range(steps):
        for layer in LAYERS:
            if dice.random() < 0.3:
                rows[layer] = _shaken(dice, layer, rows.get(layer, []), number)
            elif dice.random() < 0.08:
                rows.pop(layer, None)
        if dice.random() < 0.05:
            yield None
            continue
        kept = {layer: tuple(rows[layer]) for layer in LAYERS if layer in rows}
        yield made_view(kept, limit_tokens=dice.choice((16_000, 16_000, 16_000, 32_000)))


def _shaken(dice: random.Random, layer: LayerName, rows: list[SegmentRow], number: int) -> list[SegmentRow]:
    kept = [row for row in rows if dice.random() > 0.15]
    changed = [_changed(dice, row) if dice.random() < 0.3 else row for row in kept]
    if dice.random() < 0.25:
        dice.shuffle(changed)
    for extra in range(dice.choice((0, 0, 1, 3))):
        fresh = made_row(layer, f"row {number}.{extra}", dice.randint(1, 900))
        changed.insert(dice.randint(0, len(changed)), fresh)
    return changed


def _changed(dice: random.Random, row: SegmentRow) -> SegmentRow:
    state = dice.choice(STATES)
    return dice.choice(
        (
            replace(row),
            replace(row, tokens=dice.randint(1, 2_000), digest=f"{dice.randint(0, 99):08x}"),
            replace(row, state=state, counted=state not in ("dropped", "excluded")),
            replace(row, pinned=not row.pinned),
            replace(row, priority=dice.randint(0, 10)),
            replace(row, reason=Reason("promoted", number=dice.randint(1, 9))),
            replace(
                row, cache=dice.choice(("hit", "new", "part")), cached_tokens=dice.randint(0, row.tokens)
            ),
        )
    )


def _turn(number: int) -> SegmentRow:
    row = made_row("L4_STRIP", f"turn {number}", 30 + number % 70)
    return replace(row, name="", kind="turn", first_turn=number, last_turn=number)
