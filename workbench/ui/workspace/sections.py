"""The sections of the page: what every chat of a workspace is told and remembers, its prompts and its tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAccessible, QHideEvent, QKeyEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.settings.context_settings import Joining, PersonaSources
from workbench.domain.tool import ToolDefinition
from workbench.domain.workspace import Fact, SavedPrompt, Workspace, template_of
from workbench.engine.intents import TrySettings
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.tuning_intents import CountTools
from workbench.ui import formatting
from workbench.ui.filing import delete_prompt, save_prompt, save_workspace, with_fact, without_fact
from workbench.ui.look.space import S2, STRETCH, columns, fill, rows
from workbench.ui.look.tones import Tone
from workbench.ui.offers import Offer, Offering
from workbench.ui.steps import Step
from workbench.ui.tools.groups import ToolGroups
from workbench.ui.tools.values import GroupValue, definitions, tool_groups, tools_after, workspace_of
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.card import DASHED, Card, LeadingIcon, Panel
from workbench.ui.widgets.choice import Choice, Field, TextField
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.wishes import ServerAct, Wishes
from workbench.ui.workspace.rows import PageRow, RowValue, Section, token_sum

# A plain editor in place: for instructions, a fact or a prompt, kept or left alone.


TELL_AFTER_MS = 120


class InlineEditor(Card):
    """A text, with a name over it or a choice under it where there is one; Ctrl+S keeps it, Esc leaves it.

    Signals:
        saved: the name, the text and the choice. left: nothing is to be kept.
        changed: a moment after something was typed or chosen.
    """

    saved = Signal(str, str, str)
    left = Signal()
    changed = Signal()

    def __init__(self, what: str, name: str = "", choices: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__("accent")
        self.name = Field(name)
        if not name:
            self.name.hide()  # never shown before it has a place
        self.text = TextField(what)
        self.choice = Choice(choices)
        if not choices:
            self.choice.hide()  # never shown before it has a place
        self.choice.setAccessibleName(tr("How it combines with what comes before"))
        self.note = label("", "small", "warn", wrap=True)
        self.note.hide()
        self.save = button(tr("Save"), "primary", shortcut_hint=tr("Ctrl+S"), size="small")
        self.cancel = button(tr("Cancel"), shortcut_hint=tr("Esc"), size="small")
        self._before = ("", "", "")
        self._warned = False
        self._later = single_shot(self, self.changed, TELL_AFTER_MS)
        self.text.textChanged.connect(self._later.start)
        self.choice.currentIndexChanged.connect(self._later.start)
        down = fill(rows(self, (12, 10, 12, 10), S2), self.name, self.text, self.note)
        fill(columns(down, spacing=S2), self.choice, STRETCH, self.cancel, self.save)
        self.save.clicked.connect(self._save)
        self.cancel.clicked.connect(self._leave)
        for child in (self.name, self.text, self.choice, self.save, self.cancel):
            child.installEventFilter(self)
        self.hide()

    def open(self, text: str, name: str = "", choice: str = "", lines: int = 4) -> None:
        self.name.setText(name)
        self.text.setPlainText(text)
        if choice:
            self.choice.choose(choice)
        self._before, self._warned = self.values(), False
        self.note.hide()
        self.text.setFixedHeight(self.text.fontMetrics().lineSpacing() * lines + 18)
        self.show()
        first: QWidget = self.name if self.name.isVisibleTo(self) and not name else self.text
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    def refuse(self, words: str) -> None:
        """Say why it cannot be kept, and stay."""
        set_text(self.note, words)
        self.note.show()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._later.stop()

    def values(self) -> tuple[str, str, str]:
        return self.name.text().strip(), self.text.toPlainText(), self.choice.chosen()

    def _save(self) -> None:
        self.saved.emit(*self.values())

    def _leave(self) -> None:
        """Words that were typed are not thrown away by one key."""
        if self.values() != self._before and not self._warned:
            self._warned = True
            self.refuse(tr("Not saved yet. Esc again leaves it as it was; Ctrl+S keeps it."))
            return
        self.hide()
        self.left.emit()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """The keys hold wherever in the editor the keyboard is."""
        if not isinstance(event, QKeyEvent) or event.type() not in (
            QEvent.Type.KeyPress,
            QEvent.Type.ShortcutOverride,
        ):
            return False
        held = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        saves = held and (event.key() == Qt.Key.Key_S or enter)
        leaves = event.key() == Qt.Key.Key_Escape
        if not saves and not leaves:
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
        elif saves:
            self._save()
        else:
            self._leave()
        return True


OWN = "workspace"
LINES = 8
SUGGESTED_HEIGHT = 52


class InstructionsSection(Section):
    """Rows by source; those of the workspace are edited in place."""

    def __init__(self, wishes: Wishes) -> None:
        super().__init__("", "", icon="edit")
        self.wishes = wishes
        self.title.setText(tr("Instructions"))
        self.action.setText(tr("Edit"))
        self.action.setAccessibleName(tr("Edit the instructions of this workspace"))
        self.action.show()
        choices = (
            ("add", tr("Adds to the default instructions")),
            ("replace", tr("Replaces the default instructions")),
        )
        self.editor = InlineEditor(tr("Instructions for every chat in this workspace"), choices=choices)
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
        own: tuple[Tone, str] = ("info", tr("workspace"))
        folder: tuple[Tone, str] = ("info", tr("folder"))
        replaced = bool(place.instructions) and place.joining == "replace"
        if persona.default:
            word = tr("replaced") if replaced else tr("default")
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
            words = tr("No workspace instructions yet.")
            yield RowValue(OWN, words, source="workspace", badge=own, edits=True, waits=True, tokens=0)
        if place.project:
            cost = tokens.get("project")
            yield RowValue("project", place.project, source="workspace", badge=folder, tokens=cost)
        words = tr("A chat adds its own lines here.")
        yield RowValue("chat", words, source="chat", badge=("accent", tr("chat")), waits=True, tokens=0)

    def _step(self) -> Step | None:
        return save_workspace(self._place, self._after(), tr("Change the instructions"))

    def _after(self) -> Workspace:
        _, text, choice = self.editor.values()
        joining: Joining = "replace" if choice == "replace" else "add"
        return replace(self._place, instructions=text.strip(), joining=joining)

    def _try(self) -> None:
        """Show what the next request would be: a ghost, until it is kept or left."""
        self.wishes.send(TrySettings(template_of(self._place.id), None, self._after()))

    def _offer(self) -> Offer | None:
        step = self._step()
        line = tr("Sent with the next turn of every chat in this workspace.")
        return None if step is None else Offer(step.title, step.do, line, tr("Ctrl+S"), "edit")

    def _save(self) -> None:
        step = self._step()
        self._left()
        self.editor.hide()
        self.wishes.do(step)

    def _left(self) -> None:
        self.wishes.send(TrySettings(template_of(self._place.id), None))
        self.action.setFocus(Qt.FocusReason.OtherFocusReason)


class SuggestedRow(Panel):
    """A fact that is in no request before somebody accepts it; Enter accepts, Delete dismisses."""

    spoken_role = QAccessible.Role.ListItem

    accepted = Signal(str)
    dismissed = Signal(str)

    ground, line_above, line_token, dash = "accent_tint", True, "accent", DASHED
    inside_card = True
    leading = LeadingIcon("bulb", "accent_text", box=(12, 0, 16, SUGGESTED_HEIGHT // 2 + 4))

    def __init__(self, fact: Fact, said_in: str) -> None:
        super().__init__()
        self.fact = fact
        self.setFixedHeight(SUGGESTED_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        text = ElidedLabel(shown(fact.text.replace("\n", " "), 400))
        text.setToolTip(tip(fact.text))
        text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        words = tr("suggested from {chat}").format(chat=said_in) if said_in else tr("suggested")
        line = ElidedLabel(words, "small", "t2")
        line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.accept = button(tr("Accept"), "primary", size="small")
        self.dismiss = button(tr("Dismiss"), "ghost", size="small")
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


class MemorySection(Section):
    """The facts of a workspace; those that hold for every chat stand first and are changed elsewhere.

    Attributes:
        new_id: gives an id that no fact has.
    """

    def __init__(self, wishes: Wishes) -> None:
        super().__init__("", "")
        self.wishes = wishes
        self.title.setText(tr("Memory"))
        self.action.setText(tr("Add a fact"))
        self.action.show()
        self._place = Workspace("")
        self._editing = ""
        self.editor = InlineEditor(tr("What every chat here should know"))
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
        many = formatting.counted(len(values), tr("1 fact"), tr("{n} facts"))
        self.say(token_sum(many, sum(value.tokens or 0 for value in values)) if values else tr("nothing yet"))

    def _value(self, fact: Fact, tokens: Mapping[str, int], for_all: bool = False) -> RowValue:
        cost = tokens.get(fact.text)
        if for_all:
            badge: tuple[Tone, str] = ("neutral", tr("all chats"))
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
        line = tr("Sent in every chat of this workspace.")
        return None if step is None else Offer(tr("Accept a fact"), step.do, line, icon="bulb")

    def _fact(self, key: str) -> Fact | None:
        return next((fact for fact in self._place.facts if fact.id == key), None)

    def _edit(self, key: str) -> None:
        fact = self._fact(key)
        self._editing = "" if fact is None else fact.id
        self.editor.open("" if fact is None else fact.text, lines=3)

    def _save(self, _name: str, text: str, _choice: str) -> None:
        words = text.strip()
        if not words:
            self.editor.refuse(tr("Write what to remember, or press Esc."))
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


class PromptsSection(Section):
    """Prompts with their names; a new one is written in place."""

    def __init__(self, wishes: Wishes) -> None:
        super().__init__("", "")
        self.wishes = wishes
        self.title.setText(tr("Prompts"))
        self.action.setText(tr("Add a prompt"))
        self.action.show()
        self.editor = InlineEditor(tr("The text; {date} and other variables are filled in"), tr("Name"))
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
        self.say(tr("type / in a chat here to use one") if self._prompts else tr("none yet"))

    def _edit(self, name: str) -> None:
        found = self._editing = self._prompts.get(name)
        self.editor.open("" if found is None else found.text, "" if found is None else found.name)

    def _save(self, name: str, text: str, _choice: str) -> None:
        name = " ".join(name.split())  # as it is kept: spaces alone make no other name
        before = "" if self._editing is None else self._editing.name
        if not name or not text.strip():
            self.editor.refuse(tr("A prompt needs a name and a text."))
        elif name != before and name in self._prompts:
            self.editor.refuse(tr("A prompt with that name already exists. Choose another name."))
        else:
            self.editor.hide()
            self.wishes.do(save_prompt(SavedPrompt(name, text, self._workspace), self._editing))
            self.action.setFocus(Qt.FocusReason.OtherFocusReason)


class ToolsSection(Section):
    """The tools that there are; what is pressed is told, and whoever knows how does it.

    Signals:
        chosen: the tools that new chats shall have, as definitions.
    """

    chosen = Signal(object)

    def __init__(self, wishes: Wishes) -> None:
        super().__init__("", "")
        self.wishes = wishes
        self.title.setText(tr("Tools"))
        self.action.setText(tr("Add an MCP server"))
        self.action.setAccessibleName(tr("Add an MCP server"))
        self.action.show()
        self.groups = ToolGroups(unfolded=False)
        self.down.addWidget(self.groups)
        self.rules = ElidedLabel("", "small", "t3")
        self.change = button(tr("What tools may do…"), "link", size="small")
        fill(columns(self.down), (self.rules, 1), self.change)
        self._values: tuple[GroupValue, ...] = ()
        self._held: tuple[ToolDefinition, ...] = ()
        self._counted: tuple[object, ...] = ()
        self.wanted.connect(lambda: wishes.run(ServerAct("add", "")))
        self.change.clicked.connect(lambda: wishes.run("approval"))
        self.groups.switched.connect(
            lambda names, on: self.chosen.emit(tools_after(self._values, self._held, names, on))
        )
        self.groups.acted.connect(lambda act, server: wishes.run(ServerAct(act, server)))

    def show_tools(self, state: WorkbenchState, chat: ChatState, own: Sequence[ToolDefinition]) -> None:
        """Show what new chats could be told of; `own` are the program's."""
        self._held, self._values = chat.chat.settings.tools, tool_groups(state, chat, own)
        self.groups.show_groups(self._values)
        self.say(self.groups.words())
        self._count(chat)
        place = workspace_of(state, chat.chat)
        rules = 0 if place is None else len(place.rules)
        if not rules:
            words = tr("Reading is allowed; changes and servers need approval.")
        elif rules == 1:
            words = tr("1 rule")
        else:
            words = tr("{n} rules; the first match applies").format(n=rules)
        set_text(self.rules, words)

    def _count(self, chat: ChatState) -> None:
        wanted = definitions(self._values)
        asked = (chat.chat.id, chat.chat.settings.model, wanted)
        if wanted and asked != self._counted and chat.view is not None:
            self._counted = asked
            self.wishes.send(CountTools(chat.chat.id, wanted))
