"""One model as it is offered: its name, what is known of it, whether it can be used now, and its star."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from workbench.domain.models.learnt import ModelLearnt
from workbench.domain.models.model import ModelCard
from workbench.domain.models.model_listing import ModelListing
from workbench.domain.models.provider import KEYED
from workbench.engine.state import Readiness
from workbench.ui.formatting import accuracy, tokens
from workbench.ui.look.fonts import font
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import elided, fill_rounded, set_text_style
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import translator
from workbench.ui.widgets.plain import shown, tip

_tr = translator("ModelPicker")

WIDTH, ROW, STAR_PX = 380, 44, 30
ANY_NAME = "NAME"


class ModelRow(QAbstractButton):
    """A model: its name, its window, and whether it can be used now.

    Signals:
        looked_at: this row while it is pointed at or has the focus; None after that.
        starred: its star was pressed, or the key of it; the name of its model.
    """

    looked_at = Signal(object)
    starred = Signal(str)

    def __init__(
        self,
        listing: ModelListing,
        readiness: Readiness | None,
        current: bool,
        learnt: ModelLearnt | None = None,
    ) -> None:
        super().__init__()
        self.listing, self._current, self._next, self._starred = listing, current, False, False
        self._line = _line(listing, readiness) + _learnt_words(listing, learnt) + via_words(listing)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(ROW)
        mark = _tr("in use") if current else ""
        self.setAccessibleName(f"{shown(listing.name)}, {self._line} {mark}".strip())
        self.setToolTip(tip(f"{listing.name}: {self._line}"))

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Enter, QEvent.Type.FocusIn):
            self.looked_at.emit(self)
        elif event.type() in (QEvent.Type.Leave, QEvent.Type.FocusOut, QEvent.Type.MouseButtonPress):
            self.looked_at.emit(None)
        return super().event(event)

    def set_starred(self, starred: bool) -> None:
        self._starred = starred
        if self.listing.card is not None:
            words = _tr("S takes its star off") if starred else _tr("S marks it with a star")
            self.setToolTip(tip(f"{self.listing.name}: {self._line}\n{words}"))
        if starred:
            self.setAccessibleName(f"{self.accessibleName()}, {_tr('favourite')}")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_S and self.listing.card is not None:
            self.starred.emit(self.listing.name)
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.focusNextPrevChild(event.key() == Qt.Key.Key_Down)
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click on the star is no choice."""
        if self.listing.card is not None and event.position().x() > self.width() - STAR_PX:
            self.setDown(False)
            self.starred.emit(self.listing.name)
        else:
            super().mouseReleaseEvent(event)

    def set_next(self, taken: bool) -> None:
        if taken != self._next:
            self._next = taken
            self.setAccessibleDescription(_tr("Enter takes it") if taken else "")
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(WIDTH - 24, ROW)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        box = QRectF(self.rect())
        if self._current or self._next or self.underMouse() or self.hasFocus():
            fill_rounded(painter, box, theme.sel if self._current else theme.hover, 6)
        provider = self.listing.name.partition(":")[0]
        icon = "chip" if provider in ("builtin", "gguf") else "globe" if provider in KEYED else "server"
        paint_icon(painter, QRectF(8, 0, 20, ROW), icon, "t2" if self.listing.usable else "t3")
        width = box.width() - 36 - 28 - STAR_PX
        set_text_style(painter, font("ui_label"), colour(theme.t1 if self.listing.usable else theme.t3))
        name = elided(font("ui_label"), shown(_title(self.listing)), width)
        painter.drawText(QRectF(36, 5, width, 18), int(Qt.AlignmentFlag.AlignVCenter), name)
        set_text_style(painter, font("small"), colour(theme.t3))
        painter.drawText(
            QRectF(36, 22, width, 16),
            int(Qt.AlignmentFlag.AlignVCenter),
            elided(font("small"), self._line, width),
        )
        mark = QRectF(box.right() - 26 - STAR_PX, 0, 18, ROW)
        if self._next:
            paint_icon(painter, mark, "return", "t2")
        elif self._current:
            paint_icon(painter, mark, "check", "accent_text")
        star = QRectF(box.right() - STAR_PX, 0, STAR_PX, ROW)
        if self._starred:
            paint_icon(painter, star, "star-filled", "accent_text")
        elif self.listing.card is not None and (self.underMouse() or self.hasFocus()):
            paint_icon(painter, star, "star", "t3")


def window_words(card: ModelCard) -> str:
    """How large its window is, and where that is from."""
    words = _tr("{n} tokens")
    if "context_window_tokens" in card.declared:
        words = _tr("{n} tokens, set by you")
    elif card.window_assumed:
        words = _tr("{n} tokens assumed")
    elif card.window_from == "modelfile":
        words = _tr("{n} tokens, from its Modelfile")
    elif card.window_from == "default" and card.largest_window_tokens is not None:
        words = _tr("{n} tokens by default; the model supports {most}")
    elif card.window_from == "default":
        words = _tr("{n} tokens by default")
    return words.format(n=tokens(card.context_window_tokens), most=tokens(card.largest_window_tokens or 0))


def _title(listing: ModelListing) -> str:
    """A model's name; what stands for all others of a place says so."""
    place, _, name = listing.name.partition(":")
    if listing.card is not None or name != ANY_NAME:
        return listing.name
    return _tr("Another model of {place}…").format(place=place) if listing.usable else place


def _line(listing: ModelListing, readiness: Readiness | None) -> str:
    if not listing.usable and listing.name.partition(":")[0] in KEYED:
        return _tr("needs a key: press to add it")
    if not listing.usable:
        return listing.advice or _tr("can’t be used now")
    if listing.card is None and readiness is None:
        return listing.advice or _tr("type its name")
    window = "" if listing.card is None else window_words(listing.card)
    if readiness is not None and readiness.problem:
        return readiness.problem
    if readiness is not None and not readiness.ready:
        return readiness.what or _tr("starting")
    state = _tr("ready") if readiness is not None else _tr("can be used")
    return f"{state} · {window}" if window else state


def via_words(listing: ModelListing) -> str:
    """That it is asked through a proxy; empty where it is asked directly."""
    return _tr(" · through the proxy {proxy}").format(proxy=shown(listing.via, 80)) if listing.via else ""


def _learnt_words(listing: ModelListing, learnt: ModelLearnt | None) -> str:
    if learnt is None or not learnt.judged or not listing.usable:
        return ""
    told = accuracy(learnt.within, learnt.judged)
    return _tr(" · forecasts: {told}").format(told=told)
