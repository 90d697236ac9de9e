"""The preview of an attachment: the text as it is sent, the whole text, and what changed on disk."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QImage, QShowEvent, QTextCursor
from PySide6.QtWidgets import QInputDialog, QStackedWidget, QWidget

from workbench.domain.files.document import PLAIN_KINDS, TEXT_KINDS, DocumentKind, ReadAs, Reading
from workbench.domain.folder_index import QuotedFile
from workbench.domain.shown.attachment_view import (
    PARTED_KINDS,
    AttachmentRow,
    FileFacts,
    ShownPicture,
    anchor_of,
)
from workbench.domain.shown.parts_view import FileChanges
from workbench.engine.attaching_intents import CompareFile
from workbench.engine.intents import AttachText
from workbench.engine.state import ChatState
from workbench.ui import formatting, steps
from workbench.ui.attachments.looks import badge_of, can_have_parts, freeze_words, is_renewed, is_stale
from workbench.ui.look.space import S1, S2, STRETCH, columns, fill, rows
from workbench.ui.reading_words import kind_words, selection_title
from workbench.ui.translation import listed, tr
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.choice import Choice
from workbench.ui.widgets.code_view import CodeView, DiffText
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.found_words import mark_found, mark_secrets, secret_words, spans_in, wanted
from workbench.ui.widgets.labels import ElidedLabel, label, set_text, set_token
from workbench.ui.widgets.picture_view import PictureReader, PictureView
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.segmented import Segmented
from workbench.ui.widgets.stack import scroll_area
from workbench.ui.wishes import OpenFoundFile, ShowSections, Wishes

# What a file became: the kind and encoding it was read as, to be changed; its pages, its digest, what is left out.


ENCODINGS = (
    "utf-8", "utf-16", "cp1252", "iso-8859-1", "iso-8859-15", "cp1250", "cp1251", "koi8-r", "mac_roman",
    "shift_jis", "euc_jp", "gb18030", "big5", "euc_kr",
)  # fmt: skip
OTHER = "\0other"


def kinds_for(read_as: ReadAs) -> tuple[DocumentKind, ...]:
    """The kinds a file can be read as: for text, any text kind; for other files, their own kind or text."""
    if read_as.kind in TEXT_KINDS:
        return TEXT_KINDS
    return (read_as.kind, "text") if read_as.kind != "image" else ()


class FileLine(QWidget):
    """Two lines about how a file was read.

    Signals:
        reading_wanted: the `Reading` that the user chose.
    """

    reading_wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._facts: FileFacts | None = None
        self.kind, self.encoding = Choice(), Choice()
        self.kind_label, self.encoding_label = (
            label(tr("Read as"), "small", "t2"),
            label(tr("Encoding"), "small", "t2"),
        )
        self.kind.setAccessibleName(tr("What the file is read as"))
        self.encoding.setAccessibleName(tr("Encoding of the file"))
        self.about = ElidedLabel("", "small", "t2")
        self.digest = label("", "digest", "t2")
        self.copy = tool_button("copy", tr("Copy the digest"), tr("Copy the whole digest"), 22)
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
            tr("{kind} (found)").format(kind=kind_words(read.kind))
            if not read.chosen.kind
            else tr("as found")
        )
        _set_options(
            self.kind, (("", found), *((kind, kind_words(kind)) for kind in kinds)), read.chosen.kind
        )
        for widget in (self.kind, self.kind_label):
            widget.setVisible(bool(kinds))
        plain = read.kind in PLAIN_KINDS or bool(read.encoding)
        for widget in (self.encoding, self.encoding_label):
            widget.setVisible(plain and bool(kinds))
        own = read.chosen.encoding
        found = (
            tr("{name} (found)").format(name=read.encoding) if not own and read.encoding else tr("as found")
        )
        names = dict.fromkeys((*ENCODINGS, *((own,) if own else ())))
        options = (("", found), *((name, name) for name in names), (OTHER, tr("Another…")))
        _set_options(self.encoding, options, own)
        set_text(self.about, self._about_words(facts))
        set_text(self.digest, f"sha256 {facts.sha256[:8]}" if facts.sha256 else "")
        self.digest.setToolTip(tip(facts.sha256))
        self.copy.setVisible(bool(facts.sha256))
        set_text(self.notes, listed(read.left_out))
        self.notes.setVisible(bool(read.left_out))

    def _about_words(self, facts: FileFacts) -> str:
        parts = [formatting.size(facts.size_bytes)] if facts.size_bytes else []
        if facts.read_as.kind == "image":
            parts.insert(0, kind_words("image"))
        if facts.read_as.pages:
            pages = facts.read_as.pages
            parts.append(tr("1 page") if pages == 1 else tr("{n} pages").format(n=formatting.tokens(pages)))
        if at := formatting.clock(facts.read_utc):
            parts.append(tr("read {time}").format(time=at))
        return " · ".join(parts)

    def _on_kind(self) -> None:
        if self._facts is not None:
            chosen = self._facts.read_as.chosen
            kind = cast(DocumentKind, self.kind.chosen())
            self._emit_reading(Reading(kind, chosen.encoding if kind in (*PLAIN_KINDS, "") else ""))

    def _on_encoding(self) -> None:
        if self._facts is None:
            return
        if self.encoding.chosen() == OTHER:
            self._fill(self._facts)
            self._ask_encoding()
        else:
            self._emit_reading(Reading(self._facts.read_as.chosen.kind, self.encoding.chosen()))

    def _ask_encoding(self) -> None:
        asked = QInputDialog(self)
        asked.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        asked.setWindowTitle(tr("Encoding"))
        asked.setLabelText(tr("The name of the encoding, such as cp437:"))
        asked.textValueSelected.connect(self.read_in)
        asked.open()

    def read_in(self, encoding: str) -> None:
        if self._facts is not None and encoding.strip():
            self._emit_reading(Reading(self._facts.read_as.chosen.kind, encoding.strip()))

    def _emit_reading(self, reading: Reading) -> None:
        """Emit the wish to read the file in another way; until then the current way is shown."""
        assert self._facts is not None
        self._fill(self._facts)
        if reading != self._facts.read_as.chosen:
            self.reading_wanted.emit(reading)

    def _copy(self) -> None:
        if self._facts is not None:
            QGuiApplication.clipboard().setText(self._facts.sha256)


def _set_options(choice: Choice, options: tuple[tuple[str, str], ...], chosen: str) -> None:
    """Set the options of a choice without emitting a signal."""
    now = tuple((str(choice.itemData(at) or ""), choice.itemText(at)) for at in range(choice.count()))
    if now != options:
        choice.clear()
        for value, words in options:
            choice.addItem(words, value)
        choice.updateGeometry()
    choice.choose(chosen)


WIDTH, HEIGHT = 760, 620
AS_SENT, WHOLE, CHANGES, PICTURE = "sent", "whole", "changes", "picture"
_LINES = re.compile(r"L(\d+)(?:-\d+)?")


class ChangesView(QStackedWidget):
    """The lines that differ, or a sentence if there are none."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = DiffText()
        self.words = label("", "ui", "t2", wrap=True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        inside = QWidget()
        down = rows(inside)
        self.rest = label("", "small", "t3")
        fill(down, self.lines, self.rest, STRETCH)
        area = scroll_area(inside, tr("Lines that differ"))
        self.addWidget(self.words)
        self.addWidget(area)

    def show_changes(self, changes: FileChanges) -> None:
        self.setCurrentIndex(1 if changes.lines else 0)
        self.lines.show_lines(changes.lines)
        more = formatting.counted(changes.left_out, tr("and 1 more line"), tr("and {n} more lines"))
        set_text(self.rest, more if changes.left_out else "")
        same = tr("The text on the disk is the same.")
        set_text(self.words, changes.problem or (tr("Reading…") if changes.reading else same))


class Preview(Sheet):
    """A dialog with one attachment, which it follows while it is open.

    Signals:
        refresh_wanted, freeze_wanted: the user's decision about a file that changed.
    """

    refresh_wanted = Signal(tuple)
    freeze_wanted = Signal(tuple)

    def __init__(
        self, row: AttachmentRow, parent: QWidget | None = None, wishes: Wishes | None = None
    ) -> None:
        super().__init__(shown(row.name), WIDTH, HEIGHT, parent)
        self.wishes = wishes or Wishes(self)
        self._row = row
        self._chat: ChatState | None = None
        self._facts: FileFacts | None = None
        self._compared: AttachmentRow | None = None
        self._unseen = False
        self._words: re.Pattern[str] | None = None
        self._badge = Badge()
        self._tokens = label("", "small", "t2")
        options = [(AS_SENT, tr("As the model gets it")), (WHOLE, tr("Whole text"))]
        if row.kind == "image":
            options = [(PICTURE, tr("Picture")), (AS_SENT, tr("In words"))]
        if row.kind in PARTED_KINDS:
            options.append((CHANGES, tr("Changes")))
        self._switch = Segmented(options)
        self._switch.setAccessibleName(tr("Which text"))
        self.file = FileLine()
        self.text = CodeView(wrap=True)
        self.text.setAccessibleName(tr("Text of the attachment"))
        self.changes = ChangesView()
        self.picture, self._reader = PictureView(), PictureReader(self)
        self._seen: ShownPicture | None = None
        self.fit = button(tr("Fit"), shortcut_hint="0")
        self.pixels = button(tr("100 %"), shortcut_hint="1")
        self.parts = on_click(button(tr("Choose parts"), icon="hash"), self._choose_parts)
        self.selection = on_click(button(tr("Attach selection"), icon="plus"), self._attach_selection)
        self.refresh = button(tr("Refresh"), icon="refresh")
        self.freeze = button(tr("Freeze"), icon="snow")
        self._note = ElidedLabel("", "small", "t3")
        self._build_layout()
        self._connect()
        self._fill()

    def _build_layout(self) -> None:
        top = fill(columns(None, spacing=S2), self._badge, self._tokens, STRETCH, self._switch)
        fill(self.body, top, self.file)
        self._views = QStackedWidget()
        self._views.addWidget(self.text)
        self._views.addWidget(self.changes)
        self._views.addWidget(self.picture)
        self.body.addWidget(self._views, 1)
        close = on_click(button(tr("Close"), shortcut_hint=tr("Esc")), self.reject)
        self.foot.addWidget(self._note, 1)
        for act in (self.fit, self.pixels, self.refresh, self.freeze, self.selection, self.parts):
            self.foot.addWidget(act)
        self.foot.addWidget(close)
        self.file.hide()
        (self.picture if self._row.kind == "image" else self.text).setFocus()

    def _connect(self) -> None:
        self._switch.chosen.connect(self._on_switched)
        self.file.reading_wanted.connect(self._change_reading)
        self.refresh.clicked.connect(lambda: self.refresh_wanted.emit((self._row,)))
        self.freeze.clicked.connect(lambda: self.freeze_wanted.emit((self._row,)))
        self.text.copyAvailable.connect(self.selection.setEnabled)
        self.finished.connect(self._stop_comparing)
        self.fit.clicked.connect(self.picture.fit)
        self.pixels.clicked.connect(self.picture.show_pixels)
        self.picture.zoomed.connect(lambda _zoom: self._on_switched())
        self._reader.ready.connect(self._on_read)

    def key(self) -> str:
        return self._row.key

    def show_row(self, row: AttachmentRow) -> None:
        if row is not self._row:
            self._row = row
            self._fill()

    def show_chat(self, chat: ChatState) -> None:
        before, self._chat = self._chat, chat
        facts = chat.files.get(self._row.key)
        if before is None or facts != self._facts:
            self._facts = facts
            self.file.show_facts(facts)
        if chat.changes is not None and chat.changes.key == self._row.key:
            self.changes.show_changes(chat.changes)
        self._read_picture(chat.pictures.get(self._row.key))
        row = next((row for row in chat.attachments if row.key == self._row.key), self._row)
        self.show_row(row)

    def show_words(self, words: Sequence[str]) -> None:
        self._words = wanted(words)
        if self._row.kind != "image":
            self._switch.set_current(WHOLE)
        self._on_switched()
        spans = spans_in(self._words, self.text.toPlainText()) if self._words is not None else ()
        if spans:
            cursor = self.text.textCursor()
            cursor.setPosition(spans[0][0])
            self.text.setTextCursor(cursor)
            self.text.centerCursor()

    def _read_picture(self, picture: ShownPicture | None) -> None:
        if picture is not None and picture != self._seen:
            self._seen = picture
            self._reader.read(picture.digest, picture.content)

    def _on_read(self, name: str, _longest: int, picture: QImage) -> None:
        if self._seen is not None and name == self._seen.digest:
            self._unseen = picture.isNull()
            self.picture.show_picture(picture)

    def _picture_words(self) -> str:
        seen = self._seen
        if seen is None or self._unseen:
            return tr("Can’t be shown here; sent as it is.") if self._unseen else tr("Reading…")
        words = tr("{w} × {h} pixels, shown at {zoom}").format(
            w=seen.width, h=seen.height, zoom=formatting.percent(self.picture.zoom())
        )
        facts = self._facts
        if facts is not None and facts.sha256 and facts.sha256 != seen.digest:
            return tr("{words}. Sent rotated or smaller than the file.").format(words=words)
        return words

    def show_changes(self) -> None:
        self._switch.set_current(CHANGES)
        self._on_switched()

    def _fill(self) -> None:
        row = self._row
        self.set_title(shown(row.name))
        badge = badge_of(row)
        self._badge.show_words(badge.tone, badge.icon, badge.words)
        set_text(self._tokens, formatting.token_words(row.tokens, row.full_tokens))
        self.selection.setEnabled(self.text.textCursor().hasSelection())
        self._on_switched()

    def _on_switched(self) -> None:
        row, view = self._row, self._switch.current()
        changed, pictured = view == CHANGES, view == PICTURE
        self._views.setCurrentWidget(self.changes if changed else self.picture if pictured else self.text)
        for act in (self.fit, self.pixels):
            act.setVisible(pictured)
        self.parts.setVisible(not changed and can_have_parts(row))
        self.selection.setVisible(not changed and row.kind != "image")
        self.refresh.setVisible(changed and is_stale(row))
        self.freeze.setVisible(changed and (is_stale(row) or is_renewed(row)))
        self.freeze.setText(freeze_words(row))
        if changed:
            self._compare()
            set_text(self._note, self._changes_words())
            set_token(self._note, "t3")
            return
        if pictured:
            set_text(self._note, self._picture_words())
            return
        whole = view == WHOLE
        text = row.content if whole else row.text
        if text != self.text.toPlainText():
            self.text.setPlainText(text)
        if self._words is None:
            mark_secrets(self.text, text, self._secret_ranges(text, whole))
        else:
            mark_found(self.text, self._words)
        set_text(self._note, secret_words(row.secrets) or self._note_words(whole))
        set_token(self._note, "warn" if row.secrets else "t3")

    def _compare(self) -> None:
        if self._chat is not None and self._compared is not self._row:
            self._compared = self._row
            self.wishes.send(CompareFile(self._chat.chat.id, self._row.key))

    def _changes_words(self) -> str:
        if is_renewed(self._row):
            return tr("The refreshed version compared with the earlier copy.")
        return tr("The file on disk compared with the attached copy.")

    def _stop_comparing(self) -> None:
        if self._chat is not None and self._compared is not None:
            self.wishes.send(CompareFile(self._chat.chat.id))

    def _change_reading(self, reading: Reading) -> None:
        if self._chat is not None and self._facts is not None:
            step = steps.read_otherwise(self._chat, self._row.key, reading, self._facts.read_as.chosen)
            self.wishes.do(step)

    def _choose_parts(self) -> None:
        self.accept()
        self.wishes.run(ShowSections(self._row.key))

    def _attach_selection(self) -> None:
        text, before = self.text.selected()
        if self._chat is None or not text.strip():
            return
        first = self._first_line(text, before)
        name = self._row.name or self._row.key
        title = selection_title(name.removesuffix(f"#{self._anchor()}") if first else name, first, text)
        self.wishes.send(AttachText(self._chat.chat.id, text, title, "selection"))
        self.accept()

    def _first_line(self, text: str, before: int) -> int:
        """The line of the file at which a selection begins; 0 if unknown."""
        anchor = self._anchor()
        lines = _LINES.fullmatch(anchor)
        if self._row.kind not in PARTED_KINDS or (anchor and lines is None):
            return 0
        start = int(lines[1]) if lines is not None else 1
        if self._switch.current() == WHOLE:
            return start + before
        # As it is sent there are tags around it, and something may be left out.
        place = self._row.content.find(text)
        return start + self._row.content.count("\n", 0, place) if place >= 0 else 0

    def _anchor(self) -> str:
        return anchor_of(self._row, {} if self._chat is None else self._chat.files)

    def _secret_ranges(self, text: str, whole: bool) -> list[tuple[int, int]]:
        """Where the found secrets are in the shown text; as it is sent, other text may be around and between them."""
        row = self._row
        if whole:
            return [(one.start, one.end) for one in row.secrets]
        places, at = [], 0
        for one in row.secrets:
            wanted = one.replacement if one.replaced else row.content[one.start : one.end]
            start = text.find(wanted, at)
            if start >= 0:
                at = start + len(wanted)
                places.append((start, at))
        return places

    def _note_words(self, whole: bool) -> str:
        row = self._row
        if whole:
            return tr("The whole text, as it was when attached or last refreshed.")
        if not row.text and row.state == "reference":
            return tr("Sent as a reference: the whole text is earlier in the request.")
        if not row.text:
            return tr("Not in the next request.")
        if row.state == "compacted" and row.most_tokens is not None:
            words = tr("Shortened to at most {n} tokens, as you chose. Its menu sends it whole again.")
            return words.format(n=formatting.tokens(row.most_tokens))
        if row.state == "compacted" and row.can_be_read:
            return tr("Shortened to fit. The model can read the rest with its tools.")
        if row.state == "compacted":
            return tr("Shortened to fit. The model can’t see the rest.")
        if row.state == "unseen":
            return tr(
                "Only these words are in the next request: the model can’t see pictures. Choose a model "
                "with vision, or detach it."
            )
        return tr("These characters are in the next request.")


class QuotedSheet(Sheet):
    """The text of a file of a followed folder as it is searched, with the lines that were quoted marked."""

    def __init__(self, file: QuotedFile, parent: QWidget | None = None, wishes: Wishes | None = None) -> None:
        super().__init__(shown(file.path.rpartition("/")[2]), WIDTH, HEIGHT, parent)
        self.text = CodeView(file.text, wrap=True)
        self.text.setAccessibleName(tr("Text of the file"))
        lines = tr("lines {a}–{b}").format(a=file.first_line, b=file.last_line)
        note = f"{shown(file.path, 200)} · {lines}"
        if not file.text:
            note = tr("{path} isn’t in the index any more.").format(path=shown(file.path, 200))
        self.note = ElidedLabel(note, "small", "t3")
        fill(self.body, (self.text, 1))
        opened = OpenFoundFile(file.path)
        self.open_it = button(tr("Open the file"), icon="external")
        on_click(self.open_it, lambda: (wishes or Wishes(self)).run(opened))
        close = on_click(button(tr("Close"), shortcut_hint=tr("Esc")), self.reject)
        fill(self.foot, (self.note, 1), self.open_it, close)
        self._mark(file)
        self.text.setFocus()

    def _mark(self, file: QuotedFile) -> None:
        """Select the quoted lines, as the file view has them, and bring them into view."""
        begin = self.text.document().findBlockByNumber(max(0, file.first_line - file.begins))
        end = self.text.document().findBlockByNumber(max(0, file.last_line - file.begins))
        if not begin.isValid() or not end.isValid():
            return
        cursor = self.text.textCursor()
        cursor.setPosition(end.position() + max(0, end.length() - 1))
        cursor.setPosition(begin.position(), QTextCursor.MoveMode.KeepAnchor)
        self.text.setTextCursor(cursor)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.text.centerCursor()
