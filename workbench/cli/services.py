"""The adapters that commands use, created by wiring."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # values only: a command loads what it works with when it asks for it
    from workbench.domain.about import About, Integrated
    from workbench.domain.chat_line import ChatLine
    from workbench.domain.connection import NetworkSeen
    from workbench.domain.guide import GuideText
    from workbench.domain.model import ModelCard, ModelLearnt
    from workbench.domain.record import ChatArchive
    from workbench.domain.secrets import Secret
    from workbench.domain.settings.app_preferences import SettingsProblem
    from workbench.domain.settings.context_settings import ContextSettings
    from workbench.domain.shown.sessions_view import SessionLine
    from workbench.domain.watch.request import WatchedRequest
    from workbench.domain.watch.routes import Routes
    from workbench.domain.watch.switch import SessionKind
    from workbench.engine.assembly.prepare import Builder
    from workbench.engine.metering import Spending
    from workbench.engine.watch.importing import ImportedSession
    from workbench.engine.watch.stored_requests import Remember
    from workbench.engine.watch.watcher import Understand
    from workbench.engine.world import World
    from workbench.net.watch.proxy import WatchProxy
    from workbench.ports.exchange_files import ExchangeFiles
    from workbench.ports.folder import HistoryAccess, Scratch, SealedFiles
    from workbench.ports.history import HistoryStore
    from workbench.ports.keys import KeyKeeper, ProviderKeys
    from workbench.ports.models import Models
    from workbench.ports.preferences import PreferencesStore
    from workbench.ports.watching import CopiedRequest, SessionFiles
    from workbench.ports.workspaces import WorkspaceStore


@dataclass(frozen=True, slots=True)
class WorldOptions:
    """Options for the engine that a command starts.

    Attributes:
        workspace: the folder for tools; model: the one that will be asked.
        key_env: the environment variable with that model's key, which no other model gets.
        waits: timeouts by name, in place of those in the preferences.
    """

    workspace: str | None = None
    model: str = ""
    key_env: str | None = None
    waits: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WatchParts:
    """The parts of a watch.

    Attributes:
        routes: which server each request goes to.
        proxy: makes the proxy that passes requests on; it calls back for each of them.
        environment: the environment of the watched command, without our own variables.
        understand: reads a request with its answer; begin: reads the request before it is answered; remember: restores
            the last request of a conversation that was watched before.
        card: the model that a request asks.
    """

    routes: Routes
    proxy: Callable[[Callable[[CopiedRequest], None]], WatchProxy]
    environment: Mapping[str, str]
    understand: Understand
    begin: Understand = lambda _exchange: None
    remember: Remember = lambda _turn, _exchange: None
    card: Callable[[WatchedRequest], ModelCard] | None = None


@dataclass(frozen=True, slots=True)
class Services:
    """The adapters a command may need.

    Attributes:
        make_builder, keys, history, scratch, elara, models, world: made when called, because most commands need no
            cryptography and no provider, and both take a while to load.
        listed: all chats as a list shows them, read without the rest of the history.
        learnt: what turns have taught about their models, where the history opens without asking; else nothing.
        utc_now: the time of day as it is written down.
        new_id: a new id for a chat or a message, random.
        new_chat_settings: how a new chat is set, with or without tools.
        new_chat_preset: the name of the preset that a new chat starts with; empty where none was chosen.
        check_catalogue: raises `InvalidInput` where the user's own model catalogue cannot be used; the builder goes by
            the shipped one alone then.
        preferences: where the settings of the program are kept.
        preferences_problems: what is wrong with the settings file. check_sending: raises `SendingOff` where nothing may
            be sent because of that; a command that sends asks before it opens anything.
        surroundings: display, Qt and keyring as (name, what was found, advice where something is missing).
        provider_keys: the keys of providers that an open history knows of. workspaces: those it keeps. spending: what
            its requests cost, with the caps on that.
        origin_of: whose key a server's address needs; `InvalidInput` where the address cannot be used.
        addresses: where providers are asked instead of at their own addresses, by their names.
        environment: an environment variable that was asked for by name.
        exchange: the files that chats are exported to and imported from.
        install_model: fetch the built-in model, telling how far it is; where it lies then.
        sample: the sample chat, its answers at most so long. picture: a picture of the window, into a file.
        network: how this run connects, and what it has connected to.
        guide: the pages of the guide. about: what the program is, and its parts.
        integrate: put the program into a desktop's menu below a folder, or take it out; None for the usual folder.
        watch: what a watch works with, for what was asked by `--to`.
        sessions: those that a program left in a folder, or one of them; without one, where it usually leaves them.
        session_lines: all that there are where programs usually leave them, the newest first.
        session_files: what finds and writes single sessions, in a folder or where programs usually leave them.
    """

    make_builder: Callable[[], Builder]
    keys: Callable[[], KeyKeeper]
    history: Callable[[], HistoryAccess]
    listed: Callable[[], tuple[ChatLine, ...]]
    scratch: Callable[[], Scratch]
    elara: Callable[[Secret], SealedFiles]
    utc_now: Callable[[], str]
    new_id: Callable[[], str]
    world: Callable[[HistoryStore, WorldOptions], World]
    models: Callable[[], Models]
    learnt: Callable[[], Awaitable[Mapping[str, ModelLearnt]]]
    new_chat_settings: Callable[[bool], ContextSettings]
    new_chat_preset: Callable[[], str]
    check_catalogue: Callable[[], None]
    preferences: Callable[[], PreferencesStore]
    preferences_problems: Callable[[], tuple[SettingsProblem, ...]]
    check_sending: Callable[[], None]
    surroundings: Callable[[], tuple[tuple[str, str, str], ...]]
    provider_keys: Callable[[HistoryStore], ProviderKeys]
    workspaces: Callable[[HistoryStore], WorkspaceStore]
    spending: Callable[[HistoryStore], Spending]
    origin_of: Callable[[str], str]
    addresses: Callable[[], Mapping[str, str]]
    environment: Callable[[str], str | None]
    exchange: Callable[[], ExchangeFiles]
    install_model: Callable[[Callable[[str], None]], Awaitable[str]]
    sample: Callable[[int], ChatArchive]
    picture: Callable[[str], None]
    network: Callable[[], NetworkSeen]
    guide: Callable[[], tuple[GuideText, ...]]
    about: Callable[[], About]
    integrate: Callable[[str | None, bool], Integrated]
    watch: Callable[[str], WatchParts]
    sessions: Callable[[SessionKind, str, str], Iterator[ImportedSession]]
    session_lines: Callable[[], tuple[SessionLine, ...]]
    session_files: Callable[[str], SessionFiles]

    @property
    def builder(self) -> Builder:
        """The builder of requests; the whole command uses the same one."""
        return self.make_builder()
