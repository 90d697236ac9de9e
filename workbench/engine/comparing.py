"""Compares one request under other settings: the turns before it are replayed with those, and no model is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.context.cache.forecast import Beginnings
from workbench.context.compare import compare
from workbench.context.explain.differences import wire_parts
from workbench.context.request_cost import runs_here
from workbench.domain.caching import CacheForecast
from workbench.domain.change import Built
from workbench.domain.errors import InvalidInput, NotKept, WorkbenchError
from workbench.domain.message import Entry, Message
from workbench.domain.record import Record, TurnLine, TurnRecord, noted_count
from workbench.domain.shown.comparison import Comparison, ComparisonColumn
from workbench.domain.translation import tr
from workbench.domain.turn import TurnInputs
from workbench.domain.variant import AS_SENT, MOST_VARIANTS, Variant
from workbench.engine.assembly.prepare import Builder, Prepared, forecast_cache
from workbench.engine.conversation import Asked, Conversation
from workbench.engine.rerun import Rerun
from workbench.engine.shown.inspection import counter_of, stored_request
from workbench.ports.history import HistoryStore


@dataclass(frozen=True, slots=True)
class Line:
    """Inputs of a chat's turns up to the next one, with the time each was sent."""

    turns: tuple[TurnInputs, ...]
    times: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Branch(Line):
    """The same up to a turn that was sent.

    Attributes:
        sent: the last of them as it was sent. before: the one before it.
    """

    sent: TurnRecord
    before: TurnRecord | None = None


async def read_branch(store: HistoryStore, chat: str, turn: TurnRecord) -> Branch:
    """The turns before a sent one, on its own branch."""
    leaf = turn.reply or turn.question
    records = await store.path(chat, leaf)
    lines = [
        line for line in await store.turn_lines(chat, leaf) if line.number <= turn.number and _was_read(line)
    ]
    lines = [line for line in lines if line.number < turn.number or line.question == turn.question]
    if not lines or lines[-1].question != turn.question:
        raise NotKept(tr("Turn {number} was not sent: there is nothing to compare.", number=turn.number))
    turns = await _inputs(store, chat, lines, records)
    # The one that is compared may have been asked again: its own inputs count.
    own = turn.built.inputs
    if turns[-1].tuning.edits == own.tuning.edits:
        own = replace(own, history=turns[-1].history)
    turns[-1] = own
    before = None
    if len(lines) > 1:
        before = await store.turn(chat, lines[-2].question, lines[-2].reply)
    return Branch(tuple(turns), tuple(line.started_utc for line in lines), turn, before)


async def read_next(store: HistoryStore, asked: TurnInputs, now: str) -> Line:
    """The turns before the next request, on the branch in view."""
    chat = asked.conversation
    records = await store.path(chat)
    lines = [line for line in await store.turn_lines(chat) if _was_read(line)]
    turns = await _inputs(store, chat, lines, records)
    return Line((*turns, asked), (*(line.started_utc for line in lines), now))


async def _inputs(
    store: HistoryStore, chat: str, lines: Sequence[TurnLine], records: Sequence[Record]
) -> list[TurnInputs]:
    read = await store.turn_inputs(chat, [(line.question, line.reply) for line in lines])
    return list(with_history(read, [line.question for line in lines], records))


def with_history(
    turns: Iterable[TurnInputs], questions: Iterable[str], records: Sequence[Record]
) -> Iterator[TurnInputs]:
    """Inputs of turns, each with its history on a branch; an iterator, since each is long."""
    said = said_before(questions, records)
    for inputs, (history, question) in zip(turns, said, strict=True):
        yield replace(inputs, history=inputs.tuning.edited(history), question=question)


def said_before(
    questions: Iterable[str], records: Sequence[Record]
) -> Iterator[tuple[tuple[Entry, ...], Message | None]]:
    """For each question the history before it, and its message; an iterator, since each is long."""
    said: list[Entry] = []
    places: dict[str, int] = {}
    asked: dict[str, Entry] = {}
    for record in records:
        # What a question's own commands gave back belongs to its turn.
        places[record.id] = len(said)
        asked[record.id] = record.entry
        said += (*record.commands, record.entry)
    for key in questions:
        entry = asked.get(key)
        yield tuple(said[: places.get(key, 0)]), entry if isinstance(entry, Message) else None


