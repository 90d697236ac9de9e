"""No request says where somebody's files lie: generated folders, whole bodies, real files and a real store."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModels
from tests.fakes.effort import tries
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_calm_loop
from tests.fakes.recording_server import RECORDED_WIRES, RecordingServer
from tests.fakes.stores import open_store
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import fake_builder
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Message
from workbench.domain.settings.context_settings import CompactionSettings
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation
from workbench.engine.intents import (
    AttachFiles,
    ChangeSettings,
    CloseChat,
    DetachArtifacts,
    EditQuestion,
    OpenChat,
    RefreshArtifacts,
    SendMessage,
)
from workbench.engine.stored_conversation import keep_turn, load_conversation
from workbench.ports.history import HistoryStore
from workbench.sources.attach import FileAttachments
from workbench.sources.attached_file import Naming
from workbench.sources.extract.process import ChildExtractor

CHATS, REQUESTS = tries(12), 6
USER = "ada-lovelace-1815"
CARD = replace(WORD_MODEL, context_window_tokens=3_000)
NAMES = ("api.md", "notes.md", "Größe 漢.md", "a b.md", "log.txt")
FOLDERS = ("docs", "src", "docs/old", "x y")
TOOLS = tuple(tool.definition for tool in FakeToolbox().tools)


class Somebody:
    """A person's files: a home, a workspace in it, other folders, and some outside of it."""

    def __init__(self, top: Path, random: Random) -> None:
        self.home, self.random = top / "home" / USER, random
        self.workspace = self.home / "work" / "project"
        self.folders = (self.workspace, self.home, self.home / "Downloads", top / "srv" / "shared")
        self.files = [
            self._write(place / folder / name)
            for place in self.folders
            for folder in ("", *FOLDERS[:2])
            for name in random.sample(NAMES, 3)
        ]

    def _write(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        words = self.random.choices(("alpha", "beta", "# Gamma\n", "delta.\n"), k=self.random.randint(5, 900))
        path.write_text(" ".join(words), encoding="utf-8")
        return path

    def relative(self, path: Path) -> str:
        """As somebody writes it who stands elsewhere."""
        return os.path.relpath(path)

    def naming(self) -> Naming:
        return Naming(str(self.home.resolve()), lambda: str(self.workspace))


def _bench(server: RecordingServer, some: Somebody, store: HistoryStore | None = None) -> Bench:
    return fake_bench(
        builder=fake_builder(CARD),
        models=FakeModels(server.model()),
        attachments=FileAttachments(ChildExtractor(), naming=some.naming()),
        toolbox=FakeToolbox({"one.md": "One."}),
        store=store or MemoryHistory(),
    )


def _held(bench: Bench) -> list[Artifact]:
    return list(bench.workbench.state.open["talk"].conversation.attached)


async def _change(bench: Bench, some: Somebody) -> None:
    random, held = some.random, _held(bench)
    intent: Any = random.choice(
        [
            AttachFiles("talk", tuple(str(path) for path in random.sample(some.files, 3))),
            AttachFiles("talk", (str(random.choice(some.folders[:3]) / "docs"),)),
            AttachFiles("talk", (some.relative(random.choice(some.files)),)),
            DetachArtifacts("talk", tuple(one.key for one in held[:2])),
            RefreshArtifacts("talk", tuple(one.key for one in held)),
            ChangeSettings(
                "talk",
                replace(
                    SETTINGS,
                    tools=random.choice(((), TOOLS)),
                    compaction=CompactionSettings(
                        verbatim_chars=random.choice((200, 5000)), section_chars=100
                    ),
                ),
            ),
        ]
    )
    await bench.workbench.dispatch(intent)


def _check(bodies: list[bytes], some: Somebody, top: Path) -> None:
    for body in bodies:
        for text in (body.decode(), json.dumps(json.loads(body), ensure_ascii=False)):
            assert USER not in text
            assert str(top) not in text
            assert str(some.home) not in text


def _names(bench: Bench) -> dict[str, str]:
    conversation = bench.workbench.state.open["talk"].conversation
    artifacts = [*(entry.latest for entry in conversation.library), *conversation.attached]
    return {one.key: one.name_for_model for one in artifacts}


@pytest.mark.parametrize("number", range(CHATS))
def test_no_body_holds_the_home_or_an_absolute_folder_and_names_stay(number: int, tmp_path: Path):
    some = Somebody(tmp_path, Random(number))

    @in_calm_loop
    async def talk() -> None:
        async with RecordingServer(RECORDED_WIRES[number % len(RECORDED_WIRES)]) as server:
            bench = _bench(server, some)
            await bench.start()
            given: dict[str, str] = {}
            for request in range(REQUESTS):
                await _change(bench, some)
                await bench.do(SendMessage("talk", f"Question {request}?"))
                if request % 3 == 2:
                    question = (await bench.world.store.path("talk"))[0].id
                    await bench.do(EditQuestion("talk", question, f"Another {request}?"))
                names = _names(bench)
                assert len(set(names.values())) == len(names)
                assert {key: names[key] for key in given if key in names} == {
                    key: name for key, name in given.items() if key in names
                }
                given |= names
            assert len(server.bodies) >= REQUESTS - 1
            _check(server.bodies, some, tmp_path)
            await bench.workbench.close()

    talk()


def test_a_file_is_called_by_where_it_was_attached_from(tmp_path: Path):
    some = Somebody(tmp_path, Random(1))
    inside = some._write(some.workspace / "src" / "auth.py")
    loose, twin = some._write(some.home / "Downloads" / "auth.py"), some._write(some.home / "auth.py")
    folder = some._write(tmp_path / "srv" / "team" / "deep" / "plan.md").parent.parent

    @in_calm_loop
    async def talk() -> None:
        async with RecordingServer(RECORDED_WIRES[0]) as server:
            bench = _bench(server, some)
            await bench.start(settings=replace(SETTINGS, model=CARD.name))
            await bench.workbench.dispatch(
                AttachFiles("talk", (str(inside), str(loose), str(twin), str(folder)))
            )
            assert [one.name_for_model for one in _held(bench)] == [
                "src/auth.py",
                "auth.py",
                "auth.py (2)",
                "team/deep/plan.md",
            ]
            assert _held(bench)[0].key == inside.as_posix()
            (row, *_) = bench.workbench.state.open["talk"].attachments
            assert (row.name, row.key) == ("src/auth.py", inside.as_posix())
            await bench.do(SendMessage("talk", "Well?"))
            assert b'id=\\"src/auth.py\\"' in server.bodies[0]
            # What is on the disk is still found: read anew, and looked at.
            inside.write_text("Changed since.")
            await bench.workbench.dispatch(RefreshArtifacts("talk", (inside.as_posix(),)))
            changed = _held(bench)[0]
            assert (changed.text, changed.name_for_model) == ("Changed since.", "src/auth.py")
            await bench.workbench.close()

    talk()


def test_a_chat_from_before_keeps_its_library_and_is_told_by_names_from_now_on(tmp_path: Path):
    """Files were kept and told by their paths: old requests stay as they were sent, the next one has names."""
    some = Somebody(tmp_path, Random(2))
    old, other = some.home / "docs" / "api.md", some.home / "src" / "api.md"
    for path in (old, other):
        some._write(path).write_text("Some words.")

    @in_calm_loop
    async def talk() -> None:
        store = open_store(tmp_path / "data")
        async with RecordingServer(RECORDED_WIRES[0]) as server:
            before = _bench(server, some, store)
            await before.start(settings=replace(SETTINGS, model=CARD.name))
            nameless = [Artifact(path.as_posix(), "file", path.read_text()) for path in (old, other)]
            await store.save_attached("talk", nameless)
            # As it was built once: by the path, which is what an artifact without a name is told by.
            turns = await _old_turns(before, nameless)
            assert USER in json.dumps(turns)
            await before.workbench.dispatch(CloseChat("talk"), OpenChat("talk"))
            await before.do(SendMessage("talk", "And now?"))
            body = server.bodies[-1].decode()
            assert USER not in body
            assert 'source=\\"api.md\\"' in body
            assert 'source=\\"src/api.md\\"' in body
            names = _names(before)
            await before.do(SendMessage("talk", "And then?"))
            assert _names(before) == names
            again = await load_conversation(store, "talk")
            assert [entry.latest.name for entry in again.library] == ["api.md", "src/api.md"]
            (first, *_) = await store.turns("talk")
            shown = "".join(s.text for layer in first.built.envelope.layers for s in layer.segments)
            assert old.as_posix() in shown
            change = before.workbench.state.open["talk"].turns[2]
            assert change.broke == "renamed"
            await before.workbench.close()

    async def _old_turns(bench: Bench, nameless: list[Artifact]) -> list[str]:
        said, sent = Conversation("talk", attached=tuple(nameless)), []
        for number in (1, 2):
            ask = Ask(replace(SETTINGS, model=CARD.name), Message(f"q{number}", "user", ("Well?",)))
            built = prepare_turn(said, ask, bench.world.builder).built
            answer = [Message(f"a{number}", "assistant", ("Yes.",))]
            said = await keep_turn(bench.world.store, said, built, answer, "2026-01-01T00:00:00Z")
            sent += [segment.text for layer in built.envelope.layers for segment in layer.segments]
        return sent

    talk()
