"""Streams one answer of the built-in model over loopback, with the progress of reading the prompt."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import Any

from workbench.domain.answer import Accepted, Progressed
from workbench.domain.reading.loose_json import count_in, table_in
from workbench.domain.request import ModelRequest
from workbench.domain.translation import tr
from workbench.providers.builtin.client import LlamaClient
from workbench.providers.harness.harness import RawPart
from workbench.providers.openai.body import dialect_of, request_body
from workbench.providers.openai.chunks import ChunkReader
from workbench.providers.served.llama import FOLLOWED, follow
from workbench.providers.served.slot import LlamaSlot, Token
from workbench.providers.wire.body import body_bytes, digest_of
from workbench.providers.wire.endpoint import Endpoint
from workbench.providers.wire.events import DONE, Event, events
from workbench.providers.wire.strict_json import parse_object
from workbench.providers.wire.transport import Caps

_LONGEST_LINE_BYTES = Caps().line_bytes
_LAST_WORDS_S = 2.0
_EXTRAS = {"return_progress": True} | FOLLOWED
# So small a model loses the thread at llama.cpp's own 0.8; whoever sets a temperature gets theirs.
_STEADY = {"temperature": 0.2}
_SMALL = "builtin"


class OwnServer(Endpoint):
    """The server in our child process; messages call it by another name than its address."""

    __slots__ = ()

    @property
    def host(self) -> str:
        """The name used in failures."""
        return tr("The built-in model")


def chat_body(request: ModelRequest) -> dict[str, Any]:
    """Returns the body that is sent, and that is counted before, so that both agree."""
    endpoint = OwnServer("", request.model, local=True)
    last = request.messages[-1] if request.messages else None
    if last is not None and last.role == "assistant" and not last.text and not last.tool_calls:
        # The beginning of an answer that has none: the template would open no answer at all.
        request = replace(request, messages=request.messages[:-1])
    unless_set = _STEADY if request.model == _SMALL else {}
    return unless_set | request_body(request, endpoint, dialect_of(endpoint)) | _EXTRAS


async def answer_parts(
    client: LlamaClient, request: ModelRequest, prompt: Sequence[Token], slot: LlamaSlot
) -> AsyncGenerator[RawPart, None]:
    """Yields the parts of one answer; the slot records what the server's cache holds."""
    reader, until = ChunkReader(request), None
    content = body_bytes(chat_body(request))
    async with client.streamed(content) as pieces:
        slot.begin(client.run.number, prompt)
        yield Accepted(digest_of(content))
        async with aclosing(events(pieces, _LONGEST_LINE_BYTES)) as arriving:
            while (event := await _next(arriving, until)) is not None:
                if event.content.strip() == DONE:
                    break
                chunk = parse_object(event.content)
                follow(chunk, slot, len(prompt))
                for part in (*_progress(chunk), *reader.read(chunk)):
                    yield part
                if reader.finished and until is None:
                    until = asyncio.get_running_loop().time() + _LAST_WORDS_S
    if reader.finished:
        for part in reader.end():
            yield part


async def _next(arriving: AsyncGenerator[Event, None], until: float | None) -> Event | None:
    """Returns the next event; once the answer is finished, an error is only the end of the stream."""
    if until is None:
        return await anext(arriving, None)
    with suppress(Exception):
        async with asyncio.timeout_at(until):
            return await anext(arriving, None)
    return None


def _progress(chunk: Mapping[str, Any]) -> list[Progressed]:
    told = table_in(chunk, "prompt_progress")
    total, cached, done = (count_in(told, name) or 0 for name in ("total", "cache", "processed"))
    new = total - cached
    if new <= 0:
        return []
    words = (
        tr("Reading {new} tokens", new=new)
        if cached == 0
        else tr("Reading {new} new tokens, {cached} are in memory", new=new, cached=cached)
    )
    return [Progressed(words, min(1.0, max(0.0, (done - cached) / new)))]
