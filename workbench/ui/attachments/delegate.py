"""How the attachments pane paints a file in two lines, a changed one in four, and a folder in one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem, QToolTip

from workbench.domain.shown.attachment_view import AttachmentRow, ShownPicture
from workbench.ui import formatting
from workbench.ui.attachments.looks import (
    Fit,
    badge_of,
    freeze_words,
    icon_of,
    is_renewed,
    is_stale,
    pill_words,
    price_of_refresh,
    tip_of,
)
from workbench.ui.attachments.model import FIT, FileNode, FolderNode
from workbench.ui.look.fonts import Role, font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import (
    badge_width,
    dashed_pen,
    elided,
    figure_width,
    fill_rounded,
    paint_badge,
    paint_elided,
    paint_figure,
    paint_text,
    placed,
    set_text_style,
    stroke_rounded,
)
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.look.tones import STATE_LOOK
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button_look
from workbench.ui.widgets.items.item_model import ITEM
from workbench.ui.widgets.items.views import Index, ItemOption, RowDelegate, item_option
from workbench.ui.widgets.picture_view import PictureReader
from workbench.ui.widgets.plain import shown, tip

BUTTON_PADDING, BUTTON_ICON, BUTTON_ICON_GAP = 9, 14, 5
Part = Literal["", "priority", "pin", "pill", "refresh", "freeze", "remove"]
ROW, STALE_ROW, RENEWED_ROW, FOLDER_ROW, PARTS_ROW = 50, 98, 80, 26, 50
OUTER, TEXT, END, INDENT = 6, 36, 15, 14
BUTTON_HEIGHT, BUTTON_GAP = 24, 5
BAR, BAR_HEIGHT, BAR_GAP = 36, 6, 4


class AttachmentDelegate(RowDelegate):
    """Paints the rows; `hot` is the part under the pointer, `down` whether it is being pressed."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self.hot: tuple[str, Part] = ("", "")
        self.down = False
        self.pictures: Mapping[str, ShownPicture] = {}
        self._reader = PictureReader(self)
        self._reader.ready.connect(lambda *_: view.viewport().update())

    def row_height(self, index: Index) -> int:
        """Two lines; a changed file has room for its buttons, a folder has one."""
        node = index.data(ITEM)
        if isinstance(node, FolderNode):
            return PARTS_ROW if node.parts_of else FOLDER_ROW
        if isinstance(node, FileNode) and is_stale(node.row):
            return STALE_ROW
        taller = isinstance(node, FileNode) and (is_renewed(node.row) or node.row.detached)
        return RENEWED_ROW if taller else ROW

    def parts(self, box: QRectF, index: Index) -> RowParts:
        node = index.data(ITEM)
        assert isinstance(node, FileNode)
        row, stale = node.row, is_stale(node.row)
        fit = _fit(index)
        pill = pill_words(row, fit)
        widths = Widths(
            tokens=figure_width(font("row_small"), formatting.tokens_of(row.tokens, row.full_tokens)),
            priority=0.0 if row.detached else max(20.0, figure_width(font("meta"), str(row.priority)) + 9),
            refresh=self._button_width(tr("Refresh")) if stale else 0.0,
            freeze=self._button_width(freeze_words(row)) if stale or is_renewed(row) else 0.0,
            share=0.0 if fit.share is None else _share_width(fit.share),
            pill=figure_width(font("meta", 600), pill) + 10 if pill else 0.0,
            remove=self._button_width(tr("Remove now")) if row.detached else 0.0,
        )
        indent = INDENT if index.parent().isValid() else 0
        return row_parts(box, widths, indent)

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        self._paint_ground(painter, row)
        node = index.data(ITEM)
        if isinstance(node, FileNode):
            parts = self.parts(row.box, index)
            self._paint_file(painter, node, parts)
            self._paint_fit(painter, parts, node.row, _fit(index))
        elif isinstance(node, FolderNode):
            self._paint_folder(painter, row.box, node, row.opened)

    def _paint_ground(self, painter: QPainter, row: ItemOption) -> None:
        theme = theme_of(self.parent())
        box = row.box.adjusted(OUTER, 0, -OUTER, 0)
        if row.selected:
            here = bool(row.state & QStyle.StateFlag.State_Active) and self.view().hasFocus()
            fill_rounded(painter, box, theme.sel if here else theme.hover, 6)
        elif row.hovered:
            fill_rounded(painter, box, theme.hover, 6)
        if row.ringed:
            stroke_rounded(painter, box, theme.accent, 6, 2)

    def _paint_file(self, painter: QPainter, node: FileNode, parts: RowParts) -> None:
        row = node.row
        self._paint_icon(painter, parts.icon, row)
        self._text(painter, parts.name, shown(node.name), "ui", "t3" if row.detached else "t1")
        set_text_style(painter, font("row_small"), colour("t3" if row.detached else "t2", theme_of()))
        paint_figure(painter, parts.tokens, formatting.tokens_of(row.tokens, row.full_tokens))
        badge = badge_of(row)
        if badge.icon == STATE_LOOK["sent"].icon and (at := formatting.clock(node.fetched_utc)):
            badge = badge._replace(icon="globe", words=tr("fetched {time}").format(time=at))
        room = parts.badge.width()
        # A word that is cut off says less than the icon alone, which a tooltip explains.
        fitting = (
            word for word in (badge.words, badge.brief) if word and badge_width(badge.icon, word) <= room
        )
        paint_badge(
            painter, parts.badge, badge.tone, badge.icon, next(fitting, "" if badge.icon else badge.words)
        )
        if not parts.pin.isNull():
            self._paint_priority(painter, parts.priority, row)
            token = "accent_text" if row.pinned or self._is_hot(row, "pin") else "edge"
            paint_icon(painter, parts.pin, "pin-filled" if row.pinned else "pin", token, 14)
        if not parts.freeze.isNull():
            self._paint_button(painter, parts.freeze, row, "freeze")
        if not parts.remove.isNull():
            self._paint_button(painter, parts.remove, row, "remove")
        if not parts.refresh.isNull():
            self._paint_button(painter, parts.refresh, row, "refresh")
            paint_text(painter, parts.price, price_of_refresh(row), "meta", "t3")

    def _paint_fit(self, painter: QPainter, parts: RowParts, row: AttachmentRow, fit: Fit) -> None:
        theme = theme_of()
        painter.setFont(font("meta"))
        if fit.share is not None and not parts.bar.isNull():
            filled = max(2.0, parts.bar.width() * fit.share) if fit.share > 0 else 0.0
            fill_rounded(painter, parts.bar, theme.track, 3)
            fill_rounded(painter, placed(parts.bar, 0, filled), theme.accent, min(3, filled / 2))
        if fit.share is not None and not parts.share.isNull():
            painter.setPen(QColor(theme.t2))
            paint_figure(painter, parts.share, formatting.percent(fit.share), Qt.AlignmentFlag.AlignLeft)
        if not parts.pill.isNull():
            hot = self._is_hot(row, "pill")
            fill_rounded(painter, parts.pill, theme.sel if hot else theme.accent_tint, 5)
            line = theme.accent if hot else dashed_pen(theme.accent, 1, 3, 2)
            stroke_rounded(painter, parts.pill, line, 5)
            set_text_style(painter, font("meta", 600), QColor(theme.accent_text))
            paint_figure(painter, parts.pill, pill_words(row, fit), Qt.AlignmentFlag.AlignHCenter)

    def _paint_icon(self, painter: QPainter, box: QRectF, row: AttachmentRow) -> None:
        picture = self.pictures.get(row.key) if row.kind == "image" else None
        small = self._reader.thumbnail(picture.digest, picture.content) if picture is not None else None
        if small is None:
            paint_icon(painter, box, icon_of(row), "t3" if row.detached else "t2", 16)
            return
        size = QSizeF(small.size()).scaled(QSizeF(18, 18), Qt.AspectRatioMode.KeepAspectRatio)
        spot = QRectF(
            box.center().x() - size.width() / 2,
            box.center().y() - size.height() / 2,
            size.width(),
            size.height(),
        )
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawPixmap(spot, small, QRectF(small.rect()))

    def _paint_priority(self, painter: QPainter, box: QRectF, row: AttachmentRow) -> None:
        theme = theme_of()
        hot = self._is_hot(row, "priority")
        stroke_rounded(painter, box, theme.accent if hot else theme.line2, 4)
        set_text_style(painter, font("meta"), QColor(theme.t2))
        paint_figure(painter, box, str(row.priority), Qt.AlignmentFlag.AlignHCenter)

    def _paint_button(self, painter: QPainter, box: QRectF, row: AttachmentRow, part: Part) -> None:
        state = ("down" if self.down else "hover") if self._is_hot(row, part) else "idle"
        look = button_look(theme_of(), "secondary", state)  # type: ignore[arg-type]
        fill_rounded(painter, box, look.ground, 6)
        stroke_rounded(painter, box, look.line, 6)
        words, icon = freeze_words(row), "snow"
        if part == "refresh":
            words, icon = tr("Refresh"), "refresh"
        elif part == "remove":
            words, icon = tr("Remove now"), "trash"
        spot = QRectF(box.left() + BUTTON_PADDING, box.top(), BUTTON_ICON, box.height())
        text = box.adjusted(BUTTON_PADDING + BUTTON_ICON + BUTTON_ICON_GAP, 0, -BUTTON_PADDING, 0)
        paint_icon(painter, spot, icon, look.token, BUTTON_ICON)
        set_text_style(painter, font("small", 500), QColor(look.ink))
        fitting = elided(painter.font(), words, text.width(), Qt.TextElideMode.ElideRight)
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading, fitting)

    def _paint_folder(self, painter: QPainter, box: QRectF, node: FolderNode, is_open: bool) -> None:
        if node.parts_of:
            self._paint_amount(painter, box, node)
            box = QRectF(box.left(), box.top() + 1, box.width(), FOLDER_ROW)
        words = formatting.tokens(node.tokens)
        width = figure_width(font("row_small"), words)
        opened = "chevron-down" if is_open else "chevron-right"
        chevron = QRectF(box.left() + 14, box.top(), 16, box.height())
        end = QRectF(box.right() - END - width, box.top(), width, box.height())
        name = QRectF(box.left() + TEXT, box.top(), end.left() - 8 - box.left() - TEXT, box.height())
        paint_icon(painter, chevron, opened, "t2", 14)
        self._text(painter, name, shown(node.name), "ui" if node.parts_of else "ui_label", "t1")
        set_text_style(painter, font("row_small"), colour("t3", theme_of()))
        paint_figure(painter, end, words)

    def _paint_amount(self, painter: QPainter, box: QRectF, node: FolderNode) -> None:
        room = QRectF(box.left() + TEXT, box.top() + 26, box.width() - TEXT - END, 18)
        paint_badge(painter, room, "accent", "check", node.amount)

    def _text(self, painter: QPainter, box: QRectF, text: str, role: Role, token: str) -> None:
        set_text_style(painter, font(role), colour(token, theme_of()))
        paint_elided(painter, box, text, Qt.TextElideMode.ElideMiddle)

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        node = index.data(ITEM)
        if event.type() != QEvent.Type.ToolTip or not isinstance(node, FileNode | FolderNode):
            return super().helpEvent(event, view, option, index)
        words = self._part_words() or (tip_of(node.row) if isinstance(node, FileNode) else node.name)
        QToolTip.showText(event.globalPos(), tip(words), view, item_option(option).box.toRect())
        return True

    def _part_words(self) -> str:
        return {
            "": "",
            "pin": tr("Pin, never dropped (Space)"),
            "pill": tr("Accept this priority, suggested for your question (Enter)"),
            "priority": tr("Priority; higher is dropped first (0–9, + and −)"),
            "refresh": tr("Refresh the file (F5)"),
            "freeze": tr("Keep using the copy until the file changes again"),
            "remove": tr("Rebuild the request without it (Del)"),
        }[self.hot[1]]

    def _is_hot(self, row: AttachmentRow, part: Part) -> bool:
        return self.hot == (row.key, part)

    def _button_width(self, words: str) -> float:
        room = 2 * BUTTON_PADDING + BUTTON_ICON + BUTTON_ICON_GAP
        return room + metrics("small", 500).horizontalAdvance(words)


