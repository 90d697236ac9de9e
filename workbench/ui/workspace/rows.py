"""Rows and sections of the page: a heading with a sum and an action, over a card of rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from workbench.ui import formatting
from workbench.ui.look.painting import dashed_pen
from workbench.ui.look.space import S2, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.look.tones import Tone
from workbench.ui.translation import tr
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.buttons import Button, button, on_click, tool_button
from workbench.ui.widgets.card import Card, LeadingIcon, Panel
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.plain import shown, tip

ROW_HEIGHT, HEADING_HEIGHT = 29, 24
LONGEST = 400

Source = Literal["", "default", "workspace", "chat"]
STRIPES: dict[Source, str] = {"default": "edge", "workspace": "info", "chat": "accent"}


@dataclass(frozen=True, slots=True)
class RowValue:
    """What a row shows.

    Attributes:
        key: what it is called by whoever listens. text: one line of it is seen; all of it under the pointer.
        line: a quieter text behind it. source: whose it is, as a stripe. badge: tone and word.
        link: a word that can be pressed. edits, removes: whether it can be. waits: dashed, and quiet.
        tokens: what it costs; None where nobody counts it.
    """

    key: str
    text: str
    icon: str = ""
    line: str = ""
    source: Source = ""
    badge: tuple[Tone, str] | None = None
    link: str = ""
    edits: bool = False
    removes: bool = False
    waits: bool = False
    tokens: int | None = None


class PageRow(Panel):
    """One row; Enter or F2 edits it, Delete removes it.

    Signals:
        edited, removed, linked: that is wanted.
    """

    spoken_role = QAccessible.Role.ListItem

    edited = Signal(str)
    removed = Signal(str)
    linked = Signal(str)

    inside_card = True

    def __init__(self, value: RowValue) -> None:
        super().__init__()
        self.value = value
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.stripe = STRIPES[value.source] if value.source and not value.waits else ""
        self.leading = LeadingIcon(value.icon) if value.icon else None
        self.setFixedHeight(ROW_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(
            Qt.FocusPolicy.StrongFocus if value.edits or value.removes else Qt.FocusPolicy.NoFocus
        )
        self.setProperty("ring_radius", 4)
        self.text = ElidedLabel("", "ui", "t3" if value.waits else "t1")
        self.text.setText(shown(value.text.replace("\n", " "), LONGEST))
        self.text.setToolTip(tip(value.text))
        self.figure = end_figure("" if value.tokens is None else formatting.tokens(value.tokens))
        self.link = on_click(button(value.link, "link", size="small"), lambda: self.linked.emit(value.key))
        self.link.setAccessibleName(f"{value.link} {shown(value.text, 40)}")
        self.edit = tool_button("edit", tr("Edit {what}").format(what=shown(value.text, 40)), side=22)
        self.remove = tool_button("x", tr("Remove {what}").format(what=shown(value.text, 40)), side=22)
        self._build()
        self.setAccessibleName(self._spoken())
        self.edit.clicked.connect(lambda: self.edited.emit(value.key))
        self.remove.clicked.connect(lambda: self.removed.emit(value.key))

    def _build(self) -> None:
        value = self.value
        left = 16 if value.source else 12
        across = columns(self, (left + (22 if value.icon else 0), 0, 12, 0), S2)
        self.text.setSizePolicy(
            QSizePolicy.Policy.Preferred if value.line else QSizePolicy.Policy.Ignored,
            QSizePolicy.Policy.Preferred,
        )
        across.addWidget(self.text, 0 if value.line else 1)
        if value.line:
            line = ElidedLabel(shown(value.line, 120), "small", "t3")
            line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            across.addWidget(line, 1)
        if value.badge is not None:
            across.addWidget(Badge(value.badge[0], "", value.badge[1]))
        fill(across, self.link, self.edit, self.remove, self.figure)
        self.link.setVisible(bool(value.link))
        self.edit.setVisible(value.edits)
        self.remove.setVisible(value.removes)
        self.figure.setVisible(value.tokens is not None)

    def _spoken(self) -> str:
        value = self.value
        parts = [shown(value.text, LONGEST), value.line, "" if value.badge is None else value.badge[1]]
        if value.tokens is not None:
            parts.append(formatting.token_words(value.tokens))
        return ", ".join(filter(None, parts))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2)
        if event.key() in keys and self.value.edits:
            self.edited.emit(self.value.key)
        elif event.key() == Qt.Key.Key_Delete and self.value.removes:
            self.removed.emit(self.value.key)
        else:
            super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.value.edits:
            self.edited.emit(self.value.key)
        else:
            super().mouseDoubleClickEvent(event)

    def update_look(self) -> None:
        self.ground = "hover" if self.underMouse() and self.value.edits else ""

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.value.source and self.value.waits:
            painter = QPainter(self)
            painter.setClipPath(self.inside_of_card())
            ink = colour(STRIPES[self.value.source], theme_of(self))
            painter.setPen(dashed_pen(ink, self.stripe_width, 1, 1))
            painter.drawLine(1, 0, 1, self.height())


class Section(QWidget):
    """A heading with a sum and an action, and a card of rows under it.

    Signals:
        wanted: the action was pressed. edited, removed, linked: so was something of the row with that key.
    """

    wanted = Signal()
    edited = Signal(str)
    removed = Signal(str)
    linked = Signal(str)

    def __init__(self, title: str, action: str = "", icon: str = "plus") -> None:
        super().__init__()
        self.title = label(title, "ui_heading")
        self.sum = ElidedLabel("", "small", "t3")
        self.sum.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.action: Button = button(action, "link", icon=icon, size="small")
        if not action:
            self.action.hide()  # never shown before it has a place
        self.action.clicked.connect(self.wanted)
        self.down = rows(self, spacing=4)
        self.head = fill(columns(self.down, spacing=S2), self.title, (self.sum, 1), self.action)
        self.title.setFixedHeight(HEADING_HEIGHT)
        self._card: Card | None = None
        self._shown: tuple[object, ...] | None = None
        self.rows: list[QWidget] = []

    def say(self, words: str) -> None:
        set_text(self.sum, words)

    def show_values(self, values: Iterable[RowValue]) -> None:
        """Show these rows; the keyboard stays on the row it was on, or where that was."""
        wanted = tuple(values)
        if wanted != self._shown:
            made = [self._row(value) for value in wanted]
            self.show_rows(made, wanted)

    def show_rows(self, made: Iterable[QWidget], shown_as: tuple[object, ...] = ()) -> None:
        held = next((place for place, row in enumerate(self.rows) if holds_focus(row)), -1)
        old, self._card = self._card, Card()
        self.rows, self._shown = list(made), shown_as
        for row in self.rows:
            self._card.add_row(row)
        self._card.setVisible(bool(self.rows))
        self.down.addWidget(self._card)
        if old is not None:
            self.down.removeWidget(old)
            old.hide()
            old.deleteLater()
        if held >= 0 and self.rows:
            self.rows[min(held, len(self.rows) - 1)].setFocus(Qt.FocusReason.OtherFocusReason)

    def _row(self, value: RowValue) -> PageRow:
        row = PageRow(value)
        row.edited.connect(self.edited)
        row.removed.connect(self.removed)
        row.linked.connect(self.linked)
        return row


def end_figure(text: str, token: str = "t2") -> QLabel:
    """A figure at the end of a row, under those of the rows above it."""
    made = label(text, "ui", token)
    made.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
    made.setMinimumWidth(made.fontMetrics().horizontalAdvance("0,000"))
    return made


def holds_focus(widget: QWidget) -> bool:
    """Whether the keyboard is in a widget."""
    focused: QWidget | None = widget.window().focusWidget()
    return focused is not None and (focused is widget or widget.isAncestorOf(focused))


def token_sum(many: str, tokens: int) -> str:
    """How many there are, and what they cost together: “4 facts · 240 tokens”."""
    return f"{many} · {formatting.token_words(tokens)}"
