"""The window at work: session, commands and dialogs over an open store, from the first chat on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QScreen, QWindow
from PySide6.QtWidgets import QApplication, QGridLayout, QWidget

from workbench.domain.errors import WorkbenchError, WrongSecret
from workbench.domain.files.file_names import short_path
from workbench.domain.shown.envelope_view import PriceTag
from workbench.engine.intents import DetachArtifacts, KeepWarm, PriceStep
from workbench.engine.program_intents import ListModels, TidyWatched, WarmModel
from workbench.engine.state import ChatState
from workbench.engine.tasks import Tasks
from workbench.engine.tuning_intents import TuneLog
from workbench.engine.workbench import Workbench
from workbench.ports.keys import KeyKeeper
from workbench.ui import steps
from workbench.ui.bridge import Bridge
from workbench.ui.dialogs.unlock import UnlockDialog
from workbench.ui.given import Given
from workbench.ui.look.appearance import Appearance
from workbench.ui.look.compositing import round_corners
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.look.tones import TONES
from workbench.ui.memory import WindowMemory
from workbench.ui.offers import Offer, Offering
from workbench.ui.price_words import price_line, price_lines, short_price
from workbench.ui.steps import Step
from workbench.ui.translation import tr
from workbench.ui.waiting import first_of, opened
from workbench.ui.widgets.card import Hairline, Panel
from workbench.ui.widgets.floating import MARGIN
from workbench.ui.widgets.labels import ElidedLabel, IconSpot, KeyCap, label, set_text, set_token
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.plain import shown
from workbench.ui.window.actions import Actions
from workbench.ui.window.dialog_opener import DialogOpener
from workbench.ui.window.dragging import DraggedFiles
from workbench.ui.window.key_changes import KeyChanges
from workbench.ui.window.main_window import MainWindow
from workbench.ui.window.notifying import Notifier
from workbench.ui.window.placing import Placing
from workbench.ui.window.session import LAST_CHAT, Session
from workbench.ui.window.spelling import Spelling, SpellMarks
from workbench.ui.window.startup import keep_chats
from workbench.ui.window.staying import Staying
from workbench.ui.window.watching import look_elsewhere
from workbench.ui.window.windows import Windows

# What a control costs, shown while it is pointed at or has the focus: asks the engine, and places the tooltip.


WAIT_MS, NEXT_MS = 300, 60
"""Nothing is built for a control that the pointer only passes; with a tip in sight the next one comes at once."""
WIDTH, RADIUS, GAP = 318, 8, 6


class PriceTips(QObject):
    """One tip for the whole window.

    Attributes:
        tip: the tip, once there was one.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._offer: Offer | None = None
        self._chat = self._key = ""
        self._count = 0
        self.tip: PriceTip | None = None
        self._wait = single_shot(self, self._ask)
        session.window.wishes.offered.connect(self.take)
        session.rendered.connect(self._answered)

    def take(self, offer: Offer | None) -> None:
        seen = self.tip is not None and self.tip.isVisible()
        self._end()
        if offer is not None and self._session.chat is not None:
            self._offer = offer
            self._wait.start(NEXT_MS if seen else WAIT_MS)

    def close(self) -> None:
        self._session.window.wishes.offered.disconnect(self.take)
        self._session.rendered.disconnect(self._answered)
        self._key = ""
        self._end()

    def _end(self) -> None:
        self._wait.stop()
        self._offer = None
        if self.tip is not None:
            self.tip.hide()
        if self._key:
            self._session.send(PriceStep(self._chat))
            self._key = ""

    def _ask(self) -> None:
        offer, chat = self._offer, self._session.chat
        if offer is None or chat is None:
            return
        self._count += 1
        self._chat, self._key = chat.chat.id, f"tip {self._count}"
        self._session.send(PriceStep(self._chat, self._key, offer.step))
        if self.tip is None:
            self.tip = PriceTip(self._session.window)
        self.tip.show_offer(offer, None)

    def _answered(self) -> None:
        chat = self._session.state.open.get(self._chat)
        price = chat.price if chat is not None else None
        if self.tip is not None and self._offer is not None and price is not None and price.key == self._key:
            self.tip.show_offer(self._offer, price.tag)


