"""The texts that are kept under a name for the chats of a workspace."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt

from workbench.domain.workspace import SavedPrompt
from workbench.ui.filing import delete_prompt, save_prompt
from workbench.ui.wishes import Wishes
from workbench.ui.workspace.editor import InlineEditor
from workbench.ui.workspace.rows import RowValue, Section


class PromptsSection(Section):
    """Prompts with their names; a new one is written in place."""

    def __init__(self, wishes: Wishes) -> None:
        super().__init__("", "")
        self.wishes = wishes
        self.title.setText(self.tr("Prompts"))
        self.action.setText(self.tr("Add a prompt"))
        self.action.show()
        self.editor = InlineEditor(
            self.tr("The text; {date} and other variables are filled in"), self.tr("Name")
        )
        self.down.addWidget(self.editor)
        self._workspace = ""
        self._prompts: dict[str, SavedPrompt] = {}
        self._editing: SavedPrompt | None = None
        self.wanted.connect(lambda: self._edit(""))
        self.edited.connect(self._edit)
        self.removed.connect(lambda name: self.wishes.do(delete_prompt(self._prompts[name])))
        self.editor.saved.connect(self._save)
        self.editor.left.connect(self.action.setFocus)

    def show_prompts(self, workspace: str, prompts: Sequence[SavedPrompt]) -> None:
        self._workspace = workspace
        self._prompts = {one.name: one for one in prompts if one.workspace == workspace}
        self.show_values(
            RowValue(one.name, one.name, "book", line=one.text.replace("\n", " "), edits=True, removes=True)
            for one in self._prompts.values()
        )
        self.say(self.tr("type / in a chat here to use one") if self._prompts else self.tr("none yet"))

    def _edit(self, name: str) -> None:
        found = self._editing = self._prompts.get(name)
        self.editor.open("" if found is None else found.text, "" if found is None else found.name)

    def _save(self, name: str, text: str, _choice: str) -> None:
        name = " ".join(name.split())  # as it is kept: spaces alone make no other name
        before = "" if self._editing is None else self._editing.name
        if not name or not text.strip():
            self.editor.refuse(self.tr("A prompt needs a name and a text."))
        elif name != before and name in self._prompts:
            self.editor.refuse(self.tr("There is a prompt of that name. Choose another one."))
        else:
            self.editor.hide()
            self.wishes.do(save_prompt(SavedPrompt(name, text, self._workspace), self._editing))
            self.action.setFocus(Qt.FocusReason.OtherFocusReason)
