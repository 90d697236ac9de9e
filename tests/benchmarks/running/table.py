"""Figures as people read them: a table on a screen, the same in Markdown, and the ratios of two versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tests.benchmarks.running.figures import MS, Figure, Goal
from tests.benchmarks.running.measure import Measured

BY_MACHINE = ", by the machine"
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


def verdict(figure: Figure, slower: float) -> str:
    """Whether its goal was met; of milliseconds, whether that is for the machine's being slower or faster."""
    goal, value = figure.goal, figure.value
    if not slower or goal is None or value is None or figure.unit != MS:
        return figure.verdict
    return figure.verdict + (BY_MACHINE if goal.is_met(value / slower) != goal.is_met(value) else "")


def row(figure: Figure, slower: float = 0.0) -> Row:
    """One figure, cell by cell."""
    goal = goal_words(figure.goal, figure.unit)
    if figure.value is None:
        return figure.name, "not measured", "", goal, figure.why_not
    spread = "" if figure.spread is None else "–".join(number(end) for end in figure.spread)
    against = f" {figure.against}" if figure.against else ""
    return figure.name, with_unit(figure.value, figure.unit) + against, spread, goal, verdict(figure, slower)


def table(results: Sequence[Measured]) -> str:
    """All figures for a screen, benchmark by benchmark."""
    rows = [row(figure, result.slower) for result in results for figure in result.figures]
    widths = [max(len(cells[place]) for cells in (HEAD, *rows)) for place in range(len(HEAD))]
    lines = [_line(HEAD, widths)]
    for result in results:
        lines += ["", f"{result.benchmark.name}: {result.benchmark.sentence}"]
        lines += [_line(row(figure, result.slower), widths) for figure in result.figures]
        if result.problem:
            lines += ["  It broke; what it had measured by then is above. Its last words:"]
            lines += [f"    {line}" for line in result.problem.splitlines()]
    return "\n".join([*lines, "", summary(results)])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(f"{cell:{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip()


def summary(results: Iterable[Measured]) -> str:
    """How many goals were met, in a sentence."""
    results = list(results)
    told = [verdict(figure, result.slower) for result in results for figure in result.figures if figure.goal]
    by_machine = {word: told.count(word + BY_MACHINE) for word in ("met", "missed")}
    words = []
    for word in ("met", "missed", "not measured"):
        count, by = sum(one.startswith(word) for one in told), by_machine.get(word, 0)
        words += (
            [f"{count} {word}" + (f" ({by} by the machine)" if by else "")] if count or word == "met" else []
        )
    words[0] = words[0].replace(" met", f" of {len(told)} goals met", 1)
    slower = [result.slower for result in results if result.slower]
    if slower:
        words.append(
            f"with an empty window {number(min(slower))} to {number(max(slower))} × as slow as where they were set"
        )
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
            rows = (row(figure, result.slower) for figure in result.figures)
            yield from ("| " + " | ".join(_escaped(cells)) + " |" for cells in rows)
            yield ""
        if result.problem:
            yield "It broke before its end."
            yield ""


def _escaped(cells: Iterable[str]) -> Iterator[str]:
    return (cell.replace("|", "\\|") for cell in cells)
