"""The guide's page of all shortcuts (Ctrl+/), where each command's keys can be changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, pairwise

from PySide6.QtCore import QKeyCombination, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QKeySequenceEdit, QVBoxLayout, QWidget

from workbench.ui.commands import Spec, with_keys
from workbench.ui.look.fonts import scale
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.translation import key_words, tr
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.labels import ElidedLabel, KeyCap, label, set_text
from workbench.ui.widgets.stack import scroll_area, transparent

EDIT_WIDTH, TWO_COLUMNS_PX = 132, 800
FIRST_LINES, TURN_LINES, TURN_MS = 36, 4, 16
"""How many lines are created at once, more than are visible; the others follow a few at a time."""
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


Group = tuple[str, list[Callable[[], QWidget]]]


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
        self._outer = rows(self, (16, 16, 16, 8), 8)
        self._lines: list[tuple[str, QWidget]] = []
        self._heads: list[tuple[QWidget, list[QWidget]]] = []
        self._edits: dict[str, KeysEdit] = {}
        self._also: dict[str, KeyCap] = {}
        self._resets: dict[str, QWidget] = {}
        self._pending_lines = self._build_columns()
        self._line_timer = QTimer(self)
        self._line_timer.timeout.connect(lambda: self._create_lines(TURN_LINES))
        self.note = label("", "small", "warn")
        self.swap = on_click(button(tr("Swap them"), "link", size="small"), self._on_swap)
        self.swap.hide()
        self.all = on_click(button(tr("Reset all")), self._reset_all)
        fill(columns(self._outer, spacing=8), (self.note, 1), self.swap, self.all)
        self._buttons = (self.swap, self.all)
        self._create_lines(FIRST_LINES)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._line_timer.start(TURN_MS)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Use two columns if there is room, else one below the other."""
        super().resizeEvent(event)
        wide = self.width() >= TWO_COLUMNS_PX * scale()
        across = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        if self._across.direction() != across:
            self._across.setDirection(across)
            self._across.setSpacing(32 if wide else 0)

    @property
    def edits(self) -> dict[str, KeysEdit]:
        self.make_all()
        return self._edits

    @property
    def resets(self) -> dict[str, QWidget]:
        self.make_all()
        return self._resets

    def made(self) -> int:
        return len(self._lines)

    def make_all(self) -> None:
        self._create_lines(len(self._specs) + len(in_panes()))

    def _create_lines(self, lines: int) -> None:
        known = len(self._lines)
        made = sum(1 for _ in islice(self._pending_lines, lines))
        if made < lines:
            self._line_timer.stop()
        if len(self._lines) > known:
            self._show()
            self._set_tab_order()

    def _set_tab_order(self) -> None:
        """Make Tab go from command to command, then to the buttons below, regardless of the order of creation."""
        there = [spec.id for spec in self._specs if spec.id in self._edits]
        fields = (widget for name in there for widget in (self._edits[name], self._resets[name]))
        for before, after in pairwise((*fields, *self._buttons)):
            QWidget.setTabOrder(before, after)

    def _build_columns(self) -> Iterator[None]:
        """Create two empty columns; the returned iterator creates one of their lines at every step, from the top."""
        content = transparent()
        self._across = columns(content, (0, 0, 12, 0), 32)
        sides = (rows(self._across, spacing=2), rows(self._across, spacing=2))
        for side in sides:
            side.addStretch(1)
        area = scroll_area(content, tr("Shortcuts"))
        self.setFocusProxy(area)
        self._outer.addWidget(area, 1)
        return self._line_creation(sides)

    def _line_creation(self, sides: tuple[QVBoxLayout, QVBoxLayout]) -> Iterator[None]:
        groups: dict[str, list[Callable[[], QWidget]]] = {}
        for spec in self._specs:
            groups.setdefault(spec.group, []).append(partial(self._command_line, spec))
        for group, key, words in in_panes():
            groups.setdefault(group, []).append(partial(self._keys_line, words, key))
        below = [[(group, groups[group]) for group in list(groups)[place::2]] for place in (0, 1)]
        return _alternate(
            self._column_creation(sides[0], below[0]), self._column_creation(sides[1], below[1])
        )

    def _column_creation(self, side: QVBoxLayout, groups: Sequence[Group]) -> Iterator[None]:
        for group, makers in groups:
            head, lines = label(group, "ui_heading"), list[QWidget]()
            head.setContentsMargins(0, 12 if side.count() > 1 else 0, 0, 0)
            side.insertWidget(side.count() - 1, head)
            self._heads.append((head, lines))
            for make in makers:
                lines.append(make())
                side.insertWidget(side.count() - 1, lines[-1])
                yield

    def _keys_line(self, words: str, key: str) -> QWidget:
        return self._line(words, KeyCap(key))

    def _command_line(self, spec: Spec) -> QWidget:
        edit = self._edits[spec.id] = KeysEdit(tr("Keys of: {title}").format(title=spec.title))
        name = tr("Usual keys of: {title}").format(title=spec.title)
        usual = tool_button("undo", name, tr("The program’s own keys again"), side=20)
        self._resets[spec.id] = usual
        edit.editingFinished.connect(partial(self._on_typed, spec))
        usual.clicked.connect(partial(self._choose, {spec.id: spec.shortcut}))
        if not spec.also:
            return self._line(spec.title, edit, usual)
        also = self._also[spec.id] = KeyCap(spec.also)
        return self._line(spec.title, also, edit, usual)

    def _line(self, words: str, *ends: QWidget) -> QWidget:
        line = QWidget()
        row = columns(line, (0, 3, 0, 3), 8)
        row.addWidget(ElidedLabel(words, "ui", "t2"), 1)
        keys = ends[0].text() if isinstance(ends[0], KeyCap) else ""
        for end in ends:
            row.addWidget(end)
        self._lines.append((f"{words} {keys}".casefold(), line))
        return line

    def _show(self) -> None:
        for spec in with_keys(self._specs, self._chosen):
            if spec.id not in self._edits:
                continue
            edit = self._edits[spec.id]
            with QSignalBlocker(edit):
                edit.setKeySequence(QKeySequence(spec.shortcut))
            self._resets[spec.id].setEnabled(spec.id in self._chosen)
            if spec.id in self._also:
                self._also[spec.id].setVisible(bool(spec.also))
        self.all.setEnabled(bool(self._chosen))

    def _on_typed(self, spec: Spec) -> None:
        """Use the typed keys, unless another command has them or they are needed for typing."""
        keys = self.edits[spec.id].keySequence().toString(QKeySequence.SequenceFormat.PortableText)
        now = with_keys(self._specs, self._chosen)
        if keys == next(one.shortcut for one in now if one.id == spec.id):
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
            before = next(one.shortcut for one in with_keys(self._specs, self._chosen) if one.id == spec.id)
            self._choose({spec.id: keys, other.id: before})

    def _choose(self, keys: Mapping[str, str], _checked: bool = False) -> None:
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
        if typed.strip():
            self.make_all()
        wanted = typed.casefold().split()
        said = [(self._searched_text(words, line), line) for words, line in self._lines]
        fitting = [line for words, line in said if all(word in words for word in wanted)]
        for _, line in said:
            line.setVisible(line in fitting or not fitting)
        for head, lines in self._heads:
            head.setVisible(any(line.isVisibleTo(self) for line in lines))
        return bool(fitting)

    def _searched_text(self, words: str, line: QWidget) -> str:
        edits: list[KeysEdit] = list(line.findChildren(KeysEdit))
        keys = (edit.keySequence().toString(QKeySequence.SequenceFormat.PortableText) for edit in edits)
        return " ".join((words, *keys)).casefold()


def _alternate(*works: Iterator[None]) -> Iterator[None]:
    left = list(works)
    while left:
        for work in tuple(left):
            try:
                yield next(work)
            except StopIteration:
                left.remove(work)


def _all_keys(specs: Sequence[Spec], chosen: Mapping[str, str]) -> list[str]:
    return [keys for spec in with_keys(specs, chosen) for keys in (spec.shortcut, spec.also) if keys]


def _is_plain(keys: str) -> bool:
    """Whether keys type text or move in it; without Ctrl or Alt only function keys do neither."""
    combined: QKeyCombination = QKeySequence(keys)[0]  # type: ignore[index]
    held = combined.keyboardModifiers() & ~_PLAIN
    function = Qt.Key.Key_F1 <= combined.key() <= Qt.Key.Key_F35
    return not held and not function