def _share_width(share: float) -> float:
    """As wide as any share of two digits, so that nothing moves while somebody types; only the best has three."""
    return figure_width(font("meta"), formatting.percent(max(share, 0.88)))


def _fit(index: Index) -> Fit:
    found = index.data(FIT)
    return found if isinstance(found, Fit) else Fit()


class Widths(NamedTuple):
    """How wide the parts are that depend on words; without a share or a pill there is none.

    What can be removed is not attached: it has neither priority nor pin.
    """

    tokens: float
    priority: float
    refresh: float = 0.0
    freeze: float = 0.0
    share: float = 0.0
    pill: float = 0.0
    remove: float = 0.0


class RowParts(NamedTuple):
    """The boxes of a row; those of the buttons of a file that changed are empty elsewhere.

    `bar` and `share` say how well it fits the question; a `pill` with another priority takes the place of this one's.
    """

    icon: QRectF
    name: QRectF
    tokens: QRectF
    badge: QRectF
    priority: QRectF
    pin: QRectF
    refresh: QRectF
    freeze: QRectF
    price: QRectF
    bar: QRectF
    share: QRectF
    pill: QRectF
    remove: QRectF


def row_parts(box: QRectF, widths: Widths, indent: float = 0) -> RowParts:
    """The parts of a row in its box."""
    left, right, top = box.left() + indent, box.right() - END, box.top()
    text = left + TEXT
    suggested, gone = widths.pill > 0, widths.remove > 0
    priority = QRectF(right - 20 - widths.priority, top + 27, widths.priority, 16)
    pill = QRectF(right + 1 - widths.pill, top + 26, widths.pill, 18)
    room = right if gone else pill.left() - 4 if suggested else priority.left() - 6
    bar = min(BAR, max(room - text, 0)) if widths.share else 0
    share = min(widths.share, max(room - text - bar - BAR_GAP, 0))
    badge = text + (bar + share + 2 * BAR_GAP if widths.share else 0)
    end = QRectF(right - widths.tokens, top + 5, widths.tokens, 18)
    stale = widths.refresh > 0
    freeze_left = text + widths.refresh + BUTTON_GAP if stale else text
    # The only button of a row has long words, and a column may be narrow.
    freeze_width = min(widths.freeze, max(right - freeze_left, 0))
    return RowParts(
        icon=QRectF(left + 14, top + 5, 16, 18),
        name=QRectF(text, top + 5, max(end.left() - 8 - text, 0), 18),
        tokens=end,
        badge=QRectF(badge, top + 26, max(room - badge, 0), 18),
        priority=QRectF() if suggested or gone else priority,
        pin=QRectF() if suggested or gone else QRectF(right - 15, top + 27, 16, 16),
        refresh=QRectF(text, top + ROW, widths.refresh, BUTTON_HEIGHT) if stale else QRectF(),
        freeze=QRectF(freeze_left, top + ROW, freeze_width, BUTTON_HEIGHT) if widths.freeze else QRectF(),
        price=QRectF(text, top + 78, max(right - text, 0), 16) if stale else QRectF(),
        bar=QRectF(text, top + 32, bar, BAR_HEIGHT) if bar else QRectF(),
        share=QRectF(text + bar + BAR_GAP, top + 26, share, 18) if share else QRectF(),
        pill=pill if suggested else QRectF(),
        remove=QRectF(text, top + ROW, widths.remove, BUTTON_HEIGHT) if gone else QRectF(),
    )


def part_at(parts: RowParts, point: QPointF) -> Part:
    """What of a row can be pressed at a point; the small ones are easier to hit than they look."""
    if not parts.remove.isNull():
        return "remove" if parts.remove.contains(point) else ""
    if not parts.pill.isNull():
        if parts.pill.adjusted(-4, -5, 6, 5).contains(point):
            return "pill"
    elif parts.pin.adjusted(-4, -5, 6, 5).contains(point):
        return "pin"
    elif parts.priority.adjusted(-4, -5, 2, 5).contains(point):
        return "priority"
    if parts.refresh.contains(point):
        return "refresh"
    return "freeze" if parts.freeze.contains(point) else ""
