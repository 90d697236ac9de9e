"""The composer's parts, how they lie one below the other, and the one border around them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from PySide6.QtCore import QRect, QRectF, QSize, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QBoxLayout, QFrame, QSizePolicy, QWidget

from workbench.domain.files.file_names import is_rooted
from workbench.domain.parameters import Unsent
from workbench.domain.shown.attachment_view import AttachmentRow, FileFacts, anchor_of, file_key
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey, SegmentRow
from workbench.ui import formatting
from workbench.ui.chat.composer.bands import BAND_HEIGHT, ColdLine, OverLimit, QueuedLines, SecretLine
from workbench.ui.chat.composer.prefill import PrefillLine
from workbench.ui.chat.composer.strip import Strip
from workbench.ui.chat.composer.text import ComposerText
from workbench.ui.look.painting import Run, stroke_rounded
from workbench.ui.look.space import S1, S2, STRETCH, columns, fill, rows
from workbench.ui.look.theme import Theme, colour, theme_of
from workbench.ui.reading_words import anchors_line
from workbench.ui.translation import in_language, listed, tr
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.chip import ICONS, INKS, Chip, ChipButton, ChipLook
from workbench.ui.widgets.found_words import secret_word, secret_words
from workbench.ui.widgets.labels import ElidedLabel
from workbench.ui.widgets.menu import add_action, menu, popup_below
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.plain import shown, tip

# The chips of the composer: what this message brings, in one row, with the rest counted at its end.


# Which attachments stand as chips in the composer, how each looks, and how many of them fit into one row.

STRENGTH: tuple[ChipLook, ...] = ("plain", "pinned", "secret", "stale", "unseen", "out")
"""Looks from the quietest to the one that most wants to be seen."""

_IN_LIBRARY = ("reference",)
_NEWS = ("changed", "renewed", "gone", "unreadable")


class ChipWords(NamedTuple):
    """What a chip says."""

    look: ChipLook
    figure: str
    word: str


def chips_of(rows: Iterable[AttachmentRow]) -> tuple[AttachmentRow, ...]:
    """What this message brings, then what has changed of the rest; what stands quietly in the library is no news."""
    brought = [row for row in rows if row.state not in _IN_LIBRARY]
    changed = [row for row in rows if row.state in _IN_LIBRARY and row.disk in _NEWS]
    return (*brought, *changed)


def by_file(rows: Iterable[AttachmentRow], files: Mapping[str, FileFacts]) -> tuple[AttachmentRow, ...]:
    """The rows with the parts of one file as one, under the file's key: “spec.pdf 3.3, 4.2, p. 28”."""
    groups: dict[str, list[AttachmentRow]] = {}
    for row in rows:
        groups.setdefault(file_key(row, files), []).append(row)
    return tuple(_as_one(key, group, files) for key, group in groups.items())


def _as_one(key: str, group: list[AttachmentRow], files: Mapping[str, FileFacts]) -> AttachmentRow:
    anchors = [anchor_of(row, files) for row in group]
    if not any(anchors):
        return group[0]
    # The one that most wants to be seen says how all of them are.
    telling = max(group, key=lambda row: STRENGTH.index(chip_words(row).look))
    name = telling.name.removesuffix(f"#{anchor_of(telling, files)}")
    return replace(
        telling,
        key=key,
        name=f"{name} {anchors_line([anchor for anchor in anchors if anchor])}",
        tokens=sum(row.tokens for row in group),
        full_tokens=_full_tokens(group),
        pinned=all(row.pinned for row in group),
        secrets=tuple(found for row in group for found in row.secrets),
    )


def _full_tokens(group: list[AttachmentRow]) -> int | None:
    if all(row.full_tokens is None for row in group):
        return None
    return sum(row.tokens if row.full_tokens is None else row.full_tokens for row in group)


def _part_of(rows: Iterable[AttachmentRow]) -> str:
    """How much is sent of those that are sent in part; empty where none is."""
    cut = [row for row in rows if row.full_tokens is not None]
    return formatting.tokens_of(sum(row.tokens for row in cut), _full_tokens(cut)) if cut else ""


