"""Texts of the answer grid on the Compare page: its rows, what each cell says, and where answers differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.domain.experiment import Cell, Experiment
from workbench.domain.shown.comparison import ExperimentView
from workbench.ui import formatting
from workbench.ui.influence_figures import fact_count_words
from workbench.ui.model_button import model_name
from workbench.ui.translation import in_language, tr
from workbench.ui.widgets.plain import shown


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One row of the answer grid: a model, or each variant's own model, asked for the n-th time; `cells` by variant."""

    title: str
    note: str
    cells: Mapping[str, Cell]


def answer_rows(found: Experiment, variants: Sequence[str]) -> tuple[AnswerRow, ...]:
    """The rows of the answer grid, one per model and repeat; `variants` are the names of its columns."""
    models = {
        name: tuple(dict.fromkeys(cell.model for cell in found.cells if cell.variant == name))
        for name in variants
    }
    repeats = sorted({cell.repeat for cell in found.cells})
    ways: list[tuple[str, Mapping[str, str]]]
    if all(len(own) <= 1 for own in models.values()):
        own = {name: told[0] for name, told in models.items() if told}
        title = next(iter(own.values()), "") if len(set(own.values())) == 1 else tr("Own model")
        ways = [(title, own)]
    else:
        all_models = dict.fromkeys(model for told in models.values() for model in told)
        ways = [(model, dict.fromkeys(variants, model)) for model in all_models]
    return tuple(
        AnswerRow(model_name(title), _note(repeat, repeats, title), _cells(found, by_variant, repeat))
        for title, by_variant in ways
        for repeat in repeats
    )


def _cells(found: Experiment, models: Mapping[str, str], repeat: int) -> dict[str, Cell]:
    return {
        cell.variant: cell
        for cell in found.cells
        if cell.repeat == repeat and models.get(cell.variant) == cell.model
    }


def _note(repeat: int, repeats: Sequence[int], title: str) -> str:
    if len(repeats) > 1:
        return tr("{n} of {all}").format(n=repeat, all=len(repeats))
    return tr("of each variant") if title == tr("Own model") else ""


def figures(cell: Cell) -> str:
    """Price, output tokens and duration of an answer on one line."""
    told = [] if not cell.usd else [formatting.usd(cell.usd)]
    if cell.completion_tokens is not None:
        told.append(tr("{n} out").format(n=formatting.tokens(cell.completion_tokens)))
    if cell.total_ms is not None:
        told.append(formatting.seconds(cell.total_ms))
    return " · ".join(told)


def fact_words(cell: Cell) -> str:
    """How many facts of an answer its request does not have, and which; empty where they were not looked for."""
    if cell.absent is None or not cell.facts:
        return ""
    count = fact_count_words(len(cell.facts))
    if not cell.absent:
        return tr("{count}, none absent").format(count=count)
    which = shown(", ".join(cell.absent), 80)
    return tr("{count}, {n} not: {which}").format(
        count=count, n=formatting.tokens(len(cell.absent)), which=which
    )


def head_words(view: ExperimentView | None, found: Experiment | None) -> str:
    """The line above the grid: what went wrong, what is being asked, or what a finished experiment cost."""
    if view is not None and view.stage == "failed":
        return view.problem
    if view is not None and view.stage == "working":
        told = [formatting.counted(view.requests, tr("1 request"), tr("{n} requests"))]
        if view.tokens:
            told.append(formatting.token_words(view.tokens))
        return " · ".join([*told, *_prices(view)])
    if found is None:
        return tr("Ask this question under every variant, and compare the answers.")
    spent = formatting.usd(found.spent_usd) if found.spent_usd else ""
    asked = tr("{n} of {all} asked").format(n=found.asked, all=len(found.cells))
    return " · ".join(one for one in (asked, spent, *found.notes) if one)


def price_words(view: ExperimentView) -> str:
    """Requests, tokens and price of an experiment that has not started yet."""
    asked = formatting.counted(view.requests, tr("1 request"), tr("{n} requests"))
    judged = formatting.counted(view.judgements, tr("1 request to judge"), tr("{n} requests to judge"))
    told = [
        asked,
        *([judged] if view.judgements else []),
        formatting.token_words(view.tokens),
        *_prices(view),
    ]
    return " · ".join(told)


def _prices(view: ExperimentView) -> list[str]:
    if view.most_usd is None:
        return [tr("price unknown")]
    if view.most_usd == 0:
        return [tr("no cost")]
    about = "" if view.expected_usd is None else formatting.usd(view.expected_usd, about=True)
    most = tr("at most {usd}").format(usd=formatting.usd(view.most_usd))
    return [f"{about}, {most}" if about else most]


def empty_words(cell: Cell | None, running: bool) -> str:
    """Text of a cell without an answer: being answered, waiting, or not asked."""
    if cell is not None and cell.state == "asking":
        return tr("being answered…")
    return tr("waits for its turn") if cell is not None and running else tr("not asked")


def spoken(row: AnswerRow, variant: str, running: bool = False) -> str:
    """Text of one cell for a screen reader."""
    cell = row.cells.get(variant)
    start = f"{in_language(variant)}, {in_language(row.title)} {in_language(row.note)}".strip()
    if cell is None or (cell.state in ("waiting", "asking") and not cell.problem):
        return f"{start}: {empty_words(cell, running)}"
    if cell.state != "complete":
        return f"{start}: {cell.problem}"
    checks = [f"{words}: {tr('passed') if held else tr('failed')}" for words, held in cell.checks]
    told = (
        *([cell.problem] if cell.problem else []),
        *checks,
        *filter(None, [fact_words(cell)]),
        figures(cell),
    )
    return f"{start}: {cell.answer[:600]} {'; '.join(told)}"