class PriceTip(Panel):
    """A small window of its own, since Qt's tooltip has no columns; it takes neither focus nor clicks."""

    ground, border, radius, shadow_margin = "raised", "line2", RADIUS, MARGIN

    def __init__(self, parent: QWidget) -> None:
        flags = (
            Qt.WindowType.ToolTip | Qt.WindowType.FramelessWindowHint | Qt.WindowType.NoDropShadowWindowHint
        )
        super().__init__(parent, flags)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        round_corners(self, MARGIN, RADIUS)
        self.setFixedWidth(WIDTH + 2 * MARGIN)
        self._offer: Offer | None = None
        self.sign = IconSpot("", "t1", 14, QSize(16, 16))
        self.sign.hide()
        self.title = ElidedLabel("", "ui_label")
        self.line = label("", "small", "t2", wrap=True)
        self.now, self.after = label("", "small"), label("", "small", "t2")
        self.read, self.cold = label("", "small", "t2"), label("", "small", "t2")
        self.now.setFont(font("small", 600))
        self._arrange()

    def _arrange(self) -> None:
        down = rows(self, (MARGIN + 12, MARGIN + 8, MARGIN + 12, MARGIN + 9), 3)
        self._head = fill(columns(down, spacing=7), self.sign, (self.title, 1))
        self._cap: KeyCap | None = None
        fill(down, self.line, 4, Hairline(), 3)
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(1)
        for line, (left, right) in enumerate(((self.now, self.read), (self.after, self.cold))):
            right.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
            grid.addWidget(left, line, 0)
            grid.addWidget(right, line, 1)
        grid.setColumnStretch(1, 1)
        down.addLayout(grid)

    def show_offer(self, offer: Offer, tag: PriceTag | None) -> None:
        if offer is not self._offer:
            self._offer = offer
            self.sign.show_icon(offer.icon, "t1")
            set_text(self.title, shown(offer.title))
            set_text(self.line, offer.line)
            self.line.setVisible(bool(offer.line))
            self._show_key(offer.key)
        self._show_price(tag)
        spoken = price_line(tag).words if tag is not None else ""
        self.setAccessibleName(". ".join(filter(None, (offer.title, offer.line, spoken))))
        self.adjustSize()
        self._place(offer.at)
        self.show()

    def words(self) -> str:
        """Everything it says, for tests and for who cannot see it."""
        parts = (self.title, self.line, self.now, self.read, self.after, self.cold)
        return " | ".join(part.text() for part in parts if part.text())

    def _show_key(self, key: str) -> None:
        if self._cap is not None:
            self._head.removeWidget(self._cap)
            self._cap.deleteLater()
            self._cap = None
        if key:
            self._cap = KeyCap(key)
            self._head.addWidget(self._cap)

    def _show_price(self, tag: PriceTag | None) -> None:
        if tag is None:
            for part in (self.now, self.after, self.cold):
                set_text(part, "")
            set_text(self.read, tr("Checking the price…"))
        else:
            lines = price_lines(tag)
            for part, words in zip((self.now, self.read, self.after, self.cold), lines[:4], strict=True):
                set_text(part, words)
            # The price is never cut: the other column gives way.
            self.now.setMinimumWidth(round(metrics("small", 600).horizontalAdvance(lines.now)) + 4)
            set_token(self.now, TONES[lines.tone].text)
            known = tag.cached_tokens is not None
            set_token(self.cold, "err" if not tag.fits else "ok" if known else "t3")
        for part in (self.after, self.cold):
            part.setVisible(bool(self.after.text() or self.cold.text()))

    def _place(self, at: QRect) -> None:
        """Over the control where there is room, else under it, and always on the screen."""
        found: QScreen | None = QGuiApplication.screenAt(at.center())
        room = (self.screen() if found is None else found).availableGeometry()
        height = self.height() - 2 * MARGIN
        x = at.center().x() - WIDTH // 2
        above = at.top() - GAP - height
        y = above if above >= room.top() else at.bottom() + GAP
        x = max(room.left() + GAP, min(x, room.right() - GAP - WIDTH))
        self.move(QPoint(x - MARGIN, y - MARGIN))


# What becomes of something that is detached from a log: it stays until the next rebuild, unless it is purged.


KEY = "purge"
LONGEST_NAME = 24


