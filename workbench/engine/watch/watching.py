"""Watching other programs from the window: listens while it is on, interprets what passes, stores and shows it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from typing import assert_never

from workbench.context.watch.reading import ArrivingAnswer
from workbench.domain.errors import WorkbenchError
from workbench.domain.outcome import EndState, TurnOutcome
from workbench.domain.shown.sessions_view import SessionsView, WatchView
from workbench.domain.translation import tr
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedTurn
from workbench.domain.watch.rules import NO_GAIN, Rule
from workbench.domain.watch.switch import SessionKind
from workbench.domain.workspace import rules_of, with_rules
from workbench.engine.events import (
    AnswerGrew,
    ModelProgressed,
    NoticeGiven,
    ProgramShown,
    ThoughtGrew,
    TurnBegan,
    TurnEnded,
)
from workbench.engine.intents import AttachText
from workbench.engine.program_intents import (
    AnswerHeld,
    CompareWatched,
    GoOnFromWatched,
    HoldRequests,
    ListSessions,
    OpenSession,
    PauseWatching,
    WatchPrograms,
)
from workbench.engine.store import StateStore
from workbench.engine.watch.going_on import REMOVED_TITLE, removed_before, start_chat_from_request
from workbench.engine.watch.importing import keep_session
from workbench.engine.watch.limits import tidy
from workbench.engine.watch.paying import PayingPrograms
from workbench.engine.watch.ruling import HeldRequests, Ruling
from workbench.engine.watch.stored_requests import Begun, Keeper
from workbench.engine.watch.turn_of import turn_state
from workbench.engine.watch.updating import compared_view
from workbench.engine.watch.watcher import Ahead, Watcher
from workbench.engine.workspace_intents import ReviseWorkspace
from workbench.engine.world import World
from workbench.ports.watching import CopiedRequest, Ears, ProgramWatch

# Sessions on this computer in a window: listed when somebody asks, and read as watched conversations.


MOST_LISTED = 200
_NONE = tr("Sessions cannot be read from here. In a terminal, `workbench watch --import-claude` does it.")
_EMPTY = tr("No request was found in this session. Nothing was kept.")


class DiskSessions:
    """Lists sessions that other programs left on disk, and imports them one at a time."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._world, self._states = world, states
        self._one_by_one = asyncio.Lock()

    @property
    def _view(self) -> SessionsView:
        return self._states.state.sessions or SessionsView()

    def _show(self, view: SessionsView) -> None:
        self._states.emit(ProgramShown({"sessions": view}))

    async def list(self) -> None:
        """List the sessions on disk."""
        sessions = self._world.sessions
        if sessions is None:
            self._show(SessionsView(problem=_NONE))
            return
        self._show(replace(self._view, reading=True, opened="", problem="", notes=()))
        try:
            lines, more = await asyncio.to_thread(sessions.listed, MOST_LISTED)
        except WorkbenchError as problem:
            self._show(SessionsView(problem=str(problem)))
            return
        self._show(SessionsView(lines, more))

    async def open(self, kind: SessionKind, file: str) -> None:
        """Import the new requests of a session; its chat is reported if it has any."""
        sessions = self._world.sessions
        if sessions is None:
            return
        async with self._one_by_one:
            self._show(replace(self._view, opening=file, opened="", problem="", notes=()))
            try:
                chat, notes = await self._import_session(kind, file)
            except WorkbenchError as problem:
                self._show(replace(self._view, opening="", problem=str(problem)))
                return
            self._states.emit(ProgramShown({"chats": await self._world.store.chats()}))
            said = "" if chat else _EMPTY
            self._show(replace(self._view, opening="", opened=chat, notes=notes, problem=said))

    async def _import_session(self, kind: SessionKind, file: str) -> tuple[str, tuple[str, ...]]:
        assert self._world.sessions is not None
        now = self._world.utc.utc_now()
        keeper = Keeper(self._world.store, self._world.builder.catalogue, imported_utc=now)
        first, notes = "", list[str]()
        found = self._world.sessions.read(kind, file)
        while (session := await asyncio.to_thread(next, found, None)) is not None:
            notes += session.notes
            chat, _ = await keep_session(session, keeper)
            first = first or chat
        return first, tuple(notes)


# Watched answers while they pass: what came since is read a few times a second, and shown as our own answers are.


FRAME_S = 0.05


@dataclass(slots=True)
class _Passing:
    """An answer shown while it passes; `soon` is its next scheduled update."""

    copied: CopiedRequest
    begun: Begun
    reading: ArrivingAnswer
    soon: asyncio.TimerHandle | None = None