def chip_words(row: AttachmentRow) -> ChipWords:
    """How an attachment looks as a chip."""
    figure = formatting.tokens_of(row.tokens, row.full_tokens)
    if row.state == "unreadable" or row.disk == "unreadable":
        return ChipWords("out", figure, tr("unreadable"))
    if row.state == "dropped":
        return ChipWords("out", figure, tr("left out"))
    if row.state == "excluded":
        return ChipWords("out", figure, tr("left out by you"))
    if row.disk == "changed" or row.state == "stale":
        return ChipWords("stale", figure, tr("changed"))
    if row.disk == "gone":
        return ChipWords("stale", figure, tr("gone"))
    if row.state == "unseen":
        return ChipWords("unseen", figure, tr("not seen by the model"))
    if row.secrets and not row.secrets[0].replaced:
        return ChipWords("secret", figure, secret_word(row.secrets))
    if row.secrets:
        return ChipWords("pinned" if row.pinned else "plain", figure, secret_word(row.secrets))
    # That it is shortened is said by its figures, where they are known.
    word = tr("shortened") if row.state == "compacted" and row.full_tokens is None else ""
    word = tr("refreshed") if row.disk == "renewed" else word
    return ChipWords("pinned" if row.pinned else "plain", figure, word)


def strongest(looks: Iterable[ChipLook]) -> ChipLook:
    """The look that most wants to be seen."""
    return max(looks, key=STRENGTH.index, default="plain")


def how_many_fit(widths: Sequence[float], more_width: float, room: float, gap: float) -> int:
    """How many chips fit into one row, with one that counts the others where not all do."""
    if sum(widths) + gap * max(0, len(widths) - 1) <= room:
        return len(widths)
    used, fitting = more_width, 0
    for width in widths:
        used += width + gap
        if used > room:
            break
        fitting += 1
    return fitting


HEIGHT, GAP = 24, 6


