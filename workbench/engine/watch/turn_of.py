"""Converts a watched request into the form our own requests are stored in: an envelope, messages and notes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, TypeVar

from workbench.context.assembly.render import WIRE_ORDER
from workbench.context.watch.body import split_body, wire_segments
from workbench.domain.answer import FailureKind
from workbench.domain.change import Built, CauseName
from workbench.domain.codec import decode
from workbench.domain.envelope import Cuts, Envelope, Layer, WireMessage, budget_for
from workbench.domain.errors import InvalidInput
from workbench.domain.message import Message, Role, Thought, ToolCall
from workbench.domain.model import ModelCard
from workbench.domain.outcome import EndState
from workbench.domain.reading.loose_json import parsed
from workbench.domain.record import IMPORTED, Record, Standing, TurnRecord, noted_table
from workbench.domain.segment import LayerName, Segment
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.text import digest_chain, digest_text
from workbench.domain.tool import ToolDefinition
from workbench.domain.translation import tr, with_noted_values, with_values_noted
from workbench.domain.turn import TurnInputs
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import (
    AgainstBefore,
    Cause,
    Finding,
    Passed,
    PieceKind,
    WatchedAnswer,
    WatchedPiece,
    WatchedRequest,
    WatchedTurn,
)
from workbench.domain.watch.rules import RuleOutcome

T = TypeVar("T")
TOKENS, ADDED = "tokens", "added_tokens"
"""What is noted with a message that was watched."""
WATCHED = "watched"
"""Under which name a turn's notes hold what is known of a watched request only."""
_ROLES: dict[PieceKind, Role] = {
    "tool": "system", "system": "system", "question": "user", "reminder": "user", "picture": "user",
    "answer": "assistant", "thought": "assistant", "call": "assistant", "result": "tool",
}  # fmt: skip
_CAUSES: dict[Cause, CauseName] = {
    "model": "model", "tools": "tools", "system": "settings", "history": "history_edited", "parameters": "settings",
}  # fmt: skip
_SAID = ("question", "answer", "result")
_LONGEST_NAME = 60
_REFUSALS: dict[int, FailureKind] = {
    400: "request", 401: "auth", 403: "auth", 413: "request", 422: "request", 429: "rate",
}  # fmt: skip
_RESERVE_NAMES = (
    "max_tokens",
    "max_output_tokens",
    "max_completion_tokens",
    "maxOutputTokens",
    "num_predict",
)


@dataclass(frozen=True, slots=True)
class Before:
    """What is known of the preceding request of the same conversation.

    Attributes:
        number: how many there were; leaf: the last message that is kept of them.
        messages: how many messages the last one had; digest: of their texts.
        called: tools that were called so far.
        answered: whether an answer to it is kept.
        passed: the body of the new request, where it was taken apart already.
    """

    number: int = 0
    leaf: str | None = None
    messages: int = 0
    digest: str = ""
    called: tuple[str, ...] = ()
    answered: bool = False
    passed: Passed | None = None


@dataclass(frozen=True, slots=True)
class KeptRequest:
    """What is stored of one request: its new messages, its turn, and its answer."""

    said: tuple[Record, ...]
    question: Record
    turn: TurnRecord
    replies: tuple[Record, ...]


def model_name(turn: WatchedTurn) -> str:
    """The name under which this program would ask the model."""
    spoken = turn.request.format
    return f"{'openai' if spoken == 'responses' else spoken}:{turn.request.model or 'unknown'}"


def request_model_name(request: WatchedRequest, card: ModelCard) -> str:
    """The name under which a request is counted: one's own server is no vendor, whatever its protocol."""
    spoken = "openai" if request.format == "responses" else request.format
    return f"{card.provider if card.provider == 'server' else spoken}:{request.model or 'unknown'}"


def program_of(exchange: Exchange) -> str:
    """The program that sent a request, by its user agent."""
    return exchange.header("user-agent").partition("/")[0].strip() or "unknown"


