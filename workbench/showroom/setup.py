"""Sets up the scripted conversation: scripted model servers, a temporary folder, and a scratch store."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

from workbench.context.recall.near_words import NearWords
from workbench.context.text.chunk_renderers import RendererRegistry
from workbench.domain.models.provider import BY_NAME
from workbench.engine.assembly.counters import Counters
from workbench.engine.assembly.prepare import Builder
from workbench.engine.known_workspaces import Workspaces
from workbench.engine.recall.finding import Recall
from workbench.engine.tasks import Tasks
from workbench.engine.watch.understanding import Knowledge
from workbench.engine.world import Limits, World
from workbench.ports.models import ChatModel
from workbench.providers.builtin.files import MISSING
from workbench.providers.builtin.model import BuiltinModel, BuiltinSource
from workbench.providers.cache_rules import load_rules
from workbench.providers.catalogue import load_catalogue
from workbench.providers.harness.given_key import GivenKey
from workbench.providers.prices import load_prices
from workbench.providers.tokenizer import TiktokenTokenizer
from workbench.providers.wire.endpoint import origin
from workbench.showroom.clock import ScriptedClock, utc_at
from workbench.showroom.files import FolderAttachments
from workbench.showroom.model_server import (
    HARMONY,
    OPENAI,
    LlamaCache,
    OpenAiCache,
    Pace,
    Reading,
    ScriptedServer,
)
from workbench.showroom.models import SOME_KEY, ScriptedLlama, ScriptedModels, ScriptedOpenAi
from workbench.showroom.script import Script, ScriptedModel, load_script
from workbench.showroom.tool_servers import ScriptedToolServers
from workbench.showroom.watched import ScriptedWatch
from workbench.sources.resources import mapped_resource, resource_path
from workbench.storage.scratch import ScratchHistory
from workbench.storage.workspaces import StoreWorkspaces
from workbench.tools.toolbox import WorkspaceTools
from workbench.tools.workspace_toolboxes import WorkspaceToolboxes

_ENCODING = "o200k_base"
_LOCAL = "gguf:"
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
        numbers = count(1)
        world = World(
            builder=builder,
            store=store,
            models=ScriptedModels(builder.catalogue, models, _builtin),
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
            tasks=Tasks(_raise),
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
