"""How the lines of the chats pane are painted: headings, chats, and what a search found."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QHelpEvent, QPainter, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QStyleOptionViewItem, QToolTip, QWidget

from workbench.ui.chats.lines import (
    ActionLine,
    AnyLine,
    ChatLine,
    FoundHead,
    FoundLine,
    GroupHead,
    Marks,
    PlaceHead,
    line_words,
    requests_words,
)
from workbench.ui.look.fonts import font, line_height, scale
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import (
    after,
    elided,
    figure_width,
    fill_rounded,
    paint_elided,
    paint_figure,
    paint_text,
    placed,
    set_text_style,
    stroke_rounded,
)
from workbench.ui.look.theme import Theme, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.items.item_model import ITEM
from workbench.ui.widgets.items.views import Index, ItemOption, RowDelegate, item_option
from workbench.ui.widgets.plain import tip

CHAT_HEIGHT, GROUP_HEIGHT, WATCHED_HEIGHT = 28, 30, 42
OUTER, INNER, END, ICON, DOT = 6, 38, 12, 16, 6
SNIPPET_PADDING = 5
CHEVRON, FOLDER, INSET, PLACE_GAP = 14, 15, 12, 6
CHEVRON_END = 30
"""Up to here from its beginning, a press on the head of a place folds it."""
PIN, TAG_GAP, TAG_MOST = 12, 4, 56
LONGEST_TITLE = 200
LINES = 2


class LineDelegate(RowDelegate):
    """Paints the lines; `current` is the id of the chat in view, `several` says that more than one is selected."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self.current = ""
        self.several = False

    def row_height(self, index: Index) -> int:
        line = index.data(ITEM)
        if isinstance(line, FoundLine):
            room = self.view().viewport().width() - OUTER - INNER - END
            return snippet_height(line.snippet, line.marks, room) + 2 * SNIPPET_PADDING
        return px(_height(line, first=index.row() == 0))

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        theme, box, line = theme_of(self.view()), row.box, index.data(ITEM)
        if isinstance(line, PlaceHead):
            box.setTop(box.bottom() - px(CHAT_HEIGHT))
        match line:
            case GroupHead() as head:
                self._paint_group(painter, box, head, theme)
            case PlaceHead() as head:
                self._paint_ground(painter, row, head.id == self.current)
                self._paint_place(painter, box, head, theme)
            case ActionLine() as action:
                self._paint_ground(painter, row, False)
                paint_icon(painter, placed(box, 14, ICON), "plus", "accent_text", ICON)
                paint_text(painter, after(box, INNER, END), action.words, "ui", "accent_text")
            case ChatLine() as line:
                self._paint_ground(painter, row, line.id == self.current)
                self._paint_chat(painter, box, line, theme)
            case FoundHead() as head:
                self._paint_ground(painter, row, head.chat == self.current)
                paint_icon(painter, placed(box, 14, ICON), "chat", "t3", ICON)
                width = self._paint_end(painter, box, str(head.hits), theme)
                paint_text(painter, after(box, INNER, END + width + 8), head.title, "ui_heading", "t1")
            case FoundLine() as hit:
                self._paint_ground(painter, row, False)
                self._paint_hit(painter, box, hit, theme)

    def _paint_ground(self, painter: QPainter, row: ItemOption, current: bool) -> None:
        theme = theme_of(self.view())
        box = row.box.adjusted(OUTER, 0, -OUTER, 0)
        if current:
            fill_rounded(painter, box, theme.sel, 6)
            edge = placed(box, 0, 3)
            fill_rounded(painter, edge.adjusted(0, 6, 0, -6), theme.accent, 1.5)
        elif row.hovered:
            fill_rounded(painter, box, theme.hover, 6)
        if self.several and row.selected:
            if not current:
                fill_rounded(painter, box, theme.sel, 6)
            stroke_rounded(painter, box, theme.accent, 6)
        if row.ringed:
            stroke_rounded(painter, box, theme.accent, 6, 2)

    def _paint_group(self, painter: QPainter, box: QRectF, head: GroupHead, theme: Theme) -> None:
        paint_text(painter, box.adjusted(END, px(8), -END, 0), head.words, "meta_strong", "t3")
        if head.live:
            start = END + painter.fontMetrics().horizontalAdvance(head.words) + 8
            spot = placed(box, start, DOT)
            top = box.center().y() + px(4) - DOT / 2
            fill_rounded(painter, QRectF(spot.left(), top, DOT, DOT), theme.ok, DOT / 2)

    def _paint_place(self, painter: QPainter, box: QRectF, head: PlaceHead, theme: Theme) -> None:
        chevron = placed(box, 12, CHEVRON)
        paint_icon(painter, chevron, "chevron-right" if head.folded else "chevron-down", "t3", CHEVRON)
        icon = {"workspace": "folder", "none": "chat", "archived": "archive"}[head.kind]
        paint_icon(painter, placed(box, 31, FOLDER), icon, "t2", FOLDER)
        width = self._paint_end(painter, box, str(head.count), theme)
        start = 31 + FOLDER + 6
        paint_text(painter, after(box, start, END + width + 8), head.words, "small", "t1", 600)

    def _paint_chat(self, painter: QPainter, box: QRectF, line: ChatLine, theme: Theme) -> None:
        current = line.id == self.current
        if line.requests is not None:
            self._paint_watched(painter, box, line, theme)
            return
        inset = INSET if line.inset else 0
        start = INNER + inset
        icon = "clock" if line.temporary else "chat"
        paint_icon(painter, placed(box, 14 + inset, ICON), icon, "t2" if current else "t3", ICON)
        width = self._paint_end(painter, box, line.when, theme)
        end = self._paint_signs(painter, box, line, theme, box.width() - END - width - 8)
        self._paint_title(painter, placed(box, start, end - start), line)

    def _paint_title(self, painter: QPainter, box: QRectF, line: ChatLine) -> None:
        current = line.id == self.current
        paint_text(painter, box, line.title, "ui_label" if current else "ui", "t1" if current else "t2")

    def _paint_watched(self, painter: QPainter, box: QRectF, line: ChatLine, theme: Theme) -> None:
        """Two lines: who asked, and how often; a sub-agent's stands under who called it."""
        current, start = line.id == self.current, INNER + (INSET if line.inset else 0)
        upper, lower = QRectF(box), QRectF(box)
        upper.setBottom(box.center().y() + px(1))
        lower.setTop(box.center().y() + px(1))
        upper.adjust(0, px(3), 0, 0)
        lower.adjust(0, 0, 0, -px(3))
        paint_icon(painter, placed(upper, start - INNER + 14, ICON), "eye", "t2" if current else "t3", ICON)
        self._paint_title(painter, after(upper, start, END), line)
        width = self._paint_end(painter, lower, line.when, theme)
        end = self._paint_signs(painter, lower, line, theme, box.width() - END - width - 8)
        words = requests_words(line.requests or 0)
        paint_text(painter, placed(lower, start, end - start), words, "small", "t3")

    def _paint_signs(self, painter: QPainter, box: QRectF, line: ChatLine, theme: Theme, end: float) -> float:
        """Paint what stands between title and time, from the time on; where the title must end."""
        if line.elsewhere:
            end -= PIN
            paint_icon(painter, placed(box, end, PIN), "external", "t2", PIN)
            end -= 6
        if line.running or line.warm:
            end -= DOT
            spot = placed(box, end, DOT)
            middle = QRectF(spot.left(), box.center().y() - DOT / 2, DOT, DOT)
            fill_rounded(painter, middle, theme.accent if line.running else theme.ok, DOT / 2)
            end -= 6
        if line.pinned:
            end -= PIN
            paint_icon(painter, placed(box, end, PIN), "pin-filled", "t3", PIN)
            end -= 4
        if line.tags:
            end = self._paint_tags(painter, box, line.tags, theme, end)
        return end

    def _paint_tags(
        self, painter: QPainter, box: QRectF, tags: tuple[str, ...], theme: Theme, end: float
    ) -> float:
        painter.setFont(font("meta"))
        words = tags[0] if len(tags) == 1 else f"{tags[0]} +{len(tags) - 1}"
        width = min(painter.fontMetrics().horizontalAdvance(words) + 11.0, TAG_MOST)
        end -= width
        spot = placed(box, end, width)
        chip = QRectF(spot.left(), box.center().y() - 8, width, 16)
        fill_rounded(painter, chip, theme.sunken, 4)
        painter.setPen(QColor(theme.t2))
        paint_elided(painter, chip.adjusted(5, 0, -5, 0), words)
        return end - TAG_GAP

    def _paint_end(self, painter: QPainter, box: QRectF, words: str, theme: Theme) -> float:
        set_text_style(painter, font("small"), QColor(theme.t3))
        width = figure_width(painter.font(), words)
        paint_figure(painter, placed(box, box.width() - END - width, width), words)
        return width

    def _paint_hit(self, painter: QPainter, box: QRectF, hit: FoundLine, theme: Theme) -> None:
        icon = {"message": "", "title": "edit", "attachment": "clip"}[hit.where]
        if icon:
            paint_icon(painter, placed(box, 16, 12), icon, "t3", 12)
        room = after(box, INNER, OUTER + END)
        text = room.adjusted(0, SNIPPET_PADDING, 0, -SNIPPET_PADDING)
        paint_snippet(painter, text, hit.snippet, hit.marks, theme)

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        line = index.data(ITEM) if event.type() == QEvent.Type.ToolTip else None
        if not isinstance(line, ChatLine | PlaceHead | FoundHead | FoundLine):
            return super().helpEvent(event, view, option, index)
        QToolTip.showText(event.globalPos(), tip(self._tip(line)), view, item_option(option).box.toRect())
        return True

    def _tip(self, line: AnyLine) -> str:
        words = [line_words(line)]
        if isinstance(line, ChatLine):
            words += [tr("Temporary: not saved.")] if line.temporary else []
            words += [tr("An answer is arriving.")] if line.running else []
            words += [tr("Open in another window.")] if line.elsewhere else []
            words += [tr("A cache holds what was sent last.")] if line.warm else []
            words += [" ".join(f"#{tag}" for tag in line.tags)] if line.tags else []
        return "\n".join(words)

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = Field()
        editor.setParent(parent)
        editor.setMaxLength(LONGEST_TITLE)
        place = isinstance(index.data(ITEM), PlaceHead)
        editor.setAccessibleName(tr("Name of the workspace") if place else tr("Title of the chat"))
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, QLineEdit) and not editor.isModified():
            editor.setText(str(index.data(Qt.ItemDataRole.EditRole)))
            editor.selectAll()

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, _index: Index) -> None:
        box = item_option(option).box.toRect()
        box.setTop(box.bottom() + 1 - min(box.height(), px(CHAT_HEIGHT)))
        editor.setGeometry(box.adjusted(OUTER, 0, -OUTER, 0))


