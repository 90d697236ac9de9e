"""Lists of turns in the encrypted store: one query for a thousand of them, which goes through no other chat."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from sqlalchemy import Connection, text

from tests.fakes.kept_turns import asked, built_turn
from tests.fakes.loop import in_loop
from tests.fakes.stores import WHEN, chat, open_store, said
from tests.fakes.turns import user
from workbench.storage.chats import branch_lines
from workbench.storage.history import SqlCipherHistory

QUESTIONS = 300


async def long_chat(store: SqlCipherHistory) -> None:
    """Questions and answers, each with a turn whose request is left empty: reading it would fail."""
    await store.create_chat(chat())
    await store.append([said(f"m{n}", "words", f"m{n - 1}" if n else None) for n in range(2 * QUESTIONS)])
    await store.run(_add_turns)


def _add_turns(connection: Connection) -> None:
    insert = text(
        "INSERT INTO turn(chat, question, reply, number, inputs, envelope, standing, started_utc, state) "
        "SELECT 'c', q.sequence, a.sequence, q.sequence, x'00', x'00', x'00', 'then', 'complete' "
        "FROM message q JOIN message a ON a.parent = q.sequence WHERE substr(q.id, 2) % 2 = 0"
    )
    connection.execute(insert)


@in_loop
async def test_no_request_is_read_for_a_list(tmp_path: Path):
    """Each request grows with its turn: reading all of them makes a long chat slow to open, by the square."""
    store = open_store(tmp_path / "history.db")
    await long_chat(store)
    lines = await store.turn_lines("c")
    assert [line.question for line in lines] == [f"m{n}" for n in range(0, 2 * QUESTIONS, 2)]
    assert lines[-1].reply == f"m{2 * QUESTIONS - 1}"
    await store.close()


@in_loop
async def test_of_the_newest_lines_no_other_is_read(tmp_path: Path):
    store = open_store(tmp_path / "history.db")
    await long_chat(store)

    def read(connection: Connection) -> tuple[list[str], list[str]]:
        lines = branch_lines.turns(connection, "c", None, 2, notes=False)
        _, known = connection.info[branch_lines._MEMO]
        return [line.question for line in lines], [line.question for line in known.values()]

    last = [f"m{2 * QUESTIONS - 4}", f"m{2 * QUESTIONS - 2}"]
    assert await store.run(read) == (last, last)
    await store.close()


@in_loop
async def test_notes_are_read_where_they_are_wanted_and_kept_nowhere(tmp_path: Path):
    """Read, they are most of a turn: a chat of ten thousand held a hundred megabytes of them."""
    store = open_store(tmp_path / "history.db")
    await long_chat(store)

    def read(connection: Connection) -> list[object]:
        connection.exec_driver_sql("""UPDATE turn SET usage = '{"prompt_tokens": 7}'""")
        noted = branch_lines.turns(connection, "c", None)
        assert {str(line.usage) for line in noted} == {"{'prompt_tokens': 7}"}
        branch_lines.turns(connection, "c", None, notes=False)
        return [line.usage for line in connection.info[branch_lines._MEMO][1].values()]

    assert await store.run(read) == [None] * QUESTIONS
    await store.close()


def test_both_queries_go_along_the_branch(tmp_path: Path):
    """A scan of the whole table would take longer with every chat there is."""
    store = open_store(tmp_path / "history.db")

    def plans(connection: Connection) -> list[str]:
        found = []
        for query in (branch_lines._TURNS, branch_lines._VERSIONS):
            explained = text(f"EXPLAIN QUERY PLAN {query.text}")
            rows = connection.execute(explained, {"chat": "c", "leaf": "m1", "newest": -1}).all()
            found += [str(row[-1]) for row in rows]
        return found

    steps = asyncio.run(store.run(plans))
    scans = [step for step in steps if step.startswith("SCAN") and "message" in step]
    assert scans == []
    assert any("turn_question" in step for step in steps)
    assert any("message_parent" in step for step in steps)
    asyncio.run(store.close())


@in_loop
async def test_a_list_is_true_after_turns_ended_and_after_rows_were_removed(tmp_path: Path):
    """What has ended is remembered by the number of its row, and SQLite gives a removed row's number anew."""
    store = open_store(tmp_path / "history.db")
    await store.create_chat(chat())
    turn = built_turn(user("q1"))
    await store.begin_turn(turn, asked(user("q1")))
    assert [line.state for line in await store.turn_lines("c")] == ["running"]
    await store.finish_turn(replace(turn, state="failed", usage={"n": 1}), [])
    assert [(line.state, line.usage) for line in await store.turn_lines("c")] == [("failed", {"n": 1})]
    await store.delete_message("c", "q1", WHEN)
    await store.purge()
    other = built_turn(user("q2"))
    await store.begin_turn(other, asked(user("q2")))
    await store.finish_turn(replace(other, state="stopped", usage={"n": 2}), [])
    lines = await store.turn_lines("c")
    assert [(line.question, line.state, line.usage) for line in lines] == [("q2", "stopped", {"n": 2})]
    await store.close()


@in_loop
async def test_lists_of_two_chats_do_not_mix(tmp_path: Path):
    store = open_store(tmp_path / "history.db")
    for name in ("c", "d"):
        await store.create_chat(chat(name))
        turn = replace(built_turn(user(f"q-{name}")), chat=name)
        await store.begin_turn(turn, replace(asked(user(f"q-{name}")), chat=name))
        await store.finish_turn(replace(turn, state="failed"), [])
    for name in ("c", "d", "c"):
        assert [line.question for line in await store.turn_lines(name)] == [f"q-{name}"]
    await store.close()
