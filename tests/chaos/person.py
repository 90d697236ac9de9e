"""Somebody at work with the real program, in any order: each act is an intent as the window sends it."""

from __future__ import annotations

import asyncio
import json
import os
import time
import traceback
from argparse import Namespace
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from tests.chaos.facts import message_facts, shown_facts
from tests.fakes.mcp_runs import SAMPLE, hostile
from tests.fakes.wires import MODEL
from workbench.domain.errors import WorkbenchError
from workbench.domain.message import Message
from workbench.domain.record import Record
from workbench.domain.secrets import Secret
from workbench.domain.workspace import Workspace
from workbench.engine.attaching_intents import FreezeArtifacts
from workbench.engine.events import AnswerGrew, Event
from workbench.engine.intents import (
    AttachFiles,
    AttachText,
    ChangeSettings,
    CloseChat,
    ContinueAnswer,
    DeleteChat,
    DetachArtifacts,
    EditDraft,
    EditQuestion,
    ListChats,
    OpenChat,
    RefreshArtifacts,
    RegenerateAnswer,
    RenameChat,
    RestoreChat,
    SendMessage,
    ShowBranch,
    StartChat,
)
from workbench.engine.program_intents import (
    ChangePreferences,
    ExportChats,
    ForkChat,
    ImportChats,
    ReadPreferences,
    WatchPrograms,
)
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.tuning_intents import AttachedChange, TuneAttached, TuneMessages
from workbench.engine.workbench import Workbench
from workbench.engine.workspace_intents import FileChats, KeepServer, StartServer, StartWorkspace
from workbench.ui.given import Choice, Given
from workbench.wiring.window import FolderGiven

PASSPHRASE = Secret.of_text("a passphrase for chaos")
PATIENCE_S = 60
MOST_CHATS = 8
WORDS = ("river", "stone", "lamp", "seven", "letter", "Brücke", "日本", "x" * 40, "```\ncode\n```", "@read")
Touches = tuple[str, ...]
"""Beginnings of the facts that an act may change."""
Planned = tuple[Touches, Awaitable[object]] | None


def given_of(folder: Path) -> Given:
    return FolderGiven(Namespace(data_dir=str(folder / "data"), key_file=None)).given()


async def open_workbench(folder: Path) -> tuple[Workbench, Any]:
    """The engine over the folder's store, which is made where there is none; and its world."""
    given = given_of(folder)
    if not given.store_exists():
        await given.create(Choice(PASSPHRASE, keyring=False))
    store = await given.open(PASSPHRASE)
    world = given.world(store, report)
    workbench = Workbench(world)
    await workbench.begin()
    return workbench, world


def report(name: str, error: BaseException) -> None:
    cause = error.__cause__ or error
    frames = traceback.extract_tb(cause.__traceback__)[-3:]
    where = ", ".join(f"{Path(one.filename).name}:{one.lineno}" for one in frames)
    os.write(2, f"{name} ended with {error!r} at {where}\n".encode())


