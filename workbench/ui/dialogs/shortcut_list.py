"""The guide's page of all shortcuts (Ctrl+/), where each command's keys can be changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain, zip_longest
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication, QEvent, QKeyCombination, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QKeySequenceEdit, QTableView, QWidget

from workbench.ui.commands import Spec, with_keys
from workbench.ui.formatting import clauses
from workbench.ui.look.fonts import metrics, scale
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import fill_rounded, paint_text, stroke_rounded, take_end
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.look.theme import theme_of
from workbench.ui.translation import key_words, tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.items.item_model import ITEM, ItemModel
from workbench.ui.widgets.items.views import CalmView, Index, ItemOption, RowDelegate, item_option, set_up
from workbench.ui.widgets.labels import KEY_CAP_HEIGHT, key_cap_width, label, or_none, paint_key_cap, set_text

EDIT_WIDTH, UNDO, GAP, TWO_COLUMNS_PX, BETWEEN = 132, 20, 8, 800, 32
_PLAIN = (
    Qt.KeyboardModifier.NoModifier | Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
)


def in_panes() -> tuple[tuple[str, str, str], ...]:
    """Keys that work only where the focus is: group, key, and what it does."""
    message, tree, bar = tr("While writing"), tr("On a row of the request"), tr("On the budget bar")
    answer = tr("On an answer")
    return (
        (message, "Enter", tr("Send, or queue while an answer arrives")),
        (message, "Shift+Enter", tr("New line")),
        (message, "↑ ↓", tr("Earlier questions")),
        (message, "Esc", tr("Stop the answer")),
        (answer, "E", tr("Edit it, as a version beside it")),
        (answer, "Ctrl+S", tr("Keep your version")),
        (tree, "Space", tr("Pin or unpin")),
        (tree, "+ −", tr("Drop earlier, drop later")),
        (tree, "0 … 9", tr("Set the priority")),
        (tree, "Del", tr("Leave out, or put back")),
        (tree, "Enter", tr("Show its bytes")),
        (tree, "W", tr("Why is this here? For what was recalled")),
        (tree, "M", tr("More from the file of a quote")),
        (bar, "← →", tr("Go along the segments")),
        (bar, "Enter", tr("Select the segment")),
    )


class KeysEdit(QKeySequenceEdit):
    """Records the next keys pressed; Esc leaves everything as it was, Backspace removes the keys."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setMaximumSequenceLength(1)
        self.setFixedWidth(round(EDIT_WIDTH * scale()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bare = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if bare and event.key() == Qt.Key.Key_Backspace:
            self.clear()
            self.editingFinished.emit()
        elif bare and event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Return):
            event.ignore()
        else:
            super().keyPressEvent(event)


class Line(NamedTuple):
    """Keys and what they do; those of a command, which has an `id`, can be changed. Without both it is a heading."""

    group: str
    words: str
    keys: str = ""
    also: str = ""
    id: str = ""
    changed: bool = False

    def has(self, wanted: Sequence[str]) -> bool:
        said = f"{self.words} {self.keys}".casefold()
        return all(word in said for word in wanted)


NONE = Line("", "")


class _Lines(ItemModel[tuple[Line, Line]]):
    column_count = 2

    def line(self, index: Index) -> Line:
        row = self.item(index)
        return NONE if row is None else row[index.column()]

    def flags(self, index: Index) -> Qt.ItemFlag:
        line = self.line(index)
        if line.id:
            return super().flags(index) | Qt.ItemFlag.ItemIsEditable
        return super().flags(index) if line.keys else Qt.ItemFlag.NoItemFlags

    def text_of(self, row: tuple[Line, Line], column: int = 0) -> str:
        return row[column].words

    def spoken_of(self, row: tuple[Line, Line], column: int = 0) -> str:
        line = row[column]
        keys = key_words(line.keys)
        return clauses((line.words, or_none(keys) if line.id else keys, key_words(line.also)))

    def tip_of(self, row: tuple[Line, Line], column: int = 0) -> str:
        line = row[column]
        usual = tr("The program’s own keys again")
        return f"{line.words}\n{usual} ({key_words('Del')})" if line.changed else line.words


class _Keys(RowDelegate):
    """Paints the lines; keys are recorded in place.

    Signals:
        typed: keys were recorded for a command, by its id.
        reset: a command is to have its usual keys again.
    """

    typed, reset = Signal(str, str), Signal(str)

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        line, theme = _line(index), theme_of()
        rest, field, undo = _parts(row.box, index)
        if not (line.id or line.keys):
            paint_text(painter, rest.adjusted(0, 8, 0, 0), line.words, "ui_heading", "t1")
            return
        if line.id:
            fill_rounded(painter, field, theme.surface, 6)
            stroke_rounded(painter, field, *((theme.accent, 6, 1.5) if row.ringed else (theme.edge, 6)))
            words = QKeySequence(line.keys).toString(QKeySequence.SequenceFormat.NativeText)
            none = "" if words else QCoreApplication.translate("QKeySequenceEdit", "Press shortcut")
            paint_text(painter, field.adjusted(3, 0, -3, 0), words or none, "ui", "t3" if none else "t1")
        if cap := line.also if line.id else line.keys:
            box = take_end(rest, key_cap_width(cap), GAP)
            middle = box.adjusted(0, (box.height() - KEY_CAP_HEIGHT) // 2, 0, 0)
            middle.setHeight(KEY_CAP_HEIGHT)
            paint_key_cap(painter, middle, cap, theme.t2, theme.btnline)
        paint_text(painter, rest, line.words, "ui", "t2")
        if line.id:
            painter.setOpacity(1 if line.changed else 0.45)
            paint_icon(painter, undo, "undo", "t2", 14)

    def createEditor(self, parent: QWidget, _option: Any, index: Index) -> QWidget:
        line = _line(index)
        made = KeysEdit(tr("Keys of: {title}").format(title=line.words))
        made.setParent(parent)
        made.setKeySequence(QKeySequence(line.keys))
        made.editingFinished.connect(partial(self._finish, made))
        return made

    def _finish(self, made: QWidget) -> None:
        self.commitData.emit(made)
        self.closeEditor.emit(made)

    def setEditorData(self, _editor: QWidget, _index: Index) -> None:
        """It has them from the beginning; what is being recorded stays."""

    def setModelData(self, editor: QWidget, _model: Any, index: Index) -> None:
        assert isinstance(editor, KeysEdit)
        keys = editor.keySequence().toString(QKeySequence.SequenceFormat.PortableText)
        self.typed.emit(_line(index).id, keys)

    def updateEditorGeometry(self, editor: QWidget, option: Any, index: Index) -> None:
        editor.setGeometry(_parts(item_option(option).box, index)[1].toRect())

    def editorEvent(self, event: QEvent, model: Any, option: Any, index: Index) -> bool:
        """A click on the keys records others, one on the arrow beside them brings the usual ones back."""
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease:
            _, field, undo = _parts(item_option(option).box, index)
            if field.contains(event.position()):
                self.view().edit(index)
            elif undo.contains(event.position()) and _line(index).changed:
                self.reset.emit(_line(index).id)
        return super().editorEvent(event, model, option, index)


def _line(index: Index) -> Line:
    found: Line = index.data(ITEM)[index.column()]
    return found


def _parts(box: QRectF, index: Index) -> tuple[QRectF, QRectF, QRectF]:
    """Where words, keys and the arrow are that brings the usual keys back; those of a pane can't be changed."""
    rest = box.adjusted(BETWEEN / 2, 0, -2, 0) if index.column() else box.adjusted(0, 0, -BETWEEN / 2, 0)
    if not _line(index).id:
        return rest, QRectF(), QRectF()
    undo = take_end(rest, UNDO, GAP)
    return rest, take_end(rest, round(EDIT_WIDTH * scale()), GAP).adjusted(0, 4, 0, -4), undo


class _Table(CalmView, QTableView):
    """The lines, which arrows go along; Enter records keys for one."""

    def __init__(self, lines: _Lines) -> None:
        super().__init__()
        set_up(self)
        self.lines, self.keys = lines, _Keys(self)
        self.setModel(lines)
        self.setItemDelegate(self.keys)
        self.setAccessibleName(tr("Shortcuts"))
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QTableView.SelectionMode.NoSelection)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().hide()
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(max(32, round(metrics("ui").height()) + 15))

    def focusInEvent(self, event: QFocusEvent) -> None:
        if not self.currentIndex().isValid():
            self.setCurrentIndex(self.lines.index(1))  # a heading stands above it
        super().focusInEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        line = self.lines.line(self.currentIndex())
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_F2 if line.id:
                self.edit(self.currentIndex())
            case Qt.Key.Key_Delete if line.changed:
                self.keys.reset.emit(line.id)
            case _:
                super().keyPressEvent(event)


class ShortcutList(QWidget):
    """The shortcuts under their headings, in two columns; `show_words` filters them.

    Signals:
        changed: the keys that differ from the defaults, by command id.
    """

    changed = Signal(object)

    def __init__(
        self, wanted: Sequence[Spec], chosen: Mapping[str, str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._specs, self._chosen = tuple(wanted), dict(chosen)
        self._swap: tuple[Spec, Spec, str] | None = None
        self._words: list[str] = []
        self.lines = _Lines()
        self.table = _Table(self.lines)
        self.table.keys.typed.connect(self._on_typed)
        self.table.keys.reset.connect(self._reset)
        self.setFocusProxy(self.table)
        self.note = label("", "small", "warn")
        self.swap = on_click(button(tr("Swap them"), "link", size="small"), self._on_swap)
        self.swap.hide()
        self.all = on_click(button(tr("Reset all")), self._reset_all)
        outer = fill(rows(self, (16, 16, 16, 8), 8), (self.table, 1))
        fill(columns(outer, spacing=8), (self.note, 1), self.swap, self.all)
        self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Use two columns if there is room, else one below the other."""
        super().resizeEvent(event)
        if self._is_wide() == self.table.isColumnHidden(1):
            self._show()

    def _is_wide(self) -> bool:
        return self.width() >= TWO_COLUMNS_PX * scale()

    def _show(self) -> None:
        lines = [
            *(
                Line(spec.group, spec.title, spec.shortcut, spec.also, spec.id, spec.id in self._chosen)
                for spec in with_keys(self._specs, self._chosen)
            ),
            *(Line(group, words, keys) for group, keys, words in in_panes()),
        ]
        groups: dict[str, list[Line]] = {}
        for line in [line for line in lines if line.has(self._words)] or lines:
            groups.setdefault(line.group, [Line(line.group, line.group)]).append(line)
        wide, filled = self._is_wide(), list(groups.values())
        left = chain.from_iterable(filled[:: 1 + wide])
        right = chain.from_iterable(filled[1::2] if wide else ())
        self.table.setColumnHidden(1, not wide)
        self.lines.show_items(list(zip_longest(left, right, fillvalue=NONE)))
        self.all.setEnabled(bool(self._chosen))

    def _on_typed(self, command: str, keys: str) -> None:
        """Use the typed keys, unless another command has them or they are needed for typing."""
        now = with_keys(self._specs, self._chosen)
        spec = next(one for one in now if one.id == command)
        if keys == spec.shortcut:
            return
        other = next(
            (one for one in now if one.id != spec.id and keys and keys in (one.shortcut, one.also)), None
        )
        if other is not None:
            self._refuse(tr("{keys} is taken: {title}").format(keys=key_words(keys), title=other.title))
            if keys == other.shortcut:
                self._swap = (spec, other, keys)
                self.swap.show()
        elif keys and _is_plain(keys):
            self._refuse(
                tr("{keys} is needed for typing. Add Ctrl or Alt, or use a function key.").format(
                    keys=key_words(keys)
                )
            )
        else:
            self._choose({spec.id: keys})

    def _refuse(self, words: str) -> None:
        self._swap = None
        self.swap.hide()
        set_text(self.note, words)
        self._show()

    def _on_swap(self) -> None:
        if self._swap is not None:
            spec, other, keys = self._swap
            self._choose({spec.id: keys, other.id: spec.shortcut})

    def _reset(self, command: str) -> None:
        self._choose({spec.id: spec.shortcut for spec in self._specs if spec.id == command})

    def _choose(self, keys: Mapping[str, str]) -> None:
        usual: dict[str, str] = {spec.id: spec.shortcut for spec in self._specs}
        wanted = {**self._chosen, **keys}
        taken = next(
            (key for key in keys.values() if key and list(_all_keys(self._specs, wanted)).count(key) > 1), ""
        )
        if taken:
            self._refuse(
                tr("{keys} is taken by another command. Change that one first.").format(keys=key_words(taken))
            )
            return
        self._chosen = {name: key for name, key in wanted.items() if usual.get(name) != key}
        self._refuse("")
        self.changed.emit(dict(self._chosen))

    def _reset_all(self) -> None:
        self._chosen = {}
        self._refuse("")
        self.changed.emit({})

    def show_words(self, typed: str) -> bool:
        """Show only lines with all these words in title or keys, or all lines if none has; return whether any has."""
        words = typed.casefold().split()
        if words != self._words:
            self._words = words
            self._show()
        shown = (line for row in self.lines.items for line in row if line.id or line.keys)
        return all(line.has(self._words) for line in shown)


def _all_keys(specs: Sequence[Spec], chosen: Mapping[str, str]) -> list[str]:
    return [keys for spec in with_keys(specs, chosen) for keys in (spec.shortcut, spec.also) if keys]


def _is_plain(keys: str) -> bool:
    """Whether keys type text or move in it; without Ctrl or Alt only function keys do neither."""
    combined: QKeyCombination = QKeySequence(keys)[0]  # type: ignore[index]
    held = combined.keyboardModifiers() & ~_PLAIN
    function = Qt.Key.Key_F1 <= combined.key() <= Qt.Key.Key_F35
    return not held and not function
