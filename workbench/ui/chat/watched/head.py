"""The head of a watched chat: who asked, where it was watched, which model; and the line that watching goes by."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from workbench.domain.record import Chat
from workbench.domain.shown.sessions_view import WatchView
from workbench.domain.watch.exchange import program_name
from workbench.domain.watch.routes import VARIABLES
from workbench.domain.workspace import Workspace, rules_of
from workbench.engine.intents import OpenChat
from workbench.engine.program_intents import HoldRequests, PauseWatching, WatchPrograms
from workbench.engine.state import ChatState
from workbench.ui.look.fonts import metrics
from workbench.ui.look.painting import Run
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.model_button import model_name
from workbench.ui.translation import tr
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.card import LeadingIcon, Panel, PanelLook
from workbench.ui.widgets.choice import Switch
from workbench.ui.widgets.guided import lead_to
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.wishes import ExportChat, GoOnFrom, Wishes

HEIGHT = 44
CHIP_HEIGHT, CHIP_PADDING, CHIP_ICON = 26, 12, 14


def variable_of(chat: ChatState) -> str:
    """What a watched program reads its address from, as far as its model tells."""
    api = chat.chat.settings.model.partition(":")[0]
    return next((name for name, spoken in VARIABLES.items() if spoken == api), "")


class WatchedHead(Panel):
    """Title, where it was watched, and that it can only be read."""

    line_below = True

    def __init__(self, wishes: Wishes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("surface")
        self.setFixedHeight(HEIGHT)
        self.title = ElidedLabel("", "title")
        self.title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.about = ElidedLabel("", "ui", "t2")
        self.badge = Badge("neutral", "lock", tr("read-only"))
        self.badge.setToolTip(tip(tr("Another program wrote this chat. It can be read, not changed.")))
        self.parent_link = button("", "ghost", "undo", size="small")
        self._parent_chat = ""
        self.parent_link.clicked.connect(lambda: wishes.send(OpenChat(self._parent_chat)))
        self.hold = Switch(tr("Hold requests"))
        self.hold.setToolTip(tip(tr("Let each request wait until you send it. Off again after a restart.")))
        self.hold.clicked.connect(lambda checked: wishes.send(HoldRequests(bool(checked))))
        self.hold_words = label(tr("Hold requests"), "ui", "t2")
        self.more = tool_button("more", tr("More for this chat"))
        self.more.clicked.connect(lambda: wishes.run("chat-menu"))
        row = columns(self, (12, 0, 12, 0), 8)
        fill(
            row,
            self.title,
            (self.about, 1),
            self.parent_link,
            self.badge,
            self.hold_words,
            self.hold,
            self.more,
        )

    def show_chat(self, chat: ChatState, chats: Sequence[Chat] = ()) -> None:
        """Show whose it is; `chats` are all there are, among which its parent may be."""
        self._show_parent(chat, chats)
        mark = chat.chat.filed.watched
        name, _, words = chat.chat.title.partition(" · ")
        set_text(self.title, shown(name or tr("Watched"), 60))
        where = "" if mark is None else mark.address.removeprefix("http://")
        at = tr("watched at {address}").format(address=where) if where else tr("watched")
        set_text(self.about, f"· {at} · {model_name(chat.chat.settings.model)}")
        self.title.setToolTip(tip(words or name))

    def show_watch(self, watch: WatchView) -> None:
        """Show whether requests are held; without a watch none can be, and it can only be read."""
        for one in (self.hold, self.hold_words):
            one.setVisible(watch.on)
        self.badge.setVisible(not watch.on)
        if self.hold.isChecked() != watch.holding:
            self.hold.setChecked(watch.holding)

    def _show_parent(self, chat: ChatState, chats: Sequence[Chat]) -> None:
        mark = chat.chat.filed.watched
        wanted = "" if mark is None else mark.parent
        parent = next((one for one in chats if wanted and one.id == wanted), None)
        self._parent_chat = "" if parent is None else parent.id
        self.parent_link.setVisible(parent is not None)
        if parent is not None:
            self.parent_link.setText(tr("Sub-agent"))
            words = tr("Open the conversation that started it: {title}")
            self.parent_link.setToolTip(tip(words.format(title=shown(parent.title, 80))))
            self.parent_link.setAccessibleName(words.format(title=shown(parent.title, 80)))


class CopyChip(PanelLook, QAbstractButton):
    """A line for a shell, in a chip that copies it."""

    border, radius, padding = "line2", CHIP_HEIGHT // 2, (CHIP_PADDING, 0, CHIP_PADDING, 0)
    end_runs = (Run(icon="copy", token="t2", size=CHIP_ICON, gap=14),)

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setProperty("ring_radius", CHIP_HEIGHT // 2)
        self.clicked.connect(self._copy)

    def show_text(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self.setAccessibleName(tr("Copy {line}").format(line=text))
            self.setToolTip(tip(tr("Copies {line}").format(line=text)))
            self.updateGeometry()
            self.update()

    def text(self) -> str:
        return self._text

    def sizeHint(self) -> QSize:
        width = metrics("code").horizontalAdvance(self._text) + 2 * CHIP_PADDING + CHIP_ICON + 18
        return QSize(round(width), CHIP_HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, CHIP_HEIGHT)

    def update_look(self) -> None:
        self.ground = "hover" if self.underMouse() else "raised"
        self.runs = (Run(self._text, role="code"),)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        left = self.width() - CHIP_PADDING - CHIP_ICON - 9
        QPainter(self).fillRect(left, 6, 1, self.height() - 12, colour("line", theme_of(self)))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text)


class WatchLine(Panel):
    """The line that a program's shell needs, to be copied, and the switch."""

    line_below = True

    def __init__(self, wishes: Wishes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wishes = wishes
        self.setObjectName("chrome")
        self.setFixedHeight(HEIGHT)
        self.words = label("", "ui", "t2")
        self.chip = CopyChip()
        self.on = Switch(tr("Watch"))
        self.on.setToolTip(tip(tr("Listen on this computer and pass requests on to their servers.")))
        self.on.clicked.connect(lambda checked: wishes.send(WatchPrograms(bool(checked))))
        self.named = label(tr("Watch"), "ui", "t2")
        fill(columns(self, (16, 0, 16, 0), 10), self.words, self.chip, STRETCH, self.named, self.on)
        lead_to(self, "watch")

    def show_watch(self, watch: WatchView, wanted: str = "") -> None:
        """Show where programs are to be pointed; `wanted` is the variable that the program in view reads."""
        line = next((one for one in watch.lines if one[0] == wanted), watch.lines[0] if watch.lines else None)
        self.chip.setVisible(line is not None)
        if line is not None:
            self.chip.show_text(f"{line[0]}={line[1]}")
        off = watch.problem or tr("Not watching now.")
        set_text(self.words, tr("Set in its shell") if line is not None else off)
        if self.on.isChecked() != watch.on:
            self.on.setChecked(watch.on)


# The bar in the composer's place: a watched chat is read, exported, or gone on from, and not written in.


BAR_HEIGHT = 52
RADIUS = 12
ICON_ROOM = 28
PAUSE_FROM = 520


class WatchBar(Panel):
    """Says that nothing is changed, and offers what can be done."""

    ground, border, radius = "raised", "edge", RADIUS

    def __init__(self, wishes: Wishes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wishes = wishes
        self._chat: ChatState | None = None
        self._on = False
        self.setFixedHeight(BAR_HEIGHT)
        self.state = label("", "ui_heading")
        self.line = ElidedLabel("", "small", "t3")
        self.pause = on_click(button("", "ghost", size="small"), self._on_pause)
        self.export = on_click(button(tr("Export…")), self._on_export)
        self.export.setToolTip(tip(tr("Write this request as a trajectory, curl, JSON lines or OTLP.")))
        self.go_on = on_click(button(tr("Go on from here"), "primary"), self._on_go_on)
        self.go_on.setToolTip(
            tip(tr("Start a chat of your own with this system prompt, history and what tools gave back."))
        )
        across = columns(self, (14, 6, 10, 6), 8)
        across.addSpacing(ICON_ROOM)
        fill(rows(across), self.state, self.line)
        across.setStretch(1, 1)
        fill(across, self.pause, self.export, self.go_on)

    def show_watch(self, watch: WatchView, chat: ChatState, everywhere: Workspace) -> None:
        self._chat = chat
        live = watch.on and not watch.paused
        self.leading = LeadingIcon("eye", "ok" if live else "t3", box=(14, 0, 16, 0))
        if not watch.on:
            state, line = tr("Watched earlier."), tr("Nothing can be changed here.")
        elif watch.paused:
            state, line = tr("Paused."), tr("Requests pass on; none is kept.")
        else:
            mark, applied = chat.chat.filed.watched, () if chat.shown is None else chat.shown.rules
            kept = rules_of(everywhere, program_name(mark.client)).rules if mark else ()
            ruled = any(one.on for one in kept) or any(one.state == "applied" for one in applied)
            line = tr("Rules change its requests.") if ruled else tr("Nothing is changed.")
            state = tr("Watching.")
        set_text(self.state, state)
        set_text(self.line, line)
        self._on = watch.on
        self._fit()
        self.pause.setText(tr("Record again") if watch.paused else tr("Pause recording"))
        self.pause.setProperty("paused", watch.paused)
        self.setAccessibleName(f"{state} {line}")
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """In a narrow bar the palette pauses: what is said comes first."""
        self.pause.setVisible(self._on and self.width() >= PAUSE_FROM)

    def _on_pause(self) -> None:
        self._wishes.send(PauseWatching(not self.pause.property("paused")))

    def _on_export(self) -> None:
        if self._chat is not None:
            self._wishes.run(ExportChat(self._chat.chat.id))

    def _on_go_on(self) -> None:
        if self._chat is not None:
            shown = self._chat.opened
            self._wishes.run(GoOnFrom(self._chat.chat.id, None if shown is None else shown.turn))
