"""A question in the transcript: a quiet block, which can be edited in place and sent again."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QEnterEvent, QGuiApplication, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QWidget

from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.files.file_names import short_path
from workbench.domain.message import Message
from workbench.domain.record import Record, noted_count
from workbench.domain.secrets import FoundSecret
from workbench.ui import formatting
from workbench.ui.chat.messages.feed import Question
from workbench.ui.chat.messages.message_head import HeadWords, MessageButtons, MessageHead, recalled_words
from workbench.ui.chat.messages.message_menu import MenuCallbacks, open_menu
from workbench.ui.chat.messages.message_view import NAME_CHARS, MessageView, PutBackLine
from workbench.ui.chat.messages.tool_line import ToolLine, command_words, unfold_line, unfolded
from workbench.ui.chat.text.block_stack import BlockStack
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.safe_browser import OWN_MENU
from workbench.ui.look.fonts import font, line_height
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import QuietButton, button, on_click
from workbench.ui.widgets.choice import TextField
from workbench.ui.widgets.found_words import mark_secrets, secret_words
from workbench.ui.widgets.labels import ElidedLabel, set_text, set_token
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.stack import StackItem

# Where a question is written anew: a text that grows, and two buttons.

LEAST_LINES, MOST_LINES = 2, 12


class QuestionEditor(QWidget):
    """Enter sends, Shift+Enter makes a line, Esc leaves everything as it was."""

    sent = Signal(str)
    cancelled = Signal()

    def __init__(self, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = TextField()
        self.text.setFont(font("chat"))
        self.text.setPlainText(words)
        self.text.moveCursor(QTextCursor.MoveOperation.End)
        self.text.setAccessibleName(tr("Question, to be sent again"))
        self.text.installEventFilter(self)
        self.text.textChanged.connect(self._fit)
        self.send = on_click(button(tr("Send"), "primary", "send", "↵"), self._on_send)
        self.cancel = on_click(button(tr("Cancel"), "ghost", "", "Esc"), self.cancelled)
        self.note = ElidedLabel("", "small", "t3")
        down = rows(self, (0, 4, 0, 0), 8)
        down.addWidget(self.text)
        fill(columns(down, spacing=8), self.send, self.cancel, (self.note, 1))
        self.show_secrets(())
        self._fit()

    def show_secrets(self, found: Sequence[FoundSecret]) -> None:
        words = secret_words(found)
        set_text(self.note, words or tr("makes a branch; this version stays"))
        set_token(self.note, "warn" if words else "t3")
        mark_secrets(self.text, self.text.toPlainText(), [(one.start, one.end) for one in found])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.text and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self._on_send()
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.cancelled.emit()
                return True
        return super().eventFilter(watched, event)

    def _on_send(self) -> None:
        self.sent.emit(self.text.toPlainText())

    def _fit(self) -> None:
        lines = min(max(self.text.document().blockCount(), LEAST_LINES), MOST_LINES)
        self.text.setFixedHeight(lines * line_height("chat") + 14)


class QuestionView(MessageView):
    """What the person said, as it was typed; only code in it is shown as code."""

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(ink, (12, 10, 12, 10), parent)
        self.setProperty(OWN_MENU, True)
        self.item: Question | None = None
        self.head = MessageHead(self)
        self.head.branch_wished.connect(lambda message: self.asked.emit("branch", message))
        self.more = QuietButton("more", tr("More for this question"), 20, shy=True)
        self.more.clicked.connect(self._open_menu)
        self.head.add_end(self.more)
        self.buttons = MessageButtons(self.head, self._on_chosen, self._look)
        self.buttons.watch(self.more)
        self.body = BlockStack(ink, verbatim=True, parent=self)
        self.body.link_wished.connect(self.link_wished)
        self.commands: list[ToolLine] = []
        self._editor: QuestionEditor | None = None
        self._back: PutBackLine | None = None

    def show_item(self, item: object) -> None:
        assert isinstance(item, Question)
        before, self.item = self.item, item
        if item.edit is not None:
            self._open_editor(item.edit)
            if self._editor is not None and self._editor.text.toPlainText() == item.edit:
                self._editor.show_secrets(item.secrets)
        elif before is not None and before.edit is not None:
            self._close_editor()
        time = formatting.clock(item.record.created_utc)
        out = item.standing.place == "excluded"
        quiet = item.standing.quiet
        note, icon = self._note(item)
        state, badge, told = recalled_words(item.standing)
        if told and not out:
            note, icon = told, ""
        self.head.show_words(
            HeadWords(
                tr("You"),
                time,
                note,
                icon,
                "excluded" if out else state if badge else None,
                item.standing.pinned,
                muted=quiet,
                badge="" if out else badge,
                when=formatting.moment(item.record.created_utc),
            )
        )
        self.head.show_siblings(item.key, item.siblings)
        self.buttons.fixed = item.fixed
        self.buttons.show_standing(item.standing, editable=True)
        self.body.set_token("t3" if quiet else "t1")
        self.body.show_text(question_text(item))
        self._show_commands([chunk for chunk in item.record.commands if isinstance(chunk, EnvironmentChunk)])
        self.setAccessibleName(tr("Question, {time}").format(time=time))
        self._arrange()

    def _show_commands(self, chunks: Sequence[EnvironmentChunk]) -> None:
        while len(self.commands) > len(chunks):
            self.commands.pop().deleteLater()
        while len(self.commands) < len(chunks):
            self.commands.append(ToolLine(self.ink, self))
        for line, chunk in zip(self.commands, chunks, strict=True):
            words, given, result = command_words(chunk)
            line.show_call(words, given, result, undoable=False)

    def edit(self) -> None:
        """Let the words be changed in place; the request that they would make is shown meanwhile."""
        if self.item is None or self._editor is not None:
            return
        self._open_editor(question_text(self.item))
        self.editing.emit(self.item.key, question_text(self.item))

    def _open_editor(self, words: str) -> None:
        if self._editor is not None:
            return
        self._editor = QuestionEditor(words)
        self._editor.sent.connect(self._on_sent)
        self._editor.cancelled.connect(self._stop_editing)
        self._editor.text.textChanged.connect(self._on_typed)
        self._arrange()
        self._editor.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_typed(self) -> None:
        if self.item is not None and self._editor is not None:
            self.editing.emit(self.item.key, self._editor.text.toPlainText())

    def is_edited(self) -> bool:
        return self._editor is not None

    def editor(self) -> QuestionEditor | None:
        return self._editor

    def is_untouched(self) -> bool:
        plain = self._editor is None and not self.commands
        return plain and self.holds_nothing(self.buttons, self.body)

    def bodies(self) -> dict[str, BlockStack]:
        return {} if self._editor is not None else {"text": self.body, **unfolded(self.commands)}

    def unfold(self, part: str) -> None:
        unfold_line(self.commands, part)

    def read_all(self) -> None:
        self.body.read_all()

    def update_look(self) -> None:
        place, recalled = "", False
        if self.item is not None:
            place, recalled = self.item.standing.place, bool(self.item.standing.recalled_for)
        self.set_look(place, recalled)
        if not recalled and place != "excluded":
            self.ground = "chrome"

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.more.reveal(True)
        self.buttons.reveal(True)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.more.reveal(False)
        self.buttons.reveal(False)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.item is not None:
            open_menu(self, self.item, event.globalPos(), MenuCallbacks(self._on_chosen, self._look))

    def _note(self, item: Question) -> tuple[str, str]:
        if item.standing.place == "excluded":
            saved = item.standing.saved_tokens
            if not saved:
                return tr("not sent"), ""
            return tr("not sent, {n} tokens").format(n=formatting.signed_tokens(-saved)), ""
        if item.fixed:
            return watched_note(item.record), ""
        if not item.record.attached:
            return "", ""
        parts = {key: (sent, whole) for key, sent, whole in item.shortened}
        first, others = item.record.attached[:3], item.record.attached[3:]
        names = ", ".join(
            f"{shown(_name(key, key in parts), NAME_CHARS)}{_part_sent(parts.get(key, (0, 0)))}"
            for key in first
        )
        if others:
            rest = [parts[key] for key in others if key in parts]
            names = tr("{names} and {n} more").format(names=names, n=len(others))
            names += _part_sent((sum(sent for sent, _ in rest), sum(whole for _, whole in rest)))
        turn = tr("turn {n}").format(n=item.turn) if item.turn else ""
        # Where figures make the line long, its end may have no room.
        return (f"{turn}  {names}" if parts else f"{names}  {turn}").strip(), "clip"

    def _arrange(self) -> None:
        places = [StackItem(self.head), StackItem(self._editor or self.body, 2)]
        if self._editor is None:
            places += [StackItem(line, 6 if line is self.commands[0] else 4) for line in self.commands]
        for line in self.commands:
            line.setVisible(self._editor is None)
        if self.item is not None and self.item.standing.place == "excluded":
            if self._back is None:
                self._back = PutBackLine(self)
                self._back.pressed.connect(lambda: self._on_chosen("put_back"))
            places.append(StackItem(self._back, 6))
        self.set_stack_items(places)
        self.update()

    def _open_menu(self) -> None:
        if self.item is not None:
            below = self.more.mapToGlobal(self.more.rect().bottomLeft())
            open_menu(self, self.item, below, MenuCallbacks(self._on_chosen, self._look))

    def _look(self, action: str, at: QRect | None) -> None:
        if self.item is not None:
            self.looked_at.emit(action, self.item.key, at)

    def _on_chosen(self, action: str) -> None:
        if self.item is None:
            return
        if action == "edit":
            self.edit()
        elif action in ("copy", "copy_markdown"):
            QGuiApplication.clipboard().setText(question_text(self.item))
        else:
            self.asked.emit(action, self.item.key)

    def _on_sent(self, text: str) -> None:
        if self.item is not None and text.strip() and text != question_text(self.item):
            self.edited.emit(self.item.key, text)  # the editor goes when the state says that it was asked
        else:
            self._stop_editing()

    def _stop_editing(self) -> None:
        if self.item is not None:
            self.editing.emit(self.item.key, None)
        self._close_editor()

    def _close_editor(self) -> None:
        if self._editor is not None:
            editor, self._editor = self._editor, None
            self._arrange()
            editor.deleteLater()
            self.more.setFocus(Qt.FocusReason.OtherFocusReason)


def watched_note(record: Record) -> str:
    """What a question of another program took, and how much of it the program added by itself."""
    tokens, added = (noted_count(record.metadata, name) or 0 for name in ("tokens", "added_tokens"))
    words = formatting.token_words(tokens) if tokens else ""
    if not added:
        return words
    return tr("{tokens}, {n} of them a reminder").format(tokens=words, n=formatting.tokens(added))


def question_text(item: Question) -> str:
    """A question's words."""
    entry = item.record.entry
    return entry.text if isinstance(entry, Message) else entry.body


def _name(key: str, brief: bool) -> str:
    return short_path(key).rpartition("/")[2] if brief else short_path(key)


def _part_sent(part: tuple[int, int]) -> str:
    """How much of a file was sent, where that was not all of it."""
    return f" ({formatting.tokens_of(*part)})" if part[1] else ""
