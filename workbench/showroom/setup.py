"""Sets up the scripted conversation: scripted model servers, a temporary folder, and a scratch store."""

from __future__ import annotations

import json
import lzma
import shutil
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any

from workbench.context.recall.near_words import NearWords
from workbench.context.text.chunk_renderers import RendererRegistry
from workbench.domain.answer import Accepted, AnswerPart
from workbench.domain.model import ModelCard, ModelListing, ServerLook
from workbench.domain.provider import BY_NAME
from workbench.domain.request import ModelRequest, WireBody
from workbench.domain.secrets import Secret
from workbench.domain.spending import SpendCaps
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedTurn
from workbench.engine.assembly.counters import Counters
from workbench.engine.assembly.prepare import Builder
from workbench.engine.known_workspaces import Workspaces
from workbench.engine.metering import MeteredModels, Spending
from workbench.engine.recall.finding import Recall
from workbench.engine.tasks import Tasks
from workbench.engine.watch.understanding import Knowledge, Understanding
from workbench.engine.world import Limits, World
from workbench.ports.models import ChatModel, ModelCatalogue, PromptMeter
from workbench.ports.watching import CopiedRequest, Ears, Listening
from workbench.providers.builtin.client import BuiltinMeter, LlamaClient
from workbench.providers.builtin.files import MISSING
from workbench.providers.builtin.model import WINDOW_TOKENS, BuiltinModel, BuiltinSource, gguf_source
from workbench.providers.builtin.server import LlamaRun
from workbench.providers.builtin.stream import OwnServer, chat_body
from workbench.providers.builtin.stream import answer_parts as llama_parts
from workbench.providers.cache_rules import load_rules
from workbench.providers.catalogue import load_catalogue
from workbench.providers.harness.failures import Explainer
from workbench.providers.harness.given_key import GivenKey
from workbench.providers.harness.harness import Harness, RawPart, Waits
from workbench.providers.openai.model import OpenAiModel
from workbench.providers.openai.stream import answer_parts as openai_parts
from workbench.providers.prices import load_prices
from workbench.providers.served.slot import LlamaSlot
from workbench.providers.tokenizer import TiktokenTokenizer
from workbench.providers.wire.body import body_bytes, digest_of
from workbench.providers.wire.endpoint import endpoint_of, origin
from workbench.providers.wire.transport import Caps
from workbench.showroom.files import FolderAttachments
from workbench.showroom.model_server import (
    HARMONY,
    OPENAI,
    LlamaCache,
    OpenAiCache,
    Pace,
    Reading,
    ScriptedServer,
    Tokens,
)
from workbench.showroom.script import Script, ScriptedModel, load_script
from workbench.showroom.tool_servers import ScriptedToolServers
from workbench.sources.resources import mapped_resource, resource_path
from workbench.storage.scratch import ScratchHistory
from workbench.storage.spending import StoredSpending
from workbench.storage.workspaces import StoreWorkspaces
from workbench.tools.toolbox import WorkspaceTools
from workbench.tools.workspace_toolboxes import WorkspaceToolboxes

# The clock of the scripted conversation: controlled, so that every picture shows the same times.


class ScriptedClock:
    """A controlled clock: it moves when a scripted server takes its time → Clock, UtcClock."""

    def __init__(self, utc: str) -> None:
        self._now = self._begun = datetime.fromisoformat(utc)

    def monotonic_ms(self) -> float:
        """Milliseconds since the conversation began."""
        return (self._now - self._begun).total_seconds() * 1000

    def utc_now(self) -> str:
        """The time of the script."""
        return self._now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def go_on(self, seconds: float) -> None:
        """Advance by some seconds."""
        self._now += timedelta(seconds=seconds)

    def wait_until(self, utc: str) -> None:
        """Advance to a time; stay where it is past already."""
        self._now = max(self._now, datetime.fromisoformat(utc))


def utc_at(day: str, at: str, days_before: int = 0) -> str:
    """A time of day on a day, or some days before it."""
    moment = datetime.fromisoformat(f"{day}T{at}:00+00:00") - timedelta(days=days_before)
    return moment.isoformat(timespec="seconds")


# Scripted models: the real adapters, with a scripted server in this process behind them.


