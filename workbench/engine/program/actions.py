"""Handlers of intents about no single chat: search, models, preferences, keys, presets, export and import."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from workbench.domain.answer import ModelFailed
from workbench.domain.chat_line import title_from
from workbench.domain.errors import InvalidInput, NotKept, UnusableSecret, WorkbenchError
from workbench.domain.message import Message
from workbench.domain.provider import HOSTED, KEYED
from workbench.domain.record import ChatArchive, Record
from workbench.domain.secrets import Secret
from workbench.domain.settings.app_preferences import Preferences, SavingOff, blocking
from workbench.domain.translation import tr
from workbench.engine.events import ModelReadied, NoticeGiven, PreferencesChanged, ProgramShown
from workbench.engine.program_intents import (
    ChangePreferences,
    ExportPresets,
    ForkChat,
    ImportPresets,
    KeepProviderKey,
    ListModels,
    OfferTitle,
    PresetIntent,
    ReadPreferences,
    RenamePreset,
    SavePreset,
    SearchHistory,
    WarmModel,
    WriteTitle,
)
from workbench.engine.state import Found, Readiness, WrittenTitle
from workbench.engine.store import StateStore
from workbench.engine.tasks import Latest
from workbench.engine.turn.small_request import (
    BuiltSmallRequest,
    SmallRequest,
    ask_small_request,
    build_small_request,
)
from workbench.engine.world import World
from workbench.ports.exchange_files import ExchangeFiles

if TYPE_CHECKING:
    from workbench.engine.experiment.running import ExperimentRuns
    from workbench.engine.influence.running import InfluenceRuns
    from workbench.engine.program.jobs import Jobs
    from workbench.engine.summaries import Summarising


# A title written by the chat's own model: a small request of its own, which is no turn and is kept nowhere.


SYSTEM = (
    "You name chats. Answer with a title for the chat below and with "
    "nothing else: at most eight words, in the language of the chat, no "
    "quotation marks, no full stop."
)
ANSWER_TOKENS = 300
"""More than a title needs: some models think before they write one."""
EXCERPT_CHARS = 1_500


async def title_request(chat: str, world: World) -> BuiltSmallRequest:
    """The request that would ask a model for a title."""
    kept = await world.store.chat(chat)
    words = _excerpt(await world.store.path(chat))
    if not words:
        raise WorkbenchError(tr("There is nothing in this chat yet that could be named."))
    aside = SmallRequest(tr("title of {chat}", chat=chat), kept.settings.model, SYSTEM, words, ANSWER_TOKENS)
    return await build_small_request(aside, world)


async def ask_for_title(request: BuiltSmallRequest, world: World) -> str:
    """Ask the model for a title; `WorkbenchError` says why there is none."""
    try:
        said = await ask_small_request(request, world)
    except WorkbenchError as problem:
        raise WorkbenchError(
            tr("No title was written; the chat keeps its own. {problem}", problem=problem)
        ) from problem
    title = title_from(said).strip(" \"'“”„«».")
    if not title:
        raise WorkbenchError(
            tr("No title was written; the chat keeps its own. The model answered without words.")
        )
    return title


def _excerpt(path: Sequence[Record]) -> str:
    """The first question and the last messages of a chat, as input for its title."""
    said = [record.entry for record in path if isinstance(record.entry, Message)]
    asked = [one for one in said if one.role == "user" and one.text.strip()]
    answered = [one for one in said if one.role == "assistant" and one.text.strip()]
    chosen = (*asked[:1], *answered[:1], *asked[1:][-1:])
    return "\n\n".join(f"{one.role}: {one.text[:EXCERPT_CHARS]}" for one in chosen)


# What a person gives to be kept and is never shown: a provider's key, and whose it is.


_LONGEST_KEY = 8 * 1024


def key_origin(named: str, origin_of: Callable[[str], str], addresses: Mapping[str, str]) -> str:
    """Origin that a key is stored for: a provider's by name, or any server's by address.

    `addresses` are the gateways that are asked instead of providers: theirs is the key then.
    """
    address = {**{one.name: one.url for one in HOSTED}, **addresses}.get(named.lower(), named)
    if "://" not in address:
        # Not repeated: it might be the key, given in the wrong place.
        raise InvalidInput(
            "ORIGIN",
            tr("write {keyed}, or the server's address, such as https://host/v1", keyed=", ".join(KEYED)),
        )
    return origin_of(address)


def usable_key(text: str | None, where: str) -> Secret:
    """Validate a key for use in a request header; errors do not reveal it."""
    key = (text or "").strip()
    if not key:
        raise UnusableSecret(
            tr("{where} is empty.", where=where), tr("Give the key as the provider shows it.")
        )
    if len(key) > _LONGEST_KEY or not (key.isascii() and key.isprintable() and " " not in key):
        raise UnusableSecret(
            tr("{where} holds characters that no key has, or is far too long.", where=where),
            tr("Give the key as the provider shows it."),
        )
    return Secret.of_text(key)


MOST_RECENT = 5

# Finding words in all chats while they are typed: what was asked last is what is shown.


class Searching:
    """Runs searches one at a time; of those that wait, only the newest."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._store, self._states = world.store, states
        self._searches = Latest(world.tasks, self._find)

    async def search(self, query: str) -> None:
        """Search and show the hits, unless a newer search came; an empty query clears them."""
        if query.strip():
            searching = Found(query, searching=True)
            self._states.emit(ProgramShown({"found": searching}))
            await self._searches.run(searching)
        else:
            self._searches.cancel()
            self._states.emit(ProgramShown({"found": None}))

    async def _find(self, asked: Found) -> None:
        found = Found(asked.query)
        try:
            found = Found(asked.query, await self._store.search(asked.query))
        finally:
            if self._searches.is_wanted(asked):
                self._states.emit(ProgramShown({"found": found}))


