"""What every chat of a workspace is told, by who says it: the program, the workspace, the folder, the chat itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from PySide6.QtCore import Qt

from workbench.domain.settings.preferences import Joining, PersonaSources
from workbench.domain.workspace import Workspace, template_of
from workbench.engine.intents import TrySettings
from workbench.ui import formatting
from workbench.ui.filing import save_workspace
from workbench.ui.look.tones import Tone
from workbench.ui.offers import Offer, Offering
from workbench.ui.steps import Step
from workbench.ui.wishes import Wishes
from workbench.ui.workspace.editor import InlineEditor
from workbench.ui.workspace.rows import RowValue, Section

OWN = "workspace"
LINES = 8


class InstructionsSection(Section):
    """Rows by source; those of the workspace are edited in place."""

    def __init__(self, wishes: Wishes) -> None:
        super().__init__("", "", icon="edit")
        self.wishes = wishes
        self.title.setText(self.tr("Instructions"))
        self.action.setText(self.tr("Edit"))
        self.action.setAccessibleName(self.tr("Edit the instructions of this workspace"))
        self.action.show()
        choices = (
            ("add", self.tr("Adds to the default instructions")),
            ("replace", self.tr("Replaces the default instructions")),
        )
        self.editor = InlineEditor(self.tr("What every chat in this workspace is told"), choices=choices)
        self.down.addWidget(self.editor)
        self._place = Workspace("")
        self.wanted.connect(self.edit)
        self.edited.connect(lambda _key: self.edit())
        self.editor.saved.connect(self._save)
        self.editor.left.connect(self._left)
        self.editor.changed.connect(self._try)
        Offering(self.editor.save, self._offer, self.wishes.offer)

    def show_place(self, place: Workspace, persona: PersonaSources, tokens: Mapping[str, int]) -> None:
        """Show who says what; `tokens` are by source, and that of the folder's own files under `project`."""
        self._place = place
        values = tuple(self._values(place, persona, tokens))
        self.show_values(values)
        total = sum(value.tokens or 0 for value in values)
        self.say(formatting.token_words(total))

    def edit(self) -> None:
        self.editor.open(self._place.instructions, choice=self._place.joining, lines=LINES)

    def _values(
        self, place: Workspace, persona: PersonaSources, tokens: Mapping[str, int]
    ) -> Iterator[RowValue]:
        own: tuple[Tone, str] = ("info", self.tr("workspace"))
        folder: tuple[Tone, str] = ("info", self.tr("folder"))
        replaced = bool(place.instructions) and place.joining == "replace"
        if persona.default:
            word = self.tr("replaced") if replaced else self.tr("default")
            cost = 0 if replaced else tokens.get("default")
            yield RowValue("default", persona.default, source="default", badge=("neutral", word), tokens=cost)
        if place.instructions:
            yield RowValue(
                OWN,
                place.instructions,
                source="workspace",
                badge=own,
                edits=True,
                tokens=tokens.get("workspace"),
            )
        else:
            words = self.tr("Nothing yet that only the chats here are told.")
            yield RowValue(OWN, words, source="workspace", badge=own, edits=True, waits=True, tokens=0)
        if place.project:
            cost = tokens.get("project")
            yield RowValue("project", place.project, source="workspace", badge=folder, tokens=cost)
        words = self.tr("A chat adds its own lines here.")
        yield RowValue("chat", words, source="chat", badge=("accent", self.tr("chat")), waits=True, tokens=0)

    def _step(self) -> Step | None:
        return save_workspace(self._place, self._after(), self.tr("Change the instructions"))

    def _after(self) -> Workspace:
        _, text, choice = self.editor.values()
        joining: Joining = "replace" if choice == "replace" else "add"
        return replace(self._place, instructions=text.strip(), joining=joining)

    def _try(self) -> None:
        """Show what the next request would be: a ghost, until it is kept or left."""
        self.wishes.send(TrySettings(template_of(self._place.id), None, self._after()))

    def _offer(self) -> Offer | None:
        step = self._step()
        line = self.tr("Every chat of this workspace is told so with its next turn.")
        return None if step is None else Offer(step.title, step.do, line, self.tr("Ctrl+S"), "edit")

    def _save(self) -> None:
        step = self._step()
        self._left()
        self.editor.hide()
        self.wishes.do(step)

    def _left(self) -> None:
        self.wishes.send(TrySettings(template_of(self._place.id), None))
        self.action.setFocus(Qt.FocusReason.OtherFocusReason)
