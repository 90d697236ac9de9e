"""What is remembered: the list of facts, and “Remember this” for what was said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QShortcut
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from workbench.domain.workspace import EVERYWHERE, Fact, Workspace
from workbench.engine.state import WorkbenchState
from workbench.ui import formatting
from workbench.ui.look.fonts import font, line_height, metrics
from workbench.ui.look.painting import placed, set_text_style
from workbench.ui.look.space import STRETCH, columns, fill
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.choice import Choice, Field, TextField
from workbench.ui.widgets.floating import NotedSheet, Sheet
from workbench.ui.widgets.items.views import Index, item_option
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.segmented import Segmented
from workbench.ui.wishes import ShowFound, Wishes

WIDTH, HEIGHT, ROW = 640, 560, 32
_FACT, _SIDE, _SUGGESTED = (Qt.ItemDataRole.UserRole + n for n in range(3))
PADDING = 10
_ALL = "all"
REMEMBER_WIDTH, LINES = 560, 5


class FactsDialog(NotedSheet):
    """Facts one under the other: F2 edits, Del removes with a way back, Enter accepts what is suggested.

    Signals:
        revised: a workspace as it was, as it is to be, and what that is called.
        suggest_wished: a model is to be asked what to remember.
    """

    revised = Signal(object, object, str)
    suggest_wished = Signal()

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(tr("Memory"), WIDTH, HEIGHT, parent)
        self.wishes = wishes or Wishes(self)
        self._state = WorkbenchState()
        self._tokens: dict[str, int] = {}
        self._for = EVERYWHERE
        self._shown: tuple[object, ...] = ()
        self._undo: tuple[Workspace, Workspace] | None = None
        self.new_id: Callable[[], str] = lambda: ""
        self._top()
        self.list = _FactList()
        self.list.setAccessibleName(tr("What is remembered"))
        self.list.setItemDelegate(_FactDelegate(self.list))
        self.list.setEditTriggers(
            QListWidget.EditTrigger.EditKeyPressed | QListWidget.EditTrigger.DoubleClicked
        )
        self.list.itemChanged.connect(self._edited)
        self.list.currentItemChanged.connect(lambda _new, _old: self._show_buttons())
        self.list.delete_pressed.connect(self.remove)
        self.list.accept_pressed.connect(self.accept_fact)
        self.empty = label(
            tr("Nothing is remembered here yet. Write a fact above, or choose “Remember this” on a message."),
            "small",
            "t3",
            wrap=True,
        )
        fill(self.body, (self.list, 1), self.empty)
        self.add_note(self._take_back)
        self._buttons()

    def _top(self) -> None:
        row = columns(self.body, spacing=8)
        self.where = Choice()
        self.where.setAccessibleName(tr("For whom it is remembered"))
        self.where.activated.connect(lambda _index: self._go(self.where.chosen()))
        self.field = Field(tr("A fact to remember"), "bulb")
        self.field.returnPressed.connect(self._add)
        self.add = on_click(button(tr("Add"), icon="plus"), self._add)
        fill(row, self.where, (self.field, 1), self.add)

    def _buttons(self) -> None:
        self.suggest = on_click(button(tr("Suggest facts…"), icon="bulb"), self.suggest_wished)
        self.source = on_click(button(tr("Show where it was said")), self._show_source)
        self.change = button(tr("Edit"), shortcut_hint="F2")
        self.change.clicked.connect(lambda: self.list.editItem(self.list.currentItem()))
        self.take = on_click(button(tr("Remove"), "danger", shortcut_hint="Del"), self.remove)
        self.yes = on_click(button(tr("Accept"), "primary", shortcut_hint="↵"), self.accept_fact)
        fill(self.foot, self.suggest, STRETCH, self.source, self.change, self.take, self.yes)

    # --- what is shown --------------------------------------------------------------------------------------

    def open_for(self, workspace: str) -> None:
        """Show what is remembered in a workspace; an empty one is all chats."""
        self._for, self._shown = workspace, ()

    def show_state(self, state: WorkbenchState, tokens: dict[str, int] | None = None) -> None:
        """Show what there is; `tokens` are those of facts in the next request, by their words."""
        self._state, self._tokens = state, tokens or {}
        if self._for and self._for not in state.workspaces:
            self._for = EVERYWHERE
        named = tuple((one.id, one.name) for one in state.workspaces.values())
        now = (self._for, self.place().facts, named, tuple(self._tokens.items()))
        if now != self._shown:
            self._shown = now
            self._list_places(named)
            self._list(self.place().facts)

    def place(self) -> Workspace:
        return self._state.workspaces.get(self._for, self._state.everywhere)

    def chosen(self) -> Fact | None:
        item: QListWidgetItem | None = self.list.currentItem()
        key = "" if item is None else item.data(_FACT)
        return next((fact for fact in self.place().facts if fact.id == key), None)

    def _list_places(self, named: Sequence[tuple[str, str]]) -> None:
        with QSignalBlocker(self.where):
            self.where.clear()
            for key, name in ((_ALL, tr("All chats")), *named):
                self.where.addItem(shown(name, 40), key)
            self.where.choose(self._for or _ALL)

    def _list(self, facts: Sequence[Fact]) -> None:
        row = self.list.currentRow()
        with QSignalBlocker(self.list):
            self.list.clear()
            for fact in facts:
                item = QListWidgetItem(fact.text)
                item.setData(_FACT, fact.id)
                item.setData(_SIDE, tr("suggested") if fact.suggested else self._figure(fact))
                item.setData(_SUGGESTED, fact.suggested)
                item.setSizeHint(QSize(0, ROW))
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
                item.setToolTip(tip(f"{fact.text}\n{self._line(fact)}"))
                item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{fact.text}, {self._line(fact)}")
                if fact.suggested:
                    face = item.font()
                    face.setItalic(True)
                    item.setFont(face)
                self.list.addItem(item)
            self.list.setCurrentRow(min(max(row, 0), self.list.count() - 1))
        self.list.setVisible(bool(facts))
        self.empty.setVisible(not facts)
        self._show_buttons()

    def _figure(self, fact: Fact) -> str:
        tokens = self._tokens.get(fact.text)
        return formatting.tokens(tokens) if tokens else ""

    def _line(self, fact: Fact) -> str:
        if fact.suggested:
            return tr("suggested; in no request before you accept it")
        tokens = self._tokens.get(fact.text)
        return formatting.token_words(tokens) if tokens else ""

    def _show_buttons(self) -> None:
        fact = self.chosen()
        self.change.setEnabled(fact is not None)
        self.take.setEnabled(fact is not None)
        suggested = fact is not None and fact.suggested
        self.take.setText(tr("Dismiss") if suggested else tr("Remove"))
        self.yes.setVisible(any(one.suggested for one in self.place().facts))
        self.yes.setEnabled(suggested)
        self.source.setVisible(fact is not None and bool(fact.chat))
        if fact is not None and not self.undo.isVisible():
            set_text(self.said, self._line(fact))

    # --- what is changed ------------------------------------------------------------------------------------

    def _go(self, place: str) -> None:
        self._for = "" if place == _ALL else place
        self.show_state(self._state, self._tokens)

    def _add(self) -> None:
        words = " ".join(self.field.text().split())
        if words:
            self.field.clear()
            fact = Fact(self.new_id(), words)
            self._revise((*self.place().facts, fact), tr("Remember a fact"))

    def _edited(self, item: QListWidgetItem) -> None:
        words, key = item.text().strip(), item.data(_FACT)
        old = next((fact for fact in self.place().facts if fact.id == key), None)
        if old is None or words == old.text:
            return
        if not words:
            self._shown = ()
            self.show_state(self._state, self._tokens)
            return
        changed = tuple(replace(one, text=words) if one.id == key else one for one in self.place().facts)
        self._revise(changed, tr("Edit a fact"))

    def accept_fact(self) -> None:
        fact = self.chosen()
        if fact is not None and fact.suggested:
            facts = tuple(
                replace(one, suggested=False) if one.id == fact.id else one for one in self.place().facts
            )
            self._revise(facts, tr("Remember a fact"))

    def remove(self) -> None:
        """Forget a fact, or dismiss one that is suggested; it can be taken back."""
        fact = self.chosen()
        if fact is None:
            return
        place = self.place()
        self._revise(tuple(one for one in place.facts if one.id != fact.id), tr("Forget a fact"))
        self._undo = (replace(place, facts=tuple(one for one in place.facts if one.id != fact.id)), place)
        words = tr("“{fact}” is forgotten.") if not fact.suggested else tr("“{fact}” is dismissed.")
        self.say(words.format(fact=shown(fact.text, 60)))
        self.undo.show()

    def _take_back(self) -> None:
        if self._undo is not None:
            self.revised.emit(*self._undo, tr("Remember it after all"))
            self._undo = None
            self.say("")

    def _revise(self, facts: tuple[Fact, ...], title: str) -> None:
        place = self.place()
        self.say("")
        self.revised.emit(place, replace(place, facts=facts), title)

    def _show_source(self) -> None:
        fact = self.chosen()
        if fact is not None and fact.chat:
            self.wishes.run(ShowFound(fact.chat, fact.message))
            self.accept()


class _FactDelegate(QStyledItemDelegate):
    """A fact with its tokens at the end; one that is suggested on a tint, with the word."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, row = theme_of(), item_option(option)
        box, chosen = row.box, row.selected
        suggested = bool(index.data(_SUGGESTED))
        ground = "sel" if chosen else "accent_tint" if suggested else ""
        if suggested and not chosen:
            painter.fillRect(box, colour(ground, theme))
        super().paint(painter, option, index)
        words = str(index.data(_SIDE) or "")
        if words:
            wide = metrics("small").horizontalAdvance(words) + 2 * PADDING
            spot = placed(box, box.width() - wide, wide)
            painter.fillRect(spot, colour(ground or "surface", theme))
            set_text_style(painter, font("small"), colour("accent_text" if suggested else "t2", theme))
            painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, words)


