"""All shortcuts at a glance (F1), with a field to find one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QScrollArea, QWidget

from workbench.ui.commands import Command
from workbench.ui.look.space import columns, rows
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.labels import KeyCap, label
from workbench.ui.widgets.popup import Sheet


def in_panes() -> tuple[tuple[str, str, str], ...]:
    """Keys that hold only where the focus is: group, key, what it does."""
    message, tree, bar = _tr("While writing"), _tr("On a row of the envelope"), _tr("On the budget bar")
    return (
        (message, "Enter", _tr("Send")),
        (message, "Shift+Enter", _tr("New line")),
        (message, "↑ ↓", _tr("Earlier questions")),
        (message, "Esc", _tr("Stop the answer")),
        (tree, "Space", _tr("Pin or unpin")),
        (tree, "+ −", _tr("Falls earlier, falls later")),
        (tree, "0 … 9", _tr("Set the priority")),
        (tree, "Del", _tr("Leave out, or put back")),
        (tree, "Enter", _tr("Show its bytes")),
        (bar, "← →", _tr("Go along the segments")),
        (bar, "Enter", _tr("Select the segment")),
    )


class ShortcutList(Sheet):
    """Lists keys under their headings, in two columns."""

    def __init__(self, commands: Sequence[Command], parent: QWidget | None = None) -> None:
        super().__init__(_tr("Shortcuts"), 760, 600, parent)
        self.field = Field(_tr("Find a shortcut"), icon="search")
        self.body.addWidget(self.field)
        self._lines: list[tuple[str, QWidget]] = []
        self._heads: list[tuple[QWidget, list[QWidget]]] = []
        content = QWidget()
        content.setObjectName("transparent")
        across = columns(content, (0, 0, 12, 0), 32)
        sides = (rows(across, spacing=2), rows(across, spacing=2))
        for place, (group, lines) in enumerate(self._groups(commands).items()):
            side = sides[place % 2]
            head = label(group, "ui_heading")
            side.addWidget(head)
            made = [self._line(key, words) for key, words in lines]
            self._heads.append((head, made))
            for one in made:
                side.addWidget(one)
            side.addSpacing(12)
        for side in sides:
            side.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(content)
        area.setAccessibleName(_tr("Shortcuts"))
        self.body.addWidget(area, 1)
        close = button(_tr("Close"), shortcut_hint="Esc")
        close.clicked.connect(self.accept)
        self.foot.addStretch(1)
        self.foot.addWidget(close)
        self.field.textChanged.connect(self._find)
        self.field.setFocus()

    def _groups(self, commands: Sequence[Command]) -> dict[str, list[tuple[str, str]]]:
        groups: dict[str, list[tuple[str, str]]] = {}
        for command in commands:
            if command.shortcut:
                groups.setdefault(command.group, []).append((command.shortcut, command.title))
        for group, key, words in in_panes():
            groups.setdefault(group, []).append((key, words))
        return groups

    def _line(self, key: str, words: str) -> QWidget:
        line = QWidget()
        row = columns(line, (0, 3, 0, 3), 12)
        row.addWidget(label(words, "ui", "t2"), 1)
        row.addWidget(KeyCap(key))
        self._lines.append((f"{words} {key}".casefold(), line))
        return line

    def _find(self, typed: str) -> None:
        wanted = typed.casefold().strip()
        for words, line in self._lines:
            line.setVisible(wanted in words)
        for head, lines in self._heads:
            head.setVisible(any(line.isVisibleTo(self) for line in lines))


def _tr(words: str) -> str:
    return QCoreApplication.translate("ShortcutList", words)
