"""What stands above a message that does not fit: by how much, and what can be done about it."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.engine.state import Fix
from workbench.ui import formatting
from workbench.ui.chat.fixes.fix_list import FixList
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import paint_elided, set_text_style
from workbench.ui.look.space import rows
from workbench.ui.look.theme import colour, theme_of

BAND_HEIGHT = 36


class OverLimit(QWidget):
    """The overshoot and up to four fixes."""

    def __init__(self) -> None:
        super().__init__()
        self._over_tokens = 0
        self.fixes = FixList()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        rows(self, (0, BAND_HEIGHT, 0, 0)).addWidget(self.fixes)

    def show_over(self, over_tokens: int, fixes: tuple[Fix, ...]) -> None:
        """Say by how much it is too large; nothing is shown where it fits."""
        self._over_tokens = over_tokens
        self.fixes.show_fixes(fixes if over_tokens else ())
        self.setAccessibleName(" ".join(self.words()))
        self.setVisible(over_tokens > 0)
        self.update()

    def words(self) -> tuple[str, str]:
        """What the band says: first what counts, then what can be done about it."""
        strong = self.tr("{tokens} over the limit.").format(tokens=formatting.token_words(self._over_tokens))
        if self.fixes.fix_rows():
            return strong, self.tr("It is not sent like this. Choose a fix:")
        return strong, self.tr("It is not sent like this. Shorten the message or detach something.")

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the band; its round corners are cut by the composer's own border."""
        theme, painter = theme_of(self), QPainter(self)
        line = QRectF(0, BAND_HEIGHT - 1, self.width(), 1)
        painter.fillRect(line, colour("line", theme))
        spot = QRectF(12, 0, 16, BAND_HEIGHT)
        paint_icon(painter, spot, "warn", "err", 16)
        strong, rest = self.words()
        width = metrics("ui", 600).horizontalAdvance(strong)
        set_text_style(painter, font("ui", 600), colour("err", theme))
        paint_elided(painter, self._text(36, width + 1), strong)
        set_text_style(painter, font("ui"), colour("t1", theme))
        paint_elided(painter, self._text(36 + width + 4, self.width() - width - 52), rest)

    def _text(self, x: float, width: float) -> QRectF:
        return QRectF(x, 0, max(width, 0.0), BAND_HEIGHT)