class _FactList(QListWidget):
    """Del and Enter act on the chosen fact."""

    delete_pressed = Signal()
    accept_pressed = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.delete_pressed.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.accept_pressed.emit()
        else:
            super().keyPressEvent(event)


class RememberDialog(Sheet):
    """A text and a place; Ctrl+Enter remembers it.

    Signals:
        remembered: the text, and the id of the workspace it holds for; empty for all chats.
    """

    remembered = Signal(str, str)

    def __init__(self, text: str, inside: Workspace | None, parent: QWidget | None = None) -> None:
        super().__init__(tr("Remember this"), REMEMBER_WIDTH, 0, parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.text = TextField(tr("What to remember, in a sentence"))
        self.text.setPlainText(text)
        self.text.selectAll()
        self.text.setFixedHeight(LINES * line_height("ui") + 14)
        self.body.addWidget(self.text)
        self.body.addWidget(
            label(
                tr("It’s in System, the first layer of every request, from now on."),
                "small",
                "t3",
                wrap=True,
            )
        )
        places: tuple[tuple[str, str], ...] = ((_ALL, tr("All chats")),)
        if inside is not None:
            places = ((inside.id, tr("Chats in {name}").format(name=shown(inside.name, 40))), *places)
        self.place = Segmented(places)
        self.place.setAccessibleName(tr("For whom it is remembered"))
        fill(columns(self.body, spacing=8), label(tr("For"), "ui", "t2"), self.place, STRETCH)
        cancel = on_click(button(tr("Cancel"), "ghost", "", "Esc"), self.reject)
        self.keep = on_click(button(tr("Remember"), "primary", "bulb", "Ctrl+↵"), self._keep)
        fill(self.foot, STRETCH, cancel, self.keep)
        self.text.textChanged.connect(self._check)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self).activated.connect(self._keep)
        self._check()

    def _check(self) -> None:
        self.keep.setEnabled(bool(self.text.toPlainText().strip()))

    def _keep(self) -> None:
        words = self.text.toPlainText().strip()
        if words:
            place = self.place.current()
            self.remembered.emit(words, "" if place == _ALL else place)
            self.accept()