class Purging(QObject):
    """Says it in the toast, with the way out and its price."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session, self._toast = session, session.window.toast
        self._keys: tuple[str, ...] = ()
        self._chat = self._what = self._words = ""
        session.stepped.connect(self._on_step)
        session.rendered.connect(self._priced)
        Offering(self._toast.action, self._offer, session.window.wishes.offer)

    def _on_step(self, step: Step, before: ChatState | None) -> None:
        gone = [key for intent in step.do if isinstance(intent, DetachArtifacts) for key in intent.keys]
        purged = {key for one in step.do if isinstance(one, TuneLog) for key in one.purge}
        left = steps.stays_in_log(before, gone) if before is not None else ()
        stays = tuple(key for key in gone if key in purged or key in left)
        self._keys = ()
        if before is None or not stays:
            return
        self._chat, self._what = step.chat, _named(before, stays)
        if purged.issuperset(stays):
            words = tr("{what} was removed from the next request on: a key or a password is marked in it")
            self._toast.say("shield", words.format(what=self._what), tr("Undo"), self._undo)
            return
        self._keys = tuple(key for key in stays if key not in purged)
        self._words = tr("{what} stays until the next rebuild").format(what=self._what)
        self._toast.say("clock", self._words, tr("Remove now"), self._purge)
        self._session.send(PriceStep(self._chat, KEY, self._step()))

    def _step(self) -> tuple[TuneLog, ...]:
        return (TuneLog(self._chat, purge=frozenset(self._keys)),)

    def _purge(self) -> None:
        chat = self._session.expected(self._chat)
        if chat is not None and self._keys:
            self._session.do_step(steps.purge(chat, self._keys, self._what))
            self._session.send(PriceStep(self._chat))

    def _undo(self) -> None:
        self._session.window.wishes.run("undo")

    def _offer(self) -> Offer | None:
        if not self._keys or self._toast.text() != self._words:
            return None
        line = tr("Rebuilds the request without it, with the next question.")
        return Offer(
            tr("Remove {what} from the log").format(what=self._what), self._step(), line, icon="trash"
        )

    def _priced(self) -> None:
        """Say what purging costs, as soon as that is known of the request without the attachment."""
        chat = self._session.state.open.get(self._chat)
        if not self._keys or chat is None or chat.price is None or chat.price.key != KEY:
            return
        attached = {artifact.key for artifact in chat.conversation.attached}
        if attached.isdisjoint(self._keys) and self._toast.text() == self._words:
            price = short_price(chat.price.tag)
            words = tr("Remove now: {price}").format(price=price) if price else tr("Remove now")
            self._toast.name_action(words)


def _named(chat: ChatState, keys: tuple[str, ...]) -> str:
    names = {
        artifact.key: artifact.title or artifact.name_for_model for artifact in chat.conversation.attached
    }
    first = shown(short_path(names.get(keys[0], keys[0])), LONGEST_NAME)
    return first if len(keys) == 1 else f"{first} +{len(keys) - 1}"


# The lock: after a while without a key or a click, or when wished, nothing is seen until it is opened again.


MINUTE_MS, LATER_MS = 60_000, 1_000
TRAY_ICON = "QSystemTrayIconSys"
"""Qt's widget in the tray: hidden once, it would not be taken in again."""
_ACTIVITY = (
    QEvent.Type.KeyPress,
    QEvent.Type.MouseButtonPress,
    QEvent.Type.MouseMove,
    QEvent.Type.Wheel,
    QEvent.Type.TouchBegin,
)