class Live:
    """Shows one passing answer per conversation; concurrent ones appear when they are complete."""

    def __init__(self, states: StateStore) -> None:
        self._states = states
        self._passing: dict[int, _Passing] = {}

    def begin(self, copied: CopiedRequest, begun: Begun) -> None:
        """A request was stored and its answer is awaited."""
        known = copied.begun().format
        if known is None or any(one.begun.chat.id == begun.chat.id for one in self._passing.values()):
            return
        self._passing[copied.n] = _Passing(copied, begun, ArrivingAnswer(known))
        self._states.emit(TurnBegan(begun.chat.id, begun.number, begun.question))
        self.grew(copied.n)

    def grew(self, n: int) -> None:
        """More of an answer passed: schedule an update."""
        one = self._passing.get(n)
        if one is not None and one.soon is None:
            one.soon = asyncio.get_running_loop().call_later(FRAME_S, self._read, one)

    def end(self, n: int, state: EndState) -> None:
        """A request ended; show it as it is stored."""
        one = self._passing.pop(n, None)
        if one is None:
            return
        if one.soon is not None:
            one.soon.cancel()
        self._states.emit(TurnEnded(one.begun.chat.id, one.begun.number, TurnOutcome(state)))

    def _read(self, one: _Passing) -> None:
        one.soon = None
        piece = one.copied.more()
        chat = one.begun.chat.id
        for grown in one.reading.take(piece):
            match grown.kind:
                case "answer":
                    self._states.emit(AnswerGrew(chat, grown.text))
                case "thought":
                    self._states.emit(ThoughtGrew(chat, grown.text))
                case "call":
                    self._states.emit(ModelProgressed(chat, tr("calling {text}", text=grown.text)))
        if piece:
            one.soon = asyncio.get_running_loop().call_later(FRAME_S, self._read, one)


_NO_WATCH = tr("Other programs cannot be watched from here. In a terminal, `workbench watch` does it.")
_AGAIN = 50
_NO_GAIN = tr("no gain. Three times the cache served less than predicted; the rule stays on.")
"""After so many requests it is seen to that what is kept stays within its limits."""


