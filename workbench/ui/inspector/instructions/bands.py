"""What stands around the texts in the editor of instructions: head, price, what changes, and what can be done."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from workbench.domain.shown.price_tag import PriceTag
from workbench.domain.workspace import Workspace
from workbench.engine.state import WorkbenchState
from workbench.ui import formatting
from workbench.ui.inspector.instructions.writing import Subject
from workbench.ui.look.fonts import line_height
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.look.tones import Tone, tone_colours, tone_token
from workbench.ui.price_words import price_line
from workbench.ui.translation import translator
from workbench.ui.widgets.badge import Badge, LayerTag
from workbench.ui.widgets.buttons import button, tool_button
from workbench.ui.widgets.code_view import DiffLine, DiffText
from workbench.ui.widgets.floating import paint_floating
from workbench.ui.widgets.labels import ElidedLabel, FigureLabel, label, set_text, set_token
from workbench.ui.widgets.plain import shown

_tr = translator("Instructions")

HEAD, FOOT, BAND = 40, 52, 36
MOST_LINES = 8
SHORT_PX, RADIUS = 640, 10


class _Ruled(QWidget):
    """A band with a hairline above or below."""

    def __init__(self, above: bool) -> None:
        super().__init__()
        self._above = above

    def paintEvent(self, _event: QPaintEvent) -> None:
        y = 0 if self._above else self.height() - 1
        QPainter(self).fillRect(QRectF(0, y, self.width(), 1), colour("line", theme_of(self)))


class EditorGround(QFrame):
    """What the editor lies on; its border says that something is being edited."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        paint_floating(self, theme_of(self).raised, theme_of(self).accent, RADIUS)


class EditorHead(_Ruled):
    """What is edited, whom it reaches, and its tokens while it is written."""

    def __init__(self) -> None:
        super().__init__(above=False)
        self.setFixedHeight(HEAD)
        self.title = label("", "ui_heading")
        self.reach = ElidedLabel("", "small", "t2")
        self.tokens = FigureLabel("", "ui", weight=600)
        self.delta = Badge("accent")
        self.variables = button(_tr("Variables"), "ghost", size="small")
        self.variables.setToolTip(_tr("Insert the date, the workspace, file names…"))
        self.shut = tool_button("x", _tr("Close the editor"), side=24)
        row = columns(self, (12, 0, 8, 1), 8)
        row.addWidget(LayerTag("L1_SYSTEM"))
        row.addWidget(self.title)
        row.addWidget(self.reach, 1)
        row.addWidget(self.variables)
        for part in (self.tokens, label(_tr("tokens"), "small", "t2"), self.delta, self.shut):
            row.addWidget(part)

    def show_words(self, title: str, reach: str, tokens: int, delta: int) -> None:
        set_text(self.title, title)
        self.reach.setText(reach)
        self.tokens.set_figure(formatting.tokens(tokens))
        self.delta.show_words("accent", "", formatting.signed_tokens(delta) if delta else "")


class PriceBand(QWidget):
    """What saving would cost, said before it is done."""

    def __init__(self) -> None:
        super().__init__()
        self._tone: Tone = "neutral"
        self._icon = ""
        self.words = label("", "small", "t1", wrap=True)
        columns(self, (38, 8, 12, 8)).addWidget(self.words, 1)
        self.setMinimumHeight(BAND)
        self.hide()

    def show_tag(self, tag: PriceTag | None) -> None:
        if tag is None:
            self.hide()
            return
        priced = price_line(tag)
        free = _tr("free when cold") if tag.reread_tokens and not tag.free else ""
        said = f"{priced.words} · {free}" if free else priced.words
        set_text(self.words, _tr("Changes the prefix: {price}").format(price=said))
        self._tone, self._icon = priced.tone, priced.icon
        set_token(self.words, tone_token(priced.tone) if priced.tone != "neutral" else "t2")
        self.show()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        painter.fillRect(self.rect(), colour(tone_colours(theme, self._tone).ground))
        spot = QRectF(14, 0, 16, self.height())
        paint_icon(painter, spot, self._icon or "info", tone_token(self._tone), 16)


