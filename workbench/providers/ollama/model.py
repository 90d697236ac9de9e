"""Models served by Ollama, through its own interface."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

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
from workbench.domain.translation import tr
from workbench.domain.usage import Usage, ollama_usage
from workbench.ports.models import PromptMeter
from workbench.providers.harness.failures import Explainer
from workbench.providers.harness.harness import Discovery, Harness, Learnt, RawPart, Waits, with_own_ids
from workbench.providers.harness.template_marks import CONTROL_TOKENS
from workbench.providers.ollama.messages import CHAT_PATH, ollama_body
from workbench.providers.wire.body import body_bytes, chat_stretches, digest_of, wire_body
from workbench.providers.wire.endpoint import Endpoint, origin
from workbench.providers.wire.events import json_objects
from workbench.providers.wire.faults import NotAStream, Overflowed, SaidError, Slow
from workbench.providers.wire.likely_tokens import LikelyTokens
from workbench.providers.wire.transport import Caps, Guard

if TYPE_CHECKING:
    from workbench.providers.ollama.client import RawOllama


# Lines of Ollama's stream, read into parts of an answer.


# Whether Ollama dropped a part of the request without saying so, told from the counts it gives afterwards.

# Letters of scripts that put spaces between words; elsewhere a run of letters may be any number of words.
_WORD = re.compile(r"[A-Za-z\u00c0-\u024f\u0370-\u052f]+")
# Framing and tools of a template, in tokens, on which no bound is known: more than any template adds.
_FRAMING_BYTES = 64


def check_overflow(request: ModelRequest, usage: Usage | None) -> None:
    """Raise `Overflowed` if the reported counts show that part of the request was dropped."""
    if usage is None or usage.prompt_tokens is None:
        return
    window, read = request.window_tokens, usage.prompt_tokens
    if read >= window - 1 or read + (usage.completion_tokens or 0) > window:
        raise Overflowed(window)
    words = least_tokens(request)
    if read < words and most_tokens(request) > window:
        raise Overflowed(window, words)


def least_tokens(request: ModelRequest) -> int:
    """A lower bound: one token for each word of the messages."""
    return sum(len(_WORD.findall(message.text)) for message in request.messages)


def most_tokens(request: ModelRequest) -> int:
    """An upper bound: one token for each byte, and the framing."""
    texts = [message.text for message in request.messages]
    texts += [call.arguments for message in request.messages for call in message.tool_calls]
    texts += [f"{tool.description}{tool.schema_json}" for tool in request.tools]
    framing = _FRAMING_BYTES * (len(request.messages) + len(request.tools) + 1)
    return framing + sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)


_REASONS: Mapping[str, FinishReason] = {"stop": "stop", "length": "length"}


class LineAnswer:
    """Parses one answer, up to the line that says it is done."""

    def __init__(self, request: ModelRequest) -> None:
        self._request = request
        self._calls: list[ToolCall] = []
        self._likely = LikelyTokens()

    def read(self, line: Mapping[str, Any]) -> Iterator[RawPart]:
        """The parts of a line."""
        if line.get("error"):
            raise SaidError(line)
        message = table_in(line, "message")
        if thought := text_in(message, "thinking"):
            yield ThinkingGrew(thought)
        text = text_in(message, "content")
        if text:
            yield TextGrew(text)
        if told := tables_in(line, "logprobs"):
            yield from self._likely.take(text, told)
        yield from self._new_calls(message)
        if line.get("done") is True:
            yield from self._end(line)

    def _new_calls(self, message: Mapping[str, Any]) -> Iterator[RawPart]:
        named = [call for call in map(_call, tables_in(message, "tool_calls")) if call.name]
        # All of them together, so that the number of a call is its place in the answer.
        calls = with_own_ids([*self._calls, *named], self._request)
        new, self._calls = calls[len(self._calls) :], calls
        yield from map(CallMade, new)

    def _end(self, line: Mapping[str, Any]) -> Iterator[RawPart]:
        usage = ollama_usage(line)
        if usage is not None:
            yield UsageReported(usage)
        check_overflow(self._request, usage)
        yield Finished(self._reason(text_in(line, "done_reason")))

    def _reason(self, reason: str) -> FinishReason | None:
        if self._calls and reason in ("", "stop"):
            return "tool_calls"
        return _REASONS.get(reason, "other") if reason else None


def _call(piece: Mapping[str, Any]) -> ToolCall:
    function = table_in(piece, "function")
    arguments = function.get("arguments")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    return ToolCall(text_in(piece, "id"), text_in(function, "name"), text or "{}")


# What Ollama says about its models.

_SMALLEST_WINDOW_TOKENS = 256
# A window takes memory whether it is used or not, and a model's largest one may take more than there is.
DEFAULT_WINDOW_TOKENS = 8192


_NUM_CTX = re.compile(r"^num_ctx\s+(\d{1,9})\s*$", re.MULTILINE)


def names_in(tags: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the installed models."""
    named = (text_in(entry, "model") for entry in tables_in(tags, "models"))
    return tuple(filter(None, named))


