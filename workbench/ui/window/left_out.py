"""What is left out of the chat in view, as a list of commands that put it back."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from workbench.domain.message import Message
from workbench.engine.state import ChatState
from workbench.ui.commands import Command
from workbench.ui.formatting import counted
from workbench.ui.inspector.rows.row_words import speaker_word
from workbench.ui.steps import Step, leave_out_members
from workbench.ui.translation import translator
from workbench.ui.widgets.plain import shown

_tr = translator("LeftOut")

MOST_CHARS = 80


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
