"""Dialogs that choose files and folders."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from workbench.ui.widgets.file_chooser import choose_file, choose_files, choose_folder, save_file

Mode = QFileDialog.FileMode


def test_each_hands_on_what_was_chosen_and_goes_when_it_is_closed(qtbot, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # Qt reads the folder it starts in
    parent = QWidget()
    taken: list[object] = []
    qtbot.addWidget(parent)
    choose_files(parent, "Files", taken.append)
    choose_file(parent, "File", taken.append, ["JSON (*.json)"])
    choose_folder(parent, "Folder", taken.append, str(tmp_path))
    save_file(parent, "Save", "a.json", taken.append)
    found: list[QFileDialog] = list(parent.findChildren(QFileDialog))
    files, file, folder, save = found
    assert [one.fileMode() for one in (files, file, folder)] == [
        Mode.ExistingFiles,
        Mode.ExistingFile,
        Mode.Directory,
    ]
    assert file.nameFilters() == ["JSON (*.json)"]
    assert save.acceptMode() is QFileDialog.AcceptMode.AcceptSave
    files.filesSelected.emit(["/a", "/b"])
    file.fileSelected.emit("/c")
    folder.filesSelected.emit(["/d"])
    save.fileSelected.emit("/e")
    assert taken == [["/a", "/b"], "/c", "/d", "/e"]
    for one in (files, file, folder, save):
        assert one.testAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        one.close()
