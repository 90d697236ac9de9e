"""The editor over the tree: instructions are written in place, with their tokens, their price and what they change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from workbench.domain.shown.envelope_view import PriceTag
from workbench.domain.workspace import Workspace
from workbench.engine.intents import ChangeSettings, PriceStep, TrySettings
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.workspace_intents import ReviseWorkspace
from workbench.ui import formatting, steps
from workbench.ui.inspector.instructions.texts import (
    LockedPart,
    Subject,
    Writing,
    WrittenPart,
    remembered,
    saved,
    sent_row,
    settings_with,
    text_ahead,
    text_sent,
    variables_menu,
    workspace_of,
    workspace_with,
)
from workbench.ui.look.fonts import line_height
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.tones import TONES
from workbench.ui.price_words import price_line
from workbench.ui.translation import tr
from workbench.ui.widgets.badge import Badge, LayerTag
from workbench.ui.widgets.buttons import button, tool_button
from workbench.ui.widgets.card import LeadingIcon, Panel
from workbench.ui.widgets.code_view import DiffLine, DiffText, unified_lines
from workbench.ui.widgets.floating import MARGIN
from workbench.ui.widgets.labels import ElidedLabel, FigureLabel, label, set_text, set_token
from workbench.ui.widgets.menu import popup_below
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.stack import transparent
from workbench.ui.wishes import Wishes

# What stands around the texts in the editor of instructions: head, price, what changes, and what can be done.


HEAD, FOOT, BAND = 40, 52, 36
MOST_LINES = 8
SHORT_PX, RADIUS = 640, 10


class EditorGround(Panel):
    """What the editor lies on; its border says that something is being edited."""

    ground, border, radius, shadow_margin = "raised", "accent", RADIUS, MARGIN


class EditorHead(Panel):
    """What is edited, whom it reaches, and its tokens while it is written."""

    line_below = True

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(HEAD)
        self.title = label("", "ui_heading")
        self.reach = ElidedLabel("", "small", "t2")
        self.tokens = FigureLabel("", "ui", weight=600)
        self.delta = Badge("accent")
        self.variables = button(tr("Variables"), "ghost", size="small")
        self.variables.setToolTip(tr("Insert the date, the workspace, file names…"))
        self.shut = tool_button("x", tr("Close the editor"), side=24)
        row = columns(self, (12, 0, 8, 1), 8)
        fill(row, LayerTag("L1_SYSTEM"), self.title, (self.reach, 1), self.variables)
        for part in (self.tokens, label(tr("tokens"), "small", "t2"), self.delta, self.shut):
            row.addWidget(part)

    def show_words(self, title: str, reach: str, tokens: int, delta: int) -> None:
        set_text(self.title, title)
        self.reach.setText(reach)
        self.tokens.set_figure(formatting.tokens(tokens))
        self.delta.show_words("accent", "", formatting.signed_tokens(delta) if delta else "")


class PriceBand(Panel):
    """What saving would cost, said before it is done."""

    def __init__(self) -> None:
        super().__init__()
        self.words = label("", "small", "t1", wrap=True)
        columns(self, (38, 8, 12, 8)).addWidget(self.words, 1)
        self.setMinimumHeight(BAND)
        self.hide()

    def show_tag(self, tag: PriceTag | None) -> None:
        if tag is None:
            self.hide()
            return
        priced = price_line(tag)
        free = tr("free when cold") if tag.reread_tokens and not tag.free else ""
        said = f"{priced.words} · {free}" if free else priced.words
        set_text(self.words, tr("Changes the prefix: {price}").format(price=said))
        self.ground, ink, _ = TONES[priced.tone]
        self.leading = LeadingIcon(priced.icon or "info", ink, box=(14, 0, 16, 0))
        set_token(self.words, ink)
        self.show()
        self.update()


class Against(Panel):
    """What changes against what was last sent, in at most eight lines."""

    line_above = True

    def __init__(self) -> None:
        super().__init__()
        self.heading = label(tr("Against what was last sent"), "small")
        self.turn = label("", "small", "t3")
        self.added, self.removed = label("", "small", "diff_add"), label("", "small", "diff_del")
        self.diff = DiffText((), MOST_LINES)
        down = rows(self, (0, 1, 0, 0))
        self.line = QWidget()
        self.line.setFixedHeight(line_height("row") + 4)
        row = columns(self.line, (12, 0, 12, 0), 8)
        fill(row, self.heading, self.turn, self.added, self.removed, STRETCH)
        fill(down, self.line, self.diff)
        self.hide()

    def show_lines(self, lines: Sequence[DiffLine], turn: int) -> None:
        self.setVisible(bool(lines))
        added, removed = (sum(line.sign == sign for line in lines) for sign in "+-")
        set_text(self.turn, tr("turn {n}").format(n=turn) if turn else "")
        set_text(self.added, f"+{added}" if added else "")
        set_text(self.removed, f"−{removed}" if removed else "")
        self.diff.show_lines(lines)

    def sizeHint(self) -> QSize:
        return QSize(320, self.line.height() + self.diff.sizeHint().height() + 1)


class EditorFoot(Panel):
    """What can be done with what is written."""

    line_above = True

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(FOOT)
        self._asking = False
        self.note = ElidedLabel("", "small", "t2")
        self.discard = button(tr("Discard"), "ghost", "", "Esc")
        self.for_workspace = button(tr("Save for the workspace"), "secondary", "", "Ctrl+⇧+S")
        self.for_chat = button(tr("Save for this chat"), "primary", "", "Ctrl+S")
        row = columns(self, (12, 1, 12, 0), 8)
        fill(row, (self.note, 1), self.discard, self.for_workspace, self.for_chat)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        short = self.width() < SHORT_PX
        self.for_workspace.set_hint("" if short else "Ctrl+⇧+S")
        self.for_chat.set_hint("" if short else "Ctrl+S")

    def show_workspace(self, there: bool) -> None:
        self.for_workspace.setVisible(there)

    def show_changed(self, own: bool, workspace: bool) -> None:
        self.for_chat.setEnabled(own)
        self.for_workspace.setEnabled(workspace)
        self.discard.setText(tr("Discard") if own or workspace or self._asking else tr("Close"))

    def say(self, words: str) -> None:
        """Say something; a question that was asked is not asked any more."""
        self._asking = False
        self.note.setText(words)

    def ask(self, words: str) -> None:
        """Ask, to be answered by the same key again."""
        self.note.setText(tr("{question} Esc again discards it.").format(question=words))
        self._asking = True

    def asks(self) -> bool:
        return self._asking


def title_words(subject: Subject) -> str:
    """What is edited, in a word or two."""
    titles: dict[Subject, str] = {
        "persona": tr("Instructions"),
        "system": tr("System prompt"),
        "project": tr("Project instructions"),
        "memory": tr("Memory of this chat"),
    }
    return titles[subject]


def reach_words(state: WorkbenchState | None, inside: Workspace | None) -> str:
    """Whom the lines reach."""
    if inside is None or state is None:
        return tr("of this chat")
    chats = sum(chat.filed.workspace == inside.id for chat in state.chats)
    words = tr("of this chat; the lines of {name} reach {n} chats")
    if chats == 1:
        words = tr("of this chat; the lines of {name} reach 1 chat")
    return words.format(name=shown(inside.name, 30), n=formatting.tokens(chats))


DEBOUNCE_MS = 120
PRICE = "instructions"
SIDE = 12
LEAST_HEIGHT, MOST_HEIGHT = 240, 660


class InstructionsEditor(EditorGround):
    """Lies over the tree while a text of the first layer is written; nothing is changed before it is saved.

    What is written and not saved waits with its chat, and is there again when the chat is.

    Signals:
        closed: nothing is written any more, or the chat was left. placed: its height is another one.
    """

    closed = Signal()
    placed = Signal()

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self._state: WorkbenchState | None = None
        self._chat: ChatState | None = None
        self._subject: Subject | None = None
        self._kept = Writing()
        self._waiting: dict[str, tuple[Subject, Writing]] = {}
        self._tag: PriceTag | None = None
        self._awaits = False
        self.head, self.band, self.against = EditorHead(), PriceBand(), Against()
        self.foot = EditorFoot()
        self.default = LockedPart("default", tr("Default instructions"))
        self.folder = LockedPart("workspace", tr("Instructions of the workspace’s folder"))
        self.facts = LockedPart("fact", tr("What is remembered"))
        self.workspace = WrittenPart(
            "workspace", tr("Instructions of the workspace"), tr("For every chat here…"), True
        )
        self.own = WrittenPart("chat", tr("For this chat"), tr("For this chat only…"), True)
        self._soon = single_shot(self, self._try, DEBOUNCE_MS)
        self._fit = single_shot(
            self, self.placed
        )  # after the layouts: until then the parts have the heights of before
        self.setAccessibleName(tr("Editor of instructions"))
        self._arrange()
        self._connect()
        self.hide()

    # --- what is asked of it ------------------------------------------------------------------------------

    def edit(self, subject: Subject) -> None:
        """Let a text be written; one that was begun and not saved goes on."""
        if self._chat is None or self._state is None:
            return
        if subject == self._subject and self.isVisibleTo(self.parentWidget()):
            self.entry().setFocus(Qt.FocusReason.OtherFocusReason)
            return
        if self.is_changed():
            self.foot.say(tr("Save this first, or discard it."))
            return
        self._leave()
        self._begin(subject)
        self.entry().setFocus(Qt.FocusReason.OtherFocusReason)

    def subject(self) -> Subject | None:
        """What is being written; None where nothing is."""
        return self._subject

    def is_changed(self) -> bool:
        return self._subject is not None and self.writing() != self._kept

    def unsaved(self) -> bool:
        """Whether something is written anywhere that is not saved, in this chat or in another one."""
        return self.is_changed() or bool(self._waiting)

    def writing(self) -> Writing:
        own, own_joining = self.own.written()
        place, place_joining = self.workspace.written()
        return Writing(own, place, own_joining, place_joining)

    def entry(self) -> QWidget:
        """What takes the focus: the lines of this chat, or the workspace's where only those say something."""
        in_workspace = self.workspace.isVisibleTo(self) and self._kept.workspace and not self._kept.chat
        return self.workspace.text if in_workspace else self.own.text

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        """Follow the chat in view: its tokens, its price, and what is kept by now."""
        before, self._state, self._chat = self._chat, state, chat
        if (before.chat.id if before else "") != (chat.chat.id if chat else ""):
            self._change_chat(before, chat)
        elif self._subject is not None:
            self._follow()

    def save_for_chat(self) -> None:
        """Keep this chat's lines; what is written for the workspace stays open."""
        if self._chat is None or self._subject is None:
            return
        chat, writing = self._chat, self.writing()
        if not self._own_changed(writing):
            if writing != self._kept:
                self.foot.say(tr("What you changed are the workspace’s lines: save them for the workspace."))
            else:
                self.close_editor()
            return
        settings = settings_with(self._subject, chat.chat.settings, writing)
        self.wishes.do(steps.apply_settings(chat, settings, tr("Edit instructions of this chat")))
        self._saved(replace(self._kept, chat=writing.chat, chat_joining=writing.chat_joining))

    def save_for_workspace(self) -> None:
        """Keep the workspace's lines for every chat in it; what is written for this chat stays open."""
        inside, writing = self._inside(), self.writing()
        if self._chat is None or self._subject is None or inside is None or not self._place_changed(writing):
            return
        after = workspace_with(self._subject, inside, writing)
        if after is not None:
            title = tr("Edit instructions of {name}").format(name=shown(inside.name))
            self.wishes.do(steps.revise_workspace(self._chat.chat.id, inside, after, title))
        joined = replace(self._kept, workspace=writing.workspace, workspace_joining=writing.workspace_joining)
        self._saved(joined)

    def discard(self) -> None:
        """Leave everything as it was; asked twice where something was written."""
        if self.is_changed() and not self.foot.asks():
            self.foot.ask(tr("Discard what you wrote?"))
            return
        self.close_editor()

    def close_editor(self) -> None:
        if self._subject is None:
            return
        if self._chat is not None:
            self._waiting.pop(self._chat.chat.id, None)
        self._leave()
        self.closed.emit()

    def wanted_height(self) -> int:
        wide = max(0, self.width() - 2 * MARGIN - 2)
        layout = self.content.layout()
        high = layout.totalHeightForWidth(wide) if wide and layout.hasHeightForWidth() else -1
        inner = max(high, self.content.sizeHint().height()) + 2
        around = sum(
            max(part.sizeHint().height(), part.minimumHeight())
            for part in (self.head, self.band, self.against, self.foot)
            if part.isVisibleTo(self)
        )
        return min(max(inner + around, LEAST_HEIGHT), MOST_HEIGHT) + 2 * MARGIN

    # --- what Qt calls ------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc discards; other keys stay here, they are not for the tree below."""
        if event.key() == Qt.Key.Key_Escape:
            self.discard()
        event.accept()

    # --- how ----------------------------------------------------------------------------------------------

    def _arrange(self) -> None:
        down = rows(self, (MARGIN + 1, MARGIN + 1, MARGIN + 1, MARGIN + 1))
        self.content = transparent()
        parts = rows(self.content, (0, 4, 0, 4), 2)
        fill(parts, self.default, self.folder, self.facts, self.workspace, self.own, STRETCH)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setObjectName("transparent")
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(self.content)
        area.viewport().setAutoFillBackground(False)
        fill(down, self.head, (area, 1), self.band, self.against, self.foot)

    def _connect(self) -> None:
        for part in (self.workspace, self.own):
            part.changed.connect(self._on_changed)
        self.head.shut.clicked.connect(self.discard)
        self.head.variables.clicked.connect(self._offer_variables)
        self.foot.discard.clicked.connect(self.discard)
        self.foot.for_chat.clicked.connect(self.save_for_chat)
        self.foot.for_workspace.clicked.connect(self.save_for_workspace)
        for keys, act in (("Ctrl+S", self.save_for_chat), ("Ctrl+Shift+S", self.save_for_workspace)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(act)

    def _begin(self, subject: Subject, writing: Writing | None = None) -> None:
        assert self._chat is not None
        self._subject, self._tag, self._awaits = subject, None, False
        self._kept = saved(subject, self._chat.chat.settings, self._inside())
        begun = writing or self._kept
        self.own.begin_with(*begun.own)
        self.workspace.begin_with(*begun.place)
        self.workspace.setVisible(subject == "persona" and self._inside() is not None)
        for part in (self.own, self.workspace):
            part.joining.setVisible(subject == "persona")
        self.foot.show_workspace(self.workspace.isVisibleTo(self))
        self.foot.say("")
        self.show()
        self.raise_()
        self._follow()
        if self.is_changed():
            self._try()

    def _leave(self) -> None:
        if self._subject is None:
            return
        self._subject = None
        self._soon.stop()
        self.hide()
        if self._chat is not None:
            self._end_trial(self._chat.chat.id)

    def _end_trial(self, chat: str) -> None:
        self.wishes.send(TrySettings(chat, None))
        self.wishes.send(PriceStep(chat))

    def _change_chat(self, before: ChatState | None, chat: ChatState | None) -> None:
        if before is not None and self._subject is not None:
            if self.is_changed():
                self._waiting[before.chat.id] = (self._subject, self.writing())
            self._subject = None
            self._soon.stop()
            self.hide()
            self.closed.emit()
        waiting = self._waiting.pop(chat.chat.id, None) if chat is not None else None
        if waiting is not None:
            self._begin(*waiting)

    def _follow(self) -> None:
        """Show the newest figures; where nothing is written, follow what is kept."""
        chat, state, subject = self._chat, self._state, self._subject
        if chat is None or state is None or subject is None:
            return
        kept = saved(subject, chat.chat.settings, self._inside())
        self._awaits = self._awaits and kept != self._kept
        if kept != self._kept and not self._awaits:
            self._take_kept(kept)
        self._show_parts(chat, state)
        self._show_figures(chat)
        self._show_against(chat, state)
        if chat.price is not None and chat.price.key == PRICE:
            self._tag = chat.price.tag
        self.band.show_tag(self._tag if self.is_changed() else None)
        writing = self.writing()
        self.foot.show_changed(self._own_changed(writing), self._place_changed(writing))
        self._fit.start()

    def _take_kept(self, kept: Writing) -> None:
        """Something else was kept meanwhile: what nobody is writing follows it."""
        writing, before, self._kept = self.writing(), self._kept, kept
        if writing.own == before.own:
            self.own.begin_with(*kept.own)
        if writing.place == before.place:
            self.workspace.begin_with(*kept.place)

    def _show_parts(self, chat: ChatState, state: WorkbenchState) -> None:
        subject, inside = self._subject, self._inside()
        texts = {
            self.default: chat.chat.settings.persona.default if subject == "persona" else "",
            self.folder: inside.project if inside is not None and subject == "project" else "",
            self.facts: remembered(state, inside) if subject == "memory" else "",
        }
        for part, text in texts.items():
            part.show_text(text)
            part.setVisible(bool(text))
        values = chat.view.values if chat.view is not None else {}
        self.own.show_kept(self._kept.chat, values)
        self.workspace.show_kept(self._kept.workspace, values)

    def _show_figures(self, chat: ChatState) -> None:
        subject = self._subject
        assert subject is not None
        now = sent_row(chat.view, subject)
        trial = chat.trial.view if chat.trial is not None and self.is_changed() else None
        then = sent_row(trial, subject) if trial is not None else now
        tokens = {part.source: part.tokens for part in (then.parts if then is not None else ())}
        for part in (self.default, self.workspace, self.own):
            part.show_tokens(tokens.get(part.source))
        before, after = (row.tokens if row is not None else 0 for row in (now, then))
        reach = reach_words(self._state, self._inside() if subject == "persona" else None)
        self.head.show_words(title_words(subject), reach, after, after - before)

    def _show_against(self, chat: ChatState, state: WorkbenchState) -> None:
        assert self._subject is not None
        sent = text_sent(self._subject, chat)
        ahead = text_ahead(self._subject, state, chat, self.writing())
        turn = chat.turns[-1].number if chat.turns else 0
        self.against.show_lines(() if sent is None else unified_lines(sent, ahead, 1), turn)

    def _on_changed(self) -> None:
        self.foot.say("")
        self._follow()
        self._soon.start()

    def _try(self) -> None:
        chat, subject, writing = self._chat, self._subject, self.writing()
        if chat is None or subject is None:
            return
        if not self.is_changed():
            self._end_trial(chat.chat.id)
            return
        key, inside = chat.chat.id, self._inside()
        settings = settings_with(subject, chat.chat.settings, writing)
        place = workspace_with(subject, inside, writing) if self._place_changed(writing) else None
        step: tuple[ChangeSettings | ReviseWorkspace, ...] = (ChangeSettings(key, settings),)
        if place is not None and inside is not None:
            step = (*step, ReviseWorkspace(inside, place))
        self.wishes.send(TrySettings(key, settings, place))
        self.wishes.send(PriceStep(key, PRICE, step))

    def _saved(self, kept: Writing) -> None:
        self._kept, self._awaits = kept, True  # until the engine says so, what it says is older
        if self.is_changed():
            self._follow()
            self._try()
        else:
            self.close_editor()

    def _own_changed(self, writing: Writing) -> bool:
        return writing.own != self._kept.own

    def _place_changed(self, writing: Writing) -> bool:
        return writing.place != self._kept.place

    def _inside(self) -> Workspace | None:
        if self._state is None or self._chat is None:
            return None
        return workspace_of(self._state, self._chat)

    def _offer_variables(self) -> None:
        """A list of the variables; the chosen one is written where the cursor was."""
        values = self._chat.view.values if self._chat is not None and self._chat.view is not None else {}
        into = self.workspace if self.workspace.text.hasFocus() else self.own
        made = variables_menu(self, values, into.insert)
        popup_below(made, self.head.variables, 1)