class Watching:
    """One watch; exchanges are interpreted and stored one at a time, in the order they end."""

    def __init__(
        self,
        world: World,
        states: StateStore,
        reload: Callable[[str], Awaitable[None]],
        attach: Callable[[AttachText], Awaitable[None]],
        revise: Callable[[ReviseWorkspace], Coroutine[None, None, None]],
    ) -> None:
        self._revise = revise
        self._held = HeldRequests(
            lambda on, held: self._show(replace(self._view, holding=on, held=held)), world.utc.utc_now
        )
        self._world, self._states, self._reload, self._attach = world, states, reload, attach
        self._watch: ProgramWatch | None = None
        self._looking: asyncio.Task[None] | None = None
        self._watcher: Watcher | None = None
        self._turning = asyncio.Lock()
        self._import_session = 0
        self._live = Live(states)
        self._sessions = DiskSessions(world, states)

    async def do(
        self,
        intent: WatchPrograms
        | PauseWatching
        | HoldRequests
        | AnswerHeld
        | GoOnFromWatched
        | ListSessions
        | OpenSession
        | CompareWatched,
    ) -> None:
        match intent:
            case WatchPrograms(on, to):
                kept = self._states.state.preferences.watch.to
                async with self._turning:
                    await (self._start(kept if to is None else to) if on else self._stop())
            case PauseWatching(paused):
                self._show(replace(self._view, paused=paused))
            case HoldRequests(on):
                self._held.switch(on and self._watch is not None)
            case AnswerHeld(n, send, body):
                self._held.answer(n, send, body)
            case GoOnFromWatched(chat, new, number, removed):
                await start_chat_from_request(self._world.store, chat, number, new, self._world.utc.utc_now())
                if removed and (text := await removed_before(self._world.store, chat, number)):
                    await self._attach(AttachText(new, text, REMOVED_TITLE))
                await self._list()
            case ListSessions():
                await self._sessions.list()
            case OpenSession(kind, file):
                await self._sessions.open(kind, file)
            case CompareWatched(before, after):
                self._states.emit(ProgramShown({"update": await compared_view(self._world, before, after)}))
            case _:
                assert_never(intent)

    @property
    def _view(self) -> WatchView:
        return self._states.state.watch

    def _show(self, view: WatchView) -> None:
        self._states.emit(ProgramShown({"watch": view}))

    async def _list(self) -> None:
        self._states.emit(ProgramShown({"chats": await self._world.store.chats()}))

    async def _start(self, to: str) -> None:
        if self._watch is not None:
            return
        if self._world.watch is None:
            self._show(replace(self._view, problem=_NO_WATCH))
            raise WorkbenchError(_NO_WATCH)
        watch = self._world.watch()
        keeper = Keeper(self._world.store, self._world.builder.catalogue)

        async def begin(turn: WatchedTurn, exchange: Exchange, copied: CopiedRequest) -> None:
            if not self._view.paused:
                await self._begin(await keeper.begin(turn, exchange), copied)

        async def keep(turn: WatchedTurn, exchange: Exchange) -> None:
            await self._keep(keeper, turn, exchange)

        async def give_up(n: int) -> None:
            await self._show_end(n, await keeper.give_up(n), "interrupted")

        watcher = Watcher(watch.understand, self._on_exchange, keep)
        watcher.ahead = Ahead(watch.begin, begin, give_up)
        spending, gate = self._world.spending, None
        if spending is not None:
            gate = PayingPrograms(spending, watch.card)
            watcher.paid = gate.ended
        ruling = Ruling(salt=self._world.new_id().encode())
        ruling.source = lambda: self._world.workspaces.everywhere.watched
        here = asyncio.get_running_loop()
        ruling.on_change = lambda program, rules: here.call_soon_threadsafe(self._note_rules, program, rules)
        watcher.acted = ruling.ended
        watcher.first = keeper.remembering(self._world.utc.utc_now(), watch.remember, ruling.remember)
        ears = Ears(
            self._began,
            watcher.begin,
            lambda copied: self._live.grew(copied.n),
            watcher.hear,
            gate,
            ruling,
            self._held,
        )
        try:
            listening = await watch.start(ears, to)
        except WorkbenchError as problem:
            self._show(replace(self._view, problem=str(problem)))
            raise
        keeper.address = listening.address
        self._watch, self._watcher = watch, watcher
        self._looking = self._world.tasks.start("keep what is watched", watcher.run())
        self._show(replace(self._view, address=listening.address, lines=listening.lines, problem=""))

    async def _stop(self) -> None:
        watch, watcher, looking = self._watch, self._watcher, self._looking
        self._watch = self._watcher = self._looking = None
        if watch is not None and watcher is not None and looking is not None:
            self._held.close()
            await watch.close()
            watcher.finish()
            await looking
        self._show(replace(self._view, address="", lines=(), arriving=0, problem=""))

    async def close(self) -> None:
        """Stop listening; what passed is kept."""
        async with self._turning:
            if self._watch is not None:
                await self._stop()

    def _note_rules(self, program: str, rules: tuple[Rule, ...]) -> None:
        """Keep that rules switched themselves off, and say so."""
        before = self._world.workspaces.everywhere
        mine = replace(rules_of(before, program), rules=rules)
        revised = self._revise(ReviseWorkspace(before, with_rules(before, mine)))
        self._world.tasks.spawn("note rules", revised)
        for rule in rules:
            if rule.why:
                why = _NO_GAIN if rule.why == NO_GAIN else rule.why
                told = tr("{program}, {rule}: {why}", program=program, rule=rule.name, why=why)
                self._states.emit(NoticeGiven(None, told))

    def _began(self) -> None:
        self._show(replace(self._view, arriving=self._view.arriving + 1))

    def _on_exchange(self, _exchange: Exchange, _turn: WatchedTurn | None) -> None:
        self._show(replace(self._view, arriving=max(0, self._view.arriving - 1)))

    async def _begin(self, begun: Begun, copied: CopiedRequest) -> None:
        """Show a request that is being answered."""
        await self._list()
        self._live.begin(copied, begun)
        await self._reload(begun.chat.id)

    async def _show_end(self, n: int, chat: str | None, state: EndState) -> None:
        try:
            if chat is not None:
                await self._reload(chat)
        finally:
            self._live.end(n, state)

    async def _keep(self, keeper: Keeper, turn: WatchedTurn, exchange: Exchange) -> None:
        if self._view.paused and not keeper.has_begun(turn.n):
            return
        try:
            chat = await keeper.keep(turn, exchange)
        except WorkbenchError as problem:
            self._live.end(turn.n, "failed")
            self._states.emit(
                NoticeGiven(None, tr("A watched request was not kept. {problem}", problem=problem))
            )
            return
        self._import_session += 1
        try:
            if self._import_session % _AGAIN == 1:
                await tidy(self._world, self._states)
            await self._list()
        except WorkbenchError as problem:
            self._states.emit(
                NoticeGiven(
                    None, tr("A watched request is kept, and more was to be done. {problem}", problem=problem)
                )
            )
        finally:
            await self._show_end(turn.n, chat, turn_state(turn, exchange))
