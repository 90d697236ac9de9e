"""The list of commands: no key does two things, and every icon exists."""

from __future__ import annotations

from collections import Counter

from PySide6.QtGui import QKeySequence

from workbench.ui.commands import bind, specs
from workbench.ui.look.icons import has_icon


def test_ids_and_shortcuts_are_unique(qapp):
    assert [name for name, n in Counter(spec.id for spec in specs()).items() if n > 1] == []
    keys = [QKeySequence(spec.shortcut).toString() for spec in specs() if spec.shortcut]
    assert [key for key, n in Counter(keys).items() if n > 1 or not key] == []


def test_every_icon_is_drawn(qapp):
    assert [spec.id for spec in specs() if spec.icon and not has_icon(spec.icon)] == []


def test_a_command_runs_by_its_id(qapp):
    ran: list[str] = []
    commands = bind(specs(), ran.append, lambda name: name != "redo")
    by_id = {command.id: command for command in commands}
    by_id["new-chat"].run()
    assert ran == ["new-chat"]
    assert (by_id["new-chat"].enabled(), by_id["redo"].enabled()) == (True, False)


def test_a_command_says_in_its_line_what_it_needs(qapp):
    needs = {spec.id: spec.when for spec in specs()}
    assert (needs["rename-chat"], needs["stop"], needs["tag-chat"]) == ("chat", "answer", "placed")
    assert needs["palette"] == needs["quit"] == "always"
