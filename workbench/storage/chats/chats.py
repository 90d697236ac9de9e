"""Chats and what is stored with each: settings, tuning, draft, snapshots, presets, counts."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, bindparam, delete, func, insert, select, text, update
from sqlalchemy.dialects.sqlite import insert as insert_or

from workbench.domain.chat_line import TEMPLATE
from workbench.domain.codec import decode, encode
from workbench.domain.errors import NotKept
from workbench.domain.files.attached import KeptCopy
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.document import ReadAs
from workbench.domain.files.folder import FollowedFolder
from workbench.domain.record import Chat, ChatArchive, Snapshot
from workbench.domain.search_words import word_line
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.side import SideQuestion
from workbench.domain.text import digest_text
from workbench.domain.translation import tr, with_noted_values, with_values_noted
from workbench.domain.turn import Tuning
from workbench.domain.workspace import Filed
from workbench.storage.chats.contents import PURGED, Texts, dump, keep_bytes
from workbench.storage.chats.messages import last_place
from workbench.storage.database.format import as_column, as_text
from workbench.storage.database.schema import chat, content, message, preset, snapshot, token_count

_MEMO = "settings written last"
_ADD_TITLE = "INSERT INTO title_words(rowid, words) VALUES (?, ?)"
_UNTUNED = dump(encode(Tuning()))


def create(connection: Connection, new: Chat) -> None:
    """Store a new chat."""
    begin(connection, (ChatArchive(new),))


def begin(connection: Connection, archives: Sequence[ChatArchive]) -> None:
    """Store chats with attachments, tuning and drafts; their messages follow."""
    number = connection.exec_driver_sql("SELECT coalesce(max(number), 0) FROM chat").scalar_one()
    used, rows, titles = last_place(connection), [], []
    for archive in archives:
        number += 1
        new = archive.chat
        rows.append(
            {
                "number": number,
                "id": new.id,
                "used": used,
                "attached": Texts(connection).write(tuple(archive.attached)) if archive.attached else "[]",
                "tuning": _UNTUNED if archive.tuning == Tuning() else dump(encode(archive.tuning)),
                "draft": as_column(archive.draft),
                **_columns(new, _settings_json(connection, new.settings)),
                "title": as_column(new.title),
            }
        )
        titles.append((number, word_line(new.title)))
        used += len(archive.records)
    sql = f"INSERT INTO chat ({', '.join(rows[0])}) VALUES ({', '.join('?' for _ in rows[0])})"
    connection.exec_driver_sql(sql, [tuple(row.values()) for row in rows])
    connection.exec_driver_sql(_ADD_TITLE, titles)


def _settings_json(connection: Connection, settings: ContextSettings) -> str:
    """Settings as JSON, cached: chats of one import mostly share them, and serialising took a third of the time."""
    before: tuple[ContextSettings, str] | None = connection.info.get(_MEMO)
    if before is None or before[0] != settings:
        before = connection.info[_MEMO] = (settings, dump(encode(settings)))
    return before[1]


def set_leaves(connection: Connection, leaves: Mapping[str, str | None]) -> None:
    """Set the leaf of the branch in view of each of these chats."""
    if leaves:
        rows = [(leaf, chat_id) for chat_id, leaf in leaves.items()]
        connection.exec_driver_sql("UPDATE chat SET leaf = ? WHERE id = ?", rows)


def save(connection: Connection, changed: Chat) -> None:
    """Update a chat's row."""
    values = _columns(changed, _settings_json(connection, changed.settings))
    if connection.execute(update(chat).where(chat.c.id == changed.id).values(values)).rowcount != 1:
        raise NotKept(tr("There is no chat {id!r}.", id=changed.id))
    _index_title(connection, changed)


def change(connection: Connection, chat_id: str, change: Callable[[Chat], Chat]) -> None:
    """Update a chat's row from its present value."""
    save(connection, change(one(connection, chat_id)))