class Person:
    """Acts at random until it is killed; says before each act what it may change, and after it what is shown."""

    def __init__(
        self, workbench: Workbench, choice: Random, files: Path, models: Sequence[str], to: int
    ) -> None:
        self.workbench, self.choice, self.files, self.models, self._to = workbench, choice, files, models, to
        self.typed: Callable[[str, str], bool] = lambda chat, text: False
        """Types into the window, where there is one and the chat is in view."""
        self.look_at: Callable[[str], Awaitable[None]] = lambda chat: workbench.dispatch(OpenChat(chat))
        """Brings a chat into view."""
        self._leave = workbench.subscribe(self._grew)

    @property
    def state(self) -> WorkbenchState:
        return self.workbench.state

    async def live(self, acts: int) -> None:
        """So many acts, one after the other; the same seed acts the same on the same answers."""
        self.say(shown=shown_facts(self.state))
        for _ in range(acts):
            await self.act()
        for chat in list(self.state.open):
            self.workbench.stop(chat)
            await self.workbench.until_ended(chat)
        self.say(shown=shown_facts(self.state), touches=self._moving(), running=[])

    async def act(self) -> None:
        name, plan = self.choice.choice(ACTS)
        chat = await self._chat()
        planned = None if chat is None else plan(self, chat)
        if planned is None:
            return
        touches, work = planned
        # A turn may have ended since the last act: what it changed is shown by now.
        self.say(act=name, shown=shown_facts(self.state), touches=(*touches, *self._moving()))
        began, ended = time.monotonic(), "done"
        try:
            async with asyncio.timeout(PATIENCE_S):
                await work
        except WorkbenchError as refused:
            ended = f"refused: {refused}"
        except TimeoutError:
            ended = "hung"
        took = time.monotonic() - began
        self.say(
            shown=shown_facts(self.state),
            ended=ended,
            took=took,
            touches=self._moving(),
            running=self._running(),
        )

    def say(self, **told: object) -> None:
        line = json.dumps({"at": time.monotonic(), **told}).encode() + b"\n"
        while line:
            line = line[os.write(self._to, line) :]

    def _moving(self) -> Touches:
        """What may change by itself: turns that go on give chats their titles and attachments their newest content."""
        running = [key.split()[0] for key in self._running()]
        return tuple(
            f"{kind} {key}" for key in running for kind in ("title", "attached", "settings", "tuning")
        )

    def _running(self) -> list[str]:
        turns = {key: chat.running for key, chat in self.state.open.items()} | dict(self.state.away)
        return [f"{key} {turn.question}" for key, turn in turns.items() if turn is not None]

    def _grew(self, event: Event, state: WorkbenchState) -> None:
        if isinstance(event, AnswerGrew) and event.chat in state.open:
            running = state.open[event.chat].running
            if running is not None:
                self.say(partial=(event.chat, running.question, len(running.text) + len(running.more)))

    async def _chat(self) -> ChatState | None:
        """One of the open chats, often another one than before."""
        if not self.state.open or (len(self.state.chats) < MOST_CHATS and self.choice.random() < 0.05):
            return await self._opened(self._unopened())
        if self.choice.random() < 0.1:
            return await self._opened(self._unopened())
        return self.choice.choice(list(self.state.open.values()))

    def _unopened(self) -> str | None:
        known = [one.id for one in self.state.chats if one.id not in self.state.open]
        return (
            self.choice.choice(known)
            if known and (len(known) >= MOST_CHATS or self.choice.random() < 0.6)
            else None
        )

    async def _opened(self, chat: str | None) -> ChatState | None:
        if (chat is None and len(self.state.chats) < MOST_CHATS) or not self.state.chats:
            chat = self.new_id("chat")
            settings = given_settings(self.choice.choice(self.models))
            self.say(act="new chat", shown=shown_facts(self.state), touches=(f"chat {chat}", *self._moving()))
            await self.workbench.dispatch(StartChat(chat, settings, f"Chat {chat}"), ListChats())
        else:
            chat = chat or self.choice.choice(self.state.chats).id
            self.say(act="open chat", shown=shown_facts(self.state), touches=self._moving())
        await self.look_at(chat)
        self.say(shown=shown_facts(self.state), touches=self._moving())
        return self.state.open.get(chat)

    def paths(self) -> list[str]:
        """Files that may be attached."""
        return sorted(str(one) for one in self.files.iterdir())

    def new_id(self, kind: str) -> str:
        return f"{kind}-{self.choice.getrandbits(40):x}"

    def text(self, most: int = 12) -> str:
        return " ".join(self.choice.choice(WORDS) for _ in range(self.choice.randint(1, most)))

    def questions(self, chat: ChatState) -> list[Record]:
        return [one for one in chat.records if isinstance(one.entry, Message) and one.entry.role == "user"]

    def answers(self, chat: ChatState) -> list[Record]:
        return [
            one for one in chat.records if isinstance(one.entry, Message) and one.entry.role == "assistant"
        ]

    async def ask(self, intent: Any) -> None:
        """Begin a turn, then wait for its end, stop it, or leave it running."""
        await self.workbench.dispatch(intent)
        try:
            async with asyncio.timeout(self.choice.choice((0.0, 0.2, 1.0, 2.0))):
                await self.workbench.until_ended(intent.chat)
        except TimeoutError:
            if self.choice.random() < 0.6:
                self.workbench.stop(intent.chat)
                await self.workbench.until_ended(intent.chat)


# The acts. Each says which facts it may change; what it is about is chosen by chance.


def given_settings(model: str) -> Any:
    from workbench.domain.settings.context_settings import ContextSettings

    # A changed file is not read again: what was attached stays what it was.
    return ContextSettings(model=model, context_window=8_000, freshness="freeze")


def write(person: Person, chat: ChatState) -> Planned:
    text = (chat.draft + " " + person.text(3)).strip()

    async def work() -> None:
        if not person.typed(chat.chat.id, text):
            await person.workbench.dispatch(EditDraft(chat.chat.id, text))

    return (), work()


def send(person: Person, chat: ChatState) -> Planned:
    if chat.running is not None:
        return None
    key = chat.chat.id
    return (f"title {key}", f"attached {key}"), person.ask(SendMessage(key, person.text(), commands=False))


def answer_again(person: Person, chat: ChatState) -> Planned:
    asked = person.questions(chat)
    if not asked or chat.running is not None:
        return None
    return (), person.ask(RegenerateAnswer(chat.chat.id, person.choice.choice(asked).id))


