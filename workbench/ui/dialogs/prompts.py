"""The dialog of saved prompts: a list with a search, and the selected prompt to edit, with its variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from workbench.domain.workspace import EVERYWHERE, RATES, SavedPrompt, used
from workbench.engine.state import WorkbenchState
from workbench.engine.workspace_intents import DeletePrompt, SavePrompt
from workbench.ui import formatting
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.choice import Choice, Field, TextField
from workbench.ui.widgets.floating import NotedSheet
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.plain import shown
from workbench.ui.wishes import Wishes

WIDTH, HEIGHT, LIST_WIDTH, ROW = 860, 600, 250, 30
COUNT_MS = 120
_KEY = Qt.ItemDataRole.UserRole
_ALL = "all"
Key = tuple[str, str]
"""Workspace and name, which identify a prompt."""


class PromptsDialog(NotedSheet):
    """A list of names, and the selected prompt's text under its name.

    Signals:
        inserted: a text to insert into the message. weighed: a text whose tokens are to be counted.
        moved: intents to send in order; if the first is refused, the others are not done.
    """

    inserted = Signal(str)
    weighed = Signal(str)
    moved = Signal(object)

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(tr("Prompts"), WIDTH, HEIGHT, parent)
        self.wishes = wishes or Wishes(self)
        self._state = WorkbenchState()
        self._values: Mapping[str, str] = {}
        self._edited: Key | None = None
        self._removed: SavedPrompt | None = None
        self._soon = single_shot(self, lambda: self.weighed.emit(self.text.toPlainText()), COUNT_MS)
        self._unsaved: dict[Key, SavedPrompt] = {}
        self._wanted: Key | None = None
        self._inside = EVERYWHERE
        middle = columns(self.body, spacing=16)
        left = rows(middle, spacing=8)
        self.search = Field(tr("Search prompts"), "search")
        self.search.textChanged.connect(lambda _text: self._fill_list())
        self.list = QListWidget()
        self.list.setFixedWidth(LIST_WIDTH)
        self.list.setAccessibleName(tr("Prompts"))
        self.list.currentItemChanged.connect(lambda new, _old: self._choose(new))
        self.new = on_click(button(tr("New prompt"), icon="plus"), lambda: self.begin_new(""))
        fill(left, self.search, self.list, self.new)
        self._build_editor(rows(middle, spacing=8))
        middle.setStretch(1, 1)
        self.add_note(self._restore)
        self._build_buttons()
        self._show()

    def _build_editor(self, right: QVBoxLayout) -> None:
        column = rows(right, spacing=8)
        head = columns(column, spacing=8)
        self.name = Field(tr("Name"))
        self.name.setAccessibleName(tr("Name of the prompt"))
        self.where = Choice()
        self.where.setAccessibleName(tr("For whom it is kept"))
        fill(head, (self.name, 1), self.where)
        self.text = TextField(tr("The text. {{date}} becomes the date; {{anything else}} is asked for."))
        self.text.setAccessibleName(tr("Text of the prompt"))
        column.addWidget(self.text, 1)
        below = columns(column, spacing=12)
        self.told = label("", "small", "t3", wrap=True)
        self.tokens = label("", "small", "t2")
        below.addWidget(self.told, 1)
        below.addWidget(self.tokens, 0, Qt.AlignmentFlag.AlignTop)
        for changed in (self.name.textChanged, self.text.textChanged, self.where.activated):
            changed.connect(lambda *_what: self._show())
        self.text.textChanged.connect(self._count_soon)

    def _build_buttons(self) -> None:
        self.remove = on_click(button(tr("Delete"), "danger"), self._remove)
        self.put_in = on_click(button(tr("Insert into the message")), self._insert)
        self.save = on_click(button(tr("Save"), "primary", "save"), self._save)
        fill(self.foot, self.remove, STRETCH, self.put_in, self.save)

    # --- what is shown --------------------------------------------------------------------------------------

    def show_state(self, state: WorkbenchState, inside: str, values: Mapping[str, str]) -> None:
        """Show the prompts; `inside` is the current chat's workspace, `values` are the values of variables."""
        changed = (state.prompts, dict(state.workspaces)) != (
            self._state.prompts,
            dict(self._state.workspaces),
        )
        self._values = values
        if not changed and inside == self._inside and self.where.count():
            return
        self._state, self._inside = state, inside
        chosen = self.where.chosen()
        with QSignalBlocker(self.where):
            self.where.clear()
            self.where.addItem(tr("All chats"), _ALL)
            for one in state.workspaces.values():
                self.where.addItem(shown(one.name, 30), one.id)
            self.where.choose(chosen or inside or _ALL)
        self._fill_list()

    def begin_new(self, text: str) -> None:
        self._keep_unsaved()
        self.list.setCurrentRow(-1)
        self._edited = None
        self.name.clear()
        self.where.choose(self._inside or _ALL)
        self.text.setPlainText(text)
        self._show()
        self.name.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_tokens(self, tokens: int) -> None:
        set_text(self.tokens, formatting.token_words(tokens))

    def _count_soon(self) -> None:
        set_text(self.tokens, "")
        self._soon.start()

    def written(self) -> SavedPrompt:
        place = self.where.chosen()
        name = " ".join(self.name.text().split())
        return SavedPrompt(name, self.text.toPlainText(), EVERYWHERE if place == _ALL else place)

    def _fill_list(self) -> None:
        words = self.search.text().strip().casefold()
        # What is wanted is there once it is kept; a name that was refused never is.
        wanted = self._edited if self._find(self._wanted) is None else self._wanted
        with QSignalBlocker(self.list):
            self.list.clear()
            for prompt in ordered(self._state.prompts, self._inside):
                if words not in f"{prompt.name}\n{prompt.text}".casefold():
                    continue
                place = self._state.workspaces.get(prompt.workspace)
                item = QListWidgetItem(
                    shown(prompt.name) + (f"  ·  {shown(place.name, 20)}" if place else "")
                )
                item.setData(_KEY, (prompt.workspace, prompt.name))
                item.setSizeHint(QSize(0, ROW))
                self.list.addItem(item)
                if (prompt.workspace, prompt.name) == wanted:
                    self.list.setCurrentItem(item)
        found: QListWidgetItem | None = self.list.currentItem()
        if self._wanted is not None and found is not None and tuple(found.data(_KEY)) == self._wanted:
            self._edited, self._wanted = self._wanted, None
            self._choose(found)
        elif (
            self._edited is None
            and not self.text.toPlainText()
            and not self.name.text()
            and self.list.count()
        ):
            self.list.setCurrentRow(0)
        self._show()

    def _find(self, key: Key | None) -> SavedPrompt | None:
        return next((one for one in self._state.prompts if (one.workspace, one.name) == key), None)

    def _choose(self, item: QListWidgetItem | None) -> None:
        prompt = self._find(tuple(item.data(_KEY))) if item is not None else None
        if prompt is None:
            return
        self._keep_unsaved()
        self._edited = (prompt.workspace, prompt.name)
        prompt = self._unsaved.pop(self._edited, prompt)
        self.name.setText(prompt.name)
        self.where.choose(prompt.workspace or _ALL)
        self.text.setPlainText(prompt.text)
        self._show()

    def _keep_unsaved(self) -> None:
        """Keep unsaved text, to show it again when its prompt is selected again."""
        written = self.written()
        if self._edited is not None and self._find(self._edited) not in (None, written):
            self._unsaved[self._edited] = written

    def _show(self) -> None:
        prompt, kept = self.written(), self._find(self._edited)
        self.save.setEnabled(bool(prompt.name and prompt.text.strip()) and prompt != kept)
        self.remove.setEnabled(kept is not None)
        self.put_in.setEnabled(bool(prompt.text.strip()))
        set_text(self.told, variable_words(prompt.text, self._values))

    # --- what is changed ------------------------------------------------------------------------------------

    def _save(self) -> None:
        prompt, before = self.written(), self._find(self._edited)
        taken = self._find((prompt.workspace, prompt.name))
        if taken is not None and taken != before:
            self.say(tr("A prompt with that name already exists. Choose another name, or change that one."))
            return
        self._wanted = (prompt.workspace, prompt.name)
        if before is not None and before.workspace != prompt.workspace:
            self.moved.emit((SavePrompt(prompt), DeletePrompt(before.workspace, before.name)))
        else:
            self.wishes.send(SavePrompt(prompt, "" if before is None else before.name))
        self.say(tr("“{name}” is saved. Type / and its name in a message.").format(name=shown(prompt.name)))

    def _remove(self) -> None:
        prompt = self._find(self._edited)
        if prompt is None:
            return
        self._removed, self._edited = prompt, None
        self.name.clear()
        self.text.clear()
        self.wishes.send(DeletePrompt(prompt.workspace, prompt.name))
        self.say(tr("“{name}” is deleted.").format(name=shown(prompt.name)))
        self.undo.show()

    def _restore(self) -> None:
        if self._removed is not None:
            self._wanted = (self._removed.workspace, self._removed.name)
            self.wishes.send(SavePrompt(replace(self._removed)))
            self.say("")

    def _insert(self) -> None:
        self.inserted.emit(self.text.toPlainText())
        self.accept()


def ordered(prompts: tuple[SavedPrompt, ...], inside: str) -> tuple[SavedPrompt, ...]:
    """All prompts in order: those of a workspace first, then those for all chats, then those of other workspaces."""

    def rank(prompt: SavedPrompt) -> tuple[int, str]:
        near = 0 if inside and prompt.workspace == inside else 1 if prompt.workspace == EVERYWHERE else 2
        return near, prompt.name.casefold()

    return tuple(sorted(prompts, key=rank))


def variable_words(text: str, values: Mapping[str, str]) -> str:
    """What becomes of the variables of a text when it is inserted."""
    names = list(dict.fromkeys(one.name for one in used(text, values)))
    known = [f"{{{{{name}}}}} → {shown(values[name], 40) or '–'}" for name in names if name in values]
    asked = [f"{{{{{name}}}}}" for name in names if name not in values]
    if asked:
        known.append(
            tr("{names}: after inserting, Tab moves from one to the next").format(names=", ".join(asked))
        )
    every = ", ".join(f"{{{{{name}}}}}" for name in RATES)
    return "\n".join(known) or tr("Variables: {names}, and any word of your own.").format(names=every)
