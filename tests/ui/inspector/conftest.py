"""Widgets of a test are really gone after it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication


@pytest.fixture(autouse=True)
def let_go(qapp: QApplication) -> Iterator[None]:
    """Delete what pytest-qt only marked for it: without an event loop nobody else does.

    Left alone, hundreds of widgets live on, and each change of the theme dresses all of them anew.
    """
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
