"""Rows are read from the pages of a damaged store: each page that is lost takes its own rows, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.kept_turns import asked, built_turn
from tests.fakes.loop import in_loop
from tests.fakes.stores import RAW_KEY, WHEN, chat, connect, open_store, said
from tests.fakes.turns import artifact, user
from workbench.domain.record import Snapshot
from workbench.domain.secrets import Secret
from workbench.domain.workspace import Workspace
from workbench.storage.database.cipher import PAGE_BYTES
from workbench.storage.database.pages import Pages
from workbench.storage.database.schema import metadata
from workbench.storage.provider_keys import StoreProviderKeys
from workbench.storage.upkeep.rescue import PageRows
from workbench.storage.workspaces import StoreWorkspaces

MESSAGES = 45
Rows = dict[str, set[tuple[tuple[str, Any], ...]]]


async def fill(path: Path) -> None:
    """Messages short and long, requests, a file, a workspace and a key; and holes, where some were deleted."""
    store = open_store(path, synchronous="OFF")
    await store.create_chat(chat("c", "Title"))
    ids: list[str | None] = [None, *(f"m{number}" for number in range(MESSAGES))]
    texts = [f"message {n} " + "words " * (40 + 14 * n) for n in range(MESSAGES)]
    await store.append([said(f"m{n}", texts[n], ids[n]) for n in range(MESSAGES)])
    await store.annotate("c", "m3", lambda noted: {"experiments": "tried " * 3000})
    for number in range(3):
        question = user(f"u{number}", "why? " * 30)
        history = [user(f"m{n}", texts[n]) for n in range(8)]
        turn = replace(built_turn(question, history, number=number + 1), parent="m9")
        await store.begin_turn(turn, asked(question, "m9"))
        await store.finish_turn(replace(turn, state="complete"), ())
    await store.keep_snapshot(Snapshot("c", artifact("a.md", "text " * 3000), WHEN, b"bytes" * 4000))
    await StoreWorkspaces(store).save_workspace(Workspace("w", "Work"))
    await StoreProviderKeys(store, None).keep("https://api.example:443", Secret.of_text("sk"))
    await store.save_preset("short", built_turn(None).built.inputs.settings)
    await store.save_counts("words", {bytes([n]) * 32: n for n in range(150)})
    await store.close()
    # As a program without our care would delete: what was written stays in the file.
    connection = connect(path)
    for statement in (
        "PRAGMA secure_delete = OFF", "PRAGMA foreign_keys = OFF",
        "DELETE FROM message WHERE sequence BETWEEN 20 AND 35",
        "DELETE FROM content WHERE id BETWEEN 20 AND 35", "DELETE FROM segment WHERE id % 3 = 0",
    ):  # fmt: skip
        connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "h.db"
    asyncio.run(fill(path))
    return path.read_bytes()


def found(path: Path) -> tuple[Rows, PageRows]:
    with Pages(path, RAW_KEY) as pages:
        read = PageRows(pages)
        rows = {name: {tuple(zip(*row, strict=True)) for row in read.rows(name)} for name in metadata.tables}
        return rows, read


def by_sqlite(path: Path) -> Rows:
    connection = connect(path)
    rows: Rows = {}
    for name in metadata.tables:
        cursor = connection.execute(f'SELECT * FROM "{name}"')
        columns = [column[0] for column in cursor.description]
        rows[name] = {tuple(zip(columns, row, strict=True)) for row in cursor.fetchall()}
    connection.close()
    return rows


def keys(rows: Iterable[tuple[tuple[str, Any], ...]]) -> set[tuple[str, Any]]:
    return {row[0] for row in rows}


def test_a_sound_store_is_read_as_sqlite_reads_it(whole: bytes, tmp_path: Path):
    (tmp_path / "h.db").write_bytes(whole)
    rows, read = found(tmp_path / "h.db")
    assert rows == by_sqlite(tmp_path / "h.db")
    assert (read.unreadable, dict(read.lost)) == (0, {})
    assert all(rows[name] for name in metadata.tables if name != "prompt")


@pytest.mark.parametrize("damage", ["bit", "zeros"])
def test_each_page_that_is_lost_takes_its_own_rows_and_nothing_that_was_deleted_comes_back(
    whole: bytes, tmp_path: Path, damage: str
):
    """One flipped bit in a page of the schema hid all: an empty store was put in the place of thousands of messages."""
    path = tmp_path / "h.db"
    path.write_bytes(whole)
    complete, sound = found(path)
    with Pages(path, RAW_KEY) as pages:
        sound = PageRows(pages)
        held = {number: len(sound._quietly(number)) for number in range(1, pages.count + 1)}
        inner = {number for number in held if sound._kind(number) == 0x05}
    for number, many in held.items():
        if damage == "zeros" and number % 7:
            continue
        broken, begin = bytearray(whole), (number - 1) * PAGE_BYTES
        if damage == "bit":
            broken[begin + 97 * number % PAGE_BYTES] ^= 1 << number % 8
        else:
            broken[begin : begin + PAGE_BYTES] = bytes(PAGE_BYTES)
        path.write_bytes(broken)
        rows, read = found(path)
        lost = {name: complete[name] - rows[name] for name in complete}
        # A row of which a part is lost is there with that part left out, or not at all.
        new = {name: keys(rows[name] - complete[name]) - keys(complete[name]) for name in complete}
        assert not any(new.values()), number
        # Counts of tokens are made again; all else that is lost stood on this very page.
        gone = sum(len(some) for name, some in lost.items() if name != "token_count")
        assert gone <= max(1, many), (number, lost.keys())
        assert read.lost or not gone, number
        if number in inner or number == 1:
            assert not gone, number


def test_without_its_salt_what_can_be_proven_is_read(whole: bytes, tmp_path: Path):
    """The seals of pages need the salt in the first page; the texts have digests of their own."""
    path = tmp_path / "h.db"
    path.write_bytes(whole)
    complete, _ = found(path)
    path.write_bytes(bytes(PAGE_BYTES) + whole[PAGE_BYTES:])
    rows, _ = found(path)
    for name in ("content", "message", "chat", "turn", "segment", "snapshot"):
        assert rows[name] == complete[name], name


def test_a_foreign_key_reads_nothing(whole: bytes, tmp_path: Path):
    path = tmp_path / "h.db"
    path.write_bytes(whole)
    with Pages(path, Secret(bytes(32))) as pages:
        assert not pages.proven
        read = PageRows(pages)
        assert not any(list(read.rows(name)) for name in metadata.tables)


@in_loop
async def test_the_columns_are_those_of_the_newest_version(tmp_path: Path):
    await open_store(tmp_path / "h.db").close()
    connection = connect(tmp_path / "h.db")
    for table in metadata.tables.values():
        names = [row[1] for row in connection.execute(f"PRAGMA table_info('{table.name}')")]
        assert names == [column.name for column in table.columns]
    connection.close()