class Against(_Ruled):
    """What changes against what was last sent, in at most eight lines."""

    def __init__(self) -> None:
        super().__init__(above=True)
        self.heading = label(_tr("Against what was last sent"), "small")
        self.turn = label("", "small", "t3")
        self.added, self.removed = label("", "small", "diff_add"), label("", "small", "diff_del")
        self.diff = DiffText((), MOST_LINES)
        down = rows(self, (0, 1, 0, 0))
        self.line = QWidget()
        self.line.setFixedHeight(line_height("row") + 4)
        row = columns(self.line, (12, 0, 12, 0), 8)
        fill(row, self.heading, self.turn, self.added, self.removed, STRETCH)
        fill(down, self.line, self.diff)
        self.hide()

    def show_lines(self, lines: Sequence[DiffLine], turn: int) -> None:
        self.setVisible(bool(lines))
        added, removed = (sum(line.sign == sign for line in lines) for sign in "+-")
        set_text(self.turn, _tr("turn {n}").format(n=turn) if turn else "")
        set_text(self.added, f"+{added}" if added else "")
        set_text(self.removed, f"−{removed}" if removed else "")
        self.diff.show_lines(lines)

    def sizeHint(self) -> QSize:
        return QSize(320, self.line.height() + self.diff.sizeHint().height() + 1)


class EditorFoot(_Ruled):
    """What can be done with what is written."""

    def __init__(self) -> None:
        super().__init__(above=True)
        self.setFixedHeight(FOOT)
        self._asking = False
        self.note = ElidedLabel("", "small", "t2")
        self.discard = button(_tr("Discard"), "ghost", "", "Esc")
        self.for_workspace = button(_tr("Save for the workspace"), "secondary", "", "Ctrl+⇧+S")
        self.for_chat = button(_tr("Save for this chat"), "primary", "", "Ctrl+S")
        row = columns(self, (12, 1, 12, 0), 8)
        fill(row, (self.note, 1), self.discard, self.for_workspace, self.for_chat)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        short = self.width() < SHORT_PX
        self.for_workspace.set_hint("" if short else "Ctrl+⇧+S")
        self.for_chat.set_hint("" if short else "Ctrl+S")

    def show_workspace(self, there: bool) -> None:
        self.for_workspace.setVisible(there)

    def show_changed(self, own: bool, workspace: bool) -> None:
        self.for_chat.setEnabled(own)
        self.for_workspace.setEnabled(workspace)
        self.discard.setText(_tr("Discard") if own or workspace or self._asking else _tr("Close"))

    def say(self, words: str) -> None:
        """Say something; a question that was asked is not asked any more."""
        self._asking = False
        self.note.setText(words)

    def ask(self, words: str) -> None:
        """Ask, to be answered by the same key again."""
        self.note.setText(_tr("{question} Esc again discards it.").format(question=words))
        self._asking = True

    def asks(self) -> bool:
        return self._asking


def title_words(subject: Subject) -> str:
    """What is edited, in a word or two."""
    titles: dict[Subject, str] = {
        "persona": _tr("Instructions"),
        "system": _tr("System prompt"),
        "project": _tr("Project instructions"),
        "memory": _tr("Memory of this chat"),
    }
    return titles[subject]


def reach_words(state: WorkbenchState | None, inside: Workspace | None) -> str:
    """Whom the lines reach."""
    if inside is None or state is None:
        return _tr("of this chat")
    chats = sum(chat.filed.workspace == inside.id for chat in state.chats)
    words = _tr("of this chat; the lines of {name} reach {n} chats")
    if chats == 1:
        words = _tr("of this chat; the lines of {name} reach 1 chat")
    return words.format(name=shown(inside.name, 30), n=formatting.tokens(chats))
