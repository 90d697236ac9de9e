"""Dialogs about filing chats: a new workspace, and tags."""

from __future__ import annotations

import os
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from workbench.ui.look.space import S2, STRETCH, columns, fill
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.file_chooser import choose_folder
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.stack import FlowLayout

LONGEST = 80
MOST_OFFERED = 24


class NewWorkspaceDialog(Sheet):
    """Asks for a name that no other workspace has.

    Signals:
        chosen: the name, and the folder or an empty string.
    """

    chosen = Signal(str, str)

    def __init__(self, names: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(tr("New workspace"), 520, 0, parent)
        self._taken = {name.casefold() for name in names}
        self._tried = False
        self.name = Field(tr("Name, for instance Auth service"), "folder")
        self.name.setAccessibleName(tr("Name of the workspace"))
        self.name.setMaxLength(LONGEST)
        self.folder = Field(tr("Folder (optional)"))
        self.folder.setAccessibleName(tr("Folder of the workspace, optional"))
        self.browse = on_click(button(tr("Choose…")), self._browse)
        self.browse.setAccessibleName(tr("Choose the folder"))
        self.problem = label("", "small", "err", wrap=True)
        line = tr(
            "Its chats share instructions, memory, files and tools. "
            "With a folder, built-in tools and patterns stay inside it."
        )
        self.body.addWidget(self.name)
        fill(columns(self.body, spacing=S2), (self.folder, 1), self.browse)
        fill(self.body, self.problem, label(line, "small", "t2", wrap=True), STRETCH)
        self.cancel = on_click(button(tr("Cancel"), shortcut_hint=tr("Esc")), self.reject)
        self.go = on_click(button(tr("Create"), "primary"), self._choose)
        fill(self.foot, STRETCH, self.cancel, self.go)
        for field in (self.name, self.folder):
            field.returnPressed.connect(self._choose)
            field.textChanged.connect(self._check)
        self._check()
        self.name.setFocus()

    def _check(self) -> None:
        """Show what is wrong as it is typed; that the name is missing only after an attempt to create."""
        name, folder = self._values()
        words = ""
        if name.casefold() in self._taken:
            words = tr("A workspace with that name already exists. Choose another name.")
        elif not name and self._tried:
            words = tr("A workspace needs a name.")
        elif folder and not os.path.isdir(folder):
            words = tr("No such folder. Leave it empty, or choose one.")
        set_text(self.problem, words)
        self.problem.setVisible(bool(words))

    def _values(self) -> tuple[str, str]:
        folder = self.folder.text().strip()
        return " ".join(self.name.text().split()), os.path.abspath(
            os.path.expanduser(folder)
        ) if folder else ""

    def _browse(self) -> None:
        choose_folder(self, tr("Folder of the workspace"), self.folder.setText)

    def _choose(self) -> None:
        self._tried = True
        self._check()
        if not self.problem.text():
            self.chosen.emit(*self._values())
            self.accept()


class TagsDialog(Sheet):
    """A field with tags separated by commas, and buttons for tags that other chats have.

    Signals:
        chosen: the tags.
    """

    chosen = Signal(object)

    def __init__(
        self, tags: Sequence[str], known: Sequence[str], chats: int, parent: QWidget | None = None
    ) -> None:
        title = tr("Tags of this chat") if chats == 1 else tr("Tags of {n} chats").format(n=chats)
        super().__init__(title, 480, 0, parent)
        self.field = Field(tr("Tags, with commas between them"), "hash")
        self.field.setText(", ".join(tags))
        self.body.addWidget(self.field)
        words = tr("Type # and a tag into the search field to see the chats that have it.")
        if chats > 1:
            words = tr("These tags are on all of them; other tags stay. {more}").format(more=words)
        self.offered = [button(shown(tag, 40), size="small") for tag in known[:MOST_OFFERED]]
        if self.offered:
            flow = FlowLayout()
            for tag, made in zip(known, self.offered, strict=False):
                made.clicked.connect(lambda _=False, tag=tag: self._toggle(tag))
                flow.addWidget(made)
            self.body.addLayout(flow)
        fill(self.body, label(words, "small", "t2", wrap=True), STRETCH)
        self.cancel = on_click(button(tr("Cancel"), shortcut_hint=tr("Esc")), self.reject)
        self.go = on_click(button(tr("Save"), "primary"), self._choose)
        fill(self.foot, STRETCH, self.cancel, self.go)
        self.field.returnPressed.connect(self._choose)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def tags(self) -> tuple[str, ...]:
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
