"""Makes what a window works with: the same history and keys as commands, with dialogs in place of a terminal."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import workbench
from workbench.cli.services import WorldOptions
from workbench.domain.errors import InvalidInput
from workbench.domain.record import ChatArchive
from workbench.domain.secrets import Secret
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.translation import tr
from workbench.engine.assembly.prepare import Builder
from workbench.engine.tasks import Tasks
from workbench.engine.world import World
from workbench.ports.folder import HistoryAccess
from workbench.ports.history import HistoryStore
from workbench.ports.keys import KeyKeeper, SecretPrompt
from workbench.sources.resources import guide_picture, shipped_guide
from workbench.sources.spelling import open_speller
from workbench.wiring.about import about
from workbench.wiring.building import make_builder, make_catalogue
from workbench.wiring.folder import (
    ProgramFolder,
    has_keys,
    history,
    keep_scratch,
    keyring_problem,
    keys,
    new_id,
    scratch,
    secret_given,
    utc_now,
)
from workbench.wiring.log import Log
from workbench.wiring.sample import sample_chat

if TYPE_CHECKING:
    from workbench.storage.keys.unlocking import UserPrompts
    from workbench.storage.scratch import ScratchHistory
    from workbench.ui.given import Choice, Given, Report, Toolroom


Tell = Callable[[str], None]
TakeCode = Callable[[Secret], None]


class Typed:
    """Answers a prompt with what was typed into a dialog before → SecretPrompt."""

    def __init__(self, secret: Secret) -> None:
        self._secret = secret

    def ask(self, prompt: str) -> Secret:
        """Returns the passphrase, or the recovery code."""
        return self._secret

    def ask_new(self) -> Secret:
        """Returns the new passphrase, which the dialog had typed twice."""
        return self._secret


def window_history(
    arguments: Namespace, prompt: SecretPrompt | None, tell: Tell, take_code: TakeCode
) -> HistoryAccess:
    """Returns the history of the folder; `open` creates its store where there is none, and unlocks an existing one.

    A new store is unlocked by the passphrase that the prompt gives; without a prompt, by the system's keyring. This
    runs in a thread, where `prompt` is asked, messages are passed to `tell` and a new recovery code to `take_code`;
    each may wait there. A wrong passphrase raises `WrongSecret` at once: the window asks again by opening again.
    """
    return history(arguments, people=_people(prompt, tell, take_code))


def window_keys(
    arguments: Namespace, prompt: SecretPrompt | None, tell: Tell, take_code: TakeCode
) -> KeyKeeper:
    """Returns the keys of the folder; calls take a moment and may ask, so a window makes them in a thread."""
    return keys(arguments, _people(prompt, tell, take_code))


def _people(prompt: SecretPrompt | None, tell: Tell, take_code: TakeCode) -> UserPrompts:
    from workbench.storage.keys.unlocking import UserPrompts

    return UserPrompts(prompt, tell, take_code=take_code, attempts=1)


# What the window is given: a data folder of the user's, or one that is gone afterwards.


class FolderGiven:
    """Parts for a window on the user's data folder; what was typed to unlock it is kept while the program runs."""

    def __init__(self, arguments: Namespace, log: Log | None = None) -> None:
        self._arguments, self._log = arguments, log
        self._place = ProgramFolder(arguments)
        self._typed: Secret | None = None
        self._scratch: ScratchHistory | None = None
        self._looked_at: HistoryStore | None = None

    def given(self) -> Given:
        """Returns the parts of the window."""
        from workbench.ui.given import Given

        builder = make_builder(make_catalogue(self._place))
        return Given(
            place=str(self._place.folder),
            version=workbench.__version__,
            throwaway=lambda: self._looked_at is not None,
            load=_load,
            load_more=_load_more,
            store_exists=lambda: has_keys(self._arguments),
            keyring_problem=keyring_problem,
            secret_given=lambda: secret_given(self._arguments),
            create=self._create,
            open=self._open,
            world=lambda store, report: _world(builder, self._place, store, report, self._log),
            keys=self._keys,
            new_chat_settings=lambda tools: _settings(self._place, tools),
            toolroom=lambda: _toolroom(self._place),
            sample=lambda: _sample(builder, self._place),
            redact=_redacted,
            new_id=new_id,
            utc_now=utc_now,
            network=self._place.network,
            guide=shipped_guide,
            guide_picture=guide_picture,
            about=about,
            look=self._look,
            speller=open_speller,
        )

    async def _look(self) -> HistoryStore:
        self._scratch = scratch()
        self._looked_at = await self._scratch.open(once=True)
        return self._looked_at

    async def _create(self, choice: Choice) -> Secret:
        """Creates the store as chosen; returns the recovery code, which is shown once."""
        codes: list[Secret] = []
        prompt = None if choice.passphrase is None else Typed(choice.passphrase)
        if self._scratch is not None and self._looked_at is not None:
            people = _people(prompt, _ignore_message, codes.append)
            await keep_scratch(self._arguments, self._scratch, self._looked_at, people)
            self._looked_at = None
        else:
            store = await window_history(self._arguments, prompt, _ignore_message, codes.append).open(
                writable=True
            )
            await store.close()
        self._typed = choice.passphrase
        if choice.keyring and choice.passphrase is not None:
            await asyncio.to_thread(self._keys().use_keyring, True)
        return codes[-1]

    async def _open(self, secret: Secret | None) -> HistoryStore:
        typed = secret if secret is not None else self._typed
        prompt = None if typed is None else Typed(typed)
        store = await window_history(self._arguments, prompt, _ignore_message, _ignore_code).open(
            writable=True
        )
        self._typed = typed
        return store

    def _keys(self) -> KeyKeeper:
        if self._looked_at is not None:
            raise InvalidInput("Passphrase", tr("choose Keep these chats first; until then nothing is saved"))
        prompt = None if self._typed is None else Typed(self._typed)
        return _RememberingKeys(
            window_keys(self._arguments, prompt, _ignore_message, _ignore_code), self._remember
        )

    def _remember(self, passphrase: Secret) -> None:
        self._typed = passphrase


