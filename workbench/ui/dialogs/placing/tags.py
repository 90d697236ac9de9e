"""Tags of chats: words under which they are found."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from workbench.ui.look.space import STRETCH, fill
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.flow import FlowLayout
from workbench.ui.widgets.labels import label
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.popup import Sheet

_tr = translator("TagsDialog")

MOST_OFFERED = 24


class TagsDialog(Sheet):
    """A line of tags, and those that other chats have, to be pressed.

    Signals:
        chosen: the tags.
    """

    chosen = Signal(object)

    def __init__(
        self, tags: Sequence[str], known: Sequence[str], chats: int, parent: QWidget | None = None
    ) -> None:
        title = _tr("Tags of this chat") if chats == 1 else _tr("Tags of {n} chats").format(n=chats)
        super().__init__(title, 480, 0, parent)
        self.field = Field(_tr("Tags, with commas between them"), "hash")
        self.field.setText(", ".join(tags))
        self.body.addWidget(self.field)
        words = _tr("Type # and a tag into the search field to see the chats that have it.")
        if chats > 1:
            words = _tr(
                "These are the tags that all of them have; others stay where they are. {more}"
            ).format(more=words)
        self.offered = [button(shown(tag, 40), size="small") for tag in known[:MOST_OFFERED]]
        if self.offered:
            flow = FlowLayout()
            for tag, made in zip(known, self.offered, strict=False):
                made.clicked.connect(lambda _=False, tag=tag: self._toggle(tag))
                flow.addWidget(made)
            self.body.addLayout(flow)
        fill(self.body, label(words, "small", "t2", wrap=True), STRETCH)
        self.cancel = on_click(button(_tr("Cancel"), shortcut_hint=_tr("Esc")), self.reject)
        self.go = on_click(button(_tr("Save"), "primary"), self._choose)
        fill(self.foot, STRETCH, self.cancel, self.go)
        self.field.returnPressed.connect(self._choose)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def tags(self) -> tuple[str, ...]:
        """What is typed, each once."""
        words = (" ".join(piece.split()).lstrip("#") for piece in self.field.text().split(","))
        return tuple(dict.fromkeys(word for word in words if word))

    def _toggle(self, tag: str) -> None:
        now = self.tags()
        self.field.setText(
            ", ".join(one for one in now if one != tag) if tag in now else ", ".join((*now, tag))
        )

    def _choose(self) -> None:
        self.chosen.emit(self.tags())
        self.accept()