_ONCE = Waits(retries_s=())
_NO_ADDRESS = "http://127.0.0.1:PORT"
SOME_KEY = Secret.of_text("a key that opens nothing")


class _InProcess(LlamaClient):
    """Calls the scripted server directly instead of over loopback."""

    def __init__(self, server: ScriptedServer) -> None:
        super().__init__(LlamaRun(1, _NO_ADDRESS, SOME_KEY, WINDOW_TOKENS))
        self._server = server

    async def rendered(self, body: Mapping[str, Any]) -> str:
        """The prompt that this chat becomes."""
        return self._server.prompt(body)

    async def tokens(self, prompt: str) -> Tokens:
        """The tokens of a whole prompt."""
        return self._server.reading.tokens(prompt)

    async def count(self, text: str) -> int:
        """How many tokens a part of a prompt is."""
        return len(self._server.reading.tokens(text))

    async def held(self) -> tuple[int, bool]:
        """How many tokens its cache holds, and whether it works just now."""
        cache = self._server.cache
        return cache.held_tokens if isinstance(cache, LlamaCache) else 0, False

    @asynccontextmanager
    async def streamed(self, content: bytes) -> AsyncIterator[AsyncIterator[bytes]]:
        """What comes of a request, as it comes."""
        async with aclosing(self._server.answered(content)) as pieces:
            yield pieces


class ScriptedLlama:
    """A GGUF file as the program runs it, counted and foretold by our own meter → ChatModel."""

    def __init__(self, name: str, server: ScriptedServer) -> None:
        self._name, self._template = name, server.reading.template
        self._slot, self._client = LlamaSlot(), _InProcess(server)
        self._meter = BuiltinMeter(self._client, self._slot, f"server:{name}", chat_body)
        self._meter.control_tokens = self._template.controls
        self._written = BuiltinModel(gguf_source(name))

    async def card(self, known: ModelCard) -> ModelCard:
        """The card as the file's own header would make it."""
        return replace(
            known,
            context_window_tokens=WINDOW_TOKENS,
            tokenizer=self._meter.name,
            prefill=True,
            images=False,
            control_tokens=self._template.controls,
            window_assumed=False,
        )

    def wire(self, request: ModelRequest) -> WireBody:
        """As the real adapter writes it."""
        return self._written.wire(request)

    async def meter(self) -> PromptMeter | None:
        """The server's own counting."""
        return self._meter

    async def ready(self, progress: Callable[[str, float | None], None]) -> None:
        """It is there."""

    async def close(self) -> None:
        """Nothing is open."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        _, prompt = await self._meter.prompt(request)
        endpoint = OwnServer(_NO_ADDRESS, self._name, local=True)
        attempt = partial(llama_parts, self._client, request, prompt, self._slot)
        try:
            harness = Harness(Explainer(endpoint), local=True, waits=_ONCE)
            async with aclosing(harness.stream(attempt, request.timeouts)) as parts:
                async for part in parts:
                    yield part
        finally:
            self._slot.left()


class ScriptedOpenAi:
    """A model of OpenAI's, asked in its adapter's own bytes → ChatModel."""

    def __init__(self, name: str, server: ScriptedServer) -> None:
        self._endpoint = endpoint_of(name, lambda _: SOME_KEY)
        self._written, self._server = OpenAiModel(self._endpoint), server

    async def card(self, known: ModelCard) -> ModelCard:
        """As it is: OpenAI says nothing about its models."""
        return known

    def wire(self, request: ModelRequest) -> WireBody:
        """As the real adapter writes it."""
        return self._written.wire(request)

    async def meter(self) -> PromptMeter | None:
        """The interface has no way to count."""
        return None

    async def ready(self, progress: Callable[[str, float | None], None]) -> None:
        """It is there."""

    async def close(self) -> None:
        """Nothing is open."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        harness = Harness(Explainer(self._endpoint), local=False, waits=_ONCE)
        return harness.stream(partial(self._attempt, request), request.timeouts)

    async def _attempt(self, request: ModelRequest) -> AsyncGenerator[RawPart, None]:
        content = body_bytes(self.wire(request).body)
        yield Accepted(digest_of(content))
        async with (
            aclosing(self._server.answered(content)) as pieces,
            aclosing(openai_parts(pieces, request, Caps(), None)) as parts,
        ):
            async for part in parts:
                yield part


