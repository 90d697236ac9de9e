"""What a row of a request is called, and which icon it has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QCoreApplication

from workbench.domain.shown.envelope_view import DropCard, EnvelopeView, RowKey, SegmentRow
from workbench.ui import formatting
from workbench.ui.widgets.plain import shown

MOST_NAMED = 3
_ICONS: Mapping[str, str] = {
    "persona": "user",
    "memory": "bulb",
    "question": "edit",
    "turn": "chat",
    "tool": "tool",
    "tools": "tool",
    "url": "globe",
    "web_tab": "globe",
    "youtube": "globe",
    "web_selection": "globe",
    "image": "image",
    "folder": "folder",
    "clipboard": "clip",
    "project": "book",
}


def row_icon(row: SegmentRow) -> str:
    """The icon of what the row stands for."""
    if row.key.layer == "L4_STRIP":
        return "compact" if row.kind == "summary" else "cut" if row.state == "trimmed" else "chat"
    return _ICONS.get(row.kind, "file")


def row_name(row: SegmentRow) -> str:
    """What the row is called: its own name, or the turns it stands for."""
    if row.name:
        return shown(row.name)
    if row.kind == "summary":
        return _tr("summary of {turns}").format(turns=turns_name(row.first_turn, row.last_turn))
    if row.first_turn:
        return turns_name(row.first_turn, row.last_turn)
    return shown(row.key.id)


def card_name(card: DropCard) -> str:
    """What a card of the drop order is called."""
    return shown(card.name or card.key.id)


def turns_name(first: int, last: int) -> str:
    """A turn, or a run of them."""
    if first == last:
        return _tr("turn {n}").format(n=formatting.tokens(first))
    return _tr("turns {a}–{b}").format(a=formatting.tokens(first), b=formatting.tokens(last))


def rows_named(view: EnvelopeView, keys: Iterable[RowKey]) -> str:
    """Several rows in a sentence: turns in runs, then the rest; the last ones as a number."""
    wanted = set(keys)
    found = [row for layer in view.layers for row in layer.rows if row.key in wanted]
    turns = [row for row in found if not row.name and row.first_turn]
    names = [turns_name(first, last) for first, last in _runs_of_turns(turns)]
    names += dict.fromkeys(row_name(row) for row in found if row.name or not row.first_turn)
    return listed(names)


def listed(names: Sequence[str]) -> str:
    """Names in a sentence, at most three of them."""
    if len(names) > MOST_NAMED:
        rest = len(names) - MOST_NAMED + 1
        names = [*names[: MOST_NAMED - 1], _tr("{n} more").format(n=formatting.tokens(rest))]
    words = ("", _tr("{0}"), _tr("{0} and {1}"), _tr("{0}, {1} and {2}"))[len(names)]
    return words.format(*names)


def _runs_of_turns(rows: Sequence[SegmentRow]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for row in sorted(rows, key=lambda row: row.first_turn):
        if runs and row.first_turn <= runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], max(runs[-1][1], row.last_turn))
        else:
            runs.append((row.first_turn, row.last_turn))
    return runs


def _tr(words: str) -> str:
    return QCoreApplication.translate("Row", words)
