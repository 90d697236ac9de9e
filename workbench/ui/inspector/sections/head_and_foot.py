"""The head and the foot of the section sheet: what the file is, and what choosing comes to."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.shown.parts_view import PartsView
from workbench.ui import formatting
from workbench.ui.look.space import S2, S3, S4, STRETCH, columns, fill
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.reading_words import extent_words, picked_words, read_as_words
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.buttons import button, tool_button
from workbench.ui.widgets.guided import tell_figure
from workbench.ui.widgets.labels import ElidedLabel, IconSpot, SumFigure, label, set_text
from workbench.ui.widgets.plain import shown, tip

HEAD, FOOT = 44, 58
NARROW = 560
_COUNTED = ("sent", "compacted", "reference", "stale")


class SheetHead(QWidget):
    """Name, length and kind of the file, and when it was read."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(HEAD)
        self.icon = IconSpot("file", box=QSize(16, 18))
        self.name = ElidedLabel("", "ui_heading")
        self.extent = label("", "small", "t2")
        self.kind = Badge()
        self.read = label("", "small", "t2")
        self.preview = tool_button("external", self.tr("Open the preview"), self.tr("Open the preview"))
        self.close_button = tool_button("x", self.tr("Close the sections"), self.tr("Close (Esc)"))
        across = columns(self, (S4, 2, S2, 0), S2)
        across.addWidget(self.icon)
        across.addWidget(self.name)
        across.addWidget(self.extent)
        across.addWidget(self.kind)
        across.addStretch(1)
        across.addWidget(self.read)
        across.addWidget(self.preview)
        across.addWidget(self.close_button)

    def show_view(self, view: PartsView) -> None:
        self.name.setText(shown(view.name))
        self.name.setMaximumWidth(self.name.fontMetrics().horizontalAdvance(shown(view.name)) + 4)
        known = not view.reading and not view.problem
        tokens = "…" if view.tokens is None else formatting.tokens(view.tokens)
        about = "" if view.exact or view.tokens is None else "≈ "
        words = self.tr("{extent} · {tokens} tokens").format(
            extent=extent_words(view.read_as, view.text), tokens=about + tokens
        )
        set_text(self.extent, words if known else "")
        self.kind.show_words("ok", "check", read_as_words(view.read_as)) if known else self.kind.show_words(
            "neutral", "", ""
        )
        self.kind.setToolTip(tip("\n".join(view.read_as.left_out)))
        at = formatting.clock(view.read_utc)
        set_text(self.read, self.tr("read {time}").format(time=at) if at else "")

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        painter.fillRect(QRectF(0, 0, self.width(), 2), colour("accent", theme))
        painter.fillRect(QRectF(0, self.height() - 1, self.width(), 1), colour("line", theme))


class SheetFoot(QWidget):
    """What is chosen, the room before and after, and what that does to the cache."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(FOOT)
        self.chosen, self.before = SumFigure(first=True), SumFigure()
        self.after, self.cache = SumFigure(), SumFigure()
        self.remove = button(self.tr("Remove"), "ghost", "trash")
        self.done = button(self.tr("Done"), "primary", shortcut_hint=self.tr("Esc"))
        self._had: int | None = None
        for figure, told in (
            (self.chosen, self.tr("What is sent of the chosen parts, and what they are in full.")),
            (self.before, self.tr("What is free in the request without this file.")),
            (self.after, self.tr("What is free in the request with the chosen parts.")),
            (
                self.cache,
                self.tr("Cached tokens that the chosen parts have read again, and where trimming begins."),
            ),
        ):
            tell_figure(figure, told, "attachments")
        across = columns(self, (S4, 8, S3, 8), 0)
        fill(across, self.chosen, self.before, self.after, self.cache, STRETCH, self.remove, S2, self.done)

    def begin(self) -> None:
        """Another file: what the cache holds from here on is what it may lose."""
        self._had = None

    def show_sums(
        self, view: PartsView, rows: tuple[AttachmentRow, ...], request: EnvelopeView | None
    ) -> None:
        """Show what is attached of the file; `rows` are its attachments."""
        tokens = sum(row.tokens for row in rows)
        amount = (
            picked_words(view.picked, view.read_as.pages, tuple(row.part for row in view.rows))
            if view.whole or view.chosen
            else self.tr("nothing")
        )
        about = "" if request is None or request.exact else "≈ "
        whole = sum(row.full_tokens or row.tokens for row in rows)
        words = self.tr("chosen, {amount}") if whole == tokens else self.tr("sent; chosen: {amount}")
        self.chosen.show_figure(about + formatting.tokens_of(tokens, whole), words.format(amount=amount))
        self.remove.setEnabled(bool(rows))
        if request is None:
            for figure, unit in ((self.before, self.tr("free before")), (self.after, self.tr("free after"))):
                figure.show_figure("—", unit)
            self.cache.show_figure("—", self.tr("being counted"))
            return
        free = request.limit_tokens - request.total_tokens
        sent = sum(row.tokens for row in rows if row.state in _COUNTED)
        self.before.show_figure(about + formatting.tokens(max(0, free + sent)), self.tr("free before"))
        self.after.show_figure(
            about + formatting.tokens(max(0, free)), self.tr("free after"), "err" if free < 0 else "t1"
        )
        self._show_cache(request)

    def _show_cache(self, request: EnvelopeView) -> None:
        self._had = request.cached_tokens if self._had is None else self._had
        lost = max(0, (self._had or 0) - (request.cached_tokens or 0))
        line = self._room_words(request)
        if request.over_tokens:
            over = self.tr("over by {n}").format(n=formatting.tokens(request.over_tokens))
            self.cache.show_figure(over, line, "err", "warn")
        elif request.cached_tokens is None:
            self.cache.show_figure(self.tr("cache unknown"), line, "t2", "info")
        elif lost:
            words = self.tr("re-reads {n}").format(n=formatting.tokens(lost))
            self.cache.show_figure(words, line, "warn", "warn")
        else:
            self.cache.show_figure(self.tr("cache kept"), line, "ok", "check")

    def _room_words(self, request: EnvelopeView) -> str:
        limit = request.threshold_tokens
        if limit is None:
            return self.tr("limit {limit}").format(limit=formatting.tokens(request.limit_tokens))
        room = limit - request.total_tokens
        words = self.tr("{n} under trim at {limit}") if room >= 0 else self.tr("{n} past trim at {limit}")
        return words.format(n=formatting.tokens(abs(room)), limit=formatting.tokens(limit))

    def set_narrow(self, narrow: bool) -> None:
        """Where there is little room, what was free before is left out."""
        self.before.setVisible(not narrow)

    def paintEvent(self, _event: QPaintEvent) -> None:
        QPainter(self).fillRect(QRectF(0, 0, self.width(), 1), colour("line", theme_of(self)))
