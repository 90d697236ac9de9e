"""The parts of the editor of instructions: a text for each source, with its stripe and its word."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import partial
from typing import Literal, cast

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QMenu, QTextEdit, QVBoxLayout, QWidget

from workbench.domain.settings.context_settings import ContextSettings, Joining
from workbench.domain.shown.envelope_view import EnvelopeView, PartSource, RowKey, SegmentRow
from workbench.domain.workspace import (
    RATES,
    Surroundings,
    Used,
    Workspace,
    is_template,
    memory_text,
    used,
    workspace_of_template,
)
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui import formatting
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.badge import Badge, source_stripe, source_tone, source_word
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Panel
from workbench.ui.widgets.choice import TextField
from workbench.ui.widgets.labels import ElidedLabel, FigureLabel, label, set_text, set_token
from workbench.ui.widgets.menu import add_action, menu
from workbench.ui.widgets.plain import shown, tip, utf16_units
from workbench.ui.widgets.segmented import Segmented

# What is being written of the first layer: its texts by who says them, and what they make of the settings.


Subject = Literal["persona", "system", "project", "memory"]
SUBJECTS: tuple[Subject, ...] = ("persona", "system", "project", "memory")
_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_MOST_WORDS = 4_000


@dataclass(frozen=True, slots=True)
class Writing:
    """The texts that somebody may write: of this chat, and of its workspace where that has such a text."""

    chat: str = ""
    workspace: str = ""
    chat_joining: Joining = "add"
    workspace_joining: Joining = "add"

    @property
    def own(self) -> tuple[str, Joining]:
        return self.chat, self.chat_joining

    @property
    def place(self) -> tuple[str, Joining]:
        return self.workspace, self.workspace_joining


def subject_of(key: RowKey) -> Subject | None:
    """What a row is about, where it can be written."""
    return key.id if key.layer == "L1_SYSTEM" and key.id in SUBJECTS else None


def row_key(subject: Subject) -> RowKey:
    """The row that a text stands in."""
    return RowKey("L1_SYSTEM", subject)


def sent_row(view: EnvelopeView | None, subject: Subject) -> SegmentRow | None:
    """The row of a text, where it is really sent."""
    row = view.row(row_key(subject)) if view is not None else None
    return row if row is not None and row.counted else None


def workspace_of(state: WorkbenchState, chat: ChatState) -> Workspace | None:
    """The workspace that a chat is in, or is the template of."""
    key = chat.chat.id
    return state.workspaces.get(workspace_of_template(key) if is_template(key) else chat.chat.filed.workspace)


def saved(subject: Subject, settings: ContextSettings, workspace: Workspace | None) -> Writing:
    """The texts as they are kept."""
    match subject:
        case "persona":
            persona, inside = settings.persona, workspace or Workspace("")
            joining = persona.user_joining or settings.persona_mode
            return Writing(persona.user, inside.instructions, joining, inside.joining)
        case "system":
            return Writing(settings.system_prompt)
        case "project":
            return Writing(settings.project_instructions)
        case "memory":
            return Writing(settings.user_memory)


def settings_with(subject: Subject, settings: ContextSettings, writing: Writing) -> ContextSettings:
    """The chat's own settings with what is written."""
    match subject:
        case "persona":
            persona = settings.persona
            joining = (
                persona.user_joining
                if writing.chat_joining == (persona.user_joining or settings.persona_mode)
                else writing.chat_joining
            )
            return replace(settings, persona=replace(persona, user=writing.chat, user_joining=joining))
        case "system":
            return replace(settings, system_prompt=writing.chat)
        case "project":
            return replace(settings, project_instructions=writing.chat)
        case "memory":
            return replace(settings, user_memory=writing.chat)


def workspace_with(subject: Subject, workspace: Workspace | None, writing: Writing) -> Workspace | None:
    """The workspace with what is written; None where there is none, or nothing of it is written here."""
    if workspace is None or subject != "persona":
        return None
    return replace(workspace, instructions=writing.workspace, joining=writing.workspace_joining)


def text_of(subject: Subject, settings: ContextSettings) -> str:
    """The text of a row, by settings in effect."""
    match subject:
        case "persona":
            return settings.persona_text
        case "system":
            return settings.system_prompt
        case "project":
            return settings.project_instructions
        case "memory":
            return settings.user_memory


