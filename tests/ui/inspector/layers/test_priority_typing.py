"""Priorities typed by their digits."""

from __future__ import annotations

from typing import cast

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from workbench.domain.shown.envelope_view import RowKey
from workbench.ui.inspector.layers.tuning import PriorityTyping

FILE, OTHER = RowKey("L3_TURN", "a.py"), RowKey("L3_TURN", "b.py")


class Typed:
    """What was told."""

    def __init__(self) -> None:
        self.typing = PriorityTyping()
        self.told: list[tuple[str, int]] = []
        self.typing.typed.connect(lambda key, priority: self.told.append((key.id, priority)))


@pytest.fixture
def typed(qtbot: QtBot) -> Typed:
    return Typed()


def test_most_digits_are_priorities_at_once(typed: Typed):
    for digit in (0, 2, 9):
        typed.typing.type_digit(FILE, digit)
    assert typed.told == [("a.py", 0), ("a.py", 2), ("a.py", 9)]


def test_a_one_and_a_zero_are_ten_in_one_step(typed: Typed):
    """Were the 1 told at once, ten would be two steps to undo, and the request would be built twice."""
    typed.typing.type_digit(FILE, 1)
    assert typed.told == []
    typed.typing.type_digit(FILE, 0)
    assert typed.told == [("a.py", 10)]


def test_a_one_alone_is_one_after_a_moment(typed: Typed, qtbot: QtBot):
    cast(QTimer, typed.typing.findChild(QTimer)).setInterval(20)
    typed.typing.type_digit(FILE, 1)
    qtbot.waitUntil(lambda: typed.told == [("a.py", 1)])


def test_a_one_is_one_as_soon_as_something_else_follows(typed: Typed):
    typed.typing.type_digit(FILE, 1)
    typed.typing.type_digit(FILE, 5)
    assert typed.told == [("a.py", 1), ("a.py", 5)]


def test_a_zero_on_another_row_does_not_make_ten(typed: Typed):
    typed.typing.type_digit(FILE, 1)
    typed.typing.type_digit(OTHER, 0)
    assert typed.told == [("a.py", 1), ("b.py", 0)]


def test_finishing_tells_only_once(typed: Typed):
    typed.typing.type_digit(FILE, 1)
    typed.typing.finish()
    typed.typing.finish()
    assert typed.told == [("a.py", 1)]
