"""The rows of the palette as a model."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from workbench.ui.commands import Command
from workbench.ui.dialogs.palette_match import matches
from workbench.ui.dialogs.palette_rows import PaletteModel


def command(title: str, group: str) -> Command:
    return Command(title, title, group, lambda: None)


ALL = [command("New chat", "Chat"), command("Layers", "Envelope"), command("Payload", "Envelope")]


def test_the_model_keeps_the_rules(qapp):
    model = PaletteModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_matches(matches("", ALL))
    model.show_matches(matches("lay", ALL))
    model.show_matches([])


def test_headings_cannot_be_chosen_and_are_stepped_over(qapp):
    model = PaletteModel()
    model.show_matches(matches("", ALL))
    assert [row.heading for row in model.items] == ["Chat", "", "Envelope", "", ""]
    assert model.first() == 1
    assert model.beside(1, 1) == 3
    assert model.beside(4, 1) == 4
    assert model.beside(1, -1) == 1
    assert model.flags(model.index(0, 0)) == Qt.ItemFlag.NoItemFlags
