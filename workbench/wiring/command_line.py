"""Makes the adapters that commands use; whatever is slow to load is loaded when it is needed."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.services import Services, WatchParts, WorldOptions
from workbench.domain.errors import WorkbenchError
from workbench.sources.resources import shipped_guide
from workbench.wiring.folder import (
    ProgramFolder,
    elara,
    has_keys,
    history,
    home,
    keyring_problem,
    keys,
    list_chats,
    new_id,
    provider_keys,
    scratch,
    utc_now,
    workspace_store,
)

if TYPE_CHECKING:
    from workbench.domain.about import About, Integrated
    from workbench.domain.model import ModelLearnt
    from workbench.domain.record import ChatArchive
    from workbench.domain.settings.context_settings import ContextSettings
    from workbench.domain.shown.sessions_view import SessionLine
    from workbench.domain.watch.switch import SessionKind
    from workbench.engine.assembly.prepare import Builder
    from workbench.engine.metering import Spending
    from workbench.engine.watch.importing import ImportedSession
    from workbench.engine.world import World
    from workbench.ports.exchange_files import ExchangeFiles
    from workbench.ports.history import HistoryStore
    from workbench.ports.models import Models
    from workbench.ports.preferences import PreferencesStore
    from workbench.ports.watching import SessionFiles
    from workbench.wiring.building import FolderCatalogue


_MOST_SESSIONS = 1000


def command_parts(arguments: Namespace) -> Services:
    """Makes the adapters that commands use."""
    place = ProgramFolder(arguments)
    engine = _Engine(place, arguments)
    return Services(
        make_builder=lambda: engine.builder,
        keys=lambda: keys(_warn_about_settings(place, arguments)),
        history=lambda: history(_warn_about_settings(place, arguments)),
        listed=lambda: list_chats(_warn_about_settings(place, arguments)),
        scratch=scratch,
        elara=elara,
        utc_now=utc_now,
        new_id=new_id,
        world=engine.world,
        models=engine.models,
        learnt=lambda: _learnt(arguments),
        new_chat_settings=engine.new_chat_settings,
        new_chat_preset=lambda: place.preferences().persona,
        check_catalogue=engine.check_catalogue,
        preferences=lambda: _preferences(place),
        preferences_problems=place.problems,
        check_sending=place.check_sending,
        surroundings=lambda: _surroundings(place, arguments),
        provider_keys=provider_keys,
        workspaces=workspace_store,
        spending=engine.spending,
        origin_of=_origin_of,
        addresses=lambda: place.preferences().addresses,
        environment=os.environ.get,
        exchange=_exchange,
        install_model=engine.install_model,
        sample=engine.sample,
        picture=_picture,
        network=place.network,
        guide=shipped_guide,
        about=_about,
        integrate=_integrate,
        watch=engine.watch,
        sessions=engine.sessions,
        session_lines=engine.session_lines,
        session_files=engine.session_files,
    )


def _preferences(place: ProgramFolder) -> PreferencesStore:
    from workbench.wiring.holding import FolderPreferences  # a fifth of what a list of chats takes

    return FolderPreferences(place)


def _warn_about_settings(place: ProgramFolder, arguments: Namespace) -> Namespace:
    """Returns the arguments, after a message about settings that cannot be read; reading goes on all the same."""
    place.warn_if_not_toml()
    return arguments


async def _learnt(arguments: Namespace) -> Mapping[str, ModelLearnt]:
    """Returns what turns have taught about models, if the history opens without asking for a secret; else nothing."""
    from workbench.engine.learning import read_learnt

    try:
        store = await history(arguments, asking=False).open(writable=False) if has_keys(arguments) else None
    except WorkbenchError:
        return {}
    if store is None:
        return {}
    try:
        return await read_learnt(store)
    finally:
        await store.close()


class _Engine:
    """The engine's parts, loaded when one of them is needed: most commands need none."""

    def __init__(self, place: ProgramFolder, arguments: Namespace) -> None:
        self._place, self._arguments = place, arguments

    @cached_property
    def catalogue(self) -> FolderCatalogue:
        """The known models."""
        from workbench.wiring.building import make_catalogue

        return make_catalogue(self._place)

    def check_catalogue(self) -> None:
        self.catalogue.check()

    @cached_property
    def builder(self) -> Builder:
        """The builder of requests."""
        from workbench.wiring.building import make_builder

        return make_builder(self.catalogue, few_texts=True)

    def world(self, store: HistoryStore, wishes: WorldOptions) -> World:
        from workbench.wiring.engine import make_world

        return make_world(self.builder, self._place, store, wishes)

    def spending(self, store: HistoryStore) -> Spending:
        from workbench.wiring.engine import make_spending

        return make_spending(self.catalogue, self._place, store)

    def watch(self, to: str) -> WatchParts:
        from workbench.wiring.watch import watch_parts

        return watch_parts(self._place, to)

    def sessions(self, kind: SessionKind, folder: str, only: str) -> Iterator[ImportedSession]:
        from workbench.wiring.watch import sessions_on_disk

        return sessions_on_disk(self._place, kind, folder, only)

    def session_lines(self) -> tuple[SessionLine, ...]:
        from workbench.wiring.sessions import HomeSessions

        return HomeSessions(self._place).listed(_MOST_SESSIONS)[0]

    def session_files(self, folder: str) -> SessionFiles:
        from workbench.wiring.sessions import FolderSessions

        return FolderSessions(folder)

    def sample(self, answer_tokens: int) -> ChatArchive:
        from workbench.wiring.sample import sample_chat

        return sample_chat(self.builder, self.new_chat_settings(False), answer_tokens)

    def models(self) -> Models:
        from workbench.wiring.building import UnaskedKeys
        from workbench.wiring.engine import make_models

        return make_models(self.builder, self._place, UnaskedKeys(self._arguments))

    def new_chat_settings(self, tools: bool) -> ContextSettings:
        from workbench.wiring.engine import new_chat_settings

        return new_chat_settings(self._place, tools)

    def install_model(self, told: Callable[[str], None]) -> Awaitable[str]:
        from workbench.wiring.engine import install_model

        return install_model(self._place, told)


def _surroundings(place: ProgramFolder, arguments: Namespace) -> tuple[tuple[str, str, str], ...]:
    from workbench.cli.surroundings import open_to_others, surroundings
    from workbench.storage.folder import DataFolder

    folder = DataFolder(place.folder)
    given = getattr(arguments, "key_file", None)
    kept = (folder.keys, folder.kept_keys, folder.store, place.folder / "settings.toml")
    closed = open_to_others((*((Path(given),) if given else ()), *kept))
    return (*surroundings(os.environ.get, keyring_problem), *closed)


def _about() -> About:
    from workbench.wiring.about import about

    return about()


def _integrate(into: str | None, undo: bool) -> Integrated:
    from workbench.sources.desktop import integrate, program_command, remove_integration

    folder = Path(into).expanduser().absolute() if into else home() / ".local" / "share"
    return remove_integration(folder) if undo else integrate(folder, program_command())


def _exchange() -> ExchangeFiles:
    from workbench.sources.exchange_files import FolderExchange

    return FolderExchange()


def _picture(path: str) -> None:
    from workbench.wiring.scenes import picture

    picture(path, ("main", 1600, 1000, 1.0, None, ""))


def _origin_of(address: str) -> str:
    from workbench.providers.wire.endpoint import check_base_url, origin

    return origin(check_base_url(address, lambda _: True))
