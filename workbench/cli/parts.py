"""What a command works with, filled in by wiring."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.domain.preferences import ContextSettings
from workbench.domain.request import Timeouts
from workbench.domain.secret import Secret
from workbench.engine.prepare import Builder
from workbench.ports.folder import HistoryAccess, Scratch, SealedFiles
from workbench.ports.history import HistoryStore
from workbench.ports.keys import KeyKeeper, ProviderKeys
from workbench.ports.models import Models

if TYPE_CHECKING:  # the engine's tasks load what `--help` does not need
    from workbench.engine.world import World


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a call asks of the engine: the folder for tools, whose key to use, how long to wait."""

    workspace: str | None = None
    key_env: str | None = None
    timeouts: Timeouts = field(default_factory=Timeouts)


@dataclass(frozen=True, slots=True)
class Parts:
    """The adapters a command may need.

    Attributes:
        keys, history, scratch, elara, models, world: made when called, because most commands need no cryptography and
            no provider, and both take a while to load.
        utc_now: the time of day as it is written down.
        new_id: a new id for a chat or a message, random.
        new_chat_settings: how a new chat is set, with or without tools.
        preferences_problems: what is wrong with the settings file.
        surroundings: display, Qt and keyring as (name, what was found, advice where something is missing).
        provider_keys: the keys of providers that an open history knows of.
        origin_of: whose key a server's address needs; `InvalidInput` where the address cannot be used.
        environment: an environment variable that was asked for by name.
        install_model: fetch the built-in model, telling how far it is; where it lies then.
    """

    builder: Builder
    keys: Callable[[], KeyKeeper]
    history: Callable[[], HistoryAccess]
    scratch: Callable[[], Scratch]
    elara: Callable[[Secret], SealedFiles]
    utc_now: Callable[[], str]
    new_id: Callable[[], str]
    world: Callable[[HistoryStore, Wishes], World]
    models: Callable[[], Models]
    new_chat_settings: Callable[[bool], ContextSettings]
    preferences_problems: Callable[[], tuple[str, ...]]
    surroundings: Callable[[], tuple[tuple[str, str, str], ...]]
    provider_keys: Callable[[HistoryStore], ProviderKeys]
    origin_of: Callable[[str], str]
    environment: Callable[[str], str | None]
    install_model: Callable[[Callable[[str], None]], Awaitable[str]]
