"""Where the newest is to be sent, a changed file is read anew by itself, at the latest before a request is built."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.domain.files.test_pictures import PNG
from tests.fakes.chat_model import words
from tests.fakes.engine import SETTINGS, Bench, FilesInMemory, fake_bench
from tests.fakes.fragile_history import FragileHistory
from tests.fakes.loop import PATIENCE_S, in_calm_loop, until
from workbench.domain.answer import Finished, TextGrew
from workbench.engine.attaching_intents import FreezeArtifacts
from workbench.engine.events import NoticeGiven
from workbench.engine.intents import (
    AttachFiles,
    ChangeSettings,
    CloseChat,
    ContinueAnswer,
    EditQuestion,
    OpenChat,
    RefreshArtifacts,
    RegenerateAnswer,
    SendMessage,
    StopTurn,
)
from workbench.engine.tuning_intents import PutBackAttached
from workbench.engine.world import Limits
from workbench.sources.attach import FileAttachments
from workbench.sources.extract.process import ChildExtractor
from workbench.sources.folder_watch import SystemFolderWatch

OFTEN, NEVER = 0.005, 600.0


async def opened(
    look_s: float = OFTEN, answers: Sequence[Any] = (), **files: str
) -> tuple[Bench, FilesInMemory]:
    """A chat with files attached."""
    reader = FilesInMemory(**files)
    bench = fake_bench(
        *answers, store=FragileHistory(), attachments=reader, limits=Limits(disk_look_s=look_s)
    )
    await bench.start()
    await bench.workbench.dispatch(AttachFiles("talk", tuple(files)))
    await until(lambda: set(disk(bench).values()) == {"same"})
    return bench, reader


def disk(bench: Bench) -> dict[str, str]:
    return {key: state for key, (state, _) in bench.workbench.state.open["talk"].disk.items()}


def texts(bench: Bench) -> list[str]:
    return [one.text for one in bench.workbench.state.open["talk"].conversation.attached]


async def read_anew(bench: Bench, text: str) -> None:
    """Wait until the file `a` was read with this text, and is shown so."""
    await until(lambda: texts(bench) == [text] and disk(bench) == {"a": "renewed"})


def shown(bench: Bench) -> str:
    """The next request, as it is shown."""
    prepared = bench.workbench.state.open["talk"].prepared
    assert prepared is not None
    return "\n".join(str(message) for message in prepared.built.envelope.messages)


def sent(bench: Bench) -> str:
    """The last request, as the model got it."""
    return "\n".join(str(message) for message in bench.model.requests[-1].messages)


def notices(bench: Bench) -> list[str]:
    return [event.text for event in bench.told(NoticeGiven)]


@in_calm_loop
async def test_a_changed_file_is_in_the_next_request_at_once_and_says_so_until_it_is_sent():
    bench, files = await opened(a="Alpha.", b="Beta.")
    files.texts["a"] = "Alpha, newer."
    await until(lambda: disk(bench) == {"a": "renewed", "b": "same"})
    await until(lambda: "Alpha, newer." in shown(bench))
    await until(
        lambda: [row.disk for row in bench.workbench.state.open["talk"].attachments] == ["renewed", "same"]
    )
    await bench.do(SendMessage("talk", "Hello"))
    assert "Alpha, newer." in sent(bench)
    assert (disk(bench), notices(bench)) == ({"a": "same", "b": "same"}, [])
    await bench.workbench.close()


@in_calm_loop
async def test_a_file_that_changes_again_is_read_again():
    bench, files = await opened(a="Alpha.")
    for text in ("Second.", "Third."):
        files.texts["a"] = text
        await read_anew(bench, text)
    await bench.workbench.close()


@in_calm_loop
async def test_a_file_that_is_written_all_the_time_is_read_ever_more_rarely_but_before_it_is_sent():
    """Every copy is kept: a log that grows would fill the store."""
    bench, files = await opened(look_s=0.01, a="Line 0.")
    for number in range(1, 60):
        files.texts["a"] = f"Line {number}."
        await asyncio.sleep(0.01)
    assert len(await bench.world.store.snapshots("talk")) < 12
    files.texts["a"] = "The last line."
    await bench.do(SendMessage("talk", "Hello"))
    assert "The last line." in sent(bench)
    await bench.workbench.close()


@in_calm_loop
async def test_before_every_kind_of_turn_the_files_are_looked_at_once_more():
    """Here the watch is asleep: Enter comes before its next look."""
    bench, files = await opened(NEVER, a="Alpha.")
    files.texts["a"] = "Second."
    await bench.do(SendMessage("talk", "Hello"))
    assert "Second." in sent(bench)
    assert "Alpha." not in sent(bench)
    assert notices(bench) == ["a had changed: it was refreshed before sending."]
    question, _answer = [one.id for one in await bench.world.store.path("talk")]
    turns: list[tuple[str, Any]] = [
        ("Third.", RegenerateAnswer("talk", question)), ("Fourth.", EditQuestion("talk", question, "Hi")),
    ]  # fmt: skip
    for text, intent in turns:
        files.texts["a"] = text
        await bench.do(intent)
        assert text in sent(bench)
    assert texts(bench) == ["Fourth."]
    await bench.workbench.close()


@in_calm_loop
async def test_what_is_sent_next_is_what_was_read_and_nothing_is_read_twice():
    bench, files = await opened(NEVER, a="Alpha.")
    files.texts["a"] = "Second."
    await bench.do(SendMessage("talk", "Hello"))
    await bench.do(SendMessage("talk", "Again"))
    assert len(await bench.world.store.snapshots("talk")) == 2
    assert len(notices(bench)) == 1
    await bench.workbench.close()


@in_calm_loop
async def test_a_chat_that_is_not_in_view_sends_the_newest_too():
    bench, files = await opened(NEVER, a="Alpha.")
    await bench.workbench.dispatch(CloseChat("talk"))
    files.texts["a"] = "Second."
    await bench.do(SendMessage("talk", "Hello"))
    assert "Second." in sent(bench)
    await bench.workbench.close()


@in_calm_loop
async def test_where_the_copy_is_to_stay_nothing_is_read_by_itself():
    bench, files = await opened(a="Alpha.")
    await bench.workbench.dispatch(ChangeSettings("talk", replace(SETTINGS, freshness="freeze")))
    files.texts["a"] = "Second."
    await until(lambda: disk(bench) == {"a": "changed"})
    await bench.do(SendMessage("talk", "Hello"))
    assert ("Alpha." in sent(bench), "Second." in sent(bench)) == (True, False)
    await bench.workbench.dispatch(ChangeSettings("talk", SETTINGS))
    await until(lambda: texts(bench) == ["Second."])
    await bench.workbench.close()


@in_calm_loop
async def test_a_file_that_is_gone_goes_out_as_it_was_and_its_row_says_so():
    bench, files = await opened(NEVER, a="Alpha.", b="Beta.")
    del files.texts["a"]
    files.texts["b"] = "Second."
    await bench.do(SendMessage("talk", "Hello"))
    assert ("Alpha." in sent(bench), "Second." in sent(bench)) == (True, True)
    assert disk(bench) == {"a": "gone", "b": "same"}
    await bench.workbench.close()


@in_calm_loop
async def test_the_earlier_copy_can_be_kept_until_the_file_changes_once_more():
    bench, files = await opened(a="Alpha.")
    await bench.do(SendMessage("talk", "Hello"))
    for text in ("Second.", "Third."):
        files.texts["a"] = text
        await read_anew(bench, text)
    await bench.workbench.dispatch(FreezeArtifacts("talk", ("a", "never"), earlier=True))
    assert texts(bench) == ["Alpha."], "the one that went out last"
    await until(lambda: disk(bench) == {"a": "frozen"})
    looks = files.looks
    await until(lambda: files.looks > looks + 3)
    await bench.do(SendMessage("talk", "Again"))
    assert (texts(bench), "Third." in sent(bench)) == (["Alpha."], False)
    files.texts["a"] = "Fourth."
    await until(lambda: texts(bench) == ["Fourth."] and disk(bench) == {"a": "renewed"})
    await bench.workbench.close()


@in_calm_loop
async def test_what_was_chosen_holds_when_the_chat_is_opened_again_and_can_be_taken_back():
    bench, files = await opened(a="Alpha.")
    files.texts["a"] = "Second."
    await until(lambda: disk(bench) == {"a": "renewed"})
    await bench.workbench.dispatch(FreezeArtifacts("talk", ("a",), earlier=True))
    await bench.workbench.dispatch(CloseChat("talk"), OpenChat("talk"))
    await until(lambda: disk(bench) == {"a": "frozen"})
    assert texts(bench) == ["Alpha."]
    await bench.workbench.dispatch(RefreshArtifacts("talk", ("a",)))
    await until(lambda: disk(bench) == {"a": "same"})
    assert texts(bench) == ["Second."]
    await bench.workbench.close()


@in_calm_loop
async def test_undoing_a_refresh_is_not_undone_by_the_watch():
    bench, files = await opened(NEVER, a="Alpha.")
    before = bench.workbench.state.open["talk"].conversation.attached
    files.texts["a"] = "Second."
    await bench.workbench.dispatch(RefreshArtifacts("talk", ("a",)))
    await bench.workbench.dispatch(PutBackAttached("talk", before, ("a",)))
    await until(lambda: disk(bench) == {"a": "frozen"})
    await bench.do(SendMessage("talk", "Hello"))
    assert "Second." not in sent(bench)
    await bench.workbench.close()


@in_calm_loop
async def test_a_chat_from_elsewhere_does_not_choose_what_is_read_here():
    """It would name any file of this computer, and have it sent with the next question."""
    bench, files = await opened(NEVER, a="Alpha.")
    archive = await bench.world.store.archive("talk")
    elsewhere = replace(archive.chat, id="foreign", leaf=None)
    snapshots = tuple(replace(one, chat="foreign", place="a") for one in archive.snapshots)
    await bench.world.store.adopt(replace(archive, chat=elsewhere, records=(), turns=(), snapshots=snapshots))
    files.texts["a"] = "A secret."
    await bench.workbench.dispatch(OpenChat("foreign"))
    await bench.do(SendMessage("foreign", "Hello"))
    assert "A secret." not in sent(bench)
    await bench.workbench.close()


@in_calm_loop
async def test_a_file_that_changes_during_a_turn_is_in_the_next_request_not_in_this_one():
    bench, files = await opened(a="Alpha.")
    await bench.workbench.dispatch(SendMessage("talk", "Hello"))
    files.texts["a"] = "Second."
    await bench.workbench.until_ended("talk")
    await until(lambda: texts(bench) == ["Second."])
    assert "Second." not in sent(bench)
    await until(lambda: "Second." in shown(bench))
    await bench.workbench.close()


class HungFiles(FilesInMemory):
    """A disk that does not answer any more."""

    hung = False

    async def look(self, copies: Any) -> Any:
        """Never, once it hangs."""
        if self.hung:
            await asyncio.Event().wait()
        return await super().look(copies)


@in_calm_loop
async def test_a_disk_that_does_not_answer_can_be_stopped():
    files = HungFiles(a="Alpha.")
    bench = fake_bench(attachments=files, limits=Limits(disk_look_s=NEVER))
    await bench.start()
    await bench.workbench.dispatch(AttachFiles("talk", ("a",)))
    await until(lambda: disk(bench) == {"a": "same"})
    files.hung = True
    asking = bench.world.tasks.spawn("ask", bench.workbench.dispatch(SendMessage("talk", "Hello")))
    await asyncio.sleep(0.02)
    await bench.workbench.dispatch(StopTurn("talk"))
    await asking
    ended = await bench.workbench.until_ended("talk")
    assert ended is None or ended.state == "stopped"
    await bench.workbench.close()


def real_bench() -> Bench:
    return fake_bench(attachments=FileAttachments(ChildExtractor()), limits=Limits(disk_look_s=OFTEN))


@in_calm_loop
async def test_a_real_file_is_followed_from_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Its path was given from the folder of that moment: elsewhere that names another file."""
    home, other = tmp_path / "home", tmp_path / "other"
    for folder in (home, other):
        folder.mkdir()
    (home / "a.md").write_text("Alpha.")
    (other / "a.md").write_text("Somebody else's.")
    monkeypatch.chdir(home)
    bench = real_bench()
    await bench.start()
    await bench.workbench.dispatch(AttachFiles("talk", ("a.md",)))
    monkeypatch.chdir(other)
    await bench.do(SendMessage("talk", "Hello"))
    assert ("Alpha." in sent(bench), "Somebody" in sent(bench)) == (True, False)
    (home / "a.md").write_text("Alpha, newer.")
    await until(lambda: texts(bench) == ["Alpha, newer."])
    (home / "a.md").write_text("Newest.")
    await bench.do(SendMessage("talk", "Again"))
    assert "Newest." in sent(bench)
    assert [one.key for one in bench.workbench.state.open["talk"].conversation.attached] == ["a.md"]
    await bench.workbench.close()


