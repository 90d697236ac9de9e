"""The head of the chat: its title, which can be changed in place, the model it asks, and what else can be done."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QStackedWidget, QWidget

from workbench.engine.intents import RenameChat
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.workspace_intents import FileChats
from workbench.ui import formatting
from workbench.ui.filing import file_chats
from workbench.ui.look.space import STRETCH, columns, fill
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.model_button import ModelButton, short_name
from workbench.ui.widgets.buttons import button, tool_button
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.labels import ElidedLabel
from workbench.ui.widgets.menu import fill_place_choice, menu, popup_below
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.wishes import NewWorkspace, ShowWorkspace, Wishes

HEIGHT = 44
NAMED_FROM = 590
"""From this width on, the workspace has its name beside its icon."""


class ChatHead(QWidget):
    """Title, model and menu of the chat in view."""

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self.setObjectName("surface")
        self.setFixedHeight(HEIGHT)
        self._chat: ChatState | None = None
        self._state = WorkbenchState()
        self._place = ""
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
        self.place = button("", "ghost", icon="folder", size="small")
        self.place.clicked.connect(lambda: self.wishes.run(ShowWorkspace(self._place)))
        self.place.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.place.customContextMenuRequested.connect(self.open_move_menu)
        self.model = ModelButton()
        self.model.clicked.connect(lambda: self.wishes.run("model"))
        self.tools = button(self.tr("Tools"), "ghost", icon="tool")
        self.tools.clicked.connect(lambda: self.wishes.run("tools"))
        self.tune = tool_button("sliders", self.tr("Parameters of this chat"))
        self.tune.clicked.connect(lambda: self.wishes.run("parameters"))
        self.more = tool_button("more", self.tr("More for this chat"))
        self.more.clicked.connect(lambda: self.wishes.run("chat-menu"))
        row = columns(self, (12, 0, 12, 0), 8)
        fill(row, (self._places, 1), self.place, self.model, self.tools, self.tune, self.more)

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        """Show whose head this is; a title that is being written belongs to the chat it was begun in."""
        if self._renaming and (chat is None or self._chat is None or chat.chat.id != self._chat.chat.id):
            self._renamed(keep=True)
        self._chat, self._state = chat, state
        known = chat is not None
        self._show_place(state, chat)
        self.title.setText(shown(chat.chat.title or self.tr("New chat")) if chat else self.tr("No chat"))
        for part in (self.edit, self.tools, self.tune, self.more, self.model):
            part.setEnabled(known)
        name = chat.chat.settings.model if chat else ""
        self._show_tools(len(chat.chat.settings.tools) if chat else 0)
        self._show_parameters(chat)
        self.model.show_model(short_name(name), state.readiness.get(name))

    def _show_place(self, state: WorkbenchState, chat: ChatState | None) -> None:
        place = None if chat is None else state.workspaces.get(chat.chat.filed.workspace)
        self._place = "" if place is None else place.id
        self.place.setVisible(place is not None)
        if place is not None:
            name = shown(place.name, 28)
            text = shown(place.name, 20) if self.width() >= NAMED_FROM else ""
            if text != self.place.text():
                self.place.setText(text)
            self.place.setAccessibleName(self.tr("Workspace: {name}").format(name=name))
            words = self.tr(
                "{name}: instructions and files shared by its chats. Right-click to move this chat."
            )
            self.place.setToolTip(tip(words.format(name=name)))

    def move_menu(self) -> QMenu:
        made = menu(self)
        chat, places = self._chat, self._state.workspaces
        if chat is None:
            return made
        key = chat.chat.id

        def move(to: str) -> None:
            self.wishes.do(file_chats((chat.chat,), FileChats((key,), workspace=to), key, self._state))

        names = {one.id: one.name for one in places.values()}
        fill_place_choice(made, names, {self._place}, move)
        made.addAction(self.tr("New workspace…"), lambda: self.wishes.run(NewWorkspace((key,))))
        return made

    def open_move_menu(self) -> None:
        below = self.place if self.place.isVisible() else self.model
        popup_below(self.move_menu(), below, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_place(self._state, self._chat)

    def _show_tools(self, count: int) -> None:
        words = self.tr("Tools: {n}").format(n=count) if count else self.tr("Tools")
        if words != self.tools.text() or not self.tools.toolTip():
            self.tools.setText(words)
            self.tools.setToolTip(
                tip(
                    formatting.counted(
                        count,
                        self.tr("1 tool is sent to this chat’s model"),
                        self.tr("{n} tools are sent to this chat’s model"),
                    )
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
            self.tr("{name} isn’t sent: {why}").format(name=one.name, why=one.reason) for one in unsent
        )
        self.tune.setToolTip(tip("\n".join((f"{words} (Ctrl+P)", *refused))))

    def rename(self) -> None:
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
        fill(row, self.title, self.edit, STRETCH)
        return holder

    def _renamed(self, *, keep: bool) -> None:
        if not self._renaming:
            return
        self._renaming = False  # first: hiding the field takes its focus, which would rename again
        self._places.setCurrentIndex(0)
        title = self.field.text().strip()
        if keep and title and self._chat is not None and title != self._chat.chat.title:
            self.wishes.send(RenameChat(self._chat.chat.id, title))