class Lock(QObject):
    """Covers all windows, asks for the passphrase or the recovery code in one; answers that arrive go on arriving.

    The store stays open, so that they are kept; what was being written stays where it is, out of sight.
    """

    def __init__(self, windows: Windows, keys: Callable[[], KeyKeeper], tasks: Tasks) -> None:
        super().__init__(windows)
        self._windows, self._keys, self._tasks = windows, keys, tasks
        self._window = windows.front.session.window
        self._busy = False
        self._aside: list[QWidget] = []
        self.idle = single_shot(self, self.lock)
        self._minutes = 0
        windows.first.session.rendered.connect(self._follow)
        app = QGuiApplication.instance()
        if isinstance(app, QGuiApplication):
            app.focusWindowChanged.connect(self._watch)
        self._watch(self._window.windowHandle())

    def lock(self) -> None:
        """Lock, where there is something to open it with."""
        if not self._busy:
            self._busy = True
            self._tasks.spawn("lock the window", self._until_opened())

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """A key or a click begins the wait anew; seen at the windows themselves, which get few events."""
        if event.type() in _ACTIVITY and self.idle.isActive():
            self.idle.start()
        return False

    def _watch(self, window: QWindow | None) -> None:
        if window is not None:
            window.removeEventFilter(self)
            window.installEventFilter(self)

    def _follow(self) -> None:
        minutes = self._windows.first.session.state.preferences.lock_after_minutes
        if minutes != self._minutes:
            self._minutes = minutes
            self.idle.setInterval(minutes * MINUTE_MS)
            if minutes:
                self.idle.start()
            else:
                self.idle.stop()

    async def _until_opened(self) -> None:
        try:
            if not await asyncio.to_thread(self._can_be_opened):
                self._windows.front.session.tell(
                    tr("Can’t lock: no passphrase is set. Add one in Settings, Privacy.")
                )
                return
            self._cover()
            self._windows.first.session.send(
                KeepWarm("", on=False)
            )  # whoever is away does not want to pay for it
            if await self._ask():
                self._uncover()
            else:
                self._windows.quit()
        finally:
            self._busy = False
            if self._minutes:
                self.idle.start()

    def _can_be_opened(self) -> bool:
        """Whether there is a passphrase to ask for; what only the keyring opens would open by itself."""
        try:
            kinds = {one.kind for one in self._keys().status().protectors}
        except WorkbenchError:
            return False
        return "passphrase" in kinds

    async def _ask(self) -> bool:
        if not self._window.isVisible():
            await first_of(
                shown=self._window.shown
            )  # in the tray, nothing is asked until the window is wanted
        dialog = UnlockDialog(tr("Locked. Type the passphrase, or the recovery code."), self._window)
        with opened(dialog):
            while True:
                name, said = await first_of(tried=dialog.tried, quit=dialog.quit_wished)
                if name == "quit":
                    return False
                dialog.set_busy(True)
                try:
                    await asyncio.to_thread(self._keys().check, said[0])
                    return True
                except WrongSecret:
                    problem = tr("That doesn’t unlock your chats. Nothing was changed.")
                except WorkbenchError as error:
                    problem = str(error)
                dialog.set_busy(False)
                dialog.refuse(problem)

    def _cover(self) -> None:
        self.idle.stop()
        self._window = self._windows.front.session.window
        others = [
            one
            for one in QApplication.topLevelWidgets()
            if one.isVisible() and one is not self._window and not one.inherits(TRAY_ICON)  # type: ignore[arg-type]  # the stub wants bytes
        ]
        for other in others:
            other.hide()
        # Menus and tips are gone for good; dialogs and the inspector in a window of its own come back.
        passing = (Qt.WindowType.Popup, Qt.WindowType.ToolTip)
        self._aside = [one for one in others if one.windowType() not in passing]
        for one in self._windows.all:
            one.session.window.set_covered(True)

    def _uncover(self) -> None:
        for one in self._windows.all:
            one.session.window.set_covered(False)
        for other in self._aside:
            other.show()
        self._aside = []
        for one in self._windows.all:
            one.session.resume()
        self._window.come_to_front()