def _height(line: AnyLine | None, first: bool) -> int:
    if isinstance(line, GroupHead):
        return GROUP_HEIGHT
    if isinstance(line, ChatLine) and line.requests is not None:
        return WATCHED_HEIGHT
    return CHAT_HEIGHT + (PLACE_GAP if isinstance(line, PlaceHead) and not first else 0)


def px(length: float) -> int:
    """A length that grows with the fonts."""
    return round(length * scale())


def paint_snippet(painter: QPainter, box: QRectF, text: str, marks: Marks, theme: Theme) -> None:
    """Paint the snippet in at most two lines, its matches in bold on a tint."""
    fitting = fitting_text(text, marks, box.width())
    layout = _layout(fitting, marks, theme)
    height = line_height("small")
    _break(layout, box.width())
    painter.setPen(QColor(theme.t2))
    for number in range(layout.lineCount()):
        line = layout.lineAt(number)
        line.setPosition(QPointF(0, number * height + (height - line.height()) / 2))
    layout.draw(painter, box.topLeft())


def snippet_height(text: str, marks: Marks, width: float) -> int:
    """How high the snippet is at a width: one line or two."""
    layout = _layout(text, marks, None)
    _break(layout, width)
    return max(1, layout.lineCount()) * line_height("small")


def fitting_text(text: str, marks: Marks, width: float) -> str:
    """As much of the text as two lines hold."""
    layout = _layout(text, marks, None)
    _break(layout, width)
    if layout.lineCount() < LINES:
        return text
    last = layout.lineAt(LINES - 1).textStart()
    # In bold, which is the widest that anything in it may be.
    return text[:last] + elided(font("small", 600), text[last:], width)


def _layout(text: str, marks: Marks, theme: Theme | None) -> QTextLayout:
    layout = QTextLayout(text, font("small"))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    option.setAlignment(Qt.AlignmentFlag.AlignLeading)
    layout.setTextOption(option)
    layout.setFormats(
        [_range(start, min(end, len(text)), theme) for start, end in marks if start < len(text)]
    )
    return layout


def _range(start: int, end: int, theme: Theme | None) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    # The stub lacks the three fields that Qt documents.
    made.start = start  # type: ignore[attr-defined]
    made.length = end - start  # type: ignore[attr-defined]
    look = QTextCharFormat()
    look.setFontWeight(QFont.Weight.DemiBold)
    if theme is not None:
        look.setForeground(QColor(theme.accent_text))
        look.setBackground(QColor(theme.accent_tint))
    made.format = look  # type: ignore[attr-defined]
    return made


def _break(layout: QTextLayout, width: float) -> None:
    layout.beginLayout()
    for _ in range(LINES):
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(width)
    layout.endLayout()