def edit_question(person: Person, chat: ChatState) -> Planned:
    asked = person.questions(chat)
    if not asked or chat.running is not None:
        return None
    return (), person.ask(EditQuestion(chat.chat.id, person.choice.choice(asked).id, person.text()))


def go_on(person: Person, chat: ChatState) -> Planned:
    short = [one for one in person.answers(chat)[-1:] if one.state != "complete"]
    if not short or chat.running is not None:
        return None
    key = chat.chat.id

    async def work() -> None:
        await person.workbench.dispatch(ContinueAnswer(key, short[0].id))
        await person.workbench.until_ended(key)

    return (f"message {key} {short[0].id}",), _stopped_in_time(person, key, work())


async def _stopped_in_time(person: Person, chat: str, work: Awaitable[object]) -> None:
    asyncio.get_running_loop().call_later(1.5, person.workbench.stop, chat)
    await work


def other_branch(person: Person, chat: ChatState) -> Planned:
    others = [one for versions in chat.versions.values() for one in versions]
    if not others or chat.running is not None:
        return None
    return (), person.workbench.dispatch(ShowBranch(chat.chat.id, person.choice.choice(others)))


def attach(person: Person, chat: ChatState) -> Planned:
    there = person.paths()
    paths = tuple(person.choice.sample(there, min(len(there), person.choice.randint(1, 3))))
    return (f"attached {chat.chat.id}",), person.workbench.dispatch(AttachFiles(chat.chat.id, paths))


def attach_text(person: Person, chat: ChatState) -> Planned:
    return (f"attached {chat.chat.id}",), person.workbench.dispatch(
        AttachText(chat.chat.id, person.text(200))
    )


def _some_attached(person: Person, chat: ChatState) -> str | None:
    keys = [one.key for one in chat.conversation.attached]
    return person.choice.choice(keys) if keys else None


def detach(person: Person, chat: ChatState) -> Planned:
    key = _some_attached(person, chat)
    if key is None:
        return None
    touches = (f"attached {chat.chat.id} {key}", f"tuning {chat.chat.id}")
    return touches, person.workbench.dispatch(DetachArtifacts(chat.chat.id, (key,)))


def refresh(person: Person, chat: ChatState) -> Planned:
    key = _some_attached(person, chat)
    if key is None:
        return None
    kind = person.choice.choice((RefreshArtifacts, FreezeArtifacts))
    return (f"attached {chat.chat.id} {key}",), person.workbench.dispatch(kind(chat.chat.id, (key,)))


def tune_file(person: Person, chat: ChatState) -> Planned:
    key = _some_attached(person, chat)
    if key is None:
        return None
    change = AttachedChange(key, priority=person.choice.randint(1, 9), pinned=person.choice.random() < 0.3)
    return (f"attached {chat.chat.id} {key}",), person.workbench.dispatch(
        TuneAttached(chat.chat.id, (change,))
    )


def tune_message(person: Person, chat: ChatState) -> Planned:
    if not chat.records:
        return None
    one = frozenset({person.choice.choice(chat.records).id})
    key = chat.chat.id
    changes = (
        TuneMessages(key, pin=one), TuneMessages(key, unpin=one), TuneMessages(key, leave_out=one),
        TuneMessages(key, put_back=one),
    )  # fmt: skip
    return (f"tuning {key}",), person.workbench.dispatch(person.choice.choice(changes))


def rename(person: Person, chat: ChatState) -> Planned:
    return (f"title {chat.chat.id}",), person.workbench.dispatch(RenameChat(chat.chat.id, person.text(3)))


def change_settings(person: Person, chat: ChatState) -> Planned:
    settings = replace(
        chat.chat.settings, system_prompt=person.text(8), model=person.choice.choice(person.models)
    )
    return (f"settings {chat.chat.id}",), person.workbench.dispatch(ChangeSettings(chat.chat.id, settings))


def change_preferences(person: Person, chat: ChatState) -> Planned:
    chosen = replace(person.state.preferences, max_tool_rounds=person.choice.randint(1, 90))
    return ("preferences",), person.workbench.dispatch(ChangePreferences(chosen))


def delete_chat(person: Person, chat: ChatState) -> Planned:
    key = chat.chat.id
    if chat.running is not None or len(person.state.chats) < 3:
        return None

    async def work() -> None:
        await person.workbench.dispatch(DeleteChat(key), CloseChat(key), ListChats())
        if person.choice.random() < 0.5:
            await person.workbench.dispatch(RestoreChat(key), ListChats())

    return tuple(
        f"{kind} {key}" for kind in ("chat", "message", "title", "attached", "settings", "tuning")
    ), work()


