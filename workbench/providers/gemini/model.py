"""Gemini, through Google's own interface, which says what its cache served."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from workbench.domain.answer import (
    Accepted,
    AnswerPart,
    CallMade,
    Finished,
    FinishReason,
    ModelFailed,
    TextGrew,
    ThinkingGrew,
    UsageReported,
)
from workbench.domain.message import ToolCall
from workbench.domain.model import ModelCard
from workbench.domain.reading.loose_json import count_in, table_in, tables_in, text_in
from workbench.domain.request import ModelRequest, WireBody
from workbench.domain.usage import Usage, gemini_usage
from workbench.ports.models import PromptMeter
from workbench.providers.gemini.messages import sign_for_storage, written
from workbench.providers.harness.failures import Explainer
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
from workbench.providers.wire.body import JSON_HEADERS, body_bytes, digest_of, wire_body
from workbench.providers.wire.endpoint import Endpoint, origin
from workbench.providers.wire.events import events
from workbench.providers.wire.faults import SaidError, Slow
from workbench.providers.wire.strict_json import parse_object
from workbench.providers.wire.transport import Caps, Guard

if TYPE_CHECKING:
    import httpx2


# Chunks of Gemini's stream, read into parts of an answer; a finish reason is its end.


_REASONS: Mapping[str, FinishReason] = {
    "STOP": "stop", "MAX_TOKENS": "length", "SAFETY": "content_filter", "RECITATION": "content_filter",
    "BLOCKLIST": "content_filter", "PROHIBITED_CONTENT": "content_filter", "SPII": "content_filter",
    "IMAGE_SAFETY": "content_filter",
}  # fmt: skip


def is_answer(document: Mapping[str, Any]) -> bool:
    """Whether it is a complete, unstreamed answer."""
    return isinstance(document.get("candidates"), list) or bool(table_in(document, "promptFeedback"))


class ChunkReader:
    """Parses one answer, chunk by chunk; `zeros_unsaid` as for `gemini_usage`."""

    def __init__(self, request: ModelRequest, model: str, *, zeros_unsaid: bool = False) -> None:
        self._request, self._model, self._zeros_unsaid = request, model, zeros_unsaid
        self._calls: list[ToolCall] = []
        self._usage: Usage | None = None
        self.finished = False

    def read(self, chunk: Mapping[str, Any]) -> Iterator[RawPart]:
        """The parts of a chunk."""
        if chunk.get("error"):
            raise SaidError(chunk)
        usage = gemini_usage(chunk, zeros_unsaid=self._zeros_unsaid)
        if usage is not None and usage != self._usage:
            self._usage = usage
            # Told before the words it came with: whoever stops there, or is cut off, knows what was used so far.
            yield UsageReported(usage)
        reason = "SAFETY" if text_in(table_in(chunk, "promptFeedback"), "blockReason") else ""
        for candidate in tables_in(chunk, "candidates")[:1]:
            for part in tables_in(table_in(candidate, "content"), "parts"):
                yield from self._part(part)
            reason = text_in(candidate, "finishReason") or reason
        if reason:
            yield from self._end(reason)

    def _part(self, part: Mapping[str, Any]) -> Iterator[RawPart]:
        text, place = text_in(part, "text"), None
        if text:
            yield ThinkingGrew(text) if part.get("thought") is True else TextGrew(text)
        function = table_in(part, "functionCall")
        if name := text_in(function, "name"):
            place = len(self._calls)
            arguments = json.dumps(table_in(function, "args"), ensure_ascii=False)
            self._calls.append(ToolCall(text_in(function, "id"), name, arguments))
            yield CallGrew(len(name) + len(arguments))
        if signature := text_in(part, "thoughtSignature"):
            yield ThinkingGrew("", sign_for_storage(signature, self._model, place))

    def _end(self, reason: str) -> Iterator[RawPart]:
        """Emit tool calls only at the end: one of an answer that breaks off must not be executed."""
        self.finished = True
        yield from map(CallMade, with_own_ids(self._calls, self._request))
        found = _REASONS.get(reason, "other")
        yield Finished("tool_calls" if self._calls and found == "stop" else found)


_DEFAULT_WAITS = Waits()
_CAPS = Caps()
_CONNECT_S = 3.0
_MODELS = "/v1beta/models"


def is_google(endpoint: Endpoint) -> bool:
    """Whether the server is Google's own; a gateway may omit unknown fields."""
    return endpoint.host == "generativelanguage.googleapis.com"


