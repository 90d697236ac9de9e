"""Models behind Anthropic's messages interface."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from workbench.domain.answer import (
    Accepted,
    AnswerNamed,
    AnswerPart,
    CallMade,
    Failure,
    Finished,
    FinishReason,
    ModelFailed,
    TextGrew,
    ThinkingGrew,
    UsageReported,
)
from workbench.domain.caching import ProviderSays
from workbench.domain.message import ToolCall
from workbench.domain.model import ModelCard
from workbench.domain.reading.loose_json import count_in, table_in, tables_in, text_in
from workbench.domain.request import ModelRequest, WireBody
from workbench.domain.text import repair_text
from workbench.domain.translation import tr
from workbench.domain.usage import anthropic_usage
from workbench.ports.models import PromptMeter
from workbench.providers.anthropic.guard import HEADERS, MESSAGES_PATH, guard_of
from workbench.providers.anthropic.messages import REDACTED, written
from workbench.providers.harness.failures import AttemptFailed, Explainer
from workbench.providers.harness.harness import (
    CallGrew,
    Discovery,
    Harness,
    Learnt,
    RawPart,
    Waits,
    with_own_ids,
)
from workbench.providers.openai.stream import document_in
from workbench.providers.wire.body import body_bytes, digest_of, wire_body
from workbench.providers.wire.endpoint import Endpoint
from workbench.providers.wire.events import events
from workbench.providers.wire.faults import Refused, SaidError, Slow, WireFault
from workbench.providers.wire.strict_json import parse_object
from workbench.providers.wire.transport import Caps

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic


# Events of an Anthropic stream, read into parts of an answer; only `message_stop` is its end.


_LONGEST_REASON = 60


def diagnosis_in(message: Mapping[str, Any], *, compared: bool) -> ProviderSays | None:
    """Returns why the cache missed, from the beginning of an answer; None where it does not say.

    A null diagnosis means that two requests were compared and one continues the other; one without a reason, that they
    were not compared yet.
    """
    if not compared or "diagnostics" not in message:
        return None
    if message["diagnostics"] is None:
        return ProviderSays("unchanged")
    found = table_in(message, "diagnostics")
    if found.get("cache_miss_reason") is None:
        return ProviderSays("pending") if "cache_miss_reason" in found else None
    reason = table_in(found, "cache_miss_reason")
    name = repair_text(text_in(reason, "type"))[:_LONGEST_REASON]
    return ProviderSays(name, count_in(reason, "cache_missed_input_tokens")) if name else None


_REASONS: Mapping[str, FinishReason] = {
    "end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "model_context_window_exceeded": "length",
    "tool_use": "tool_calls", "refusal": "refusal", "pause_turn": "other",
}  # fmt: skip


def is_message(document: Mapping[str, Any]) -> bool:
    """Whether it is a complete, unstreamed answer."""
    return document.get("type") == "message" and isinstance(document.get("content"), list)


def events_of(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A complete answer as the events that a stream would have brought."""
    yield {"type": "message_start", "message": message}
    for place, block in enumerate(tables_in(message, "content")):
        yield {"type": "content_block_start", "index": place, "content_block": block}
        yield {"type": "content_block_stop", "index": place}
    yield {"type": "message_delta", "delta": {"stop_reason": message.get("stop_reason")}}
    yield {"type": "message_stop"}


@dataclass(slots=True)
class _Open:
    """A content block that is incomplete."""

    kind: str
    id: str = ""
    name: str = ""
    text: str = ""