@in_calm_loop
async def test_the_system_tells_of_a_change_long_before_anybody_would_look(tmp_path: Path):
    """Editors write a new file and put it in the old one's place; a watch on the file itself would lose it."""
    (tmp_path / "a.md").write_text("Alpha.")
    files = FileAttachments(ChildExtractor())
    limits = Limits(disk_look_s=NEVER)
    bench = fake_bench(attachments=files, limits=limits, folder_watch=SystemFolderWatch())
    await bench.start()
    await bench.workbench.dispatch(AttachFiles("talk", (str(tmp_path / "a.md"),)))
    await until(lambda: list(disk(bench).values()) == ["same"])
    # The watch begins a moment after the file was attached; until it does, changes are seen at the next look.
    before, number = texts(bench), 0
    async with asyncio.timeout(PATIENCE_S):
        while texts(bench) == before:
            number += 1
            (tmp_path / "next").write_text(f"Newer: {number}.")
            (tmp_path / "next").replace(tmp_path / "a.md")
            await asyncio.sleep(0.2)
    # One that is written again while it is read is read again later: which of them was read first is luck.
    assert texts(bench)[0] in {f"Newer: {one}." for one in range(1, number + 1)}
    await bench.workbench.close()


def painted(shade: int) -> bytes:
    """A picture of the same size and name with other bytes."""
    return PNG + bytes([shade])


