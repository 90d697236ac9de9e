"""Rows of the list of turns, from the notes stored with each; notes may be imported and malformed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, get_args

from workbench.context.assembly.render import WIRE_ORDER
from workbench.domain.answer import FAILURE_KINDS, Failure
from workbench.domain.caching import ProviderSays, Verdict
from workbench.domain.change import CauseName, Change
from workbench.domain.envelope import RebuildReason, WireLayout
from workbench.domain.message import Message
from workbench.domain.record import (
    Record,
    TurnLine,
    noted_amount,
    noted_count,
    noted_of_last,
    noted_table,
    noted_text,
)
from workbench.domain.segment import LayerName
from workbench.domain.shown.turn_view import TurnRow
from workbench.domain.translation import with_noted_values
from workbench.domain.web_search import SEARCHED
from workbench.engine.events import ChatShown
from workbench.engine.watch.turn_of import WATCHED
from workbench.ports.history import HistoryStore

T = TypeVar("T")
Table = Mapping[str, Any]

_ASKED_CHARS = 200
_CHANGES: tuple[Change, ...] = get_args(Change)
_CAUSES: tuple[CauseName, ...] = get_args(CauseName)
_VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
_LAYOUTS: tuple[WireLayout, ...] = get_args(WireLayout)
_REBUILDS: tuple[RebuildReason, ...] = get_args(RebuildReason)
_BROKEN: tuple[Change, ...] = ("diverged", "shrunk")


async def list_turns(
    store: HistoryStore, chat: str, path: Sequence[Record], known: Sequence[TurnRow] = ()
) -> ChatShown:
    """The turns and siblings on the branch in view; `path` is that branch, `known` the rows listed before.

    What has ended does not change: its row stays the same object, and its notes are not read again.
    """
    lines = await store.turn_lines(chat, notes=not known)
    asked = {record.id: record for record in path if isinstance(record.entry, Message)} if lines else {}
    kept = {_key(row): row for row in known}
    new = next((len(lines) - at for at, line in enumerate(lines) if _key(line) not in kept), 0)
    if known and new:
        newest = await store.turn_lines(chat, newest=new)
        same = [*map(_key, newest)] == [*map(_key, lines[-new:])]  # unless another one ended meanwhile
        lines = (*lines[:-new], *newest) if same else await store.turn_lines(chat)
    rows = []
    for line in lines:
        question = asked.get(line.question)
        text = question.entry.text if question and isinstance(question.entry, Message) else ""
        row = kept.get(_key(line)) or turn_row(line, text[:_ASKED_CHARS])
        searched = tuple(_searched(question.hints)) if question and SEARCHED in question.hints else ()
        rows.append(row if row.searched == searched else replace(row, searched=searched))
    return ChatShown(chat, {"turns": tuple(rows), "versions": await store.versions(chat)})


def _key(turn: TurnLine | TurnRow) -> tuple[object, ...]:
    sent_utc = turn.started_utc if isinstance(turn, TurnLine) else turn.sent_utc
    return turn.number, turn.question, turn.reply, turn.state, sent_utc


def _verdict(cache: Table, total_tokens: int) -> Verdict | None:
    """The verdict on a forecast; turns of older versions are corrected where the cache served more."""
    found = _one_of(_VERDICTS, cache.get("verdict"))
    predicted, reported = (noted_count(cache, f"{name}_read_tokens") for name in ("predicted", "reported"))
    if found == "as_predicted" and reported is not None and predicted is not None:
        return "more" if reported - predicted > max(1, total_tokens // 100) else found
    return found


def _distrusted(notes: Table) -> Verdict | None:
    return "distrusted" if noted_count(notes, "distrusted_tokens") is not None else None


def turn_row(line: TurnLine, asked: str) -> TurnRow:
    """The row of one turn; what was not noted is empty."""
    notes: Table = line.usage or {}
    request, cache, timings = (noted_table(notes, name) for name in ("request", "cache", "timings_ms"))
    prompt = noted_count(notes, "prompt_tokens")
    watched = noted_table(notes, WATCHED)
    cause, subject = _first_break(request)
    return TurnRow(
        number=line.number,
        question=line.question,
        reply=line.reply,
        asked=asked,
        sent_utc=line.started_utc,
        model=noted_text(request, "model"),
        state=line.state,
        total_tokens=noted_count(request, "total_tokens") or prompt or 0,
        prompt_tokens=prompt,
        cached_tokens=noted_count(notes, "cached_tokens"),
        predicted_tokens=noted_count(cache, "predicted_read_tokens"),
        completion_tokens=noted_count(notes, "completion_tokens"),
        reasoning_tokens=noted_count(notes, "reasoning_tokens"),
        verdict=_verdict(cache, noted_count(request, "total_tokens") or prompt or 0) or _distrusted(notes),
        broke=cause,
        broke_subject=subject,
        cost_usd=_cost(notes, request),
        local=request.get("local") is True,
        total_ms=noted_amount(timings, "total") or 0.0,
        first_token_ms=noted_amount(timings, "first_token"),
        finish_reason=noted_text(notes, "finish_reason"),
        failure=_failure(noted_table(notes, "error")),
        digest=noted_text(request, "sent_digest"),
        shown_digest=noted_text(request, "shown_digest"),
        change=_one_of(_CHANGES, request.get("change")),
        layers=_layers(noted_table(request, "layers")),
        removed_marks=_texts(notes, "removed_marks"),
        requests=_request_count(notes),
        last_prompt_tokens=noted_of_last(notes, "prompt_tokens"),
        last_cached_tokens=last_cached(notes, cache),
        layout=_one_of(_LAYOUTS, request.get("layout")),
        rebuilt=_one_of(_REBUILDS, request.get("rebuilt")),
        cache_write_tokens=noted_count(notes, "cache_write_tokens"),
        truncated=isinstance(notes.get("truncated"), dict),
        answer_id=noted_text(notes, "answer_id"),
        threshold_tokens=noted_count(request, "threshold_tokens"),
        says=_says(noted_table(cache, "provider_says")),
        tools=noted_count(watched, "tools"),
        lost_tokens=noted_count(watched, "lost_tokens") or 0,
        why_lost=_texts(with_noted_values(watched), "words"),
        log_usd=noted_amount(watched, "log_usd"),
        shortened=tuple(_shortened(request.get("shortened"))),
        quoted=tuple(_quoted(request.get("quoted"))),
    )


def _searched(hints: Table) -> Iterator[tuple[str, int, int]]:
    """Searches of the web whose pages went along: words, how many were found, how many taken."""
    noted: object = hints.get(SEARCHED)
    for one in noted if isinstance(noted, list) else ():
        match one:
            case {"words": str(words), "found": int(found), "taken": list(taken)}:
                yield words, found, len(taken)


def _quoted(noted: object) -> Iterator[tuple[str, str, str]]:
    """What was quoted from followed folders, from notes that may be malformed."""
    for one in noted if isinstance(noted, list) else ():
        match one:
            case [str(key), str(title), str(place)]:
                yield key, title, place


def _shortened(noted: object) -> Iterator[tuple[str, int, int]]:
    """Files that were sent in part, from notes that may be malformed."""
    for one in noted if isinstance(noted, list) else ():
        match one:
            case [str(key), int(sent), int(whole)] if 0 <= sent <= whole:
                yield key, sent, whole


def _says(said: Table) -> ProviderSays | None:
    reason = noted_text(said, "reason")
    return ProviderSays(reason, noted_count(said, "missed_tokens")) if reason else None


def last_cached(notes: Table, cache: Table) -> int | None:
    """What a cache served of the last request, as reported; None where nobody said."""
    judged = noted_count(cache, "reported_read_tokens")
    return noted_of_last(notes, "cached_tokens") if judged is None else judged


def _request_count(notes: Table) -> int:
    """Number of requests: more than one if tools ran."""
    found = notes.get("requests")
    return max(1, len(found)) if isinstance(found, list) else 1


def _first_break(request: Table) -> tuple[CauseName | None, str]:
    """Cause and place of the first real break of the prefix; a turn's own context leaving its question is none."""
    if request.get("change") not in _BROKEN:
        return None, ""
    causes = request.get("causes")
    for entry in causes if isinstance(causes, list) else ():
        name, subject = entry if isinstance(entry, list) and len(entry) == 2 else (None, None)
        cause = _one_of(_CAUSES, name)
        if cause == "trimmed":
            return cause, str(noted_count(request, "trimmed_up_to") or 0)
        if cause is not None and cause != "turn_context":
            return cause, subject if isinstance(subject, str) else ""
    return None, ""


def _cost(notes: Table, request: Table) -> float | None:
    """Cost as computed then; local models cost nothing."""
    return 0.0 if request.get("local") is True else noted_amount(noted_table(notes, "cost"), "usd")


def _failure(error: Table) -> Failure | None:
    kind = _one_of(FAILURE_KINDS, error.get("kind"))
    if kind is None:
        return None
    limits = noted_count(error, "limit_tokens"), noted_count(error, "asked_tokens")
    message = noted_text(with_noted_values(error), "message")
    keyless = True if error.get("keyless") is True else None
    return Failure(kind, message, noted_amount(error, "retry_after_s"), *limits, keyless)


def _layers(table: Table) -> tuple[tuple[LayerName, int], ...]:
    return tuple((name, tokens) for name in WIRE_ORDER if (tokens := noted_count(table, name)) is not None)


def _one_of(known: Sequence[T], value: object) -> T | None:
    return next((one for one in known if one == value), None)


def _texts(notes: Table, name: str) -> tuple[str, ...]:
    found = notes.get(name)
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()
