"""Models behind the OpenAI chat completions interface: OpenAI's own, and every server that speaks like it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from workbench.domain.answer import Accepted, AnswerPart, ModelFailed
from workbench.domain.model import ModelCard, session_headers
from workbench.domain.reading.loose_json import count_in, table_in, tables_in, text_in
from workbench.domain.request import ModelRequest, WireBody
from workbench.domain.translation import tr
from workbench.ports.models import PromptMeter
from workbench.providers.harness.failures import AttemptFailed, Explainer
from workbench.providers.harness.harness import Discovery, Harness, Learnt, RawPart, Waits
from workbench.providers.harness.template_marks import CONTROL_TOKENS
from workbench.providers.openai.body import dialect_of, is_openai, request_body
from workbench.providers.openai.stream import OnChunk, answer_parts, document_in, is_completion, whole_parts
from workbench.providers.served.asking import ServerQueries
from workbench.providers.served.servers import (
    CountingServer,
    Following,
    HeldByServers,
    counting_server,
    detect_server,
    with_server_count,
)
from workbench.providers.wire.body import (
    JSON_HEADERS,
    Stretches,
    body_bytes,
    chat_stretches,
    digest_of,
    wire_body,
)
from workbench.providers.wire.endpoint import Endpoint
from workbench.providers.wire.faults import Refused, Slow
from workbench.providers.wire.late_parts import defer
from workbench.providers.wire.strict_json import parse_object
from workbench.providers.wire.transport import Caps, guard_of

if TYPE_CHECKING:
    from workbench.providers.openai.client import OfficialClient
    from workbench.providers.wire.guarded_transport import PlainClient


# What an OpenAI-compatible server says about its models, in the fields that different servers use.

# vLLM; OpenRouter and others; Groq; LM Studio; gateways, which say how much may be sent.
_WINDOW_FIELDS = (
    "max_model_len",
    "context_length",
    "context_window",
    "loaded_context_length",
    "max_context_length",
    "max_input_tokens",
)
_COUNTING = "counting"
_SMALLEST_WINDOW_TOKENS = 256
_LARGEST_WINDOW_TOKENS = 100_000_000


def names_in(listing: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the served models."""
    return tuple(name for name in (text_in(entry, "id") for entry in tables_in(listing, "data")) if name)


