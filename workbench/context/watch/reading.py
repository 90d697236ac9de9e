"""Reads a watched exchange: its purpose, the contents of its request, and its answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, assert_never

from workbench.context.watch import anthropic, gemini, ollama, openai_chat, openai_responses
from workbench.context.watch.documents import Folded, documents_in
from workbench.context.watch.pieces import Pieces, compact
from workbench.context.watch.prefix import ReadBefore
from workbench.context.watch.splicing import Bodies, NotUnderstood
from workbench.domain.reading.loose_json import count_in, parsed, table_in, tables_in, text_in
from workbench.domain.text import digest_text, repair_text
from workbench.domain.translation import tr
from workbench.domain.watch.exchange import OWN_WORDS, Exchange, WatchedFormat
from workbench.domain.watch.request import WatchedAnswer, WatchedPiece, WatchedRequest

Purpose = Literal["turn", "count", "other"]
_HIGHEST_OK = 299
_LONGEST_ERROR = 500
_MOST_PASSING = 100
_UNREAD = {
    "encoding": tr("The request's encoding is unknown, so it was passed on unread."),
    "too_large": tr("The request is too large to look at, so it was passed on unread."),
    "not_json": tr("The request is not JSON, so it was passed on unread."),
    "unknown_path": tr("The address belongs to no known interface, so the request was passed on unread."),
}


_USAGE = re.compile(r'(?<!\\)"(usage|usageMetadata)"\s*:\s*(?=\{)')
_TOO_DEEP = tr("It is nested too deeply to be read.")


@dataclass(frozen=True, slots=True)
class Protocol:
    """How requests and answers of one API format are read; `own` are the fields that become pieces."""

    read: Callable[[Mapping[str, Any], Pieces], None]
    fold: Callable[[Iterable[Mapping[str, Any]]], Folded]
    own: frozenset[str]
    turns: tuple[str, ...]
    counts: tuple[str, ...] = ()


def protocol_of(name: WatchedFormat) -> Protocol:
    """The protocol of an API format."""
    match name:
        case "openai":
            one, ends = openai_chat, ("/chat/completions", "/completions")
            return Protocol(one.read_request, one.fold, one.READ, ends)
        case "responses":
            ends = ("/responses", "/responses/compact")
            counts = ("/responses/input_tokens",)
            return Protocol(
                openai_responses.read_request, openai_responses.fold, openai_responses.READ, ends, counts
            )
        case "anthropic":
            counts = ("/messages/count_tokens",)
            return Protocol(anthropic.read_request, anthropic.fold, anthropic.READ, ("/messages",), counts)
        case "ollama":
            ends = ("/api/chat", "/api/generate")
            return Protocol(ollama.read_request, ollama.fold, ollama.READ, ends)
        case "gemini":
            ends = (":generateContent", ":streamGenerateContent")
            return Protocol(gemini.read_request, gemini.fold, gemini.READ, ends, (":countTokens",))
        case _:
            assert_never(name)


def purpose_of(exchange: Exchange, body: Mapping[str, Any] | None) -> Purpose:
    """Whether a request asks a model, counts tokens, or does something else, such as probing the server."""
    if exchange.format is None or exchange.method != "POST":
        return "other"
    path, protocol = exchange.path.partition("?")[0].rstrip("/"), protocol_of(exchange.format)
    if path.endswith(protocol.counts):
        return "count"
    if not path.endswith(protocol.turns):
        return "other"
    return "turn" if body is None or _wants_answer(exchange.format, body) else "other"


def body_of(exchange: Exchange, before: ReadRequests | None = None) -> dict[str, Any] | None:
    """The request body as a JSON object; None where it is none or was not kept."""
    if exchange.unread or not exchange.request:
        return None
    text = exchange.request.decode("utf-8-sig", "replace")
    try:
        value = parsed(text) if before is None else before.bodies.parsed(text)[0]
    except NotUnderstood:  # only when it is read in parts, as an object that says something twice is
        value = parsed(text)
    return value if isinstance(value, dict) else None


def _wants_answer(name: WatchedFormat, body: Mapping[str, Any]) -> bool:
    """Whether an answer is wanted; a request for a single token is how clients check a key."""
    if name == "ollama":
        return ollama.is_question(body)
    if name == "anthropic":
        return count_in(body, "max_tokens") != 1 or len(tables_in(body, "messages")) > 1
    return True


class ReadRequests:
    """Requests read before, so that what is repeated of them is reused: of their bodies, and by format their pieces."""

    def __init__(self, *, strict: bool = False) -> None:
        self.bodies = Bodies(strict=strict)
        self._formats: dict[WatchedFormat, ReadBefore[Any]] = {}
        self._read: dict[int, Pieces] = {}

    def before(self, name: WatchedFormat) -> ReadBefore[Any]:
        """The messages of a format that were read before."""
        return self._formats.setdefault(name, ReadBefore())

    def pieces(self, n: int, name: WatchedFormat) -> Pieces:
        """The collector for the pieces of request number `n`."""
        made = self._read[n] = Pieces(self.before(name))
        while len(self._read) > _MOST_PASSING:
            del self._read[next(iter(self._read))]
        return made

    def keep(self, n: int, request: WatchedRequest) -> None:
        """Store a counted request, so that pieces that are sent again are the same objects."""
        pieces = self._read.pop(n, None)
        if pieces is not None and not request.previous:  # else it has pieces that it does not carry
            pieces.keep(request.pieces)


def read_request(
    exchange: Exchange, body: Mapping[str, Any] | None, before: ReadRequests | None = None
) -> WatchedRequest:
    """Parse a request into pieces; never raises, whatever it contains."""
    name = exchange.format or "openai"
    if body is None:
        why = _UNREAD.get(exchange.unread or "not_json", "")
        return WatchedRequest(name, "", (), odd=(why,))
    protocol = protocol_of(name)
    pieces = Pieces() if before is None else before.pieces(exchange.n, name)
    model = text_in(body, "model") or gemini.model_in(exchange.path)
    try:
        protocol.read(body, pieces)
        rest = [(str(key), compact(value)) for key, value in body.items() if key not in protocol.own]
    except RecursionError:
        return WatchedRequest(name, model, (), odd=(_TOO_DEEP,))
    return WatchedRequest(
        name,
        model,
        pieces.all(),
        tuple(rest),
        previous=text_in(body, "previous_response_id"),
        odd=tuple(pieces.odd),
    )


def read_answer(exchange: Exchange) -> WatchedAnswer:
    """Parse an answer, streamed or not; an error in any form becomes its message."""
    if exchange.format is not None and exchange.answer_cut:
        return _truncated_answer(exchange, protocol_of(exchange.format))
    if exchange.format is None or not exchange.answer:
        return WatchedAnswer(error=_missing_answer(exchange), cut=exchange.ending != "complete")
    documents = documents_in(exchange.answer)
    try:
        folded = protocol_of(exchange.format).fold(documents.found)
    except RecursionError:
        return WatchedAnswer(error=_TOO_DEEP)
    failed = exchange.status is not None and exchange.status > _HIGHEST_OK
    if failed and not folded.error:
        folded.error = (documents.rest.strip() or compact(documents.found))[:_LONGEST_ERROR]
    elif not documents.found and not failed:
        folded.error = tr("The answer could not be read.")
    return folded.answer()


def _truncated_answer(exchange: Exchange, protocol: Protocol) -> WatchedAnswer:
    """An answer too large to be kept: its beginning, a line that says so, and the usage from its end."""
    head = documents_in(exchange.answer).found
    try:
        begun = protocol.fold(head).answer()
        end = (*head, *_documents_at_end(exchange))
        whole = protocol.fold(end).answer()
        if whole.usage.completion_tokens is None:
            whole = protocol.fold((*end, *_usage_at_end(exchange))).answer()
    except RecursionError:
        begun = whole = WatchedAnswer()
    words = f"[Only the beginning of this answer is kept: it has {exchange.answer_bytes:,} bytes.]"
    said = WatchedPiece("rest", "L4_STRIP", "answer", words, "assistant", digest=digest_text(words))
    return replace(whole, pieces=(*begun.pieces, said), unkept_bytes=exchange.answer_bytes)


def _documents_at_end(exchange: Exchange) -> tuple[dict[str, Any], ...]:
    """The events at the end of a truncated stream, from the first complete one."""
    text = exchange.answer_end.decode("utf-8", "replace")
    first = re.search(r"\r?\n(?=\r?\n|[{,\[]|data:|event:)", text)
    return documents_in(text[first.end() :].lstrip().encode()).found if first else ()


def _usage_at_end(exchange: Exchange) -> Iterator[dict[str, Any]]:
    """The usage at the end of an answer that was not streamed, in the form of a stream's events."""
    text = exchange.answer_end.decode("utf-8", "replace")
    for found in [*_USAGE.finditer(text)][-1:]:
        try:
            counts, _ = json.JSONDecoder().raw_decode(text, found.end())
        except (ValueError, RecursionError):
            return
        match exchange.format:
            case "responses":
                yield {"type": "response.completed", "response": {"usage": counts}}
            case "anthropic":
                yield {"type": "message_delta", "usage": counts}
            case _:
                yield {found[1]: counts}


