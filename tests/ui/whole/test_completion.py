"""The list behind an @ in the real window: over a real store, real files and a server that keeps what it was asked."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModels
from tests.fakes.engine import fake_world
from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.recording_server import RECORDED_WIRES, RecordingServer
from tests.fakes.turns import fake_builder
from tests.fakes.window_stage import WindowStage
from workbench.domain.model import ModelCard
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.intents import RenameChat, SendMessage
from workbench.engine.open_chat import chat as mentions_ahead
from workbench.engine.world import World
from workbench.ports.history import HistoryStore
from workbench.sources.attach import FileAttachments
from workbench.sources.attached_file import Naming
from workbench.sources.extract.process import ChildExtractor
from workbench.ui.chat.composer.completion import Completion
from workbench.ui.given import Report

Key = Qt.Key
MODEL: ModelCard = replace(WORD_MODEL, context_window_tokens=3_000)
SETTINGS = ContextSettings(model=MODEL.name, system_prompt="Be kind.", reserved_output_tokens=200)
SPEC = "# Terms\n\nA client holds one token.\n\n# Clock skew\n\nThe allowed skew is 30 s.\n\n# Threats\n\n"


@pytest.fixture(autouse=True)
def quick_and_tidy(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Names are followed soon, and the next test finds no window that is left."""
    monkeypatch.setattr(mentions_ahead, "SETTLE_S", 0.05)
    qapp.setQuitOnLastWindowClosed(False)
    yield
    for window in QApplication.topLevelWidgets():
        window.close()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A workspace with a few files, some of them with names that are meant to harm."""
    folder = tmp_path / "work"
    (folder / "src").mkdir(parents=True)
    (folder / "spec.md").write_text(SPEC + "Nothing is safe. " * 1_000, encoding="utf-8")
    (folder / "src" / "auth.py").write_text("def login():\n    return 'the retry loop'\n", encoding="utf-8")
    (folder / "my notes.md").write_text("Remember the milk.\n", encoding="utf-8")
    (folder / "c#.md").write_text("A sharp one.\n", encoding="utf-8")
    (folder / "tur\u202ened.md").write_text("turned\n", encoding="utf-8")
    (folder / "new\nline.md").write_text("broken\n", encoding="utf-8")
    (folder / "link.md").symlink_to("/etc/hostname")
    (folder / ".hidden.md").write_text("hidden\n", encoding="utf-8")
    (folder / ".gitignore").write_text("*.log\n", encoding="utf-8")
    (folder / "build.log").write_text("ignored\n", encoding="utf-8")
    return folder


def picture(stage: WindowStage, name: str) -> None:
    """A look at the window, where somebody wants one."""
    place = os.environ.get("WORKBENCH_PICTURES")
    if place:
        stage.window.grab().save(str(Path(place) / f"{name}.png"))


@asynccontextmanager
async def at_work(tmp_path: Path, files: Path) -> AsyncIterator[tuple[WindowStage, RecordingServer]]:
    """A window whose model is a real server's, with a chat."""
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    async with RecordingServer(RECORDED_WIRES[0]) as server:

        def world(store: HistoryStore, report: Report) -> World:
            naming = Naming(workspace=lambda: str(files))
            return fake_world(
                store=store, builder=fake_builder(MODEL), models=FakeModels(server.model()),
                attachments=FileAttachments(ChildExtractor(), naming=naming),
            )  # fmt: skip

        stage = await WindowStage.open(data, world)
        stage.window.resize(1400, 900)
        stage.session.start_chat(SETTINGS)
        await stage.until_chat(lambda chat: chat.chat.settings.model == MODEL.name and chat.view is not None)
        stage.window.chat.composer.text.setFocus()
        try:
            yield stage, server
        finally:
            await stage.close()
        assert stage.crashes == []


def completion(stage: WindowStage) -> Completion:
    return stage.window.chat.composer.completion


def shown(stage: WindowStage) -> list[str]:
    """The texts that would be inserted, as they stand in the list; none where it is closed."""
    made = completion(stage)
    return [offer.text for offer in made.offers.model.items] if made.is_open() else []


async def typed(stage: WindowStage, words: str, best: str) -> None:
    """Type, and wait until the list has what is expected first, with its tokens."""
    QTest.keyClicks(stage.window.chat.composer.text, words)

    def there() -> bool:
        found, view = shown(stage)[:1], stage.open_chat.completion
        return found == [best] and view is not None and not view.reading and view.offers[0].text == best

    await until(there)


def press(stage: WindowStage, key: Key) -> None:
    QTest.keyClick(stage.window.chat.composer.text, key)


async def send(stage: WindowStage, server: RecordingServer) -> str:
    """Press Enter, and give back what the server got."""
    before = len(server.bodies)
    await stage.until_chat(lambda chat: chat.draft == stage.window.chat.composer.text.text())
    press(stage, Key.Key_Return)
    await until(lambda: len(server.bodies) > before)
    await stage.until_chat(lambda chat: chat.running is None and chat.ended is not None)
    return server.bodies[-1].decode("unicode_escape")