class ChipsRow(QWidget):
    """One row of chips.

    Signals:
        removed, pinned, opened: the key of the attachment. recalled_wished: the key of what came back.
    """

    recalled_wished = Signal(object)
    removed = Signal(str)
    pinned = Signal(str)
    opened = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[AttachmentRow, ...] = ()
        self._chips: dict[str, Chip] = {}
        self._more = MoreChip()
        self._more.setParent(self)
        self._more.clicked.connect(self._open_rest)
        self.recalled = RecalledChip()
        self.recalled.setParent(self)
        self.recalled.clicked.connect(self._on_recalled)
        self._quotes: tuple[SegmentRow, ...] = ()
        self._hidden: tuple[AttachmentRow, ...] = ()
        self.setAccessibleName(tr("Attached to this message"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_rows(
        self, rows: tuple[AttachmentRow, ...], files: Mapping[str, FileFacts] | None = None
    ) -> None:
        """Show these attachments, as far as they are news; the parts of one file as one."""
        self._rows = by_file(chips_of(rows), files or {})
        wanted = {row.key: row for row in self._rows}
        for key in [key for key in self._chips if key not in wanted]:
            gone = self._chips.pop(key)
            gone.hide()
            gone.deleteLater()
        for row in self._rows:
            self._chip(row)
        self._settle()

    def show_recalled(self, view: EnvelopeView | None) -> bool:
        """Show how much comes back for the question, behind what is attached; return whether the row came or went."""
        rows = view.quotes if view is not None else ()
        if rows == self._quotes:
            return False
        before, self._quotes = self.isHidden(), rows
        quoted = bool(rows) and all(row.kind == "quoted" for row in rows)
        self.recalled.show_count(len(rows), sum(row.tokens for row in rows), quoted=quoted)
        self._settle()
        return self.isHidden() != before

    def _on_recalled(self) -> None:
        if self._quotes:
            first = self._quotes[0]
            self.recalled_wished.emit(first.group or RowKey(first.key.layer, f"{first.kind}:"))

    def _settle(self) -> None:
        self.setVisible(bool(self._rows) or self.recalled.count() > 0)
        self._arrange()

    def shown_keys(self) -> tuple[str, ...]:
        return tuple(row.key for row in self._rows if row not in self._hidden)

    def hidden_rows(self) -> tuple[AttachmentRow, ...]:
        return self._hidden

    def in_order(self) -> tuple[QWidget, ...]:
        return (*(self._chips[row.key] for row in self._rows), self._more, self.recalled)

    def _chip(self, row: AttachmentRow) -> None:
        chip = self._chips.get(row.key)
        if chip is None:
            chip = self._chips[row.key] = Chip("image" if row.kind == "image" else "file")
            chip.setParent(self)
            key = row.key
            chip.removed.connect(lambda: self.removed.emit(key))
            chip.pinned.connect(lambda: self.pinned.emit(key))
            chip.opened.connect(lambda: self.opened.emit(key))

    def _dress(self, with_figures: bool) -> int:
        """Write on the chips; how many of them then fit."""
        for row in self._rows:
            words = chip_words(row)
            # How much of a file is sent is always said.
            figure = words.figure if with_figures or row.full_tokens is not None else ""
            self._chips[row.key].show(row.name or row.key, figure, words.look, words.word)
            path = row.key if is_rooted(row.key) else ""
            self._chips[row.key].add_tip(
                "\n".join(part for part in (path, secret_words(row.secrets)) if part)
            )
        widths = [float(self._chips[row.key].sizeHint().width()) for row in self._rows]
        self._more.show_rest(len(self._rows), "plain", _part_of(self._rows))
        taken = self.recalled.sizeHint().width() + GAP if self.recalled.count() else 0
        return how_many_fit(widths, self._more.sizeHint().width(), self.width() - taken, GAP)

    def _arrange(self) -> None:
        count = self._dress(with_figures=True)
        if count < len(self._rows) and self._dress(with_figures=False) <= count:
            # Without figures no more of them fit: then they keep theirs.
            self._dress(with_figures=True)
        elif count < len(self._rows):
            count = self._dress(with_figures=False)
        self._hidden = self._rows[count:]
        look = strongest(chip_words(row).look for row in self._hidden)
        self._more.show_rest(len(self._hidden), look, _part_of(self._hidden))
        x = 0
        for place, row in enumerate(self._rows):
            chip = self._chips[row.key]
            chip.setVisible(place < count)
            if place < count:
                x = self._put(chip, x)
        self._more.setVisible(bool(self._hidden))
        x = self._put(self._more, x) if self._hidden else x
        self.recalled.setVisible(self.recalled.count() > 0)
        self._put(self.recalled, x)

    def _put(self, widget: QWidget, x: int) -> int:
        size = widget.sizeHint()
        widget.setGeometry(QRect(x, 0, size.width(), HEIGHT))
        return x + size.width() + GAP

    def _open_rest(self) -> None:
        made = menu(self)
        for row in self._hidden:
            words = chip_words(row)
            told = words.figure if row.full_tokens is not None else words.word or words.figure
            title = f"{shown(row.name)}\t{told}"
            add_action(made, title, partial(self.opened.emit, row.key))
        popup_below(made, self._more)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def sizeHint(self) -> QSize:
        return QSize(100, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """One row, however narrow."""
        return QSize(40, HEIGHT)


class MoreChip(ChipButton):
    """Counts the chips that have no room, in the look of the one that most wants to be seen."""

    def __init__(self) -> None:
        super().__init__()
        self._look: ChipLook = "plain"

    def show_rest(self, count: int, look: ChipLook, part: str = "") -> None:
        """Say how many there are; `part` is how much of them is sent, where that is not all."""
        self._look = look
        words = tr("{n} more").format(n=count)
        self.setText(f"{words}, {part}" if part else words)
        self.setAccessibleName(formatting.counted(count, tr("1 more attachment"), tr("{n} more attachments")))
        self.setToolTip(tip(tr("Show the others")))
        self.update()

    def look(self) -> ChipLook:
        return self._look

    def update_look(self) -> None:
        look, ink = self._look, INKS[self._look]
        self.ground = "hover" if self.underMouse() else "raised"
        self.set_chip_look(look)
        icon = Run(icon=ICONS.get(look, "clip"), token=ink, gap=5)
        self.runs = (icon, Run(self.text(), "t1" if look == "plain" else ink))


class RecalledChip(ChipButton):
    """How many messages and sections come back for the question, and what they cost."""

    ground, border = "accent_tint", "accent"

    def __init__(self) -> None:
        super().__init__()
        self._count = 0
        self.hide()

    def count(self) -> int:
        return self._count

    def show_count(self, count: int, tokens: int, *, quoted: bool = False) -> None:
        self._count = count
        text = tr("{n} quoted") if quoted else tr("{n} recalled")
        self.setText(text.format(n=formatting.tokens(count)))
        said = tr("{n} recalled for this question, {tokens}")
        if quoted:
            said = tr("{n} quoted from followed folders, {tokens}")
        words = said.format(n=formatting.tokens(count), tokens=formatting.token_words(tokens))
        self.runs = (
            Run(icon="folder" if quoted else "recall", token="accent_text", gap=5.5),
            Run(self.text(), "accent_text", gap=6),
            Run(formatting.tokens(tokens), "accent_text"),
        )
        self.setAccessibleName(words)
        self.setToolTip(tip(f"{words}\n{tr('Show in the request')}"))
        self.updateGeometry()
        self.update()


# One quiet line in the composer: what just happened to what was pasted, or why nothing was sent.

STAY_MS = 12_000
MOST_ACTIONS = 4
FEW_ACTIONS = 2
"""More than these stand below the words, which would be cut otherwise."""
NoteAction = tuple[str, Callable[[], None]]


class ComposerNote(QWidget):
    """Says one thing, with what can be done about it; goes by itself, and when something new is done."""

    def __init__(self) -> None:
        super().__init__()
        self._acts: tuple[NoteAction, ...] = ()
        self.words = ElidedLabel("", "small", "t3")
        self.buttons = [button("", "link", size="small") for _ in range(MOST_ACTIONS)]
        self.close_button = on_click(tool_button("x", tr("Close"), side=20), self.hide)
        self._timer = single_shot(self, self.hide, STAY_MS)
        for place, action in enumerate(self.buttons):
            action.clicked.connect(partial(self._on_action, place))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.words.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._lines = rows(spacing=S2)
        acts = fill(columns(spacing=S2), *self.buttons, STRETCH)
        fill(self._lines, self.words, acts)
        fill(columns(self, spacing=S2), (self._lines, 1), self.close_button)
        self.hide()

    def say(self, words: str, *actions: NoteAction, stays: bool = False) -> None:
        """Say something, to the eye and to a screen reader; what waits for a decision stays."""
        self._acts = actions
        self.words.setText(words)
        below = len(actions) > FEW_ACTIONS
        self._lines.setDirection(
            QBoxLayout.Direction.TopToBottom if below else QBoxLayout.Direction.LeftToRight
        )
        self._lines.setSpacing(0 if below else S2)
        for place, one in enumerate(self.buttons):
            one.setText(actions[place][0] if place < len(actions) else "")
            one.setVisible(place < len(actions))
        self.show()
        if stays:
            self._timer.stop()
        else:
            self._timer.start()
        spoken = " ".join([words, *(label for label, _ in actions)])
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, spoken))

    def _on_action(self, place: int) -> None:
        _, act = self._acts[place]
        self.hide()
        act()


class UnsentLine(QWidget):
    """Says which parameters are set and stay out, because the model does not take them, as long as it is so."""

    def __init__(self) -> None:
        super().__init__()
        self.words = ElidedLabel("", "small", "warn")
        self.change = button(tr("Change…"), "link", size="small")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.words.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        fill(columns(self, spacing=S2), self.words, self.change, STRETCH)
        self.hide()

    def show_unsent(self, unsent: tuple[Unsent, ...]) -> None:
        said = listed(f"{one.name} ({in_language(one.reason)})" for one in unsent)
        words = tr("Not sent: {what}").format(what=said) if said else ""
        if words != self.words.text():
            self.words.setText(words)
            self.words.setToolTip(tip(words))
            self.setVisible(bool(words))
            if words:
                QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))


