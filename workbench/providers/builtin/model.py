"""Models that run in the program itself, with nothing to install or pay: the built-in one, and any GGUF file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from workbench.domain.answer import AnswerPart, Failure, ModelFailed, Progressed
from workbench.domain.errors import InvalidInput
from workbench.domain.model import ModelCard
from workbench.domain.request import ModelRequest, WireBody
from workbench.domain.secrets import Secret
from workbench.domain.translation import tr
from workbench.providers.builtin.client import CHAT_PATH, BuiltinMeter, LlamaClient, own_guard
from workbench.providers.builtin.gguf import GgufHeader, read_gguf
from workbench.providers.builtin.server import LlamaRun, LlamaServer, LlamaSetup, Progress
from workbench.providers.builtin.stream import OwnServer, answer_parts, chat_body
from workbench.providers.harness.failures import AttemptFailed, Explainer
from workbench.providers.harness.harness import Harness, Waits
from workbench.providers.served.slot import LlamaSlot
from workbench.providers.wire.body import chat_stretches, wire_body

WINDOW_TOKENS = 8192  # of memory worth spending unless somebody asks for more
_DYING_S = 0.5
_LOOK_AGAIN_S = 0.02
_NO_PORT_YET = "http://127.0.0.1:PORT"
_THINKS = "enable_thinking"
"""In a template: the server makes such a model think first, and refuses the beginning of an answer."""
_SOME_KEY = Secret.of_text("created for every run")


@dataclass(frozen=True, slots=True)
class BuiltinSource:
    """Where a model's file comes from, and how it is run.

    Attributes:
        name: as the user names it: "builtin", or "gguf:" and a path.
        find: returns the model's file, or None where there is none yet.
        missing: the message for that case.
        tokenizer: the name under which its counts are stored; None: the digest of the file's own tokenizer.
        tune: applies last changes to the server's setup.
        sound: returns the file after checking it, or raises `ModelFailed`. None: any file will do.
    """

    name: str
    find: Callable[[], Path | None]
    missing: str
    tokenizer: str | None = None
    tune: Callable[[LlamaSetup], LlamaSetup] = field(default=lambda setup: setup)
    sound: Callable[[], Path | None] | None = None


def gguf_source(name: str) -> BuiltinSource:
    """The source of `gguf:PATH`; raises `InvalidInput` if no path is given."""
    path = name.partition(":")[2].strip()
    if not path:
        raise InvalidInput("model", tr("gguf: needs the path of a model file, as in gguf:/models/some.gguf"))
    file = Path(path).expanduser()
    advice = tr(
        "There is no file {file}. Nothing was sent. Give the path of a GGUF file, or choose another model.",
        file=file,
    )
    return BuiltinSource(name, lambda: file if file.is_file() else None, advice)


@dataclass(frozen=True, slots=True)
class _Session:
    """The client and state of one run of the server."""

    run: LlamaRun
    client: LlamaClient
    meter: BuiltinMeter
    tools: bool
    continues: bool


class BuiltinModel:
    """A model in a child process of ours, one answer at a time.

    Further requests wait: the server has one slot, so that what its cache holds is known exactly.
    """

    def __init__(self, source: BuiltinSource) -> None:
        self._source = source
        self._slot = LlamaSlot()
        self._turn = asyncio.Lock()
        self._opening = asyncio.Lock()
        self._server: LlamaServer | None = None
        self._header: GgufHeader | None = None
        self._session: _Session | None = None

    @property
    def server(self) -> LlamaServer | None:
        """The supervisor of its server, once it was used."""
        return self._server

    async def card(self, known: ModelCard) -> ModelCard:
        """The card with the metadata of the model's file, and of its server while it runs."""
        try:
            header = await self._read_header()
        except ModelFailed:
            return known
        session = self._session
        return replace(
            known,
            context_window_tokens=min(header.context_tokens or WINDOW_TOKENS, WINDOW_TOKENS),
            tokenizer=self._tokenizer(header),
            tools=session.tools if session else "tools" in (header.chat_template or ""),
            prefill=session.continues if session else _THINKS not in (header.chat_template or ""),
            images=False,
            control_tokens=header.control_tokens,
        )

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        """Start the server if necessary, and yield the answer as it arrives."""
        if self._turn.locked():
            yield Progressed(tr("Waiting for the answer before this one"))
        async with self._turn:
            server = await self._supervisor()
            window = self._window(request)
            if server.running is None or server.running.window_tokens < window:
                yield Progressed(tr("Starting the built-in model"))
            with server.used():
                session = await self._session_of(await server.start(_ignore_progress, window))
                async with aclosing(self._answer(request, session)) as parts:
                    async for part in parts:
                        yield part

    def wire(self, request: ModelRequest) -> WireBody:
        """What its server would get; the address exists only while it runs."""
        run = None if self._server is None else self._server.running
        url = (_NO_PORT_YET if run is None else run.base_url) + CHAT_PATH
        body = chat_body(request)
        return wire_body(body, url, chat_stretches(request, body), own_guard(_SOME_KEY))

    async def meter(self) -> BuiltinMeter | None:
        """Its server's token counter; None while the server does not run."""
        server = self._server
        if server is None or server.running is None:
            return None
        with server.used():  # who counts is about to ask
            return (await self._session_of(server.running)).meter

    async def ready(self, progress: Progress) -> None:
        """Start the server if it does not run."""
        server = await self._supervisor()
        await self._session_of(await server.start(progress))

    async def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.client.close()
        if self._server is not None:
            await self._server.close()

    async def _answer(self, request: ModelRequest, session: _Session) -> AsyncGenerator[AnswerPart, None]:
        try:
            _, prompt = await session.meter.prompt(request)
            endpoint = OwnServer(session.run.base_url, self._source.name, session.run.key, local=True)
            # A second attempt could not go better: the server is ours, and a dead one is started by the next turn.
            harness = Harness(
                Explainer(endpoint), True, Waits(retries_s=()), marks=session.meter.control_tokens
            )
            attempt = partial(answer_parts, session.client, request, prompt, self._slot)
            async with aclosing(harness.stream(attempt, request.timeouts)) as parts:
                async for part in parts:
                    yield part
        except ModelFailed as error:
            raise await self._with_cause_of_death(error) from None
        finally:
            self._slot.left()

    async def _with_cause_of_death(self, error: ModelFailed) -> ModelFailed:
        """The failure, or the server's cause of death if it has ended."""
        server = self._server
        if server is None or error.failure.kind not in ("network", "protocol"):
            return error
        end = asyncio.get_running_loop().time() + _DYING_S
        while (cause := server.cause_of_death()) is None:  # its connections close a moment before it is gone
            if asyncio.get_running_loop().time() > end:
                return error
            await asyncio.sleep(_LOOK_AGAIN_S)
        return AttemptFailed(
            Failure(
                "server",
                tr(
                    "The built-in model's server ended while it answered: {cause}. What "
                    "had arrived is kept. Ask again to restart it.",
                    cause=cause,
                ),
            )
        )

    async def _session_of(self, run: LlamaRun) -> _Session:
        async with self._opening:
            if self._session is None or self._session.run is not run:
                if self._session is not None:
                    await self._session.client.close()
                self._session = await self._open_session(run)
            return self._session

    async def _open_session(self, run: LlamaRun) -> _Session:
        header = await self._read_header()
        client = LlamaClient(run)
        meter = BuiltinMeter(client, self._slot, self._tokenizer(header), chat_body)
        meter.control_tokens = header.control_tokens
        meter.reading = self._reading
        caps = (await client.props()).get("chat_template_caps")
        tools = isinstance(caps, dict) and bool(caps.get("supports_tools"))
        return _Session(run, client, meter, tools, await client.continues())

    @asynccontextmanager
    async def _reading(self) -> AsyncGenerator[None, None]:
        async with self._turn:
            with (await self._supervisor()).used():
                yield

    async def _supervisor(self) -> LlamaServer:
        running = self._server is not None and self._server.running is not None
        # Off the loop, and only when it is about to be loaded: the digest of 98 MB takes a tenth of a second.
        checked = None if running else await asyncio.to_thread(self._sound_path)
        if self._server is None:
            header = await self._read_header()
            window = min(header.context_tokens or WINDOW_TOKENS, WINDOW_TOKENS)
            setup = LlamaSetup(checked or self._path(), self._source.name, window)
            self._server = LlamaServer(self._source.tune(setup))
        return self._server

    def _window(self, request: ModelRequest) -> int:
        """The window the request asks for, up to the model's own."""
        own = self._header.context_tokens if self._header else None
        return min(request.window_tokens, own or WINDOW_TOKENS)

    def _tokenizer(self, header: GgufHeader) -> str:
        return self._source.tokenizer or f"server:{header.tokenizer_digest[:32]}"

    async def _read_header(self) -> GgufHeader:
        if self._header is None:
            path = self._path()
            try:
                self._header = await asyncio.to_thread(read_gguf, path)
            except InvalidInput as error:
                raise ModelFailed(
                    Failure("unavailable", tr("{error}. Nothing was sent.", error=error))
                ) from error
        return self._header

    def _sound_path(self) -> Path:
        return self._path(self._source.sound)

    def _path(self, find: Callable[[], Path | None] | None = None) -> Path:
        path = (find or self._source.find)()
        if path is None:
            raise ModelFailed(Failure("unavailable", self._source.missing))
        return path


def _ignore_progress(what: str, fraction: float | None) -> None:
    """Progress callback that does nothing: the stream has reported the start already."""
