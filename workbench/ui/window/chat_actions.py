"""What commands do with the chat in view: attach to it, ask it again, list what is left out of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from PySide6.QtGui import QGuiApplication

from workbench.domain.message import Message
from workbench.domain.settings.preset import free_name
from workbench.domain.shown.turn_view import TurnRow
from workbench.domain.variant import MOST_VARIANTS
from workbench.engine.intents import AttachFiles, OpenTurn, RegenerateAnswer, StopTurn
from workbench.engine.program_intents import MeasureInfluence, WarmModel
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import CompareVariants
from workbench.ui.chat.pasting import mime_intents
from workbench.ui.commands import Command
from workbench.ui.formatting import counted
from workbench.ui.inspector.rows.row_words import speaker_word
from workbench.ui.steps import Step, leave_out_members, rebuild, refresh
from workbench.ui.translation import translator
from workbench.ui.widgets.file_chooser import choose_files
from workbench.ui.widgets.plain import shown
from workbench.ui.window.session import Session
from workbench.ui.wishes import CompareRequest, MeasureAnswer

_tr = translator("Actions")
MOST_CHARS = 80


class ChatActions:
    """Does them in whichever chat is in view."""

    def __init__(self, session: Session) -> None:
        self._session, self._window = session, session.window

    def attach_files(self) -> None:
        choose_files(self._window, _tr("Attach files"), lambda paths: self._attach(tuple(paths)))

    def _attach(self, paths: tuple[str, ...]) -> None:
        if paths:
            self._session.send(AttachFiles(self._session.chat_id, paths))

    def attach_clipboard(self) -> None:
        mime = QGuiApplication.clipboard().mimeData()
        found = mime_intents(mime, self._session.chat_id)
        if any(isinstance(one, AttachFiles) for one in found):
            self._session.send(found[0])
        elif found:
            self._session.send_in_chat(lambda chat: mime_intents(mime, chat))
        else:
            self._session.tell(_tr("Nothing on the clipboard can be attached."))

    def warm(self) -> None:
        chat = self._session.chat
        if chat is not None:
            self._session.send(WarmModel(chat.chat.settings.model))

    def stop(self) -> None:
        if self._session.chat_id:
            self._session.send(StopTurn(self._session.chat_id))

    def regenerate(self) -> None:
        chat = self._session.chat
        asked = [one for one in _messages(chat) if one.role == "user"]
        if chat is not None and asked and chat.running is None:
            self._session.send(RegenerateAnswer(chat.chat.id, asked[-1].id))

    def copy_answer(self) -> None:
        chat = self._session.chat
        said = [one for one in _messages(chat) if one.role == "assistant"]
        if said:
            QGuiApplication.clipboard().setText(said[-1].text)
            self._session.tell(_tr("Answer copied"))

    def rebuild(self) -> None:
        if self._session.chat is not None:
            self._session.do_step(rebuild(self._session.chat))

    def refresh_stale(self) -> None:
        chat = self._session.chat
        stale = [key for key, (state, _) in chat.disk.items() if state == "changed"] if chat else []
        if chat is not None and stale:
            self._session.do_step(refresh(chat, stale))

    def compare(self, wish: CompareRequest) -> None:
        """Turn to the page that holds a request beside itself under other settings, with one more of those."""
        chat = self._session.chat
        if chat is None:
            return
        key, held = chat.chat.id, () if chat.comparison is None else chat.comparison.variants
        turn = wish.turn or (None if chat.opened is None else chat.opened.turn)
        if wish.turn is not None:
            self._session.send(OpenTurn(key, wish.turn))
        if wish.variant is not None:
            names = {one.name for one in held}
            variant = replace(wish.variant, name=free_name(wish.variant.name, dict.fromkeys(names)))
            if len(held) < MOST_VARIANTS:
                self._session.send(CompareVariants(key, turn, (*held, variant)))
            else:
                self._session.tell(
                    _tr("There are {n} variants already. Remove one first.").format(n=len(held))
                )
        self._window.columns.show_right()
        self._window.inspector.show_page("compare")

    def measure(self, wish: MeasureAnswer) -> None:
        """Open an answer's turn in the inspector, and have it said what measuring its influence takes."""
        chat = self._session.chat
        turn = turn_of(chat, wish.message) if chat is not None else None
        if chat is None or turn is None:
            self._session.tell(_tr("No answer to measure yet. Ask something first."))
            return
        key = chat.chat.id
        self._window.columns.show_right()
        self._window.inspector.show_page("layers")
        self._session.send(OpenTurn(key, turn.number))
        self._session.send(MeasureInfluence(key, turn.question, turn.reply, offer=True))

    def choose_parts(self, key: str = "") -> None:
        """Open a file to choose its parts: the one named, else the one chosen in the list, else the largest."""
        wanted = key or self._window.left.attachments.key_with_parts()
        if not wanted:
            self._session.tell(_tr("No attached file has parts to choose. Attach one first."))
            return
        self._window.columns.show_right()
        self._window.inspector.choose_parts(wanted)


def turn_of(chat: ChatState, message: str) -> TurnRow | None:
    """The turn that a message belongs to; without one, the turn that is looked at, or the newest with an answer."""
    answered = [turn for turn in chat.turns if turn.reply]
    if message:
        asked, found = "", ""
        for record in chat.records:
            if isinstance(record.entry, Message) and record.entry.role == "user":
                asked = record.id
            if record.id == message:
                found = asked
        return next((turn for turn in reversed(answered) if turn.question == found), None)
    opened = chat.influence if chat.shown is chat.opened else None
    looked = [turn for turn in answered if opened is not None and turn.question == opened.question]
    return next(reversed(looked or answered), None)


def _messages(chat: ChatState | None) -> list[Message]:
    return [r.entry for r in chat.records if isinstance(r.entry, Message)] if chat is not None else []


def left_out_commands(chat: ChatState | None, do: Callable[[Step | None], None]) -> tuple[Command, ...]:
    """One command for each message and attachment that is left out, and one for all of them; none where nothing is."""
    if chat is None:
        return ()
    group, out = _tr("Left out: choose what to put back"), tuple(_left_out(chat))

    def command(ids: tuple[str, ...], title: str, line: str, icon: str) -> Command:
        return Command(
            f"put-back:{ids[0]}",
            title,
            group,
            lambda: do(leave_out_members(chat, ids, False)),
            icon,
            line=line,
        )

    made = [command((key,), name, line, icon) for key, name, line, icon in out]
    if len(out) > 1:
        title = counted(len(out), "", _tr("Put back all {n}"))
        made.insert(0, command(tuple(key for key, *_rest in out), title, "", "undo"))
    return tuple(made)


def _left_out(chat: ChatState) -> Iterator[tuple[str, str, str, str]]:
    """Key, name, a word about it and icon: messages in their order, then attachments."""
    excluded = chat.conversation.tuning.excluded
    for record in chat.records:
        if record.id in excluded and isinstance(record.entry, Message):
            words = " ".join(record.entry.text.split())
            yield (
                record.id,
                shown(words, MOST_CHARS) or _tr("Message"),
                speaker_word(record.entry.role),
                "chat",
            )
    for artifact in chat.conversation.attached:
        if artifact.key in excluded:
            yield artifact.key, shown(artifact.title or artifact.key, MOST_CHARS), _tr("attachment"), "file"