RADIUS, BORDER, TEXT_GAP = 12, 2, 6


class ComposerFrame(QFrame):
    """What is too much, queued and attached, the text, what is secret, a note, the strip; the border says how it is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.over = OverLimit()
        self.chips = ChipsRow()
        self.text = ComposerText()
        self.prefill = PrefillLine()
        self.secrets = SecretLine()
        self.unsent = UnsentLine()
        self.note = ComposerNote()
        self.strip = Strip()
        self.queued, self.cold = QueuedLines(), ColdLine()
        self._shown_border = (True, False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.text.setAccessibleName(tr("Message"))
        self.text.focused.connect(self._on_focus)
        self.setFocusProxy(self.text)
        down = rows(self, (BORDER, BORDER, BORDER, BORDER))
        down.addWidget(self.over)
        middle = rows(down, (12, 10, 12, 11))
        middle.addWidget(self.chips)
        self._writing = fill(
            rows(middle, spacing=S1), self.text, self.prefill, self.secrets, self.unsent, self.note
        )
        down.addWidget(self.cold)
        down.addWidget(self.strip)
        middle.insertWidget(0, self.queued)
        self.over.hide()
        self.chips.hide()
        self.close_up()

    def close_up(self) -> None:
        self._writing.setContentsMargins(2, 2 if self.chips.isHidden() else TEXT_GAP, 2, 0)

    def _on_focus(self) -> None:
        self.show_border()

    def show_border(self) -> None:
        """Paint the border where it is another one by now; everything within it is painted with it."""
        shown = (self.over.isHidden(), self.text.hasFocus())
        if shown != self._shown_border:
            self._shown_border = shown
            self.update()

    def order_focus(self) -> None:
        """Let Tab go through the parts as they lie, those too that came later than what they lie above."""
        fixes = [row.apply for row in self.over.fixes.fix_rows()]
        note = (*self.note.buttons, self.note.close_button)
        begun = (self.prefill.words, self.prefill.close_button)
        written = (self.text, *begun, self.secrets.replace, self.secrets.always, self.unsent.change, *note)
        order = [
            *fixes,
            *self.queued.in_order(),
            *self.chips.in_order(),
            *written,
            self.cold.act,
            self.cold.close_it,
            self.strip.attach,
            self.strip.once,
            self.strip.send,
        ]
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter, box = theme_of(self), QPainter(self), QRectF(self.rect())
        if self.text.geometry().contains(event.rect()):  # a letter was typed
            painter.fillRect(event.rect(), colour("raised", theme))
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inside = QPainterPath()
        inside.addRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS - 0.5, RADIUS - 0.5)
        painter.setClipPath(inside)
        painter.fillRect(box, colour("raised", theme))
        strip = QRectF(0, self.strip.y(), box.width(), box.bottom() - self.strip.y())
        painter.fillRect(strip, colour("chrome", theme))
        painter.fillRect(QRectF(0, strip.top(), box.width(), 1), colour("line", theme))
        if not self.over.isHidden():
            painter.fillRect(QRectF(0, 0, box.width(), BORDER + BAND_HEIGHT), colour("err_tint", theme))
        painter.setClipping(False)
        line, width = self._border(theme)
        stroke_rounded(painter, box, line, RADIUS, width)

    def _border(self, theme: Theme) -> tuple[str, int]:
        if not self.over.isHidden():
            return theme.errline, 2
        return (theme.accent, 2) if self.text.hasFocus() else (theme.edge, 1)