def one(connection: Connection, chat_id: str) -> Chat:
    """One chat, deleted or not."""
    row = connection.execute(_ONE, {"chat": chat_id}).first()
    if row is None:
        raise NotKept(tr("There is no chat {chat_id!r}.", chat_id=chat_id))
    return _as_chat(row, _settings(row.settings), _filed(row.filed))


def some(connection: Connection, chat_ids: Sequence[str]) -> tuple[Chat, ...]:
    """The existing chats among these ids, deleted or not."""
    read = cache(_settings)
    rows: list[Row[Any]] = []
    for start in range(0, len(chat_ids), _AT_ONCE):
        wanted = chat_ids[start : start + _AT_ONCE]
        rows += connection.execute(select(chat).where(chat.c.id.in_(wanted))).all()
    return tuple(_as_chat(row, read(row.settings), _filed(row.filed)) for row in rows)


def listed(connection: Connection) -> tuple[Chat, ...]:
    """All chats that are not deleted, most recently used first, without workspace templates."""
    there = chat.c.deleted_utc.is_(None)
    return _in_order(connection, there & (func.substr(chat.c.id, 1, len(TEMPLATE)) != TEMPLATE))


def watched(connection: Connection) -> tuple[Chat, ...]:
    """All watched chats, deleted or not, most recently used first."""
    return _in_order(connection, func.json_extract(chat.c.filed, "$.watched").is_not(None))


def _in_order(connection: Connection, which: ColumnElement[bool]) -> tuple[Chat, ...]:
    query = select(*_OF_CHAT, _last_written()).where(which).order_by(chat.c.used.desc(), chat.c.number.desc())
    # Most chats are set and filed alike; reading the same documents anew took nine tenths of the time.
    read, read_filed = cache(_settings), cache(_filed)
    rows = connection.execute(query)
    return tuple(_as_chat(row, read(row.settings), read_filed(row.filed), row.used_utc) for row in rows)


def save_field(connection: Connection, chat_id: str, **values: str) -> None:
    """Update columns of a chat, such as its draft or tuning."""
    if connection.execute(update(chat).where(chat.c.id == chat_id).values(values)).rowcount != 1:
        raise NotKept(tr("There is no chat {chat_id!r}.", chat_id=chat_id))


def draft(connection: Connection, chat_id: str) -> str:
    """The draft of a chat."""
    return str(as_text(_column(connection, chat_id, "draft")))


def tuning(connection: Connection, chat_id: str) -> Tuning:
    """The tuning of a chat."""
    return decode(Tuning, json.loads(_column(connection, chat_id, "tuning")))


def _column(connection: Connection, chat_id: str, name: str) -> Any:
    """One value of a chat's row; read alone, since many of them are read whenever a chat is opened."""
    found = connection.exec_driver_sql(f"SELECT {name} FROM chat WHERE id = ?", (chat_id,)).first()
    if found is None:
        raise NotKept(tr("There is no chat {chat_id!r}.", chat_id=chat_id))
    return found[0]


def save_tuning(connection: Connection, chat_id: str, changed: Tuning) -> None:
    """Store the tuning of a chat; its followed folders stay."""
    aside = _beside_tuning(connection, chat_id)
    save_field(connection, chat_id, tuning=dump({**encode(changed), **aside}))


def followed(connection: Connection, chat_id: str) -> tuple[FollowedFolder, ...]:
    """The followed folders of a chat."""
    return decode(tuple[FollowedFolder, ...], _beside_tuning(connection, chat_id).get(_FOLLOWED, []))


def save_followed(connection: Connection, chat_id: str, folders: Sequence[FollowedFolder]) -> None:
    """Store the followed folders of a chat: beside its tuning, under a name that older versions ignore.

    It is no part of what a request depends on, nor of an export: nobody else's chat can name a folder to be read here.
    """
    _save_beside_tuning(connection, chat_id, _FOLLOWED, encode(tuple(folders)))


