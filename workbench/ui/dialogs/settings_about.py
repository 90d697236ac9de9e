"""About: what this is, what it runs on, and every part it is made of with its licence."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QApplication

from workbench.domain.about import About, Part, find_parts
from workbench.ui.dialogs.settings_parts import Page
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.items.text_table import Column, TextRow, TextTable
from workbench.ui.widgets.labels import label, set_text

_tr = translator("About")

LEAST_HEIGHT = 260  # of the list, where the window is low


class AboutPage(Page):
    """Version and licence in a few lines, then the parts, which can be searched."""

    def __init__(self, place: str, look: Callable[[], About]) -> None:
        self._about = look()
        facts = self._about.facts
        super().__init__(_tr("About"), _tr("Context Workbench {version}").format(version=facts.version))
        self.words += f" {facts.line} " + " ".join(part.name for part in self._about.parts)
        self._say(place)
        self.search = Field(_tr("Search parts"), icon="search")
        self.search.setFixedWidth(220)
        self.count = label("", "small", "t3")
        self.table = TextTable(_columns(), _tr("Parts of the program and their licences"))
        self.table.setMinimumHeight(LEAST_HEIGHT)
        card = Card()
        rows(card, (1, 1, 1, 1)).addWidget(self.table)
        head = columns(None, spacing=12)
        fill(head, label(_tr("Parts and licences"), "ui_heading"), (self.count, 1), self.search)
        fill(self.column, 4, head)
        self.column.addWidget(card, 1)
        self.search.textChanged.connect(self._find)
        self._find("")

    def _say(self, place: str) -> None:
        facts = self._about.facts
        words = (
            _tr("See and edit the next request to a language model before you send it."),
            _tr("Licence: MIT. No usage data is collected."),
            _tr("Your data: {place}").format(place=place) if place else "",
        )
        for line in filter(None, words):
            self.column.addWidget(label(line, "ui", "t2", wrap=True))
        self.version = label(facts.line, "small", "t3")
        copy = on_click(
            button(_tr("Copy"), icon="copy"), lambda: QApplication.clipboard().setText(facts.line)
        )
        copy.setToolTip(_tr("Copy the version, for a report"))
        self.column.addLayout(fill(columns(None, spacing=12), (self.version, 1), copy))

    def _find(self, typed: str) -> None:
        found = find_parts(self._about.parts, typed)
        self.table.rows.show([_row(part) for part in found])
        words = (
            _tr("{n} of {all}").format(n=len(found), all=len(self._about.parts)) if typed else str(len(found))
        )
        set_text(self.count, words if found else _tr("Nothing found"))


def _columns() -> tuple[Column, ...]:
    return (
        Column(_tr("Part"), 180),
        Column(_tr("Version"), 110, quiet=True),
        Column(_tr("Licence")),
        Column(_tr("Note"), 160, quiet=True),
    )


def _row(part: Part) -> TextRow:
    note = _tr("in {part}").format(part=part.within) if part.within else ""
    cells = (part.name, part.version, part.licence, note or (_tr("optional") if part.optional else ""))
    return TextRow(cells, "\n".join(filter(None, cells)))
