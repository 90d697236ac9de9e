"""Dialogs about attaching: a page by its address, what was not attached and why, a question before many files."""

from __future__ import annotations

import os
from collections.abc import Sequence

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from workbench.domain.files.attached import LeftOut
from workbench.ui.chat.pasting import is_page
from workbench.ui.formatting import short_tokens, size, tokens
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.reading_words import typed_anchor
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card, CardRow
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.scroll_area import scroll_area, transparent

_tr = translator("NotAttachedDialog")
MOST_ROWS = 200
MOST_PAGES = 20
"""So many pages are attached as pictures at once."""
ROW, HIGHEST = 52, 520
BYTES_A_TOKEN = 4


class PagesOffer(QWidget):
    """Some pages of a scan, to be attached as pictures; only where the model sees them.

    Signals:
        wanted: the first page and the last.
    """

    wanted = Signal(int, int)

    def __init__(self, pages: int, why_not: str) -> None:
        super().__init__()
        self._pages = pages
        self.range = Field(_tr("Pages"))
        self.range.setText("1" if pages == 1 else f"1-{min(pages, MOST_PAGES)}")
        self.range.setFixedWidth(72)
        self.range.setToolTip(tip(_tr("At most {n} pages at once").format(n=MOST_PAGES)))
        self.attach = on_click(button(_tr("Attach pages as pictures"), size="small"), self._want)
        fill(columns(self, spacing=8), self.range, self.attach)
        for widget in (self.range, self.attach):
            widget.setEnabled(not why_not)
        if why_not:
            self.attach.setToolTip(tip(why_not))
            self.attach.setAccessibleDescription(why_not)
        self.range.textChanged.connect(self._check)
        self.range.returnPressed.connect(self._want)

    def pages(self) -> tuple[int, int] | None:
        """The pages that are named; None where there are none such, or too many."""
        anchor = typed_anchor(self.range.text(), pages=True)
        numbers = [int(number) for number in anchor.removeprefix("p").split("-")] if anchor[:1] == "p" else []
        if not numbers:
            return None
        first, last = numbers[0], numbers[-1]
        return (first, last) if first >= 1 and last <= self._pages and last - first < MOST_PAGES else None

    def _check(self) -> None:
        self.attach.setEnabled(self.pages() is not None)

    def _want(self) -> None:
        if self.attach.isEnabled() and (found := self.pages()) is not None:
            self.attach.setEnabled(False)
            self.wanted.emit(*found)


class NotAttachedDialog(Sheet):
    """A row for each of them; what has no row is in what Copy copies.

    `why_no_pictures` says why pages cannot be attached as pictures; empty where they can.

    Signals:
        pages_wanted: the path of a PDF, and the first and last page to attach as pictures.
    """

    pages_wanted = Signal(str, int, int)

    def __init__(
        self, left_out: Sequence[LeftOut], parent: QWidget | None = None, why_no_pictures: str = ""
    ) -> None:
        count, (title, line) = len(left_out), _words(left_out)
        super().__init__(title, 720 if any(one.pages for one in left_out) else 640, 0, parent)
        self._left_out = tuple(left_out)
        self._why_not = why_no_pictures
        self.offers: list[PagesOffer] = []
        self.rows = [self._row(one) for one in self._left_out[:MOST_ROWS]]
        card = Card()
        for row in self.rows:
            card.add_row(row)
        content = transparent()
        column = rows(content, (0, 0, 4, 0), 8)
        column.addWidget(card)
        if count > MOST_ROWS:
            words = _tr("and {n} more: Copy has all of them").format(n=tokens(count - MOST_ROWS))
            column.addWidget(label(words, "small", "t3"))
        column.addStretch(1)
        area = scroll_area(content, title)
        area.setMinimumHeight(min(HIGHEST, len(self.rows) * (ROW + 1) + 24))
        fill(self.body, label(line, "small", "t2"), (area, 1))
        copy, close = button(_tr("Copy list"), icon="copy"), button(_tr("Close"), "primary")
        copy.clicked.connect(self._copy)
        close.clicked.connect(self.accept)
        close.setDefault(True)
        fill(self.foot, copy, STRETCH, close)
        close.setFocus()

    def text(self) -> str:
        return "\n".join(f"{one.path}\t{one.reason}" for one in self._left_out)

    def _row(self, one: LeftOut) -> CardRow:
        if not one.pages:
            return _row(one)
        offer = PagesOffer(one.pages, self._why_not)
        offer.wanted.connect(lambda first, last: self._want_pages(one.place or one.path, first, last))
        self.offers.append(offer)
        return _row(one, offer, self._why_not)

    def _want_pages(self, path: str, first: int, last: int) -> None:
        self.pages_wanted.emit(path, first, last)
        if not any(offer.attach.isEnabled() for offer in self.offers):
            self.accept()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text())


