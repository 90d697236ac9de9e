"""Dialogs about attaching: a web page, what was not attached and why, and a question before many files."""

from __future__ import annotations

import os
from collections.abc import Sequence

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from workbench.domain.files.attached import LeftOut
from workbench.domain.secrets import Secret
from workbench.ui.chat.pasting import is_page
from workbench.ui.formatting import short_tokens, size, tokens
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.reading_words import typed_anchor
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card, CardRow
from workbench.ui.widgets.choice import Field, SecretField
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.stack import scroll_area, transparent

MOST_ROWS = 200
MOST_PAGES = 20
"""The most pages that are attached as pictures at once."""
ROW, HIGHEST = 52, 520
BYTES_A_TOKEN = 4


class PasswordOffer(QWidget):
    """A field for the password of a locked file, used once.

    Signals:
        typed: the password as a `Secret`; the field is cleared first.
    """

    typed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.field = SecretField()
        self.field.setAccessibleName(tr("Password"))
        self.field.setToolTip(tip(tr("Opens the file once; it isn’t kept.")))
        self.field.setFixedWidth(140)
        self.unlock = on_click(button(tr("Unlock and attach"), size="small"), self._emit_password)
        self.unlock.setEnabled(False)
        fill(columns(self, spacing=8), self.field, self.unlock)
        self.field.textChanged.connect(lambda text: self.unlock.setEnabled(bool(text)))
        self.field.returnPressed.connect(self._emit_password)

    def _emit_password(self) -> None:
        if self.unlock.isEnabled():
            secret = Secret.of_text(self.field.text())
            self.field.clear()
            self.typed.emit(secret)


class PagesOffer(QWidget):
    """Attaches some pages of a scan as pictures, if the model can see them; if `locked`, it asks for the password.

    Signals:
        wanted: the first page, the last, and the password as a `Secret` or None.
    """

    wanted = Signal(int, int, object)

    def __init__(self, pages: int, why_not: str, locked: bool = False) -> None:
        super().__init__()
        self._pages = pages
        self.password = SecretField()
        self.password.setAccessibleName(tr("Password"))
        self.password.setFixedWidth(120)
        self.range = Field(tr("Pages"))
        self.range.setText("1" if pages == 1 else f"1-{min(pages, MOST_PAGES)}")
        self.range.setFixedWidth(72)
        self.range.setToolTip(tip(tr("At most {n} pages at once").format(n=MOST_PAGES)))
        self.attach = on_click(button(tr("Attach pages as pictures"), size="small"), self._emit_pages)
        fill(columns(self, spacing=8), self.password, self.range, self.attach)
        self.password.setVisible(locked)
        for widget in (self.password, self.range, self.attach):
            widget.setEnabled(not why_not)
        if why_not:
            self.attach.setToolTip(tip(why_not))
            self.attach.setAccessibleDescription(why_not)
        self.range.textChanged.connect(self._check)
        self.range.returnPressed.connect(self._emit_pages)

    def pages(self) -> tuple[int, int] | None:
        """The typed page range; None if it is invalid or too large."""
        anchor = typed_anchor(self.range.text(), pages=True)
        numbers = [int(number) for number in anchor.removeprefix("p").split("-")] if anchor[:1] == "p" else []
        if not numbers:
            return None
        first, last = numbers[0], numbers[-1]
        return (first, last) if first >= 1 and last <= self._pages and last - first < MOST_PAGES else None

    def _check(self) -> None:
        self.attach.setEnabled(self.pages() is not None)

    def _emit_pages(self) -> None:
        if self.attach.isEnabled() and (found := self.pages()) is not None:
            self.attach.setEnabled(False)
            typed = Secret.of_text(self.password.text())
            self.password.clear()
            self.wanted.emit(*found, typed or None)


