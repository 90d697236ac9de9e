"""The system's dialogs to choose files and folders, and accepting drops."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog, QWidget

Mode = QFileDialog.FileMode


def choose_files(parent: QWidget | None, title: str, take: Callable[[list[str]], object]) -> None:
    """Ask for existing files, and pass their paths to `take`."""
    chooser = QFileDialog(parent, title)
    chooser.setFileMode(Mode.ExistingFiles)
    chooser.filesSelected.connect(take)
    _open(chooser)


def choose_file(
    parent: QWidget | None, title: str, take: Callable[[str], object], filters: Sequence[str] = ()
) -> None:
    """Ask for an existing file, and pass its path to `take`."""
    chooser = QFileDialog(parent, title)
    chooser.setFileMode(Mode.ExistingFile)
    if filters:
        chooser.setNameFilters(filters)
    chooser.fileSelected.connect(take)
    _open(chooser)


def choose_folder(parent: QWidget | None, title: str, take: Callable[[str], object], start: str = "") -> None:
    """Ask for a folder, and pass its path to `take`."""
    chooser = QFileDialog(parent, title, start)
    chooser.setFileMode(Mode.Directory)
    chooser.filesSelected.connect(lambda paths: take(paths[0]) if paths else None)
    _open(chooser)


def save_file(parent: QWidget | None, title: str, name: str, take: Callable[[str], object]) -> None:
    """Ask for a file to save to, suggesting `name`, and pass its path to `take`."""
    chooser = QFileDialog(parent, title, name)
    chooser.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    chooser.fileSelected.connect(take)
    _open(chooser)


def _open(chooser: QFileDialog) -> None:
    chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    chooser.open()


# Taking what is dropped: always as a copy, because some sources delete what somebody took as moved.


def take_copy(event: QDropEvent) -> None:
    """Accept a drag or drop as a copy, even if the source prefers to move."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()
