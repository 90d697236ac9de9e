"""What tests of the whole window share: no window is left behind, and a data folder that asks a script."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from tests.fakes.window_stage import scripted_folder


@pytest.fixture
def no_window_left(qapp: QApplication) -> Iterator[None]:
    """Closing a window does not end the loop, as in the program; the next test finds none that is left."""
    qapp.setQuitOnLastWindowClosed(False)
    yield
    for window in QApplication.topLevelWidgets():
        window.close()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder whose new chats ask a script."""
    return scripted_folder(tmp_path, "An answer.\n")
