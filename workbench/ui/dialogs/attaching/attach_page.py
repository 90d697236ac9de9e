"""A page to attach by its address: what will be asked of whom is said before anything is."""

from __future__ import annotations

from PySide6.QtCore import QUrl, Signal
from PySide6.QtWidgets import QWidget

from workbench.ui.chat.pasting import is_page
from workbench.ui.look.space import STRETCH, fill
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.popup import Sheet

_tr = translator("AttachPageDialog")


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