@in_qt_loop
async def test_a_file_is_found_by_letters_inserted_and_in_the_bytes_that_are_sent(
    tmp_path: Path, files: Path, qapp
):
    async with at_work(tmp_path, files) as (stage, server):
        await typed(stage, "What says @aut", "@src/auth.py")
        await until(
            lambda: (
                completion(stage)
                .offers.model.words_of(completion(stage).offers.model.items[0])
                .tokens.strip("…")
                != ""
            )
        )
        picture(stage, "file")
        press(stage, Key.Key_Return)
        editor = stage.window.chat.composer.text
        assert editor.text() == "What says @src/auth.py "
        assert server.bodies == []
        await stage.until_chat(lambda chat: [row.key for row in chat.attachments] == ["src/auth.py"])
        QTest.keyClicks(editor, "about retries?")
        body = await send(stage, server)
        assert "the retry loop" in body
        assert "What says @src/auth.py about retries?" in body


@in_qt_loop
async def test_sections_are_attached_by_tab_one_after_the_other(tmp_path: Path, files: Path, qapp):
    async with at_work(tmp_path, files) as (stage, server):
        await typed(stage, "Which skew? @spec.md#", "@spec.md#Terms")
        assert shown(stage) == ["@spec.md#Terms", "@spec.md#Clock-skew", "@spec.md#Threats", "@spec.md"]
        model = completion(stage).offers.model
        await until(lambda: all(offer.tokens is not None for offer in model.items))
        picture(stage, "sections")
        assert model.words_of(model.items[3]).verdict.startswith("over by "), model.words_of(model.items[3])
        press(stage, Key.Key_Down)
        press(stage, Key.Key_Tab)
        await until(lambda: model.words_of(model.items[1]).verdict == "chosen")
        assert completion(stage).is_open()
        press(stage, Key.Key_Up)
        press(stage, Key.Key_Tab)
        await until(lambda: model.words_of(model.items[0]).verdict == "chosen")
        picture(stage, "sections-chosen")
        press(stage, Key.Key_Escape)
        assert not completion(stage).is_open()
        body = await send(stage, server)
        assert "The allowed skew is 30 s." in body
        assert "A client holds one token." in body
        assert "Nothing is safe." not in body
        assert "Which skew? @spec.md#" in body


@in_qt_loop
async def test_lines_that_are_typed_are_one_row_and_go_out_alone(tmp_path: Path, files: Path, qapp):
    async with at_work(tmp_path, files) as (stage, server):
        await typed(stage, "@spec.md#L5-7", "@spec.md#L5-7")
        assert shown(stage) == ["@spec.md#L5-7"]
        press(stage, Key.Key_Return)
        QTest.keyClicks(stage.window.chat.composer.text, "please")
        body = await send(stage, server)
        assert "The allowed skew is 30 s." in body
        assert "A client holds" not in body


@in_qt_loop
async def test_names_that_are_meant_to_harm_are_not_offered_and_odd_ones_resolve(
    tmp_path: Path, files: Path, qapp
):
    async with at_work(tmp_path, files) as (stage, server):
        await typed(stage, "@", "@read")
        await until(lambda: "@spec.md" in shown(stage))
        picture(stage, "all")
        offered = [
            text
            for text in shown(stage)
            if not text.startswith(("@read", "@search", "@ls", '@"chat:', "@chat:"))
        ]
        assert sorted(offered) == ['@"my notes.md"', "@c#.md", "@spec.md", "@src/auth.py"]
        await typed(stage, "c#", "@c#.md")
        press(stage, Key.Key_Return)
        QTest.keyClicks(stage.window.chat.composer.text, "and ")
        await typed(stage, "@my", '@"my notes.md"')
        press(stage, Key.Key_Return)
        body = await send(stage, server)
        assert "A sharp one." in body
        assert "Remember the milk." in body


@in_qt_loop
async def test_another_chat_goes_out_as_text(tmp_path: Path, files: Path, qapp):
    async with at_work(tmp_path, files) as (stage, server):
        first = stage.session.chat_id
        stage.session.send(SendMessage(first, "How do we rotate the keys?"))
        await stage.until_chat(lambda chat: chat.running is None and chat.ended is not None)
        stage.session.send(RenameChat(first, "Key rotation"))
        await stage.until_chat(lambda chat: chat.chat.title == "Key rotation")
        stage.session.start_chat(SETTINGS)
        await stage.until_chat(lambda chat: chat.chat.id != first and chat.view is not None)
        stage.window.chat.composer.text.setFocus()
        await typed(stage, "As in @rota", '@"chat:Key rotation"')
        picture(stage, "chat")
        press(stage, Key.Key_Return)
        body = await send(stage, server)
        assert "How do we rotate the keys?" in body
        assert 'As in @"chat:Key rotation"' in body.replace('\\"', '"')


@in_qt_loop
async def test_it_is_looked_at_in_the_dark_and_in_a_narrow_window(
    tmp_path: Path, files: Path, qapp, appearance
):
    async with at_work(tmp_path, files) as (stage, _server):
        appearance.apply(qapp, "dark")
        try:
            await typed(stage, "Which skew? @spec.md#", "@spec.md#Terms")
            model = completion(stage).offers.model
            await until(lambda: all(offer.tokens is not None for offer in model.items))
            picture(stage, "sections-dark")
            stage.window.resize(760, 520)
            await stage.settle()
            picture(stage, "sections-narrow")
            made, composer = completion(stage).offers, stage.window.chat.composer
            assert made.box().width() == composer.width()
            assert made.y() + made.box().bottom() <= composer.y()
        finally:
            appearance.apply(qapp, "light")