def queued(connection: Connection, chat_id: str) -> tuple[str, ...]:
    """The queued messages of a chat, in order."""
    return tuple(_beside_tuning(connection, chat_id).get(_QUEUED, ()))


def save_queued(connection: Connection, chat_id: str, texts: Sequence[str]) -> None:
    """Store the queued messages: beside the tuning, and in no export."""
    _save_beside_tuning(connection, chat_id, _QUEUED, list(texts))


def sides(connection: Connection, chat_id: str) -> tuple[SideQuestion, ...]:
    """The side questions of a chat, the newest first."""
    return decode(tuple[SideQuestion, ...], _beside_tuning(connection, chat_id).get(_SIDES, []))


def save_sides(connection: Connection, chat_id: str, some: Sequence[SideQuestion]) -> None:
    """Store the side questions: beside the tuning, and in no export."""
    _save_beside_tuning(connection, chat_id, _SIDES, encode(tuple(some)))


def steps(connection: Connection, chat_id: str) -> tuple[str, ...]:
    """The undo steps of a chat's tuning, oldest first; those with purged text are left out."""
    found = _beside_tuning(connection, chat_id).get(_STEPS, [])
    return tuple(one for one in Texts(connection).read(tuple[str, ...], dump(found)) if one != PURGED)


def save_steps(connection: Connection, chat_id: str, texts: Sequence[str]) -> None:
    """Store the undo steps: beside the tuning, long texts by digest, and in no export."""
    _save_beside_tuning(connection, chat_id, _STEPS, json.loads(Texts(connection).write(tuple(texts))))


def forget_steps(connection: Connection) -> None:
    """Delete all undo steps, which could bring purged content back."""
    kept = func.json_extract(chat.c.tuning, f"$.{_STEPS}").is_not(None)
    for key in connection.execute(select(chat.c.id).where(kept)).scalars().all():
        save_steps(connection, key, ())


def _save_beside_tuning(connection: Connection, chat_id: str, name: str, value: Any) -> None:
    aside = {**_beside_tuning(connection, chat_id), name: value}
    document = {**encode(tuning(connection, chat_id)), **{key: kept for key, kept in aside.items() if kept}}
    save_field(connection, chat_id, tuning=dump(document))


def _beside_tuning(connection: Connection, chat_id: str) -> dict[str, Any]:
    document = json.loads(_column(connection, chat_id, "tuning"))
    return {name: value for name, value in document.items() if name in _BESIDE}


_FOLLOWED, _QUEUED, _STEPS, _SIDES = "followed", "queued", "steps", "sides"
_BESIDE = (_FOLLOWED, _QUEUED, _STEPS, _SIDES)


def save_attached(connection: Connection, chat_id: str, artifacts: Sequence[Artifact]) -> None:
    """Store the present attachments; long text by its digest."""
    save_field(connection, chat_id, attached=Texts(connection).write(tuple(artifacts)))


def attached(connection: Connection, chat_id: str) -> tuple[Artifact, ...]:
    """The present attachments."""
    return Texts(connection).read(tuple[Artifact, ...], _column(connection, chat_id, "attached"))


def keep_snapshot(connection: Connection, taken: Snapshot) -> None:
    """Store an attachment as it is; equal text and bytes are stored once."""
    made = connection.execute(
        insert(snapshot).values(
            chat=taken.chat,
            key=taken.artifact.key,
            artifact=_with_file(Texts(connection).write(taken.artifact), taken),
            content=keep_bytes(connection, taken.content),
            taken_utc=taken.taken_utc,
            modified_utc=taken.modified_utc,
        )
    )
    make_copy_findable(connection, made.lastrowid, taken.chat, taken.artifact)


LONGEST_INDEXED = 5_000_000
"""So many characters of an attachment are found; more would keep the store from other work for seconds."""