def compare_variants(branch: Branch, variants: Sequence[Variant], builder: Builder) -> Comparison:
    """A sent request beside itself under each variant; one that cannot be built has the reason."""
    refuse_many(variants)
    columns, problems = [sent_column(branch.sent, branch.before, builder)], []
    keys = dict.fromkeys(one.key for turn in branch.turns for one in turn.attached)
    held = stood_before(branch.sent, branch.before)
    for variant in variants:
        try:
            rerun = Rerun(builder, variant.with_full_keys(keys))
            columns.append(variant_column(rerun, rerun.play(branch.turns, branch.times), held))
        except WorkbenchError as problem:
            problems.append((variant.name, str(problem)))
    return Comparison(branch.sent.chat, branch.sent.number, tuple(columns), tuple(problems))


def refuse_many(variants: Sequence[Variant]) -> None:
    """Raise `InvalidInput` if there are more variants than columns."""
    if len(variants) > MOST_VARIANTS:
        raise InvalidInput(
            "--variant",
            tr("at most {most_variants} variants, got {n}", most_variants=MOST_VARIANTS, n=len(variants)),
        )


def sent_column(
    turn: TurnRecord, before: TurnRecord | None, builder: Builder, name: str = AS_SENT
) -> ComparisonColumn:
    """A sent request with its forecast; if there was none, one made as for the variants."""
    prepared = stored_request(turn, before, builder)
    forecast = prepared.forecast or _foretold(stood_before(turn, before), prepared.built, builder)
    return column_of(Variant(name), prepared.built, (forecast, forecast))


def stood_before(turn: TurnRecord, before: TurnRecord | None) -> Conversation:
    """The requests that a provider's cache may have held when a turn was sent."""
    if before is None:
        return Conversation(turn.chat)
    return Conversation(turn.chat, previous=before.built, held=(Asked(before.built, before.started_utc),))


def column_of(
    variant: Variant, built: Built, forecasts: tuple[CacheForecast | None, CacheForecast | None]
) -> ComparisonColumn:
    """Figures of a request: what a cache serves of it in the long run, and right after the switch."""
    envelope = built.envelope
    segments = [segment for layer in envelope.layers for segment in layer.segments]
    pruned = tuple(one.id for one in envelope.cuts.pruned)
    shortened = dict.fromkeys(one.id for one in segments if one.sent and one.form in ("compacted", "trimmed"))
    inputs, budget = built.inputs, envelope.budget
    known = [one.key for one in inputs.attached] + [one.key for one in inputs.library]
    known += [one.id for one in inputs.history]
    left_out = dict.fromkeys(key for key in known if key in inputs.tuning.excluded)
    run, switch = forecasts
    free = 0.0 if runs_here(inputs.model) else None  # also where nobody can tell what is cached
    return ComparisonColumn(
        variant.name, variant.patch, envelope.model, envelope.layout, envelope.exact, envelope.total_tokens,
        budget.window_tokens, envelope.over_by_tokens,
        tuple((layer.name, layer.total_tokens) for layer in envelope.layers),
        pruned, tuple(shortened), tuple(one for one in left_out if one not in pruned),
        None if run is None else run.predicted_read_tokens, free if run is None else run.price_usd,
        None if switch is None else switch.predicted_read_tokens, free if switch is None else switch.price_usd,
        wire_parts(built), budget.reserved_output_tokens, budget.threshold_tokens,
    )  # fmt: skip


def variant_column(
    rerun: Rerun, prepared: Prepared, held: Conversation, age_s: float | None = None
) -> ComparisonColumn:
    """Figures of a variant's request; `held` is what the cache holds of what was really sent."""
    switch = _foretold(held, prepared.built, rerun.builder, age_s)
    return column_of(rerun.variant, prepared.built, (prepared.forecast, switch))


def _foretold(
    held: Conversation, built: Built, builder: Builder, age_s: float | None = None
) -> CacheForecast | None:
    change = compare(held.previous, built, counter_of(built, builder))
    return forecast_cache(held, built, change, replace(builder, beginnings=Beginnings()), age_s)


def _was_read(line: TurnLine) -> bool:
    """Whether a provider read the request; one that failed before an answer may not have been."""
    if line.state == "running":
        return False
    return line.state != "failed" or noted_count(line.usage or {}, "prompt_tokens") is not None
