"""Reads stored watched requests back as interpreted turns."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, get_args

from workbench.context.outgoing import payload_messages
from workbench.context.watch.body import body_of, came_body_of, wire_segments
from workbench.context.watch.measuring import piece_tokens, scaled
from workbench.context.watch.reading import body_of as request_body
from workbench.context.watch.reading import read_request
from workbench.context.watch.splicing import path_of, value_at
from workbench.domain.caching import CacheForecast, Verdict
from workbench.domain.change import Built
from workbench.domain.codec import decode
from workbench.domain.errors import InvalidInput
from workbench.domain.message import Message
from workbench.domain.provider import provider_of
from workbench.domain.reading.loose_json import parsed
from workbench.domain.reading.node import JsonPath
from workbench.domain.record import (
    Chat,
    Record,
    TurnRecord,
    noted_amount,
    noted_count,
    noted_table,
    noted_text,
)
from workbench.domain.request import HIDDEN, PayloadMessage, WireForm
from workbench.domain.text import digest_text
from workbench.domain.usage import Cost, Usage
from workbench.domain.watch.exchange import Exchange, WatchedFormat
from workbench.domain.watch.request import (
    AgainstBefore,
    Cause,
    FirstDifference,
    Passed,
    PieceKind,
    Relation,
    WatchedAnswer,
    WatchedPiece,
    WatchedRequest,
    WatchedTurn,
    tokens_of,
)
from workbench.engine.watch.turn_of import WATCHED, noted_findings, noted_rules, record_of_came
from workbench.ports.counting import TokenCounter

Notes = Mapping[str, Any]
_FORMATS: tuple[WatchedFormat, ...] = get_args(WatchedFormat)
_RELATIONS: tuple[Relation, ...] = get_args(Relation)
_CAUSES: tuple[Cause, ...] = get_args(Cause)
_KINDS: tuple[PieceKind, ...] = get_args(PieceKind)
_VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


def watched_turn(chat: Chat, turn: TurnRecord, path: Sequence[Record]) -> WatchedTurn:
    """The interpreted turn; `path` has the messages of its chat. Fields that were not stored are empty."""
    notes, noted = turn.usage or {}, noted_table(turn.usage or {}, WATCHED)
    mark = chat.filed.watched
    timings, cost = noted_table(notes, "timings_ms"), noted_table(notes, "cost")
    usd = noted_amount(cost, "usd")
    return WatchedTurn(
        n=turn.number,
        conversation=chat.id,
        client=noted_text(noted, "client"),
        started_at=datetime.fromisoformat(turn.started_utc).timestamp(),
        request_bytes=noted_count(noted, "bytes") or 0,
        request=_request(turn, noted, notes),
        answer=_answer(turn, notes, path),
        against=_against(noted),
        parent=mark.parent or None if mark is not None else None,
        call="" if mark is None else mark.call,
        session=noted_text(noted, "session"),
        status=noted_count(noted, "status"),
        first_byte_ms=noted_amount(timings, "first_token"),
        total_ms=noted_amount(timings, "total"),
        forecast=_forecast(turn, notes),
        verdict=_one_of(_VERDICTS, noted_table(notes, "cache").get("verdict")),
        cost=None if usd is None else Cost(usd, noted_text(cost, "as_of")),
        log_usd=noted_amount(noted, "log_usd"),
        findings=noted_findings(notes),
        rules=noted_rules(notes),
        sent_bytes=noted_count(noted, "sent_bytes"),
    )


def watched_exchange(turn: TurnRecord) -> Exchange:
    """The exchange as far as it is stored: the whole request, and how the answer ended."""
    passed, noted = turn.built.inputs.passed or Passed(), noted_table(turn.usage or {}, WATCHED)
    body = body_of(turn.built)
    return Exchange(
        turn.number,
        _one_of(_FORMATS, noted.get("format")),
        "POST",
        passed.path,
        datetime.fromisoformat(turn.started_utc).timestamp(),
        passed.headers,
        body,
        noted_count(noted, "bytes") or len(body),
        noted_count(noted, "status"),
    )


def came_in(turn: TurnRecord, counter: TokenCounter) -> TurnRecord:
    """A turn whose request rules changed with that request as it came; what left has the tokens that rules saved."""
    exchange = replace(watched_exchange(turn), request=came_body_of(turn.built))
    request = read_request(exchange, request_body(exchange))
    sent = _request(turn, noted_table(turn.usage or {}, WATCHED), turn.usage or {})
    tokens = {(one.kind, one.text): one.tokens for one in sent.pieces}
    stayed = [bool(tokens.get((one.kind, one.text))) for one in request.pieces]
    pieces = [
        replace(one, tokens=tokens[one.kind, one.text] if kept else piece_tokens(one, counter))
        for one, kept in zip(request.pieces, stayed, strict=True)
    ]
    # What left is on the scale of the report, as what was sent is: the figures of both and of the rules add up.
    saved = sum(one.tokens_saved for one in noted_rules(turn.usage or {}))
    rest = sent.tokens + saved - tokens_of(one for one, kept in zip(pieces, stayed, strict=True) if kept)
    left = scaled([one for one, kept in zip(pieces, stayed, strict=True) if not kept], max(0, rest))
    fitted = iter(left)
    pieces = [one if kept else next(fitted) for one, kept in zip(pieces, stayed, strict=True)]
    return record_of_came(turn, exchange, replace(request, pieces=tuple(pieces)))


def noted_lost(notes: Mapping[str, Any]) -> int | None:
    """Tokens of the previous request that were read again, from the stored finding; None if there is none."""
    found = next((one.tokens for one in noted_findings(notes) if one.kind == "prefix_lost"), None)
    return found if found is not None else noted_count(noted_table(notes, WATCHED), "lost_tokens")


def _request(turn: TurnRecord, noted: Notes, notes: Notes) -> WatchedRequest:
    given = noted_table(noted_table(notes, "request"), "parameters")
    model = turn.built.inputs.settings.model.partition(":")[2]
    return WatchedRequest(
        _one_of(_FORMATS, noted.get("format")) or "openai",
        model,
        tuple(_pieces(turn)),
        tuple((name, json.dumps(value)) for name, value in given.items()),
        turn.built.envelope.exact,
    )


def _pieces(turn: TurnRecord) -> Iterator[WatchedPiece]:
    envelope, passed = turn.built.envelope, turn.built.inputs.passed or Passed()
    tokens = {
        (one.layer, one.id): cost
        for layer in envelope.layers
        for one, cost in zip(layer.segments, layer.tokens, strict=True)
    }
    said = {
        one.id: (message.role, _number(message.id))
        for message in envelope.messages
        for one in message.segments
    }
    marked = frozenset(passed.marked)
    for place, one in enumerate(wire_segments(envelope)):
        role, number = said.get(one.id, ("system", -1))
        yield WatchedPiece(
            path=one.id,
            layer=one.layer,
            kind=_one_of(_KINDS, one.kind) or "question",
            text=one.text,
            role=role,
            message=number,
            name=passed.names[place] if place < len(passed.names) else "",
            tokens=tokens[one.layer, one.id],
            call=one.tool_call_id or "",
            mark="5m" if place in marked else "",
            image=one.images[0] if one.images else None,
            digest=one.digest,
        )


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else -1


def _answer(turn: TurnRecord, notes: Notes, path: Sequence[Record]) -> WatchedAnswer:
    said = next((record.entry for record in path if record.id == turn.reply), None)
    pieces: list[WatchedPiece] = []
    if isinstance(said, Message):
        pieces += (_text_piece("thought", one.text) for one in said.thinking)
        pieces += (_text_piece("answer", text) for text in said.texts)
        pieces += (
            replace(_text_piece("call", one.arguments), name=one.name, call=one.id) for one in said.tool_calls
        )
    counts = {name: noted_count(notes, name) for name in Usage.__dataclass_fields__}
    error = noted_text(noted_table(notes, "error"), "message")
    unkept = noted_count(noted_table(notes, WATCHED), "unkept_bytes") or 0
    reason = noted_text(notes, "finish_reason")
    return WatchedAnswer(tuple(pieces), Usage(**counts), reason, error, unkept_bytes=unkept)


def _text_piece(kind: PieceKind, text: str) -> WatchedPiece:
    return WatchedPiece("", "L4_STRIP", kind, text, "assistant", digest=digest_text(text))


def _against(noted: Notes) -> AgainstBefore:
    try:
        difference = decode(FirstDifference, noted.get("first_difference"))
    except InvalidInput:
        difference = None
    causes, words = noted.get("causes"), noted.get("words")
    return AgainstBefore(
        _one_of(_RELATIONS, noted.get("relation")) or "first",
        difference,
        tuple(one for one in _CAUSES if isinstance(causes, list) and one in causes),
        noted_count(noted, "lost_tokens") or 0,
        tuple(one for one in words if isinstance(one, str)) if isinstance(words, list) else (),
    )


def _forecast(turn: TurnRecord, notes: Notes) -> CacheForecast | None:
    cache, total = noted_table(notes, "cache"), turn.built.envelope.total_tokens
    read = noted_count(cache, "predicted_read_tokens")
    if read is None:
        return None
    write = noted_count(cache, "predicted_write_tokens") or 0
    return CacheForecast(turn.built.inputs.model.provider, read, write, max(0, total - read - write))


def _one_of(known: tuple[Any, ...], value: object) -> Any:
    return value if isinstance(value, str) and value in known else None


# The bytes of a watched request: those that passed, and none that this program would write.


_TEXTS = ("text", "content", "thinking", "output", "arguments")
_KEY_HEADERS = {"anthropic": "x-api-key", "gemini": "x-goog-api-key"}


def passed_form(built: Built) -> WireForm | None:
    """A watched request as it was sent; None if its body was not stored or is not JSON."""
    body = body_of(built)
    passed = built.inputs.passed
    document = parsed(body)
    if passed is None or not isinstance(document, dict):
        return None
    messages = payload_messages(built)
    provider = provider_of(built.inputs.settings.model)
    name = "" if provider is None else provider.name
    return WireForm(
        pieces=lambda: messages,
        body=document,
        url=f"{'' if provider is None else provider.url}{passed.path}",
        headers=(*passed.headers, (_KEY_HEADERS.get(name, "authorization"), _hidden(name))),
        digest=hashlib.sha256(body).hexdigest(),
        stretches=tuple(_places(document, one) for one in messages),
        raw=body.decode("utf-8", "surrogateescape"),
        size_bytes=len(body),
    )


def _hidden(provider: str) -> str:
    return HIDDEN if provider in _KEY_HEADERS else f"Bearer {HIDDEN}"


def _places(document: dict[str, Any], message: PayloadMessage) -> tuple[JsonPath, ...]:
    """Paths of a message's texts in the body; none if one of them is not written as text."""
    found = [_place(document, piece.id, piece.text) for piece in message.pieces]
    return tuple(place for place in found if place is not None) if None not in found else ()


def _place(document: dict[str, Any], path: str, text: str) -> JsonPath | None:
    steps = path_of(path.rstrip("'"))
    value = value_at(document, steps)
    if value == text and isinstance(value, str):
        return steps
    inner = (name for name in _TEXTS if isinstance(value, dict) and value.get(name) == text)
    name = next(inner, None)
    return None if name is None else (*steps, name)