def close_chat(person: Person, chat: ChatState) -> Planned:
    return (), person.workbench.dispatch(CloseChat(chat.chat.id))


def fork_chat(person: Person, chat: ChatState) -> Planned:
    if not chat.records or len(person.state.chats) >= MOST_CHATS:
        return None
    fork = person.new_id("fork")
    work = person.workbench.dispatch(ForkChat(chat.chat.id, chat.records[-1].id, fork), ListChats())
    return (f"chat {fork}",), work


def file_chat(person: Person, chat: ChatState) -> Planned:
    key, known = chat.chat.id, list(person.state.workspaces)
    if not known or (len(known) < 3 and person.choice.random() < 0.3):
        new = Workspace(person.new_id("workspace"), person.text(2))
        return (f"workspace {new.id}",), person.workbench.dispatch(StartWorkspace(new, chat.chat.settings))
    touches = tuple(f"{kind} {key}" for kind in ("attached", "settings", "tuning"))
    return touches, person.workbench.dispatch(
        FileChats((key,), workspace=person.choice.choice(known)), ListChats()
    )


def export(person: Person, chat: ChatState) -> Planned:
    path = person.files.parent / "exported.json"
    path.unlink(missing_ok=True)
    return (), person.workbench.dispatch(
        ExportChats(person.new_id("job"), (chat.chat.id,), "openai", str(path))
    )


def import_chats(person: Person, chat: ChatState) -> Planned:
    path = person.files.parent / "exported.json"
    if not path.exists() or len(person.state.chats) >= MOST_CHATS:
        return None
    return ("chat ",), person.workbench.dispatch(ImportChats(person.new_id("job"), (str(path),)))


def tool_server(person: Person, chat: ChatState) -> Planned:
    """Keep a server of tools for a workspace and start it; sometimes one that misbehaves."""
    known = list(person.state.workspaces)
    if not known:
        return None
    where, server = (
        person.choice.choice(known),
        person.choice.choice((SAMPLE, hostile("changing"), hostile("dying"))),
    )

    async def work() -> None:
        if all(one.name != server.name for one in person.state.workspaces[where].servers):
            await person.workbench.dispatch(KeepServer(where, server))
        await person.workbench.dispatch(StartServer(where, server.name, again=True))

    return (f"workspace {where}",), work()


def watch(person: Person, chat: ChatState) -> Planned:
    """Another program asks through the watch; half of the time it is gone before the answer has come."""
    return ("chat ",), _watched(person)


async def _watched(person: Person) -> None:
    if not person.state.watch.on:
        await person.workbench.dispatch(WatchPrograms(True))
    host, _, port = person.state.watch.address.removeprefix("http://").partition(":")
    if not port:
        return
    said = [{"role": "user", "content": person.text()}]
    body = json.dumps({"model": MODEL, "stream": True, "messages": said}).encode()
    head = f"POST /openai/v1/chat/completions HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        writer.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
        await asyncio.wait_for(reader.read(), person.choice.choice((0.05, 3.0)))
    except (OSError, TimeoutError):
        return
    finally:
        writer.close()
    await person.workbench.dispatch(ListChats())


def look_again(person: Person, chat: ChatState) -> Planned:
    return (), person.workbench.dispatch(ReadPreferences(), ListChats())


Act = Callable[[Person, ChatState], Planned]
_OFTEN: tuple[Act, ...] = (write, write, write, send, send, send, attach, tune_file, tune_message)
_SOMETIMES: tuple[Act, ...] = (
    answer_again, edit_question, go_on, other_branch, attach_text, detach, refresh, rename, change_settings,
    change_preferences, tool_server, watch, delete_chat, close_chat, fork_chat, file_chat, export, import_chats,
    look_again,
)  # fmt: skip
ACTS: tuple[tuple[str, Act], ...] = tuple((act.__name__, act) for act in (*_OFTEN, *_SOMETIMES))


# What is there afterwards.


async def found_facts(folder: Path) -> dict[str, Any]:
    """Everything that a fresh start shows, and what a check of the store finds wrong."""
    workbench, world = await open_workbench(folder)
    found = shown_facts(workbench.state)
    partial: dict[str, int] = {}
    try:
        for chat in workbench.state.chats:
            await workbench.dispatch(OpenChat(chat.id))
            archive = await world.store.archive(chat.id)
            found |= shown_facts(workbench.state) | message_facts(chat.id, archive.records)
            for one in archive.records:
                if isinstance(one.entry, Message) and one.parent:
                    partial[f"{chat.id} {one.parent}"] = len(one.entry.text)
            await workbench.dispatch(CloseChat(chat.id))
        problems = (await world.store.verify()).problems
    finally:
        await workbench.close()
    return {"facts": found, "partial": partial, "problems": [str(one) for one in problems]}
