"""What a file became: the kind and encoding it was read as, to be changed; its pages, its digest, what is left out."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QInputDialog, QWidget

from workbench.domain.files.document import PLAIN_KINDS, TEXT_KINDS, DocumentKind, ReadAs, Reading
from workbench.domain.shown.attachment_view import FileFacts
from workbench.ui import formatting
from workbench.ui.look.space import S1, S2, columns, rows
from workbench.ui.reading_words import kind_words
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import tool_button
from workbench.ui.widgets.choice import Choice
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.plain import tip

_tr = translator("FileLine")

ENCODINGS = (
    "utf-8", "utf-16", "cp1252", "iso-8859-1", "iso-8859-15", "cp1250", "cp1251", "koi8-r", "mac_roman",
    "shift_jis", "euc_jp", "gb18030", "big5", "euc_kr",
)  # fmt: skip
OTHER = "\0other"


def kinds_for(read_as: ReadAs) -> tuple[DocumentKind, ...]:
    """The kinds that a file can sensibly be read as: of what is text, any text; of anything else, also its bytes."""
    if read_as.kind in TEXT_KINDS:
        return TEXT_KINDS
    return (read_as.kind, "text") if read_as.kind != "image" else ()


class FileLine(QWidget):
    """Two lines about a file.

    Signals:
        reading_wanted: as what it is to be read.
    """

    reading_wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._facts: FileFacts | None = None
        self.kind, self.encoding = Choice(), Choice()
        self.kind_label, self.encoding_label = (
            label(_tr("Read as"), "small", "t2"),
            label(_tr("Encoding"), "small", "t2"),
        )
        self.kind.setAccessibleName(_tr("What the file is read as"))
        self.encoding.setAccessibleName(_tr("Encoding of the file"))
        self.about = ElidedLabel("", "small", "t2")
        self.digest = label("", "digest", "t2")
        self.copy = tool_button("copy", _tr("Copy the digest"), _tr("Copy the whole digest"), 22)
        self.notes = ElidedLabel("", "small", "t3")
        down = rows(self, spacing=S1)
        across = columns(down, spacing=S2)
        for widget in (self.kind_label, self.kind, self.encoding_label, self.encoding):
            across.addWidget(widget)
        across.addWidget(self.about, 1)
        across.addWidget(self.digest)
        across.addWidget(self.copy)
        down.addWidget(self.notes)
        self.kind.activated.connect(self._on_kind)
        self.encoding.activated.connect(self._on_encoding)
        self.copy.clicked.connect(self._copy)

    def show_facts(self, facts: FileFacts | None) -> None:
        self.setVisible(facts is not None)
        self._facts = facts
        if facts is not None:
            self._fill(facts)

    def _fill(self, facts: FileFacts) -> None:
        read = facts.read_as
        kinds = kinds_for(read)
        found = (
            _tr("{kind} (found)").format(kind=kind_words(read.kind))
            if not read.chosen.kind
            else _tr("as found")
        )
        _offer(self.kind, (("", found), *((kind, kind_words(kind)) for kind in kinds)), read.chosen.kind)
        for widget in (self.kind, self.kind_label):
            widget.setVisible(bool(kinds))
        plain = read.kind in PLAIN_KINDS or bool(read.encoding)
        for widget in (self.encoding, self.encoding_label):
            widget.setVisible(plain and bool(kinds))
        own = read.chosen.encoding
        found = (
            _tr("{name} (found)").format(name=read.encoding) if not own and read.encoding else _tr("as found")
        )
        names = dict.fromkeys((*ENCODINGS, *((own,) if own else ())))
        options = (("", found), *((name, name) for name in names), (OTHER, _tr("Another…")))
        _offer(self.encoding, options, own)
        set_text(self.about, self._about(facts))
        set_text(self.digest, f"sha256 {facts.sha256[:8]}" if facts.sha256 else "")
        self.digest.setToolTip(tip(facts.sha256))
        self.copy.setVisible(bool(facts.sha256))
        set_text(self.notes, "; ".join(read.left_out))
        self.notes.setVisible(bool(read.left_out))

    def _about(self, facts: FileFacts) -> str:
        parts = [formatting.size(facts.size_bytes)] if facts.size_bytes else []
        if facts.read_as.kind == "image":
            parts.insert(0, kind_words("image"))
        if facts.read_as.pages:
            pages = facts.read_as.pages
            parts.append(_tr("1 page") if pages == 1 else _tr("{n} pages").format(n=formatting.tokens(pages)))
        if at := formatting.clock(facts.read_utc):
            parts.append(_tr("read {time}").format(time=at))
        return " · ".join(parts)

    def _on_kind(self) -> None:
        if self._facts is not None:
            chosen = self._facts.read_as.chosen
            kind = cast(DocumentKind, self.kind.chosen())
            self._want(Reading(kind, chosen.encoding if kind in (*PLAIN_KINDS, "") else ""))

    def _on_encoding(self) -> None:
        if self._facts is None:
            return
        if self.encoding.chosen() == OTHER:
            self._fill(self._facts)
            self._ask_encoding()
        else:
            self._want(Reading(self._facts.read_as.chosen.kind, self.encoding.chosen()))

    def _ask_encoding(self) -> None:
        asked = QInputDialog(self)
        asked.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        asked.setWindowTitle(_tr("Encoding"))
        asked.setLabelText(_tr("The name of the encoding, such as cp437:"))
        asked.textValueSelected.connect(self.read_in)
        asked.open()

    def read_in(self, encoding: str) -> None:
        if self._facts is not None and encoding.strip():
            self._want(Reading(self._facts.read_as.chosen.kind, encoding.strip()))

    def _want(self, reading: Reading) -> None:
        """Until it is read so, what is shown is how it was read."""
        assert self._facts is not None
        self._fill(self._facts)
        if reading != self._facts.read_as.chosen:
            self.reading_wanted.emit(reading)

    def _copy(self) -> None:
        if self._facts is not None:
            QGuiApplication.clipboard().setText(self._facts.sha256)


def _offer(choice: Choice, options: tuple[tuple[str, str], ...], chosen: str) -> None:
    """Other options; nobody is told."""
    now = tuple((str(choice.itemData(at) or ""), choice.itemText(at)) for at in range(choice.count()))
    if now != options:
        choice.clear()
        for value, words in options:
            choice.addItem(words, value)
        choice.updateGeometry()
    choice.choose(chosen)
