"""Learns from turns about their models: corrected counts, and how often forecasts came true.

Read from the notes of the newest turns, in pieces and in the background, and continued with every turn.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from typing import Any

from workbench.context.cache.forecast import LAST_JUDGED, accuracy, observe, rules_of
from workbench.context.count.calibration import LAST, learn
from workbench.domain.errors import WorkbenchError
from workbench.domain.model import ModelLearnt, Truncation, TurnReport
from workbench.domain.outcome import TurnOutcome
from workbench.domain.record import noted_amount, noted_count, noted_of_last, noted_table, noted_text
from workbench.domain.translation import tr
from workbench.engine.assembly.counters import counted_alike
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.events import NoticeGiven, ProgramShown
from workbench.engine.store import StateStore
from workbench.engine.world import World
from workbench.ports.history import HistoryStore

PIECE, PIECES = 100, 4
"""So many notes are read at once, and so often: what is older says little about a model of today."""

_LEAST_RATIO, _MOST_RATIO = 0.01, 100

Reports = dict[str, deque[TurnReport]]


def counted_note(prepared: Prepared) -> dict[str, Any]:
    """How an estimated request was counted, so that its usage can correct later counts; empty if it was exact.

    What it was counted with then, not what is known now: another chat may have taught better counts meanwhile.
    """
    if prepared.ratio is None:
        return {}
    return {"counted_as": counted_alike(prepared.built.inputs.model), "ratio": prepared.ratio}


def report_of(notes: Mapping[str, Any]) -> TurnReport | None:
    """The report of a turn from its notes, which may be imported and malformed."""
    request, cache = (noted_table(notes, name) for name in ("request", "cache"))
    model, counted = noted_text(request, "model"), noted_count(request, "total_tokens")
    if not model or not counted:
        return None
    alike, ratio = noted_text(request, "counted_as"), noted_amount(request, "ratio")
    known = bool(alike) and ratio is not None and _LEAST_RATIO <= ratio <= _MOST_RATIO
    return TurnReport(
        model=model,
        card=alike if known else "",
        counted_tokens=counted,
        ratio=ratio if known and ratio is not None else 1.0,
        prompt_tokens=told_prompt(notes),
        predicted_tokens=noted_count(cache, "predicted_read_tokens"),
        served_tokens=noted_count(cache, "reported_read_tokens"),
        cached_tokens=noted_of_last(notes, "cached_tokens"),
    )


def cut_off_words(cut: Truncation, window_tokens: int) -> str:
    """Message about a server that silently truncated a request, and what to do."""
    return tr(
        "The server read only {read_tokens:,} of about {counted_tokens:,} "
        "tokens, and said nothing: it has dropped the beginning of the "
        "request, so the answer was given without your instructions or the "
        "oldest messages. Start it with a larger window (for Ollama num_ctx, "
        "here {window_tokens:,}), or set the window of this model here to "
        "{read_tokens:,}, so that requests fit.",
        read_tokens=cut.read_tokens,
        counted_tokens=cut.counted_tokens,
        window_tokens=window_tokens,
    )


async def read_learnt(store: HistoryStore) -> Mapping[str, ModelLearnt]:
    """What the newest turns of a store teach, by model name."""
    reports, alike = _empty(), _empty()
    await _read(store, reports, alike)
    return {model: _of(model, reports, alike) for model in reports}


class Learning:
    """Keeps counters and state up to date with what was learnt; calls `changed` when counts change."""

    def __init__(self, world: World, states: StateStore, changed: Callable[[], None]) -> None:
        self._world, self._states, self._changed = world, states, changed
        self._reports, self._alike = _empty(), _empty()
        self._loading: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Load what earlier turns teach, once."""
        if self._loading is None:
            self._loading = self._world.tasks.spawn("learn from earlier turns", self._load())

    async def known(self) -> None:
        """Wait until that is loaded, so that a request is counted with all that is known.

        Whatever came of the reading, it is over then: nothing that earlier turns left may hold up a question.
        """
        if self._loading is not None:
            await asyncio.wait({self._loading})

    def note(self, report: TurnReport) -> bool:
        """Learn from a finished turn; return whether counts changed. Without reported usage it teaches nothing."""
        if report.prompt_tokens is None and report.served_tokens is None:
            return False
        _take(report, self._reports, self._alike)
        return self._tell()

    async def _load(self) -> None:
        reports, alike = _empty(), _empty()
        try:
            await _read(self._world.store, reports, alike)
        except WorkbenchError as problem:
            words = tr(
                "{problem} What earlier turns taught about their models is not known; "
                "the next ones teach it.",
                problem=problem,
            )
            self._states.emit(NoticeGiven(None, words))
        for newer in (one for some in self._reports.values() for one in some):
            _take(newer, reports, alike)
        self._reports, self._alike = reports, alike
        if reports and self._tell():
            self._changed()

    def _tell(self) -> bool:
        counters, changed = self._world.builder.counters, False
        for alike, reports in self._alike.items():
            found = learn(reports)
            changed |= found is not None and counters.calibrate(alike, found)
        known = {model: _of(model, self._reports, self._alike) for model in self._reports}
        changed |= self._observe(known)
        self._states.emit(ProgramShown({"learnt": known}))
        return changed

    def _observe(self, known: Mapping[str, ModelLearnt]) -> bool:
        """Use observed cache behaviour where the rules are not documented; return whether it changed."""
        builder = self._world.builder
        seen = {builder.catalogue.find(name).name: one.seen for name, one in known.items()}
        rules = {name: rules_of(one) for name, one in seen.items() if one is not None}
        if rules == builder.observed_rules:
            return False
        builder.observed_rules.clear()
        builder.observed_rules.update(rules)
        return True


def _empty() -> Reports:
    return defaultdict(lambda: deque(maxlen=max(LAST, LAST_JUDGED)))


async def _read(store: HistoryStore, reports: Reports, alike: Reports) -> None:
    found: list[TurnReport] = []
    before: int | None = None
    for _ in range(PIECES):
        piece = await store.recent_notes(PIECE, before)
        found += [report for _, notes in piece if (report := report_of(notes)) is not None]
        if len(piece) < PIECE:
            break
        before = piece[-1][0]
    for report in reversed(found):
        _take(report, reports, alike)


def _take(report: TurnReport, reports: Reports, alike: Reports) -> None:
    reports[report.model].append(report)
    if report.card:
        alike[report.card].append(report)


def _of(model: str, reports: Reports, alike: Reports) -> ModelLearnt:
    cards = [report.card for report in reports[model] if report.card]
    judged, within = accuracy(reports[model])
    calibration = learn(alike[cards[-1]]) if cards else None
    return ModelLearnt(judged, within, calibration, observe(reports[model]))


def last_report(prepared: Prepared, outcome: TurnOutcome) -> TurnReport:
    """Report on the last request of a turn: as it was counted, and as usage was reported."""
    used = outcome.requests[-1] if outcome.requests else outcome.usage
    note = counted_note(prepared)
    envelope = prepared.built.envelope
    return TurnReport(
        envelope.model,
        note.get("counted_as", ""),
        envelope.total_tokens,
        note.get("ratio", 1.0),
        used.prompt_tokens,
        None if outcome.cache is None else outcome.cache.forecast.predicted_read_tokens,
        None if outcome.cache is None else outcome.cache.reported_read_tokens,
        used.cached_tokens,
    )


def told_prompt(notes: Mapping[str, Any]) -> int | None:
    """Reported prompt tokens of the last request, if tools made a turn several."""
    return noted_of_last(notes, "prompt_tokens")
