"""The card of findings: what is so, what to do about it, what it takes and costs, and the way to the evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QGuiApplication, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.domain.watch.request import Finding, FindingKind, Mend
from workbench.ui import formatting
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import N_, tr
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card, Hairline
from workbench.ui.widgets.guided import lead_to, tell_figure
from workbench.ui.widgets.labels import ElidedLabel, FigureLabel, label
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.plain import shown, tip

MOST_SHOWN = 3
LEAST_WIDTH = 400
ICON, ICON_ROOM = 16, 26
MOST_CHARACTERS = 400
COPIED_MS = 1_500
ROOM_FOR_SAVING = 520

_ICONS: Mapping[FindingKind, tuple[str, str]] = {
    "prefix_lost": ("warn", "err"),
    "unused_tools": ("tool", "warn"),
    "stale_result": ("file", "warn"),
    "same_file": ("copy", "warn"),
    "timestamp": ("clock", "warn"),
    "idle_mark": ("pin", "warn"),
    "window_full": ("layers", "err"),
    "cold_resume": ("snow", "info"),
    "compacted": ("compact", "info"),
    "saved": ("check", "ok"),
}
_TITLES: Mapping[FindingKind, str] = {
    "prefix_lost": N_("Prefix lost"),
    "unused_tools": N_("Tools never called"),
    "stale_result": N_("Old result still sent"),
    "same_file": N_("Same file more than once"),
    "timestamp": N_("A date in the prefix"),
    "idle_mark": N_("Cache mark without a hit"),
    "window_full": N_("Window nearly full"),
    "cold_resume": N_("Cold resume"),
    "compacted": N_("Conversation compacted"),
    "saved": N_("Fewer tools than the run before"),
}
_BUTTONS: Mapping[FindingKind, str] = {
    "prefix_lost": N_("Show in Diff"),
    "unused_tools": N_("List them"),
    "compacted": N_("Attach it"),
    "saved": N_("List them"),
}
_IN_DIFF: tuple[FindingKind, ...] = ("prefix_lost", "cold_resume")


def row_of(view: EnvelopeView, path: str) -> RowKey | None:
    """The row that shows a finding; one about tools is shown by the row of all tools."""
    keys = [row.key for layer in view.layers for row in layer.rows]
    found = next((key for key in keys if path and key.id == path), None)
    if found is None and path.startswith("tools"):
        found = next((key for key in keys if key.id == "tools"), None)
    return found or next((key for key in keys if path and path.startswith(key.id)), None)


class FindingsCard(QWidget):
    """The findings of the request in view; it takes no room where there is none.

    Signals:
        row_wanted: the row that shows one. diff_wanted: how the request differs from the one before.
        removed_wanted: a chat of one's own with what a compaction removed.
    """

    spoken_role = QAccessible.Role.List
    row_wanted = Signal(object)
    diff_wanted = Signal()
    removed_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[Finding, ...] = ()
        self._view: EnvelopeView | None = None
        self.rows: list[FindingRow] = []
        self.card = Card()
        self.title = label(tr("Findings"), "ui_heading")
        self.count = Badge()
        self.note = label(tr("largest first"), "small", "t3")
        inside = rows(self.card, (1, 1, 1, 1))
        fill(columns(inside, (12, 8, 12, 8), 8), self.title, self.count, (None, 1), self.note)
        self._inside: QVBoxLayout = inside
        self.more = on_click(button("", "link", size="small"), self._turn)
        self.more.setCheckable(True)
        fill(rows(self, (14, 10, 14, 10), 0), self.card)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Findings"))
        lead_to(self, "watch")
        self.hide()

    def show_view(self, view: EnvelopeView | None) -> None:
        found = view.findings if view is not None else ()
        same = found == self._shown
        self._view = view
        self.setVisible(bool(found))
        if same:
            return
        self._shown = found
        self.count.show_words("neutral", "", formatting.tokens(len(found)))
        self._fill()

    def sizeHint(self) -> QSize:
        """As high as its sentences are at this width."""
        width = self.width() if self.width() > LEAST_WIDTH else LEAST_WIDTH
        return QSize(LEAST_WIDTH, self.layout().totalHeightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.updateGeometry()

    def _turn(self) -> None:
        self._fill()

    def _fill(self) -> None:
        for old in self.rows:
            self._inside.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._inside.removeWidget(self.more)
        whole = self.more.isChecked()
        wanted = self._shown if whole else self._shown[:MOST_SHOWN]
        self.rows = [FindingRow(one, self._lead) for one in wanted]
        fill(self._inside, *self.rows)
        hidden = len(self._shown) - MOST_SHOWN
        self.more.setVisible(hidden > 0)
        if hidden > 0:
            words = tr("{n} more").format(n=formatting.tokens(hidden))
            self.more.setText(tr("Show fewer") if whole else words)
            self._inside.addWidget(self.more, 0, Qt.AlignmentFlag.AlignHCenter)
        self.updateGeometry()

    def _lead(self, finding: Finding) -> None:
        key = row_of(self._view, finding.path) if self._view is not None else None
        if finding.kind == "compacted":
            self.removed_wanted.emit()
        elif finding.kind in _IN_DIFF or key is None:
            self.diff_wanted.emit()
        else:
            self.row_wanted.emit(key)


class FindingRow(QWidget):
    """One finding."""

    spoken_role = QAccessible.Role.ListItem

    def __init__(self, finding: Finding, lead: Callable[[Finding], None]) -> None:
        super().__init__()
        self.finding = finding
        self._icon, self._token = _ICONS[finding.kind]
        self.title = label(tr(_TITLES[finding.kind]), "ui_heading", "err" if self._token == "err" else "t1")
        self.words = label(finding.words, "ui", wrap=True)
        self.advice = label(tr(finding.advice), "small", "t3", wrap=True)
        self.tokens = FigureLabel(formatting.tokens(finding.tokens), "ui", weight=600)
        self.price = FigureLabel("" if finding.usd is None else formatting.usd(finding.usd), "small", "warn")
        self.lead = button(tr(_BUTTONS.get(finding.kind, N_("Show it"))), size="small")
        self.lead.setAccessibleName(f"{self.lead.text()}: {finding.words}")
        self.lead.clicked.connect(lambda: lead(finding))
        tell_figure(self.tokens, tr("The tokens this finding is about, counted in this request."), "watch")
        tell_figure(self.price, tr("What these tokens cost at the model’s price."), "watch")
        down = rows(self)
        down.addWidget(Hairline())
        across = columns(down, (12, 8, 12, 9), 0)
        across.addSpacing(ICON_ROOM)
        said = rows(across, spacing=2)
        across.setStretchFactor(said, 1)
        # The figures stand on the title's line: what is so, and what to do, has the whole width.
        head = columns(said, spacing=10)
        fill(head, (self.title, 1), self.tokens, self.price, self.lead)
        fill(said, self.words, self.advice)
        self.advice.setVisible(bool(finding.advice))
        self.line: MendLine | None = None
        if finding.mends:
            self.line = MendLine(finding.mends)
            said.addWidget(self.line)
        self.setAccessibleName(f"{self.title.text()}. {finding.words} {finding.advice}")

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        spot = QRectF(12, self.title.geometry().center().y() - ICON / 2, ICON, ICON)
        if self.finding.kind == "prefix_lost":
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour("errline", theme_of(self)))
            painter.drawPolygon(_triangle(spot))
            return
        paint_icon(painter, spot, self._icon, self._token, ICON)


class MendLine(QWidget):
    """A line to copy for the program itself, with what it should save; others are in the tooltip."""

    def __init__(self, mends: Sequence[Mend]) -> None:
        super().__init__()
        first = mends[0]
        self.where = label(tr("In {program}:").format(program=shown(first.program, 30)), "small", "t2")
        self.text = ElidedLabel(shown(first.line, MOST_CHARACTERS), "code")
        self.text.setToolTip(tip("\n".join(f"{one.line} ({_other(one)})" for one in mends)))
        self.saves = label("", "small", "t3")
        if first.tokens:
            self.saves.setText(_other(first))
        self.copy = on_click(button(tr("Copy"), icon="copy", size="small"), self._copy)
        self.copy.setAccessibleName(tr("Copy the line: {line}").format(line=first.line))
        self._line = first.line
        self._again = single_shot(self, lambda: self.copy.setText(tr("Copy")), COPIED_MS)
        across = columns(self, (0, 4, 0, 0), 8)
        fill(across, self.where, (self.text, 1), self.saves, self.copy)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow pane the tooltip says what it saves: the line comes first."""
        super().resizeEvent(event)
        self.saves.setVisible(self.width() >= ROOM_FOR_SAVING)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._line)
        self.copy.setText(tr("Copied"))
        self._again.start()


def _other(mend: Mend) -> str:
    return tr("should save {n} tokens").format(n=formatting.tokens(mend.tokens))


def _triangle(box: QRectF) -> list[QPointF]:
    top, left = box.top() + 4, box.left() + 2
    return [QPointF(left, top), QPointF(left + 12, top), QPointF(left + 6, top + 10)]
