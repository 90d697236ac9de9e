"""The columns of a comparison, and the painted table that they and their answers are."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from workbench.ui.inspector.compare.cells import Cell, Row, Shown, rows_of
from workbench.ui.look.fonts import Role, font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import (
    TAG_WIDTH,
    badge_width,
    figure_width,
    paint_badge,
    paint_elided,
    paint_figure,
    paint_tag,
    paint_text,
    set_text_style,
    stroke_rounded,
    take,
    take_end,
)
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.look.tones import STATE_LOOK, state_word
from workbench.ui.translation import tr
from workbench.ui.widgets.budget_bar.layout import lay_out
from workbench.ui.widgets.budget_bar.painting import Canvas, paint_bar, paint_marks
from workbench.ui.widgets.plain import tip

LABEL_WIDTH, LEAST_WIDTH, MOST_WIDTH = 94, 152, 240
HEAD_HEIGHT, BAR_ROW, BAR_HEIGHT = 44, 30, 14
TOKENS_HEIGHT, LAYER_HEIGHT, ROW_HEIGHT = 27, 21, 24
PADDING, CROSS, RADIUS = 12, 20, 10


class Grid(QWidget):
    """A table painted as one widget: a column a request, the first sunken and the chosen one tinted.

    The titles of its rows stay in sight while it is scrolled to the right. Subclasses paint what is in it.
    """

    spoken_role = QAccessible.Role.Table

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offset = 0.0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setProperty("ring_radius", RADIUS)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)

    @abstractmethod
    def count(self) -> int:
        """How many columns there are."""

    @abstractmethod
    def place(self) -> int:
        """Which column is chosen."""

    @abstractmethod
    def box(self, place: int) -> QRectF:
        """Where a column is; one past the last is where the table ends."""

    @abstractmethod
    def paint_cells(self, painter: QPainter) -> None: ...

    @abstractmethod
    def paint_titles(self, painter: QPainter, width: float) -> None: ...

    @abstractmethod
    def tip_at(self, at: QPointF) -> str: ...

    def factor(self) -> float:
        """How much larger than usual text is."""
        return max(1.0, metrics("small").height() / 15.0)

    def place_at(self, at: QPointF) -> int | None:
        """The column under a point, if there is one."""
        if at.x() < self._offset + self.box(0).left():
            return None
        return next((place for place in range(self.count()) if self.box(place).contains(at)), None)

    def set_offset(self, offset: int) -> None:
        """How far the table is scrolled to the right."""
        self._offset = max(0.0, float(offset))
        self.update()

    def minimumSizeHint(self) -> QSize:
        return QSize(self.minimumWidth(), self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), tip(self.tip_at(QPointF(event.pos()))), self)
            return True
        return bool(super().event(event))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        whole = QRectF(0, 0, self.box(self.count()).left(), self.height())
        outline = QPainterPath()
        outline.addRoundedRect(whole, RADIUS, RADIUS)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipPath(outline)
        painter.fillRect(whole, colour("raised", theme))
        for place in range(self.count()):
            box = self.box(place)
            if place in (0, self.place()):
                token = "accent_tint" if place == self.place() else "sunken"
                painter.fillRect(box, colour(token, theme))
            painter.fillRect(QRectF(box.left(), 0, 1, box.height()), colour("line", theme))
        self.paint_cells(painter)
        painter.translate(self._offset, 0)
        width = self.box(0).left()
        painter.fillRect(QRectF(0, 0, width, self.height()), colour("raised", theme))
        painter.fillRect(QRectF(width, 0, 1, self.height()), colour("line", theme))
        self.paint_titles(painter, width)
        painter.restore()
        stroke_rounded(painter, whole, theme.line, RADIUS)


class ColumnsView(Grid):
    """What is sent in each request; ←/→, Home and End choose, Delete removes a variant, Enter shows its difference.

    Signals:
        chosen: the place of another column. removed: that of one that is wanted no longer. opened: of one to look at.
    """

    chosen = Signal(int)
    removed = Signal(int)
    opened = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Variants side by side"), parent)
        self._columns: tuple[Shown, ...] = ()
        self._rows = rows_of()
        self._place = 0
        self.setMouseTracking(True)

    # --- what is shown ------------------------------------------------------------------------------------

    def show_columns(self, columns: tuple[Shown, ...]) -> None:
        if columns == self._columns:
            return
        more, before = len(columns) > len(self._columns), self._place
        self._columns = columns
        # The one that was added last is looked at next.
        self._place = len(columns) - 1 if more else min(self._place, max(0, len(columns) - 1))
        self._describe()
        self.setMinimumWidth(round((LABEL_WIDTH + len(columns) * LEAST_WIDTH) * self.factor()))
        self.updateGeometry()
        self.update()
        if self._place != before:
            self.chosen.emit(self._place)

    def columns(self) -> tuple[Shown, ...]:
        return self._columns

    def count(self) -> int:
        return len(self._columns)

    def place(self) -> int:
        return self._place

    def choose(self, place: int) -> None:
        place = min(max(place, 0), len(self._columns) - 1)
        if place != self._place and self._columns:
            self._place = place
            self._describe()
            self.update()
            self.chosen.emit(place)

    def box(self, place: int) -> QRectF:
        left = self._label_width()
        room = (self.width() - left) / max(1, len(self._columns))
        least = (self.minimumWidth() - left) / max(1, len(self._columns))
        width = min(max(room, least), MOST_WIDTH * self.factor())
        return QRectF(round(left + place * width), 0, round(width), self.height())

    def _label_width(self) -> float:
        """As wide as the titles of the rows are in the shown language."""
        measure = metrics("small").horizontalAdvance
        titles = (measure(row.title) + (TAG_WIDTH + 6 if row.layer else 0) for row in self._rows)
        return max(LABEL_WIDTH * self.factor(), PADDING + max(titles) + 4)

    def sizeHint(self) -> QSize:
        return QSize(718, round(self._bottom(self._rows[-1]) + 4))

    def _describe(self) -> None:
        if self._columns:
            words = tr("{n} of {all}: {column}").format(
                n=self._place + 1, all=len(self._columns), column=self._columns[self._place].spoken
            )
            self.setAccessibleDescription(words)

    # --- what Qt calls ------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Left:
                self.choose(self._place - 1)
            case Qt.Key.Key_Right:
                self.choose(self._place + 1)
            case Qt.Key.Key_Home:
                self.choose(0)
            case Qt.Key.Key_End:
                self.choose(len(self._columns) - 1)
            case Qt.Key.Key_Delete if self._place:
                self.removed.emit(self._place)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if self._place:
                self.opened.emit(self._place)
            case _:
                super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self.place_at(event.position())
        if place is None or event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
        elif self._is_on_cross(place, event.position()):
            self.removed.emit(place)
        else:
            self.choose(place)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        place = self.place_at(event.position())
        if place and not self._is_on_cross(place, event.position()):
            self.opened.emit(place)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self._is_on_cross(self.place_at(event.position()), event.position())
        self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)

    def tip_at(self, at: QPointF) -> str:
        """What is cut in a head is said in full; a row says where its figure comes from."""
        place = self.place_at(at)
        if place is not None and at.y() < HEAD_HEIGHT * self.factor():
            if self._is_on_cross(place, at):
                return tr("Remove this variant (Delete)")
            return f"{self._columns[place].name}: {self._columns[place].patch}"
        told = {
            "cached": tr(
                "Expected from the provider’s cache if the chat switched to this with this request."
            ),
            "price": tr("This request without its answer, if the chat switched to this now."),
            "always": tr("Cached tokens and price if the chat had been held this way from its first turn."),
            "shortened": tr("Sent in part: files that were shortened, and trimmed messages."),
            "dropped": tr("Not sent to make room, or left out."),
        }
        row = next((one for one in self._rows if self._top(one) <= at.y() < self._bottom(one)), None)
        return "" if row is None else told.get(row.name, "")

    # --- painting -----------------------------------------------------------------------------------------

    def paint_cells(self, painter: QPainter) -> None:
        if self._columns:
            chosen = self.box(self._place)
            top = QRectF(chosen.left() + 1, 0, chosen.width() - 1, 2)
            painter.fillRect(top, colour("accent", theme_of(self)))
        self._paint_lines(painter, self.width())
        for place, column in enumerate(self._columns):
            self._paint_column(painter, place, column)

    def _paint_lines(self, painter: QPainter, width: float) -> None:
        tops = (HEAD_HEIGHT * self.factor(), *(self._top(row) for row in self._rows if row.line))
        for top in tops:
            painter.fillRect(QRectF(0, top, width, 1), colour("line", theme_of(self)))

    def paint_titles(self, painter: QPainter, width: float) -> None:
        self._paint_lines(painter, width)
        head, bar = HEAD_HEIGHT * self.factor(), BAR_ROW * self.factor()
        paint_text(painter, QRectF(PADDING, 0, width - PADDING, head), tr("Variant"), "small", "t2")
        paint_elided(painter, QRectF(PADDING, head, width - PADDING, bar), tr("Request"))
        for row in self._rows:
            room = QRectF(PADDING, self._top(row), width - PADDING - 2, self._height(row))
            if row.layer is not None:
                paint_tag(painter, take(room, TAG_WIDTH, 6), row.layer)
            paint_text(painter, room, row.title, "small", "t2")

    def _paint_column(self, painter: QPainter, place: int, column: Shown) -> None:
        theme, factor, box = theme_of(self), self.factor(), self.box(place)
        inner = box.adjusted(PADDING, 0, -PADDING, 0)
        head = QRectF(inner.left(), 0, inner.width() - (CROSS if place else 0), HEAD_HEIGHT * factor)
        half = head.height() / 2
        paint_text(painter, QRectF(head.left(), 5, head.width(), half - 3), column.name, "small", "t1", 600)
        set_text_style(painter, font("meta"), colour("accent_text" if place else "t2", theme))
        words = column.patch
        if not place and metrics("meta").horizontalAdvance(words) > inner.width():
            words = words.partition(", ")[0]  # the model alone is not cut
        paint_elided(painter, QRectF(head.left(), half, inner.width(), half - 4), words)
        if place:
            paint_icon(painter, self._cross(place), "x", "t2", 12)
        if column.bar is None:
            self._paint_missing(painter, place, column)
            return
        self._paint_bar(painter, inner, column)
        for row in self._rows:
            room = QRectF(inner.left(), self._top(row), inner.width(), self._height(row))
            self._paint_cell(painter, room, column.cells[row.name], row)

    def _paint_missing(self, painter: QPainter, place: int, column: Shown) -> None:
        """Words across all rows, and no lines through them."""
        theme, factor = theme_of(self), self.factor()
        below = self.box(place).adjusted(1, HEAD_HEIGHT * factor + 1, 0, 0)
        token = "accent_tint" if place == self._place else "sunken" if place == 0 else "raised"
        for ground in ("raised", token):
            painter.fillRect(below, colour(ground, theme))
        room = below.adjusted(PADDING - 1, 7, -PADDING, -8)
        words = tr("Can’t be built.") if column.problem else tr("Being built…")
        set_text_style(painter, font("small", 600), colour("err" if column.problem else "t3", theme))
        paint_elided(painter, QRectF(room.left(), room.top(), room.width(), 18 * factor), words)
        set_text_style(painter, font("small"), colour("t2", theme))
        painter.drawText(room.adjusted(0, 20 * factor, 0, 0), int(Qt.TextFlag.TextWordWrap), column.problem)

    def _paint_bar(self, painter: QPainter, inner: QRectF, column: Shown) -> None:
        bar, factor = column.bar, self.factor()
        if bar is None:
            return
        width = max(4.0, inner.width() * min(1.0, bar.scale_tokens / column.scale_tokens))
        top = HEAD_HEIGHT * factor + (BAR_ROW * factor - BAR_HEIGHT) / 2
        box = QRectF(inner.left(), round(top), width, BAR_HEIGHT)
        layout = lay_out(bar, width, self.devicePixelRatioF())
        canvas = Canvas(painter, theme_of(self), box, self.devicePixelRatioF())
        paint_bar(canvas, layout, compact=True)
        paint_marks(canvas, layout, compact=True)

    def _paint_cell(self, painter: QPainter, room: QRectF, cell: Cell, row: Row) -> None:
        theme = theme_of(self)
        if cell.more:
            used = font("meta", 500)
            set_text_style(painter, used, colour(cell.more_token, theme))
            paint_figure(painter, take_end(room, figure_width(used, cell.more), 6), cell.more)
        if cell.state is not None:
            look = STATE_LOOK[cell.state]
            word = state_word(cell.state)
            paint_badge(painter, take(room, badge_width(look.icon, word), 6), look.tone, look.icon, word)
        if cell.icon:
            paint_icon(painter, take(room, 14, 4), cell.icon, cell.token, 14)
        role: Role = "ui" if row.name == "tokens" else "small"
        set_text_style(painter, font(role, 600) if cell.strong else font(role), colour(cell.token, theme))
        paint_elided(painter, room, cell.words)
        if cell.note:
            take(room, metrics(role).horizontalAdvance(cell.words), 8)
            paint_text(painter, room, cell.note, "meta", "t3")

    # --- where everything is ------------------------------------------------------------------------------

    def _height(self, row: Row) -> float:
        base = TOKENS_HEIGHT if row.name == "tokens" else LAYER_HEIGHT if row.layer else ROW_HEIGHT
        return base * self.factor()

    def _top(self, row: Row) -> float:
        above = self._rows[: self._rows.index(row)]
        return (HEAD_HEIGHT + BAR_ROW) * self.factor() + sum(map(self._height, above))

    def _bottom(self, row: Row) -> float:
        return self._top(row) + self._height(row)

    def _cross(self, place: int) -> QRectF:
        return QRectF(self.box(place).right() - CROSS - 6, 6, CROSS, CROSS)

    def _is_on_cross(self, place: int | None, at: QPointF) -> bool:
        """The first column has none."""
        return bool(place) and self._cross(place or 0).contains(at)