# Models, asked for beside any chat: which there are, and getting one ready before it is needed.

_BROKEN = tr("The program failed. Choose the model again; with WORKBENCH_LOG=FILE it writes down why.")


class ModelActions:
    """Lists models and gets them ready."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._world, self._states = world, states
        self._readying: set[str] = set()
        self._newest_look: object = None

    async def list_models(self) -> None:
        """List the models that can be used now; of concurrent listings only the last is shown."""
        # They go on beside one another: a server that takes its time must not hold up a newer look.
        look = self._newest_look = object()
        found = await self._world.models.available()
        if look is self._newest_look:
            self._states.emit(ProgramShown({"models": found}))

    def list_soon(self) -> None:
        """List the models in the background, and forget their readiness: a key or an address has changed.

        What is known of models that were got ready may hold no longer: a key or an address is another now.
        """
        self._world.tasks.spawn("list the models", self.list_models())
        for name, known in tuple(self._states.state.readiness.items()):
            if name != "builtin" and (known.ready or known.problem):
                self.warm(name)

    def warm(self, name: str) -> None:
        """Start getting a model ready in the background; no effect if that is under way."""
        if name not in self._readying:
            self._readying.add(name)
            self._states.emit(ModelReadied(name, Readiness(False)))
            self._world.tasks.spawn(f"get {name} ready", self._ready(name))

    async def _ready(self, name: str) -> None:
        clock = self._world.builder.clock
        began_ms = clock.monotonic_ms()
        end = Readiness(False, problem=_BROKEN)
        try:
            await self._world.models.open(name).ready(lambda what, part: self._tell(name, what, part))
            end = Readiness(True, took_ms=clock.monotonic_ms() - began_ms)
        except (ModelFailed, WorkbenchError) as problem:
            end = Readiness(False, problem=str(problem))
        except asyncio.CancelledError:
            end = Readiness(False)
            raise
        finally:
            self._readying.discard(name)
            self._states.emit(ModelReadied(name, end))

    def _tell(self, name: str, what: str, fraction: float | None) -> None:
        now = Readiness(False, what, fraction)
        # Whatever a model tells after its end is about a process that is gone.
        if name in self._readying and self._states.state.readiness.get(name) != now:
            self._states.emit(ModelReadied(name, now))


class ProgramActions:
    """Does what is wanted and says what came of it; getting a model ready is only begun here.

    Jobs, summaries, influence and experiments are loaded when one is wanted: who asks a question waits for none of it.
    """

    def __init__(self, world: World, states: StateStore) -> None:
        self._world, self._states = world, states
        self._searching = Searching(world, states)
        self._models = ModelActions(world, states)
        self._saving = asyncio.Lock()
        self._preferences_read = False

    @cached_property
    def jobs(self) -> Jobs:
        from workbench.engine.program.jobs import Jobs

        return Jobs(self._world, self._states)

    @cached_property
    def summaries(self) -> Summarising:
        from workbench.engine.summaries import Summarising

        return Summarising(self._world, self._states)

    @cached_property
    def influence(self) -> InfluenceRuns:
        from workbench.engine.influence.running import InfluenceRuns

        return InfluenceRuns(self._world, self._states)

    @cached_property
    def experiments(self) -> ExperimentRuns:
        from workbench.engine.experiment.running import ExperimentRuns

        return ExperimentRuns(self._world, self._states)

    async def begin(self) -> None:
        """Emit what there is at start: chats, presets, keys, preferences; one failure does not stop the others."""
        for listing in (self._list_chats, self._list_presets, self._list_keys, self._load_preferences):
            try:
                await listing()
            except WorkbenchError as problem:
                self._states.emit(NoticeGiven(None, str(problem)))

    async def adopt(self, archive: ChatArchive) -> str:
        """Import one chat and list it; return its id, which is new if its own is taken."""
        from workbench.engine.exchange.imported import Imported
        from workbench.engine.program.adopting import Adoption

        adoption = Adoption(self._world.store, self._world.new_id, lambda wanted, when_utc: "")
        await adoption.take(archive, Imported((archive,)))
        if not adoption.adopted:
            raise NotKept(" ".join(adoption.problems))
        await self._list_chats()
        return adoption.adopted[0].id

    async def do(
        self,
        intent: SearchHistory | ListModels | WarmModel | ChangePreferences | ReadPreferences | KeepProviderKey
        | ForkChat | OfferTitle | WriteTitle | PresetIntent,
    ) -> None:  # fmt: skip
        match intent:
            case SearchHistory(query):
                await self._searching.search(query)
            case ListModels():
                await self._models.list_models()
            case WarmModel(name):
                self._models.warm(name)
            case ChangePreferences():
                await self._change_preferences(intent)
            case ReadPreferences():
                await self._load_preferences()
                self._models.list_soon()
            case KeepProviderKey(origin, key):
                await self._keep_key(origin, key)
            case ForkChat():
                await self._fork(intent)
            case OfferTitle(chat) | WriteTitle(chat):
                titling = self._title(chat, write=isinstance(intent, WriteTitle))
                self._world.tasks.spawn(f"title of {chat}", titling)
            case _:
                await self._change_presets(intent)

    async def _fork(self, intent: ForkChat) -> None:
        from workbench.engine.program.forking import fork_chat

        await fork_chat(self._world.store, intent.chat, intent.message, intent.fork)
        await self._list_chats()

    async def _title(self, chat: str, *, write: bool) -> None:
        """Show the price of a title, or have it written; failures are shown."""
        moved = WrittenTitle(chat, "failed", problem=_BROKEN)
        try:
            request = await title_request(chat, self._world)
            moved = WrittenTitle(chat, "offered", request.model, request.tokens, request.cost_usd)
            if write:
                self._states.emit(ProgramShown({"title": replace(moved, stage="writing")}))
                moved = replace(moved, stage="written", text=await ask_for_title(request, self._world))
        except WorkbenchError as problem:
            moved = WrittenTitle(chat, "failed", problem=str(problem))
        finally:
            self._states.emit(ProgramShown({"title": moved}))

    async def used(self, model: str) -> None:
        """Record a model as the one used last; no effect if preferences were never read."""
        if not self._preferences_read:
            return
        async with self._saving:
            preferences = self._states.state.preferences
            recent = (model, *(one for one in preferences.recent_models if one != model))[:MOST_RECENT]
            if recent == preferences.recent_models:
                return
            try:
                await self._store_preferences(replace(preferences, recent_models=recent), only_used=True)
            except WorkbenchError as problem:
                self._states.emit(NoticeGiven(None, str(problem)))

    async def _change_presets(self, intent: PresetIntent) -> None:
        from workbench.engine.program.presets import (
            export_presets,
            import_presets,
            rename_preset,
            save_preset,
        )

        store = self._world.store
        match intent:
            case SavePreset(name, settings):
                await save_preset(name, settings, store)
            case RenamePreset(name, to):
                renamed = await rename_preset(name, to, store)
                preferences = self._states.state.preferences
                if preferences.persona == name != renamed:
                    await self._change_preferences(
                        ChangePreferences(replace(preferences, persona=renamed), preferences)
                    )
            case ExportPresets(names, path):
                written = await export_presets(names, path, store, self._files())
                self._states.emit(NoticeGiven(None, tr("Presets are written to {written}.", written=written)))
            case ImportPresets(path):
                kept = await import_presets(path, store, self._files())
                listed = ", ".join(f"“{name}”" for name in kept.values()) or "none"
                self._states.emit(NoticeGiven(None, tr("Presets taken over: {listed}.", listed=listed)))
        await self._list_presets()

    def _files(self) -> ExchangeFiles:
        if self._world.exchange is None:
            raise WorkbenchError(tr("There is no place for files here. Nothing was done."))
        return self._world.exchange

    async def _list_chats(self) -> None:
        self._states.emit(ProgramShown({"chats": await self._world.store.chats()}))

    async def _list_presets(self) -> None:
        self._states.emit(ProgramShown({"presets": await self._world.store.presets()}))

    async def _list_keys(self) -> None:
        if self._world.keys is not None:
            # Secrets of tool servers lie beside them, and are shown with their servers.
            origins = (one for one in await self._world.keys.origins() if "://" in one)
            self._states.emit(ProgramShown({"key_origins": tuple(origins)}))

    async def _load_preferences(self) -> None:
        kept = self._world.preferences
        if kept is None:
            return
        async with self._saving:
            loaded = await asyncio.to_thread(kept.load)
            self._preferences_read = True
            self._apply_preferences(loaded)
            self._states.emit(ProgramShown({"sending_off": blocking(kept.problems)}))
        for problem in kept.problems:
            if not problem.blocks:
                self._states.emit(NoticeGiven(None, str(problem)))

    async def _change_preferences(self, intent: ChangePreferences) -> None:
        """Store preferences, then apply them; one change at a time so that none is lost."""
        async with self._saving:
            before = self._states.state.preferences
            preferences = intent.of(before)
            await self._store_preferences(preferences)
        if before.reached != preferences.reached:
            self._models.list_soon()

    async def _store_preferences(self, preferences: Preferences, only_used: bool = False) -> None:
        if self._world.preferences is not None:
            await asyncio.to_thread(self._world.preferences.save, preferences)
        self._apply_preferences(preferences, only_used)

    def _apply_preferences(self, preferences: Preferences, only_used: bool = False) -> None:
        limits = self._world.limits
        limits.timeouts, limits.tool_rounds = preferences.timeouts, preferences.max_tool_rounds
        limits.check_facts = preferences.check_facts
        self._world.prefer(preferences)
        self._states.emit(PreferencesChanged(preferences, only_used))

    async def _keep_key(self, named: str, key: Secret | None) -> None:
        keys = self._world.keys
        if keys is None:
            raise WorkbenchError(tr("There is no place for keys here. Nothing was kept."))
        off = self._states.state.sending_off
        if off is not None and "://" not in named:
            # A provider's name means the gateway that is set for it: its key must not be kept for another place.
            raise SavingOff(off)
        addresses = self._states.state.preferences.addresses
        origin = key_origin(named, self._world.origin_of, addresses)
        given = None if key is None else usable_key(key.reveal_text(), tr("The key"))
        try:
            await keys.keep(origin, given)
        finally:
            # An old key that could not be removed everywhere is an error, and no longer listed.
            await self._list_keys()
            self._models.list_soon()
