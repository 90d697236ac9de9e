"""`workbench history import`: chats from the files of this and other programs."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from workbench.cli.elara_key import read_elara_key
from workbench.cli.import_reading import read_paths
from workbench.cli.opened import opened
from workbench.cli.parts import Parts
from workbench.cli.plain_output import counted, print_json, print_text, visible_line
from workbench.cli.reattach import FoundFiles
from workbench.cli.terminal import tell
from workbench.domain.errors import InvalidInput, NotKept
from workbench.domain.record import ChatArchive, Snapshot
from workbench.engine.exchange.imported import Fresh, Imported, Wanted, merged
from workbench.engine.exchange.importing import import_files
from workbench.engine.exchange.soundness import renamed
from workbench.ports.history import HistoryStore


@dataclass
class _Outcome:
    """What became of an import: the chats by the id they are kept under, and everything to be said."""

    chats: list[dict[str, Any]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    refused: int = 0


async def run_import(arguments: argparse.Namespace, parts: Parts) -> int:
    """Keep what the files hold; whatever did not come along is said, and a file that could not be used fails."""
    _check(arguments)
    imported = _read(arguments, parts)
    outcome = _Outcome(problems=list(imported.problems), refused=imported.refused)
    if imported.archives:
        async with opened(parts, writable=True) as store:
            await _Adoption(store, parts, arguments.attach_from, outcome).take(imported)
    _report(arguments, imported, outcome)
    return 1 if outcome.refused else 0


def _check(arguments: argparse.Namespace) -> None:
    if arguments.attach_from is not None and not Path(arguments.attach_from).is_dir():
        raise InvalidInput(arguments.attach_from, "is not a folder")


def _read(arguments: argparse.Namespace, parts: Parts) -> Imported:
    key = None
    if arguments.elara_key_file is not None:
        key = parts.elara(read_elara_key(arguments.elara_key_file))
    fresh = Fresh(parts.utc_now(), parts.new_id)
    groups, unreadable = read_paths(arguments.paths)
    found = [import_files(files, fresh, key) for files in groups]
    return merged([*found, Imported(problems=tuple(unreadable), refused=len(unreadable))])


class _Adoption:
    """Puts chats into the store one by one, each whole or not at all."""

    def __init__(self, store: HistoryStore, parts: Parts, folder: str | None, outcome: _Outcome) -> None:
        self._store, self._parts, self._outcome = store, parts, outcome
        self._files = None if folder is None else FoundFiles(Path(folder))

    async def take(self, imported: Imported) -> None:
        """Adopt all that was imported."""
        for archive in imported.archives:
            own = {record.id for record in archive.records}
            wanted = [w for w in imported.wanted if w.chat == archive.chat.id and w.message in own]
            complete = await self._with_attachments(archive, wanted)
            await self._adopt(await self._under_free_id(complete))

    async def _adopt(self, archive: ChatArchive) -> None:
        chat = archive.chat
        try:
            await self._store.adopt(archive)
        except NotKept as problem:
            self._outcome.refused += 1
            self._outcome.problems.append(f"{chat.id}: the chat was not imported: {problem}")
            return
        self._outcome.chats.append({"id": chat.id, "title": chat.title, "messages": len(archive.records)})

    async def _under_free_id(self, archive: ChatArchive) -> ChatArchive:
        taken = archive.chat.id
        if not await self._exists(taken):
            return archive
        free = self._parts.new_id()
        self._outcome.problems.append(f"There is a chat {taken} already; the imported one is kept as {free}.")
        return renamed(archive, free)

    async def _exists(self, chat: str) -> bool:
        try:
            await self._store.chat(chat)
        except NotKept:
            return False
        return True

    async def _with_attachments(self, archive: ChatArchive, wanted: list[Wanted]) -> ChatArchive:
        times = {record.id: record.created_utc for record in archive.records}
        found: dict[tuple[str, str], Snapshot] = {}
        for one in wanted:
            snapshot = await self._find(one, times[one.message])
            if snapshot is not None:
                found.setdefault((one.key, snapshot.artifact.content_digest), snapshot)
        return replace(archive, snapshots=(*archive.snapshots, *found.values()))

    async def _find(self, wanted: Wanted, when_utc: str) -> Snapshot | None:
        """As it was when it was sent, if the chat it comes from is still here; else as it lies in the folder."""
        kept = await self._store.snapshots(wanted.origin) if wanted.origin is not None else ()
        same = [one for one in kept if one.artifact.key == wanted.key]
        if same:
            by_then = [one for one in same if one.taken_utc <= when_utc]
            self._outcome.problems.append(
                f"{wanted.key}: attached as it was kept in the chat {wanted.origin}."
            )
            return replace((by_then or same)[-1 if by_then else 0], chat=wanted.chat)
        if self._files is None:
            reason = "its text is not in the file; --attach-from DIR says where to look"
        else:
            taken = self._files.take(wanted, when_utc)
            if isinstance(taken, Snapshot):
                return taken
            reason = taken
        self._outcome.problems.append(f"{wanted.key}: not attached again: {reason}.")
        return None


def _report(arguments: argparse.Namespace, imported: Imported, outcome: _Outcome) -> None:
    problems = list(dict.fromkeys(outcome.problems))
    if arguments.json:
        counts = {"files_refused": outcome.refused, "files_locked": imported.locked}
        print_json({"chats": outcome.chats, "problems": problems, **counts})
        return
    for chat in outcome.chats:
        print_text(
            f"{visible_line(chat['id'])}  {counted(chat['messages'], 'message')}  {visible_line(chat['title'])}"
        )
    for problem in problems:
        tell(visible_line(problem))
    refused = f" Could not be used: {outcome.refused}." if outcome.refused else ""
    tell(f"Imported: {counted(len(outcome.chats), 'chat')}.{refused}")
