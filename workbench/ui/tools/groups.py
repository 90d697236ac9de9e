"""All tools of a chat or a workspace in cards, one for each place they come from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from workbench.ui import formatting
from workbench.ui.look.space import S2, rows
from workbench.ui.tools.rows import GroupRow, NoteRow, ToolRow
from workbench.ui.tools.values import GroupValue
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.card import Card

_tr = translator("Tools")


class ToolGroups(QWidget):
    """The groups under each other; what is pressed is told, and whoever knows how does it.

    Signals:
        switched: the model's names of tools, and whether they are on.
        acted: "start", "stop", "restart", "edit", "remove", "allow" or "look", and the server.
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
            return _tr("all off")
        total = sum(group.tokens for group in self._values)
        return _tr("{n} tokens of definitions").format(n=formatting.tokens(total))

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
        self._focus(held)
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
        if group.state == "failed" and group.is_used:
            found.append(NoteRow(group.problem or _tr("It does not answer."), "err"))
        if group.waiting and group.is_used:
            press = button(_tr("Look at them…"), "primary", size="small")
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

    def _focus(self, held: tuple[str, str]) -> None:
        key, where = held
        row = self.heads.get(key) or self.tools.get(key)
        if where and row is not None:
            (row if where == "row" else row.switch).setFocus(Qt.FocusReason.OtherFocusReason)


def _waiting_words(group: GroupValue) -> str:
    changed = sum(tool.state == "changed" for tool in group.tools)
    new = len(group.waiting) - changed
    told = []
    if new:
        one = _tr("1 tool is new. It is off until you review it.")
        told.append(
            formatting.counted(new, one, _tr("{n} tools are new. They are off until you review them."))
        )
    if changed:
        one = _tr("1 tool changed since your review and is off.")
        told.append(formatting.counted(changed, one, _tr("{n} tools changed since your review and are off.")))
    return "\n".join(told)
