"""Waiting for the first of several signals."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from tests.fakes.loop import in_loop
from workbench.ui.waiting import first_of


class Two(QObject):
    yes = Signal(str, int)
    no = Signal()


@in_loop
async def test_the_first_one_is_named_with_what_came_with_it():
    import asyncio

    two = Two()
    asyncio.get_running_loop().call_soon(two.yes.emit, "really", 3)
    assert await first_of(yes=two.yes, no=two.no) == ("yes", ("really", 3))


@in_loop
async def test_a_second_signal_changes_nothing_and_nobody_listens_afterwards():
    import asyncio

    two = Two()

    def both() -> None:
        two.no.emit()
        two.yes.emit("late", 0)

    asyncio.get_running_loop().call_soon(both)
    assert await first_of(yes=two.yes, no=two.no) == ("no", ())
    two.yes.emit("much later", 1)