class Working:
    """Everything of a window that lives while the store is open; the first one has what all windows share.

    Attributes:
        session, actions, openings, placing, lock, prices, purging, notifier, bridge: the parts, for tests and others.
        windows: all windows over this engine. staying: how it is reached without one.
    """

    lock: Lock
    notifier: Notifier
    staying: Staying
    spelling: Spelling | None = None

    def __init__(
        self, window: MainWindow, workbench: Workbench, tasks: Tasks, given: Given,
        look: tuple[WindowMemory, Appearance], first: Working | None = None,
    ) -> None:  # fmt: skip
        self._workbench, self._given, self._tasks = workbench, given, tasks
        self.windows: Windows = (
            Windows(look[0], lambda another: Working(another, workbench, tasks, given, look, self))
            if first is None
            else first.windows
        )
        self.bridge = Bridge(workbench, tasks, window, given.trace)
        self.session = Session(window, self.bridge, given, look, self.windows.stacks)
        keys = KeyChanges(given.keys, tasks, self.session)
        keys.when_open = self.session.when_open
        self.openings = DialogOpener(self.session, keys)
        self.placing = Placing(self.session)
        self.actions = Actions(self.session, self.openings, self.placing)
        self.openings.sample, self.openings.keep_chats = self._open_sample, self._keep_chats
        self.prices, self.purging = PriceTips(self.session), Purging(self.session)
        self.dragged = DraggedFiles(self.session)
        self.windows.add(self)
        self.actions.quit, self.actions.open_window = self.windows.quit, self.windows.open
        self.actions.money_shown = self.windows.money_shown
        self._ends: list[Callable[[], object]] = []
        if first is None:
            self._share()
        else:
            self.lock, self.notifier, self.staying = first.lock, first.notifier, first.staying
            self.spelling = first.spelling
        if self.spelling is not None:
            SpellMarks(window.chat.composer.text, self.spelling)
        self.actions.lock, self.openings.staying = self.windows.lock, self.staying

    def _share(self) -> None:
        """Make what there is once, whatever the number of windows."""
        self.lock = Lock(self.windows, self._given.keys, self._tasks)
        self.windows.lock = self.lock.lock
        self.notifier = Notifier(self.windows)
        self.staying = Staying(self.windows, self.session.memory, self._tasks)
        if self._given.speller is not None:
            self.spelling = Spelling(self._given.speller, self._tasks, self.windows)
            self.spelling.wished.connect(self.session.window.wishes.send)
            self.session.rendered.connect(self._follow_spelling)
        self._ends = [
            self.windows.close,
            self.staying.close,
            look_elsewhere(self.session).stop,
            self._workbench.subscribe(self.notifier.take),
        ]

    def _follow_spelling(self) -> None:
        if self.spelling is not None:
            self.spelling.follow(self.session.state.preferences)

    async def begin(self, fresh: bool) -> None:
        """Show the last chat; in a new store, the sample."""
        self._show_looking()
        await self._workbench.begin()
        state, memory = self.session.state, self.session.memory
        known = {chat.id for chat in state.chats}
        if not known:
            opened = await self._adopt_sample(await asyncio.to_thread(self._protected_by) if fresh else "")
        else:
            last = memory.text_of(LAST_CHAT)
            opened = last if last in known else state.chats[0].id
            self.session.open_chat(opened)
            self.windows.reopen(known)
        self.bridge.publish_now()
        if self.session.chat_id:
            self._look_around(opened)
        else:  # first what a person waits for: this loads the libraries that speak HTTP
            self.session.moved.connect(
                lambda: self._look_around(opened), Qt.ConnectionType.SingleShotConnection
            )

    def _look_around(self, opened: str) -> None:
        """See which models there are, once a chat is shown, and make that of the chat ready."""
        self.session.send(ListModels())
        self.session.send(TidyWatched())
        # A model takes memory and time to get ready: only for a chat that will ask it.
        model = self.session.state.preferences.model
        if self._asks(opened, model):
            self.session.send(WarmModel(model))
        later = QTimer(self.session)  # the chat's first request is counted until then
        later.setSingleShot(True)
        later.timeout.connect(lambda: self._tasks.spawn("load", asyncio.to_thread(self._given.load_more)))
        later.start(LATER_MS)
        self._ends.append(later.stop)

    def _asks(self, key: str, model: str) -> bool:
        return any(chat.id == key and chat.settings.model == model for chat in self._workbench.state.chats)

    def open_files(self, files: Sequence[str]) -> None:
        """Show what a person opened outside of the window: they are taken over once that is confirmed."""
        if files:
            self.session.window.come_to_front()
            self.session.when_open(lambda: self.openings.importing(files))

    def close(self) -> None:
        for end in self._ends:
            end()
        self.dragged.remove()
        self.prices.close()
        self.bridge.close()

    def _protected_by(self) -> str:
        kinds = {one.kind for one in self._given.keys().status().protectors}
        if "keyring" in kinds:
            return tr("Opens with the system keyring")
        return tr("Opens with your passphrase") if "passphrase" in kinds else tr("Opens with your key file")

    def _open_sample(self) -> None:
        self._tasks.spawn("open the sample", self._adopt_sample())

    def _keep_chats(self) -> None:
        self._tasks.spawn("keep the chats", self._kept())

    async def _kept(self) -> None:
        if self._given.throwaway() and await keep_chats(self._given, self.session.window):
            self._show_looking()
            self.session.tell(tr("Your chats are saved on this computer."))

    def _show_looking(self) -> None:
        window, given = self.session.window, self._given
        window.set_looking(given.throwaway(), can_keep=given.look is not None)

    async def _adopt_sample(self, protected_by: str = "") -> str:
        chat = await self._workbench.adopt(await asyncio.to_thread(self._given.sample))
        if protected_by:  # before the chat opens: what was drawn is not drawn again for the welcome
            self.session.window.welcome(protected_by)
        self.session.open_chat(chat)
        return chat
