"""Cells of the Compare page: text, colours and badges of every row, for each request that is compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from workbench.domain.files.file_names import short_path
from workbench.domain.segment import LayerName
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.control import settings_of
from workbench.domain.shown.comparison import Comparison, ComparisonColumn
from workbench.domain.shown.envelope_view import RowKey, RowState
from workbench.domain.variant import INSTRUCTIONS, Variant
from workbench.ui import formatting
from workbench.ui.look.tones import WIRE_ORDER, layer_word, state_word
from workbench.ui.model_button import model_name
from workbench.ui.translation import N_, listed, tr
from workbench.ui.widgets.budget_bar.segments import BarModel, BarSegment
from workbench.ui.widgets.plain import shown

CUT_FROM, CUT_TO = 4, 1.6
"""A scale above `CUT_FROM` times the largest request is reduced to `CUT_TO` times that request."""
BUDGET = "budget"
_CHANGED: Mapping[str, str] = {
    "model": N_("model {value}"),
    BUDGET: N_("budget {value}"),
    "parameters.temperature": N_("temperature {value}"),
    INSTRUCTIONS: N_("other instructions"),
}
"""Texts for what a variant changes besides context settings, which declare their own texts."""


_DECLARED = {one.name: one for one in settings_of(ContextSettings)}


class Cell(NamedTuple):
    """One cell: its text and colour, a quieter `note`, and at its end, in `more`, the difference from the first column.

    Before the text, `state` is painted as a badge, or `icon` if there is no state.
    """

    words: str
    token: str = "t1"
    more: str = ""
    more_token: str = "t3"
    state: RowState | None = None
    icon: str = ""
    strong: bool = False
    note: str = ""


class Row(NamedTuple):
    """A row: its title, the layer whose tag is painted before it, and whether a line is drawn above it."""

    name: str
    title: str
    layer: LayerName | None = None
    line: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """One column as it is painted: a request with its bar and cells.

    Attributes:
        problem: why the request could not be built; waiting: it is still being built.
        bar: the request's bar, on the scale that all columns share; cells: by the names of rows.
    """

    name: str
    patch: str
    cells: Mapping[str, Cell]
    bar: BarModel | None = None
    scale_tokens: int = 1
    problem: str = ""
    waiting: bool = False

    @property
    def spoken(self) -> str:
        """Text of the whole column for a screen reader."""
        if self.problem:
            return tr("{name}: can’t be built. {why}").format(name=self.name, why=self.problem)
        if self.waiting:
            return tr("{name}: being built").format(name=self.name)
        titles = {row.name: row.title for row in rows_of()}
        said = ((titles[name], _spoken_cell(cell)) for name, cell in self.cells.items())
        words = listed(f"{title}: {cell}" for title, cell in said)
        return f"{self.name}, {self.patch}. {words}" if self.patch else f"{self.name}. {words}"


def rows_of() -> tuple[Row, ...]:
    """All rows below the header, from top to bottom."""
    layers = [
        Row(name, layer_word(name) if name != "L5_USER" else tr("Message"), name, place == 0)
        for place, name in enumerate(WIRE_ORDER)
    ]
    return (
        Row("tokens", tr("Tokens")),
        *layers,
        Row("dropped", tr("Dropped"), line=True),
        Row("shortened", tr("Shortened")),
        Row("cached", tr("Cached now"), line=True),
        Row("price", tr("Price now")),
        Row("always", tr("From turn 1")),
        Row("fits", tr("Fits")),
    )


def shown_columns(comparison: Comparison) -> tuple[Shown, ...]:
    """The columns to paint: the request that is compared, then the variants in their order."""
    first = comparison.first
    if first is None:
        return tuple(_missing_column(one, comparison) for one in comparison.variants)
    scale = scale_of(comparison)
    base = Shown(
        first_name(comparison), first_line(first), _cells(first, first), column_bar(first, scale), scale
    )
    return (base, *(_variant_column(one, comparison, first, scale) for one in comparison.variants))


def first_name(comparison: Comparison) -> str:
    """Title of the first column."""
    return tr("Next request") if comparison.turn is None else tr("As sent")


def first_line(first: ComparisonColumn) -> str:
    """Subtitle of the first column: its model and layout."""
    return f"{model_name(first.model)}, {layout_word(first.layout)}"


def scale_of(comparison: Comparison) -> int:
    """How many tokens the full width of every bar represents; a window far larger than all requests is cut off."""
    wholes = (max(one.tokens, one.limit_tokens) + one.reserve_tokens for one in comparison.columns)
    most = max((one.tokens for one in comparison.columns), default=0)
    whole = max(wholes, default=1)
    return whole if whole <= CUT_FROM * most else max(1, round(CUT_TO * most))


def column_bar(column: ComparisonColumn, scale_tokens: int) -> BarModel:
    """Budget bar of a column's request, cut off at `scale_tokens`."""
    segments = tuple(
        BarSegment(RowKey(layer, str(number)), tokens)
        for number, (layer, tokens) in enumerate(column.parts)
        if tokens
    )
    limit = min(column.limit_tokens, scale_tokens)
    reserve = max(0, min(column.reserve_tokens, scale_tokens - max(limit, column.tokens)))
    trim = column.threshold_tokens
    return BarModel(
        segments, limit, reserve, trim if trim is not None and trim < scale_tokens else None,
        column.switch_cached_tokens, column.exact,
    )  # fmt: skip


