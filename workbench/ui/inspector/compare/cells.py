"""A comparison as cells: what each column says in each row, in words and in how they are painted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from workbench.domain.files.file_names import short_path
from workbench.domain.segment import LayerName
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.control import settings_of
from workbench.domain.shown.comparison import Column, Comparison
from workbench.domain.shown.envelope_view import RowKey, RowState
from workbench.domain.variant import INSTRUCTIONS, Variant
from workbench.ui import formatting
from workbench.ui.look.tones import WIRE_ORDER, layer_word, state_word
from workbench.ui.model_button import model_name
from workbench.ui.translation import N_, setting_tr, translator
from workbench.ui.widgets.budget_bar.segments import BarModel, BarSegment
from workbench.ui.widgets.plain import shown

_tr = translator("Compare")
CUT_FROM, CUT_TO = 4, 1.6
"""From how many times the largest request on a window is cut off a bar, and what is shown of it then."""
BUDGET = "budget"
_CHANGED: Mapping[str, str] = {
    "model": N_("model {value}"),
    BUDGET: N_("budget {value}"),
    "parameters.temperature": N_("temperature {value}"),
    INSTRUCTIONS: N_("other instructions"),
}
"""What a variant changes that is no setting of a request's build; words for those are declared beside them."""


_DECLARED = {one.name: one for one in settings_of(ContextSettings)}


class Cell(NamedTuple):
    """One cell: its words and their colour, and quieter words; at its end the difference with the first column.

    `state` is painted as a badge before the words, `icon` before them otherwise.
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
    """A row: its title, the layer whose tag stands before it, and whether a line stands above it."""

    name: str
    title: str
    layer: LayerName | None = None
    line: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """One column as it is painted.

    Attributes:
        problem: why it could not be built; waiting: it is not there yet.
        bar: the request, on a scale; cells: by the names of rows.
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
        """All of it as one text."""
        if self.problem:
            return _tr("{name}: can’t be built. {why}").format(name=self.name, why=self.problem)
        if self.waiting:
            return _tr("{name}: being built").format(name=self.name)
        titles = {row.name: row.title for row in rows_of()}
        said = ((titles[name], _spoken(cell)) for name, cell in self.cells.items())
        words = "; ".join(f"{title}: {cell}" for title, cell in said)
        return f"{self.name}, {self.patch}. {words}" if self.patch else f"{self.name}. {words}"


def rows_of() -> tuple[Row, ...]:
    """All rows below the heads, from top to bottom."""
    layers = [
        Row(name, layer_word(name) if name != "L5_USER" else _tr("Message"), name, place == 0)
        for place, name in enumerate(WIRE_ORDER)
    ]
    return (
        Row("tokens", _tr("Tokens")),
        *layers,
        Row("dropped", _tr("Dropped"), line=True),
        Row("shortened", _tr("Shortened")),
        Row("cached", _tr("Cached now"), line=True),
        Row("price", _tr("Price now")),
        Row("always", _tr("From turn 1")),
        Row("fits", _tr("Fits")),
    )


def shown_columns(comparison: Comparison) -> tuple[Shown, ...]:
    """Every column: the first one, then the variants in their order."""
    first = comparison.first
    if first is None:
        return tuple(_missing(one, comparison) for one in comparison.variants)
    scale = scale_of(comparison)
    base = Shown(
        first_name(comparison), first_line(first), _cells(first, first), column_bar(first, scale), scale
    )
    return (base, *(_variant(one, comparison, first, scale) for one in comparison.variants))


def first_name(comparison: Comparison) -> str:
    """What the first column is called."""
    return _tr("Next request") if comparison.turn is None else _tr("As sent")


def first_line(first: Column) -> str:
    """What stands under the name of the first column."""
    return f"{model_name(first.model)}, {layout_word(first.layout)}"


def scale_of(comparison: Comparison) -> int:
    """What the whole width stands for, one scale for all; a window that is far larger than any request is cut."""
    wholes = (max(one.tokens, one.limit_tokens) + one.reserve_tokens for one in comparison.columns)
    most = max((one.tokens for one in comparison.columns), default=0)
    whole = max(wholes, default=1)
    return whole if whole <= CUT_FROM * most else max(1, round(CUT_TO * most))


def column_bar(column: Column, scale_tokens: int) -> BarModel:
    """A column's request as a bar, at most as long as the scale."""
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
    """What a layout is called inside a sentence."""
    tried = _DECLARED["layout"].control.what_if
    words = None if tried is None else tried.choices.get(layout)
    return layout if words is None else setting_tr(words.label).lower()


def patch_words(patch: tuple[tuple[str, str], ...], reserve_tokens: int | None = None) -> str:
    """What a variant changes, in a few words; a window is told as its budget where the reply's part of it is known."""
    return ", ".join(_change(*_budget(one, reserve_tokens)) for one in patch) or _tr("nothing changed")


def _budget(change: tuple[str, str], reserve_tokens: int | None) -> tuple[str, str]:
    name, value = change
    if name != "context_window" or reserve_tokens is None or not value.isdigit():
        return change
    return BUDGET, str(max(0, int(value) - reserve_tokens))


def price_words(column: Column) -> str:
    """What the request would cost, had the chat been switched to it: said before somebody does."""
    cached = column.switch_cached_tokens
    fresh = (
        _tr("cache unknown")
        if cached is None
        else _tr("{tokens} not cached").format(tokens=formatting.token_words(max(0, column.tokens - cached)))
    )
    return fresh if column.switch_usd is None else f"{fresh}, {_usd(column.switch_usd)}"


