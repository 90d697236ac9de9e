"""The window's event loop: what is called soon runs in order, comes after Qt's events, and waits for no loop within."""

from __future__ import annotations

import asyncio
import sys

import pytest
from PySide6.QtCore import QEventLoop, QTimer

from tests.fakes.qt_loop import in_qt_loop, until
from workbench.ui.program.loop import SWITCH_S, WindowLoop


@in_qt_loop
async def test_what_is_called_soon_runs_in_its_order_and_not_where_it_was_cancelled(qapp):
    loop, told = asyncio.get_running_loop(), list[str]()

    def second() -> None:
        told.append("second")
        loop.call_soon(told.append, "what it called")

    loop.call_soon(told.append, "first")
    cancelled = loop.call_soon(told.append, "cancelled")
    loop.call_soon(second)
    loop.call_soon(told.append, "third")
    cancelled.cancel()
    await until(lambda: "what it called" in told)
    assert told == ["first", "second", "third", "what it called"]


@in_qt_loop
async def test_qts_own_events_come_between(qapp):
    """A task that goes on and on would freeze the window."""
    loop, ticks, rounds = asyncio.get_running_loop(), list[int](), 0
    timer = QTimer()
    timer.timeout.connect(lambda: ticks.append(rounds))
    timer.start(0)

    def again() -> None:
        nonlocal rounds
        rounds += 1
        if rounds < 50:
            loop.call_soon(again)

    loop.call_soon(again)
    await until(lambda: rounds == 50)
    assert len(set(ticks)) > 10
    timer.stop()


@in_qt_loop
async def test_a_loop_within_is_not_left_waiting_for_what_stood_behind_it(qapp):
    """Dragging a chat out waits for its file in a loop of Qt's."""
    loop, inner, told = asyncio.get_running_loop(), QEventLoop(), list[str]()

    def waits() -> None:
        loop.call_soon(told.append, "asked within")
        inner.exec()
        told.append("left")

    loop.call_soon(waits)
    loop.call_soon(told.append, "stood behind")
    loop.call_soon(inner.quit)
    await until(lambda: "left" in told)
    assert told == ["stood behind", "asked within", "left"]


@in_qt_loop
async def test_an_error_of_one_is_told_and_the_others_run(qapp):
    loop, errors, told = asyncio.get_running_loop(), list[object](), list[str]()
    loop.set_exception_handler(lambda _, context: errors.append(context["exception"]))
    loop.call_soon(lambda: 1 / 0)
    loop.call_soon(told.append, "next")
    await until(lambda: bool(told))
    assert [type(one) for one in errors] == [ZeroDivisionError]


def test_threads_take_turns_more_often_while_the_window_runs(qapp):
    """One that reads a file kept the window waiting for five milliseconds each time."""
    usual = sys.getswitchinterval()
    loop = WindowLoop(qapp)
    within = sys.getswitchinterval()
    loop.close()
    assert within == pytest.approx(SWITCH_S)
    assert usual > SWITCH_S
    assert sys.getswitchinterval() == usual
