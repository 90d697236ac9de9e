"""A new store from a damaged one: what refers to lost rows is mended, and never stands in the way of the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.kept_turns import asked, built_turn
from tests.fakes.loop import in_loop
from tests.fakes.spending import spent
from tests.fakes.stores import IDENTITY, RAW_KEY, WHEN, chat, connect, open_store, said
from tests.fakes.turns import artifact, user
from workbench.domain.record import Chat, Snapshot
from workbench.domain.secrets import Secret
from workbench.domain.workspace import Workspace
from workbench.storage.database.cipher import PAGE_BYTES, create_encrypted
from workbench.storage.database.database import Database
from workbench.storage.database.migrations import migrate
from workbench.storage.database.pages import Pages
from workbench.storage.database.schema import metadata
from workbench.storage.history import SqlCipherHistory
from workbench.storage.provider_keys import StoreProviderKeys
from workbench.storage.spending import StoredSpending
from workbench.storage.upkeep.rescue import LOST, PageRows, Rescued, rescue
from workbench.storage.workspaces import StoreWorkspaces


async def fill(path: Path) -> None:
    store = open_store(path)
    await store.create_chat(chat("c", "Title"))
    await store.append(
        [said("m1", "first words"), said("m2", "second words, which are longer than forty", "m1")]
    )
    await store.append([said("m3", "third words", "m2")])
    question = user("u1", "why? " * 30)
    await store.begin_turn(built_turn(question, [user("m1"), user("m2"), user("m3")]), asked(question, "m3"))
    await store.keep_snapshot(Snapshot("c", artifact("a.md", "text " * 30), WHEN, b"bytes"))
    await store.create_chat(Chat("only", WHEN))
    await store.keep_snapshot(Snapshot("only", artifact("b.md"), WHEN))
    await store.save_counts("words", {b"d": 1})
    await StoreProviderKeys(store, None).keep("https://api.example:443", Secret.of_text("sk"))
    await StoredSpending(store, "me").add(spent(0.5, chat="c"))
    await store.close()


async def rescued(folder: Path, *damage: str) -> tuple[SqlCipherHistory, Rescued]:
    """The store made from a filled one in which these statements stand for what cannot be read."""
    await fill(folder / "old.db")
    connection = connect(folder / "old.db")
    connection.execute("PRAGMA foreign_keys = OFF")
    for statement in damage:
        connection.execute(statement)
    connection.commit()
    connection.close()
    create_encrypted(folder / "new.db", RAW_KEY, IDENTITY)
    database = Database(lambda: connect(folder / "new.db"))
    migrate(database, lambda version: None)
    with Pages(folder / "old.db", RAW_KEY) as pages:
        found = rescue(pages, database)
    database.close()
    return open_store(folder / "new.db"), found


@in_loop
async def test_a_sound_store_comes_over_whole(tmp_path: Path):
    new, found = await rescued(tmp_path)
    old = open_store(tmp_path / "old.db")
    assert found.messages == 4
    assert await new.path("c") == await old.path("c")
    assert len(await new.turns("c")) == 1
    assert await new.snapshots("c") == await old.snapshots("c")
    for query in ("words", "title", "a.md"):
        assert {hit.subject for hit in await new.search(query)} == {
            hit.subject for hit in await old.search(query)
        }
    assert await new.counts("words", [b"d"]) == {b"d": 1}
    assert await StoreProviderKeys(new, None).find("https://api.example:443") == Secret.of_text("sk")
    assert await StoredSpending(new, "me").spent() == (spent(0.5, chat="c"),)
    assert (await new.verify()).problems == ()
    await old.close()
    await new.close()


@pytest.mark.parametrize(
    ("damage", "ids"),
    [
        ("DELETE FROM message WHERE id = 'm2'", ["m1", "m3", "u1"]),
        ("DELETE FROM message WHERE id = 'm1'", ["m2", "m3", "u1"]),
        ("DELETE FROM message WHERE id = 'u1'", ["m1", "m2", "m3"]),
        ("DELETE FROM chat WHERE id = 'c'", ["m1", "m2", "m3", "u1"]),
        ("DELETE FROM turn", ["m1", "m2", "m3", "u1"]),
        ("UPDATE turn SET reply = 99", ["m1", "m2", "m3", "u1"]),
        ("DELETE FROM provider_key", ["m1", "m2", "m3", "u1"]),
        ("DELETE FROM segment", ["m1", "m2", "m3", "u1"]),
        ("DELETE FROM content WHERE CAST(body AS TEXT) = 'first words'", ["m1", "m2", "m3", "u1"]),
    ],
)
@in_loop
async def test_what_is_left_can_be_read(tmp_path: Path, damage: str, ids: list[str]):
    new, _ = await rescued(tmp_path, damage)
    assert [one.id for one in await new.path("c")] == ids
    assert (await new.verify()).problems == ()
    await new.append([said("next", "goes on", ids[-1])])
    await new.close()


@in_loop
async def test_a_chat_of_which_only_requests_are_left_does_not_stop_the_others(tmp_path: Path):
    """Its turns and segments refer to a row that is lost; refused at the end, they would take everything along."""
    new, _ = await rescued(
        tmp_path,
        "INSERT INTO turn SELECT 99, 'ghost', NULL, NULL, NULL, number, inputs, envelope, standing, started_utc, "
        "state, usage, finished_utc FROM turn",
        "INSERT INTO segment SELECT 99, 'ghost', x'00', body FROM segment LIMIT 1",
        "INSERT INTO snapshot SELECT 99, 'ghost', key, artifact, content, taken_utc, modified_utc "
        "FROM snapshot LIMIT 1",
    )
    assert [one.id for one in await new.path("c")] == ["m1", "m2", "m3", "u1"]
    assert (await new.verify()).problems == ()
    await new.close()


@in_loop
async def test_lost_text_says_so(tmp_path: Path):
    new, _ = await rescued(tmp_path, "DELETE FROM content WHERE CAST(body AS TEXT) LIKE '%words%'")
    texts = [getattr(one.entry, "text", "") for one in await new.path("c")]
    assert texts[:3] == [LOST] * 3
    await new.close()


# Rows are read from the pages of a damaged store: each page that is lost takes its own rows, and nothing else.


MESSAGES = 45
Rows = dict[str, set[tuple[tuple[str, Any], ...]]]


async def fill_page_rows(path: Path) -> None:
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
    await StoredSpending(store, "me").add(spent(0.5, chat="c"))
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
    asyncio.run(fill_page_rows(path))
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


# What this store has nothing of: the index of followed folders is built again from the files.
UNFILLED = {"prompt", "searched_folder", "folder_segment", "folder_file", "folder_text"}


def test_a_sound_store_is_read_as_sqlite_reads_it(whole: bytes, tmp_path: Path):
    (tmp_path / "h.db").write_bytes(whole)
    rows, read = found(tmp_path / "h.db")
    assert rows == by_sqlite(tmp_path / "h.db")
    assert (read.unreadable, dict(read.lost)) == (0, {})
    assert {name for name in metadata.tables if not rows[name]} == UNFILLED


@pytest.mark.parametrize("damage", ["bit", "zeros"])
def test_each_page_that_is_lost_takes_its_own_rows_and_nothing_that_was_deleted_comes_back(
    whole: bytes, tmp_path: Path, damage: str
):
    """Signal #3140: one bad page cost everything.

    One flipped bit in a page of the schema hid all: an empty store was put in the place of thousands of messages.
    """
    path = tmp_path / "h.db"
    path.write_bytes(whole)
    complete, sound = found(path)
    with Pages(path, RAW_KEY) as pages:
        sound = PageRows(pages)
        held = {number: len(sound._valid_records(number)) for number in range(1, pages.count + 1)}
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