def text_ahead(subject: Subject, state: WorkbenchState, chat: ChatState, writing: Writing) -> str:
    """The text of the row as it would be sent, with what variables become."""
    inside = workspace_of(state, chat)
    values = chat.view.values if chat.view is not None else {}
    around = Surroundings(state.everywhere, workspace_with(subject, inside, writing) or inside, values)
    return text_of(subject, around.around(settings_with(subject, chat.chat.settings, writing)))


def text_sent(subject: Subject, chat: ChatState) -> str | None:
    """The text of the row as it was last sent; None where nothing was."""
    last = chat.conversation.previous
    return None if last is None else text_of(subject, last.inputs.settings)


def remembered(state: WorkbenchState, inside: Workspace | None) -> str:
    """What every chat there is told to remember."""
    facts = (*state.everywhere.facts, *(() if inside is None else inside.facts))
    return memory_text(fact.text for fact in facts if not fact.suggested)


def inserted(before: str, after: str) -> tuple[tuple[int, int], ...]:
    """Where in a text words stand that were not there before."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    if len(old) + len(new) > _MOST_WORDS:
        return ()
    starts = [0]
    for word in new:
        starts.append(starts[-1] + len(word))
    changes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return tuple(
        (starts[a], starts[b]) for tag, _, _, a, b in changes if tag in ("insert", "replace") and a < b
    )


def variables(text: str, values: Mapping[str, str]) -> tuple[Used, ...]:
    """The variables of a text, each once."""
    found: dict[str, Used] = {}
    for one in used(text, values):
        found.setdefault(one.name, one)
    return tuple(found.values())


SIDE = 132
LEAST_LINES, MOST_LINES, AROUND = 2, 9, 26


class Striped(Panel):
    """A part of one source: its words at the left, its badge and its tokens at the right."""

    def __init__(self, source: PartSource, locked: bool = False) -> None:
        super().__init__()
        self.source, self.stripe = source, source_stripe(source)
        row = columns(self, (14, 8, 12, 8), 10)
        self.words: QVBoxLayout = rows(row, spacing=2)
        row.setStretch(0, 1)
        side = QWidget()
        side.setFixedWidth(SIDE)
        self.side = rows(side, spacing=4)
        head = columns(self.side, spacing=6)
        fill(head, Badge(source_tone(source), "lock" if locked else "", source_word(source)), STRETCH)
        self.tokens = FigureLabel("", "small")
        head.addWidget(self.tokens)
        row.addWidget(side, 0, Qt.AlignmentFlag.AlignTop)

    def show_tokens(self, tokens: int | None) -> None:
        self.tokens.set_figure("" if tokens is None else formatting.tokens(tokens))


class LockedPart(Striped):
    """Words that are not written here, folded to their first line."""

    def __init__(self, source: PartSource, name: str) -> None:
        super().__init__(source, locked=True)
        self._text = ""
        self.first = ElidedLabel("", "ui", "t2")
        self.all = label("", "ui", "t2", wrap=True)
        self.all.setAccessibleName(name)
        self.all.hide()
        self.more = on_click(button("", "link", size="small"), self._toggle)
        self.words.addWidget(self.first)
        self.words.addWidget(self.all)
        self.words.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)

    def show_text(self, text: str) -> None:
        if text == self._text:
            return
        self._text = text
        lines = [line for line in text.splitlines() if line.strip()]
        self.first.setText(shown(lines[0], 400) if lines else "")
        set_text(self.all, "\n".join(shown(line, 2_000) for line in text.splitlines()))
        self.more.setVisible(len(lines) > 1 or len(text) > 80)
        self._name_more(len(lines) - 1)

    def _toggle(self) -> None:
        folded = self.all.isHidden()
        self.all.setVisible(folded)
        self.first.setVisible(not folded)
        self._name_more(len([line for line in self._text.splitlines() if line.strip()]) - 1)

    def _name_more(self, lines: int) -> None:
        if not self.all.isHidden():
            self.more.setText(tr("Show less"))
        elif lines == 1:
            self.more.setText(tr("1 more line"))
        else:
            self.more.setText(tr("{n} more lines").format(n=lines) if lines else tr("Show all"))


class WrittenPart(Striped):
    """Words that are written here; new ones are marked, variables are told as what they become.

    Signals:
        changed: something was written, or joined otherwise.
    """

    changed = Signal()

    def __init__(self, source: PartSource, name: str, hint: str, joins: bool) -> None:
        super().__init__(source)
        self._kept, self._values = "", cast(Mapping[str, str], {})
        self._shown: tuple[object, ...] = ()
        self.text = TextField(hint)
        self.text.setAccessibleName(name)
        self.text.setObjectName("transparent")
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.text.textChanged.connect(self._on_text)
        self.text.document().documentLayout().documentSizeChanged.connect(lambda _size: self._fit())
        self.becomes = label("", "small", "t3", wrap=True)
        self.becomes.hide()
        self.words.addWidget(self.text)
        self.words.addWidget(self.becomes)
        self.joining = Segmented((("add", tr("adds")), ("replace", tr("replaces"))))
        self.joining.setAccessibleName(
            tr("{name}: add to what comes before, or replace it").format(name=name)
        )
        self.joining.setToolTip(tip(tr("Whether these lines are added to those above or replace them.")))
        self.joining.chosen.connect(lambda _value: self.changed.emit())
        if not joins:
            self.joining.hide()  # never shown before it has a place
        self.side.addWidget(self.joining, 0, Qt.AlignmentFlag.AlignLeft)
        self._fit()

    def written(self) -> tuple[str, Joining]:
        return self.text.toPlainText(), cast(Joining, self.joining.current())

    def begin_with(self, text: str, joining: Joining) -> None:
        """Begin with these words, with nothing to undo before them."""
        with QSignalBlocker(self):
            self.text.setPlainText(text)
            self.text.moveCursor(QTextCursor.MoveOperation.End)
            self.joining.set_current(joining)
        self._fit()

    def show_kept(self, kept: str, values: Mapping[str, str]) -> None:
        """Mark what is not in the words that are kept, and say what variables become."""
        now = (kept, dict(values), self.text.toPlainText())
        if now != self._shown:
            self._shown, self._kept, self._values = now, kept, values
            self._mark()

    def insert(self, words: str) -> None:
        self.text.textCursor().insertText(words)
        self.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        QTimer.singleShot(0, self, self._fit)

    def _on_text(self) -> None:
        self._mark()
        self._fit()
        self.changed.emit()

    def _mark(self) -> None:
        text = self.text.toPlainText()
        found = variables(text, self._values)
        marks = [
            _marked(self.text, *span, "diff_add_bg") for span in _places(text, inserted(self._kept, text))
        ]
        self.text.setExtraSelections(marks)
        set_text(self.becomes, "\n".join(map(variable_words, found)))
        changing = any(one.rate in ("day", "turn") and one.value is not None for one in found)
        set_token(self.becomes, "warn" if changing else "t3")
        self.becomes.setVisible(bool(found))

    def _fit(self) -> None:
        lines = self.text.document().documentLayout().documentSize().height()
        wanted = min(max(round(lines), LEAST_LINES), MOST_LINES)
        self.text.setFixedHeight(wanted * self.text.fontMetrics().lineSpacing() + AROUND)


def variable_words(one: Used) -> str:
    """What a variable becomes, and when it becomes something else."""
    if one.value is None:
        return tr("{{{{{name}}}}} is unknown and sent as written.").format(name=one.name)
    value = shown(one.value, 80) or tr("nothing")
    match one.rate:
        case "turn":
            words = tr(
                "{{{{{name}}}}} becomes {value} and changes every turn, so what follows it is never cached."
            )
        case "day":
            words = tr("{{{{{name}}}}} becomes {value} and changes daily, so the cache is re-read then.")
        case "files":
            words = tr("{{{{{name}}}}} becomes {value}, and follows what is attached.")
        case _:
            words = tr("{{{{{name}}}}} becomes {value}.")
    return words.format(name=one.name, value=value)


def variables_menu(parent: QWidget, values: Mapping[str, str], insert: Callable[[str], None]) -> QMenu:
    """The variables with what they become; the chosen one is written."""
    made = menu(parent)
    for name in RATES:
        written = f"{{{{{name}}}}}"
        add_action(made, f"{written}\t{shown(values.get(name, ''), 40)}", partial(insert, written))
    return made


def _places(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same places as Qt counts them, in halves of letters beyond the first plane."""
    return [(utf16_units(text[:start]), utf16_units(text[:end])) for start, end in spans]


def _marked(text: TextField, start: int, end: int, token: str) -> QTextEdit.ExtraSelection:
    cursor = text.textCursor()
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    ink = QTextCharFormat()
    ink.setBackground(colour(token, theme_of(text)))
    made = QTextEdit.ExtraSelection()
    made.cursor, made.format = cursor, ink  # type: ignore[attr-defined]  # the stub leaves the fields out
    return made
