"""One question before very many files are attached at once: how many they are, and about how many tokens."""

from __future__ import annotations

import os
from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from workbench.ui.formatting import short_tokens, size, tokens
from workbench.ui.look.space import STRETCH, fill
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.labels import label
from workbench.ui.widgets.popup import Sheet

_tr = translator("ManyFilesDialog")

BYTES_A_TOKEN = 4


class ManyFilesDialog(Sheet):
    """Accepted, they are attached."""

    def __init__(self, paths: Sequence[str], parent: QWidget | None = None) -> None:
        count = tokens(len(paths))
        super().__init__(_tr("Attach {n} files?").format(n=count), 480, 0, parent)
        whole = sum(map(_size, paths))
        words = _tr("Together they have {size}, about {tokens} tokens if all of it is text.").format(
            size=size(whole), tokens=short_tokens(whole // BYTES_A_TOKEN)
        )
        self.line = label(words, wrap=True)
        more = _tr("Nothing is attached yet. Drop their folder instead to choose among them.")
        fill(self.body, self.line, label(more, "small", "t2", wrap=True), STRETCH)
        self.cancel = on_click(button(_tr("Do not attach"), shortcut_hint=_tr("Esc")), self.reject)
        self.go = on_click(button(_tr("Attach {n} files").format(n=count), "primary"), self.accept)
        fill(self.foot, STRETCH, self.cancel, self.go)
        self.cancel.setFocus()


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return 0
