"""All tools of a chat or a workspace: a card for each place they come from, with its rows and switches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from workbench.domain.tool import ToolDefinition
from workbench.ui import formatting
from workbench.ui.look.painting import Run
from workbench.ui.look.space import S2, columns, fill, rows
from workbench.ui.look.tones import Tone
from workbench.ui.tools.values import GroupValue, ToolValue
from workbench.ui.translation import tr
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.card import Card, Panel
from workbench.ui.widgets.choice import Switch
from workbench.ui.widgets.labels import ElidedLabel, label
from workbench.ui.widgets.plain import shown, tip

HEAD_HEIGHT, ROW_HEIGHT, NAME_WIDTH, FIGURE_WIDTH = 40, 31, 112, 40
LONGEST = 600


class ToolGroups(QWidget):
    """The groups under each other; what is pressed is told, and whoever knows how does it.

    Signals:
        switched: the model's names of tools, and whether they are on.
        acted: "start", "stop", "restart", "sign-in", "sign-out", "edit", "remove", "allow" or "look", and the server.
        arranged: other rows are there.
    """

    switched = Signal(object, bool)
    acted = Signal(str, str)
    arranged = Signal()

    def __init__(self, unfolded: bool = True) -> None:
        super().__init__()
        self._column = rows(self, spacing=S2)
        self._values: tuple[GroupValue, ...] = ()
        self._turned: set[str] = set()
        self._unfolded = unfolded
        self.heads: dict[str, GroupRow] = {}
        self.tools: dict[str, ToolRow] = {}
        self.notes: list[NoteRow] = []

    def show_groups(self, values: Sequence[GroupValue]) -> None:
        if tuple(values) != self._values:
            self._values = tuple(values)
            self._build()

    def fold(self, key: str) -> None:
        self._unfold(key, False)

    def words(self) -> str:
        if not any(group.on for group in self._values):
            return tr("all off")
        total = sum(group.tokens for group in self._values)
        return tr("{n} tokens of definitions").format(n=formatting.tokens(total))

    def _build(self) -> None:
        held = self._held()
        old = [self._column.itemAt(place).widget() for place in range(self._column.count())]
        self.heads, self.tools, self.notes = {}, {}, []
        for group in self._values:
            self._column.addWidget(self._card(group))
        for widget in old:
            self._column.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        key, where = held
        row = self.heads.get(key) or self.tools.get(key)
        if where and row is not None:
            (row if where == "row" else row.switch).setFocus(Qt.FocusReason.OtherFocusReason)
        self.arranged.emit()

    def _card(self, group: GroupValue) -> Card:
        card = Card()
        open_ = self._unfolded != (group.key in self._turned)
        head = self.heads[group.key] = GroupRow(group, open_)
        head.unfolded.connect(partial(self._unfold, group.key))
        head.switched.connect(partial(self._switch_all, group))
        head.acted.connect(lambda act, key=group.key: self.acted.emit(act, key))
        card.add_row(head)
        for note in self._notes(group):
            self.notes.append(note)
            card.add_row(note)
        for tool in group.tools if open_ else ():
            row = self.tools[tool.name] = ToolRow(tool, group.is_used)
            row.switched.connect(lambda name, on: self.switched.emit((name,), on))
            card.add_row(row)
        return card

    def _notes(self, group: GroupValue) -> list[NoteRow]:
        found: list[NoteRow] = []
        if group.sign_in == "needed" and group.is_used:
            press = on_click(
                button(tr("Sign in…"), "primary", size="small"),
                lambda: self.acted.emit("sign-in", group.key),
            )
            found.append(NoteRow(group.problem or tr("It wants you to sign in."), "t2", press))
        elif group.state == "failed" and group.is_used:
            found.append(NoteRow(group.problem or tr("It isn’t responding."), "err"))
        if group.waiting and group.is_used:
            press = button(tr("Review…"), "primary", size="small")
            press.clicked.connect(lambda: self.acted.emit("look", group.key))
            found.append(NoteRow(_waiting_words(group), "t2", press))
        if group.left_out:
            found.append(NoteRow("\n".join(group.left_out[:5]), "t3"))
        return found

    def _unfold(self, key: str, wanted: bool) -> None:
        if wanted != (self._unfolded != (key in self._turned)):
            self._turned ^= {key}
            self._build()

    def _switch_all(self, group: GroupValue, on: bool) -> None:
        if not group.is_used:
            self.acted.emit("allow", group.key)
        else:
            self.switched.emit(tuple(tool.name for tool in group.usable), on)

    def _held(self) -> tuple[str, str]:
        """Where the keyboard is: in which group or tool, and whether on its switch."""
        focused: QWidget | None = self.window().focusWidget()
        for key, row in (*self.heads.items(), *self.tools.items()):
            if focused is row:
                return key, "row"
            if focused is not None and row.isAncestorOf(focused):
                return key, "switch"
        return "", ""


def _waiting_words(group: GroupValue) -> str:
    changed = sum(tool.state == "changed" for tool in group.tools)
    new = len(group.waiting) - changed
    told = []
    if new:
        one = tr("1 tool is new. It is off until you review it.")
        told.append(
            formatting.counted(new, one, tr("{n} tools are new. They are off until you review them."))
        )
    if changed:
        one = tr("1 tool changed since your review and is off.")
        told.append(formatting.counted(changed, one, tr("{n} tools changed since your review and are off.")))
    return "\n".join(told)


class ToolRow(QWidget):
    """One tool: its name, what it says about itself, what it costs, and a switch.

    Signals:
        switched: by the model's name for it, and whether it is on.
    """

    switched = Signal(str, bool)

    def __init__(self, value: ToolValue, usable: bool = True) -> None:
        super().__init__()
        self.value = value
        self.setFixedHeight(ROW_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        quiet = "t1" if value.on else "t2"
        self.name = ElidedLabel(shown(value.title, 60), "ui", quiet)
        self.name.setFixedWidth(NAME_WIDTH)
        self.line = ElidedLabel(shown(first_words(value.definition), LONGEST), "small", "t3")
        self.line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.line.setToolTip(tip(value.definition.description))
        self.badge = Badge(*_tool_badge(value))
        self.switch = Switch(self._spoken(), value.on)
        self.switch.setEnabled(usable and value.state == "approved")
        self.figure = _figure(value.tokens, "t2" if value.on else "t3")
        across = columns(self, (44, 0, 12, 0), S2)
        fill(across, self.name, (self.line, 1), self.badge, self.switch, self.figure)
        self.badge.setVisible(bool(self.badge.word()))
        self.switch.clicked.connect(lambda on: self.switched.emit(value.name, on))

    def _spoken(self) -> str:
        value = self.value
        parts = [shown(value.title, 60), shown(first_words(value.definition), 200), _tool_badge(value)[2]]
        if value.tokens is not None:
            parts.append(formatting.token_words(value.tokens))
        return ", ".join(filter(None, parts))


class GroupRow(Panel):
    """Where tools come from: its name, how many are on, how it is, a switch for all of them, and what it costs.

    Signals:
        unfolded: its tools are to be seen, or not. switched: all of its tools are on, or off.
        acted: "start", "stop", "restart", "sign-out", "edit" or "remove".
    """

    spoken_role = QAccessible.Role.ListItem

    unfolded = Signal(bool)
    switched = Signal(bool)
    acted = Signal(str)

    padding = (8, 0, 0, 0)

    def __init__(self, value: GroupValue, open_: bool) -> None:
        super().__init__()
        self.value, self._open = value, open_
        self.runs = (
            Run(icon="chevron-down" if open_ else "chevron-right", token="t3", size=12, width=14, gap=2),
            Run(
                icon="tool" if value.server is None else "server",
                token="t2" if value.is_used else "t3",
                size=16,
            ),
        )
        self.setFixedHeight(HEAD_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setProperty("ring_radius", 8)
        name, line = group_words(value)
        self.name = ElidedLabel(name, "ui_label", "t1" if value.is_used else "t3")
        self.line = ElidedLabel(line, "small", "t3")
        self.line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.badge = Badge(*server_badge(value))
        self.badge.setVisible(value.server is not None)
        self.switch = Switch(tr("All tools of {name}").format(name=name), bool(value.on))
        self.switch.setEnabled(bool(value.usable) or not value.is_used)
        self.figure = _figure(value.tokens, "t1" if value.on else "t3")
        self._build()
        self.setAccessibleName(", ".join(filter(None, (name, line, self.badge.word()))))
        self.setAccessibleDescription(tr("unfolded") if open_ else tr("folded"))
        self.switch.clicked.connect(self.switched)

    def _build(self) -> None:
        across = fill(columns(self, (44, 0, 12, 0), S2), self.name, (self.line, 1), self.badge)
        self.acts = {act: self._act(act, icon, words) for act, icon, words in self._acts()}
        for made in self.acts.values():
            across.addWidget(made)
        fill(across, self.switch, self.figure)

    def _acts(self) -> list[tuple[str, str, str]]:
        value = self.value
        if value.server is None:
            return []
        name = shown(value.server.name, 40)
        runs = value.state in ("connected", "starting")
        found = [("edit", "edit", tr("Edit {name}…")), ("remove", "trash", tr("Remove {name}"))]
        if value.sign_in == "done":
            found[:0] = [("sign-out", "key", tr("Sign out of {name}"))]
        if runs:
            found[:0] = [("stop", "stop", tr("Stop {name}"))]
        if value.is_used:
            word = tr("Start {name} again") if runs or value.state == "failed" else tr("Start {name}")
            icon = "play" if value.state == "off" else "refresh"
            found[:0] = [("start" if value.state == "off" else "restart", icon, word)]
        return [(act, icon, words.format(name=name)) for act, icon, words in found]

    def _act(self, act: str, icon: str, words: str) -> QWidget:
        made = on_click(tool_button(icon, words, side=24), lambda: self.acted.emit(act))
        return made

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, has_server = event.key(), self.value.server is not None
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.unfolded.emit(not self._open)
        elif key in (Qt.Key.Key_Right, Qt.Key.Key_Left):
            self.unfolded.emit(key == Qt.Key.Key_Right)
        elif key == Qt.Key.Key_Space and self.switch.isEnabled():
            self.switch.click()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_F2) and has_server:
            self.acted.emit("remove" if key == Qt.Key.Key_Delete else "edit")
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.unfolded.emit(not self._open)


class NoteRow(QWidget):
    """What there is to say about a server, and what to do about it."""

    def __init__(self, words: str, token: str = "t2", action: QWidget | None = None) -> None:
        super().__init__()
        across = columns(self, (44, 7, 12, 7), S2)
        down = rows(across, spacing=2)
        across.setStretch(0, 1)
        for line in words.splitlines() or [""]:
            down.addWidget(label(shown(line, 400), "small", token, wrap=True))
        if action is not None:
            across.addWidget(action, 0, Qt.AlignmentFlag.AlignTop)


def _figure(tokens: int | None, token: str) -> QLabel:
    made = label("" if tokens is None else formatting.tokens(tokens), "ui", token)
    made.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
    made.setMinimumWidth(FIGURE_WIDTH)
    return made


def first_words(tool: ToolDefinition) -> str:
    """The first line of what a tool says about itself."""
    return next((line.strip() for line in tool.description.splitlines() if line.strip()), "")


def group_words(value: GroupValue) -> tuple[str, str]:
    """The name of a group, and a line about it."""
    n, on = len(value.tools), len(value.on)
    if value.server is None:
        if not n:
            return tr("Built in"), tr("none here")
        names = " ".join(tool.title for tool in value.tools)
        count = _many(n) if on == n else tr("{on} of {n} tools on").format(on=on, n=n)
        return tr("Built in"), f"{count}: {names}"
    name = shown(value.server.name, 40)
    if not n:
        return name, tr("MCP · start it to see what it has") if value.is_used else tr("MCP")
    if on:
        return name, tr("MCP · {on} of {n} tools on").format(on=on, n=n)
    cost = value.tokens_when_on
    if cost is None:
        return name, tr("MCP · {tools}").format(tools=_many(n))
    return name, tr("MCP · {tools}, {cost} when on").format(tools=_many(n), cost=formatting.tokens(cost))


def _many(n: int) -> str:
    return tr("1 tool") if n == 1 else tr("{n} tools").format(n=n)


def server_badge(value: GroupValue) -> tuple[Tone, str, str]:
    """How a server is: tint, icon and word."""
    if not value.is_used:
        return "neutral", "", tr("off")
    if value.sign_in == "needed":
        return "warn", "lock", tr("sign in")
    looks: dict[str, tuple[Tone, str, str]] = {
        "off": ("neutral", "", tr("not started")),
        "starting": ("info", "clock", tr("starting")),
        "connected": ("ok", "check", tr("connected")),
        "failed": ("err", "warn", tr("not responding")),
    }
    return looks[value.state]


def _tool_badge(value: ToolValue) -> tuple[Tone, str, str]:
    looks: dict[str, tuple[Tone, str, str]] = {
        "new": ("info", "", tr("not reviewed")),
        "changed": ("warn", "diff", tr("changed")),
        "approved": ("neutral", "", ""),
    }
    return looks[value.state]