def refined(known: ModelCard, show: Mapping[str, Any]) -> ModelCard:
    """The card with the window to use, and whether it supports tools, pictures and thinking effort."""
    capabilities = show.get("capabilities")
    # Older servers do not list them; then what is known stays.
    listed = capabilities if isinstance(capabilities, list) else []
    thinks = "thinking" in listed or not listed
    takes = known.parameters
    return replace(
        _with_window(known, show),
        tools="tools" in listed if listed else known.tools,
        images="vision" in listed if listed else known.images,
        parameters=takes if thinks else takes.without("reasoning_effort", "this model does not think"),
    )


def _with_window(known: ModelCard, show: Mapping[str, Any]) -> ModelCard:
    """The window of the Modelfile, or a modest default, at most what the model has."""
    # The client's own name for what is `model_info` on the wire.
    told, chosen = _window_tokens(table_in(show, "modelinfo")), count_in(show, "num_ctx")
    largest = told or known.context_window_tokens
    assumed = known.window_assumed and told is None
    if chosen:
        window = min(chosen, told or chosen)
        return replace(known, context_window_tokens=window, window_assumed=False, window_from="modelfile")
    if largest <= DEFAULT_WINDOW_TOKENS:
        return replace(known, context_window_tokens=largest, window_assumed=assumed)
    return replace(
        known,
        context_window_tokens=DEFAULT_WINDOW_TOKENS,
        window_assumed=False,
        window_from="default",
        largest_window_tokens=None if assumed else largest,
    )


def essential(show: Mapping[str, Any]) -> dict[str, Any]:
    """The part of the model's data worth caching; the rest is a template, a licence and tensor names."""
    facts = table_in(show, "modelinfo")
    wanted = {
        name: facts[name]
        for name in facts
        if name == "general.architecture" or name.endswith(".context_length")
    }
    chosen = _NUM_CTX.search(text_in(show, "parameters"))
    kept = {"modelinfo": wanted, "capabilities": show.get("capabilities")}
    return kept if chosen is None else kept | {"num_ctx": int(chosen[1])}


def _window_tokens(facts: Mapping[str, Any]) -> int | None:
    """`llama.context_length` and the like; the architecture decides, if a model has several parts."""
    own = f"{text_in(facts, 'general.architecture')}.context_length"
    others = [key for key in facts if key.endswith(".context_length")]
    counts = (count_in(facts, key) for key in (own, *others))
    return next((n for n in counts if n is not None and n >= _SMALLEST_WINDOW_TOKENS), None)


_DEFAULT_WAITS = Waits()
_CAPS = Caps()
_CONNECT_S = 3.0
_ADVICE = {
    "unreachable": tr("Is Ollama running? `ollama serve` starts it."),
    "missing": tr("`ollama pull NAME` fetches a model."),
}


