"""The life of the window, from the first paint to the last write; the engine is a fake here."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from tests.architecture.source_tree import ROOT
from tests.fakes.given import RIGHT, PaperGiven
from tests.fakes.other_start import beside
from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.window_stage import dialog
from workbench.domain.errors import StoreInUse
from workbench.domain.secrets import Secret
from workbench.ports.history import HistoryStore
from workbench.ui.dialogs.crash_report import NoticeDialog
from workbench.ui.dialogs.transfer import ImportDialog
from workbench.ui.dialogs.unlock import UnlockDialog
from workbench.ui.program.app import FirstPaint, make_app, run_until_closed
from workbench.ui.program.system import SingleInstance
from workbench.ui.window import startup

RESOURCES = ROOT / "resources"


def test_the_application_is_made_once(qapp):
    assert make_app(RESOURCES) is qapp
    assert not qapp.quitOnLastWindowClosed()


def test_the_window_has_the_icon_of_the_menu(qapp):
    assert {16, 64, 256} <= {size.width() for size in make_app(RESOURCES).windowIcon().availableSizes()}


def test_the_window_is_laid_out_from_left_to_right_in_every_language(qapp):
    qapp.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    assert make_app(RESOURCES).layoutDirection() == Qt.LayoutDirection.LeftToRight


def test_fractions_of_a_scale_are_kept():
    """Qt's own default; it was set by hand as long as that loaded nothing else."""
    kept = QGuiApplication.highDpiScaleFactorRoundingPolicy()
    assert kept == Qt.HighDpiScaleFactorRoundingPolicy.PassThrough


FIRST_PAINT = """
import enum, os, sys
os.environ["QT_QPA_PLATFORM"] = "offscreen"
made, new = set(), enum.EnumType.__new__
def noted(kind, name, *more, **named):
    made.add(name)
    return new(kind, name, *more, **named)
enum.EnumType.__new__ = noted
from pathlib import Path
from PySide6.QtWidgets import QApplication
from workbench.ui.program.app import FirstPaint
from workbench.ui.program.system import SingleInstance
painted = QApplication.processEvents
def tell():
    painted()
    print(*made & {"GlobalColor", "ThemeIcon", "SelectionMode", "QLocalServer"})
    print(*sys.modules.keys() & {"socket", "signal", "hashlib", "PySide6.QtNetwork", "workbench.domain.chat_line"})
    raise SystemExit(0)
QApplication.processEvents = staticmethod(tell)
SingleInstance(sys.argv[1]).raise_other()
FirstPaint(Path(sys.argv[1]), None)
"""


def test_the_first_paint_does_not_load_the_namespace_qt_and_what_comes_after_it():
    """The 1,200 names of `Qt` took an eighth of the first paint, for one colour and one question about the desktop."""
    command = [sys.executable, "-c", FIRST_PAINT, str(RESOURCES)]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (0, "\n\n"), (ran.stdout, ran.stderr)


@in_qt_loop
async def test_the_window_opens_shows_its_chat_and_ends_with_zero(qapp):
    qapp.setQuitOnLastWindowClosed(False)
    first = FirstPaint(RESOURCES, None)
    assert first.window.isVisible()
    life = asyncio.get_running_loop().create_task(
        run_until_closed(PaperGiven().given(), first, SingleInstance("test app"))
    )
    await until(lambda: "Sample" in first.window.windowTitle())
    assert first.window.columns.isVisible()
    first.window.close()
    assert await life == 0
    assert not first.window.isVisible()


@in_qt_loop
async def test_files_are_opened_once_the_chats_are_there(qapp):
    qapp.setQuitOnLastWindowClosed(False)
    first, alone = FirstPaint(RESOURCES, None), SingleInstance("test app", ["/tmp/a.workbench.json"])
    life = asyncio.get_running_loop().create_task(run_until_closed(PaperGiven().given(), first, alone))
    opened = await dialog(ImportDialog)
    assert isinstance(opened, ImportDialog)
    assert opened.names.text() == "a.workbench.json"
    opened.close()
    first.window.close()
    assert await life == 0


@in_qt_loop
async def test_a_store_in_use_is_said_and_ends_with_one(qapp, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(startup, "IN_USE_S", 0.0)
    qapp.setQuitOnLastWindowClosed(False)

    async def in_use(_secret: Secret | None) -> None:
        raise StoreInUse("/data", "Another window has it.")

    first = FirstPaint(RESOURCES, None)
    given = PaperGiven().given(open=in_use)
    life = asyncio.get_running_loop().create_task(run_until_closed(given, first, SingleInstance("test app")))
    notice = await dialog(NoticeDialog)
    notice.close()
    assert await life == 1


@in_qt_loop
async def test_a_window_that_is_still_saving_is_waited_for(qapp):
    """Started right after another was closed, it said that the chats could not be opened."""
    qapp.setQuitOnLastWindowClosed(False)
    asked = list[None]()

    async def in_use_at_first(secret: Secret | None) -> HistoryStore:
        asked.append(None)
        if len(asked) < 3:
            raise StoreInUse("/data", "Another window has it.")
        return await opened(secret)

    first, opened = FirstPaint(RESOURCES, None), PaperGiven().given().open
    given = PaperGiven().given(open=in_use_at_first)
    life = asyncio.get_running_loop().create_task(run_until_closed(given, first, SingleInstance("test app")))
    await until(lambda: "Sample" in first.window.windowTitle())
    first.window.close()
    assert (await life, len(asked)) == (0, 3)


@in_qt_loop
async def test_a_window_that_was_closed_takes_no_call(qapp):
    """It sent what was asked of it when its loop had ended; nor would a window have been there for the files."""
    qapp.setQuitOnLastWindowClosed(False)
    first, alone = FirstPaint(RESOURCES, None), SingleInstance("test closed")
    assert alone.listen()
    life = asyncio.get_running_loop().create_task(run_until_closed(PaperGiven().given(), first, alone))
    await until(lambda: "Sample" in first.window.windowTitle())
    with beside("raise_other", "test closed") as told:
        assert await asyncio.wrap_future(told)
    with beside("raise_other", "test closed", "/b") as told:
        first.window.close()
        assert not await asyncio.wrap_future(told)
    assert (await life, alone.files) == (0, [])


@in_qt_loop
async def test_a_window_that_is_ended_while_it_loads_takes_no_call(qapp):
    """The later start left, and no window was there."""
    qapp.setQuitOnLastWindowClosed(False)
    first, alone, loading = FirstPaint(RESOURCES, None), SingleInstance("test ended"), threading.Event()
    assert alone.listen()

    def load() -> None:
        loading.wait(60)

    given = replace(PaperGiven().given(), load=load)
    life = asyncio.get_running_loop().create_task(run_until_closed(given, first, alone))
    await asyncio.sleep(0)
    with beside("raise_other", "test ended", "/b") as told:
        first.window.close_now()
        called = await asyncio.wrap_future(told)
    loading.set()
    assert (called, await life, alone.files) == (False, 0, [])


@in_qt_loop
async def test_closing_the_window_while_it_asks_for_the_passphrase_ends_it(qapp):
    qapp.setQuitOnLastWindowClosed(False)
    first = FirstPaint(RESOURCES, None)
    given = PaperGiven(needs=RIGHT).given()
    life = asyncio.get_running_loop().create_task(run_until_closed(given, first, SingleInstance("test app")))
    await dialog(UnlockDialog)
    assert not first.window.columns.isVisible(), "they said “No chats yet”"
    first.window.close()
    assert await life == 0
