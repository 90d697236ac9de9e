"""What every chat of a workspace remembers: facts, and those that a model suggested and nobody accepted yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.workspace import Fact, Workspace
from workbench.ui.filing import with_fact, without_fact
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import dashed_pen
from workbench.ui.look.space import S2, STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.look.tones import Tone
from workbench.ui.offers import Offer, Offering
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.labels import ElidedLabel
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.wishes import Wishes
from workbench.ui.workspace.editor import InlineEditor
from workbench.ui.workspace.rows import PageRow, RowValue, Section, card_clip, token_sum

SUGGESTED_HEIGHT = 52


class SuggestedRow(QWidget):
    """A fact that is in no request before somebody accepts it; Enter accepts, Delete dismisses."""

    accepted = Signal(str)
    dismissed = Signal(str)

    def __init__(self, fact: Fact, said_in: str) -> None:
        super().__init__()
        self.fact = fact
        self.setFixedHeight(SUGGESTED_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        text = ElidedLabel(shown(fact.text.replace("\n", " "), 400))
        text.setToolTip(tip(fact.text))
        text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        words = self.tr("suggested from {chat}").format(chat=said_in) if said_in else self.tr("suggested")
        line = ElidedLabel(words, "small", "t2")
        line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.accept = button(self.tr("Accept"), "primary", size="small")
        self.dismiss = button(self.tr("Dismiss"), "ghost", size="small")
        across = columns(self, (34, 4, 12, 4), S2)
        down = fill(rows(None, spacing=2), STRETCH, text, line, STRETCH)
        fill(across, (down, 1), self.accept, self.dismiss)
        self.setAccessibleName(f"{shown(fact.text, 400)}, {words}")
        self.accept.clicked.connect(lambda: self.accepted.emit(fact.id))
        self.dismiss.clicked.connect(lambda: self.dismissed.emit(fact.id))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.accepted.emit(self.fact.id)
        elif event.key() == Qt.Key.Key_Delete:
            self.dismissed.emit(self.fact.id)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, painter = theme_of(self), QPainter(self)
        painter.setClipPath(card_clip(self))
        painter.fillRect(self.rect(), colour("accent_tint", theme))
        painter.setPen(dashed_pen(theme.accent, 1, 4, 3))
        painter.drawLine(0, 0, self.width(), 0)
        spot = QRectF(12, 0, 16, self.height() / 2 + 4)
        paint_icon(painter, spot, "bulb", "accent_text", 16)


class MemorySection(Section):
    """The facts of a workspace; those that hold for every chat stand first and are changed elsewhere.

    Attributes:
        new_id: gives an id that no fact has.
    """

    def __init__(self, wishes: Wishes) -> None:
        super().__init__("", "")
        self.wishes = wishes
        self.title.setText(self.tr("Memory"))
        self.action.setText(self.tr("Add a fact"))
        self.action.show()
        self._place = Workspace("")
        self._editing = ""
        self.editor = InlineEditor(self.tr("What every chat here should know"))
        self.down.addWidget(self.editor)
        self.wanted.connect(lambda: self._edit(""))
        self.edited.connect(self._edit)
        self.removed.connect(self._remove)
        self.editor.saved.connect(self._save)
        self.editor.left.connect(self.action.setFocus)

    def show_place(
        self, place: Workspace, everywhere: Workspace, tokens: Mapping[str, int], titles: Mapping[str, str]
    ) -> None:
        """Show what is remembered; `tokens` by the text of a fact, `titles` by the id of the chat it was said in."""
        self._place = place
        values = [self._value(fact, tokens, for_all=True) for fact in everywhere.facts if not fact.suggested]
        values += [self._value(fact, tokens) for fact in place.facts if not fact.suggested]
        waiting = [fact for fact in place.facts if fact.suggested]
        shown_as = (*values, *waiting)
        if shown_as != self._shown:
            made: list[QWidget] = [self._row(value) for value in values]
            made += [self._suggested(fact, titles.get(fact.chat, "")) for fact in waiting]
            self.show_rows(made, shown_as)
        counted = sum(value.tokens or 0 for value in values)
        self.say(token_sum(len(values), self.tr("facts"), counted) or self.tr("nothing yet"))

    def _value(self, fact: Fact, tokens: Mapping[str, int], for_all: bool = False) -> RowValue:
        cost = tokens.get(fact.text)
        if for_all:
            badge: tuple[Tone, str] = ("neutral", self.tr("all chats"))
            return RowValue(f"all:{fact.id}", fact.text, "bulb", badge=badge, tokens=cost)
        return RowValue(fact.id, fact.text, "bulb", edits=True, removes=True, tokens=cost)

    def facts(self) -> list[PageRow]:
        return [row for row in self.rows if isinstance(row, PageRow)]

    def _suggested(self, fact: Fact, said_in: str) -> SuggestedRow:
        row = SuggestedRow(fact, said_in)
        row.accepted.connect(self._accept)
        row.dismissed.connect(self._remove)
        Offering(row.accept, lambda: self._offer(fact), self.wishes.offer)
        return row

    def _offer(self, fact: Fact) -> Offer | None:
        step = with_fact(self._place, replace(fact, suggested=False))
        line = self.tr("Every chat of this workspace is told of it.")
        return None if step is None else Offer(self.tr("Accept a fact"), step.do, line, icon="bulb")

    def _fact(self, key: str) -> Fact | None:
        return next((fact for fact in self._place.facts if fact.id == key), None)

    def _edit(self, key: str) -> None:
        fact = self._fact(key)
        self._editing = "" if fact is None else fact.id
        self.editor.open("" if fact is None else fact.text, lines=3)

    def _save(self, _name: str, text: str, _choice: str) -> None:
        words = text.strip()
        if not words:
            self.editor.refuse(self.tr("Write what is to be remembered, or press Esc."))
            return
        fact = self._fact(self._editing) or Fact(self._free_id(), "")
        self.editor.hide()
        self.wishes.do(with_fact(self._place, replace(fact, text=words)))
        self.action.setFocus(Qt.FocusReason.OtherFocusReason)

    def _free_id(self) -> str:
        known = {fact.id for fact in self._place.facts}
        return next(key for number in range(1, len(known) + 2) if (key := f"f{number}") not in known)

    def _accept(self, key: str) -> None:
        fact = self._fact(key)
        if fact is not None:
            self.wishes.do(with_fact(self._place, replace(fact, suggested=False)))

    def _remove(self, key: str) -> None:
        self.wishes.do(without_fact(self._place, key))
