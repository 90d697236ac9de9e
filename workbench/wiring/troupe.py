"""Everything concrete that the conversation behind the pictures is held with; nothing of it is kept."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from itertools import count
from pathlib import Path

from workbench.context.recall.near_words import NearWords
from workbench.context.text.chunk_renderers import RendererRegistry
from workbench.domain import document
from workbench.domain.attached import (
    Attached,
    AttachLimits,
    CannotAttach,
    FileSight,
    FolderFiles,
    FolderList,
    KeptCopy,
)
from workbench.domain.document import AS_FOUND, Document
from workbench.domain.folder import FileText, FolderEntry, FolderRules
from workbench.domain.provider import BY_NAME
from workbench.engine.assembly.counters import Counters
from workbench.engine.assembly.prepare import Builder
from workbench.engine.known_workspaces import Workspaces
from workbench.engine.recall.finding import Recall
from workbench.engine.tasks import Tasks
from workbench.engine.world import Limits, World
from workbench.ports.attaching import FolderScan
from workbench.ports.models import ChatModel
from workbench.providers.builtin.files import MISSING
from workbench.providers.builtin.model import BuiltinModel, BuiltinSource
from workbench.providers.cache_rules import load_rules
from workbench.providers.catalogue import load_catalogue
from workbench.providers.harness.given_key import GivenKey
from workbench.providers.prices import load_prices
from workbench.providers.rehearsed.models import SOME_KEY, RehearsedLlama, RehearsedModels, RehearsedOpenAi
from workbench.providers.rehearsed.server import (
    HARMONY,
    OPENAI,
    LlamaCache,
    OpenAiCache,
    Pace,
    Reading,
    RehearsedServer,
)
from workbench.providers.tokenizer import TiktokenTokenizer
from workbench.providers.wire.endpoint import origin
from workbench.sources.attach import FileAttachments
from workbench.sources.extract.process import ChildExtractor
from workbench.sources.naming import Naming
from workbench.sources.resources import mapped_resource, resource_path
from workbench.sources.script import Part, Script, load_script
from workbench.storage.scratch import ScratchHistory
from workbench.storage.workspaces import StoreWorkspaces
from workbench.tools.toolbox import WorkspaceTools
from workbench.wiring.holding import WorkspaceRooms
from workbench.wiring.played_servers import PlayedServers

_ENCODING = "o200k_base"
_LOCAL = "gguf:"
LOOK_S = 0.01
"""How often something is looked at that tells nobody when it changes."""


class PlayedTime:
    """A clock that only moves when something on the stage takes its time → Clock, UtcClock."""

    def __init__(self, utc: str) -> None:
        self._now = self._begun = datetime.fromisoformat(utc)

    def monotonic_ms(self) -> float:
        """Milliseconds since the curtain went up."""
        return (self._now - self._begun).total_seconds() * 1000

    def utc_now(self) -> str:
        """The moment on the stage."""
        return self._now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def go_on(self, seconds: float) -> None:
        """Time passes."""
        self._now += timedelta(seconds=seconds)

    def wait_until(self, utc: str) -> None:
        """It is that time now; what takes longer than was planned makes it later."""
        self._now = max(self._now, datetime.fromisoformat(utc))


class SlowScan:
    """A look through a folder on a slow disk: one file at a time, and none after the one it waits at → FolderScan."""

    def __init__(self, scan: FolderScan, waits_at: str) -> None:
        self._scan, self._waits_at = scan, waits_at

    async def more(self) -> tuple[FolderEntry, ...]:
        """The next entries."""
        return await self._scan.more()

    async def texts(self, paths: Sequence[str]) -> tuple[FileText, ...]:
        """What the first of the files holds."""
        if paths[0] == self._waits_at:
            await asyncio.Event().wait()
        return await self._scan.texts(paths[:1])

    async def close(self) -> None:
        """Let go of the folder."""
        await self._scan.close()


class AttachedInFolder:
    """Files by their paths in one folder, as for a program that was started there → AttachmentReader.

    Attributes:
        waits_at: the file at which a look through a folder waits; empty where it does not.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = FileAttachments(ChildExtractor(), naming=Naming(workspace=lambda: str(folder)))
        self.waits_at = ""

    async def read(self, path: str, reading: document.Reading = AS_FOUND) -> Attached:
        """The file as it is now."""
        found = await self._files.read(str(self._folder / path), reading)
        return replace(found, artifact=replace(found.artifact, key=path), names=())

    async def read_again(self, copy: KeptCopy, anchors: Sequence[str]) -> tuple[Attached | CannotAttach, ...]:
        """Parts of a file as it is now."""
        there = replace(copy, place=str(self._folder / (copy.place or copy.key)))
        return await self._files.read_again(there, anchors)

    async def find(self, name: str, folder: str = "", workspace: str = "") -> Attached | None:
        """A file of the folder by the name that a message gives it."""
        found = await self._files.find(name, folder, workspace)
        return None if found is None else replace(found, names=())

    async def check(self, path: str) -> None:
        """Refuse what is no file."""
        await self._files.check(str(self._folder / path))

    async def list_files(self, folder: str, most: int) -> FolderList | None:
        """The files of the folder by their names."""
        return await self._files.list_files(folder, most)

    async def document(self, name: str, content: bytes, reading: document.Reading = AS_FOUND) -> Document:
        """What a file became that was read before."""
        return await self._files.document(name, content, reading)

    async def sendable_picture(self, content: bytes) -> bytes:
        """A picture as every provider takes it."""
        return await self._files.sendable_picture(content)

    async def page_pictures(self, path: str, first: int, last: int) -> tuple[tuple[int, bytes], ...]:
        """Pages of a PDF as pictures."""
        return await self._files.page_pictures(str(self._folder / path), first, last)

    def limits(self) -> AttachLimits:
        """How much may be attached."""
        return AttachLimits()

    async def folder_files(self, path: str) -> FolderFiles | None:
        """Single files are attached here."""
        return None

    async def read_in(self, folder: str, path: str) -> Attached:
        """A file of a folder below, or of any other."""
        return await self._files.read_in(str(self._folder / folder), path)

    async def close(self) -> None:
        """End what runs for it."""
        await self._files.close()

    async def scan(self, path: str, rules: FolderRules) -> FolderScan | None:
        """A way through a folder below, or anywhere else."""
        scan = await self._files.scan(str(self._folder / path), rules)
        return SlowScan(scan, self.waits_at) if scan is not None and self.waits_at else scan

    async def look(self, copies: Sequence[tuple[KeptCopy, FileSight | None]]) -> tuple[FileSight, ...]:
        """What became of files since they were kept."""
        there = [(replace(copy, key=str(self._folder / copy.key)), last) for copy, last in copies]
        return await self._files.look(there)


