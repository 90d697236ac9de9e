"""Models behind Anthropic's messages interface."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from workbench.domain.answer import Accepted, AnswerPart, Failure, ModelFailed
from workbench.domain.models.model import ModelCard
from workbench.domain.reading.loose_json import count_in
from workbench.domain.request import ModelRequest
from workbench.domain.wire_form import WireBody
from workbench.ports.models import PromptMeter
from workbench.providers.anthropic.events import EventReader, events_of, is_message
from workbench.providers.anthropic.guard import HEADERS, MESSAGES_PATH, guard_of
from workbench.providers.anthropic.messages import written
from workbench.providers.harness.discovery import Discovery, Learnt
from workbench.providers.harness.failures import AttemptFailed, Explainer
from workbench.providers.harness.harness import Harness, RawPart, Waits
from workbench.providers.openai.stream import document_in
from workbench.providers.wire.body import body_bytes, digest_of, wire_body
from workbench.providers.wire.endpoint import Endpoint
from workbench.providers.wire.events import events
from workbench.providers.wire.faults import Refused, Slow, WireFault
from workbench.providers.wire.strict_json import parse_object
from workbench.providers.wire.transport import Caps

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

_DEFAULT_WAITS = Waits()
_CAPS = Caps()
_NOT_INSTALLED = (
    "Anthropic's models need the package “anthropic”, which is not installed. Nothing was sent. "
    "Install it with `pip install anthropic`, or choose another model."
)


def is_anthropic(endpoint: Endpoint) -> bool:
    """Whether the server is Anthropic's own: a gateway may refuse what it does not know."""
    return endpoint.host == "api.anthropic.com"


class AnthropicModel:
    """One model at one endpoint → ChatModel.

    `diagnosed` says whether it is asked why its cache missed; at Anthropic itself, where nothing else is said.
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
        self._about = Discovery(self._ask_about_model, self._opened, learnt=learnt, about=about)
        self._client: AsyncAnthropic | None = None

    async def card(self, known: ModelCard) -> ModelCard:
        """The card with the window and the longest answer that the server says it has."""
        about = await self._about.known()
        window, longest = count_in(about, "max_input_tokens"), count_in(about, "max_tokens")
        known = replace(known, context_window_tokens=window, window_assumed=False) if window else known
        return replace(known, max_output_tokens=longest) if longest else known

    async def served_now(self) -> dict[str, Any]:
        """What the server says right now about all its models; `ModelFailed` where it does not."""
        listing = Discovery(self._ask_for_models, self._opened)
        try:
            return await listing.ask_now()
        except Exception as error:  # noqa: BLE001  (a vendor's library may raise anything; all of it gets a name)
            late = Slow(3.0, begun=False) if type(error) is TimeoutError else None
            failed = self._harness.explain(late or _fault_in(error) or error)
        raise ModelFailed(failed.failure)

    def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        """Ask, and give the answer as it arrives."""
        return self._harness.stream(partial(self._attempt, request), request.timeouts)

    def wire(self, request: ModelRequest) -> WireBody:
        """What would be sent."""
        body, stretches = written(request, self._endpoint.model, diagnosed=self._diagnosed)
        url, guard = self._endpoint.base_url + MESSAGES_PATH, guard_of(self._endpoint, _CAPS)
        return wire_body(body, url, stretches, guard, HEADERS)

    async def meter(self) -> PromptMeter | None:
        """None: its way to count gives a sum, and no places."""
        return None

    async def ready(self, progress: Callable[[str, float | None], None]) -> None:
        """Load the client's library, which takes a while, in a thread."""
        await self._opened()

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
            async with aclosing(self._asked(request)) as parts:
                async for part in parts:
                    yield part
        except Exception as error:
            # The client wraps whatever our transport raises; what was found on the wire is inside.
            fault = self._learned_from(_fault_in(error))
            if fault is None:
                raise
        if fault is not None:
            raise fault

    def _learned_from(self, fault: WireFault | None) -> WireFault | AttemptFailed | None:
        """A refusal of the field that was our choice: ask without it, now and from now on."""
        if not self._diagnosed or not isinstance(fault, Refused) or fault.status not in (400, 422):
            return fault
        if b"diagnostics" not in fault.body:
            return fault
        self._diagnosed = False
        return AttemptFailed(self._harness.explain(fault).failure, again=True)

    async def _asked(self, request: ModelRequest) -> AsyncGenerator[RawPart, None]:
        client = await self._opened()
        from workbench.providers.anthropic.client import posted

        # Not by the client's own method, which would warn on standard error about older models by their names.
        diagnosed = self._diagnosed
        content = body_bytes(written(request, self._endpoint.model, diagnosed=diagnosed)[0])
        async with posted(client, MESSAGES_PATH, content, request.timeouts.connect_s) as response:
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
        client = await self._opened()
        retrieve = client.models.with_streaming_response.retrieve
        async with retrieve(self._endpoint.model, timeout=_timeout(3.0)) as response:
            said = parse_object(await response.read())
        return {name: said[name] for name in ("max_input_tokens", "max_tokens") if name in said}

    async def _ask_for_models(self) -> dict[str, Any]:
        client = await self._opened()
        async with client.models.with_streaming_response.list(timeout=_timeout(3.0)) as response:
            return parse_object(await response.read())

    async def _opened(self) -> AsyncAnthropic:
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
    """Only connecting is limited here; content has the harness's deadlines."""
    import httpx2

    return httpx2.Timeout(None, connect=connect_s, pool=connect_s)