def layout_word(layout: str) -> str:
    """Name of a layout inside a sentence."""
    tried = _DECLARED["layout"].control.what_if
    words = None if tried is None else tried.choices.get(layout)
    return layout if words is None else tr(words.label).lower()


def patch_words(patch: tuple[tuple[str, str], ...], reserve_tokens: int | None = None) -> str:
    """What a variant changes, in a few words; with `reserve_tokens` a context window is given as its budget."""
    return ", ".join(_change_words(*_window_as_budget(one, reserve_tokens)) for one in patch) or tr(
        "nothing changed"
    )


def _window_as_budget(change: tuple[str, str], reserve_tokens: int | None) -> tuple[str, str]:
    name, value = change
    if name != "context_window" or reserve_tokens is None or not value.isdigit():
        return change
    return BUDGET, str(max(0, int(value) - reserve_tokens))


def price_words(column: ComparisonColumn) -> str:
    """Uncached tokens and price of the request if the chat were switched to this column."""
    cached = column.switch_cached_tokens
    fresh = (
        tr("cache unknown")
        if cached is None
        else tr("{tokens} not cached").format(tokens=formatting.token_words(max(0, column.tokens - cached)))
    )
    return fresh if column.switch_usd is None else f"{fresh}, {_usd(column.switch_usd)}"


def _variant_column(variant: Variant, comparison: Comparison, first: ComparisonColumn, scale: int) -> Shown:
    column = comparison.column(variant.name)
    if column is None:
        return _missing_column(variant, comparison)
    return Shown(
        shown(variant.name, 60), patch_words(variant.patch, column.reserve_tokens), _cells(column, first),
        column_bar(column, scale), scale,
    )  # fmt: skip


def _missing_column(variant: Variant, comparison: Comparison) -> Shown:
    why = comparison.problem(variant.name)
    words = patch_words(variant.patch)
    return Shown(shown(variant.name, 60), words, {}, problem=shown(why, 400), waiting=not why)


def _cells(column: ComparisonColumn, first: ComparisonColumn) -> dict[str, Cell]:
    same, exact = column is first, column.exact and first.exact
    sent = Cell(_marked_if_estimated(column, formatting.tokens(column.tokens)), strong=True)
    found = {"tokens": _with_difference(sent, column.tokens, None if same else first.tokens, exact=exact)}
    for layer in WIRE_ORDER:
        tokens = column.tokens_of(layer)
        cell = Cell(formatting.tokens(tokens), "t1" if tokens else "t3")
        found[layer] = _with_difference(cell, tokens, None if same else first.tokens_of(layer), exact=exact)
    found["dropped"] = (
        _items_cell("dropped", column.dropped) if column.dropped else _items_cell("excluded", column.left_out)
    )
    found["shortened"] = _items_cell("compacted", column.shortened)
    found["cached"] = _cached_cell(column, first)
    found["price"] = _price_cell(column, first)
    found["always"] = _from_first_turn_cell(column)
    found["fits"] = _fits_cell(column)
    return found


