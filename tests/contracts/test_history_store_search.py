"""Search, and text that is gone for good: facts of every HistoryStore."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from tests.fakes.loop import in_loop
from tests.fakes.stores import WHEN, chat, said
from tests.fakes.turns import artifact
from workbench.domain.message import Message
from workbench.domain.record import Snapshot
from workbench.domain.turn import EditedText, Tuning
from workbench.ports.history import HistoryStore


async def fill(store: HistoryStore, *texts: str) -> None:
    await store.create_chat(chat("c", "Cooking at home"))
    await store.append(
        [
            replace(said(f"m{number}", text), created_utc=f"2026-01-01T12:00:{number:02}Z")
            for number, text in enumerate(texts)
        ]
    )


async def found(store: HistoryStore, query: str, newest_first: bool = False) -> list[str]:
    return [hit.subject for hit in await store.search(query, newest_first)]


@pytest.mark.parametrize(
    ("query", "subjects"),
    [
        ("apple", {"m0", "m1"}),
        ("APPLE", {"m0", "m1"}),
        ("apple pie", {"m0", "m1"}),
        ('"apple pie"', {"m0"}),
        ("apple-pie", {"m0"}),
        ("app*", {"m0", "m1", "m2"}),
        ("app", set()),
        ("apple -crust", {"m0"}),
        ('apple -"pie crust"', {"m0", "m1"}),
        ("-apple", set()),
        ("creme brulee", {"m3"}),
        ("crème", {"m3"}),
        ("CREME", {"m3"}),
        ("日本", {"m4"}),
        ("本日", set()),
        ("語", {"m4"}),
        ("strasse", {"m5"}),
        ("x86", {"m6"}),
        ("\u19b0", {"m6"}),
        ("𞤀𞤁", {"m6"}),
        ("ﬁle", {"m6"}),
        ("cooking", {"c"}),
        ("notes", {"notes/recipes.md"}),
        ("Recipes", {"notes/recipes.md"}),
        ("", set()),
        ("nothing", set()),
    ],
)
@in_loop
async def test_words_are_found_as_people_mean_them(store: HistoryStore, query: str, subjects: set[str]):
    await fill(
        store, "Apple pie today", "A pie with an apple and a crust", "application", "Crème brûlée",
        "日本語のテキスト", "Lange Straße", "an x86_64 file \u19b0 𞤀𞤁",
    )  # fmt: skip
    await store.keep_snapshot(Snapshot("c", artifact("notes/recipes.md", "pears"), WHEN))
    assert set(await found(store, query)) == subjects
    assert set(await found(store, query, newest_first=True)) == subjects


@in_loop
async def test_the_best_or_the_newest_comes_first(store: HistoryStore):
    await fill(
        store, "plain", "word " * 3 + "x " * 3, "one word among " + "many others " * 30, "word word word word"
    )
    assert (await found(store, "word"))[-1] == "m2"
    assert await found(store, "word", newest_first=True) == ["m3", "m2", "m1"]
    assert [hit.subject for hit in await store.search("word", newest_first=True, limit=2)] == ["m3", "m2"]


@in_loop
async def test_a_hit_shows_where_it_is(store: HistoryStore):
    await fill(store, "x " * 200 + "first line\n<b>the NEEDLE</b>\tand more " + "y " * 200)
    (hit,) = await store.search("needle")
    assert (hit.chat, hit.chat_title, hit.where) == ("c", "Cooking at home", "message")
    assert hit.created_utc == "2026-01-01T12:00:00Z"
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["NEEDLE"]
    assert "first line <b>the NEEDLE</b> and more" in hit.snippet
    assert len(hit.snippet) <= 200
    (title,) = await store.search("home")
    assert (title.where, title.snippet, title.marks) == ("title", "Cooking at home", ((11, 15),))


@in_loop
async def test_what_is_hidden_is_not_found(store: HistoryStore):
    await fill(store, "word one", "word two")
    await store.append([replace(said("g", "word growing"), state="running")])
    await store.delete_message("c", "m1", WHEN)
    assert await found(store, "word") == ["m0"]
    await store.update(replace(said("g", "word grown"), state="stopped"))
    assert set(await found(store, "word")) == {"m0", "g"}
    await store.save_chat(replace(await store.chat("c"), deleted_utc=WHEN))
    assert await found(store, "word") == []
    assert await found(store, "cooking") == []
    await store.save_chat(replace(await store.chat("c"), deleted_utc=None, title="Renamed"))
    assert set(await found(store, "word")) == {"m0", "g"}
    assert (await found(store, "cooking"), await found(store, "renamed")) == ([], ["c"])
    await store.purge()
    assert await found(store, "two") == []


@settings(max_examples=tries(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=())), st.booleans())
def test_any_text_is_a_query(store: HistoryStore, query: str, newest_first: bool):
    async def ask() -> None:
        for hit in await store.search(query, newest_first):
            assert all(0 <= start < end <= len(hit.snippet) for start, end in hit.marks)

    asyncio.run(ask())


@settings(max_examples=tries(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=()), max_size=30))
def test_a_message_is_found_by_its_own_text(store: HistoryStore, text: str):
    """What the program takes for words must be what the index takes for words."""

    async def ask() -> None:
        if "c" not in [one.id for one in await store.chats()]:
            await store.create_chat(chat())
        key = f"unique{len((await store.archive('c')).records)}"
        await store.append([said(key, f"{text} {key}")])
        quoted = text.replace('"', " ")
        for query in (f'"{quoted}" {key}', f'"{quoted} {key}"', f"{quoted.replace('-', ' ')} {key}"):
            assert [hit.subject for hit in await store.search(query)] == [key]

    asyncio.run(ask())


@in_loop
async def test_equal_text_in_another_chat_stays(store: HistoryStore):
    long = "the same words in both " * 10
    await fill(store, long)
    await store.create_chat(chat("d"))
    await store.append([replace(said("x", long), chat="d")])
    await store.delete_message("c", "m0", WHEN)
    assert await store.purge() == 1
    (kept,) = await store.path("d")
    assert kept.entry == Message("x", "user", (long,))
    assert [(hit.chat, hit.subject) for hit in await store.search("same")] == [("d", "x")]


@in_loop
async def test_an_edited_answer_is_found_by_what_was_said_and_by_every_version(store: HistoryStore):
    await fill(store, "The port is 8443.")
    await store.save_tuning("c", Tuning(edits=(EditedText("m0", "It listens on seven."),)))
    assert [await found(store, words) for words in ("8443", "seven")] == [["m0"], ["m0"]]
    assert "seven" in (await store.search("seven"))[0].snippet
    archive = await store.archive("c")
    await store.adopt(
        replace(
            archive,
            chat=replace(archive.chat, id="d"),
            records=tuple(replace(one, chat="d") for one in archive.records),
        )
    )
    assert {hit.chat for hit in await store.search("seven")} == {"c", "d"}
    await store.save_tuning("c", Tuning())
    assert {hit.chat for hit in await store.search("seven")} == {"d"}
    await store.save_tuning("d", Tuning())
    assert await found(store, "seven") == []
    assert len(await found(store, "8443")) == 2
    assert not (await store.verify()).problems
