"""A comparison from top to bottom: bars, figures, causes, the text of one of them, and a cheaper way."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from workbench.domain.files.file_names import short_path
from workbench.domain.shown.diff_view import DiffCause, DiffView
from workbench.domain.shown.envelope_view import RowKey
from workbench.engine.state import ChatState
from workbench.ui import formatting
from workbench.ui.inspector.diff.bars import DiffBars
from workbench.ui.inspector.diff.card import DiffCard
from workbench.ui.inspector.diff.causes import CauseList, entries, knows_cache, name_in
from workbench.ui.inspector.diff.relation_words import Figure, calm_words, figures
from workbench.ui.inspector.payload.document import row_index
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.painting import elided, paint_elided, paint_figure, set_text_style, stroke_rounded
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.look.tones import Tone, tone_token
from workbench.ui.steps import Step, apply_settings
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.guided import lead_to, with_more
from workbench.ui.widgets.labels import IconSpot, label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.wishes import Wishes

_tr = translator("Diff")
HEIGHT, PADDING, RADIUS = 54, 12, 10


def breaking_file(diff: DiffView) -> DiffCause | None:
    """The file of the library whose change broke the prefix of the next request; None where nothing did."""
    if diff.after.sent_utc or diff.change != "diverged":
        return None
    first = next((cause for cause in diff.causes if cause.breaks), None)
    is_file = first is not None and first.cause == "file_changed" and first.layer == "L2_PREVIOUS"
    return first if is_file else None


def freezing(chat: ChatState, diff: DiffView) -> Step | None:
    """Keep the library's copies as they were sent; None where that is so already, or would not help."""
    cause = breaking_file(diff)
    if cause is None or chat.chat.settings.freshness == "freeze" or not knows_cache(chat):
        return None
    title = _tr("Freeze {name}").format(name=shown(short_path(cause.subject)))
    return apply_settings(chat, replace(chat.chat.settings, freshness="freeze"), title)


def freezing_words(diff: DiffView) -> str:
    """What freezing would do."""
    kept = formatting.tokens(diff.lasting_tokens)
    words = _tr(
        "The library keeps its old copy: {n} tokens stay cached. The new text is added after History."
    )
    return words.format(n=kept)


class NoteCard(Card):
    """Signals: `pressed` when the offer is taken."""

    pressed = Signal()

    def __init__(self, icon: str, tone: Tone | None = None, icon_token: str = "") -> None:
        super().__init__(tone)
        self.title = label("", "ui_label")
        self.line = label("", "small", "t3", wrap=True)
        self.offer = on_click(button(""), self.pressed)
        self.offer.setVisible(False)
        across = columns(self, (12, 10, 12, 10), 12)
        spot = IconSpot(icon, icon_token or (tone_token(tone) if tone else "t2"), 20)
        across.addWidget(spot, 0, Qt.AlignmentFlag.AlignVCenter)
        fill(rows(across, spacing=2), self.title, self.line)
        across.setStretch(1, 1)
        across.addWidget(self.offer, 0, Qt.AlignmentFlag.AlignVCenter)

    def say(self, title: str, line: str, offer: str = "") -> None:
        set_text(self.title, title)
        set_text(self.line, line)
        self.offer.setVisible(bool(offer))
        if offer != self.offer.text():
            self.offer.setText(offer)