def _with_difference(
    cell: Cell, value: float, first: float | None, *, better: int = -1, exact: bool = True
) -> Cell:
    """The cell with the difference from the first column added; `better` is 1 where more is better, -1 where less is.

    Unless both counts are exact, the difference is coloured neither good nor bad: part of it may be estimation error.
    """
    if first is None or value == first:
        return cell
    step = round(value - first)
    if not exact:
        return cell._replace(more=f"≈ {formatting.signed_tokens(step)}", more_token="t2")
    good = step * better > 0
    return cell._replace(more=formatting.signed_tokens(step), more_token="ok" if good else "err")


def _items_cell(state: RowState, ids: tuple[str, ...]) -> Cell:
    if not ids:
        return Cell(tr("nothing"), "t3")
    if len(ids) == 1:
        return Cell(shown(ids[0].rpartition("/")[2], 60), "t2", state=state)
    return Cell(formatting.counted(len(ids), tr("{n} item"), tr("{n} items")), "t2", state=state)


def _cached_cell(column: ComparisonColumn, first: ComparisonColumn) -> Cell:
    cached = column.switch_cached_tokens
    if cached is None:
        return Cell(tr("unknown"), "t3")
    share = formatting.percent(cached / column.tokens) if column.tokens else ""
    cell = Cell(formatting.tokens(cached), note=share)
    base = None if column is first else first.switch_cached_tokens
    return _with_difference(cell, cached, base, better=1, exact=column.exact and first.exact)


def _price_cell(column: ComparisonColumn, first: ComparisonColumn) -> Cell:
    usd = column.switch_usd
    if usd is None:
        return Cell(tr("unknown"), "t3")
    cell = Cell(_usd(usd), strong=True)
    base = None if column is first else first.switch_usd
    if base is None or usd == base:
        return cell
    token = "ok" if usd < base else "err"
    return cell._replace(more=formatting.signed_usd(usd - base), more_token=token)


def _from_first_turn_cell(column: ComparisonColumn) -> Cell:
    if column.cached_tokens is None:
        return Cell(tr("unknown"), "t3")
    words = formatting.tokens(column.cached_tokens)
    return Cell(words, "t2", "" if column.usd is None else _usd(column.usd), "t2")


def _fits_cell(column: ComparisonColumn) -> Cell:
    if column.fits:
        words = tr("fits, {n} free").format(n=formatting.tokens(column.free_tokens))
        return Cell(words, "ok", icon="check")
    return Cell(tr("over by {n}").format(n=formatting.tokens(column.over_tokens)), "err", icon="warn")


def _marked_if_estimated(column: ComparisonColumn, words: str) -> str:
    return words if column.exact else f"≈ {words}"


def _usd(amount: float) -> str:
    return tr("no cost") if amount == 0 else formatting.usd(amount)


def _spoken_cell(cell: Cell) -> str:
    said = (state_word(cell.state) if cell.state is not None else "", cell.words, cell.note, cell.more)
    return " ".join(one for one in said if one)


def _change_words(name: str, value: str) -> str:
    kind, _, subject = name.partition(".")
    if kind == "priority" and subject:
        return tr("{what}: priority {n}").format(what=shown(short_path(subject), 40), n=value)
    if kind == "attach" and subject:
        words = tr("{what} in") if value == "in" else tr("{what} out")
        return words.format(what=shown(short_path(subject), 40))
    declared = _DECLARED.get(name)
    if value == "None" and declared is not None and declared.control.cleared:
        return tr(declared.control.cleared)
    if value == "None" and name == "parameters.temperature":
        return tr("temperature not set")
    words = tr(declared.control.changed) if declared is not None else tr(_CHANGED.get(name, ""))
    if not words and declared is not None:
        here = declared.control.in_chat
        label = declared.control.label or (here.label if here is not None else "")
        words = f"{tr(label)}: {{value}}" if label else ""
    if not words:
        return f"{shown(name, 40)} {shown(_value_words(name, value), 40)}"
    return words.format(value=shown(_value_words(name, value), 40))


def _value_words(name: str, value: str) -> str:
    if value in ("None", "False"):
        return tr("off")
    if value == "True":
        return tr("on")
    if name == "model":
        return model_name(value)
    if name == "layout":
        return layout_word(value)
    if name in _DECLARED and _DECLARED[name].control.percent:
        return formatting.percent(float(value))
    return formatting.tokens(int(value)) if value.isdigit() else value