class GeminiModel:
    """One model at one endpoint → ChatModel."""

    def __init__(
        self, endpoint: Endpoint, *, waits: Waits = _DEFAULT_WAITS, learnt: Learnt | None = None
    ) -> None:
        self._endpoint = endpoint
        self._harness = Harness(Explainer(endpoint), endpoint.local, waits)
        about = f"{endpoint.model} at {endpoint.base_url}"
        self._about = Discovery(self._ask_about_model, self._open_client, learnt=learnt, about=about)
        self._client: httpx2.AsyncClient | None = None

    async def card(self, known: ModelCard) -> ModelCard:
        """The card with the window and the longest answer that the server reports."""
        about = await self._about.known()
        window, longest = count_in(about, "inputTokenLimit"), count_in(about, "outputTokenLimit")
        known = replace(known, context_window_tokens=window, window_assumed=False) if window else known
        return replace(known, max_output_tokens=longest) if longest else known

    async def served_now(self) -> dict[str, Any]:
        """The server's listing of its models; raises `ModelFailed` if it gives none."""
        try:
            return await Discovery(self._ask_for_models, self._open_client).ask_now()
        except Exception as error:  # noqa: BLE001  (a library may raise anything; all of it gets a name)
            failed = self._harness.explain(Slow(3.0, begun=False) if type(error) is TimeoutError else error)
        raise ModelFailed(failed.failure)

    def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        """Send a request, and yield the answer as it arrives."""
        return self._harness.stream(partial(self._attempt, request), request.timeouts)

    def wire(self, request: ModelRequest) -> WireBody:
        """Returns what would be sent."""
        body, stretches = written(request, self._endpoint.model)
        return wire_body(body, self._url, stretches, _guard(self._endpoint))

    async def meter(self) -> PromptMeter | None:
        """None: its counting gives a total only, without positions."""
        return None

    async def ready(self, progress: Callable[[str, float | None], None]) -> None:
        """Imports the client's library in a thread; too quick to report progress."""
        await self._open_client()

    async def close(self) -> None:
        """Close all connections; asking again opens new ones."""
        client, self._client = self._client, None
        self._about.forget()
        if client is not None:
            with suppress(Exception):
                await client.aclose()

    @property
    def _model_url(self) -> str:
        return f"{self._endpoint.base_url}{_MODELS}/{quote(self._endpoint.model, safe='')}"

    @property
    def _url(self) -> str:
        return f"{self._model_url}:streamGenerateContent?alt=sse"

    async def _attempt(self, request: ModelRequest) -> AsyncGenerator[RawPart, None]:
        client = await self._open_client()
        content = body_bytes(written(request, self._endpoint.model)[0])
        reader = ChunkReader(request, self._endpoint.model, zeros_unsaid=is_google(self._endpoint))
        waits = _timeout(request.timeouts.connect_s)
        headers = dict(JSON_HEADERS)
        async with client.stream(
            "POST", self._url, content=content, headers=headers, timeout=waits
        ) as response:
            pieces = response.aiter_raw()
            whole = await document_in(response.headers.get("content-type", ""), pieces, is_answer)
            yield Accepted(digest_of(content))
            if whole is not None:
                for part in reader.read(whole):
                    yield part
                return
            async with aclosing(_parts(pieces, reader)) as parts:
                async for part in parts:
                    yield part

    async def _ask_about_model(self) -> dict[str, Any]:
        said = await self._get_json(self._model_url)
        return {name: said[name] for name in ("inputTokenLimit", "outputTokenLimit") if name in said}

    async def _ask_for_models(self) -> dict[str, Any]:
        """All models, in the form in which other servers list theirs."""
        said = await self._get_json(f"{self._endpoint.base_url}{_MODELS}?pageSize=1000")
        found = [
            {
                "id": text_in(one, "name").removeprefix("models/"),
                "max_input_tokens": one.get("inputTokenLimit"),
            }
            for one in tables_in(said, "models")
        ]
        return {"data": found}

    async def _get_json(self, url: str) -> dict[str, Any]:
        client = await self._open_client()
        return parse_object(await (await client.get(url, timeout=_timeout(_CONNECT_S))).aread())

    async def _open_client(self) -> httpx2.AsyncClient:
        if self._client is None:
            opened = await asyncio.to_thread(_open, self._endpoint)
            if self._client is None:
                self._client = opened
        return self._client


async def _parts(pieces: AsyncIterable[bytes], reader: ChunkReader) -> AsyncGenerator[RawPart, None]:
    async with aclosing(events(pieces, _CAPS.line_bytes)) as arriving:
        async for event in arriving:
            for part in reader.read(parse_object(event.content)):
                yield part
            if reader.finished:
                return


def _guard(endpoint: Endpoint) -> Guard:
    """Returns the guard for its address: a header of Google's carries the key."""
    return Guard(origin(endpoint.base_url), endpoint.key, key_header="x-goog-api-key", caps=_CAPS)


def _open(endpoint: Endpoint) -> httpx2.AsyncClient:
    from workbench.providers.wire.guarded_transport import guarded_client
    from workbench.providers.wire.redaction import quiet_loggers

    quiet_loggers()
    return guarded_client(_guard(endpoint), net=endpoint.net)


def _timeout(connect_s: float) -> Any:
    """Limits only connecting; content has the harness's deadlines."""
    import httpx2

    return httpx2.Timeout(None, connect=connect_s, pool=connect_s)
