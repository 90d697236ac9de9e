"""`workbench history undo`: takes back what a tool did, unless the world has moved on since."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from workbench.cli.open_history import find_chat, open_kept
from workbench.cli.services import Services, WorldOptions
from workbench.cli.terminal import print_json, print_text, visible_line
from workbench.domain.errors import NotKept, WorkbenchError
from workbench.domain.message import Message
from workbench.domain.record import Record

if TYPE_CHECKING:  # loads what `--help` does not need
    from workbench.engine.intents import UndoToolCall
    from workbench.engine.workbench import Workbench

Effect = Literal["undoable", "undone"]


def effect_of(record: Record) -> Effect | None:
    """Whether a message tells of something that a tool changed, and whether that was taken back."""
    if not isinstance(record.entry, Message) or record.entry.role != "tool":
        return None
    if record.metadata.get("undo") is None:
        return None
    return "undone" if record.metadata.get("undone") else "undoable"


async def run_undo(arguments: argparse.Namespace, services: Services) -> int:
    """Take back the newest change of a chat, or the one that is named."""
    # Late: `--help` answers without it.
    from workbench.engine.intents import UndoToolCall
    from workbench.engine.workbench import Workbench

    store = await open_kept(services)
    workbench = Workbench(services.world(store, WorldOptions(workspace=arguments.workspace)))
    try:
        chat = await find_chat(store, arguments.chat)
        records = [one for one in (await store.archive(chat.id)).records if one.deleted_utc is None]
        record = _newest(records) if arguments.message is None else _named(records, arguments.message)
        await _dispatch(UndoToolCall(chat.id, record.id), workbench, arguments.workspace)
    finally:
        await workbench.close()
    _print(arguments, record)
    return 0


async def _dispatch(intent: UndoToolCall, workbench: Workbench, workspace: str | None) -> None:
    from workbench.engine.chats.changes import NothingToUndo

    try:
        await workbench.dispatch(intent)
    except WorkbenchError as problem:
        if workspace is not None or isinstance(problem, NothingToUndo):
            raise
        hint = "If the tools worked in another folder, name it with --workspace DIR."
        raise WorkbenchError(f"{problem} {hint}") from problem


def _newest(records: Iterable[Record]) -> Record:
    """Newest in the whole chat: what was done on another branch was done to the same files."""
    left = [record for record in records if effect_of(record) == "undoable"]
    if not left:
        raise WorkbenchError(
            "There is nothing to undo: no tool changed anything in this chat, or all of it was undone already."
        )
    return max(left, key=lambda record: record.sequence)


def _named(records: Iterable[Record], name: str) -> Record:
    known = list(records)
    found = [one for one in known if one.id == name] or [
        one for one in known if name and one.id.startswith(name)
    ]
    if len(found) == 1:
        return found[0]
    shown = visible_line(name)
    if not found:
        raise NotKept(
            f"There is no message {shown!r} here; `workbench history show CHAT` names what can be undone."
        )
    raise NotKept(f"{len(found)} messages begin with {shown!r}: give more of the id.")


def _print(arguments: argparse.Namespace, record: Record) -> None:
    tool, text = str(record.metadata.get("tool", "tool")), _text(record)
    if arguments.json:
        document: dict[str, Any] = {"chat": record.chat, "message": record.id, "tool": tool, "undone": text}
        print_json(document)
    else:
        print_text(f"undone: {visible_line(tool)}: {visible_line(text)}")


def _text(record: Record) -> str:
    """What the tool had said of it, in one line."""
    return record.entry.text.partition("\n")[0] if isinstance(record.entry, Message) else ""