@in_calm_loop
async def test_a_picture_is_read_anew_and_put_back_by_its_bytes(tmp_path: Path):
    """Its line is the same: only the bytes tell that it is another."""
    path = tmp_path / "p.png"
    path.write_bytes(painted(1))
    bench = real_bench()
    await bench.start()
    await bench.workbench.dispatch(AttachFiles("talk", (str(path),)))

    def newest() -> bytes:
        pictures = bench.world.pictures.of("talk")
        (image,) = pictures.newest.values()
        return pictures.found[image.digest].content

    def is_shown(state: str, content: bytes) -> Callable[[], bool]:
        return lambda: set(disk(bench).values()) == {state} and newest() == content

    await until(is_shown("same", painted(1)))
    path.write_bytes(painted(2))
    await until(is_shown("renewed", painted(2)))
    taken = len(await bench.world.store.snapshots("talk"))
    await asyncio.sleep(0.05)
    assert len(await bench.world.store.snapshots("talk")) == taken == 2, "it is not read for ever"
    await bench.workbench.dispatch(FreezeArtifacts("talk", (str(path),), earlier=True))
    await until(is_shown("frozen", painted(1)))
    path.write_bytes(painted(3))
    await until(is_shown("renewed", painted(3)))
    await bench.workbench.close()


@in_calm_loop
async def test_an_answer_that_goes_on_has_the_newest_too():
    cut = [TextGrew("Once upon"), Finished("length")]
    bench, files = await opened(NEVER, answers=(cut, words(" a time.")), a="Alpha.")
    await bench.do(SendMessage("talk", "Tell me."))
    files.texts["a"] = "Second."
    await bench.do(ContinueAnswer("talk", (await bench.world.store.path("talk"))[-1].id))
    assert "Second." in sent(bench)
    await bench.workbench.close()