def utc_of(seconds: float) -> str:
    """Format seconds since 1970 as a stored time."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def kept_request(
    chat: str, turn: WatchedTurn, exchange: Exchange | None, card: ModelCard, before: Before
) -> KeptRequest:
    """Convert a request for storage, continuing from the one before."""
    number, when = before.number + 1, utc_of(turn.started_at)
    groups = _messages(turn.request.pieces)
    new = list(_records(chat, f"{number}", _new_groups(groups, before), when, before.leaf))
    if not new or not _is_question(new[-1]):
        # Something must stand for the request, even where nothing in it is new: the same one was sent again.
        parent = new[-1].id if new else before.leaf
        new.append(Record(chat, Message(f"{number}.again", "user"), when, parent))
    *said, question = new
    replies = tuple(_records(chat, f"{number}.answer", (turn.answer.pieces,), when, question.id))
    state = turn_state(turn, exchange)
    if replies and state in ("stopped", "interrupted"):
        replies = (*replies[:-1], replace(replies[-1], state=state))
    called = _called_tools(before.called, (*turn.request.pieces, *turn.answer.pieces))
    built = _built(chat, number, turn, card)
    passed = before.passed or _passed_bytes(turn, exchange, built.envelope)
    built = Built(replace(built.inputs, passed=replace(passed, called=called)), built.envelope)
    at_end = utc_of(turn.started_at + (turn.total_ms or 0.0) / 1000)
    record = TurnRecord(
        chat, number, question.parent, question.id, built, Standing(), when,
        state=state, usage=_notes(turn, exchange, built, groups), finished_utc=at_end,
        reply=replies[0].id if replies else None,
    )  # fmt: skip
    return KeptRequest(tuple(said), question, record, replies)


def turn_state(turn: WatchedTurn, exchange: Exchange | None) -> EndState:
    """How a stored request ended; an answer of which only the beginning is stored is not complete."""
    answered = bool(turn.answer.pieces)
    if exchange is not None and answered:
        if exchange.ending == "client_left":
            return "stopped"
        if exchange.ending != "complete" or turn.answer.cut:
            return "interrupted"
    if turn.status is not None and turn.status < 400 and answered:
        return "interrupted" if turn.answer.unkept_bytes else "complete"
    return "failed" if turn.status is not None else "interrupted"


def _is_question(record: Record) -> bool:
    return isinstance(record.entry, Message) and record.entry.role in ("user", "tool")


# Messages: the pieces that stand in one place of the body, by who says them.


def _messages(pieces: Iterable[WatchedPiece]) -> list[tuple[WatchedPiece, ...]]:
    said = (one for one in pieces if one.kind not in ("tool", "system"))
    return [tuple(group) for _, group in groupby(said, key=lambda one: one.message)]


def _digest(groups: Iterable[Sequence[WatchedPiece]]) -> str:
    return digest_chain([digest_text("\n".join(one.text for one in group)) for group in groups])


def _new_groups(groups: Sequence[Sequence[WatchedPiece]], before: Before) -> Sequence[Sequence[WatchedPiece]]:
    """The messages that the request before did not have; of a rewritten history, those after its last answer."""
    known = before.messages
    if not known:
        return groups
    if len(groups) >= known and _digest(groups[:known]) == before.digest:
        new = groups[known:]
        # An answer that was kept comes back with the next request, in some clients as several messages.
        while before.answered and new and _role(new[0][0]) == "assistant":
            new = new[1:]
        return new
    answers = [place for place, group in enumerate(groups) if _role(group[0]) == "assistant"]
    return groups[answers[-1] + 1 :] if answers else groups


def _role(piece: WatchedPiece) -> Role:
    return _ROLES[piece.kind]


def _records(
    chat: str, name: str, groups: Iterable[Sequence[WatchedPiece]], when: str, parent: str | None
) -> Iterator[Record]:
    """One record per message, and one per tool result wherever the body holds it."""
    count = 0
    for group in groups:
        for role, run in groupby(group, key=_role):
            some = list(run)
            for pieces in [[one] for one in some] if role == "tool" else [some]:
                count += 1
                said = _message(f"{name}.{count}", role, pieces)
                record = Record(chat, said, when, parent, metadata=_token_notes(pieces))
                parent = record.id
                yield record


def _token_notes(pieces: Sequence[WatchedPiece]) -> dict[str, int]:
    """Tokens of a message, and how many of them its program added."""
    added = sum(one.tokens for one in pieces if one.kind == "reminder")
    tokens = sum(one.tokens for one in pieces)
    return {TOKENS: tokens, **({ADDED: added} if added else {})} if tokens else {}


def _message(key: str, role: Role, pieces: Sequence[WatchedPiece]) -> Message:
    told = [one for one in pieces if one.kind in _SAID]
    # What a program adds by itself is no part of what a person said; where there is nothing else, it is all there is.
    texts = tuple(one.text for one in told or pieces if one.kind in (*_SAID, "reminder"))
    return Message(
        key,
        role,
        texts or (("[picture]",) if any(one.kind == "picture" for one in pieces) else ()),
        tool_calls=tuple(ToolCall(one.call, one.name, one.text) for one in pieces if one.kind == "call"),
        tool_call_id=next((one.call for one in pieces if one.kind == "result"), None),
        thinking=tuple(Thought(one.text) for one in pieces if one.kind == "thought"),
    )


def _called_tools(known: Sequence[str], pieces: Iterable[WatchedPiece]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*known, *(one.name for one in pieces if one.kind == "call"))))


# The envelope: a segment a piece.


def _built(chat: str, number: int, turn: WatchedTurn, card: ModelCard) -> Built:
    request = turn.request
    segments = _segments(request.pieces)
    parts: dict[LayerName, list[tuple[Segment, int]]] = {name: [] for name in WIRE_ORDER}
    for segment, piece in zip(segments, request.pieces, strict=True):
        parts[piece.layer].append((segment, piece.tokens))
    layers = tuple(
        Layer(name, tuple(one for one, _ in parts[name]), tuple(cost for _, cost in parts[name]))
        for name in WIRE_ORDER
    )
    settings = ContextSettings(
        model=model_name(turn),
        reserved_output_tokens=_reply_reserve(request.parameters, card),
        tools=tuple(_tool(one) for one in request.pieces if one.kind == "tool"),
        layout="append_only",
    )
    budget = replace(budget_for(settings, card.context_window_tokens), threshold_tokens=None)
    envelope = Envelope(
        chat, number, settings.model, budget, layers, _wire(segments, request.pieces), request.tokens,
        request.exact, Cuts(), "append_only",
    )  # fmt: skip
    return Built(TurnInputs(chat, number, settings, card), envelope)


def record_of_came(record: TurnRecord, exchange: Exchange, request: WatchedRequest) -> TurnRecord:
    """A stored turn with the request that came, before rules changed it."""
    turn = WatchedTurn(
        record.number, record.chat, "", 0.0, len(exchange.request), request, WatchedAnswer(), AgainstBefore("first")
    )  # fmt: skip
    built = _built(record.chat, record.number, turn, record.built.inputs.model)
    called = () if record.built.inputs.passed is None else record.built.inputs.passed.called
    passed = replace(_passed_bytes(turn, exchange, built.envelope), called=called)
    # What was reported is about what was sent.
    notes = {name: value for name, value in (record.usage or {}).items() if name in ("request", WATCHED)}
    return replace(record, built=Built(replace(built.inputs, passed=passed), built.envelope), usage=notes)


def _passed_bytes(turn: WatchedTurn, exchange: Exchange | None, envelope: Envelope) -> Passed:
    texts = [one.text for one in wire_segments(envelope)]
    # Tools come first on the wire, wherever the body has them.
    pieces = sorted(turn.request.pieces, key=lambda one: one.kind != "tool")
    body = b"" if exchange is None else exchange.request
    came = split_body(exchange.came_in, texts) if exchange is not None and exchange.came_in else Passed()
    return replace(
        split_body(body, texts) if body else Passed(),
        came_lines=came.lines,
        came_texts=came.texts,
        path="" if exchange is None else exchange.path,
        headers=() if exchange is None else exchange.headers,
        names=tuple(one.name[:_LONGEST_NAME] for one in pieces),
        marked=tuple(place for place, one in enumerate(pieces) if one.mark),
    )


def _segments(pieces: Sequence[WatchedPiece]) -> list[Segment]:
    """Segments keyed by path; tools by name, so that a new tool moves no other."""
    taken: set[tuple[LayerName, str]] = set()
    found = []
    for piece in pieces:
        key = f"tool:{piece.name}" if piece.kind == "tool" else piece.path
        while (piece.layer, key) in taken:
            key += "'"
        taken.add((piece.layer, key))
        found.append(
            Segment(
                key,
                piece.layer,
                piece.kind,
                piece.text,
                digest_text(piece.text),
                tool_call_id=piece.call if piece.kind == "result" else None,
                images=() if piece.image is None else (piece.image,),
            )
        )
    return found


def _tool(piece: WatchedPiece) -> ToolDefinition:
    return ToolDefinition(piece.name, digest_text(piece.text))


def _wire(segments: Sequence[Segment], pieces: Sequence[WatchedPiece]) -> tuple[WireMessage, ...]:
    carried = [pair for pair in zip(segments, pieces, strict=True) if pair[1].kind != "tool"]
    groups = groupby(carried, key=lambda pair: (_wire_place(pair[1]), _role(pair[1])))
    return tuple(WireMessage(place, role, tuple(one for one, _ in run)) for (place, role), run in groups)


def _wire_place(piece: WatchedPiece) -> str:
    return "system" if piece.message < 0 else str(piece.message)


def _reply_reserve(parameters: Sequence[tuple[str, str]], card: ModelCard) -> int | None:
    """The reply reserve: what the request asks for, up to the window."""
    found = asked_tokens(parameters)
    return None if found is None else min(found, card.context_window_tokens // 2)


def asked_tokens(parameters: Sequence[tuple[str, str]]) -> int | None:
    """How long an answer a request allows; None where it does not say."""
    given = dict(parameters)
    # Gemini and Ollama have it one level deeper.
    for inner in ("generationConfig", "options"):
        deeper = _value(given.get(inner, ""))
        given |= (
            {name: json.dumps(value) for name, value in deeper.items()} if isinstance(deeper, dict) else {}
        )
    return next(
        (found for name in _RESERVE_NAMES if (found := _number(given.get(name, ""))) is not None), None
    )


def _number(text: str) -> int | None:
    found = parsed(text)
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None


# Notes: what lists show of the turn without reading its request.


def _notes(
    turn: WatchedTurn,
    exchange: Exchange | None,
    built: Built,
    groups: Sequence[Sequence[WatchedPiece]],
) -> dict[str, Any]:
    usage = {key: value for key, value in asdict(turn.answer.usage).items() if value is not None}
    if turn.answer.cut:  # what was counted at its beginning is not what came
        usage.pop("completion_tokens", None)
    notes: dict[str, Any] = {
        **usage,
        IMPORTED: "watched",
        "finish_reason": turn.answer.finish_reason,
        "timings_ms": {"first_token": turn.first_byte_ms, "total": turn.total_ms or 0.0},
        "request": _request_note(turn, exchange, built),
        WATCHED: _watched_note(turn, groups),
    }
    if turn.forecast is not None:
        notes["cache"] = {
            "predicted_read_tokens": turn.forecast.predicted_read_tokens,
            "predicted_write_tokens": turn.forecast.predicted_write_tokens,
            "reported_read_tokens": turn.answer.usage.cached_tokens,
            "verdict": turn.verdict,
        }
    if turn.cost is not None:
        notes["cost"] = asdict(turn.cost)
    if turn.answer.error or (turn.status is not None and turn.status >= 400):
        message = turn.answer.error or tr("Status {status}.", status=turn.status)
        notes["error"] = with_values_noted({"kind": _kind_of(turn), "message": message})
    return notes


def _kind_of(turn: WatchedTurn) -> FailureKind:
    """What kind of failure it was; what the watch itself refused, no server did."""
    if not turn.was_sent:
        return "network" if turn.status is None else "request"
    return "server" if turn.status is None else _REFUSALS.get(turn.status, "server")


def _request_note(turn: WatchedTurn, exchange: Exchange | None, built: Built) -> dict[str, Any]:
    envelope, against = built.envelope, turn.against
    change = "diverged" if against.relation == "changed" else against.relation
    body = b"" if exchange is None else exchange.request
    return {
        "model": envelope.model,
        "total_tokens": envelope.total_tokens,
        "layers": {layer.name: layer.total_tokens for layer in envelope.layers},
        "change": change,
        "causes": [[_CAUSES[cause], ""] for cause in against.causes if cause in _CAUSES],
        "parameters": {name: _value(text) for name, text in turn.request.parameters},
        "sent_digest": hashlib.sha256(body).hexdigest() if body else "",
        "upstream": "" if exchange is None else exchange.upstream,
    }


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _watched_note(turn: WatchedTurn, groups: Sequence[Sequence[WatchedPiece]]) -> dict[str, Any]:
    against = turn.against
    note = {
        "n": turn.n,
        "client": turn.client,
        "session": turn.session,
        "status": turn.status,
        "bytes": turn.request_bytes,
        "format": turn.request.format,
        "tools": sum(one.kind == "tool" for one in turn.request.pieces),
        "relation": against.relation,
        "causes": list(against.causes),
        "words": list(against.words),
        "lost_tokens": against.lost_tokens,
        "first_difference": None if against.first_difference is None else asdict(against.first_difference),
        "log_usd": turn.log_usd,
        "findings": [
            with_values_noted({**asdict(one), "mends": [asdict(line) for line in one.mends]})
            for one in turn.findings
        ],
        "messages": len(groups),
        "digest": _digest(groups),
        **(
            {"rules": [rule_note(one) for one in turn.rules], "sent_bytes": turn.sent_bytes}
            if turn.rules
            else {}
        ),
        **({"unkept_bytes": turn.answer.unkept_bytes} if turn.answer.unkept_bytes else {}),
    }
    return with_values_noted(note)


def rule_note(one: RuleOutcome) -> dict[str, Any]:
    """What became of a rule, as it is noted: without the texts."""
    kept = {name: value for name, value in asdict(one).items() if name not in ("removed", "added")}
    return with_values_noted(kept)


def noted_rules(notes: Mapping[str, Any]) -> tuple[RuleOutcome, ...]:
    """What became of rules, as noted with a turn; invalid ones are skipped."""
    return tuple(_noted(RuleOutcome, notes, "rules"))


def noted_findings(notes: Mapping[str, Any]) -> tuple[Finding, ...]:
    """The findings stored with a turn, largest first; invalid ones are skipped."""
    found = _noted(Finding, notes, "findings")
    return tuple(sorted(found, key=lambda one: (one.kind != "prefix_lost", -one.tokens)))


def _noted(kind: type[T], notes: Mapping[str, Any], name: str) -> Iterator[T]:
    noted = noted_table(notes, WATCHED).get(name)
    for one in noted if isinstance(noted, list) else ():
        with suppress(InvalidInput):
            yield decode(kind, with_noted_values(one) if isinstance(one, dict) else one)