class NotAttachedDialog(Sheet):
    """Lists what was not attached and what can be done about it; Copy includes what the list has no room for.

    `why_no_pictures` says why pages cannot be attached as pictures; empty where they can.

    Signals:
        pages_wanted: the path of a PDF, the first and last page to attach as pictures, and its password or None.
        password_typed: the path of a locked file, and what was typed as a `Secret`.
    """

    pages_wanted = Signal(str, int, int, object)
    password_typed = Signal(str, object)

    def __init__(
        self, left_out: Sequence[LeftOut], parent: QWidget | None = None, why_no_pictures: str = ""
    ) -> None:
        count, (title, line) = len(left_out), _title_and_line(left_out)
        helped = any(one.pages or one.locked for one in left_out)
        super().__init__(title, 720 if helped else 640, 0, parent)
        self._left_out = tuple(left_out)
        self._why_not = why_no_pictures
        self.offers: list[PagesOffer] = []
        self.passwords: list[PasswordOffer] = []
        self._open_offers = 0
        self.rows = [self._row(one) for one in self._left_out[:MOST_ROWS]]
        card = Card()
        for row in self.rows:
            card.add_row(row)
        content = transparent()
        column = rows(content, (0, 0, 4, 0), 8)
        column.addWidget(card)
        if count > MOST_ROWS:
            words = tr("and {n} more: Copy has all of them").format(n=tokens(count - MOST_ROWS))
            column.addWidget(label(words, "small", "t3"))
        column.addStretch(1)
        area = scroll_area(content, title)
        area.setMinimumHeight(min(HIGHEST, len(self.rows) * (ROW + 1) + 24))
        fill(self.body, label(line, "small", "t2"), (area, 1))
        copy = on_click(button(tr("Copy list"), icon="copy"), self._copy)
        self.all_pages = on_click(button(tr("Attach all scans as pictures")), self._attach_all)
        self.all_pages.setVisible(len(self._ready_scans()) > 1)
        self.leave = button(self._leave_words(helped), "primary")
        self.leave.clicked.connect(self.accept)
        self.leave.setDefault(True)
        fill(self.foot, copy, STRETCH, self.all_pages, self.leave)
        self.leave.setFocus()

    def text(self) -> str:
        return "\n".join(f"{one.path}\t{one.reason}" for one in self._left_out)

    def _leave_words(self, helped: bool) -> str:
        if not helped:
            return tr("Close")
        return tr("Leave it out") if len(self._left_out) == 1 else tr("Leave these out")

    def _row(self, one: LeftOut) -> CardRow:
        path = one.place or one.path
        if one.pages:
            offer = PagesOffer(one.pages, self._why_not, one.locked)
            offer.wanted.connect(
                lambda first, last, password: self._attach_pages(path, (first, last), password)
            )
            self.offers.append(offer)
            self._open_offers += 1
            return _row(one, offer, self._why_not)
        if one.locked:
            password = PasswordOffer()
            password.typed.connect(lambda secret: self._attach_unlocked(path, password, secret))
            self.passwords.append(password)
            self._open_offers += 1
            return _row(one, password)
        return _row(one)

    def _ready_scans(self) -> list[PagesOffer]:
        """Scans whose pages can be attached now, without a password."""
        return [one for one in self.offers if one.attach.isEnabled() and one.password.isHidden()]

    def _attach_all(self) -> None:
        for offer in self._ready_scans():
            offer.attach.click()

    def _attach_pages(self, path: str, pages: tuple[int, int], password: Secret | None) -> None:
        self.pages_wanted.emit(path, *pages, password)
        self._close_when_decided()

    def _attach_unlocked(self, path: str, offer: PasswordOffer, secret: Secret) -> None:
        offer.setEnabled(False)
        self.password_typed.emit(path, secret)
        self._close_when_decided()

    def _close_when_decided(self) -> None:
        """Close the dialog once nothing is left to decide; what is refused again gets a new dialog."""
        self._open_offers -= 1
        if not self._open_offers:
            self.accept()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text())


def _title_and_line(left_out: Sequence[LeftOut]) -> tuple[str, str]:
    one, n = len(left_out) == 1, tokens(len(left_out))
    if all(each.stays for each in left_out):
        title = (
            tr("1 item couldn’t be refreshed") if one else tr("{n} items couldn’t be refreshed").format(n=n)
        )
        return title, tr("The earlier copies are still attached.")
    title = tr("1 item wasn’t attached") if one else tr("{n} items weren’t attached").format(n=n)
    return title, tr("Any others were.")


def _row(one: LeftOut, action: QWidget | None = None, why_not: str = "") -> CardRow:
    why = shown(f"{one.reason}. {why_not or one.advice}" if one.advice or why_not else one.reason, 400)
    row = CardRow("file-x", shown(one.path, 200), why, action=action)
    row.setToolTip(tip(f"{one.path}: {why}"))
    row.setAccessibleName(f"{shown(one.path, 200)}: {why}")
    return row


class AttachPageDialog(Sheet):
    """Asks for the address of a web page, and says what attaching it does.

    Signals:
        chosen: the address.
    """

    chosen = Signal(str)

    def __init__(self, address: str = "", parent: QWidget | None = None) -> None:
        super().__init__(tr("Attach a page"), 520, 0, parent)
        self.address = Field(tr("https://example.org/page"), "globe")
        self.address.setAccessibleName(tr("Address of the page"))
        self.asked = label("", "small", "t1", wrap=True)
        line = tr(
            "Attaches the page’s text as it is now, without pictures, scripts or other pages. It’s "
            "fetched again only when you refresh it."
        )
        fill(self.body, self.address, self.asked, label(line, "small", "t2", wrap=True), STRETCH)
        self.cancel = on_click(button(tr("Cancel"), shortcut_hint=tr("Esc")), self.reject)
        self.go = on_click(button(tr("Fetch and attach"), "primary"), self._choose)
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
        words = tr("Only this page is fetched, from {host} and where it redirects.").format(host=host)
        empty = tr("Type an address that begins with https:// or http://.")
        set_text(self.asked, words if is_page(text) and host else empty)

    def _choose(self) -> None:
        if self.go.isEnabled():
            self.chosen.emit(self.address.text().strip())
            self.accept()


class ManyFilesDialog(Sheet):
    """Asks before many files are attached."""

    def __init__(self, paths: Sequence[str], parent: QWidget | None = None) -> None:
        count = tokens(len(paths))
        super().__init__(tr("Attach {n} files?").format(n=count), 480, 0, parent)
        whole = sum(map(_size, paths))
        words = tr("Together they are {size}, about {tokens} tokens if it’s all text.").format(
            size=size(whole), tokens=short_tokens(whole // BYTES_A_TOKEN)
        )
        self.line = label(words, wrap=True)
        more = tr("Nothing is attached yet. Drop their folder instead to choose among them.")
        fill(self.body, self.line, label(more, "small", "t2", wrap=True), STRETCH)
        self.cancel = on_click(button(tr("Don’t attach"), shortcut_hint=tr("Esc")), self.reject)
        self.go = on_click(button(tr("Attach {n} files").format(n=count), "primary"), self.accept)
        fill(self.foot, STRETCH, self.cancel, self.go)
        self.cancel.setFocus()


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return 0
