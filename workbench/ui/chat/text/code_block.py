"""A block of code: its language, a button that copies it, and its lines, which are not wrapped."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QTextEdit, QWidget

from workbench.ui.chat.text.blocks import Code
from workbench.ui.chat.text.highlight import Ink as InkName
from workbench.ui.chat.text.highlight import Run
from workbench.ui.chat.text.ink import ColourJob, Ink
from workbench.ui.chat.text.safe_browser import SafeBrowser
from workbench.ui.chat.text.safe_text import visible, written_part
from workbench.ui.chat.text.selection import WHOLE, Part, Readable, Selection
from workbench.ui.look.fonts import font, line_height, metrics
from workbench.ui.look.painting import paint_elided, set_text_style
from workbench.ui.look.theme import Theme, colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Panel
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.stack import tell_height

HEAD_PX, PADDING_PX, SIDE_PX, BAR_PX = 28, 9, 12, 10
COPIED_MS = 1_500
RADIUS = 8
_TOKENS: dict[InkName, str] = {
    "kw": "code_kw", "str": "code_str", "fn": "code_fn", "comment": "code_comment",
    "add": "diff_add", "del": "diff_del",
}  # fmt: skip


class CodeFrame(Panel):
    """The frame around code, with a head that names its language; `head_end` pixels at the end of it are taken."""

    ground, border, radius = "code_bg", "line", RADIUS
    language = ""
    head_end = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        theme, painter = theme_of(self), QPainter(self)
        painter.fillRect(1, HEAD_PX, self.width() - 2, 1, colour("line", theme))
        set_text_style(painter, font("meta"), colour("t3", theme))
        head = QRectF(SIDE_PX, 0, self.width() - self.head_end - 2 * SIDE_PX, HEAD_PX)
        paint_elided(painter, head, shown(self.language, 24) or tr("code"))


class CodeBlock(CodeFrame):
    """Code in a frame."""

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._code = Code("")
        self._ink = ink
        self.text = CodeText(self)
        self.copy = on_click(button(tr("Copy"), "ghost", "copy", size="small"), self._on_copy)
        self.copy.setParent(self)
        self._copied: QTimer | None = None
        self._colours: Colours | None = None

    def show_code(self, code: Code) -> None:
        if code == self._code and self.text.line_count():
            return
        self._code, self.language = code, code.language
        self.text.show_code(code.text)
        name = shown(code.language, 24) or tr("code")
        self.setAccessibleName(tr("Code, {language}").format(language=name))
        self.copy.setAccessibleName(tr("Copy this code"))
        if self._colours is not None:
            self._colours.show_runs(())
        self._on_coloured()
        tell_height(self)
        self.update()

    def join(self, across: Selection) -> None:
        self.text.join(across)

    def place_at(self, spot: QPoint) -> int:
        """The place in the code that is nearest to a point; in the head it is the beginning."""
        return self.text.place_at(spot - self.text.pos())

    def word_at(self, place: int) -> tuple[int, int]:
        return self.text.word_at(place)

    def select_part(self, part: Part | None, seen: int | None = None) -> None:
        self.text.select_part(part, seen)

    def text_of(self, part: Part) -> str:
        return self._code.text if part == WHOLE else self.text.text_of(part)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        bar = BAR_PX if self.text.widest() > width - 2 * SIDE_PX else 0
        return (
            HEAD_PX
            + 2 * PADDING_PX
            + self.text.line_count() * line_height("code")
            + max(0, bar - PADDING_PX + 4)
        )

    def sizeHint(self) -> QSize:
        return QSize(320, self.heightForWidth(max(1, self.width())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        top = HEAD_PX + PADDING_PX
        self.text.setGeometry(SIDE_PX, top, self.width() - SIDE_PX - 2, self.height() - top - 2)
        self._place_copy()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        colours = getattr(self, "_colours", None)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.PaletteChange) and colours is not None:
            colours.follow(theme_of(self))

    def _place_copy(self) -> None:
        size = self.copy.sizeHint()
        x = self.width() - size.width() - 2
        self.copy.setGeometry(x, (HEAD_PX - size.height()) // 2, size.width(), size.height())
        self.head_end = size.width()

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._code.text)
        self.copy.setText(tr("Copied"))
        self.copy.set_icon("check")
        self._place_copy()
        if self._copied is None:
            self._copied = single_shot(self, self._uncopied)
        self._copied.start(COPIED_MS)

    def _uncopied(self) -> None:
        self.copy.setText(tr("Copy"))
        self.copy.setAccessibleName(tr("Copy this code"))
        self.copy.set_icon("copy")
        self._place_copy()

    def _on_coloured(self) -> None:
        if not self._code.language:
            return
        runs = self._ink.get(ColourJob(self.text.toPlainText(), self._code.language), self._on_coloured)
        if runs:
            self._colours = self._colours or Colours(self.text.document())
            self._colours.show_runs(runs)


class CodeText(SafeBrowser):
    """The lines of code; they are as far apart as the design says, which a plain text edit cannot do."""

    role, sideways = "code", True

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Code"))
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self.setLineWrapMode(QTextEdit.LineWrapMode.NoWrap)
        self.setWordWrapMode(QTextOption.WrapMode.NoWrap)
        self.setTabStopDistance(4 * metrics("code").horizontalAdvance(" "))
        self._lines = 0
        self._source = ""

    def show_code(self, source: str) -> None:
        text = visible(source)
        self._source = source
        self.document().clear()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        shape = QTextBlockFormat()
        shape.setLineHeight(line_height("code"), QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        shape.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute)
        shape.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        cursor.setBlockFormat(shape)
        cursor.insertText(text)
        cursor.endEditBlock()
        self._lines = text.count("\n") + 1
        self.to_start()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_source"):
            self.setTabStopDistance(4 * metrics("code").horizontalAdvance(" "))
            spaced = QTextBlockFormat()
            spaced.setLineHeight(line_height("code"), QTextBlockFormat.LineHeightTypes.FixedHeight.value)
            cursor = QTextCursor(self.document())
            cursor.select(QTextCursor.SelectionType.Document)
            cursor.mergeBlockFormat(spaced)
            if (frame := self.parentWidget()) is not None:
                tell_height(frame)

    def block(self) -> Readable:
        frame = self.parentWidget()
        return frame if isinstance(frame, CodeBlock) else self

    def text_of(self, part: Part) -> str:
        """A part as it was written: signs that are written out to be seen are copied as they are."""
        cursor = self.cursor_of(part)
        shown = cursor.selectedText()
        cursor.setPosition(cursor.selectionStart())
        cursor.setPosition(0, QTextCursor.MoveMode.KeepAnchor)
        start = len(cursor.selectedText())
        return written_part(self._source, start, start + len(shown))

    def line_count(self) -> int:
        return self._lines

    def widest(self) -> int:
        return int(self.document().idealWidth() + 0.999)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Sideways it scrolls itself; up and down the transcript does."""
        if abs(event.angleDelta().x()) > abs(event.angleDelta().y()):
            QTextEdit.wheelEvent(self, event)
        else:
            event.ignore()


class Colours(QSyntaxHighlighter):
    """Puts colours on lines once they are known."""

    def __init__(self, document: object) -> None:
        super().__init__(document)  # type: ignore[call-overload]
        self._runs: tuple[Run, ...] = ()
        self._by_line: dict[int, list[Run]] = {}
        self._theme = theme_of()

    def show_runs(self, runs: tuple[Run, ...]) -> None:
        if runs == self._runs:
            return
        self._runs, self._by_line = runs, {}
        for run in runs:
            self._by_line.setdefault(run.line, []).append(run)
        self.rehighlight()

    def follow(self, theme: Theme) -> None:
        if theme is not self._theme:
            self._theme = theme
            self.rehighlight()

    def highlightBlock(self, _text: str) -> None:
        for run in self._by_line.get(self.currentBlock().blockNumber(), ()):
            style = QTextCharFormat()
            style.setForeground(QColor(getattr(self._theme, _TOKENS[run.ink])))
            style.setFontItalic(run.ink == "comment")
            self.setFormat(run.start, run.length, style)