class DiffBody(QWidget):
    """Signals: `picked` tells a row, `payload_wanted` where to go with it, `step` what to tune."""

    picked = Signal(object)
    payload_wanted = Signal(object)

    def __init__(self, wishes: Wishes | None = None) -> None:
        super().__init__()
        self.wishes = wishes or Wishes(self)
        self.setObjectName("transparent")
        self._diff: DiffView | None = None
        self._chat: ChatState | None = None
        self._step: Step | None = None
        self._chosen = 0
        self.bars, self.figures = DiffBars(), DiffFigures()
        self.calm = NoteCard("check", "ok")
        self.causes = CauseList()
        self.why = self._why()
        self.card = DiffCard()
        self.alternative = NoteCard("snow", icon_token="info")
        down = rows(self, (16, 0, 16, 16), 12)
        fill(down, self.bars, self.figures, self.calm, self.why, self.card, self.alternative, STRETCH)
        self.causes.picked.connect(self._pick)
        self.card.steps.stepped.connect(self._step_cause)
        self.card.payload_wanted.connect(self._to_payload)
        self.alternative.pressed.connect(self._freeze)

    def _why(self) -> Card:
        card = Card()
        down = rows(card, (1, 1, 1, 1))
        head = columns(down, (12, 7, 12, 7), 8)
        head.addWidget(label(self.tr("Why, in wire order"), "meta_strong"))
        head.addStretch(1)
        head.addWidget(label(self.tr("effect on the cache"), "meta", "t3"))
        down.addWidget(self.causes)
        return card

    def show_diff(self, chat: ChatState, diff: DiffView) -> None:
        """Show another comparison; the cause that breaks is chosen at first."""
        if diff is self._diff and chat is self._chat:
            return
        if diff is not self._diff:
            self._chosen = next((n for n, cause in enumerate(diff.causes) if cause.breaks), 0)
        self._diff, self._chat = diff, chat
        self.bars.show_diff(diff)
        self.figures.show_figures(figures(diff, knows_cache(chat)))
        self._show_calm()
        self.why.setVisible(bool(diff.causes))
        self.causes.show_entries(entries(diff, chat))
        self._show_cause()
        self._show_alternative()

    def select(self, key: RowKey | None) -> None:
        causes = self._diff.causes if self._diff is not None else ()
        found = [
            n for n, cause in enumerate(causes) if key is not None and (cause.layer, cause.subject) == key
        ]
        if found and found[0] != self._chosen:
            self._chosen = found[0]
            self._show_cause()

    def chosen(self) -> int:
        return self._chosen

    def _show_calm(self) -> None:
        words = calm_words(self._diff) if self._diff is not None else None
        self.calm.setVisible(words is not None)
        if words is not None:
            self.calm.say(*words)

    def _show_cause(self) -> None:
        causes = self._diff.causes if self._diff is not None else ()
        self.card.setVisible(bool(causes))
        if self._diff is None or not causes:
            return
        self._chosen = min(self._chosen, len(causes) - 1)
        self.causes.select(self._chosen)
        place = (self._chosen + 1, len(causes))
        first = self._diff.first_difference_token
        cause = causes[self._chosen]
        name = name_in(self._chat, cause) if self._chat is not None else ""
        if cause.cause == "rebuilt":
            name = _tr("Whole request")  # it is about no row, and its subject is the reason
        self.card.show_place(place, in_payload=self._key() is not None)
        self.card.show_cause(cause, name, first)

    def _show_alternative(self) -> None:
        self._step = (
            freezing(self._chat, self._diff) if self._chat is not None and self._diff is not None else None
        )
        self.alternative.setVisible(self._step is not None)
        if self._step is not None and self._diff is not None:
            self.alternative.say(
                self.tr("Keep the cache instead?"), freezing_words(self._diff), self._step.title
            )

    def _key(self) -> RowKey | None:
        if self._diff is None or self._chat is None or self._chat.view is None:
            return None
        cause = self._diff.causes[self._chosen]
        return row_index(self._chat.view).get((cause.layer, cause.subject))

    def _pick(self, number: int) -> None:
        self._chosen = number
        self._show_cause()
        key = self._key()
        if key is not None:
            self.picked.emit(key)

    def _step_cause(self, by: int) -> None:
        count = len(self._diff.causes) if self._diff is not None else 0
        self._pick(min(max(self._chosen + by, 0), max(count - 1, 0)))

    def _to_payload(self) -> None:
        key = self._key()
        if key is not None:
            self.payload_wanted.emit(key)

    def _freeze(self) -> None:
        if self._step is not None:
            self.wishes.do(self._step)


class DiffFigures(QWidget):
    """A card of figures; one that is bad has a ground of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._figures: tuple[Figure, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("What it costs"))
        lead_to(self, "cache")

    def show_figures(self, figures: tuple[Figure, ...]) -> None:
        self._figures = figures
        self.setAccessibleDescription(", ".join(f"{figure.value} {figure.unit}" for figure in figures))
        self.update()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            at = event.pos().x() * len(self._figures) // max(self.width(), 1)
            words = self._figures[at].why if 0 <= at < len(self._figures) else ""
            QToolTip.showText(event.globalPos(), tip(with_more(words)), self)
            return True
        return super().event(event)

    def sizeHint(self) -> QSize:
        return QSize(720, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(280, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme, box = QPainter(self), theme_of(self), QRectF(self.rect())
        outline = QPainterPath()
        outline.addRoundedRect(box, RADIUS, RADIUS)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipPath(outline)
        painter.fillRect(box, colour("raised", theme))
        for number, figure in enumerate(self._figures):
            self._paint_cell(painter, self._cell(number), figure, first=number == 0)
        painter.setClipping(False)
        stroke_rounded(painter, box, theme.line, RADIUS)

    def _cell(self, number: int) -> QRectF:
        width = self.width() / max(len(self._figures), 1)
        left = round(number * width)
        return QRectF(left, 0, round((number + 1) * width) - left, self.height())

    def _paint_cell(self, painter: QPainter, cell: QRectF, figure: Figure, first: bool) -> None:
        theme = theme_of(self)
        if figure.token == "err":
            painter.fillRect(cell, colour("err_tint", theme))
        if not first:
            painter.fillRect(QRectF(cell.left(), cell.top(), 1, cell.height()), colour("line", theme))
        inner = cell.adjusted(PADDING, 0, -PADDING, 0)
        set_text_style(painter, font("figure2"), colour(figure.token, theme))
        value = elided(font("figure2"), figure.value, inner.width())
        paint_figure(painter, QRectF(inner.left(), 8, inner.width(), 22), value, Qt.AlignmentFlag.AlignLeft)
        fits = metrics("meta").horizontalAdvance(figure.unit) <= inner.width()
        unit = figure.unit if fits else figure.short or figure.unit
        set_text_style(painter, font("meta"), colour("err" if figure.token == "err" else "t3", theme))
        paint_elided(painter, QRectF(inner.left(), 31, inner.width(), 15), unit)
