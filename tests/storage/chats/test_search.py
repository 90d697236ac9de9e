"""Search inside the encrypted file: no text is an operator, nothing hidden is found, each thing comes once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.loop import in_loop
from tests.fakes.stores import chat, connect, open_store, said
from tests.fakes.turns import artifact
from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.record import Snapshot
from workbench.domain.search_words import word_line
from workbench.storage.history import SqlCipherHistory


def filled(path: Path) -> SqlCipherHistory:
    return open_store(path / "h.db")


@pytest.mark.parametrize(
    "query",
    [
        "AND",
        "OR NOT",
        "NEAR(a b, 2)",
        "words:a",
        "^a",
        "a + b",
        '"',
        '""',
        "a*b*",
        "(",
        "{a} : b",
        "'; DROP",
        "\x00",
        "½*",
    ],
)
@in_loop
async def test_no_text_is_an_operator(tmp_path: Path, query: str):
    store = filled(tmp_path)
    await store.create_chat(chat())
    await store.append([said("m1", f"before {query} after ½"), said("m2", "elsewhere")])
    for newest_first in (False, True):
        found = await store.search(query, newest_first)
        assert all(hit.subject == "m1" for hit in found)
    await store.close()


@in_loop
async def test_newest_is_by_sequence_not_by_clock(tmp_path: Path):
    """A clock that was set back must not send the newest message to the end."""
    store = filled(tmp_path)
    await store.create_chat(chat("c", "word"))
    years = ("2026", "2020", "2023")
    await store.append([replace(said(f"m{y}", "word"), created_utc=f"{y}-01-01T00:00:00Z") for y in years])
    found = await store.search("word", newest_first=True)
    assert [hit.subject for hit in found if hit.where == "message"] == ["m2023", "m2020", "m2026"]
    await store.close()


@in_loop
async def test_a_file_taken_often_does_not_crowd_out_the_others(tmp_path: Path):
    store = filled(tmp_path)
    await store.create_chat(chat())
    await store.keep_snapshot(Snapshot("c", artifact("notes/once.md"), "2026-01-01T00:00:00Z"))
    for minute in range(30):
        when = f"2026-01-01T01:{minute:02}:00Z"
        await store.keep_snapshot(Snapshot("c", artifact("notes/often.md", f"text {minute}"), when))
    for newest_first in (True, False):
        found = await store.search("notes", newest_first, limit=5)
        assert {(hit.subject, hit.created_utc) for hit in found} == {
            ("notes/often.md", "2026-01-01T01:29:00Z"), ("notes/once.md", "2026-01-01T00:00:00Z"),
        }  # fmt: skip
    await store.close()


@in_loop
async def test_titles_and_names_of_any_text_are_shown(tmp_path: Path):
    store = filled(tmp_path)
    await store.create_chat(chat("c", "odd \ud800 title"))
    await store.keep_snapshot(Snapshot("c", artifact("odd\udcff.md"), "2026-01-01T00:00:00Z"))
    found = await store.search("odd")
    assert {(hit.where, hit.snippet) for hit in found} == {
        ("title", "odd \ud800 title"), ("attachment", "odd\udcff.md"),
    }  # fmt: skip
    await store.close()


@in_loop
async def test_the_index_holds_words_and_no_text(tmp_path: Path):
    store = filled(tmp_path)
    await store.create_chat(chat())
    await store.append([said("m1", "Some, text; HERE")])
    await store.close()
    connection = connect(tmp_path / "h.db")
    assert connection.execute("SELECT words FROM message_words").fetchall() == [(None,)]
    connection.close()
    assert word_line("Some, text; HERE 日本") == "some text here 日 本"


@in_loop
async def test_the_text_of_an_attachment_is_found_in_its_newest_copy(tmp_path: Path):
    """By its name or its text, once; words of an older copy, and of a chat that is purged, are gone."""
    store = filled(tmp_path)
    await store.create_chat(chat())
    long = "padding words\n" * 5_000 + "the Flux capacitor hums\n" + "more padding\n" * 5_000
    await store.keep_snapshot(
        Snapshot("c", artifact("notes/lab.md", "an old gramophone"), "2026-01-01T00:00:00Z")
    )
    await store.keep_snapshot(Snapshot("c", artifact("notes/lab.md", long), "2026-01-02T00:00:00Z"))
    (hit,) = await store.search("flux capac*", newest_first=False)
    assert (hit.where, hit.subject) == ("attachment", "notes/lab.md")
    assert [hit.snippet[low:high] for low, high in hit.marks] == ["Flux", "capacitor"]
    (named,) = await store.search("lab padding", newest_first=True)
    assert named.subject == "notes/lab.md"
    assert await store.search("gramophone", newest_first=True) == ()
    await store.save_chat(replace(chat(), deleted_utc="2026-01-03T00:00:00Z"))
    assert await store.search("flux", newest_first=True) == ()
    await store.purge()
    await store.close()
    connection = connect(tmp_path / "h.db")
    assert connection.execute("SELECT count(*) FROM attachment_words").fetchall() == [(0,)]
    connection.close()


@in_loop
async def test_what_a_command_of_a_question_gave_back_is_found_with_it(tmp_path: Path):
    store = filled(tmp_path)
    await store.create_chat(chat())
    given = EnvironmentChunk("e1", "@read lab.md\nthe flux capacitor", "tool_result", name="read")
    await store.append([replace(said("m1", "What hums?"), commands=(given,))])
    (hit,) = await store.search("capacitor", newest_first=True)
    assert (hit.where, hit.subject) == ("message", "m1")
    assert [hit.snippet[low:high] for low, high in hit.marks] == ["capacitor"]
    await store.close()


@in_loop
async def test_a_chat_whose_id_only_looks_like_a_template_is_listed_and_found(tmp_path: Path):
    store = filled(tmp_path)
    for key in ("Workspace:w", "workspace:w"):
        await store.create_chat(replace(chat(), id=key, title="Tariffs"))
    assert [one.id for one in await store.chats()] == ["Workspace:w"]
    assert [hit.chat for hit in await store.search("tariffs")] == ["Workspace:w"]
    await store.close()
