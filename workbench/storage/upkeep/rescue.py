"""Salvages a damaged store into a new one: rows first, then references repaired and indexes rebuilt."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Column, Connection, Integer, LargeBinary, Table, select, text
from sqlalchemy.exc import NoResultFound

from workbench.domain.errors import WorkbenchError
from workbench.domain.files.attachment import Artifact
from workbench.domain.search_words import words_of
from workbench.storage.chats import chats, messages, turns
from workbench.storage.chats.contents import Texts, keep_text
from workbench.storage.database.database import Database
from workbench.storage.database.pages import (
    INDEX_INNER,
    INDEX_LEAF,
    INNER,
    LEAVES,
    MISSING,
    ODD,
    TABLE_INNER,
    TABLE_LEAF,
    USABLE_BYTES,
    Gap,
    Pages,
    Row,
    Unsound,
    Value,
    cells_of,
    head_of,
    pages_below,
    values_of,
    varint,
)
from workbench.storage.database.schema import AnyText, chat, message, metadata, snapshot, turn

# Rows of a damaged store, read from its pages: without SQLite, which gives up where its schema is lost.
#
# A b-tree is followed from its root as far as that can be read. Leaves that nothing leads to any more are known by the
# shape of their rows. What was deleted stays so: free pages are passed by, of a page only the cells in its list count,
# and a leaf that is found by its shape gives only rows that no sound page would hold.


_EVERYTHING: Gap = (-(2**63), 2**63)
_DIGEST_BYTES = 32
# What stands in the place of a value that was on a lost page, where the rest of the row is worth having.
_NO_NOTES = '{"attached":[],"metadata":{},"hints":{}}'
_INSTEAD: dict[str, dict[str, Value]] = {
    "message": {"growing": None, "notes": _NO_NOTES, "deleted_utc": None},
    "chat": {
        "settings": "{}", "parameters": "{}", "leaf": None, "deleted_utc": None, "attached": "[]", "tuning": "{}",
        "draft": "", "filed": "{}",
    },
}  # fmt: skip


@dataclass(slots=True)
class _Tree:
    """The readable part of a b-tree.

    Attributes:
        pages: those that hold rows. gaps: ranges of row numbers of which something is missing.
        leaves_lost: how many leaves are. unsure: how many pages of which nobody knows whether they were leaves.
    """

    pages: list[int] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    leaves_lost: int = 0
    unsure: int = 0


class PageRows:
    """Reads the rows of all tables directly from the pages of a store.

    Attributes:
        lost: by table, how many pages with rows could not be read, and how many rows that were cut by one.
        unreadable: how many pages could not be read at all.
    """

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self.lost: dict[str, int] = defaultdict(int)
        self._bad = {number for number in range(1, pages.count + 1) if pages.read(number) is None}
        self.unreadable = len(self._bad)
        self._seen: set[int] = set()
        self._free = set(self._free_pages())
        roots = self._roots()
        self._trees = {name: self._follow(root) for name, root in roots.items()}
        for name in metadata.tables:
            self._trees.setdefault(name, _Tree(gaps=[_EVERYTHING]))
        self._strays: dict[str, list[int]] = self._find_orphans()
        self._count_lost()

    def rows(self, table: str) -> Iterator[tuple[tuple[str, ...], Row]]:
        """Every readable row of a table, with its columns."""
        tree, shape = self._trees[table], _SHAPES[table]
        for number in tree.pages:
            for key, values in self._records(number):
                yield from self._row(shape, key, values)
        for number in self._strays.get(table, ()):
            for key, values in self._records(number):
                if any(low < key <= high for low, high in tree.gaps):
                    yield from self._row(shape, key, values)

    # What belongs together.

    def _roots(self) -> dict[str, int]:
        """Root page of every table and index, also from orphaned leaves of the schema if part of it is lost."""
        tree = self._follow(1)
        pages = list(tree.pages)
        if tree.gaps:
            pages += [number for number in self._unreferenced_pages() if self._is_schema(number)]
            self._seen.update(pages)
        roots: dict[str, int] = {}
        for number in pages:
            for _, values in self._records(number):
                if len(values) == 5 and isinstance(values[3], int) and values[3] > 0:
                    roots.setdefault(str(values[1]), values[3])
        return roots

    def _is_schema(self, number: int) -> bool:
        rows = self._valid_records(number) if self._kind(number) == TABLE_LEAF else []
        return bool(rows) and all(len(values) == 5 and values[0] in ("table", "index") for _, values in rows)

    def _follow(self, root: int) -> _Tree:
        """Walk a b-tree from its root."""
        tree = _Tree()
        waiting: list[tuple[int, Gap]] = [(root, _EVERYTHING)]
        while waiting:
            number, reach = waiting.pop()
            if number in self._seen:
                continue
            self._seen.add(number)
            try:
                page = self._page(number)
                kind = page[head_of(number)]
                if kind not in (*LEAVES, *INNER):
                    raise Unsound
                children = list(pages_below(page, number, reach)) if kind in INNER else []
            except ODD:
                tree.gaps.append(reach)
                tree.unsure += 1
                continue
            if kind != TABLE_INNER:
                tree.pages.append(number)
            self._note_leaves(tree, children)
            waiting += reversed(children)
        return tree

    def _note_leaves(self, tree: _Tree, children: Sequence[tuple[int, Gap]]) -> None:
        """Classify unreadable pages by their siblings: either all of them are leaves, or none."""
        kinds = {self._kind(number) for number, _ in children}
        missing = [number for number, _ in children if self._kind(number) is None]
        if kinds.intersection((*LEAVES, INDEX_INNER)):
            tree.leaves_lost += len(missing)
            tree.unsure -= len(missing)  # which they are counted as when their turn comes
        elif TABLE_INNER in kinds:
            tree.unsure -= len(missing)

    def _kind(self, number: int) -> int | None:
        page = self._pages.read(number)
        return None if page is None else page[head_of(number)]

    def _free_pages(self) -> Iterator[int]:
        """The free pages, as far as the freelist can be read."""
        first = self._pages.read(1)
        trunk = 0 if first is None else int.from_bytes(first[32:36], "big")
        seen: set[int] = set()
        while trunk and trunk not in seen:
            seen.add(trunk)
            yield trunk
            page = self._pages.read(trunk)
            if page is None:
                return
            trunk, count = (int.from_bytes(page[at : at + 4], "big") for at in (0, 4))
            for place in range(min(count, USABLE_BYTES // 4 - 2)):
                yield int.from_bytes(page[8 + 4 * place : 12 + 4 * place], "big")

    def _unreferenced_pages(self) -> Iterator[int]:
        """Pages that no tree refers to and that are not free."""
        return (
            number
            for number in range(1, self._pages.count + 1)
            if number not in self._seen and number not in self._free and number not in self._bad
        )

    def _find_orphans(self) -> dict[str, list[int]]:
        """Orphaned leaf pages by the table whose rows they hold; only for tables with losses."""
        wanted = [shape for name, shape in _SHAPES.items() if self._trees[name].gaps]
        strays: dict[str, list[int]] = defaultdict(list)
        for number in self._unreferenced_pages() if wanted else ():
            kind = self._kind(number)
            rows = self._valid_records(number) if kind in (TABLE_LEAF, INDEX_LEAF, INDEX_INNER) else []
            for shape in wanted if rows else ():
                if shape.numbered == (kind == TABLE_LEAF) and all(shape.fits(values) for _, values in rows):
                    strays[shape.table].append(number)
                    break
        return strays

    def _count_lost(self) -> None:
        explained = set(self._free) | {1}
        for name, tree in self._trees.items():
            if name not in metadata.tables:
                continue
            # A page that led to others is no loss where those were found.
            unsure = 0 if self._strays.get(name) else max(0, tree.unsure)
            if tree.leaves_lost + unsure:
                self.lost[name] += tree.leaves_lost + unsure
        elsewhere = self._bad - explained - self._seen
        if elsewhere and any(_EVERYTHING in self._trees[name].gaps for name in metadata.tables):
            self.lost["any table"] += len(elsewhere)

    # Cells.

    def _page(self, number: int) -> bytes:
        page = self._pages.read(number)
        if page is None:
            raise Unsound
        return page

    def _valid_records(self, number: int) -> list[tuple[int, Row]]:
        """The records of a page; none if any of them is invalid."""
        try:
            return [self._record(self._page(number), number, at) for at in self._places(number)]
        except ODD:
            return []

    def _records(self, number: int) -> Iterator[tuple[int, Row]]:
        """The records of a page with their row numbers; invalid ones are skipped."""
        try:
            places = self._places(number)
        except ODD:
            return
        for at in places:
            with suppress(*ODD):
                yield self._record(self._page(number), number, at)

    def _places(self, number: int) -> list[int]:
        return cells_of(self._page(number), head_of(number))

    def _record(self, page: bytes, number: int, at: int) -> tuple[int, Row]:
        """A record with its row number, which index records do not have."""
        kind, key = page[head_of(number)], 0
        size, at = varint(page, at + (4 if kind == INDEX_INNER else 0))
        if kind == TABLE_LEAF:
            key, at = varint(page, at)
            key -= 1 << 64 if key >> 63 else 0
        return key, tuple(values_of(self._payload(page, at, size, kind), size))

    def _payload(self, page: bytes, at: int, size: int, kind: int) -> bytes:
        """Payload of a cell, from its page and overflow pages, up to the first lost one."""
        most = USABLE_BYTES - 35 if kind == TABLE_LEAF else (USABLE_BYTES - 12) * 64 // 255 - 23
        if size <= most:
            return page[at : at + size]
        least = (USABLE_BYTES - 12) * 32 // 255 - 23
        here = least + (size - least) % (USABLE_BYTES - 4)
        here = here if here <= most else least
        parts, rest, following = [page[at : at + here]], size - here, page[at + here : at + here + 4]
        while rest > 0:
            more = self._pages.read(int.from_bytes(following, "big"))
            if more is None:
                break
            parts.append(more[4 : 4 + min(rest, USABLE_BYTES - 4)])
            rest, following = rest - (USABLE_BYTES - 4), more[:4]
        return b"".join(parts)

    def _row(self, shape: _Shape, key: int, values: Row) -> Iterator[tuple[tuple[str, ...], Row]]:
        columns = shape.columns_of(values)
        if columns is None or (not self._pages.proven and not shape.fits(values)):
            return
        named = dict(zip(columns, values, strict=True))
        if shape.number:
            named[shape.number] = key
        if any(value is MISSING for value in values):
            self.lost[shape.table] += 1
            named = _with_defaults(shape.table, named)
        if MISSING not in named.values():
            yield tuple(named), tuple(named.values())


def _with_defaults(table: str, named: dict[str, Value]) -> dict[str, Value]:
    """The row with defaults for lost values; what was deleted, or may have been, stays deleted."""
    instead = _INSTEAD.get(table, {})
    hidden = named.get("deleted_utc") is MISSING
    found = {name: instead.get(name, MISSING) if value is MISSING else value for name, value in named.items()}
    return {**found, "deleted_utc": found["created_utc"]} if hidden else found


# The shapes of rows, as the schema has them.


@dataclass(frozen=True, slots=True)
class _Shape:
    """Column layout of a table, to recognise its rows.

    Attributes:
        number: the column that is the number of the row, which is not written with its values.
        numbered: whether rows have numbers at all. proof: what a row must be, besides the types of its values.
    """

    table: str
    columns: tuple[Column[Any], ...]
    number: str
    numbered: bool
    proof: Callable[[Row], bool]

    def columns_of(self, values: Row) -> tuple[str, ...] | None:
        """Columns of a row, which may be from an older version; None if their number does not fit."""
        names = tuple(column.name for column in self.columns)
        for left_out in ((), *_YOUNGER.get(self.table, ())):
            left = tuple(name for name in names if name not in left_out)
            if len(left) == len(values):
                return left
        return None

    def fits(self, values: Row) -> bool:
        """Whether these values can be a row of the table."""
        names = self.columns_of(values)
        if names is None:
            return False
        columns = {column.name: column for column in self.columns}
        there = ((columns[name], value) for name, value in zip(names, values, strict=True))
        return all(_may_be(column, value, column.name == self.number) for column, value in there) and (
            any(value is MISSING for value in values) or self.proof(values)
        )


_YOUNGER: dict[str, tuple[tuple[str, ...], ...]] = {"chat": (("filed",),), "turn": (("reply",),)}
"""Columns that older versions do not have."""


def _may_be(column: Column[Any], value: Value, is_number: bool) -> bool:
    if value is MISSING:
        return True
    if is_number or value is None:
        return value is None and (is_number or bool(column.nullable))
    if isinstance(column.type, AnyText):
        return isinstance(value, str | bytes)
    if isinstance(column.type, LargeBinary):
        return isinstance(value, bytes)
    return isinstance(value, int if isinstance(column.type, Integer) else str)


def _is_object(text: Value) -> bool:
    try:
        return isinstance(text, str) and isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _is_content(values: Row) -> bool:
    digest, body = values[1:]
    return bool(hashlib.sha256(body).digest() == digest)


_PROOFS: dict[str, Callable[[Row], bool]] = {
    "content": _is_content,
    "segment": lambda values: len(values[2]) == _DIGEST_BYTES,
    "preset": lambda values: _is_object(values[1]),
    "workspace": lambda values: _is_object(values[2]),
    "prompt": lambda values: not _is_object(values[2]),
    "provider_key": lambda values: ":" in values[0] and not isinstance(values[1], int),
    # Rows of an index look the same; they are counted anew.
    "token_count": lambda values: False,
}


def _shape(table: Table) -> _Shape:
    keys = list(table.primary_key)
    numbered = table.dialect_options["sqlite"]["with_rowid"] is not False
    is_number = numbered and len(keys) == 1 and isinstance(keys[0].type, Integer)
    number = keys[0].name if is_number else ""
    return _Shape(table.name, tuple(table.columns), number, numbered, _PROOFS.get(table.name, bool))


_SHAPES = {name: _shape(table) for name, table in metadata.tables.items()}


def tables() -> tuple[str, ...]:
    """The tables in dependency order, so that every row finds what it refers to."""
    return tuple(table.name for table in metadata.sorted_tables)


LOST = "[lost: this text could not be read back]"

_MENDED = (
    "DELETE FROM snapshot WHERE chat NOT IN (SELECT id FROM chat)",
    "DELETE FROM segment WHERE chat NOT IN (SELECT id FROM chat)",
    "DELETE FROM turn WHERE chat NOT IN (SELECT id FROM chat)",
    "DELETE FROM turn WHERE question NOT IN (SELECT sequence FROM message)",
    "UPDATE turn SET parent = NULL WHERE parent NOT IN (SELECT sequence FROM message)",
    "UPDATE turn SET reply = NULL WHERE reply NOT IN (SELECT sequence FROM message)",
    "UPDATE snapshot SET content = :lost WHERE content NOT IN (SELECT id FROM content)",
    # A message remembers how long its parts were; they would cut the mark. A chunk has one part.
    f"""UPDATE message SET content = :lost, entry = CASE WHEN json_extract(entry, '$.type') IS NULL
       THEN json_set(entry, '$.texts', json_array({len(LOST)})) ELSE entry END
       WHERE content NOT IN (SELECT id FROM content)""",
    # A message whose predecessor is lost continues the one before that, so that its branch can still be read.
    """UPDATE message SET parent = (SELECT max(m.sequence) FROM message m
       WHERE m.chat = message.chat AND m.sequence < message.sequence)
       WHERE parent IS NOT NULL AND parent NOT IN (SELECT sequence FROM message)""",
    """UPDATE chat SET leaf = (SELECT m.id FROM message m WHERE m.chat = chat.id ORDER BY m.sequence DESC LIMIT 1)
       WHERE leaf IS NULL OR leaf NOT IN (SELECT m.id FROM message m WHERE m.chat = chat.id)""",
)


@dataclass(frozen=True, slots=True)
class Rescued:
    """Result of a salvage: rows per table, and what was lost.

    Attributes:
        texts_lost: messages and attachments that are there without their text.
        unreadable: how many pages could not be read. complete: whether nothing that was kept is lost all the same.
    """

    rows: dict[str, int]
    texts_lost: int = 0
    unreadable: int = 0
    complete: bool = True

    @property
    def messages(self) -> int:
        return self.rows["message"]


def rescue(pages: Pages, database: Database) -> Rescued:
    """Fill an empty store of the newest version with everything readable; references to lost rows are repaired."""
    found = PageRows(pages)
    with database.transaction() as connection:
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        rows = {table: _copy(found, connection, table) for table in tables()}
        _adopt_orphans(connection)
        lost, texts_lost = _add_lost_mark(connection), 0
        for statement in _MENDED:
            if ":lost" in statement:
                texts_lost += connection.execute(text(statement), {"lost": lost}).rowcount
            else:
                connection.execute(text(statement))
        _forget_broken_turns(connection)
        _index(connection)
    return Rescued(rows, texts_lost, found.unreadable, complete=not found.lost and not texts_lost)


def _add_lost_mark(connection: Connection) -> int:
    """Row of the placeholder for lost text, under a number that no lost text had."""
    kept = keep_text(connection, LOST)
    numbers = "SELECT id FROM content UNION SELECT content FROM message UNION SELECT content FROM snapshot"
    last = connection.exec_driver_sql(f"SELECT max(id) FROM ({numbers})").scalar_one()
    connection.exec_driver_sql("UPDATE content SET id = ? WHERE id = ?", (last + 1, kept))
    return int(last) + 1


def _copy(found: PageRows, connection: Connection, table: str) -> int:
    copied = 0
    for columns, row in found.rows(table):
        names = ", ".join(f'"{name}"' for name in columns)
        marks = ", ".join("?" for _ in columns)
        sql = f'INSERT OR IGNORE INTO "{table}" ({names}) VALUES ({marks})'
        copied += connection.exec_driver_sql(sql, row).rowcount
    return copied


def _adopt_orphans(connection: Connection) -> None:
    """Recreate chats whose own row is lost, under their ids; their settings are lost."""
    orphans = text("SELECT DISTINCT chat FROM message WHERE chat NOT IN (SELECT id FROM chat)")
    for key in connection.execute(orphans).scalars().all():
        connection.execute(
            text(
                "INSERT INTO chat(id, title, created_utc, used, settings, parameters, attached, tuning, draft) "
                "SELECT :id, :id, min(created_utc), max(sequence), '{}', '{}', '[]', '{}', '' "
                "FROM message WHERE chat = :id"
            ),
            {"id": key},
        )


def _forget_broken_turns(connection: Connection) -> None:
    """Delete turns with incomplete envelopes: they would show a request that was never sent."""
    for row in connection.execute(select(turn.c.id)).all():
        try:
            turns.by_number(connection, row.id)
        except (WorkbenchError, NoResultFound, ValueError, KeyError, TypeError, zlib.error):
            connection.execute(turn.delete().where(turn.c.id == row.id))


def _index(connection: Connection) -> None:
    finished = select(message.c.chat).where(message.c.deleted_utc.is_(None)).distinct()
    for key in connection.execute(finished).scalars().all():
        for record in messages.everything(connection, key):
            messages.make_findable(connection, record.sequence, record)
    for row in connection.execute(select(chat.c.number, chat.c.title)).all():
        _add(connection, "title_words", row.number, row.title)
    for copy in connection.execute(select(snapshot).order_by(snapshot.c.id)).all():
        _index_copy(connection, copy)


def _index_copy(connection: Connection, row: Any) -> None:
    """Index a copy; one whose text is lost is found by its name."""
    try:
        artifact = Texts(connection).read(Artifact, row.artifact)
    except (WorkbenchError, ValueError, KeyError, TypeError):
        artifact = Artifact(row.key, "file", "")
    chats.make_copy_findable(connection, row.id, row.chat, artifact)


def _add(connection: Connection, table: str, number: int, words: str) -> None:
    values = {"id": number, "words": " ".join(words_of(words))}
    connection.execute(text(f"INSERT INTO {table}(rowid, words) VALUES (:id, :words)"), values)
