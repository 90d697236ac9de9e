"""The button that says which model is asked, and whether it can answer."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QToolButton, QWidget

from workbench.domain.provider import provider_of
from workbench.engine.state import Readiness, WorkbenchState
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import fill_rounded, set_text_style, stroke_rounded
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import in_language, tr
from workbench.ui.widgets.plain import shown, tip


class ModelButton(QToolButton):
    """The model in use: a dot for its state, which its words say too, and its name."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._dot = "", "t3"
        self._shown: tuple[str, Readiness | None] | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_model(self, name: str, readiness: Readiness | None) -> None:
        if (name, readiness) == self._shown:
            return
        self._shown = (name, readiness)
        self._name = shown(name, 32)
        dot, state = _state_of(readiness)
        self._dot = dot
        words = {
            "ready": tr("ready"),
            "starting": tr("starting"),
            "problem": tr("can’t answer now"),
            "unknown": tr("not started yet"),
        }[state]
        self.setAccessibleName(tr("Model: {name}, {state}").format(name=self._name, state=words))
        problem = readiness.problem if readiness is not None else ""
        self.setToolTip(tip(f"{self._name}: {words}. {in_language(problem)} (Ctrl+M)"))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        width = metrics("ui_label").horizontalAdvance(self._name)
        return QSize(round(width) + 12 + 8 + 8 + 8 + 16 + 8, 28)

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), 120), 28)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect())
        fill_rounded(painter, box, theme.hover if self.underMouse() else theme.raised, 6)
        stroke_rounded(painter, box, theme.btnline, 6)
        start = 12.0
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour(self._dot, theme))
        width = box.width()
        painter.drawEllipse(QPointF(start + 4, box.center().y()), 4, 4)
        set_text_style(painter, font("ui_label"), colour(theme.t1 if self.isEnabled() else theme.t3))
        words = QRectF(start + 16, 0, width - start - 16 - 28, box.height())
        text = painter.fontMetrics().elidedText(
            self._name, Qt.TextElideMode.ElideMiddle, int(words.width()) + 1
        )
        painter.drawText(words, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading), text)
        arrow = QRectF(width - 24, 0, 16, box.height())
        paint_icon(painter, arrow, "chevron-down", "t2", 14)


def short_name(model: str) -> str:
    """A model's name without whose it is; the built-in one has a name of its own."""
    if model == "builtin":
        return tr("Built-in SmolLM2")
    provider, name = provider_of(model), model.partition(":")[2]
    if provider is not None and provider.form in ("PATH", "FILE"):
        name = name.rpartition("/")[2]
    elif provider is not None and provider.form == "URL#NAME":
        name = name.rpartition("#")[2]
    return name or model


def model_name(model: str) -> str:
    """The same as it is written in a sentence: no name plays tricks there, or takes all the room."""
    return shown(short_name(model), 48)


def not_continued_words(model: str) -> str:
    """That a model does not go on with the beginning of an answer."""
    return tr("{model} doesn’t continue a begun answer").format(model=model_name(model))


def _state_of(readiness: Readiness | None) -> tuple[str, str]:
    if readiness is None:
        return "edge", "unknown"
    if readiness.problem:
        return "errline", "problem"
    return ("ok", "ready") if readiness.ready else ("warn", "starting")


def model_names(state: WorkbenchState, own: str) -> list[str]:
    """Those that can be asked: the chat's own, those with a star, those asked last, then the others."""
    listed = [one.name for one in state.models or () if one.usable and one.card is not None]
    first = (own, *state.preferences.favourite_models, *state.preferences.recent_models)
    return list(dict.fromkeys((*first, *listed)))