@dataclass(slots=True)
class ScriptedModels:
    """The scripted models by name; any other name is opened by `others` → Models."""

    catalogue: ModelCatalogue
    scripted: Mapping[str, ChatModel]
    others: Callable[[str], ChatModel]

    def open(self, name: str) -> ChatModel:
        """The model of that name."""
        return self.scripted.get(name) or self.others(name)

    async def available(self) -> tuple[ModelListing, ...]:
        """The scripted models."""
        return tuple(ModelListing(name, self.catalogue.find(name), True) for name in self.scripted)

    async def look(self, *, hosted: bool) -> tuple[ServerLook, ...]:
        """The scripted models, all there."""
        return tuple(ServerLook(name, True, "scripted", asked=False) for name in self.scripted)

    async def close(self) -> None:
        """Nothing is open."""


# A program to watch: Claude Code's own requests as they were recorded, foreign words replaced by others as long.


ADDRESS = "http://127.0.0.1:4040"
_RECORDING = ("sample", "watch", "claude-code.json.xz")
_FIRST_BYTE_MS, _MS_A_BYTE = 620.0, 1.1
"""When a recorded answer began and how fast it came, on a clock that stands still."""


class Recorded:
    """A request that was recorded → CopiedRequest."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    @property
    def n(self) -> int:
        return self._exchange.n

    def begun(self) -> Exchange:
        """The request; nobody asks, since all of it passes at once."""
        return self._exchange

    def more(self) -> bytes:
        """Nothing comes bit by bit."""
        return b""

    def exchange(self) -> Exchange:
        """What passed."""
        return self._exchange


def recorded(day: str) -> list[tuple[str, Exchange]]:
    """All recorded requests with the moment each was sent, as if that had been on a day."""
    written = json.loads(lzma.decompress(resource_path(*_RECORDING).read_bytes()))
    return [_exchange(number, one, utc_at(day, one["at"])) for number, one in enumerate(written, 1)]


def _exchange(number: int, one: dict[str, Any], at_utc: str) -> tuple[str, Exchange]:
    body, answer = one["request"].encode(), one["answer"].encode()
    return at_utc, Exchange(
        number,
        "anthropic",
        one["method"],
        one["path"],
        datetime.fromisoformat(at_utc).timestamp() + number,
        tuple((name, value) for name, value in one["headers"]),
        body,
        len(body),
        one["status"],
        answer,
        len(answer),
        _FIRST_BYTE_MS,
        _FIRST_BYTE_MS + _MS_A_BYTE * len(answer),
    )


class ScriptedWatch:
    """Says where it listens, and tells of what was recorded → ProgramWatch."""

    def __init__(self, knowledge: Knowledge, clock: ScriptedClock) -> None:
        self._clock, self._understanding, self.card = clock, Understanding(knowledge), knowledge.lasting_card
        self._heard: Callable[[CopiedRequest], None] = lambda copied: None

    async def start(self, ears: Ears, to: str = "") -> Listening:
        """Listen to nobody."""
        self._heard = ears.ended
        return Listening(ADDRESS, (("ANTHROPIC_BASE_URL", ADDRESS),))

    def play(self, day: str) -> int:
        """Let everything that was recorded pass; how many requests that are."""
        played = recorded(day)
        for at_utc, exchange in played:
            self._clock.wait_until(at_utc)
            self._heard(Recorded(exchange))
        return len(played)

    def remember(self, turn: WatchedTurn, exchange: Exchange) -> None:
        """Nothing was watched before."""

    def begin(self, exchange: Exchange) -> WatchedTurn | None:
        """What a request is before its answer."""
        return self._understanding.begin(exchange)

    def understand(self, exchange: Exchange) -> WatchedTurn | None:
        """What a request was."""
        return self._understanding.take(exchange)

    async def close(self) -> None:
        """Listen no longer."""


_ENCODING = "o200k_base"
_LOCAL = "gguf:"
CAPS = SpendCaps(day_usd=1.0, month_usd=20.0)
LOOK_S = 0.01
"""Polling interval for state that has no change notification."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that a scripted conversation needs."""

    script: Script
    folder: Path
    clock: ScriptedClock
    builder: Builder
    servers: Mapping[str, ScriptedServer]
    world: World
    watch: ScriptedWatch


