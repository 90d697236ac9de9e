"""What the window is given: how to open the store, make the engine and find its own files."""

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
from workbench.ports.tracing import Trace

Report = Callable[[str, BaseException], None]


@dataclass(frozen=True, slots=True)
class Choice:
    """How a new store is to be protected: by a passphrase, by the system's keyring, or by both."""

    passphrase: Secret | None
    keyring: bool


@dataclass(frozen=True, slots=True)
class Toolroom:
    """The folder that tools work in, as it is shown, and all tools that there are."""

    folder: str
    tools: tuple[ToolDefinition, ...] = ()


@dataclass(frozen=True, slots=True)
class Given:
    """Everything concrete, handed in once; what takes a while is made when it is called.

    Attributes:
        place: the data folder, as it is shown.
        throwaway: whether all of it is gone afterwards, until it is created.
        load: import what takes a while, in a thread, while the window is painted already.
        store_exists: whether there is anything to unlock. keyring_problem: why the keyring is of no use; else empty.
        create: make the store, of what was only looked at where there is something; gives the recovery code.
        look: a store that is gone afterwards unless it is created; None where there is no other.
        open: the store, with what a person typed, or None to try the keyring and what was given beforehand;
            `WrongSecret` and `StoreLocked` where that opens nothing.
        world: the engine's parts over an open store; background errors go to the report.
        new_chat_settings: how a new chat is set, with or without tools; toolroom: which tools there are, and where.
        sample: a chat that shows what the program is for.
        redact: takes known secrets out of a text.
        network: how this run connects, and what it has connected to.
        guide: its pages; guide_picture: the bytes of a picture that one of them names.
        about: what the program is, and its parts.
        trace: takes note of how long each step takes, for who looks for what is slow.
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
    trace: Trace | None = None
    network: Callable[[], NetworkSeen] = NetworkSeen
    guide: Callable[[], tuple[GuideText, ...]] = tuple
    guide_picture: Callable[[str], bytes] = lambda _name: b""
    about: Callable[[], About] = lambda: NOTHING_KNOWN
    look: Callable[[], Awaitable[HistoryStore]] | None = None