class _RememberingKeys:
    """Keys that remember a changed passphrase → KeyKeeper."""

    def __init__(self, keys: KeyKeeper, remember: Callable[[Secret], None]) -> None:
        self._keys, self._remember = keys, remember
        self.status, self.new_recovery_code = keys.status, keys.new_recovery_code
        self.use_keyring, self.rotate, self.check = keys.use_keyring, keys.rotate, keys.check

    def change_passphrase(self, choose: Callable[[], Secret]) -> None:
        """Replaces the passphrase by the chosen one."""
        chosen = choose()
        self._keys.change_passphrase(lambda: chosen)
        self._remember(chosen)


def demo_given(
    arguments: Namespace, open_scratch: Callable[[], Awaitable[HistoryStore]], log: Log | None = None
) -> Given:
    """Returns the parts of a window with a sample in a throw-away folder: nothing is asked or kept."""
    from workbench.ui.given import Given

    place = ProgramFolder(arguments)
    builder = make_builder(make_catalogue(place))

    async def open_it(_secret: Secret | None) -> HistoryStore:
        return await open_scratch()

    def none_to_keep() -> KeyKeeper:
        raise InvalidInput("--demo", tr("a throw-away folder has no keys to change"))

    async def none_to_make(_choice: Choice) -> Secret:
        raise InvalidInput("--demo", tr("a throw-away folder has its keys already"))

    return Given(
        place="",
        version=workbench.__version__,
        throwaway=lambda: True,
        load=_load,
        load_more=_load_more,
        store_exists=lambda: True,
        keyring_problem=keyring_problem,
        create=none_to_make,
        open=open_it,
        world=lambda store, report: _world(builder, place, store, report, log),
        keys=none_to_keep,
        new_chat_settings=lambda tools: _settings(place, tools),
        toolroom=lambda: _toolroom(place),
        sample=lambda: _sample(builder, place),
        redact=_redacted,
        new_id=new_id,
        utc_now=utc_now,
        network=place.network,
        guide=shipped_guide,
        guide_picture=guide_picture,
        about=about,
        speller=open_speller,
    )


def _load() -> None:
    """Imports everything that window and engine need: panes, database, encryption, adapters of models."""
    import workbench.engine.workbench
    import workbench.providers.builtin.model
    import workbench.storage.opening
    import workbench.storage.provider_keys
    import workbench.ui.chat.pane
    import workbench.ui.inspector.pane
    import workbench.ui.window.columns
    import workbench.ui.window.startup
    import workbench.ui.window.working
    import workbench.wiring.engine  # noqa: F401 - loaded so that nobody waits for it later


def _load_more() -> None:
    """Imports what the first chat is shown without, so that nobody waits for it later either."""
    import workbench.context.shorten.facts
    import workbench.ui.money.page
    import workbench.ui.workspace.page  # noqa: F401


def _world(
    builder: Builder, place: ProgramFolder, store: HistoryStore, report: Report, log: Log | None
) -> World:
    from workbench.wiring.engine import make_world

    return replace(make_world(builder, place, store, WorldOptions(), log), tasks=Tasks(report))


def _settings(place: ProgramFolder, tools: bool) -> ContextSettings:
    from workbench.wiring.engine import new_chat_settings

    return new_chat_settings(place, tools)


def _toolroom(place: ProgramFolder) -> Toolroom:
    from workbench.ui.given import Toolroom
    from workbench.wiring.engine import all_tools, workspace_folder

    workspace = place.preferences().workspace
    return Toolroom(str(workspace_folder(workspace)), all_tools(workspace))


def _sample(builder: Builder, place: ProgramFolder) -> ChatArchive:
    from workbench.wiring.engine import new_chat_settings

    return sample_chat(builder, new_chat_settings(place, False))


def _redacted(text: str) -> str:
    from workbench.providers.wire.redaction import Redactor

    return Redactor()(text)


def _ignore_message(_words: str) -> None:
    """Ignores a message: the window has its own."""


def _ignore_code(_code: Secret) -> None:
    """Ignores a recovery code: no store is created here."""
