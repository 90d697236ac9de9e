"""The head of the chat: its title, which can be changed in place, the model it asks, and what else can be done."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QToolButton, QWidget

from workbench.engine.intents import RenameChat
from workbench.engine.state import ChatState, Readiness, WorkbenchState
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import fill_rounded, stroke_rounded
from workbench.ui.look.space import columns
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.buttons import button, tool_button
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.labels import ElidedLabel
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.wishes import Wishes

HEIGHT = 44


class ChatHead(QWidget):
    """Title, model and menu of the chat in view."""

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self.setObjectName("surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(HEIGHT)
        self._chat: ChatState | None = None
        self._renaming = False
        self.title = ElidedLabel("", "title")
        self.field = Field()
        self.field.setAccessibleName(self.tr("Title of this chat"))
        self.field.installEventFilter(self)
        self._places = QStackedWidget()
        self._places.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._places.setFixedHeight(30)
        self._places.addWidget(self._still())
        self._places.addWidget(self.field)
        self.model = ModelButton()
        self.model.clicked.connect(lambda: self.wishes.run("model"))
        self.tools = button(self.tr("Tools"), "ghost", icon="tool")
        self.tools.clicked.connect(lambda: self.wishes.run("tools"))
        self.tune = tool_button("sliders", self.tr("Parameters of this chat"))
        self.tune.clicked.connect(lambda: self.wishes.run("parameters"))
        self.more = tool_button("more", self.tr("More for this chat"))
        self.more.clicked.connect(lambda: self.wishes.run("chat-menu"))
        row = columns(self, (12, 0, 12, 0), 8)
        row.addWidget(self._places, 1)
        for part in (self.model, self.tools, self.tune, self.more):
            row.addWidget(part)

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        """Show whose head this is; a title that is being written belongs to the chat it was begun in."""
        if self._renaming and (chat is None or self._chat is None or chat.chat.id != self._chat.chat.id):
            self._renamed(keep=True)
        self._chat = chat
        known = chat is not None
        self.title.setText(shown(chat.chat.title or self.tr("New chat")) if chat else self.tr("No chat"))
        for part in (self.edit, self.tools, self.tune, self.more, self.model):
            part.setEnabled(known)
        name = chat.chat.settings.model if chat else ""
        self._show_tools(len(chat.chat.settings.tools) if chat else 0)
        self._show_parameters(chat)
        self.model.show_model(short_name(name), state.readiness.get(name))

    def _show_tools(self, count: int) -> None:
        """Whether the chat has tools; the words say so, too."""
        words = self.tr("Tools: {n}").format(n=count) if count else self.tr("Tools")
        if words != self.tools.text() or not self.tools.toolTip():
            self.tools.setText(words)
            self.tools.setToolTip(
                tip(
                    self.tr("The model of this chat is told of {n} tools").format(n=count)
                    if count
                    else self.tr("This chat has no tools: press to switch them on")
                )
            )

    def _show_parameters(self, chat: ChatState | None) -> None:
        """Which parameters are set: lit where they go out, as a warning where the model does not take one."""
        given = chat.chat.settings.parameters.given if chat else {}
        unsent = chat.view.unsent if chat is not None and chat.view is not None else ()
        self.tune.set_icon("sliders", "warn" if unsent else "accent_text" if given else "t2")
        words = self.tr("Parameters of this chat") + (f": {', '.join(given)}" if given else "")
        self.tune.setAccessibleName(words)
        refused = (
            self.tr("{name} is not sent: {why}").format(name=one.name, why=one.reason) for one in unsent
        )
        self.tune.setToolTip(tip("\n".join((f"{words} (Ctrl+P)", *refused))))

    def rename(self) -> None:
        """Let the title be changed."""
        if self._chat is None:
            return
        self._renaming = True
        self.field.setText(self._chat.chat.title)
        self._places.setCurrentWidget(self.field)
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field:
            if event.type() == QEvent.Type.FocusOut:
                self._renamed(keep=True)
            elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
                if event.key() == Qt.Key.Key_Escape:
                    self._renamed(keep=False)
                    return True
                if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                    self._renamed(keep=True)
                    return True
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.fillRect(QRectF(0, self.height() - 1, self.width(), 1), colour(theme_of(self).line))

    def _still(self) -> QWidget:
        holder = QWidget()
        row = columns(holder, (0, 0, 0, 0), 4)
        self.edit = tool_button("edit", self.tr("Rename this chat"), self.tr("Rename this chat (F2)"))
        self.edit.clicked.connect(self.rename)
        self.title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        row.addWidget(self.title)
        row.addWidget(self.edit)
        row.addStretch(1)
        return holder

    def _renamed(self, *, keep: bool) -> None:
        if not self._renaming:
            return
        self._renaming = False  # first: hiding the field takes its focus, which would rename again
        self._places.setCurrentIndex(0)
        title = self.field.text().strip()
        if keep and title and self._chat is not None and title != self._chat.chat.title:
            self.wishes.send(RenameChat(self._chat.chat.id, title))


class ModelButton(QToolButton):
    """The model in use: a dot for its state, which its words say too, and its name."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._dot = "", "t3"
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_model(self, name: str, readiness: Readiness | None) -> None:
        """Show which model it is, and whether it can answer."""
        self._name = shown(name, 32)
        dot, state = _state_of(readiness)
        self._dot = dot
        words = {
            "ready": self.tr("ready"),
            "starting": self.tr("starting"),
            "problem": self.tr("cannot answer now"),
            "unknown": self.tr("not started yet"),
        }[state]
        self.setAccessibleName(self.tr("Model: {name}, {state}").format(name=self._name, state=words))
        problem = readiness.problem if readiness is not None else ""
        self.setToolTip(tip(f"{self._name}: {words}. {problem} (Ctrl+M)"))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        width = metrics("ui_label").horizontalAdvance(self._name)
        return QSize(round(width) + 12 + 8 + 8 + 8 + 16 + 8, 28)

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), 120), 28)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect())
        fill_rounded(painter, box, theme.hover if self.underMouse() else theme.raised, 6)
        stroke_rounded(painter, box, theme.btnline, 6)
        start = 12.0
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour(self._dot, theme))
        right = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        width = box.width()
        painter.drawEllipse(QPointF(width - start - 4 if right else start + 4, box.center().y()), 4, 4)
        painter.setPen(colour(theme.t1 if self.isEnabled() else theme.t3))
        painter.setFont(font("ui_label"))
        words = QRectF(start + 16, 0, width - start - 16 - 28, box.height())
        if right:
            words.moveLeft(28)
        text = painter.fontMetrics().elidedText(
            self._name, Qt.TextElideMode.ElideMiddle, int(words.width()) + 1
        )
        painter.drawText(words, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading), text)
        arrow = QRectF(8 if right else width - 24, 0, 16, box.height())
        paint_icon(painter, arrow, "chevron-down", "t2", 14)


def short_name(model: str) -> str:
    """A model's name without whose it is; the built-in one has a name of its own."""
    if model == "builtin":
        return "Built-in SmolLM2"
    name = (
        model.rpartition("#")[2] if model.startswith(("server:", "completion:")) else model.partition(":")[2]
    )
    name = name.rpartition("/")[2] if model.startswith(("gguf:", "scripted:")) else name
    return name or model


def _state_of(readiness: Readiness | None) -> tuple[str, str]:
    if readiness is None:
        return "edge", "unknown"
    if readiness.problem:
        return "errline", "problem"
    return ("ok", "ready") if readiness.ready else ("warn", "starting")
