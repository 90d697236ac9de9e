"""What a name behind an @ means: what is attached first, then the workspace, then attached folders, then chats."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.attachments import MemoryAttachments
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_calm_loop
from workbench.context.shorten.compact import Shortening, compact_text
from workbench.domain.files.attachment import Artifact
from workbench.domain.record import Chat
from workbench.domain.settings.context_settings import CompactionSettings
from workbench.engine.chats.mentioned import attach_mentioned, attached_folders, chat_note, held_of
from workbench.engine.intents import AttachFiles, SendMessage, StartChat


async def bench_with(**files: str) -> Bench:
    bench = fake_bench(attachments=MemoryAttachments(files))
    await bench.start()
    return bench


async def attached(bench: Bench) -> dict[str, str]:
    return {one.key: one.text for one in await bench.world.store.attached("talk")}


def file(key: str, name: str = "") -> Artifact:
    return Artifact(key, "file", "x", name=name)


def test_a_folder_is_known_by_the_names_of_its_files():
    two = [file("/home/u/p/a.md", "p/a.md"), file("/home/u/p/src/b.py", "p/src/b.py")]
    assert attached_folders(two) == {"p": "/home/u/p"}
    assert attached_folders([], ["/home/u/docs"]) == {"docs": "/home/u/docs"}
    assert attached_folders(two[:1]) == {}, "one file may have its folder's name for another reason"
    assert attached_folders([file("/home/u/a.md", "a.md"), file("/home/u/b.md", "b.md")]) == {}
    assert attached_folders([file("p/a.md"), file("p/b.md")]) == {}, "those lie in the workspace"


def test_a_name_that_only_tells_two_files_apart_says_nothing_about_a_folder():
    """Else all files of somebody's home could be named, only because two of them are called as others are."""
    alike = [
        file("/x/a.md", "a.md"),
        file("/x/b.md", "b.md"),
        file("/home/u/a.md", "u/a.md"),
        file("/home/u/b.md", "u/b.md"),
    ]
    assert attached_folders(alike) == {}


def test_what_is_no_file_has_no_parts():
    note = Artifact("chat:C# plan", "note", "x")
    (held,) = held_of([note], [])
    assert (held.whole, held.anchor) == ("chat:C# plan", "")


@in_calm_loop
async def test_what_is_attached_comes_before_a_file_of_the_workspace():
    bench = await bench_with(**{"spec.txt": "here\n", "/u/spec.txt": "one\ntwo\n"})
    await bench.workbench.dispatch(AttachFiles("talk", ("/u/spec.txt#L1",)))
    held = await bench.world.store.attached("talk")
    await bench.world.store.save_attached("talk", [replace(held[0], name="spec.txt#L1")])
    told = await attach_mentioned("talk", ["spec.txt#L2"], bench.world)
    assert told.changed
    assert await attached(bench) == {"/u/spec.txt#L1": "one\n", "/u/spec.txt#L2": "two\n"}
    await attach_mentioned("talk", ["spec.txt"], bench.world)
    assert await attached(bench) == {"/u/spec.txt": "one\ntwo\n"}


@in_calm_loop
async def test_words_that_name_nothing_stay_words():
    bench = await bench_with(**{"a.md": "a"})
    told = await attach_mentioned("talk", ["you", "chat:none", "p/a.md"], bench.world)
    assert (told.changed, told.text, await attached(bench)) == (False, "", {})


@in_calm_loop
async def test_names_past_the_hundredth_are_said_where_others_brought_something():
    """They stayed away in silence; 150 words of pasted code are no files, and nothing is said about them."""
    bench = await bench_with(**{f"{number}.md": "x" for number in range(103)})
    told = await attach_mentioned("talk", [f"{number}.md" for number in range(103)], bench.world)
    assert len(await attached(bench)) == 100
    assert "3 more names" in told.text
    words = await attach_mentioned("talk", [f"word{number}" for number in range(150)], bench.world)
    assert words.text == ""


@in_calm_loop
async def test_a_chat_in_short_says_what_is_true_about_how_to_have_it_whole():
    bench = await bench_with()
    await bench.workbench.dispatch(StartChat("other", SETTINGS, "Plan"))
    await bench.do(SendMessage("other", "Longerwordsthananybody. " * 500))
    note = await chat_note("chat:Plan", await bench.world.store.chat("other"), bench.world)
    short = compact_text(note, Shortening(CompactionSettings(), frozenset({"read", "search", "ls", "fetch"})))
    assert short is not None
    assert "without a tool to open chat:Plan, ask for what is missing" in short
    assert "to have it in full: read" not in short


@in_calm_loop
async def test_a_deleted_chat_cannot_be_named():
    bench = await bench_with()
    await bench.world.store.create_chat(Chat("gone", "2026", "Plan", deleted_utc="2026-01-01T00:00:00Z"))
    assert not (await attach_mentioned("talk", ["chat:Plan"], bench.world)).changed
