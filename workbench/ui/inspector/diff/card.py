"""The card with the text of one cause: what it was, what it is, line by line."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.shown.diff_view import DiffCause
from workbench.ui import formatting
from workbench.ui.inspector.rows.row_acts import Stepper
from workbench.ui.look.fonts import font, line_height, metrics
from workbench.ui.look.painting import set_text_style
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card, Hairline
from workbench.ui.widgets.code_view import DiffLine, DiffText, unified_lines
from workbench.ui.widgets.labels import ElidedLabel, IconSpot, label, set_text

MOST_LINES = 12
DIGEST_LETTERS = 8
HEAD_HEIGHT = 36
CONTEXT_LINES = 3
MOST_COMPARED = 1_500
"""More lines than this on either side are not matched with each other: that would take seconds."""
MOST_SHOWN = 2_000


class NotedDiff(DiffText):
    """A diff with a note at the end of one of its lines."""

    def __init__(self) -> None:
        super().__init__()
        self._note: tuple[int, str] | None = None

    def show_note(self, note: tuple[int, str] | None) -> None:
        self._note = note
        self.update()

    def note(self) -> tuple[int, str] | None:
        return self._note

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._note is None or self._note[0] >= len(self.lines()):
            return
        number, words = self._note
        painter, theme, high = QPainter(self), theme_of(self), line_height("diff")
        ground = "diff_del_bg" if self.lines()[number].sign == "-" else "diff_add_bg"
        width = metrics("meta_strong").horizontalAdvance(words) + 24
        box = QRectF(self.width() - width, number * high, width, high)
        painter.fillRect(box, colour(ground, theme))
        set_text_style(painter, font("meta_strong"), colour("err", theme))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)


class DiffCard(Card):
    """A cause with its lines; the payload can be wanted from it."""

    payload_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._all: tuple[DiffLine, ...] = ()
        self._cut = False
        self._shown: DiffCause | None = None
        self.icon = IconSpot("file")
        self.name = ElidedLabel("", "small")
        self.name.setFont(font("small", 600))
        self.name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.digests = label("", "digest", "t3")
        self.added, self.removed = label("", "meta_strong", "diff_add"), label("", "meta_strong", "diff_del")
        self.steps = Stepper(tr("Previous cause"), tr("Next cause"))
        self.payload = on_click(button(tr("Show in Payload"), size="small"), self.payload_wanted)
        self.lines = NotedDiff()
        self.calm = label("", "small", "t3", wrap=True)
        self.calm.setContentsMargins(12, 8, 12, 10)
        self.more = on_click(button("", "link", size="small"), self._show_all)
        self._place()

    def _place(self) -> None:
        down = rows(self, (1, 1, 1, 6))
        head = QWidget()
        head.setFixedHeight(HEAD_HEIGHT)
        across = columns(head, (12, 0, 8, 0), 8)
        for widget in (self.icon, self.name, self.digests, self.added, self.removed):
            across.addWidget(widget)
        across.addStretch(1)
        across.addWidget(self.steps)
        across.addWidget(self.payload)
        fill(down, head, Hairline(), self.lines, self.calm)
        fill(columns(down, (12, 4, 12, 2)), self.more, STRETCH)

    def show_place(self, place: tuple[int, int], in_payload: bool) -> None:
        self.steps.show_place(*place)
        self.payload.setVisible(in_payload)

    def show_cause(self, cause: DiffCause, name: str, first_token: int | None) -> None:
        """Show a cause by its name, and the token of the first difference where this is where it is."""
        self.name.setText(name)
        self.name.setVisible(bool(name))
        if cause is self._shown:
            return
        self._shown = cause
        self.icon.show_icon(
            {"turn": "chat", "question": "edit", "model": "chip", "tool": "tool"}.get(cause.kind, "file")
        )
        before, after = cause.before_digest[:DIGEST_LETTERS], cause.after_digest[:DIGEST_LETTERS]
        set_text(self.digests, f"{before} → {after}" if before and after else before or after)
        self.digests.setVisible(bool(before or after))
        self._show_lines(differences(*cause.texts()), first_token if cause.breaks else None)

    def _show_lines(self, found: Differences, first_token: int | None) -> None:
        set_text(self.added, f"+{formatting.tokens(found.added)}" if found.added else "")
        set_text(self.removed, f"−{formatting.tokens(found.removed)}" if found.removed else "")
        self._all, self._cut = found.lines, found.cut
        note = None
        if first_token is not None and found.first is not None:
            words = tr("◂ token {n}: first difference").format(n=formatting.tokens(first_token))
            note = (found.first, words)
        self.lines.show_note(note)
        self.lines.show_lines(self._all[:MOST_LINES])
        self.lines.setVisible(bool(self._all))
        self.calm.setVisible(not self._all)
        model = self._shown is not None and self._shown.kind == "model"
        words = tr("Caches are kept by model, so another one reads the whole request again.")
        same = tr("Its text is the same; only its place in the request changed.")
        if self._shown is not None and self._shown.kind == "counts":
            same = tr("What was sent stays as it is; only its figures are more exact.")
        if self._shown is not None and self._shown.cause == "rebuilt":
            same = tr("The request was laid out afresh, so what moved is read again.")
        set_text(self.calm, words if model else same)
        hidden = len(self._all) - MOST_LINES
        self.more.setVisible(hidden > 0)
        if hidden > 0:
            words = tr("Show all {n} lines") if not self._cut else tr("Show the first {n} lines")
            self.more.setText(words.format(n=formatting.tokens(len(self._all))))

    def _show_all(self) -> None:
        self.lines.show_lines(self._all)
        self.more.setVisible(False)


class Differences(NamedTuple):
    """The lines of a diff, and how many were added and removed; `cut` where more are left out than shown."""

    lines: tuple[DiffLine, ...]
    added: int
    removed: int
    cut: bool = False

    @property
    def first(self) -> int | None:
        return next((number for number, line in enumerate(self.lines) if line.sign in "+-"), None)


def differences(before: str, after: str) -> Differences:
    """What changed: matched line by line where that is quick, otherwise everything out and everything in."""
    old, new = before.splitlines(), after.splitlines()
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    old_middle, new_middle = old[head : len(old) - tail], new[head : len(new) - tail]
    start = max(0, head - CONTEXT_LINES)
    if max(len(old_middle), len(new_middle)) <= MOST_COMPARED:
        end = max(0, tail - CONTEXT_LINES)
        lines = unified_lines(
            _joined(old, start, len(old) - end), _joined(new, start, len(new) - end), CONTEXT_LINES
        )
        moved = [_moved(line, start) for line in lines]
    else:
        around = [DiffLine(n + 1, n + 1, " ", old[n]) for n in range(start, head)]
        gone = [DiffLine(head + n + 1, None, "-", text) for n, text in enumerate(old_middle[:MOST_SHOWN])]
        come = [DiffLine(None, head + n + 1, "+", text) for n, text in enumerate(new_middle[:MOST_SHOWN])]
        moved = [*around, *gone, *come]
    signs = [line.sign for line in moved]
    compared = max(len(old_middle), len(new_middle)) <= MOST_COMPARED
    added = signs.count("+") if compared else len(new_middle)
    removed = signs.count("-") if compared else len(old_middle)
    return Differences(tuple(moved[:MOST_SHOWN]), added, removed, added + removed > MOST_SHOWN)


def _common(one: list[str], other: list[str]) -> int:
    most = min(len(one), len(other))
    return next((number for number in range(most) if one[number] != other[number]), most)


def _joined(lines: list[str], start: int, end: int) -> str:
    return "".join(f"{line}\n" for line in lines[start:end])


def _moved(line: DiffLine, by: int) -> DiffLine:
    return line._replace(
        old=None if line.old is None else line.old + by, new=None if line.new is None else line.new + by
    )
