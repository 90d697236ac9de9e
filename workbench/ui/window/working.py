"""The window at work: session, commands and dialogs over an open store, from the first chat on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from workbench.engine.program_intents import ListModels, TidyWatched, WarmModel
from workbench.engine.tasks import Tasks
from workbench.engine.workbench import Workbench
from workbench.ui.bridge import Bridge
from workbench.ui.given import Given
from workbench.ui.look.appearance import Appearance
from workbench.ui.memory import WindowMemory
from workbench.ui.window.actions import Actions
from workbench.ui.window.dialog_opener import DialogOpener
from workbench.ui.window.key_changes import KeyChanges
from workbench.ui.window.locking import Lock
from workbench.ui.window.main_window import MainWindow
from workbench.ui.window.placing import Placing
from workbench.ui.window.price_tips import PriceTips
from workbench.ui.window.purging import Purging
from workbench.ui.window.session import LAST_CHAT, Session
from workbench.ui.window.startup import keep_chats
from workbench.ui.window.watching import look_elsewhere


class Working:
    """Everything that lives while the store is open.

    Attributes:
        session, actions, openings, placing, lock, prices, purging, bridge: the parts, for tests and for what is around.
    """

    def __init__(
        self, window: MainWindow, workbench: Workbench, tasks: Tasks, given: Given,
        look: tuple[WindowMemory, Appearance],
    ) -> None:  # fmt: skip
        self._workbench, self._given, self._tasks = workbench, given, tasks
        self.bridge = Bridge(workbench, tasks, window, given.trace)
        self.session = Session(window, self.bridge, given, look)
        keys = KeyChanges(given.keys, tasks, self.session)
        keys.when_open = self.session.when_open
        self.openings = DialogOpener(self.session, keys)
        self.placing = Placing(self.session)
        self.actions = Actions(self.session, self.openings, self.placing)
        self.openings.sample, self.openings.keep_chats = self._open_sample, self._keep_chats
        self.lock = Lock(self.session, given.keys, tasks)
        self.actions.lock = self.lock.lock
        self.prices, self.purging = PriceTips(self.session), Purging(self.session)
        self._elsewhere = look_elsewhere(self.session)

    async def begin(self, fresh: bool) -> None:
        """Show the last chat; in a new store, the sample."""
        self._show_looking()
        await self._workbench.begin()
        state, memory = self.session.state, self.session.memory
        known = {chat.id for chat in state.chats}
        if not known:
            opened = await self._adopt_sample()
            if fresh:
                self.session.window.welcome(await asyncio.to_thread(self._protected_by))
        else:
            last = memory.text_of(LAST_CHAT)
            opened = last if last in known else state.chats[0].id
            self.session.open_chat(opened)
        self.bridge.publish_now()
        self.session.send(ListModels())
        self.session.send(TidyWatched())
        # A model takes memory and time to get ready: only for a chat that will ask it.
        if self._asks(opened, state.preferences.model):
            self.session.send(WarmModel(state.preferences.model))

    def _asks(self, key: str, model: str) -> bool:
        return any(chat.id == key and chat.settings.model == model for chat in self._workbench.state.chats)

    def open_files(self, files: Sequence[str]) -> None:
        """Show what a person opened outside of the window: they are taken over once that is confirmed."""
        if files:
            self.session.when_open(lambda: self.openings.importing(files))

    def close(self) -> None:
        self._elsewhere.stop()
        self.prices.close()
        self.bridge.close()

    def _protected_by(self) -> str:
        kinds = {one.kind for one in self._given.keys().status().protectors}
        translate = QCoreApplication.translate
        if "keyring" in kinds:
            return translate("Working", "Opens with the system keyring")
        return translate("Working", "Opens with your passphrase")

    def _open_sample(self) -> None:
        self._tasks.spawn("open the sample", self._adopt_sample())

    def _keep_chats(self) -> None:
        self._tasks.spawn("keep the chats", self._kept())

    async def _kept(self) -> None:
        if self._given.throwaway() and await keep_chats(self._given, self.session.window):
            self._show_looking()
            self.session.tell(QCoreApplication.translate("Working", "Your chats are saved on this computer."))

    def _show_looking(self) -> None:
        window, given = self.session.window, self._given
        window.set_looking(given.throwaway(), can_keep=given.look is not None)

    async def _adopt_sample(self) -> str:
        chat = await self._workbench.adopt(await asyncio.to_thread(self._given.sample))
        self.session.open_chat(chat)
        return chat