def make_copy_findable(connection: Connection, number: int, chat_id: str, artifact: Artifact) -> None:
    """Index an attachment's name and text; of several copies of a file only the newest is found."""
    same = (snapshot.c.chat == chat_id) & (snapshot.c.key == artifact.key) & (snapshot.c.id != number)
    for old in connection.execute(select(snapshot.c.id).where(same)).scalars().all():
        connection.execute(text("DELETE FROM attachment_words WHERE rowid = :id"), {"id": old})
    said = f"{artifact.key} {artifact.title} {artifact.text}"
    values = {"id": number, "words": word_line(said[:LONGEST_INDEXED])}
    connection.execute(text("INSERT INTO attachment_words(rowid, words) VALUES (:id, :words)"), values)


def copy_snapshot(connection: Connection, taken: Snapshot, chat_id: str) -> None:
    """Store the copy of one chat for another one, too."""
    keep_snapshot(connection, replace(taken, chat=chat_id))


def snapshots(connection: Connection, chat_id: str) -> tuple[Snapshot, ...]:
    """A chat's stored attachments, oldest first."""
    query = _SNAPSHOTS.where(snapshot.c.chat == chat_id).order_by(snapshot.c.id)
    texts = Texts(connection)
    return tuple(_snapshot(row, texts) for row in connection.execute(query).all())


def newest_snapshot(connection: Connection, chat_id: str, key: str) -> Snapshot | None:
    """The newest copy of one attachment."""
    query = _SNAPSHOTS.where(snapshot.c.chat == chat_id, snapshot.c.key == key)
    row = connection.execute(query.order_by(snapshot.c.id.desc()).limit(1)).first()
    return None if row is None else _snapshot(row, Texts(connection))


_SNAPSHOTS = select(snapshot, content.c.body).join(content, content.c.id == snapshot.c.content)


def _snapshot(row: Any, texts: Texts) -> Snapshot:
    artifact = texts.read(Artifact, row.artifact)
    return Snapshot(row.chat, artifact, row.taken_utc, row.body, row.modified_utc, *_file(row.artifact))


def copies(connection: Connection, chat_id: str) -> tuple[KeptCopy, ...]:
    """A chat's stored files without their bytes, oldest first; pasted content is left out."""
    size = func.length(content.c.body).label("size_bytes")
    query = select(snapshot.c.key, snapshot.c.artifact, snapshot.c.taken_utc, content.c.digest, size)
    files = query.join(content, content.c.id == snapshot.c.content).where(
        snapshot.c.chat == chat_id, snapshot.c.modified_utc.is_not(None)
    )
    return tuple(_copy(row) for row in connection.execute(files.order_by(snapshot.c.id)))


def _with_file(document: str, taken: Snapshot) -> str:
    """The document with the file's facts, under a name that older versions ignore."""
    known: dict[str, Any] = {}
    if taken.place or taken.refused:
        known[_FILE] = [taken.place, taken.refused]
    if taken.read_as != ReadAs():
        known[_READ] = with_values_noted(encode(taken.read_as))
    if taken.bound:
        known[_BOUND] = taken.bound
    return dump({**json.loads(document), **known}) if known else document


def _file(document: str) -> tuple[str, str, ReadAs, str]:
    kept = json.loads(document)
    place, refused = kept.get(_FILE, ("", ""))
    read_as = decode(ReadAs, with_noted_values(kept[_READ])) if _READ in kept else ReadAs()
    return str(place), str(refused), read_as, str(kept.get(_BOUND, ""))


_AT_ONCE = 500
_FILE, _READ, _BOUND = "file", "read", "bound"


class _Aside(str):
    """Stands in for a long text of which only the digest is needed."""

    __slots__ = ()


def _copy(row: Any) -> KeptCopy:
    kept = decode(Artifact, json.loads(row.artifact), _Aside)
    digest = kept.text if isinstance(kept.text, _Aside) else digest_text(kept.text)
    # A name is hardly ever so long that it is kept aside; then it is found again with the attachment itself.
    name = "" if isinstance(kept.name, _Aside) else kept.name
    place, refused, read_as, bound = _file(row.artifact)
    return KeptCopy(
        row.key, digest, row.size_bytes, row.digest.hex(), place, refused, name, read_as, row.taken_utc, bound
    )


