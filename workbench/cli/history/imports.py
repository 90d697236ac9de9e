"""`workbench history import`: chats from the files of this and other programs."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack, closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from workbench.cli.open_history import find_chat, open_kept, opened
from workbench.cli.services import Services, WorldOptions
from workbench.cli.terminal import print_json, print_text, tell, tell_progress, visible_line
from workbench.domain.errors import InvalidInput, NotKept, WorkbenchError
from workbench.domain.files.attached import MOST_ATTACHED_BYTES
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Message
from workbench.domain.record import Record, Snapshot
from workbench.domain.secrets import Secret
from workbench.domain.translation import counted, tr
from workbench.engine.exchange.imported import Fresh, Imported, Wanted, merged, unread
from workbench.engine.exchange.importing import read_groups
from workbench.files.folder_handles import open_folder
from workbench.files.reading import user_file_below

if TYPE_CHECKING:
    from workbench.engine.intents import UndoToolCall
    from workbench.engine.program.adopting import Adoption, FindFile
    from workbench.engine.workbench import Workbench


# Reads the text that Elara's key is made of; none is ever assumed, least of all the one in its documentation.


if TYPE_CHECKING:  # it loads what `--help` does not need
    pass


_MOST_BYTES = 64 * 1024


def read_elara_key(name: str) -> Secret:
    """Reads the key file for Elara's exports, without a line end at its end."""
    try:
        with open(Path(name), "rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
        content.decode("utf-8")
    except OSError as problem:
        raise InvalidInput(name, problem.strerror or type(problem).__name__) from None
    except UnicodeDecodeError:
        raise InvalidInput(name, tr("is not text in UTF-8")) from None
    if len(content) > _MOST_BYTES:
        raise InvalidInput(name, tr("is longer than {most_bytes} bytes", most_bytes=_MOST_BYTES))
    key = content.removesuffix(b"\n").removesuffix(b"\r").removeprefix(b"\xef\xbb\xbf")
    if not key:
        raise InvalidInput(name, tr("is empty"))
    return Secret(key)


# Finds files by the names that an imported chat gives them, below one folder and nowhere else.


if TYPE_CHECKING:  # it loads what `--help` does not need
    pass


_READABLE = frozenset({"file", "note"})
_NEVER_FETCHED = frozenset({"url", "web_tab", "youtube"})


class FilesInFolder:
    """Finds the files of an imported chat in one folder, by the names the chat gives them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def take(self, wanted: Wanted, when_utc: str) -> Snapshot | str:
        """Reads the file that an imported chat names, as a snapshot; or returns why it cannot be used."""
        if wanted.kind in _NEVER_FETCHED:
            return tr("pages are never fetched again")
        if wanted.kind not in _READABLE:
            return tr("a {replace} cannot be read from a folder", replace=wanted.kind.replace("_", " "))
        try:
            content, modified = _read_below(self._folder, wanted.key)
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            return tr("it is not text in UTF-8")
        except (OSError, ValueError) as problem:
            return getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
        artifact = Artifact(wanted.key, wanted.kind, text)
        return Snapshot(wanted.chat, artifact, when_utc, content, modified)


def _read_below(folder: Path, name: str) -> tuple[bytes, str]:
    steps = name.replace("\\", "/").removeprefix("./").split("/")
    if any(step in ("", ".", "..") or ":" in step or "\0" in step for step in steps):
        raise ValueError("its name leads out of the folder")
    with closing(open_folder(str(folder))) as held, user_file_below(held, steps) as opened:
        content, status = opened.read(MOST_ATTACHED_BYTES + 1), opened.status
    if len(content) > MOST_ATTACHED_BYTES:
        raise ValueError(f"it is larger than {MOST_ATTACHED_BYTES // 1_000_000} MB")
    moment = datetime.fromtimestamp(status.st_mtime, UTC)
    return content, moment.isoformat(timespec="seconds").replace("+00:00", "Z")


_NO_FOLDER = tr("its text is not in the file; --attach-from DIR says where to look")


async def run_import(arguments: argparse.Namespace, services: Services) -> int:
    """Imports chats from files, and reports what was left out; returns 1 where a file could not be used."""
    _check(arguments)
    if arguments.undo:
        return await _undo(arguments, services)
    key = None
    if arguments.elara_key_file is not None:
        key = services.elara(read_elara_key(arguments.elara_key_file))
    now = services.utc_now()
    files = await services.exchange().read(arguments.paths)
    try:
        parts = read_groups(files.groups, Fresh(now, services.new_id), key)
        told, adoption = await _import_parts(parts, arguments, services, now)
        told = merged([told, unread(files)])
    finally:
        files.close()
    refused = told.refused + (adoption.refused if adoption is not None else 0)
    _report(arguments, adoption, replace(told, refused=refused))
    return 1 if refused else 0


async def _import_parts(
    parts: Iterator[Imported], arguments: argparse.Namespace, services: Services, now: str
) -> tuple[Imported, Adoption | None]:
    """Stores the chats part by part; opens the store only when there is something to store."""
    from workbench.engine.program.adopting import Adoption, groups

    told = Imported()
    adoption: Adoption | None = None
    taken = 0
    async with AsyncExitStack() as held:
        for part in parts:
            told = merged([told, replace(part, archives=(), workspaces=(), wanted=())])
            if part.archives and adoption is None:
                store = await held.enter_async_context(opened(services, writable=True))
                adoption = Adoption(store, services.new_id, _file_finder(arguments.attach_from), now_utc=now)
            for some in groups(part.archives):
                assert adoption is not None
                await adoption.take_all(some, part)
                taken += len(some)
                tell_progress(
                    tr(
                        "{counted} so far, {share:.0%} of the files read",
                        counted=counted(taken, "chat"),
                        share=part.share,
                    )
                )
        tell_progress("")
    return told, adoption


async def _undo(arguments: argparse.Namespace, services: Services) -> int:
    """Undoes the newest import in one step."""
    from workbench.engine.program.taking_back import take_back_import

    store = await open_kept(services)
    try:
        taken = await take_back_import(store, services.utc_now())
    finally:
        await store.close()
    if arguments.json:
        print_json(
            {"imported_utc": taken.when_utc, "chats": list(taken.chats), "messages": taken.messages,
             "kept": list(taken.kept)}
        )  # fmt: skip
        return 0
    for chat in taken.kept:
        tell(tr("{chat}: continued here since; kept", chat=visible_line(chat)))
    print_text(
        tr(
            "undone: the import of {when_utc}: {counted}, {counted_2} in other chats",
            when_utc=taken.when_utc,
            counted=counted(len(taken.chats), "chat"),
            counted_2=counted(taken.messages, "message"),
        )
    )
    return 0


def _check(arguments: argparse.Namespace) -> None:
    if arguments.undo and arguments.paths:
        raise InvalidInput("--undo", tr("takes the newest import back; it takes no files"))
    if not arguments.undo and not arguments.paths:
        raise InvalidInput("PATH", tr("name files or folders to import"))
    if arguments.attach_from is not None and not Path(arguments.attach_from).is_dir():
        raise InvalidInput(arguments.attach_from, tr("is not a folder"))


def _file_finder(folder: str | None) -> FindFile:
    if folder is None:
        return lambda wanted, when_utc: _NO_FOLDER
    return FilesInFolder(Path(folder)).take


def _report(arguments: argparse.Namespace, adoption: Adoption | None, about: Imported) -> None:
    adopted = adoption.adopted if adoption is not None else []
    more = [*adoption.problems, *adoption.sentences()] if adoption is not None else []
    problems = list(dict.fromkeys([*about.problems, *more]))
    there = adoption.there if adoption is not None else 0
    if arguments.json:
        chats = [
            {"id": one.id, "title": one.title, "messages": one.messages, "how": one.how} for one in adopted
        ]
        counts = {"files_refused": about.refused, "files_locked": about.locked, "already_here": there}
        lost = {"lost": dict(about.losses.left_out), "changed": dict(about.losses.changed)}
        print_json({"chats": chats, "problems": problems, **counts, **lost})
        return
    for chat in adopted:
        said = counted(chat.messages, "message" if chat.how == "new" else "new message")
        print_text(
            tr("{id}  {said}  {title}", id=visible_line(chat.id), said=said, title=visible_line(chat.title))
        )
    for problem in problems:
        tell(visible_line(problem))
    new = sum(one.how == "new" for one in adopted)
    grown = tr(" Grown: {new}.", new=len(adopted) - new) if new < len(adopted) else ""
    here = tr(" Already here: {there}.", there=there) if there else ""
    refused = tr(" Could not be used: {refused}.", refused=about.refused) if about.refused else ""
    tell(
        tr(
            "Imported: {counted}.{grown}{here}{refused}",
            counted=counted(new, "chat"),
            grown=grown,
            here=here,
            refused=refused,
        )
    )


# `workbench history undo`: takes back what a tool did, unless the world has moved on since.


Effect = Literal["undoable", "undone"]


def effect_of(record: Record) -> Effect | None:
    """Tells whether a tool's message records a change that can be undone, or one that was undone."""
    if not isinstance(record.entry, Message) or record.entry.role != "tool":
        return None
    if record.metadata.get("undo") is None:
        return None
    return "undone" if record.metadata.get("undone") else "undoable"


async def run_undo(arguments: argparse.Namespace, services: Services) -> int:
    """Undoes the newest change that a tool made in a chat, or the one that is named."""
    # Late: `--help` answers without it.
    from workbench.engine.intents import UndoToolCall
    from workbench.engine.workbench import Workbench

    store = await open_kept(services)
    workbench = Workbench(services.world(store, WorldOptions(workspace=arguments.workspace)))
    try:
        chat = await find_chat(store, arguments.chat)
        records = [one for one in (await store.archive(chat.id)).records if one.deleted_utc is None]
        record = (
            _newest_undoable(records)
            if arguments.message is None
            else _find_message(records, arguments.message)
        )
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
        hint = tr("If the tools worked in another folder, name it with --workspace DIR.")
        raise WorkbenchError(tr("{problem} {hint}", problem=problem, hint=hint)) from problem


def _newest_undoable(records: Iterable[Record]) -> Record:
    """Returns the newest undoable change of the whole chat: other branches changed the same files."""
    left = [record for record in records if effect_of(record) == "undoable"]
    if not left:
        raise WorkbenchError(
            tr(
                "There is nothing to undo: no tool changed anything in this chat, or "
                "all of it was undone already."
            )
        )
    return max(left, key=lambda record: record.sequence)


def _find_message(records: Iterable[Record], name: str) -> Record:
    known = list(records)
    found = [one for one in known if one.id == name] or [
        one for one in known if name and one.id.startswith(name)
    ]
    if len(found) == 1:
        return found[0]
    shown = visible_line(name)
    if not found:
        raise NotKept(
            tr(
                "There is no message {shown!r} here; `workbench history show CHAT` names what can be undone.",
                shown=shown,
            )
        )
    raise NotKept(tr("{n} messages begin with {shown!r}: give more of the id.", n=len(found), shown=shown))


def _print(arguments: argparse.Namespace, record: Record) -> None:
    tool, text = str(record.metadata.get("tool", "tool")), _text(record)
    if arguments.json:
        document: dict[str, Any] = {"chat": record.chat, "message": record.id, "tool": tool, "undone": text}
        print_json(document)
    else:
        print_text(tr("undone: {tool}: {text}", tool=visible_line(tool), text=visible_line(text)))


def _text(record: Record) -> str:
    """The first line of what the tool reported."""
    return record.entry.text.partition("\n")[0] if isinstance(record.entry, Message) else ""
