"""Plays the script step by step, as a user would: asks, attaches, tries settings out, opens pages."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from workbench.domain.codec import decode
from workbench.domain.influence import Influence
from workbench.domain.message import Message, ToolCall
from workbench.domain.recall import Found
from workbench.domain.settings.context_settings import ContextSettings, Layout, PersonaSources
from workbench.domain.settings.preset import merge_preferences
from workbench.domain.tool import ToolDefinition
from workbench.domain.variant import parse_variant
from workbench.domain.workspace import Fact, Filed, SavedPrompt, Workspace, served_tools, template_of
from workbench.engine.attaching_intents import ChooseParts, ScanFolder, ShowParts
from workbench.engine.influence.target import find_target, keep
from workbench.engine.intents import (
    AttachFiles,
    ChangeSettings,
    CheckFacts,
    CloseChat,
    CompareLayouts,
    DetachArtifacts,
    EditDraft,
    Intent,
    ListChats,
    OpenChat,
    OpenTurn,
    PriceStep,
    RegenerateAnswer,
    SendMessage,
    StartChat,
    TrySettings,
)
from workbench.engine.program.sample_chat import Frame, sample_archive
from workbench.engine.program_intents import ListModels, LookAtSpending, WarmModel, WatchPrograms
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import (
    AttachedChange,
    CompareVariants,
    CountTools,
    LookAtQuote,
    TuneAttached,
)
from workbench.engine.workbench import Workbench
from workbench.engine.workspace_intents import FileChats, LookAtReach, SavePrompt, StartServer, StartWorkspace
from workbench.showroom.files import FolderAttachments
from workbench.showroom.model_server import ScriptedAnswer
from workbench.showroom.script import (
    INSTRUCTIONS,
    PROMPTS,
    RULES,
    WORKSPACE,
    Line,
    Moment,
    Passage,
    ScriptedWorkspace,
)
from workbench.showroom.setup import LOOK_S, Setup, set_up, utc_at
from workbench.showroom.tool_servers import ScriptedToolServers
from workbench.sources.resources import load_sample, resource_path, shipped_prompts

CHAT = "token-refresh"
SAMPLE = "sample"
CHECKED_TURN = 6
"""The first answer whose request lacks a file that it speaks of."""
CARRIED_WORDS, CARRIED_TURN = ("sample", "influence.json"), 2
"""What the built-in model was measured to have read for an answer of the sample; `packaging/record_influence.py`."""
HERE = "."
_WAITS_AT = "logs/2026-11-10.log"
_PATIENCE_S = 20.0
_ROOMY = 16_384
_CALM_S = 0.001
"""Between two looks: without it, looking takes the processor from what is waited for."""

_SHOWING = ("build", "count", "read", "recall", "relevance")
"""What is going on while something is still to be shown."""


class Player:
    """Plays the script to a moment; the chat is `CHAT`, and what it shows is the engine's own state."""

    def __init__(self, setup: Setup, kind: str) -> None:
        self._of, self._with_tools = setup, kind == "tools"
        self._told_in = "en" if kind == "measured" else ""
        self._inside = WORKSPACE.id if kind in ("words", "paid") else ""
        part = setup.script.models["hosted" if kind in ("hosted", "auto", "words", "paid") else "local"]
        self._layout: Layout = "auto" if kind in ("auto", "default") else "layered"
        self._model, self._thinks = part.name, part.thinks
        self._server = setup.servers[self._model]
        self._bench = Workbench(setup.world)
        # As a new chat is set, and with room for what comes.
        roomy = {**setup.script.trial, "context_window": _ROOMY}
        self._context: dict[str, Any] = roomy if kind in ("default", "watched") else {}
        self.in_view = CHAT

    @property
    def chat(self) -> ChatState:
        """The chat as it is now."""
        return self._bench.state.open[CHAT]

    def moment(self, chat: str = CHAT) -> Moment:
        """What a window would show now."""
        return Moment(self._bench.state, chat, self._of.clock.utc_now())

    async def do(self, *intents: Intent) -> None:
        """Do what is wanted, and let everything that follows from it be built and counted."""
        await self._bench.dispatch(*intents)
        await self.calm()

    async def calm(self) -> None:
        """Wait until nothing of what is shown is being read, built or counted."""
        await self._seen(lambda: not self._of.world.tasks.is_at(*_SHOWING), _CALM_S)

    async def settle(self) -> None:
        """Wait until the model's server was asked, too, what it holds of the next request."""
        await self._seen(lambda: not self._of.world.tasks.is_at("ask what", *_SHOWING), LOOK_S)

    async def until(self, done: Callable[[], bool]) -> None:
        """Wait for something to be seen; what should come within moments and does not is an error."""
        await self._seen(done, LOOK_S)
        await self.calm()

    async def talk(self) -> None:
        """Other chats first, then every turn of this one; nothing is written yet."""
        await self._bench.begin()
        for number, other in enumerate(self._of.script.chats[::-1]):
            key = f"other-{number}"
            self._of.clock.wait_until(utc_at(self._of.script.day, other.line.at, other.days))
            await self.do(StartChat(key, self._settings(), other.title))
            await self._ask(key, other.line)
            await self.do(CloseChat(key))
        settings = replace(self._settings(), tools=self._tools() if self._with_tools else ())
        await self.do(StartChat(CHAT, settings, self._of.script.title, filed=Filed(self._inside)))
        for line in self._of.script.turns:
            await self._turn(line)
        await self.do(ListChats(), ListModels(), WarmModel(self._model))
        await self.until(lambda: self._model in self._bench.state.readiness)

    async def furnish(self) -> None:
        """A workspace with instructions and facts, and prompts."""
        settings = replace(self._settings(), user_memory="", persona_mode="add")
        self._context = {"user_memory": "", "persona_mode": "add"}
        await self.do(StartWorkspace(WORKSPACE, settings), *map(SavePrompt, PROMPTS))

    async def instruct(self) -> None:
        """Instructions for this chat are being written, and shown as a ghost with their price."""
        own = self.chat.chat.settings
        tried = replace(own, persona=replace(own.persona, user=INSTRUCTIONS))
        await self.do(
            TrySettings(CHAT, tried), PriceStep(CHAT, "instructions", (ChangeSettings(CHAT, tried),))
        )
        await self.until(lambda: self.chat.trial is not None and self.chat.price is not None)

    async def write(self) -> None:
        """The next question is being written, and a file changes on the disk, which is read anew."""
        draft = self._of.script.draft
        changes = tuple(AttachedChange(key, priority) for key, priority in draft.priority.items())
        self._save(self._of.script.changed)
        await self.do(
            AttachFiles(CHAT, draft.attach), TuneAttached(CHAT, changes), EditDraft(CHAT, draft.text)
        )
        await self.until(lambda: self._seen_on_disk() == "renewed")

    async def want(self) -> None:
        """A question whose answer wants to change a file, and waits for a decision."""
        line, edit = self._of.script.wanting, self._of.script.edit
        asked = {"path": edit.path, "old": edit.old, "new": edit.new}
        call = ToolCall("call-1", "edit", json.dumps(asked))
        self._server.coming.append(ScriptedAnswer(line.answer, self._thought(line), (call,)))
        await self._begin(line)
        await self.until(lambda: self.chat.running is not None and bool(self.chat.running.tools))

    async def arrive(self) -> None:
        """The draft is asked, and its answer is on its way."""
        line = self._of.script.arriving
        self._server.coming.append(ScriptedAnswer(line.answer, self._thought(line), open=True))
        await self._begin(line)
        await self.until(lambda: self.chat.running is not None and self.chat.running.text == line.answer)

    async def try_out(self) -> None:
        """Other settings are looked at as a ghost."""
        tried = merge_preferences(self.chat.chat.settings, self._of.script.trial)
        await self.do(TrySettings(CHAT, tried))

    async def apply_nothing(self) -> None:
        """The ghost goes, and nothing has changed."""
        await self.do(TrySettings(CHAT, None))

    async def close_turn(self) -> None:
        """The next request is looked at again."""
        await self.do(OpenTurn(CHAT, None))

    async def open_turn(self) -> None:
        """A turn is looked at as it was sent: the newest one whose prefix broke, or else the newest."""
        turns = [turn for turn in self.chat.turns if turn.broke] or [*self.chat.turns]
        await self.do(OpenTurn(CHAT, turns[-1].number))

    async def add_folder(self) -> None:
        """The folder is looked through, to add more of it; the disk is slow, and what is counted can be added."""
        files = self._of.world.attachments
        if isinstance(files, FolderAttachments):
            files.waits_at = _WAITS_AT
        await self._bench.dispatch(ScanFolder(CHAT, HERE))
        await self.until(lambda: self._counted_at() == _WAITS_AT)

    def _counted_at(self) -> str:
        return "" if self._bench.state.folder is None else self._bench.state.folder.at

    async def choose_parts(self) -> None:
        """A long document is attached, and two parts of it are chosen."""
        wanted = self._of.script.parts
        await self.do(AttachFiles(CHAT, (wanted.path,)), ShowParts(CHAT, wanted.path))
        await self.until(lambda: self.chat.parts is not None and bool(self.chat.parts.rows))
        await self.do(ChooseParts(CHAT, wanted.path, wanted.anchors))
        await self.until(self._parts_counted)

    def _parts_counted(self) -> bool:
        parts = self.chat.parts
        known = parts is not None and parts.tokens is not None and all(row.tokens for row in parts.rows)
        return known and any(facts.anchor for facts in self.chat.files.values())

    async def serve(self) -> None:
        """The chat is in a workspace with servers of tools: one that has changed, one that fails, one that is off."""
        servers = ScriptedToolServers().before()
        place = Workspace("tools", "Token service", servers=servers, rules=RULES)
        own = () if self._of.world.toolbox is None else self._of.world.toolbox.tools
        tools = (*(tool.definition for tool in own), *served_tools(place).values())
        off = (tool.definition for server in servers for tool in server.approved)
        await self.do(StartWorkspace(place, self._settings()), FileChats((CHAT,), workspace=place.id))
        settings = replace(self.chat.chat.settings, tools=tools)
        await self.do(ChangeSettings(CHAT, settings))
        await self.do(*(StartServer(place.id, server.name) for server in servers if server.enabled))
        await self.until(lambda: len(self._bench.state.servers) == sum(one.enabled for one in servers))
        await self.until(lambda: self.chat.prepared is not None)
        said = (tool.definition for one in self._bench.state.servers.values() for tool in one.tools)
        await self.do(CountTools(CHAT, (*tools, *off, *said)))

    async def recall(self) -> None:
        """A question is written that fits what was cut; of what comes back, the best is looked at."""
        told = self._of.script.recall
        cut = merge_preferences(self.chat.chat.settings, told.context)
        await self.do(ChangeSettings(CHAT, cut), EditDraft(CHAT, told.text))
        await self.until(lambda: bool(self._quotes()))
        best = max(self._quotes(), key=lambda one: one.score)
        await self.do(LookAtQuote(CHAT, best.id))
        await self.until(lambda: self.chat.why is not None and self.chat.why.messages > 0)

    def _quotes(self) -> list[Found]:
        view = self.chat.view
        return [row.found for row in view.quotes if row.found is not None] if view is not None else []

    async def ask_nothing(self) -> None:
        """Nothing is written, and everything is sent as before."""
        await self.do(LookAtQuote(CHAT), EditDraft(CHAT, ""), ChangeSettings(CHAT, self._settings()))

    async def compare(self) -> None:
        """The chat is held against the other layouts."""
        await self.do(CompareLayouts(CHAT))
        await self.until(lambda: self.chat.shares is not None and not self.chat.shares.waiting)

    async def vary(self) -> None:
        """The next request stands beside itself under other settings."""
        wanted = tuple(parse_variant(text) for text in self._of.script.variants)
        await self.do(CompareVariants(CHAT, None, wanted))
        await self.until(lambda: self.chat.comparison is not None and self.chat.comparison.is_done)

    async def pin_all(self) -> None:
        """Nothing that is attached may fall, and the window is small: then it is too much."""
        small = merge_preferences(self.chat.chat.settings, self._of.script.small)
        await self._pin(True)
        await self.do(ChangeSettings(CHAT, small))
        await self.until(lambda: bool(self.chat.fixes) or not (self.chat.view and self.chat.view.over_tokens))

    async def unpin_all(self) -> None:
        """It may fall again, and there is room."""
        await self._pin(False)
        await self.do(ChangeSettings(CHAT, self._settings()))

    async def adopt_sample(self) -> None:
        """The chat that a new user is shown."""
        settings = ContextSettings(model="builtin", persona=PersonaSources(shipped_prompts().persona))
        self._of.clock.wait_until(utc_at(self._of.script.day, self._of.script.turns[0].at))
        frame = Frame(SAMPLE, settings, self._of.clock.utc_now())
        await self._bench.begin()
        told = load_sample(resource_path("sample"), self._told_in)
        await self._bench.adopt(sample_archive(told, frame, self._of.builder))
        await self.do(ListChats(), OpenChat(SAMPLE), ListModels())

    async def carry(self) -> None:
        """The sample's second turn is opened, with what its pieces carried of the answer."""
        store = self._of.world.store
        turn = next(one for one in await store.turns(SAMPLE) if one.number == CARRIED_TURN)
        found = decode(Influence, json.loads(resource_path(*CARRIED_WORDS).read_text("utf-8")))
        await keep(found, await find_target(turn, store), self._of.world)
        await self.do(OpenTurn(SAMPLE, CARRIED_TURN))

    async def check(self) -> None:
        """An answer of a chat that was cut is held against its request; what it says of a file was left out of that."""
        turn = self.chat.turns[CHECKED_TURN - 1]
        await self.do(CheckFacts(CHAT, turn.question, turn.reply))
        await self.until(lambda: bool(self.chat.facts))
        await self.do(OpenTurn(CHAT, turn.number))

    async def settle_in(self) -> None:
        """The chats are filed in workspaces, and the page of the first one is opened."""
        titles = {chat.title: chat.id for chat in self._bench.state.chats}
        for number, told in enumerate(self._of.script.workspaces):
            await self._file(Workspace(f"w{number}", told.name, told.folder), told, titles)
        first = template_of("w0")
        await self.do(
            ListChats(), LookAtReach(tuple(titles.values())), OpenChat(first), WarmModel(self._model)
        )
        await self.do(CountTools(first, self._bench.state.open[first].chat.settings.tools))

    async def _file(self, place: Workspace, told: ScriptedWorkspace, titles: Mapping[str, str]) -> None:
        facts = [Fact(f"f{at}", text) for at, text in enumerate(told.facts)]
        if told.suggested:
            facts.append(Fact("suggested", told.suggested, chat=CHAT, suggested=True))
        made = replace(place, instructions=told.instructions, facts=tuple(facts))
        settings = replace(self._settings(), user_memory="", tools=self._all_tools())
        await self.do(StartWorkspace(made, settings))
        if told.files:
            await self.do(AttachFiles(template_of(place.id), told.files))
        for name, text in told.prompts.items():
            await self.do(SavePrompt(SavedPrompt(name, text, place.id)))
        await self.do(FileChats(tuple(titles[title] for title in told.chats), workspace=place.id))
        for title in told.pinned:
            await self.do(FileChats((titles[title],), pinned=True))
        for title, tags in told.tags.items():
            await self.do(FileChats((titles[title],), tags=tuple(tags)))

    async def watch(self) -> None:
        """Another program was watched; the last of its conversations is in view."""
        await self.do(WatchPrograms(True))
        passed = self._of.watch.play(self._of.script.day)
        await self.until(lambda: self._watched_requests() == passed)
        self.in_view = next(chat.id for chat in self._bench.state.chats if chat.filed.watched is not None)
        await self.do(CloseChat(CHAT), ListChats(), OpenChat(self.in_view))

    async def spend(self) -> None:
        """What all of that cost is looked at."""
        await self.do(OpenChat(CHAT), LookAtSpending())
        self.in_view = CHAT

    def _watched_requests(self) -> int:
        marks = (chat.filed.watched for chat in self._bench.state.chats)
        return sum(mark.requests for mark in marks if mark is not None)

    async def close(self) -> None:
        await self._bench.close()

    async def _seen(self, done: Callable[[], bool], look_s: float) -> None:
        async with asyncio.timeout(_PATIENCE_S):
            while not done():  # noqa: ASYNC110 - a state is looked at, which tells nobody when it changes
                await asyncio.sleep(look_s)

    async def _pin(self, pinned: bool) -> None:
        changes = [AttachedChange(one.key, pinned=pinned) for one in self.chat.conversation.attached]
        await self.do(TuneAttached(CHAT, tuple(changes)))

    async def _turn(self, line: Line) -> None:
        if line.attach:
            await self.do(AttachFiles(CHAT, line.attach))
        if line.detach:
            await self.do(DetachArtifacts(CHAT, line.detach))
        for number, words in enumerate((*line.again, line.answer)):
            self._server.coming.append(ScriptedAnswer(words, self._thought(line)))
            if number == 0:
                await self._begin(line)
            else:
                asked = [one.entry for one in self.chat.records if isinstance(one.entry, Message)]
                question = [message.id for message in asked if message.role == "user"][-1]
                await self._bench.dispatch(RegenerateAnswer(CHAT, question))
            await self._bench.until_ended(CHAT)
            await self.calm()

    async def _ask(self, chat: str, line: Line) -> None:
        self._server.coming.append(ScriptedAnswer(line.answer))
        await self.do(SendMessage(chat, line.question))
        await self._bench.until_ended(chat)
        await self.calm()

    async def _begin(self, line: Line) -> None:
        self._of.clock.wait_until(utc_at(self._of.script.day, line.at))
        await self._bench.dispatch(EditDraft(CHAT, ""), SendMessage(CHAT, line.question))

    def _thought(self, line: Line) -> str:
        """What the model thinks before it answers, if it is one that does."""
        return line.thinking if self._thinks else ""

    def _seen_on_disk(self) -> str:
        return self.chat.disk.get(self._of.script.changed.path, ("", ""))[0]

    def _save(self, changed: Passage) -> None:
        path = self._of.folder / changed.path
        path.write_text(path.read_text(encoding="utf-8").replace(changed.old, changed.new), encoding="utf-8")
        when = datetime.fromisoformat(utc_at(self._of.script.day, changed.at)).timestamp()
        os.utime(path, (when, when))

    def _settings(self) -> ContextSettings:
        persona = PersonaSources(shipped_prompts().persona)
        settings = ContextSettings(self._model, persona=persona, layout=self._layout)
        return merge_preferences(settings, {**self._of.script.context, **self._context})

    def _all_tools(self) -> tuple[ToolDefinition, ...]:
        toolbox = self._of.world.toolbox
        return () if toolbox is None else tuple(tool.definition for tool in toolbox.tools)

    def _tools(self) -> tuple[ToolDefinition, ...]:
        return tuple(tool for tool in self._all_tools() if tool.name == "edit")


