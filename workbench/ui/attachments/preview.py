"""An attachment as the model gets it: its text, what it costs, and the whole text beside it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.ui import formatting
from workbench.ui.attachments.looks import badge_of
from workbench.ui.look.space import S2, columns
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.code_view import CodeView
from workbench.ui.widgets.labels import ElidedLabel, label, set_text, set_token
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.popup import Sheet
from workbench.ui.widgets.secrets import mark_secrets, secret_words
from workbench.ui.widgets.segmented import Segmented

WIDTH, HEIGHT = 760, 620
AS_SENT, WHOLE = "sent", "whole"


class Preview(Sheet):
    """Shows one attachment; Esc closes. It follows the attachment while it is open."""

    def __init__(self, row: AttachmentRow, parent: QWidget | None = None) -> None:
        super().__init__(shown(row.name), WIDTH, HEIGHT, parent)
        self._row = row
        self._badge = Badge()
        self._tokens = label("", "small", "t2")
        self._switch = Segmented(((AS_SENT, self.tr("As the model gets it")), (WHOLE, self.tr("Whole text"))))
        self._switch.setAccessibleName(self.tr("Which text"))
        self.text = CodeView(wrap=True)
        self.text.setAccessibleName(self.tr("Text of the attachment"))
        self._note = ElidedLabel("", "small", "t3")
        self._build()
        self._switch.chosen.connect(self._on_switched)
        self._fill()

    def _build(self) -> None:
        top = columns(None, spacing=S2)
        top.addWidget(self._badge)
        top.addWidget(self._tokens)
        top.addStretch(1)
        top.addWidget(self._switch)
        self.body.addLayout(top)
        self.body.addWidget(self.text, 1)
        close = button(self.tr("Close"), shortcut_hint=self.tr("Esc"))
        close.clicked.connect(self.reject)
        self.foot.addWidget(self._note, 1)
        self.foot.addWidget(close)
        self.text.setFocus()

    def key(self) -> str:
        """Which attachment is shown."""
        return self._row.key

    def show_row(self, row: AttachmentRow) -> None:
        """Show the attachment as it is now."""
        if row is not self._row:
            self._row = row
            self._fill()

    def _fill(self) -> None:
        row = self._row
        self.set_title(shown(row.name))
        badge = badge_of(row)
        self._badge.show_words(badge.tone, badge.icon, badge.words)
        set_text(self._tokens, self.tr("{n} tokens").format(n=formatting.tokens(row.tokens)))
        self._on_switched()

    def _on_switched(self) -> None:
        whole = self._switch.current() == WHOLE
        text = self._row.content if whole else self._row.text
        if text != self.text.toPlainText():
            self.text.setPlainText(text)
        mark_secrets(self.text, text, self._marked(text, whole))
        set_text(self._note, secret_words(self._row.secrets) or self._note_words(whole))
        set_token(self._note, "warn" if self._row.secrets else "t3")

    def _marked(self, text: str, whole: bool) -> list[tuple[int, int]]:
        """Where what was found stands in the text that is shown; as it is sent, something is around and between."""
        row = self._row
        if whole:
            return [(one.start, one.end) for one in row.secrets]
        places, at = [], 0
        for one in row.secrets:
            wanted = one.replacement if one.replaced else row.content[one.start : one.end]
            start = text.find(wanted, at)
            if start >= 0:
                at = start + len(wanted)
                places.append((start, at))
        return places

    def _note_words(self, whole: bool) -> str:
        row = self._row
        if whole:
            return self.tr("The whole text, as it was when it was attached or last refreshed.")
        if not row.text and row.state == "reference":
            return self.tr("Sent as a reference: the whole text stands earlier in the request.")
        if not row.text:
            return self.tr("Not sent: nothing of it is in the next request.")
        if row.state == "compacted" and row.most_tokens is not None:
            words = self.tr("Shortened to at most {n} tokens, as you chose. Its menu sends it whole again.")
            return words.format(n=formatting.tokens(row.most_tokens))
        if row.state == "compacted":
            return self.tr("Shortened: the model can ask for the whole text with its read tool.")
        if row.state == "unseen":
            return self.tr(
                "Only these words are in the next request: the model cannot see the picture. "
                "Choose a model that can, or detach it."
            )
        return self.tr("These characters are in the next request.")