def save_preset(connection: Connection, name: str, settings: ContextSettings | None) -> None:
    """Store settings under a name; None removes the preset."""
    connection.execute(delete(preset).where(preset.c.name == name))
    if settings is not None:
        connection.execute(insert(preset).values(name=name, settings=dump(encode(settings))))


def presets(connection: Connection) -> dict[str, ContextSettings]:
    """The presets by name."""
    rows = connection.execute(select(preset).order_by(preset.c.name)).all()
    return {row.name: _settings(row.settings) for row in rows}


def counts(connection: Connection, encoding: str, digests: Collection[bytes]) -> dict[bytes, int]:
    """Stored token counts of some texts."""
    found: dict[bytes, int] = {}
    # In their order: neighbours stand on one page, which is deciphered once for all of them.
    wanted = sorted(digests)
    for start in range(0, len(wanted), _AT_ONCE):
        some = wanted[start : start + _AT_ONCE]
        marks = ",".join("?" * len(some))
        sql = f"SELECT digest, tokens FROM token_count WHERE encoding = ? AND digest IN ({marks})"
        # By the driver: each row's own object took longer than reading it.
        found.update(connection.exec_driver_sql(sql, (encoding, *some)).cursor.fetchall())
    return found


def save_counts(connection: Connection, encoding: str, new: Mapping[bytes, int]) -> None:
    """Store token counts; known ones stay."""
    rows = [{"encoding": encoding, "digest": digest, "tokens": tokens} for digest, tokens in new.items()]
    if rows:
        connection.execute(insert_or(token_count).on_conflict_do_nothing(), rows)


def _last_written() -> ColumnElement[str]:
    """SQL expression for the time of a chat's last message.

    Where that one was purged it is the last that is left; an empty chat was written in when it was made.
    """
    own = select(message.c.created_utc).where(message.c.chat == chat.c.id)
    last = own.where(message.c.sequence == chat.c.used).scalar_subquery()
    left = own.order_by(message.c.sequence.desc()).limit(1).scalar_subquery()
    return func.coalesce(last, left, chat.c.created_utc).label("used_utc")


def _columns(given: Chat, settings: str) -> dict[str, Any]:
    return {
        "title": given.title,
        "created_utc": given.created_utc,
        "settings": settings,
        "parameters": dump(given.parameters),
        "leaf": given.leaf,
        "deleted_utc": given.deleted_utc,
        "filed": dump(encode(replace(given.filed, temporary=False))),
    }


def _settings(document: str) -> ContextSettings:
    return decode(ContextSettings, json.loads(document))


_NAMES = ("id", "created_utc", "title", "settings", "parameters", "leaf", "deleted_utc", "filed")
_OF_CHAT = tuple(chat.c[name] for name in _NAMES)
_ONE = select(*_OF_CHAT).where(chat.c.id == bindparam("chat"))


def _filed(document: str) -> Filed:
    return decode(Filed, json.loads(document))


def _as_chat(row: Any, settings: ContextSettings, filed: Filed, used_utc: str = "") -> Chat:
    return Chat(
        id=row.id,
        created_utc=row.created_utc,
        title=row.title,
        settings=settings,
        parameters=json.loads(row.parameters) if row.parameters != "{}" else {},
        leaf=row.leaf,
        deleted_utc=row.deleted_utc,
        filed=filed,
        used_utc=used_utc,
    )


def _index_title(connection: Connection, given: Chat) -> None:
    number = connection.execute(select(chat.c.number).where(chat.c.id == given.id)).scalar_one()
    connection.execute(text("DELETE FROM title_words WHERE rowid = :id"), {"id": number})
    connection.exec_driver_sql(_ADD_TITLE, (number, word_line(given.title)))