def _words(left_out: Sequence[LeftOut]) -> tuple[str, str]:
    one, n = len(left_out) == 1, tokens(len(left_out))
    if all(each.stays for each in left_out):
        title = _tr("One could not be read anew") if one else _tr("{n} could not be read anew").format(n=n)
        return title, _tr("The copies from before are attached still.")
    title = _tr("One was not attached") if one else _tr("{n} were not attached").format(n=n)
    return title, _tr("Everything else was attached, if there was more.")


def _row(one: LeftOut, action: QWidget | None = None, why_not: str = "") -> CardRow:
    why = shown(f"{one.reason}. {why_not or one.advice}" if one.advice or why_not else one.reason, 400)
    row = CardRow("file-x", shown(one.path, 200), why, action=action)
    row.setToolTip(tip(f"{one.path}: {why}"))
    row.setAccessibleName(f"{shown(one.path, 200)}: {why}")
    return row


class AttachPageDialog(Sheet):
    """An address, and what attaching it does.

    Signals:
        chosen: the address.
    """

    chosen = Signal(str)

    def __init__(self, address: str = "", parent: QWidget | None = None) -> None:
        super().__init__(_tr("Attach a page"), 520, 0, parent)
        self.address = Field(_tr("https://example.org/page"), "globe")
        self.address.setAccessibleName(_tr("Address of the page"))
        self.asked = label("", "small", "t1", wrap=True)
        line = _tr(
            "Its text is kept as it is now; pictures, scripts and other pages are not fetched. "
            "It is asked again only when you refresh it."
        )
        fill(self.body, self.address, self.asked, label(line, "small", "t2", wrap=True), STRETCH)
        self.cancel = on_click(button(_tr("Cancel"), shortcut_hint=_tr("Esc")), self.reject)
        self.go = on_click(button(_tr("Fetch and attach"), "primary"), self._choose)
        fill(self.foot, STRETCH, self.cancel, self.go)
        self.address.returnPressed.connect(self._choose)
        self.address.textChanged.connect(self._check)
        self.address.setText(address)
        self._check()
        self.address.setFocus()

    def _check(self) -> None:
        text = self.address.text().strip()
        self.go.setEnabled(is_page(text))
        host = shown(QUrl(text).host(), 120)
        words = _tr("Only this page is asked for: from {host}, and where that redirects to.").format(
            host=host
        )
        empty = _tr("Type an address that begins with https:// or http://.")
        set_text(self.asked, words if is_page(text) and host else empty)

    def _choose(self) -> None:
        if self.go.isEnabled():
            self.chosen.emit(self.address.text().strip())
            self.accept()


class ManyFilesDialog(Sheet):
    """Accepted, they are attached."""

    def __init__(self, paths: Sequence[str], parent: QWidget | None = None) -> None:
        count = tokens(len(paths))
        super().__init__(_tr("Attach {n} files?").format(n=count), 480, 0, parent)
        whole = sum(map(_size, paths))
        words = _tr("Together they have {size}, about {tokens} tokens if all of it is text.").format(
            size=size(whole), tokens=short_tokens(whole // BYTES_A_TOKEN)
        )
        self.line = label(words, wrap=True)
        more = _tr("Nothing is attached yet. Drop their folder instead to choose among them.")
        fill(self.body, self.line, label(more, "small", "t2", wrap=True), STRETCH)
        self.cancel = on_click(button(_tr("Do not attach"), shortcut_hint=_tr("Esc")), self.reject)
        self.go = on_click(button(_tr("Attach {n} files").format(n=count), "primary"), self.accept)
        fill(self.foot, STRETCH, self.cancel, self.go)
        self.cancel.setFocus()


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return 0
