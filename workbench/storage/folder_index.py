"""The index of searched folders in the encrypted file."""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.dialects.sqlite import insert as insert_or

from workbench.domain.codec import decode, encode
from workbench.domain.folder_index import IndexedFile, SearchedFolder
from workbench.storage.chats.contents import dump
from workbench.storage.database.schema import folder_file, folder_segment, folder_text, searched_folder
from workbench.storage.history import SqlCipherHistory

_LEVEL = 3
_AT_ONCE = 500
_UNUSED_TEXTS = "DELETE FROM folder_text WHERE digest NOT IN (SELECT digest FROM folder_file)"
_UNUSED_SEGMENTS = """DELETE FROM folder_segment WHERE folder = ? AND id NOT IN
    (SELECT segment FROM folder_file WHERE folder = ? AND segment IS NOT NULL)"""


class StoreFolderIndex:
    """The folders' index in one store → FolderIndexStore."""

    def __init__(self, store: SqlCipherHistory) -> None:
        self._store = store

    async def folders(self) -> tuple[SearchedFolder, ...]:
        return await self._store.run(_folders)

    async def save_folder(self, folder: SearchedFolder) -> None:
        await self._store.run(_save, folder)

    async def remove_folder(self, path: str) -> None:
        await self._store.run(_remove, path)

    async def files(self, folder: str) -> tuple[IndexedFile, ...]:
        return await self._store.run(_files, folder)

    async def segments(self, folder: str) -> Mapping[int, bytes]:
        return await self._store.run(_segments, folder)

    async def add_segment(
        self, folder: str, body: bytes, files: Sequence[IndexedFile], texts: Mapping[bytes, str]
    ) -> int:
        return await self._store.run(_add, folder, body, files, texts)

    async def add_vectors(self, number: int, size: int, vectors: bytes) -> None:
        await self._store.run(_add_vectors, number, size, vectors)

    async def note_files(self, folder: str, unread: Sequence[IndexedFile], gone: Collection[str]) -> None:
        await self._store.run(_note, folder, unread, gone)

    async def texts(self, digests: Collection[bytes]) -> Mapping[bytes, str]:
        return await self._store.run(_texts, digests)


def _folders(connection: Connection) -> tuple[SearchedFolder, ...]:
    rows = connection.execute(select(searched_folder.c.body).order_by(searched_folder.c.path)).scalars()
    return tuple(decode(SearchedFolder, json.loads(body)) for body in rows)


def _save(connection: Connection, folder: SearchedFolder) -> None:
    values = {"body": dump(encode(folder))}
    made = insert_or(searched_folder).values(path=folder.path, **values)
    connection.execute(made.on_conflict_do_update(index_elements=["path"], set_=values))


def _remove(connection: Connection, path: str) -> None:
    connection.execute(delete(searched_folder).where(searched_folder.c.path == path))
    connection.execute(delete(folder_segment).where(folder_segment.c.folder == path))
    connection.execute(delete(folder_file).where(folder_file.c.folder == path))
    connection.exec_driver_sql(_UNUSED_TEXTS)


def _files(connection: Connection, folder: str) -> tuple[IndexedFile, ...]:
    rows = connection.execute(select(folder_file).where(folder_file.c.folder == folder))
    return tuple(
        IndexedFile(one.path, one.digest, one.stamp, one.size, one.segment, one.number, one.reason)
        for one in rows
    )


def _segments(connection: Connection, folder: str) -> Mapping[int, bytes]:
    wanted = select(folder_segment.c.id, folder_segment.c.body).where(folder_segment.c.folder == folder)
    return {row.id: row.body for row in connection.execute(wanted.order_by(folder_segment.c.id))}


def _add(
    connection: Connection,
    folder: str,
    body: bytes,
    files: Sequence[IndexedFile],
    texts: Mapping[bytes, str],
) -> int:
    number = int(connection.execute(insert(folder_segment).values(folder=folder, body=body)).lastrowid)
    _write(connection, folder, files, number)
    packed = [
        {"digest": digest, "body": zlib.compress(text.encode("utf-8", "surrogatepass"), _LEVEL)}
        for digest, text in texts.items()
    ]
    if packed:
        connection.execute(insert_or(folder_text).on_conflict_do_nothing(), packed)
    _clean(connection, folder)
    return number


def _add_vectors(connection: Connection, number: int, size: int, vectors: bytes) -> None:
    body = connection.execute(select(folder_segment.c.body).where(folder_segment.c.id == number)).scalar()
    if body is not None:
        changed = update(folder_segment).where(folder_segment.c.id == number)
        connection.execute(changed.values(body=body[:size] + vectors))


def _write(connection: Connection, folder: str, files: Sequence[IndexedFile], segment: int | None) -> None:
    if not files:
        return
    rows = [
        {
            "folder": folder, "path": one.path, "digest": one.digest, "stamp": one.stamp, "size": one.size,
            "segment": segment, "number": one.number, "reason": one.reason,
        }
        for one in files
    ]  # fmt: skip
    connection.execute(insert(folder_file).prefix_with("OR REPLACE"), rows)


def _note(connection: Connection, folder: str, unread: Sequence[IndexedFile], gone: Collection[str]) -> None:
    _write(connection, folder, unread, None)
    for path in gone:
        connection.execute(
            delete(folder_file).where(folder_file.c.folder == folder, folder_file.c.path == path)
        )
    _clean(connection, folder)


def _clean(connection: Connection, folder: str) -> None:
    connection.exec_driver_sql(_UNUSED_SEGMENTS, (folder, folder))
    connection.exec_driver_sql(_UNUSED_TEXTS)


def _texts(connection: Connection, digests: Collection[bytes]) -> Mapping[bytes, str]:
    wanted, found = list(digests), {}
    for start in range(0, len(wanted), _AT_ONCE):
        some = select(folder_text).where(folder_text.c.digest.in_(wanted[start : start + _AT_ONCE]))
        for row in connection.execute(some):
            found[row.digest] = zlib.decompress(row.body).decode("utf-8", "surrogatepass")
    return found