@asynccontextmanager
async def set_up() -> AsyncIterator[Setup]:
    """Copy the script's files, open a store, and script the model servers; remove all of it afterwards."""
    script = load_script(resource_path("sample", "work"))
    async with AsyncExitStack() as after:
        folder = Path(after.enter_context(tempfile.TemporaryDirectory(prefix="workbench-")))
        shutil.copytree(
            script.folder, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("script.toml")
        )
        _add_ignored_files(folder)
        store = await after.enter_context(ScratchHistory()).open()
        oldest = max(chat.days for chat in script.chats) + 1
        clock = ScriptedClock(utc_at(script.day, "00:00", oldest))
        encoding = cache(lambda name: TiktokenTokenizer(name, resource_path("encodings")))
        catalogue, rules, prices = (
            load_catalogue(resource_path("models.toml")),
            load_rules(resource_path("cache-rules.toml")),
            load_prices(resource_path("prices.toml")),
        )
        builder = Builder(
            catalogue,
            Counters(encoding),
            clock,
            RendererRegistry(()),
            rulebook=rules,
            recall=Recall(lambda: NearWords(mapped_resource("near-words.bin"))),
            prices=prices,
        )
        watch = ScriptedWatch(Knowledge(catalogue, rules, prices, encoding), clock)
        servers = {part.name: _server(part, encoding(_ENCODING), clock) for part in script.models.values()}
        models: dict[str, ChatModel] = {name: _adapter(name, server) for name, server in servers.items()}
        numbers, tasks = count(1), Tasks(_raise)
        spending = Spending(StoredSpending(store, "scene"), prices, catalogue, clock, lambda: CAPS, tasks)
        world = World(
            builder=builder,
            store=store,
            models=MeteredModels(ScriptedModels(builder.catalogue, models, _builtin), spending),
            spending=spending,
            prices=prices,
            toolbox=WorkspaceTools(folder),
            workspaces=Workspaces(StoreWorkspaces(store), clock),
            rooms=WorkspaceToolboxes(
                lambda place: WorkspaceTools(Path(place)),
                WorkspaceTools(folder),
                lambda _folder: ScriptedToolServers(),
            ),
            attachments=FolderAttachments(folder),
            utc=clock,
            new_id=lambda: f"id{next(numbers)}",
            tasks=tasks,
            limits=Limits(disk_look_s=LOOK_S),
            keys=GivenKey(origin(BY_NAME["openai"].url), SOME_KEY),
            watch=lambda: watch,
        )
        yield Setup(script, folder, clock, builder, servers, world, watch)


def _add_ignored_files(folder: Path) -> None:
    """Add what a working folder holds and must not be attached: ignored files, a link that leads outside."""
    (folder / ".gitignore").write_text(".venv/\n__pycache__/\n.env\n", encoding="utf-8")
    (folder / ".env").write_text("MODE=test\n", encoding="utf-8")
    for made in (folder / ".venv", folder / "src" / "__pycache__"):
        made.mkdir()
    with suppress(OSError):  # not every system lets everybody make links
        (folder / "shared").symlink_to(folder.parent)


def _server(part: ScriptedModel, tokenizer: TiktokenTokenizer, clock: ScriptedClock) -> ScriptedServer:
    pace = Pace(part.reads, part.writes, clock.go_on, clock.monotonic_ms)
    if part.name.startswith(_LOCAL):
        return ScriptedServer(Reading(HARMONY, tokenizer), LlamaCache(), pace)
    return ScriptedServer(Reading(OPENAI, tokenizer), OpenAiCache(), pace)


def _adapter(name: str, server: ScriptedServer) -> ChatModel:
    return ScriptedLlama(name, server) if name.startswith(_LOCAL) else ScriptedOpenAi(name, server)


def _builtin(name: str) -> ChatModel:
    """The built-in model without its file: counts are estimates."""
    return BuiltinModel(BuiltinSource(name, lambda: None, MISSING, tokenizer=f"server:{name}"))


def _raise(name: str, error: BaseException) -> None:
    raise RuntimeError(f"{name} failed while the pictures were made") from error
