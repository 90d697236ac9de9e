"""The line below the last message that a summary stands for: it can be read there, and undone."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

from workbench.domain.summary import OUTLINE
from workbench.ui import formatting
from workbench.ui.chat.messages.feed import SummaryMark
from workbench.ui.chat.messages.message_head import offer_action
from workbench.ui.chat.messages.message_view import MessageView
from workbench.ui.chat.text.block_stack import BlockStack
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.transcript.trim_rule import RuleLine
from workbench.ui.look.space import columns, fill
from workbench.ui.model_button import short_name
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.quiet_button import QuietButton
from workbench.ui.widgets.stack import StackItem

INDENT = 12


class SummaryRule(MessageView):
    """A dashed rule with its words, a button that unfolds the summary, and one that undoes it."""

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(ink, parent=parent)
        self.item: SummaryMark | None = None
        self.line = RuleLine("compact", "t2")
        self.read = QuietButton("eye", self.tr("Read the summary"), 24)
        self.read.clicked.connect(self._turn)
        self.undo = QuietButton("undo", self.tr("Undo this summary"), 24)
        self.undo.clicked.connect(self._on_undo)
        offer_action(self.undo, lambda: "undo_summary", self._look)
        ends = QWidget(self.line)
        fill(columns(ends, spacing=2), self.read, self.undo)
        self.line.end = ends
        self.body = BlockStack(ink, verbatim=True, parent=self)
        self.body.set_token("t2")
        self.body.hide()
        self.set_stack_items([StackItem(self.line)])

    def show_item(self, item: object) -> None:
        assert isinstance(item, SummaryMark)
        self.item = item
        one = item.summary
        words = formatting.counted(
            len(one.replaces),
            self.tr("1 message above goes out as a summary"),
            self.tr("{n} messages above go out as a summary"),
        )
        note = self.tr("made of their own sentences")
        if one.made_by != OUTLINE:
            note = self.tr("written by {model}").format(model=shown(short_name(one.made_by)))
        self.line.show_words(words, note)
        self.setAccessibleName(f"{words}, {note}")
        self.body.show_text(one.text)

    def bodies(self) -> dict[str, BlockStack]:
        """The summary, where it is unfolded."""
        return {"text": self.body} if not self.body.isHidden() else {}

    def _turn(self) -> None:
        folded = self.body.isHidden()
        places = [StackItem(self.line), StackItem(self.body, 6, INDENT)] if folded else [StackItem(self.line)]
        self.set_stack_items(places)
        self.body.setVisible(folded)

    def _look(self, action: str, at: QRect | None) -> None:
        if self.item is not None:
            self.looked_at.emit(action, self.item.summary.id, at)

    def _on_undo(self) -> None:
        if self.item is not None:
            self.asked.emit("undo_summary", self.item.summary.id)
