"""The budget bar: the request in wire order, what of it is cached, and how much room is left."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from workbench.domain.segment import LayerName
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.ui.formatting import percent, tokens
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.painting import (
    figure_width,
    fill_rounded,
    mark_brush,
    paint_figure,
    set_text_style,
    stipple_brush,
    stroke_rounded,
)
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.look.tones import layer_word
from workbench.ui.translation import listed, tr
from workbench.ui.widgets.budget_bar import painting
from workbench.ui.widgets.budget_bar.layout import FIGURE, BarLayout, FlagName, lay_out, place_flags
from workbench.ui.widgets.budget_bar.segments import BarModel, BarSegment, bar_of, between, moved_share
from workbench.ui.widgets.guided import lead_to, with_more
from workbench.ui.widgets.motion import Glide, duration
from workbench.ui.widgets.plain import shown, tip

__all__ = ["BarModel", "BarSegment", "BudgetBar", "bar_of"]
BAR_HEIGHT, COMPACT_HEIGHT = 36, 12
FLAGS_HEIGHT, REACH = 18, 3
GHOST_GAP, GHOST_HEIGHT, GHOST_WORDS = 4, 6, 18
MOVE_MS, GHOST_MS = 160, 80
MOST_MOVED = 400
"""With more segments a bar jumps: nobody could follow them."""
LEAST_MOVE_PX = 2.0
"""A bar that moves less jumps, too: nobody would see it, and every letter that is typed would be ten paints."""


class BudgetBar(QWidget):
    """Shows a bar, moves to the next one, and lets a segment be chosen by pointer and keyboard."""

    spoken_role = QAccessible.Role.Chart

    selected = Signal(object)

    def __init__(self, compact: bool = False) -> None:
        super().__init__()
        self._compact = compact
        self._bar = self._shown = self._from = BarModel()
        self._ghost: BarModel | None = None
        self._ghost_figures = True
        self._ghost_opacity = 1.0
        self._chosen: RowKey | None = None
        self._cursor: RowKey | None = None
        self._layout: BarLayout | None = None
        self._drawn: tuple[object, ...] = ()
        self._motion = Glide(self)
        self._motion.moved.connect(self._on_step)
        self._fade = Glide(self)
        self._fade.moved.connect(self._on_fade)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus if compact else Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Budget"))
        self.setProperty("ring", False)
        lead_to(self, "budget")

    def bar(self) -> BarModel:
        return self._bar

    def show_bar(self, bar: BarModel) -> None:
        """Move to another bar from what is shown now; the latest wins."""
        if bar == self._bar:
            return
        self._from, self._bar = self._shown, bar
        self.setAccessibleDescription(sentence(bar))
        self._motion.go(0.0, 1.0, duration(self, MOVE_MS) if self._is_worth_a_move() else 0)

    def show_ghost(self, bar: BarModel | None, *, figures: bool = True) -> None:
        """Show another request as a ghost, with its figures under it where they stand nowhere else."""
        if (bar, figures) == (self._ghost, self._ghost_figures):
            return
        self._ghost_figures = figures
        appears = self._ghost is None
        self._ghost = bar
        self.updateGeometry()
        if appears and bar is not None:
            self._fade.go(0.0, 1.0, duration(self, GHOST_MS))
        self.update()

    def select(self, key: RowKey | None) -> None:
        if key != self._chosen:
            self._chosen = self._cursor = key
            self.update()

    def cursor_key(self) -> RowKey | None:
        return self._cursor

    def sizeHint(self) -> QSize:
        if self._compact:
            return QSize(240, COMPACT_HEIGHT + 2 * REACH)
        words = GHOST_WORDS if self._ghost_figures else REACH
        ghost = GHOST_GAP + GHOST_HEIGHT + words if self._ghost is not None else REACH
        return QSize(720, FLAGS_HEIGHT + BAR_HEIGHT + ghost)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def layout_now(self) -> BarLayout:
        if self._layout is None or self._layout.width != self.width():
            self._layout = lay_out(self._shown, float(self.width()), self.devicePixelRatioF())
        return self._layout

    def bar_box(self) -> QRectF:
        if self._compact:
            return QRectF(0, (self.height() - COMPACT_HEIGHT) / 2, self.width(), COMPACT_HEIGHT)
        return QRectF(0, FLAGS_HEIGHT, self.width(), BAR_HEIGHT)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            index = self._at(float(event.pos().x()))
            said = segment_words(self._shown, index) if index >= 0 else sentence(self._bar)
            QToolTip.showText(event.globalPos(), tip(with_more(said)), self)
            return True
        return bool(super().event(event))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self._at(event.position().x())
        if event.button() == Qt.MouseButton.LeftButton and index >= 0:
            self._choose(self.layout_now().keys[index])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                forward = event.key() == Qt.Key.Key_Right
                self._move_cursor(1 if forward else -1)
            case Qt.Key.Key_Home:
                self._put_cursor(0)
            case Qt.Key.Key_End:
                self._put_cursor(len(self._shown.segments) - 1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space if self._cursor is not None:
                self._choose(self._cursor)
            case _:
                super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        layout = self.layout_now()
        canvas = painting.Canvas(painter, theme_of(self), self.bar_box(), self.devicePixelRatioF())
        painting.paint_bar(canvas, layout, self._compact)
        if not self._compact:
            painting.paint_labels(canvas, layout, self._shown)
        painting.paint_marks(canvas, layout, self._compact)
        ringed = layout.index_of(self._cursor)
        if ringed >= 0:
            painting.paint_ring(canvas, *layout.box(ringed))
        if not self._compact:
            self._paint_flags(canvas, layout)
            self._paint_ghost(canvas)

    def _paint_flags(self, canvas: painting.Canvas, layout: BarLayout) -> None:
        said = flag_words(self._bar)
        measure = metrics("meta")
        tokens = {"trim": "warn", "over": "err", "reply": "t3"}
        placed = place_flags(
            layout, {name: measure.horizontalAdvance(text) + 1 for name, text in said.items()}
        )
        for flag in placed:
            strong = flag.name == "over"
            token = "err" if layout.over and flag.name == "limit" else tokens.get(flag.name, "t2")
            canvas.painter.setFont(font("meta", 600 if strong else None))
            canvas.painter.setPen(colour(token, canvas.theme))
            box = canvas.span(flag.left, flag.right)
            box.setTop(0)
            box.setHeight(FLAGS_HEIGHT - REACH)
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip
            canvas.painter.drawText(box, flags, said[flag.name])

    def _paint_ghost(self, canvas: painting.Canvas) -> None:
        if self._ghost is None:
            return
        top = FLAGS_HEIGHT + BAR_HEIGHT + GHOST_GAP
        scale = max(self._ghost.scale_tokens, self._shown.scale_tokens)
        width = self.width() * self._ghost.scale_tokens / scale
        ghost = canvas._replace(box=QRectF(0, top, self.width(), GHOST_HEIGHT))
        painting.paint_ghost(ghost, lay_out(self._ghost, width, canvas.dpr), self._ghost_opacity)
        canvas.painter.setOpacity(self._ghost_opacity)
        if self._ghost_figures:
            canvas.painter.setFont(font("meta"))
            canvas.painter.setPen(colour("accent_text", canvas.theme))
            box = QRectF(0, top + GHOST_HEIGHT + 2, self.width(), GHOST_WORDS - 2)
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
            canvas.painter.drawText(box, flags, ghost_words(self._ghost))
        canvas.painter.setOpacity(1.0)

    def _is_worth_a_move(self) -> bool:
        if max(len(self._bar.segments), len(self._from.segments)) > MOST_MOVED or not self._from.segments:
            return False
        return moved_share(self._from, self._bar) * self.width() >= LEAST_MOVE_PX

    def _on_step(self, progress: float) -> None:
        self._shown = between(self._from, self._bar, progress)
        self._layout = None
        drawing = self._drawing()
        if drawing != self._drawn:
            self._drawn = drawing
            self.update()

    def _drawing(self) -> tuple[object, ...]:
        """Everything that the next paint depends on, besides ring and ghost: a letter more often changes none of it."""
        layout, sums = self.layout_now(), self._shown.layer_tokens()
        figures = [sums.get(label.layer) for label in layout.labels if label.detail == FIGURE]
        return layout, figures, flag_words(self._bar)

    def _on_fade(self, progress: float) -> None:
        self._ghost_opacity = progress
        self.update()

    def _at(self, x: float) -> int:
        return self.layout_now().hit(x)

    def _move_cursor(self, step: int) -> None:
        at = self.layout_now().index_of(self._cursor)
        last = len(self.layout_now().keys) - 1
        self._put_cursor(at + step if at >= 0 else 0 if step > 0 else last)

    def _put_cursor(self, index: int) -> None:
        keys = self.layout_now().keys
        if keys:
            self._cursor = keys[min(max(index, 0), len(keys) - 1)]
            self.update()

    def _choose(self, key: RowKey) -> None:
        self._chosen = self._cursor = key
        self.update()
        self.selected.emit(key)


def sentence(bar: BarModel) -> str:
    """The bar as a sentence, for those who do not see it."""
    parts = [_used(bar), _room(bar)]
    if bar.cached_tokens is not None:
        parts.append(tr("%1 expected from the cache").replace("%1", tokens(bar.cached_tokens)))
    if bar.threshold_tokens is not None:
        parts.append(tr("trimming begins at %1").replace("%1", tokens(bar.threshold_tokens)))
    if bar.assumed:
        parts.append(tr("the limit is assumed"))
    parts.append(tr("%1 kept for the reply").replace("%1", tokens(bar.reserve_tokens)))
    parts.extend(f"{layer_word(layer)} {tokens(cost)}" for layer, cost in bar.layer_tokens().items())
    return listed(parts)


def flag_words(bar: BarModel) -> dict[FlagName, str]:
    """What stands above the bar."""
    limit = tr("assumed limit %1") if bar.assumed else tr("limit %1")
    words: dict[FlagName, str] = {"limit": limit.replace("%1", tokens(bar.limit_tokens))}
    if bar.cached_tokens:
        words["cached"] = tr("cached %1").replace("%1", tokens(bar.cached_tokens))
    if bar.threshold_tokens is not None:
        words["trim"] = tr("trim at %1").replace("%1", tokens(bar.threshold_tokens))
    if bar.over_tokens:
        words["over"] = tr("over by %1").replace("%1", tokens(bar.over_tokens))
    if bar.reserve_tokens:
        words["reply"] = tr("reply %1").replace("%1", tokens(bar.reserve_tokens))
    return words


def ghost_words(bar: BarModel) -> str:
    """What stands under the ghost."""
    if bar.cached_tokens is None:
        return tr("what if: %1 tokens").replace("%1", tokens(bar.total_tokens))
    text = tr("what if: %1 tokens, %2 cached")
    return text.replace("%1", tokens(bar.total_tokens)).replace("%2", tokens(bar.cached_tokens))


def segment_name(segment: BarSegment) -> str:
    """What a segment is called; parts of the history by their turns."""
    if segment.name:
        return shown(segment.name)
    if segment.first_turn and segment.first_turn != segment.last_turn:
        text = tr("turns %1–%2")
        return text.replace("%1", tokens(segment.first_turn)).replace("%2", tokens(segment.last_turn))
    if segment.first_turn:
        return tr("turn %1").replace("%1", tokens(segment.first_turn))
    return layer_word(segment.layer)


def segment_words(bar: BarModel, index: int) -> str:
    """The tooltip of a segment: what it is, what it costs, how much of it is cached."""
    segment = bar.segments[index]
    text = tr("%1\n%3, %4 tokens, %5 of the limit").replace("%3", layer_word(segment.layer))
    share = percent(segment.tokens / bar.limit_tokens) if bar.limit_tokens else percent(0)
    text = text.replace("%4", tokens(segment.tokens)).replace("%5", share)
    cached = _cached_of(bar, index)
    if cached:
        text += "\n" + tr("%1 expected from the cache").replace("%1", tokens(cached))
    return text.replace("%1", segment_name(segment))


def _cached_of(bar: BarModel, index: int) -> int:
    before = sum(segment.tokens for segment in bar.segments[:index])
    return min(max((bar.cached_tokens or 0) - before, 0), bar.segments[index].tokens)


def _used(bar: BarModel) -> str:
    text = tr("%1 of %2 tokens") if bar.exact else tr("about %1 of %2 tokens")
    return text.replace("%1", tokens(bar.total_tokens)).replace("%2", tokens(bar.limit_tokens))


def _room(bar: BarModel) -> str:
    if bar.over_tokens:
        return tr("over by %1").replace("%1", tokens(bar.over_tokens))
    return tr("%1 free").replace("%1", tokens(bar.limit_tokens - bar.total_tokens))


def window_note(view: EnvelopeView) -> str:
    """Where the model's window is from, where it can be set; empty where it is simply the model's own."""
    window = tokens(view.limit_tokens + view.reserve_tokens)
    if view.window_assumed:
        return tr("The model’s window is unknown; this size is assumed.")
    if view.window_from == "modelfile":
        return tr("The window of {n} tokens is from the model’s Modelfile.").format(n=window)
    if view.window_from == "default" and view.largest_window_tokens is not None:
        words = tr("The window is {n} tokens by default; the model supports {most}.")
        return words.format(n=window, most=tokens(view.largest_window_tokens))
    if view.window_from == "default":
        return tr("The window is {n} tokens by default.").format(n=window)
    return ""


# What the colours and patterns of the budget bar mean, with each layer's tokens.


HEIGHT = 20
SWATCH_WIDTH, SWATCH_HEIGHT, LAYER_WIDTH = 14, 12, 12
SWATCHES_FROM_PX = 680
GAP, WORD_GAP, FIGURE_GAP = 11, 5, 5


class Legend(QWidget):
    """A line of colours, words and figures; at the end the two patterns, where there is room."""

    def __init__(self) -> None:
        super().__init__()
        self._figures: dict[LayerName, str] = {}
        self._places: dict[LayerName, QRectF] = {}
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_bar(self, bar: BarModel) -> None:
        """Show the layers of a bar; where no figure gets longer, only those that changed are painted."""
        figures = {layer: tokens(cost) for layer, cost in bar.layer_tokens().items()}
        before, self._figures = self._figures, figures
        if figures == before:
            return
        self.setAccessibleName(", ".join(f"{layer_word(layer)} {cost}" for layer, cost in figures.items()))
        lengths, lengths_before = ([(layer, len(one[layer])) for layer in one] for one in (figures, before))
        if lengths != lengths_before:
            self._places.clear()
            self.update()
        for layer, place in self._places.items():
            if figures[layer] != before[layer]:
                self.update(place.toAlignedRect())

    def sizeHint(self) -> QSize:
        return QSize(720, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, changed = QPainter(self), QRectF(event.rect())
        if event.rect() == self.rect():
            self._places.clear()  # perhaps in another size
        x = 0.0
        for layer, figure in self._figures.items():
            place = self._places.get(layer)
            if place is not None and not place.intersects(changed):
                x = place.right() + GAP
                continue
            word = layer_word(layer)
            word_width = metrics("small").horizontalAdvance(word)
            cost_width = figure_width(font("small", 600), figure)
            width = LAYER_WIDTH + WORD_GAP + word_width + FIGURE_GAP + cost_width
            if x + width > self.width():
                return
            place = self._places[layer] = QRectF(x, 0, width, self.height())
            colours = theme_of(self).layers[layer]
            box = QRectF(x, (self.height() - LAYER_WIDTH) / 2, LAYER_WIDTH, LAYER_WIDTH)
            fill_rounded(painter, box, colours.fill, 3)
            stroke_rounded(painter, box, colours.edge, 3)
            set_text_style(painter, font("small"), colour("t2", theme_of(self)))
            at = x + LAYER_WIDTH + WORD_GAP
            painter.drawText(self._at(at, word_width + 1), Qt.AlignmentFlag.AlignCenter, word)
            set_text_style(painter, font("small", 600), colour("t1", theme_of(self)))
            paint_figure(painter, self._at(at + word_width + FIGURE_GAP, cost_width), figure)
            x = place.right() + GAP
        if changed.right() > x:
            self._paint_swatches(painter, x)

    def _paint_swatches(self, painter: QPainter, taken: float) -> None:
        words = [tr("cached"), tr("reply")]
        widths = [SWATCH_WIDTH + WORD_GAP + metrics("small").horizontalAdvance(word) for word in words]
        x = self.width() - sum(widths) - GAP
        if self.width() < SWATCHES_FROM_PX or x < taken:
            return
        theme = theme_of(self)
        dpr = self.devicePixelRatioF()
        brushes = [mark_brush(theme, dpr), stipple_brush(theme, dpr)]
        lines = [theme.t2, theme.edge]
        painter.setFont(font("small"))
        for word, width, brush, line in zip(words, widths, brushes, lines, strict=True):
            box = self._at(x, SWATCH_WIDTH)
            box = QRectF(box.left(), (self.height() - SWATCH_HEIGHT) / 2, SWATCH_WIDTH, SWATCH_HEIGHT)
            painter.setBrushOrigin(box.topLeft())
            fill_rounded(painter, box, theme.surface, 2)
            fill_rounded(painter, box, brush, 2)
            stroke_rounded(painter, box, line, 2)
            painter.setPen(QColor(theme.t2))
            text = self._at(x + SWATCH_WIDTH + WORD_GAP, width - SWATCH_WIDTH - WORD_GAP + 1)
            painter.drawText(text, Qt.AlignmentFlag.AlignCenter, word)
            x += width + GAP

    def _at(self, x: float, width: float) -> QRectF:
        return QRectF(x, 0, width, self.height())