@dataclass(frozen=True, slots=True)
class Troupe:
    """Everything concrete that a conversation is played with."""

    script: Script
    folder: Path
    clock: PlayedTime
    builder: Builder
    servers: Mapping[str, RehearsedServer]
    world: World


def utc_at(day: str, at: str, days_before: int = 0) -> str:
    """A time of day on a day, or some days before it."""
    moment = datetime.fromisoformat(f"{day}T{at}:00+00:00") - timedelta(days=days_before)
    return moment.isoformat(timespec="seconds")


@asynccontextmanager
async def engaged() -> AsyncIterator[Troupe]:
    """The script's models, its files, and a store; folder and store are gone afterwards."""
    script = load_script(resource_path("sample", "work"))
    async with AsyncExitStack() as after:
        folder = Path(after.enter_context(tempfile.TemporaryDirectory(prefix="workbench-")))
        shutil.copytree(
            script.folder, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("script.toml")
        )
        _litter(folder)
        store = await after.enter_context(ScratchHistory()).open()
        oldest = max(chat.days for chat in script.chats) + 1
        clock = PlayedTime(utc_at(script.day, "00:00", oldest))
        encoding = cache(lambda name: TiktokenTokenizer(name, resource_path("encodings")))
        builder = Builder(
            load_catalogue(resource_path("models.toml")),
            Counters(encoding),
            clock,
            RendererRegistry(()),
            rulebook=load_rules(resource_path("cache-rules.toml")),
            recall=Recall(lambda: NearWords(mapped_resource("near-words.bin"))),
            prices=load_prices(resource_path("prices.toml")),
        )
        servers = {part.name: _server(part, encoding(_ENCODING), clock) for part in script.models.values()}
        models: dict[str, ChatModel] = {name: _adapter(name, server) for name, server in servers.items()}
        numbers = count(1)
        world = World(
            builder=builder,
            store=store,
            models=RehearsedModels(builder.catalogue, models, _builtin),
            prices=load_prices(resource_path("prices.toml")),
            toolbox=WorkspaceTools(folder),
            workspaces=Workspaces(StoreWorkspaces(store), clock),
            rooms=WorkspaceRooms(
                lambda place: WorkspaceTools(Path(place)),
                WorkspaceTools(folder),
                lambda _folder: PlayedServers(),
            ),
            attachments=AttachedInFolder(folder),
            utc=clock,
            new_id=lambda: f"id{next(numbers)}",
            tasks=Tasks(_raise),
            limits=Limits(disk_look_s=LOOK_S),
            keys=GivenKey(origin(BY_NAME["openai"].url), SOME_KEY),
        )
        yield Troupe(script, folder, clock, builder, servers, world)


def _litter(folder: Path) -> None:
    """What lies in a folder that somebody works in, and is nobody's to attach."""
    (folder / ".gitignore").write_text(".venv/\n__pycache__/\n.env\n", encoding="utf-8")
    (folder / ".env").write_text("MODE=test\n", encoding="utf-8")
    for made in (folder / ".venv", folder / "src" / "__pycache__"):
        made.mkdir()
    with suppress(OSError):  # not every system lets everybody make links
        (folder / "shared").symlink_to(folder.parent)


def _server(part: Part, tokenizer: TiktokenTokenizer, clock: PlayedTime) -> RehearsedServer:
    pace = Pace(part.reads, part.writes, clock.go_on, clock.monotonic_ms)
    if part.name.startswith(_LOCAL):
        return RehearsedServer(Reading(HARMONY, tokenizer), LlamaCache(), pace)
    return RehearsedServer(Reading(OPENAI, tokenizer), OpenAiCache(), pace)


def _adapter(name: str, server: RehearsedServer) -> ChatModel:
    return RehearsedLlama(name, server) if name.startswith(_LOCAL) else RehearsedOpenAi(name, server)


def _builtin(name: str) -> ChatModel:
    """The built-in model before its file is there: what it counts is estimated, and said to be."""
    return BuiltinModel(BuiltinSource(name, lambda: None, MISSING, tokenizer=f"server:{name}"))


def _raise(name: str, error: BaseException) -> None:
    raise RuntimeError(f"{name} failed while the pictures were made") from error