def counted_tokens(exchange: Exchange) -> int | None:
    """The count in a server's answer to a token-counting request."""
    for document in documents_in(exchange.answer).found:
        for field in ("input_tokens", "totalTokens"):
            if (tokens := count_in(document, field)) is not None:
                return tokens
    return None


def _missing_answer(exchange: Exchange) -> str:
    match exchange.ending:
        case "unreachable":
            return tr("{own_words} The server could not be reached.", own_words=OWN_WORDS)
        case "client_left":
            return tr("The client left before an answer came.")
        case "cut":
            return tr("The connection ended before an answer came.")
        case "complete":
            if exchange.answer_bytes:
                return tr("The answer's encoding is unknown, so it was passed on unread.")
            return "" if exchange.status is not None else tr("No answer was recorded.")


# Who asks.


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sent a request.

    Attributes:
        client: as it names itself, without what it says about the computer.
        session: what it calls its session; agent: which of several agents in it asks, empty for the main one.
        parent_thread: the session of which this one is a sub-agent's, where the client says so.
    """

    client: str = ""
    session: str = ""
    agent: str = ""
    parent_thread: str = ""


_SESSIONS = (
    "x-claude-code-session-id", "session-id", "session_id", "conversation_id", "x-conversation-id", "x-session-id",
    "x-session-affinity", "thread_id",
)  # fmt: skip
_PARENTS = ("x-codex-parent-thread-id", "x-parent-session-id")


def sender_of(exchange: Exchange, body: Mapping[str, Any] | None) -> Sender:
    """Who sent a request, by its headers and its body."""
    client = exchange.header("user-agent").split(" ")[0]
    told = _json_header(exchange.header("x-codex-turn-metadata"))
    session = text_in(told, "thread_id") or _first(exchange, _SESSIONS)
    session = session or text_in(body or {}, "prompt_cache_key")
    agent = exchange.header("x-claude-code-agent-id") or exchange.header("x-openai-subagent")
    parent = text_in(told, "parent_thread_id") or _first(exchange, _PARENTS)
    return Sender(client, session, agent, parent)


def _first(exchange: Exchange, names: tuple[str, ...]) -> str:
    return next((value for name in names if (value := exchange.header(name))), "")


def _json_header(value: str) -> dict[str, Any]:
    found = parsed(value)
    return found if isinstance(found, dict) else {}


# An answer while it passes: its bytes come in pieces, and each piece is read once.


_DATA = b"data:"


class Grown(NamedTuple):
    """New content of a streaming answer: text, thinking, or the name of a tool being called."""

    kind: Literal["answer", "thought", "call"]
    text: str


class ArrivingAnswer:
    """Parses a streaming answer as it arrives; an answer that is not streamed yields nothing before its end."""

    def __init__(self, name: WatchedFormat) -> None:
        self._format: WatchedFormat = name
        self._rest: list[bytes] = []

    def take(self, piece: bytes) -> tuple[Grown, ...]:
        """What a chunk of bytes adds; consecutive text of one kind is joined."""
        first, *others = piece.split(b"\n")
        self._rest.append(first)
        if not others:
            return ()
        lines = [b"".join(self._rest), *others[:-1]]
        self._rest = others[-1:]
        return tuple(_joined(one for line in lines for one in self._grown(line)))

    def _grown(self, line: bytes) -> Iterator[Grown]:
        told = line.strip().removeprefix(_DATA)
        if not told.lstrip().startswith(b"{"):
            return
        try:
            event = json.loads(told)
            if isinstance(event, dict):
                yield from grown_by(self._format, event)
        except (ValueError, RecursionError):
            return


def grown_by(name: WatchedFormat, event: Mapping[str, Any]) -> Iterator[Grown]:
    """What one event of a stream adds."""
    if name == "anthropic":
        found = _anthropic(event)
    elif name == "responses":
        found = _responses(event)
    else:
        # Each event of these is a small answer of its own.
        pieces = protocol_of(name).fold([event]).pieces.as_answer()
        found = (_piece(one.kind, one.name if one.kind == "call" else one.text) for one in pieces)
    yield from (one for one in found if one is not None and one.text)


def _anthropic(event: Mapping[str, Any]) -> Iterator[Grown | None]:
    block, delta = table_in(event, "content_block"), table_in(event, "delta")
    kinds = {"text_delta": "answer", "thinking_delta": "thought", "text": "answer", "thinking": "thought"}
    for some in (block, delta):
        kind = text_in(some, "type")
        yield _piece(kinds.get(kind, ""), text_in(some, kind.removesuffix("_delta")))
    if text_in(block, "type").endswith("tool_use"):
        yield Grown("call", text_in(block, "name"))


def _responses(event: Mapping[str, Any]) -> Iterator[Grown | None]:
    match text_in(event, "type"):
        case "response.output_text.delta" | "response.refusal.delta":
            yield _piece("answer", text_in(event, "delta"))
        case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
            yield _piece("thought", text_in(event, "delta"))
        case "response.output_item.added":
            yield Grown("call", text_in(table_in(event, "item"), "name"))


def _piece(kind: str, text: str) -> Grown | None:
    match kind:
        case "answer" | "thought" | "call":
            return Grown(kind, repair_text(text))
    return None


def _joined(grown: Iterator[Grown]) -> Iterator[Grown]:
    waiting: list[Grown] = []
    for one in grown:
        if waiting and (one.kind == "call" or one.kind != waiting[0].kind):
            yield _one(waiting)
            waiting = []
        waiting.append(one)
    if waiting:
        yield _one(waiting)


def _one(some: list[Grown]) -> Grown:
    return Grown(some[0].kind, "".join(one.text for one in some))