class EventReader:
    """Parses one answer, event by event; `diagnosed` says whether a cache diagnosis was requested."""

    def __init__(self, request: ModelRequest, *, diagnosed: bool = False) -> None:
        self._request, self._diagnosed = request, diagnosed
        self._open: dict[int, _Open] = {}
        self._calls: list[ToolCall] = []
        self._counts: dict[str, Any] = {}
        self._reason: FinishReason | None = None
        self.finished = False

    def read(self, event: Mapping[str, Any]) -> Iterator[RawPart]:
        """The parts of an event; unknown kinds are skipped, as the interface asks for."""
        place = count_in(event, "index") or 0
        match event.get("type"):
            case "message_start":
                message = table_in(event, "message")
                self._count(table_in(message, "usage"))
                yield from self._used_so_far()
                if self._diagnosed and (name := text_in(message, "id")):
                    yield AnswerNamed(name, diagnosis_in(message, compared=bool(self._request.compare_with)))
            case "content_block_start":
                yield from self._begin(place, table_in(event, "content_block"))
            case "content_block_delta":
                yield from self._grow(place, table_in(event, "delta"))
            case "content_block_stop":
                yield from self._end_block(place)
            case "message_delta":
                self._count(table_in(event, "usage"))
                self._reason = self._reason_in(table_in(event, "delta"))
            case "message_stop":
                yield from self._end()
            case "error":
                raise SaidError(event)

    def _begin(self, place: int, block: Mapping[str, Any]) -> Iterator[RawPart]:
        kind = text_in(block, "type")
        opened = self._open[place] = _Open(kind, text_in(block, "id"), text_in(block, "name"))
        if kind == "text" and (text := text_in(block, "text")):
            yield TextGrew(text)
        elif kind == "thinking":
            opened.text = text_in(block, "signature")
            if thought := text_in(block, "thinking"):
                yield ThinkingGrew(thought)
        elif kind == "redacted_thinking" and (hidden := text_in(block, "data")):
            yield ThinkingGrew("", f"{REDACTED}{hidden}")
        elif kind == "tool_use":
            given = table_in(block, "input")
            opened.text = json.dumps(given, ensure_ascii=False) if given else ""
            yield CallGrew(len(opened.name) + len(opened.text))

    def _grow(self, place: int, delta: Mapping[str, Any]) -> Iterator[RawPart]:
        match text_in(delta, "type"):
            case "text_delta":
                yield TextGrew(text_in(delta, "text"))
            case "thinking_delta":
                yield ThinkingGrew(text_in(delta, "thinking"))
            case "signature_delta" if place in self._open:
                self._open[place].text += text_in(delta, "signature")
            case "input_json_delta" if place in self._open:
                piece = text_in(delta, "partial_json")
                self._open[place].text += piece
                yield CallGrew(len(piece))

    def _end_block(self, place: int) -> Iterator[RawPart]:
        block = self._open.pop(place, None)
        if block is None:
            return
        if block.kind == "thinking" and block.text:
            yield ThinkingGrew("", block.text)
        elif block.kind == "tool_use" and block.name:
            self._calls.append(ToolCall(block.id, block.name, block.text or "{}"))

    def _end(self) -> Iterator[RawPart]:
        """Emit tool calls only at the end: one of an answer that breaks off must not be executed."""
        self.finished = True
        yield from map(CallMade, with_own_ids(self._calls, self._request))
        if (usage := anthropic_usage(self._counts)) is not None:
            yield UsageReported(usage)
        yield Finished(self._reason)

    def _count(self, counts: Mapping[str, Any]) -> None:
        """Merge usage: later counts cover everything so far, but may omit earlier fields."""
        self._counts |= {name: value for name, value in counts.items() if value is not None}

    def _used_so_far(self) -> Iterator[RawPart]:
        """Usage of the prompt, in case the answer is cut off."""
        usage = anthropic_usage(self._counts)
        if usage is not None and usage.prompt_tokens is not None:
            yield UsageReported(replace(usage, completion_tokens=None, reasoning_tokens=None))

    def _reason_in(self, delta: Mapping[str, Any]) -> FinishReason | None:
        reason = text_in(delta, "stop_reason")
        return _REASONS.get(reason, "other") if reason else self._reason


_DEFAULT_WAITS = Waits()
_CAPS = Caps()
_NOT_INSTALLED = tr(
    "Anthropic's models need the package “anthropic”, which is not "
    "installed. Nothing was sent. Install it with `pip install anthropic`, "
    "or choose another model."
)


def is_anthropic(endpoint: Endpoint) -> bool:
    """Whether the server is Anthropic's own; a gateway may refuse unknown fields."""
    return endpoint.host == "api.anthropic.com"


