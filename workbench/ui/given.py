"""What the window is given at the start: functions that open the store, make the engine and find files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from workbench.domain.about import NOTHING_KNOWN, About
from workbench.domain.connection import NetworkSeen
from workbench.domain.guide import GuideText
from workbench.domain.record import ChatArchive
from workbench.domain.secrets import Secret
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.tool import ToolDefinition
from workbench.engine.world import World
from workbench.ports.history import HistoryStore
from workbench.ports.keys import KeyKeeper
from workbench.ports.spelling import Speller
from workbench.ports.tracing import Trace

Report = Callable[[str, BaseException], None]


@dataclass(frozen=True, slots=True)
class Choice:
    """How to protect a new store: by a passphrase, by the system's keyring, or by both."""

    passphrase: Secret | None
    keyring: bool


@dataclass(frozen=True, slots=True)
class Toolroom:
    """The folder in which tools work, as it is shown, and all available tools."""

    folder: str
    tools: tuple[ToolDefinition, ...] = ()


@dataclass(frozen=True, slots=True)
class Given:
    """The window's dependencies, handed in once; what takes a while is made when it is called.

    Attributes:
        place: the data folder, as it is shown.
        throwaway: whether everything is lost at the end, as long as no store was created.
        load: import slow modules, in a thread, after the window was painted; load_more: others, once a chat is shown.
        store_exists: whether there is anything to unlock. keyring_problem: why the keyring can't be used; else empty.
        secret_given: whether a key file or a passphrase was given at start; a new store is made with that alone.
        create: create the store, with the chats of a trial if there was one; returns the recovery code.
        look: open a temporary store for a trial, lost unless `create` is called; None if there is none.
        open: open the store with what the user typed, or with None by the keyring and what was given at start;
            raises `WrongSecret` or `StoreLocked` if that does not unlock it.
        world: the engine's parts over an open store; background errors go to the report.
        new_chat_settings: settings of a new chat, with or without tools; toolroom: the tools and their folder.
        sample: a chat that shows what the program is for.
        redact: removes known secrets from a text.
        network: how this run connects, and to whom it has connected.
        guide: its pages; guide_picture: the bytes of a picture that one of them names.
        about: name, version and components of the program.
        speller: opens the dictionaries of these languages, in a thread.
        trace: records how long each step takes, for profiling.
    """

    place: str
    version: str
    throwaway: Callable[[], bool]
    load: Callable[[], None]
    store_exists: Callable[[], bool]
    keyring_problem: Callable[[], str]
    create: Callable[[Choice], Awaitable[Secret]]
    open: Callable[[Secret | None], Awaitable[HistoryStore]]
    world: Callable[[HistoryStore, Report], World]
    keys: Callable[[], KeyKeeper]
    new_chat_settings: Callable[[bool], ContextSettings]
    toolroom: Callable[[], Toolroom]
    sample: Callable[[], ChatArchive]
    redact: Callable[[str], str]
    new_id: Callable[[], str]
    utc_now: Callable[[], str]
    load_more: Callable[[], None] = lambda: None
    secret_given: Callable[[], bool] = lambda: False
    trace: Trace | None = None
    network: Callable[[], NetworkSeen] = NetworkSeen
    guide: Callable[[], tuple[GuideText, ...]] = tuple
    guide_picture: Callable[[str], bytes] = lambda _name: b""
    about: Callable[[], About] = lambda: NOTHING_KNOWN
    look: Callable[[], Awaitable[HistoryStore]] | None = None
    speller: Callable[[tuple[str, ...]], Speller] | None = None
