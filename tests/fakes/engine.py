"""A whole engine in memory: a fake model, a history in dictionaries, ids that count."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from itertools import count
from typing import Any, TypeVar, cast

from tests.fakes.attachments import MemoryAttachments
from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModel, FakeModels, NoPrices, Step, words
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import until
from tests.fakes.turns import fake_builder
from workbench.domain.message import Message
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.events import ChatShown, Event, ProgramShown, TurnEnded
from workbench.engine.intents import StartChat
from workbench.engine.open_chat.scope import ChatScope
from workbench.engine.tasks import Tasks
from workbench.engine.workbench import Workbench
from workbench.engine.world import World

E = TypeVar("E")

SETTINGS = ContextSettings(model=WORD_MODEL.name, system_prompt="Be kind.")


class TickingUtc:
    """The time of day, a second later at every look → UtcClock."""

    def __init__(self, day: str = "2026-01-01") -> None:
        self._seconds, self._day = count(), day

    def utc_now(self) -> str:
        """The moment."""
        seconds = next(self._seconds)
        return f"{self._day}T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}Z"


class FilesInMemory(MemoryAttachments):
    """Files that a test wrote down → AttachmentReader."""

    def __init__(self, **texts: str) -> None:
        super().__init__(texts)
        self.texts = self.files


def _raise(name: str, error: BaseException) -> None:
    """A bug in background work: the loop's own report of it would be read by nobody."""
    print(f"{name} ended with an error", file=sys.stderr)
    traceback.print_exception(error)


def fake_world(*answers: Sequence[Step], **changes: Any) -> World:
    """A world whose model gives these answers."""
    numbers = count(1)
    given: dict[str, Any] = {
        "builder": fake_builder(WORD_MODEL),
        "store": MemoryHistory(),
        "models": FakeModels(FakeModel(answers or [words("An answer.")])),
        "prices": NoPrices(),
        "toolbox": None,
        "attachments": FilesInMemory(),
        "utc": TickingUtc(),
        "new_id": lambda: f"id{next(numbers)}",
        "tasks": Tasks(_raise),
        **changes,
    }
    return World(**given)


class Bench:
    """A workbench with one open chat, and every event it told."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.workbench = Workbench(world)
        self.events: list[Event] = []
        self.workbench.subscribe(lambda event, state: self.events.append(event))

    @property
    def model(self) -> FakeModel:
        """The fake model behind it."""
        models = self.world.models
        assert isinstance(models, FakeModels)
        assert isinstance(models.model, FakeModel)
        return models.model

    def scope(self, chat: str = "talk") -> ChatScope:
        """What a part of that chat would be made with."""
        return ChatScope(self.world, self.workbench._states, chat)

    def told(self, kind: type[E]) -> list[E]:
        """Every event of a kind, in order."""
        return [event for event in self.events if isinstance(event, kind)]

    def shows(self, field: str) -> list[Any]:
        """Every value that a field of the chat, or of the program, was shown with, in order."""
        told = (event.fields for event in self.events if isinstance(event, ChatShown | ProgramShown))
        return [cast("dict[str, Any]", fields)[field] for fields in told if field in fields]

    async def texts(self, chat: str = "talk") -> list[tuple[str, str, str]]:
        """The branch in view: role, words, state."""
        path = await self.world.store.path(chat)
        return [(r.entry.role, r.entry.text, r.state) for r in path if isinstance(r.entry, Message)]

    async def start(self, chat: str = "talk", settings: ContextSettings = SETTINGS) -> None:
        """Make and open a chat."""
        await self.workbench.dispatch(StartChat(chat, settings))

    async def calm(self) -> None:
        """Wait until nothing of what is shown is being read, built or counted any more."""
        about = ("build", "count", "read", "ask what", "commands ahead", "recall")
        await until(lambda: not any(task.get_name().startswith(about) for task in self.world.tasks._running))

    async def do(self, intent: Any) -> TurnEnded:
        """Dispatch what begins a turn and wait for its end."""
        await self.workbench.dispatch(intent)
        await self.workbench.until_ended(intent.chat)
        ends = [e for e in self.events if isinstance(e, TurnEnded) and e.chat == intent.chat]
        return ends[-1]


def fake_bench(*answers: Sequence[Step], **changes: Any) -> Bench:
    """A workbench whose model gives these answers."""
    return Bench(fake_world(*answers, **changes))
