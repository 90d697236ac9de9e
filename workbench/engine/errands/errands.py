"""What a person wants that is about no single chat: search, models, preferences, keys, presets, export and import."""

from __future__ import annotations

import asyncio
from typing import assert_never

from workbench.domain.app_preferences import Preferences
from workbench.domain.errors import NotKept, WorkbenchError
from workbench.domain.record import ChatArchive
from workbench.domain.secret import Secret
from workbench.engine.errand_intents import (
    CancelJob,
    ChangePreferences,
    Errand,
    ExportChats,
    ImportChats,
    KeepProviderKey,
    ListModels,
    SavePreset,
    SearchHistory,
    WarmModel,
)
from workbench.engine.errands.adopting import Adoption
from workbench.engine.errands.jobs import Jobs
from workbench.engine.errands.model_errands import ModelErrands
from workbench.engine.errands.presets import as_preset, preset_name
from workbench.engine.errands.provider_keys import key_origin, usable_key
from workbench.engine.errands.searching import Searching
from workbench.engine.events import (
    ChatsListed,
    NoticeGiven,
    PreferencesChanged,
    PresetsListed,
    ProviderKeysListed,
)
from workbench.engine.exchange.imported import Imported
from workbench.engine.store import StateStore
from workbench.engine.world import World


class Errands:
    """Does errands and says what came of them; getting a model ready and jobs are only begun here."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._world, self._states = world, states
        self._searching = Searching(world.store, states)
        self._models = ModelErrands(world, states)
        self._jobs = Jobs(world, states)
        self._saving = asyncio.Lock()

    async def begin(self) -> None:
        """Say what there is when the program starts: chats, presets, keys, preferences; each, whatever another says."""
        for listing in (self._list_chats, self._list_presets, self._list_keys, self._load_preferences):
            try:
                await listing()
            except WorkbenchError as problem:
                self._states.emit(NoticeGiven(None, str(problem)))

    async def adopt(self, archive: ChatArchive) -> str:
        """Take over one chat and list it; the id it is kept under, its own unless that is taken."""
        adoption = Adoption(self._world.store, self._world.new_id, lambda wanted, when_utc: "")
        await adoption.take(archive, Imported((archive,)))
        if not adoption.adopted:
            raise NotKept(" ".join(adoption.problems))
        await self._list_chats()
        return adoption.adopted[0].id

    async def do(self, intent: Errand) -> None:
        """Do one errand."""
        match intent:
            case SearchHistory(query):
                await self._searching.search(query)
            case ListModels():
                await self._models.list_models()
            case WarmModel(name):
                self._models.warm(name)
            case ChangePreferences(preferences):
                await self._change_preferences(preferences)
            case KeepProviderKey(origin, key):
                await self._keep_key(origin, key)
            case SavePreset(name, settings):
                kept = None if settings is None else as_preset(settings)
                await self._world.store.save_preset(name if kept is None else preset_name(name), kept)
                await self._list_presets()
            case ExportChats() | ImportChats():
                self._jobs.begin(intent)
            case CancelJob(job):
                self._jobs.cancel(job)
            case _:
                assert_never(intent)

    async def _list_chats(self) -> None:
        self._states.emit(ChatsListed(await self._world.store.chats()))

    async def _list_presets(self) -> None:
        self._states.emit(PresetsListed(await self._world.store.presets()))

    async def _list_keys(self) -> None:
        if self._world.keys is not None:
            self._states.emit(ProviderKeysListed(await self._world.keys.origins()))

    async def _load_preferences(self) -> None:
        kept = self._world.preferences
        if kept is None:
            return
        loaded = await asyncio.to_thread(kept.load)
        for problem in kept.problems:
            self._states.emit(NoticeGiven(None, problem))
        self._states.emit(PreferencesChanged(loaded))

    async def _change_preferences(self, preferences: Preferences) -> None:
        """Keep them, then let them hold; one change after the other, so that the last one stays."""
        async with self._saving:
            if self._world.preferences is not None:
                await asyncio.to_thread(self._world.preferences.save, preferences)
            limits = self._world.limits
            limits.timeouts, limits.tool_rounds = preferences.timeouts, preferences.max_tool_rounds
            self._world.prefer(preferences)
            self._states.emit(PreferencesChanged(preferences))

    async def _keep_key(self, named: str, key: Secret | None) -> None:
        keys = self._world.keys
        if keys is None:
            raise WorkbenchError("There is no place for keys here. Nothing was kept.")
        origin = key_origin(named, self._world.origin_of)
        given = None if key is None else usable_key(key.reveal_text(), "The key")
        try:
            await keys.keep(origin, given)
        finally:
            # An old key that could not be removed everywhere is an error, and no longer listed.
            await self._list_keys()