def _variant(variant: Variant, comparison: Comparison, first: Column, scale: int) -> Shown:
    column = comparison.column(variant.name)
    if column is None:
        return _missing(variant, comparison)
    return Shown(
        shown(variant.name, 60), patch_words(variant.patch, column.reserve_tokens), _cells(column, first),
        column_bar(column, scale), scale,
    )  # fmt: skip


def _missing(variant: Variant, comparison: Comparison) -> Shown:
    why = comparison.problem(variant.name)
    words = patch_words(variant.patch)
    return Shown(shown(variant.name, 60), words, {}, problem=shown(why, 400), waiting=not why)


def _cells(column: Column, first: Column) -> dict[str, Cell]:
    same, exact = column is first, column.exact and first.exact
    sent = Cell(_about(column, formatting.tokens(column.tokens)), strong=True)
    found = {"tokens": _against(sent, column.tokens, None if same else first.tokens, exact=exact)}
    for layer in WIRE_ORDER:
        tokens = column.tokens_of(layer)
        cell = Cell(formatting.tokens(tokens), "t1" if tokens else "t3")
        found[layer] = _against(cell, tokens, None if same else first.tokens_of(layer), exact=exact)
    found["dropped"] = (
        _listed("dropped", column.dropped) if column.dropped else _listed("excluded", column.left_out)
    )
    found["shortened"] = _listed("compacted", column.shortened)
    found["cached"] = _cached(column, first)
    found["price"] = _price(column, first)
    found["always"] = _always(column)
    found["fits"] = _fits(column)
    return found


def _against(cell: Cell, value: float, first: float | None, *, better: int = -1, exact: bool = True) -> Cell:
    """The cell with its difference at its end; `better`: 1 where more is better.

    Of two counts that are not both exact the difference is none to judge by: the way of counting is in it.
    """
    if first is None or value == first:
        return cell
    step = round(value - first)
    if not exact:
        return cell._replace(more=f"≈ {formatting.signed_tokens(step)}", more_token="t2")
    good = step * better > 0
    return cell._replace(more=formatting.signed_tokens(step), more_token="ok" if good else "err")


def _listed(state: RowState, ids: tuple[str, ...]) -> Cell:
    if not ids:
        return Cell(_tr("nothing"), "t3")
    if len(ids) == 1:
        return Cell(shown(ids[0].rpartition("/")[2], 60), "t2", state=state)
    return Cell(formatting.counted(len(ids), _tr("{n} item"), _tr("{n} items")), "t2", state=state)


def _cached(column: Column, first: Column) -> Cell:
    cached = column.switch_cached_tokens
    if cached is None:
        return Cell(_tr("unknown"), "t3")
    share = formatting.percent(cached / column.tokens) if column.tokens else ""
    cell = Cell(formatting.tokens(cached), note=share)
    base = None if column is first else first.switch_cached_tokens
    return _against(cell, cached, base, better=1, exact=column.exact and first.exact)


def _price(column: Column, first: Column) -> Cell:
    usd = column.switch_usd
    if usd is None:
        return Cell(_tr("unknown"), "t3")
    cell = Cell(_usd(usd), strong=True)
    base = None if column is first else first.switch_usd
    if base is None or usd == base:
        return cell
    token = "ok" if usd < base else "err"
    return cell._replace(more=formatting.signed_usd(usd - base), more_token=token)


def _always(column: Column) -> Cell:
    if column.cached_tokens is None:
        return Cell(_tr("unknown"), "t3")
    words = formatting.tokens(column.cached_tokens)
    return Cell(words, "t2", "" if column.usd is None else _usd(column.usd), "t2")


def _fits(column: Column) -> Cell:
    if column.fits:
        words = _tr("fits, {n} free").format(n=formatting.tokens(column.free_tokens))
        return Cell(words, "ok", icon="check")
    return Cell(_tr("over by {n}").format(n=formatting.tokens(column.over_tokens)), "err", icon="warn")


def _about(column: Column, words: str) -> str:
    return words if column.exact else f"≈ {words}"


def _usd(amount: float) -> str:
    return _tr("no cost") if amount == 0 else formatting.usd(amount)


def _spoken(cell: Cell) -> str:
    said = (state_word(cell.state) if cell.state is not None else "", cell.words, cell.note, cell.more)
    return " ".join(one for one in said if one)


def _change(name: str, value: str) -> str:
    kind, _, subject = name.partition(".")
    if kind == "priority" and subject:
        return _tr("{what}: priority {n}").format(what=shown(short_path(subject), 40), n=value)
    if kind == "attach" and subject:
        words = _tr("{what} in") if value == "in" else _tr("{what} out")
        return words.format(what=shown(short_path(subject), 40))
    declared = _DECLARED.get(name)
    if value == "None" and declared is not None and declared.control.cleared:
        return setting_tr(declared.control.cleared)
    if value == "None" and name == "parameters.temperature":
        return _tr("temperature not set")
    words = setting_tr(declared.control.changed) if declared is not None else _tr(_CHANGED.get(name, ""))
    if not words and declared is not None:
        here = declared.control.in_chat
        label = declared.control.label or (here.label if here is not None else "")
        words = f"{setting_tr(label)}: {{value}}" if label else ""
    if not words:
        return f"{shown(name, 40)} {shown(_value(name, value), 40)}"
    return words.format(value=shown(_value(name, value), 40))


def _value(name: str, value: str) -> str:
    if value in ("None", "False"):
        return _tr("off")
    if value == "True":
        return _tr("on")
    if name == "model":
        return model_name(value)
    if name == "layout":
        return layout_word(value)
    if name in _DECLARED and _DECLARED[name].control.percent:
        return formatting.percent(float(value))
    return formatting.tokens(int(value)) if value.isdigit() else value