class OllamaModel:
    """One model at one Ollama server."""

    def __init__(
        self, endpoint: Endpoint, *, waits: Waits = _DEFAULT_WAITS, learnt: Learnt | None = None
    ) -> None:
        self._endpoint = endpoint
        self._harness = Harness(Explainer(endpoint, _ADVICE), endpoint.local, waits, marks=CONTROL_TOKENS)
        about = f"{endpoint.model} at {endpoint.base_url}"
        self._facts = Discovery(self._ask_for_facts, self._open_client, learnt=learnt, about=about)
        # Whether it is there is the question, so what it had before is no answer.
        self._tags = Discovery(self._ask_for_tags, self._check_reachable)
        self._client: RawOllama | None = None

    async def card(self, known: ModelCard) -> ModelCard:
        """The card with the model's real window and abilities."""
        return refined(known, await self._facts.known())

    async def served(self) -> tuple[str, ...]:
        """Names of all models at this server; none if it does not answer."""
        return names_in(await self._tags.known())

    async def served_now(self) -> dict[str, Any]:
        """The server's listing of its models; raises `ModelFailed` if it gives none."""
        try:
            return await self._tags.ask_now()
        except Exception as error:  # noqa: BLE001  (a vendor's library may raise anything; all of it gets a name)
            failed = self._harness.explain(Slow(3.0, begun=False) if type(error) is TimeoutError else error)
        raise ModelFailed(failed.failure)

    def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        """Send a request, and yield the answer as it arrives."""
        return self._harness.stream(partial(self._attempt, request), request.timeouts)

    def wire(self, request: ModelRequest) -> WireBody:
        """Returns what would be sent."""
        body = ollama_body(request, self._endpoint.model)
        guard = Guard(origin(self._endpoint.base_url), self._endpoint.key)
        return wire_body(body, self._endpoint.base_url + CHAT_PATH, chat_stretches(request, body), guard)

    async def meter(self) -> PromptMeter | None:
        """None: Ollama cannot count without answering."""
        return None

    async def ready(self, progress: Callable[[str, float | None], None]) -> None:
        """Imports the client's library in a thread; too quick to report progress."""
        await self._open_client()

    async def close(self) -> None:
        """Close all connections; asking again opens new ones."""
        client, self._client = self._client, None
        self._facts.forget()
        self._tags.forget()
        if client is not None:
            with suppress(Exception):
                await client.aclose()

    async def _attempt(self, request: ModelRequest) -> AsyncGenerator[RawPart, None]:
        client = await self._open_client()
        content, answer = body_bytes(ollama_body(request, self._endpoint.model)), LineAnswer(request)
        async with client.ask(content, request.timeouts.connect_s) as response:
            content_type = response.headers.get("content-type", "")
            if "html" in content_type.lower():
                raise NotAStream(content_type, b"")
            yield Accepted(digest_of(content))
            async with aclosing(json_objects(response.aiter_raw(), _CAPS.line_bytes)) as lines:
                async for line in lines:
                    for part in answer.read(line):
                        yield part
                        if isinstance(part, Finished):
                            return

    async def _ask_for_facts(self) -> dict[str, Any]:
        return essential(await (await self._open_client()).facts(self._endpoint.model))

    async def _ask_for_tags(self) -> dict[str, Any]:
        return await (await self._open_client()).tags()

    async def _check_reachable(self) -> None:
        """Import the client's library only if a server listens: most people have no Ollama, and it is 15 MB."""
        if self._client is None:
            await self._endpoint.net.reach(self._endpoint.base_url, "model", _CONNECT_S)
        await self._open_client()

    async def _open_client(self) -> RawOllama:
        if self._client is None:
            opened = await asyncio.to_thread(_open, self._endpoint)
            if self._client is None:
                self._client = opened
        return self._client


def _open(endpoint: Endpoint) -> RawOllama:
    from workbench.providers.ollama.client import open_client

    return open_client(endpoint, _CAPS)