# The scripted conversation at the moments that scenes show: a real engine, store, adapters and files.


PLACED, CARRIED = "placed", "carried"
IN_VIEW = {SAMPLE: SAMPLE, CARRIED: SAMPLE, PLACED: template_of("w0")}
"""What is in view at moments that are not about the chat."""

Step = Callable[[Player], Awaitable[None]]

ACTS: Mapping[str, tuple[tuple[str, tuple[Step, ...]], ...]] = {
    "local": (
        ("tried", (Player.talk, Player.write, Player.try_out)),
        ("looked back", (Player.apply_nothing, Player.open_turn, Player.compare)),
        ("written", (Player.close_turn,)),
        ("choosing", (Player.choose_parts,)),
    ),
    "default": (("greeting", (Player.talk, Player.write)),),
    "tools": (("waiting", (Player.talk, Player.want, Player.write)),),
    "hosted": (
        ("over", (Player.talk, Player.write, Player.pin_all)),
        ("arriving", (Player.unpin_all, Player.arrive)),
    ),
    "auto": (
        ("compared", (Player.talk, Player.compare, Player.write)),
        ("varied", (Player.vary,)),
        ("adding", (Player.add_folder,)),
        (PLACED, (Player.settle_in,)),
    ),
    "served": (
        ("recalled", (Player.talk, Player.recall)),
        ("served", (Player.ask_nothing, Player.serve)),
    ),
    "words": (("instructing", (Player.furnish, Player.talk, Player.instruct)),),
    "watched": (("watched", (Player.talk, Player.watch)),),
    "paid": (("spent", (Player.furnish, Player.talk, Player.watch, Player.spend)),),
    "checked": (("checked", (Player.talk, Player.check)),),
    "new": ((SAMPLE, (Player.adopt_sample,)),),
    "measured": ((CARRIED, (Player.adopt_sample, Player.carry)),),  # in English, as it was measured
}
"""The moments of each conversation in their order, with the steps that lead to them."""


async def moments(wanted: Collection[str]) -> dict[str, Moment]:
    """Play the conversations as far as needed, and take the engine's state at each wanted moment."""
    found: dict[str, Moment] = {}
    for kind, acts in ACTS.items():
        last = max((place for place, (name, _) in enumerate(acts) if name in wanted), default=-1)
        if last >= 0:
            async with set_up() as setup:
                found |= await _played(setup, kind, acts[: last + 1])
    return {name: found[name] for name in wanted}


async def _played(setup: Setup, kind: str, acts: Sequence[tuple[str, tuple[Step, ...]]]) -> dict[str, Moment]:
    found, player = {}, Player(setup, kind)
    try:
        for name, steps in acts:
            for step in steps:
                await step(player)
            await player.settle()
            found[name] = player.moment(IN_VIEW.get(name, player.in_view))
    finally:
        await player.close()
    return found
