"""How the lines of the chats pane are painted: headings, chats, and what a search found."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from workbench.ui.chats.found_lines import FoundHead, FoundLine
from workbench.ui.chats.lines import ChatLine, GroupHead
from workbench.ui.chats.lines_model import LINE, AnyLine, line_words
from workbench.ui.chats.snippet import paint_snippet, snippet_height
from workbench.ui.look.fonts import font, scale
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import figure_width, fill_rounded, paint_elided, paint_figure, stroke_rounded
from workbench.ui.look.theme import Theme, theme_of
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.plain import tip

Index = QModelIndex | QPersistentModelIndex
State = QStyle.StateFlag

CHAT_HEIGHT, GROUP_HEIGHT = 28, 30
OUTER, INNER, END, ICON, DOT = 6, 38, 12, 16, 6
SNIPPET_PADDING = 5
LONGEST_TITLE = 200


class LineDelegate(QStyledItemDelegate):
    """Paints the lines; `current` is the id of the chat in view, `several` says that more than one is selected."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self.current = ""
        self.several = False

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """A chat is one line, a hit one or two."""
        width = self._view().viewport().width()
        line = index.data(LINE)
        if isinstance(line, FoundLine):
            room = width - OUTER - INNER - END
            return QSize(width, snippet_height(line.snippet, line.marks, room) + 2 * SNIPPET_PADDING)
        return QSize(width, px(GROUP_HEIGHT if isinstance(line, GroupHead) else CHAT_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one line."""
        painter.save()
        painter.setLayoutDirection(self._view().layoutDirection())
        theme = theme_of(self._view())
        box, state = _read(option)
        match index.data(LINE):
            case GroupHead() as head:
                self._paint_group(painter, box, head, theme)
            case ChatLine() as line:
                self._paint_ground(painter, box, state, line.id == self.current)
                self._paint_chat(painter, box, line, theme)
            case FoundHead() as head:
                self._paint_ground(painter, box, state, head.chat == self.current)
                self._paint_found_head(painter, box, head, theme)
            case FoundLine() as hit:
                self._paint_ground(painter, box, state, False)
                self._paint_hit(painter, box, hit, theme)
        painter.restore()

    def _paint_ground(self, painter: QPainter, row: QRectF, state: QStyle.StateFlag, current: bool) -> None:
        theme = theme_of(self._view())
        box = row.adjusted(OUTER, 0, -OUTER, 0)
        if current:
            fill_rounded(painter, box, theme.sel, 6)
            edge = part(painter, box, 0, 3)
            fill_rounded(painter, edge.adjusted(0, 6, 0, -6), theme.accent, 1.5)
        elif state & State.State_MouseOver:
            fill_rounded(painter, box, theme.hover, 6)
        if self.several and state & State.State_Selected:
            if not current:
                fill_rounded(painter, box, theme.sel, 6)
            stroke_rounded(painter, box, theme.accent, 6)
        if state & State.State_HasFocus and state & State.State_KeyboardFocusChange:
            stroke_rounded(painter, box, theme.accent, 6, 2)

    def _paint_group(self, painter: QPainter, box: QRectF, head: GroupHead, theme: Theme) -> None:
        painter.setFont(font("meta_strong"))
        painter.setPen(QColor(theme.t3))
        paint_elided(painter, box.adjusted(END, px(8), -END, 0), head.words)

    def _paint_chat(self, painter: QPainter, box: QRectF, line: ChatLine, theme: Theme) -> None:
        current = line.id == self.current
        paint_icon(painter, part(painter, box, 14, ICON), "chat", "t2" if current else "t3", ICON)
        width = self._paint_end(painter, box, line.when, theme)
        room = box.width() - INNER - END - width - 8
        if line.running:
            room -= DOT + 6
            spot = part(painter, box, INNER + room + 6, DOT)
            middle = QRectF(spot.left(), box.center().y() - DOT / 2, DOT, DOT)
            fill_rounded(painter, middle, theme.accent, DOT / 2)
        painter.setFont(font("ui_label" if current else "ui"))
        painter.setPen(QColor(theme.t1 if current else theme.t2))
        paint_elided(painter, part(painter, box, INNER, room), line.title)

    def _paint_end(self, painter: QPainter, box: QRectF, words: str, theme: Theme) -> float:
        painter.setFont(font("small"))
        painter.setPen(QColor(theme.t3))
        width = figure_width(painter.font(), words)
        paint_figure(painter, part(painter, box, box.width() - END - width, width), words)
        return width

    def _paint_found_head(self, painter: QPainter, box: QRectF, head: FoundHead, theme: Theme) -> None:
        paint_icon(painter, part(painter, box, 14, ICON), "chat", "t3", ICON)
        width = self._paint_end(painter, box, str(head.hits), theme)
        painter.setFont(font("ui_heading"))
        painter.setPen(QColor(theme.t1))
        paint_elided(painter, part(painter, box, INNER, box.width() - INNER - END - width - 8), head.title)

    def _paint_hit(self, painter: QPainter, box: QRectF, hit: FoundLine, theme: Theme) -> None:
        icon = {"message": "", "title": "edit", "attachment": "clip"}[hit.where]
        if icon:
            paint_icon(painter, part(painter, box, 16, 12), icon, "t3", 12)
        room = part(painter, box, INNER, box.width() - OUTER - INNER - END)
        text = room.adjusted(0, SNIPPET_PADDING, 0, -SNIPPET_PADDING)
        paint_snippet(painter, text, hit.snippet, hit.marks, theme)

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        """Say a title whole."""
        line = index.data(LINE) if event.type() == QEvent.Type.ToolTip else None
        if not isinstance(line, ChatLine | FoundHead | FoundLine):
            return super().helpEvent(event, view, option, index)
        QToolTip.showText(event.globalPos(), tip(self._tip(line)), view, _read(option)[0].toRect())
        return True

    def _tip(self, line: AnyLine) -> str:
        words = line_words(line)
        if isinstance(line, ChatLine) and line.running:
            return self.tr("{title}\nAn answer is arriving.").format(title=words)
        return words

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, _index: Index) -> QWidget:
        """A field for a chat's title."""
        editor = Field()
        editor.setParent(parent)
        editor.setMaxLength(LONGEST_TITLE)
        editor.setAccessibleName(self.tr("Title of the chat"))
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        """Begin with the title as it is, selected."""
        if isinstance(editor, QLineEdit) and not editor.isModified():
            editor.setText(str(index.data(Qt.ItemDataRole.EditRole)))
            editor.selectAll()

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, _index: Index) -> None:
        """The field lies over the whole line."""
        editor.setGeometry(_read(option)[0].toRect().adjusted(OUTER, 0, -OUTER, 0))

    def _view(self) -> QAbstractItemView:
        view = self.parent()
        assert isinstance(view, QAbstractItemView)
        return view


def px(length: float) -> int:
    """A length that grows with the fonts."""
    return round(length * scale())


def part(painter: QPainter, box: QRectF, start: float, width: float) -> QRectF:
    """The part of a box that begins at that distance from where its text begins."""
    mirrored = painter.layoutDirection() == Qt.LayoutDirection.RightToLeft
    left = box.right() - start - width if mirrored else box.left() + start
    return QRectF(left, box.top(), max(width, 0.0), box.height())


def _read(option: QStyleOptionViewItem) -> tuple[QRectF, QStyle.StateFlag]:
    """The box and state of a row, which Qt documents and the stub lacks."""
    return QRectF(option.rect), option.state  # type: ignore[attr-defined]