def essential(listing: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a listing worth caching: names and windows; some servers send a megabyte."""
    return {"data": [_essential(entry) for entry in tables_in(listing, "data")]}


def _essential(entry: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: entry[name] for name in ("id", *_WINDOW_FIELDS) if name in entry}
    for table, name in (("top_provider", "context_length"), ("meta", "n_ctx")):
        window = count_in(table_in(entry, table), name)
        if window is not None:
            kept[table] = {name: window}
    return kept


def refined(known: ModelCard, listing: Mapping[str, Any], model: str) -> ModelCard:
    """The card with the server's window; unchanged if the server does not report one."""
    entries = tables_in(listing, "data")
    mine = [entry for entry in entries if text_in(entry, "id") == model]
    # A server with one model serves it under any name.
    entry = mine[0] if mine else entries[0] if len(entries) == 1 else {}
    window_tokens = _window_tokens(entry)
    if window_tokens is None:
        return known
    return replace(known, context_window_tokens=window_tokens, window_assumed=False)


def card_at(endpoint: Endpoint, card: ModelCard, listing: Mapping[str, Any]) -> ModelCard:
    """The card as it applies there: counts are exact at OpenAI itself, or if the server counts."""
    exact = card.exact and (is_openai(endpoint) or card.tokenizer.startswith("server:"))
    return with_server_count(
        replace(card, exact=exact, prefill=False), table_in(listing, _COUNTING), endpoint
    )


def _window_tokens(entry: Mapping[str, Any]) -> int | None:
    top = table_in(entry, "top_provider")
    counts = [
        # OpenRouter: the window of the provider that answers first may be smaller than the model's.
        count_in(top, "context_length"),
        *(count_in(entry, name) for name in _WINDOW_FIELDS),
        count_in(table_in(entry, "meta"), "n_ctx"),
    ]
    usable = (n for n in counts if n is not None and _SMALLEST_WINDOW_TOKENS <= n <= _LARGEST_WINDOW_TOKENS)
    return next(usable, None)


_DEFAULT_WAITS = Waits()
CAPS = Caps()


class OpenAiModel:
    """One model at one endpoint.

    `on_chunk` sees each chunk as it came, before it is read. `learnt` is what servers said before, for a time when they
    are silent; `held` is what their caches hold, where they can be asked about it.
    """

    _path = "/chat/completions"
    _counts = True

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        waits: Waits = _DEFAULT_WAITS,
        on_chunk: OnChunk | None = None,
        learnt: Learnt | None = None,
        held: HeldByServers | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._held = HeldByServers() if held is None else held
        self._asking = ServerQueries(endpoint)
        self._server: tuple[Mapping[str, Any], CountingServer] | None = None
        self._followed = True
        self._on_chunk = on_chunk
        self._dialect = dialect_of(endpoint)
        # Behind a gateway, too, OpenAI's models are nobody's template.
        marks = () if is_openai(endpoint) or endpoint.provider == "openai" else CONTROL_TOKENS
        self._harness = Harness(Explainer(endpoint), endpoint.local, waits, marks=marks)
        self._listing = Discovery(
            self._ask_for_models,
            self._open_client,
            learnt=learnt,
            about=tr("models at {base_url}", base_url=endpoint.base_url),
        )
        self._client: OfficialClient | PlainClient | None = None

    async def card(self, known: ModelCard) -> ModelCard:
        """The card with the window that the server reports."""
        if is_openai(self._endpoint):  # its list says nothing but names
            return known
        said = await self._listing.known()
        if await self._counting() is None:
            said = {name: value for name, value in said.items() if name != _COUNTING}
        return card_at(self._endpoint, refined(known, said, self._endpoint.model), said)

    async def served_now(self) -> dict[str, Any]:
        """The server's listing of its models; raises `ModelFailed` if it gives none."""
        try:
            return await self._listing.ask_now()
        except Exception as error:  # noqa: BLE001  (a vendor's library may raise anything; all of it gets a name)
            failed = self._harness.explain(Slow(3.0, begun=False) if type(error) is TimeoutError else error)
        raise ModelFailed(failed.failure)

    def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        """Send a request, and yield the answer as it arrives."""
        return self._harness.stream(partial(self._attempt, request), request.timeouts)

    def wire(self, request: ModelRequest) -> WireBody:
        """Returns what would be sent, in the dialect learnt so far."""
        body = self._body(request)
        headers = (*JSON_HEADERS, *self._session(request).items())
        url, stretches = self._endpoint.base_url + self._path, self._stretches(request, body)
        return wire_body(body, url, stretches, guard_of(self._endpoint), headers)

    async def meter(self) -> PromptMeter | None:
        """The server's token counter, if it has one; the interface itself has none."""
        server = await self._counting()
        return None if server is None else server.meter

    async def ready(self, progress: Callable[[str, float | None], None]) -> None:
        """Imports the client's library, which takes a while, in a thread; too quick to report progress."""
        await self._open_client()

    async def close(self) -> None:
        """Close all connections; asking again opens new ones."""
        client, self._client = self._client, None
        self._listing.forget()
        with suppress(Exception):
            await self._asking.close()
        if client is not None:
            with suppress(Exception):
                await client.close()

    async def _attempt(self, request: ModelRequest) -> AsyncGenerator[RawPart, None]:
        learned: AttemptFailed | None = None
        try:
            async with aclosing(self._stream_parts(request)) as parts:
                async for part in parts:
                    yield part
        except Refused as refused:
            learned = self._adapt_to_refusal(refused)
            if learned is None:
                raise
        if learned is not None:
            raise learned

    async def _stream_parts(self, request: ModelRequest) -> AsyncGenerator[RawPart, None]:
        client = await self._open_client()
        following = await self._server[1].follow(request) if self._server and self._followed else None
        content = body_bytes(self._body(request))
        try:
            waits, session = request.timeouts.connect_s, self._session(request)
            async with client.post_bytes(self._path, content, waits, session) as response:
                pieces = response.aiter_raw()
                whole = await document_in(response.headers.get("content-type", ""), pieces, is_completion)
                yield Accepted(digest_of(content))
                heard = self._chunk_listener(following)
                if whole is not None:
                    for part in whole_parts(whole, request, heard):
                        yield part
                    return
                async with aclosing(answer_parts(pieces, request, CAPS, heard)) as parts:
                    async for part in parts:
                        yield part
        finally:
            if following is not None:
                following.left()

    def _session(self, request: ModelRequest) -> dict[str, str]:
        return session_headers(self._endpoint.session, request.conversation)

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        """The request body."""
        return {**self._chat_body(request), **self._extras()}

    def _stretches(self, request: ModelRequest, body: dict[str, Any]) -> Stretches:
        return chat_stretches(request, body)

    def _adapt_to_refusal(self, refused: Refused) -> AttemptFailed | None:
        """After a refusal of an optional field: retry without it, now and in future."""
        words = refused.body.decode("utf-8", "replace") if refused.status in (400, 422) else ""
        dialect = self._dialect.after_refusal(words)
        if any(name in words for name in self._extras()):
            self._followed = False
        elif dialect is not None:
            self._dialect = dialect
        else:
            return None
        return AttemptFailed(self._harness.explain(refused).failure, again=True)

    async def _ask_for_models(self) -> dict[str, Any]:
        client = await self._open_client()
        listing = parse_object(await client.models(3.0))
        facts = await detect_server(self._asking, listing)
        return essential(listing) | ({_COUNTING: facts} if facts else {})

    async def _counting(self) -> CountingServer | None:
        """The tracker of the server, if it counts tokens."""
        if not self._counts or is_openai(self._endpoint):
            return None
        facts = table_in(await self._listing.known(), _COUNTING)
        if self._server is None or self._server[0] != facts:
            found = counting_server(facts, self._endpoint, self._asking, self._chat_body, self._held)
            self._server = None if found is None else (facts, found)
        return None if self._server is None else self._server[1]

    def _chat_body(self, request: ModelRequest) -> dict[str, Any]:
        body = request_body(request, self._endpoint, self._dialect)
        # Not after tools: what ends such a request is a result.
        begun = self._server is not None and bool(request.messages) and request.messages[-1].is_beginning
        return {**body, **self._server[1].continuing} if begun and self._server is not None else body

    def _extras(self) -> Mapping[str, Any]:
        """Fields sent so that the answer can be tracked."""
        return self._server[1].extras if self._server is not None and self._followed else {}

    def _chunk_listener(self, following: Following | None) -> OnChunk | None:
        """The callback for each raw chunk."""
        if following is None:
            return self._on_chunk
        following.begin()
        return following.note

    async def _open_client(self) -> OfficialClient | PlainClient:
        if self._client is None:
            opened = await asyncio.to_thread(_open, self._endpoint)
            if self._client is None:
                self._client = opened
        return self._client


def _open(endpoint: Endpoint) -> OfficialClient | PlainClient:
    """The vendor's client for the vendor's models; other servers are sent the same without importing it."""
    if endpoint.provider != "openai":
        from workbench.providers.wire.guarded_transport import PlainClient

        return PlainClient(endpoint, CAPS)
    defer("openai", "types", "types.responses")
    from workbench.providers.openai.client import OfficialClient

    return OfficialClient(endpoint, CAPS)
