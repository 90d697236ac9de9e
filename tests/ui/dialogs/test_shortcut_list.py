"""All shortcuts, and finding one of them."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from workbench.ui.commands import bind, specs
from workbench.ui.dialogs.shortcut_list import ShortcutList, in_panes


def test_every_shortcut_is_listed(qtbot):
    commands = bind(specs(), lambda _name: None, lambda _name: True)
    dialog = ShortcutList(commands)
    qtbot.addWidget(dialog)
    assert len(dialog._lines) == len([c for c in commands if c.shortcut]) + len(in_panes())


def test_typing_leaves_only_what_fits(qtbot):
    dialog = ShortcutList(bind(specs(), lambda _name: None, lambda _name: True))
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.field.setText("rename")
    seen: list[QWidget] = [line for _, line in dialog._lines if line.isVisible()]
    assert len(seen) == 1
