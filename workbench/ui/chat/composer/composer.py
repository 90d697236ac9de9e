"""The composer: the next message, what it brings along, what the whole request costs, and the button that sends it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QMimeData, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QWidget

from workbench.domain.message import Message
from workbench.domain.record import Record
from workbench.domain.settings.app_preferences import Preferences, SettingsProblem
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.shown.attachment_view import (
    PARTED_KINDS,
    AttachmentRow,
    FileFacts,
    anchor_of,
    file_key,
)
from workbench.domain.shown.completion_view import CompletionView, Offer, TypedName, typed_prompt
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.workspace import SavedPrompt, filled, used
from workbench.engine.intents import (
    AttachFiles,
    DetachArtifacts,
    EditDraft,
    QueueMessage,
    SendMessage,
    SteerQueued,
    SteerWay,
    StopTurn,
)
from workbench.engine.program_intents import ChangePreferences
from workbench.engine.state import ChatState, Fix, WorkbenchState
from workbench.ui import formatting, steps
from workbench.ui.chat.composer.bands import is_read, secrets_of_message
from workbench.ui.chat.composer.completion import ENTER, MOVES, Completion, ListCompletion, OfferList
from workbench.ui.chat.composer.frame import ComposerFrame, NoteAction
from workbench.ui.chat.composer.recollection import DraftEcho
from workbench.ui.chat.composer.strip import SendState, cut_words, left_out, stay_out_words
from workbench.ui.chat.composer.text import ComposerText
from workbench.ui.chat.fixes import fix_words
from workbench.ui.chat.notices import off_words
from workbench.ui.chat.pasting import kept_copy, read_offer, text_intent
from workbench.ui.look.space import S1
from workbench.ui.model_button import model_name
from workbench.ui.translation import tr
from workbench.ui.widgets.found_words import secret_marks
from workbench.ui.widgets.menu import add_action, menu
from workbench.ui.widgets.plain import shown, utf16_units
from workbench.ui.wishes import DeclareModel, ShowAttachment, ShowSections, Wishes

# Prompts while a / is typed: chosen from the list over the composer, filled, and walked through with Tab.


LONGEST_LINE = 80


class PromptCompletion(ListCompletion):
    """Follows what is typed behind a /, and takes what is chosen.

    What a prompt asks for stays written as {{word}}; Tab selects the next one until there is none.

    Signals:
        library_wished: there are no prompts yet, and the line that says so was chosen.
    """

    library_wished = Signal()

    def __init__(self, text: ComposerText, over: QWidget) -> None:
        keys = (("↑ ↓", tr("choose")), ("↵", tr("insert")), ("Esc", tr("close")))
        super().__init__(text, over, OfferList(tr("Prompts"), keys))
        self._prompts: tuple[SavedPrompt, ...] = ()
        self._walking = False
        self._first = text.take_key
        text.take_key = self._take_key

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        if (self._chat.chat.id if self._chat else "") != (chat.chat.id if chat else ""):
            self._close()
            self._walking = False
        self._chat = chat
        inside = chat.chat.filed.workspace if chat is not None else ""
        near = [one for one in state.prompts if one.workspace in (inside, "")]
        self._prompts = tuple(sorted(near, key=lambda one: (one.workspace != inside, one.name.casefold())))
        if self.is_open():
            self._show()

    def follow(self) -> None:
        begun = self._begun_now()
        if begun is None:
            self._dismissed = None
            self._close()
        elif begun != self._dismissed:
            self._begun = begun
            self._show()

    def insert(self) -> None:
        offer, begun = self.offers.chosen(), self._begun_now()
        if not self._prompts and begun is not None:
            self._typed(begun).removeSelectedText()
            self._close()
            self.library_wished.emit()
            return
        prompt = next((one for one in self._prompts if offer is not None and one.name == offer.text), None)
        if prompt is None or begun is None:
            self._close()
            return
        self._text.setTextCursor(self._typed(begun))
        self._close()
        self.write(prompt.text)

    def write(self, text: str) -> None:
        """Write a prompt where the cursor stands, with what variables become; the first other one is selected."""
        cursor = self._text.textCursor()
        start = cursor.selectionStart()
        cursor.insertText(filled(text, self._values()))
        self._text.setTextCursor(cursor)
        self._text.setFocus(Qt.FocusReason.OtherFocusReason)
        self._walking = True
        self._walk(start)

    def _take_key(self, event: QKeyEvent) -> bool:
        """Whether a key was meant for the list, or goes on to the next word that is asked for."""
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        key = Qt.Key(event.key())
        if plain and self.is_open():
            if key in MOVES:
                self.offers.step(MOVES[key])
                return True
            if key == Qt.Key.Key_Escape:
                self.dismiss()
                return True
            if key in (*ENTER, Qt.Key.Key_Tab):
                self.insert()
                return True
        elif self._first(event):
            return True
        elif plain and key == Qt.Key.Key_Tab and self._walking:
            return self._walk(self._text.textCursor().selectionEnd()) or self._walk(0)
        return False

    def _walk(self, start: int) -> bool:
        """Select the first word that is asked for from a place on; return whether there is one."""
        text = self._text.text()
        found = [one for one in used(text, {}) if utf16_units(text[: one.start]) >= start]
        if not found:
            self._walking = self._walking and bool(used(text, {}))
            return False
        cursor = self._text.textCursor()
        cursor.setPosition(utf16_units(text[: found[0].start]))
        cursor.setPosition(utf16_units(text[: found[0].end]), QTextCursor.MoveMode.KeepAnchor)
        self._text.setTextCursor(cursor)
        return True

    def _show(self) -> None:
        shown_as = tuple(
            Offer("prompt", one.name, one.name, where=" ".join(one.text.split())[:LONGEST_LINE])
            for one in self._matching()
        )
        if not self._prompts and self._begun is not None and not self._begun.word:
            shown_as = (Offer("prompt", tr("No prompts yet: press Enter to write one"), ""),)
        if not shown_as or self._begun is None:
            self._close()
            return
        if self._chat is not None:
            self.offers.show_view(CompletionView(self._begun, shown_as), self._chat)
        self._open()

    def _matching(self) -> list[SavedPrompt]:
        """Those whose names begin so, then those that have the letters in them."""
        word = self._begun.word.casefold() if self._begun is not None else ""
        found = [one for one in self._prompts if word in one.name.casefold()]
        return sorted(found, key=lambda one: not one.name.casefold().startswith(word))

    def _begun_now(self) -> TypedName | None:
        if self._text.textCursor().hasSelection() or self._text.is_composing or self._chat is None:
            return None
        return typed_prompt(self._text.before())

    def _values(self) -> Mapping[str, str]:
        view = self._chat.view if self._chat is not None else None
        return {} if view is None else view.values


class Composer(ComposerFrame):
    """Where the next message is written.

    Signals:
        selected: the key of a segment that was chosen in the bar. escaped: Esc was pressed while writing.
        confirmed: Enter was pressed with nothing written, while a tool waits for an answer.
    """

    selected = Signal(object)
    escaped = Signal()
    confirmed = Signal()

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self._chat: ChatState | None = None
        self._echo = DraftEcho()
        self._view: EnvelopeView | None = None
        self._preferences = Preferences()
        self._off: SettingsProblem | None = None
        self._rows: tuple[AttachmentRow, ...] | None = None
        self._files: Mapping[str, FileFacts] = {}
        self._records: tuple[Record, ...] | None = None
        self._fixes: tuple[Fix, ...] = ()
        self._unwanted = ""
        self._new_chat_wished = False
        self._offered: tuple[QMimeData, ...] = ()
        self._accepted: dict[str, frozenset[str]] = {}
        self._shares: dict[str, dict[str, float]] = {}
        self._asked_about: tuple[AttachmentRow, ...] | None = None
        self._side_waits = self._edit_noted = False
        self._edits_said: frozenset[tuple[str, str]] = frozenset()
        self.completion = Completion(self.text, self, self.wishes)
        self.prompts = PromptCompletion(self.text, self)
        self._connect()
        self._show_send()

    def _connect(self) -> None:
        self.text.edited.connect(self._on_edited)
        self.text.submitted.connect(self.send)
        self.text.stopped.connect(self.escaped)
        self.text.offered.connect(self.take)
        self.strip.send_pressed.connect(self.send)
        self.strip.stop_pressed.connect(self.stop)
        self.strip.attach.clicked.connect(self._open_attach_menu)
        self.strip.bar.selected.connect(self.selected)
        self.strip.window_pressed.connect(lambda: self.wishes.run(DeclareModel()))
        self.over.fixes.applied.connect(self._apply)
        self.secrets.replace.clicked.connect(self._replace_secrets)
        self.secrets.always.clicked.connect(self._always_replace)
        self.prompts.library_wished.connect(lambda: self.wishes.run("prompts"))
        self.prefill.edited.connect(self._on_begun)
        self.prefill.submitted.connect(self.send)
        self.prefill.closed.connect(self.text.setFocus)
        self.cold.wished.connect(lambda on: self.wishes.run("keep-warm"))
        self.queued.changed.connect(self.wishes.send)
        self.queued.rebuilt.connect(self.order_focus)
        self.unsent.change.clicked.connect(lambda: self.wishes.run("parameters"))
        self.strip.once.clicked.connect(lambda: self.wishes.run("send-once"))
        self.chips.removed.connect(self._detach)
        self.chips.pinned.connect(self._toggle_pin)
        self.chips.opened.connect(self._open_chip)
        self.chips.recalled_wished.connect(self.selected)

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        before, self._chat, self._preferences = self._chat, chat, state.preferences
        self._off = state.sending_off
        self.prefill.show_state(chat)
        if _id(before) != _id(chat):
            self._change_chat(before, chat)
        elif chat is not None and self._is_foreign(before, chat) and chat.draft != self.text.text():
            self.text.show_foreign(chat.draft)
        self._show_attachments(chat)
        if (self._side_waits and not self.is_running()) or (self._edit_noted and not edits_of(chat)):
            self._side_waits = self._edit_noted = False
            self.note.hide()
        self.queued.show_state(chat)
        self.cold.show_kept(None if chat is None or chat.running is not None else chat.warm)
        if chat is not None and chat.records is not self._records:
            self._records = chat.records
            self.text.recall.learn(questions_of(chat.records))
        self.text.set_hint(self._hint())
        self._show_request()
        self.completion.show_state(chat)
        self.prompts.show_state(state, chat)

    def _is_foreign(self, before: ChatState | None, chat: ChatState) -> bool:
        """Whether the draft was changed elsewhere; words that came back at once are the same as those that left."""
        foreign = self._echo.is_foreign(chat.draft)
        return foreign or (before is not None and before.draft_number != chat.draft_number)

    def take_draft(self, text: str) -> None:
        """Show what was just written in another window, before the engine tells of it: the next key may be here."""
        self._echo.sent(text)
        if text != self.text.text():
            self.text.show_foreign(text)

    def _offer_again(self) -> None:
        offered, self._offered = self._offered, ()
        for mime in offered:
            self.take(mime)

    def _change_chat(self, before: ChatState | None, chat: ChatState | None) -> None:
        draft = chat.draft if chat is not None else ""
        written = self.text.text()
        self._echo = DraftEcho(draft)
        self._records, self._unwanted, self._new_chat_wished = None, "", False
        self.note.hide()
        if before is None and written and not draft:
            # Written before there was a chat: it is the beginning of this one.
            self._on_edited(written)
        else:
            self.text.begin_with(draft)
        if chat is not None and self._offered:
            self._offer_again()

    def _show_attachments(self, chat: ChatState | None) -> None:
        found, files = (chat.attachments, chat.files) if chat is not None else ((), {})
        if found is not self._rows or files is not self._files:
            self._rows, self._files = found, files
            if self._asked_about is not None and self._asked_about != found:
                self._asked_about = None
                self.note.hide()  # it says what was; the chips say what is
            self.chips.show_rows(found, files)
            self.close_up()
            self.order_focus()
            self._take_back_paste()

    def _show_request(self) -> None:
        """The newest request, as the inspector shows it where nobody looks at an older one."""
        chat = self._chat
        next_one = chat.view if chat is not None else None
        shown = chat.newest if chat is not None else None
        if shown is not self._view:
            self._view = shown
            self.strip.show_view(shown)
        if self.chips.show_recalled(next_one):
            self.close_up()
            self.order_focus()
        self._show_secrets(chat, next_one)
        self.unsent.show_unsent(next_one.unsent if next_one is not None else ())
        over = next_one.over_tokens if next_one is not None and not self.is_running() else 0
        had_focus = self.strip.send.hasFocus()
        fixes = chat.fixes if chat is not None else ()
        self.over.show_over(over, fixes)
        if fixes is not self._fixes:
            self._fixes = fixes
            self.order_focus()
        best = self.over.fixes.best()
        if over and had_focus and best is not None:
            best.setFocus()
        self._show_send()
        self.show_border()

    def _show_secrets(self, chat: ChatState | None, view: EnvelopeView | None) -> None:
        """Keys and passwords in the next message, in words; in its own text they are marked, once that was read."""
        places = secrets_of_message(view)
        text = self.text.text()
        own = places[0].found if places and not places[0].name else ()
        current = is_read(chat, text)
        self.secrets.show_for(text, places, current)
        found = [(one.start, one.end) for one in own] if current else []
        self.text.set_marks("secrets", secret_marks(self.text, text, found))

    def _replace_secrets(self) -> None:
        """Write the message without them, where they were found in these very words; Ctrl+Z brings them back."""
        chat, text = self._chat, self.text.text()
        if chat is not None and is_read(chat, text):
            self.text.replace_text(self.secrets.replaced(text, secrets_of_message(chat.view)))

    def _always_replace(self) -> None:
        held = self._preferences
        self.wishes.send(ChangePreferences(replace(held, redaction="replace"), held))

    def _show_send(self) -> None:
        state, why = self._send_state(self._request())
        self.strip.set_send(state, why)

    def _request(self, once: ContextSettings | None = None) -> EnvelopeView | None:
        """The next request; with settings that are tried out for it alone, the one that was shown for them."""
        chat = self._chat
        if chat is not None and once is not None and chat.trial is not None and chat.trial.settings == once:
            return chat.trial.view
        return chat.view if chat is not None else None

    def _send_state(self, view: EnvelopeView | None) -> tuple[SendState, str]:
        if self.is_running():
            if self._is_asked():
                return "asked", tr("Stop the answer; what has arrived stays")
            return "running", tr("Stop the answer; what has arrived stays (Esc)")
        if self._off is not None:
            return "blocked", off_words(self._off)
        if not self.text.text().strip():
            return "waiting", tr("Write a message first")
        if view is None:
            return "waiting", tr("Counting tokens…")
        if self.prefill.text().strip() and not view.continues:
            return "blocked", tr("{model} doesn’t continue a begun answer: take it away").format(
                model=model_name(view.model)
            )
        if view.over_tokens:
            over = formatting.token_words(view.over_tokens)
            return "blocked", tr("{tokens} over the limit: choose a fix above").format(tokens=over)
        return "ready", ""

    def send(self, once: ContextSettings | None = None, *, side: bool = False) -> None:
        """Send what is written; on the `side` it is no part of the chat, and waits for no answer."""
        view = self._request(once)
        state, why = self._send_state(view)
        if side and state in ("running", "asked"):
            self._side_waits = True
            self.note.say(tr("An answer is still arriving. Ask on the side when it has ended, or stop it."))
            return
        if state == "ready" and self._chat is not None:
            if self._says_first(self._chat, view, partial(self.send, once, side=side)):
                return
            out = left_out(view)
            self.note.hide()
            text = self.text.text()
            self.text.recall.add(text)
            # The words are the turn's from now on; the engine gives them back should they not be kept.
            self._echo.sent("")
            self.text.begin_with("")
            part = frozenset(row.key for row in self._chat.attachments if row.full_tokens is not None)
            send = SendMessage(
                self._chat.chat.id, text, drafted=True, left_out=out, shortened=part, once=once, side=side
            )
            send = replace(send, prefill=self.prefill.text())
            self.prefill.sent()
            self.wishes.send(send)
            self._show_request()
        elif state == "asked" and not self.text.text().strip():
            self.confirmed.emit()
        elif state in ("running", "asked"):
            self._queue()
        elif self._chat is None and self.text.text().strip():
            self.wishes.run("new-chat")
        elif side or self.text.text().strip():
            self.note.say(why)

    def _says_first(self, chat: ChatState, view: EnvelopeView | None, send: Callable[[], None]) -> bool:
        """Say once what is not sent as somebody may think; return whether there was something to say."""
        out = left_out(view)
        if not out <= self._accepted.get(chat.chat.id, chat.left_out_before):
            self._say_left_out(chat, out, send)
            return True
        if cut := self._newly_cut(chat):
            self._say_cut(chat, cut, send)
            return True
        edits, said = edits_of(chat), self._edits_said
        if not edits or edits == said:
            return False
        self._edits_said, self._edit_noted = edits, True
        words = tr("Your edit isn’t saved: the old words are sent. Press Enter again to send anyway.")
        self.note.say(words, (tr("Send"), send), stays=True)
        return True

    def steer(self, way: SteerWay) -> None:
        """Send what is written, or else the newest queued message, into this answer or in its place."""
        chat = self._chat
        if chat is None or chat.running is None:
            return
        if self.text.text().strip():
            self._queue(way)
        elif chat.queued_keys:
            self.wishes.send(SteerQueued(chat.chat.id, chat.queued_keys[-1], way))

    def _queue(self, way: SteerWay = "answer") -> None:
        text = self.text.text()
        if self._chat is not None and text.strip():
            self.text.recall.add(text)
            self._echo.sent("")
            self.text.begin_with("")
            queued = QueueMessage(self._chat.chat.id, text, self.prefill.text(), way)
            self.prefill.sent()
            self.wishes.send(queued)

    def _say_left_out(self, chat: ChatState, out: frozenset[str], send: Callable[[], None]) -> None:
        """Whatever falls is seen before it is sent: once said, the same and less may stay out."""
        self._accepted[chat.chat.id] = out
        self.note.say(
            stay_out_words(len(out), len(chat.attachments)),
            (tr("Send"), send),
            (tr("Choose"), lambda: self.wishes.run("layers")),
            (tr("Raise the budget"), lambda: self._raise_budget(chat)),
            stays=True,
        )

    def _newly_cut(self, chat: ChatState) -> list[AttachmentRow]:
        """Files of which a part is sent for the first time in this chat, or less than half of what was sent before."""
        known = {**chat.shares_before, **self._shares.get(chat.chat.id, {})}
        return [
            row for row in cut_by_room(chat.attachments) if 2 * share_sent(row) <= known.get(row.key, 2.0)
        ]

    def _say_cut(self, chat: ChatState, cut: list[AttachmentRow], send: Callable[[], None]) -> None:
        """Nothing is cut in silence: once said, that much of these files may be sent."""
        shares = self._shares.setdefault(chat.chat.id, {})
        shares |= {row.key: share_sent(row) for row in cut_by_room(chat.attachments)}
        largest = max(cut, key=lambda row: row.full_tokens or 0)
        actions: list[NoteAction] = [(tr("Send as it is"), send)]
        if (chat.chat.settings.history.threshold or 1.0) < 1.0:
            actions.append((tr("Use all the room"), lambda: self._use_all_room(chat)))
        if largest.kind in PARTED_KINDS:
            actions.append((tr("Choose sections…"), lambda: self.wishes.run(ShowSections(largest.key))))
        actions.append((tr("Another model…"), lambda: self.wishes.run("model")))
        sent, whole = (
            sum(some) for some in zip(*((row.tokens, row.full_tokens or 0) for row in cut), strict=True)
        )
        names = {file_key(row, self._files): shown(row.name) for row in cut}
        self.note.say(cut_words(tuple(names.values()), sent, whole), *actions, stays=True)
        self._asked_about = chat.attachments

    def _use_all_room(self, chat: ChatState) -> None:
        """Let requests of this chat fill the window, less what is kept for the answer."""
        settings = chat.chat.settings
        history = replace(settings.history, threshold=1.0)
        step = steps.apply_settings(chat, replace(settings, history=history), tr("Use all the room"))
        self.wishes.do(step)

    def _raise_budget(self, chat: ChatState) -> None:
        """Room for all that is attached, where a budget of its own keeps it out; else only another model has more."""
        budget = chat.chat.settings.attachment_budget_tokens
        wanted = sum(row.tokens for row in chat.attachments)
        if budget is None or wanted <= budget:
            self.wishes.run("model")
            return
        settings = replace(chat.chat.settings, attachment_budget_tokens=wanted)
        self.wishes.do(steps.apply_settings(chat, settings, tr("Raise the attachment budget")))

    def stop(self) -> None:
        if self.is_running() and self._chat is not None:
            self.wishes.send(StopTurn(self._chat.chat.id))

    def take(self, mime: QMimeData) -> bool:
        """Take something pasted, or dropped anywhere in the window; return whether there was something in it."""
        offer = read_offer(mime, _id(self._chat))
        if offer.intents and self._chat is None:
            self._offered = (*self._offered, kept_copy(mime))
            self.wishes.run("new-chat")
            return True
        for intent in offer.intents:
            self.wishes.send(intent)
        if offer.text:
            self.text.textCursor().insertText(offer.text)
            self.text.ensureCursorVisible()
        if offer.long_text:
            self._say_attached(offer.long_text)
        elif offer.page:
            page = AttachFiles(_id(self._chat), (offer.text.strip(),))
            attach = (tr("Attach the page"), lambda: self.wishes.send(page))
            self.note.say(tr("The model sees the address only, not the page."), attach)
        return bool(offer.intents or offer.text)

    def _say_attached(self, text: str) -> None:
        self.note.say(
            tr("Pasted as attachment"),
            (tr("Paste as text instead"), lambda: self._put_into_message(text)),
        )

    def _put_into_message(self, text: str) -> None:
        self.text.textCursor().insertText(text)
        self.text.ensureCursorVisible()
        self.text.setFocus()
        self._unwanted = text
        self._take_back_paste()

    def _take_back_paste(self) -> None:
        """Detach a pasted text that was put into the message instead, once it is there to be detached."""
        if not self._unwanted or self._chat is None:
            return
        rows = [row for row in self._rows or () if row.kind == "clipboard" and row.content == self._unwanted]
        if rows:
            self._unwanted = ""
            self.wishes.send(DetachArtifacts(self._chat.chat.id, (rows[-1].key,)))

    def _open_attach_menu(self) -> None:
        made = menu(self)
        made.addAction(tr("Files…\tCtrl+O"), lambda: self.wishes.run("attach-files"))
        made.addAction(tr("Folder…"), lambda: self.wishes.run("attach-folder"))
        made.addAction(tr("Page…"), lambda: self.wishes.run("attach-page"))
        made.addAction(tr("Search the web…"), lambda: self.wishes.run("search-web"))
        made.addSeparator()
        made.addAction(tr("Begin the answer with…\tCtrl+Shift+B"), self.prefill.begin)
        made.addAction(tr("Prompts…"), lambda: self.wishes.run("prompts"))
        keep = add_action(made, tr("Save as prompt…"), lambda: self.wishes.run("save-prompt"))
        keep.setEnabled(bool(self.text.text().strip()))
        made.addSeparator()
        paste = add_action(made, tr("Paste as attachment"), self.paste_as_attachment)
        paste.setEnabled(bool(QGuiApplication.clipboard().text().strip()))
        above = QPoint(0, -made.sizeHint().height() - S1)
        made.popup(self.strip.attach.mapToGlobal(above))

    def paste_as_attachment(self) -> None:
        text = QGuiApplication.clipboard().text()
        if text.strip() and self._chat is None:
            self.wishes.run("attach-clipboard")
        elif text.strip():
            self.wishes.send(text_intent(text, _id(self._chat)))

    def _on_edited(self, text: str) -> None:
        if self._chat is not None:
            self._echo.sent(text)
            self.wishes.send(EditDraft(self._chat.chat.id, text, self._chat.draft_number))
        elif text and not self._new_chat_wished:
            self._new_chat_wished = True
            self.wishes.run("new-chat")
        self._show_request()

    def _on_begun(self, begun: str) -> None:
        if self._chat is not None:
            number = self._chat.draft_number
            self.wishes.send(EditDraft(self._chat.chat.id, self.text.text(), number, begun))
        self._show_send()

    def _apply(self, fix: Fix) -> None:
        if self._chat is not None:
            self.wishes.do(steps.apply_fix(self._chat, fix, fix_words(fix).title))

    def _of_chip(self, key: str) -> tuple[AttachmentRow, ...]:
        """What a chip stands for: an attachment, or all attached parts of a file."""
        return tuple(row for row in self._rows or () if file_key(row, self._files) == key)

    def _open_chip(self, key: str) -> None:
        rows = self._of_chip(key)
        in_parts = bool(rows) and bool(anchor_of(rows[0], self._files))
        self.wishes.run(ShowSections(rows[0].key) if in_parts else ShowAttachment(key))

    def _detach(self, key: str) -> None:
        keys = tuple(row.key for row in self._of_chip(key))
        step = steps.detach(self._chat, keys) if self._chat is not None else None
        if step is not None:
            self.wishes.do(step)
            self.text.setFocus()

    def _toggle_pin(self, key: str) -> None:
        rows = self._of_chip(key)
        pinned, keys = all(row.pinned for row in rows), tuple(row.key for row in rows)
        step = steps.pin(self._chat, keys, not pinned) if self._chat is not None and rows else None
        if step is not None:
            self.wishes.do(step)

    def _is_asked(self) -> bool:
        """Whether a tool waits for an answer, which Esc gives then."""
        cards = self._chat.running.tools if self._chat is not None and self._chat.running is not None else ()
        return any(card.waits for card in cards)

    def is_running(self) -> bool:
        return self._chat is not None and self._chat.running is not None

    def _hint(self) -> str:
        if self._is_asked():
            return tr("Enter allows the tool, Esc refuses it; or write the next message")
        if self.is_running():
            return tr("Write the next message; Enter queues it while this one streams…")
        return tr("Write a message, or drop files here")


def cut_by_room(rows: Iterable[AttachmentRow]) -> list[AttachmentRow]:
    """The attachments of which only a part fits; what somebody wants shorter was chosen."""
    short = (row for row in rows if row.full_tokens is not None and row.state == "compacted")
    return [row for row in short if row.most_tokens is None and not row.by_relevance]


def edits_of(chat: ChatState | None) -> frozenset[tuple[str, str]]:
    """The answers and tools' results that are being edited and have other words already, with these."""
    own = {} if chat is None else {key: one.text for key, one in chat.edits.items() if one.tag is not None}
    if chat is None or not own:
        return frozenset()
    entries = tuple(one.entry for one in chat.records if one.id in own)
    said = {one.id: one.text for one in chat.conversation.tuning.edited(entries) if isinstance(one, Message)}
    return frozenset((key, text) for key, text in own.items() if text != said.get(key))


def share_sent(row: AttachmentRow) -> float:
    """How much of an attachment is sent."""
    return row.tokens / max(1, row.full_tokens or row.tokens)


def questions_of(records: tuple[Record, ...]) -> list[str]:
    """What was asked in a chat, the newest last."""
    entries = (record.entry for record in records)
    return [entry.text for entry in entries if isinstance(entry, Message) and entry.role == "user"]


def _id(chat: ChatState | None) -> str:
    return chat.chat.id if chat is not None else ""
