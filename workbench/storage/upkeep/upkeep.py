"""Store maintenance: verifies every page, reference, key and count; backups."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, select

from workbench.domain.errors import BackupRefused, StoreDamaged, WorkbenchError
from workbench.domain.record import Verification
from workbench.domain.secrets import Secret
from workbench.domain.translation import tr
from workbench.files.writing import FILE_MODE, sync_file, sync_folder, temporary_name, write_whole
from workbench.storage.chats import chats, messages, turns
from workbench.storage.database.cipher import connect_new
from workbench.storage.database.database import Database
from workbench.storage.database.schema import chat, message, provider_key
from workbench.storage.folder import DataFolder, remove_database, side_files

_FINDINGS_SHOWN = 20


def verify(database: Database) -> Verification:
    """Check pages, references and counts; findings are sentences, at most twenty of a kind.

    Each check is a transaction of its own: one bad page spoils the connection that met it, not the others.
    """
    problems: list[str] = []
    for name, check in _CHECKS.items():
        problems += _run_check(database, name, check)
    unreadable: list[str] = []
    for key in _chat_ids(database):
        unreadable += _run_check(database, f"the chat {key!r}", partial(_unreadable_rows, chat_id=key))
    return Verification(
        pages=_number(database, "PRAGMA page_count"),
        chats=_number(database, "SELECT count(*) FROM chat"),
        messages=_number(database, "SELECT count(*) FROM message"),
        turns=_number(database, "SELECT count(*) FROM turn"),
        locked=len(unreadable),
        problems=(*problems, *unreadable[:_FINDINGS_SHOWN]),
    )


def _run_check(database: Database, name: str, check: Callable[[Connection], Iterator[str]]) -> list[str]:
    """Findings of a check, and a note if it could not be finished."""
    found: list[str] = []
    try:
        with database.transaction() as connection:
            found.extend(check(connection))
    except StoreDamaged:
        found.append(tr("{name} could not be read to the end", name=name))
    return found


def _chat_ids(database: Database) -> list[str]:
    try:
        with database.transaction() as connection:
            return list(connection.execute(select(chat.c.id)).scalars())
    except StoreDamaged:
        return []


def _number(database: Database, sql: str) -> int:
    try:
        with database.transaction() as connection:
            return int(connection.exec_driver_sql(sql).scalar_one())
    except StoreDamaged:
        return 0


def _page_problems(connection: Connection) -> Iterator[str]:
    for check in ("cipher_integrity_check", "integrity_check"):
        for (finding,) in connection.exec_driver_sql(f"PRAGMA {check}").all()[:_FINDINGS_SHOWN]:
            if finding != "ok":
                yield f"{check}: {finding}"


def _reference_problems(connection: Connection) -> Iterator[str]:
    for row in connection.exec_driver_sql("PRAGMA foreign_key_check").all()[:_FINDINGS_SHOWN]:
        yield tr("a row of {row} refers to a row of {row_2} that is not there", row=row[0], row_2=row[2])


def _index_problems(connection: Connection) -> Iterator[str]:
    findable = select(func.count()).where(message.c.state != "running", message.c.deleted_utc.is_(None))
    expected = connection.execute(findable).scalar_one()
    indexed = connection.exec_driver_sql("SELECT count(*) FROM message_words").scalar_one()
    if indexed != expected:
        yield tr(
            "the search index knows {indexed} messages of {expected}", indexed=indexed, expected=expected
        )


def _key_problems(connection: Connection) -> Iterator[str]:
    for row in connection.execute(select(provider_key)).all():
        if not row.origin or row.secret == b"":
            yield tr("the provider key for {origin!r} is empty", origin=row.origin)


def _unreadable_rows(connection: Connection, chat_id: str) -> Iterator[str]:
    """Rows that exist but cannot be parsed."""
    try:
        chats.one(connection, chat_id)
        messages.everything(connection, chat_id)
        turns.of_chat(connection, chat_id)
        chats.snapshots(connection, chat_id)
        chats.attached(connection, chat_id)
        chats.tuning(connection, chat_id)
    except (WorkbenchError, ValueError, KeyError, TypeError, zlib.error) as problem:
        yield tr(
            "the chat {chat_id!r} holds something unreadable ({name})",
            chat_id=chat_id,
            name=type(problem).__name__,
        )


_CHECKS = {
    "the check of all pages": _page_problems,
    "the check of references": _reference_problems,
    "the search index": _index_problems,
    "the check of provider keys": _key_problems,
}


# Copies of the whole store: made while it is in use, checked before they count, put back without losing the old.


_PAGES_AT_ONCE = 1000
_LOG = "-wal"


def copy_database(source: Any, target: Path, key: Secret) -> None:
    """Copy the open database under the same key; the target appears complete and checked, or not at all."""
    _refuse_damaged(source, target, "of the history's pages are damaged: `workbench history salvage` helps")
    new = target.with_name(target.name + ".new")
    remove_database(new)
    try:
        _fill(source, new, target, key)
        sync_file(new)
    except BaseException:
        remove_database(new)
        raise
    remove_database(target)
    new.replace(target)
    sync_folder(target.parent)


def _fill(source: Any, new: Path, target: Path, key: Secret) -> None:
    import sqlcipher3.dbapi2 as driver

    try:
        with closing(connect_new(new, key)) as copy:
            # Small steps: the database thread of a window that is open gets its turn between them.
            source.backup(copy, pages=_PAGES_AT_ONCE)
            copy.execute("PRAGMA journal_mode = DELETE")
            _refuse_damaged(copy, target, "of its pages could not be read back")
    except driver.DatabaseError as problem:
        words = tr(
            "it could not be written ({problem}); make room there, or choose another place", problem=problem
        )
        raise BackupRefused(str(target), words) from None


def copy_folder(source: Any, folder: DataFolder, target: DataFolder, key: Secret) -> None:
    """Copy the database and its keys to a folder; nothing is left of a failed copy."""
    if target.path.exists() and any(target.path.iterdir()):
        raise BackupRefused(str(target.path), tr("it is not empty"))
    there = target.path.exists()
    target.make()
    try:
        copy_database(source, target.store, key)
        write_whole(target.keys, folder.keys.read_bytes())
    except BaseException:
        _remove_unfinished(target, there)
        raise


def _remove_unfinished(target: DataFolder, there: bool) -> None:
    """Remove an unfinished backup; the folder stays if it existed before."""
    remove_database(target.store)
    for file in (target.keys, temporary_name(target.keys)):
        file.unlink(missing_ok=True)
    if not there:
        with suppress(OSError):
            target.path.rmdir()


def _refuse_damaged(database: Any, target: Path, words: str) -> None:
    """Refuse to copy a damaged database: a copy would turn detectable damage into valid wrong pages."""
    if damaged := database.execute("PRAGMA cipher_integrity_check").fetchall():
        raise BackupRefused(str(target), f"{len(damaged)} {words}")


def copy_files(source: DataFolder, target: DataFolder) -> None:
    """Copy the files of a backup as they are; one made by hand from a running program has a write-ahead log."""
    target.make()
    for file in (source.store, source.store.with_name(source.store.name + _LOG), source.keys):
        if file.exists():
            copy_file(file, target.path / file.name)


def put_back(source: DataFolder, folder: DataFolder, aside: Path) -> None:
    """Replace a store and its keys by those of a folder on the same disk; the old ones move to `aside`."""
    keys = source.keys.read_bytes()
    logged = source.store.with_name(source.store.name + _LOG)
    aside.mkdir(mode=0o700)
    # The keys are copied, not moved: killed from here on, the folder never holds a database without keys.
    if folder.keys.exists():
        copy_file(folder.keys, aside / folder.keys.name)
    for old in (folder.store, *side_files(folder.store)):
        if old.exists():
            shutil.move(old, aside / old.name)
    sync_folder(aside)
    if logged.exists():
        logged.replace(folder.store.with_name(folder.store.name + _LOG))
    source.store.replace(folder.store)
    write_whole(folder.keys, keys)
    sync_folder(folder.path)


def swap_database(new: Path, folder: DataFolder, aside: Path) -> None:
    """Replace the database under the same keys; the old one moves to `aside`."""
    aside.mkdir(mode=0o700)
    for old in (folder.store, *side_files(folder.store)):
        if old.exists():
            shutil.move(old, aside / old.name)
    sync_folder(aside)
    new.replace(folder.store)
    sync_folder(folder.path)


def copy_file(source: Path, target: Path) -> None:
    """Copy a file, readable by its owner only and synced to disk."""
    shutil.copyfile(source, target)
    target.chmod(FILE_MODE)
    sync_file(target)
