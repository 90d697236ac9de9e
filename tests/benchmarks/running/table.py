"""Figures as people read them: a table on a screen, the same in Markdown, and the ratios of two versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tests.benchmarks.running.figures import Figure, Goal
from tests.benchmarks.running.measure import Measured

HEAD = ("name", "figure", "spread", "goal", "")
Row = tuple[str, str, str, str, str]


def number(value: float) -> str:
    """Three figures that count, and no more digits than people read."""
    size = abs(value)
    if size >= 1e6:
        return f"{value / 1e6:,.1f} M"
    if size >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if size >= 10 else f"{value:.2f}" if size >= 0.1 else f"{value:.2g}"


def with_unit(value: float, unit: str) -> str:
    """A figure with its unit."""
    return f"{number(value)} {unit}".rstrip()


def goal_words(goal: Goal | None, unit: str) -> str:
    """A goal with its direction."""
    if goal is None:
        return ""
    return f"{'≤' if goal.at_most else '≥'} {with_unit(goal.bound, unit)}"


def row(figure: Figure) -> Row:
    """One figure, cell by cell."""
    goal = goal_words(figure.goal, figure.unit)
    if figure.value is None:
        return figure.name, "not measured", "", goal, figure.why_not
    spread = "" if figure.spread is None else "–".join(number(end) for end in figure.spread)
    against = f" {figure.against}" if figure.against else ""
    return figure.name, with_unit(figure.value, figure.unit) + against, spread, goal, figure.verdict


def table(results: Sequence[Measured]) -> str:
    """All figures for a screen, benchmark by benchmark."""
    rows = [row(figure) for result in results for figure in result.figures]
    widths = [max(len(cells[place]) for cells in (HEAD, *rows)) for place in range(len(HEAD))]
    lines = [_line(HEAD, widths)]
    for result in results:
        lines += ["", f"{result.benchmark.name}: {result.benchmark.sentence}"]
        lines += [_line(row(figure), widths) for figure in result.figures]
        if result.problem:
            lines += ["  It broke; what it had measured by then is above. Its last words:"]
            lines += [f"    {line}" for line in result.problem.splitlines()]
    return "\n".join([*lines, "", summary(results)])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(f"{cell:{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip()


def summary(results: Iterable[Measured]) -> str:
    """How many goals were met, in a sentence."""
    results = list(results)
    verdicts = [figure.verdict for result in results for figure in result.figures if figure.goal is not None]
    words = [f"{verdicts.count('met')} of {len(verdicts)} goals met"]
    for verdict in ("missed", "not measured"):
        words += [f"{verdicts.count(verdict)} {verdict}"] if verdict in verdicts else []
    broken = [result.benchmark.name for result in results if result.problem]
    return ", ".join(words) + ("." if not broken else f"; broken: {', '.join(broken)}.")


def markdown(results: Iterable[Measured]) -> Iterator[str]:
    """The same for a page, a table a benchmark."""
    for result in results:
        yield f"### {result.benchmark.name}"
        yield ""
        yield result.benchmark.sentence
        yield ""
        if result.figures:
            yield "| " + " | ".join(("figure", "value", "spread", "goal", "")) + " |"
            yield "|---|---|---|---|---|"
            yield from ("| " + " | ".join(_escaped(row(figure))) + " |" for figure in result.figures)
            yield ""
        if result.problem:
            yield "It broke before its end."
            yield ""


def _escaped(cells: Iterable[str]) -> Iterator[str]:
    return (cell.replace("|", "\\|") for cell in cells)