class AnthropicModel:
    """One model at one endpoint → ChatModel.

    `diagnosed` says whether to ask why the cache missed; by default only at Anthropic itself.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        waits: Waits = _DEFAULT_WAITS,
        learnt: Learnt | None = None,
        diagnosed: bool | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._diagnosed = is_anthropic(endpoint) if diagnosed is None else diagnosed
        self._harness = Harness(Explainer(endpoint), endpoint.local, waits)
        about = f"{endpoint.model} at {endpoint.base_url}"
        self._about = Discovery(self._ask_about_model, self._open_client, learnt=learnt, about=about)
        self._client: AsyncAnthropic | None = None

    async def card(self, known: ModelCard) -> ModelCard:
        """The card with the window and the longest answer that the server reports."""
        about = await self._about.known()
        window, longest = count_in(about, "max_input_tokens"), count_in(about, "max_tokens")
        known = replace(known, context_window_tokens=window, window_assumed=False) if window else known
        return replace(known, max_output_tokens=longest) if longest else known

    async def served_now(self) -> dict[str, Any]:
        """The server's listing of its models; raises `ModelFailed` if it gives none."""
        listing = Discovery(self._ask_for_models, self._open_client)
        try:
            return await listing.ask_now()
        except Exception as error:  # noqa: BLE001  (a vendor's library may raise anything; all of it gets a name)
            late = Slow(3.0, begun=False) if type(error) is TimeoutError else None
            failed = self._harness.explain(late or _fault_in(error) or error)
        raise ModelFailed(failed.failure)

    def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        """Send a request, and yield the answer as it arrives."""
        return self._harness.stream(partial(self._attempt, request), request.timeouts)

    def wire(self, request: ModelRequest) -> WireBody:
        """Returns what would be sent."""
        body, stretches = written(request, self._endpoint.model, diagnosed=self._diagnosed)
        url, guard = self._endpoint.base_url + MESSAGES_PATH, guard_of(self._endpoint, _CAPS)
        return wire_body(body, url, stretches, guard, HEADERS)

    async def meter(self) -> PromptMeter | None:
        """None: its counting gives a total only, without positions."""
        return None

    async def ready(self, progress: Callable[[str, float | None], None]) -> None:
        """Import the client's library in a thread, which takes a while."""
        await self._open_client()

    async def close(self) -> None:
        """Close all connections; asking again opens new ones."""
        client, self._client = self._client, None
        self._about.forget()
        if client is not None:
            with suppress(Exception):
                await client.close()

    async def _attempt(self, request: ModelRequest) -> AsyncGenerator[RawPart, None]:
        fault: WireFault | AttemptFailed | None = None
        try:
            async with aclosing(self._stream_parts(request)) as parts:
                async for part in parts:
                    yield part
        except Exception as error:
            # The client wraps whatever our transport raises; what was found on the wire is inside.
            fault = self._adapt_to_refusal(_fault_in(error))
            if fault is None:
                raise
        if fault is not None:
            raise fault

    def _adapt_to_refusal(self, fault: WireFault | None) -> WireFault | AttemptFailed | None:
        """After a refusal of an optional field: retry without it, now and in future."""
        if not self._diagnosed or not isinstance(fault, Refused) or fault.status not in (400, 422):
            return fault
        if b"diagnostics" not in fault.body:
            return fault
        self._diagnosed = False
        return AttemptFailed(self._harness.explain(fault).failure, again=True)

    async def _stream_parts(self, request: ModelRequest) -> AsyncGenerator[RawPart, None]:
        client = await self._open_client()
        from workbench.providers.anthropic.client import post_bytes

        # Not by the client's own method, which would warn on standard error about older models by their names.
        diagnosed = self._diagnosed
        content = body_bytes(written(request, self._endpoint.model, diagnosed=diagnosed)[0])
        async with post_bytes(client, MESSAGES_PATH, content, request.timeouts.connect_s) as response:
            # Read here and not by the client, for which a stream that was cut is one that has ended.
            pieces = response.aiter_raw()
            whole = await document_in(response.headers.get("content-type", ""), pieces, is_message)
            yield Accepted(digest_of(content))
            reader = EventReader(request, diagnosed=diagnosed)
            if whole is not None:
                for event in events_of(whole):
                    for part in reader.read(event):
                        yield part
                return
            async with aclosing(_parts(pieces, reader)) as parts:
                async for part in parts:
                    yield part

    async def _ask_about_model(self) -> dict[str, Any]:
        client = await self._open_client()
        retrieve = client.models.with_streaming_response.retrieve
        async with retrieve(self._endpoint.model, timeout=_timeout(3.0)) as response:
            said = parse_object(await response.read())
        return {name: said[name] for name in ("max_input_tokens", "max_tokens") if name in said}

    async def _ask_for_models(self) -> dict[str, Any]:
        client = await self._open_client()
        async with client.models.with_streaming_response.list(timeout=_timeout(3.0)) as response:
            return parse_object(await response.read())

    async def _open_client(self) -> AsyncAnthropic:
        if self._client is None:
            opened = await asyncio.to_thread(_open, self._endpoint)
            if self._client is None:
                self._client = opened
        return self._client


async def _parts(pieces: Any, reader: EventReader) -> AsyncGenerator[RawPart, None]:
    async with aclosing(events(pieces, _CAPS.line_bytes)) as arriving:
        async for event in arriving:
            for part in reader.read(parse_object(event.content)):
                yield part
            if reader.finished:
                return


def _fault_in(error: BaseException | None) -> WireFault | None:
    while error is not None and not isinstance(error, WireFault):
        error = error.__cause__
    return error


def _open(endpoint: Endpoint) -> AsyncAnthropic:
    try:
        from workbench.providers.anthropic.client import open_client
    except ModuleNotFoundError as missing:
        if missing.name != "anthropic":
            raise
        raise ModelFailed(Failure("unavailable", _NOT_INSTALLED)) from None
    client = open_client(endpoint, _CAPS)
    _ = client.models  # loaded at its first use, which would stop the loop for a while
    return client


def _timeout(connect_s: float) -> Any:
    """Limits only connecting; content has the harness's deadlines."""
    import httpx2

    return httpx2.Timeout(None, connect=connect_s, pool=connect_s)
