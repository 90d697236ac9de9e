"""Our style over Fusion: what a palette cannot say, and Fusion would paint in its own way."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QProxyStyle,
    QStyle,
    QStyleHintReturn,
    QStyleOption,
    QStyleOptionComplex,
    QWidget,
)

from workbench.ui.look import style_parts
from workbench.ui.look.compositing import round_corners
from workbench.ui.look.dressing import dress
from workbench.ui.look.focus_ring import REACH

TOOLTIP_DELAY_MS = 500

_HINTS = {
    QStyle.StyleHint.SH_ToolTip_WakeUpDelay: TOOLTIP_DELAY_MS,
    QStyle.StyleHint.SH_FocusFrame_AboveWidget: 1,
    QStyle.StyleHint.SH_FocusFrame_Mask: 0,
    QStyle.StyleHint.SH_ComboBox_Popup: 0,
    QStyle.StyleHint.SH_ComboBox_PopupFrameStyle: QFrame.Shape.NoFrame.value,
    QStyle.StyleHint.SH_EtchDisabledText: 0,
    QStyle.StyleHint.SH_DitherDisabledText: 0,
    QStyle.StyleHint.SH_UnderlineShortcut: 0,
    QStyle.StyleHint.SH_Slider_AbsoluteSetButtons: Qt.MouseButton.LeftButton.value,
    QStyle.StyleHint.SH_Menu_FlashTriggeredItem: 0,
    QStyle.StyleHint.SH_ItemView_ShowDecorationSelected: 1,
    QStyle.StyleHint.SH_DialogButtonBox_ButtonsHaveIcons: 0,
}
_ROUND = ("QTipLabel", "QMenu", "QComboBoxPrivateContainer")
_METRICS = {
    QStyle.PixelMetric.PM_FocusFrameHMargin: REACH,
    QStyle.PixelMetric.PM_FocusFrameVMargin: REACH,
    QStyle.PixelMetric.PM_IndicatorWidth: 16,
    QStyle.PixelMetric.PM_IndicatorHeight: 16,
    QStyle.PixelMetric.PM_ExclusiveIndicatorWidth: 16,
    QStyle.PixelMetric.PM_ExclusiveIndicatorHeight: 16,
    QStyle.PixelMetric.PM_CheckBoxLabelSpacing: 8,
    QStyle.PixelMetric.PM_RadioButtonLabelSpacing: 8,
    QStyle.PixelMetric.PM_SplitterWidth: 1,
    QStyle.PixelMetric.PM_ToolTipLabelFrameWidth: 9,
    QStyle.PixelMetric.PM_MenuPanelWidth: 1,
    QStyle.PixelMetric.PM_MenuVMargin: 4,
    QStyle.PixelMetric.PM_MenuHMargin: 4,
    QStyle.PixelMetric.PM_TextCursorWidth: 1,
    QStyle.PixelMetric.PM_ScrollBarExtent: style_parts.BAR_WIDTH,
    QStyle.PixelMetric.PM_ScrollView_ScrollBarSpacing: 0,
}


class WorkbenchStyle(QProxyStyle):
    """Fusion with our focus ring, fields, boxes, menus and tooltips."""

    def __init__(self) -> None:
        super().__init__("Fusion")

    def polish(self, target: QWidget | QApplication | QPalette) -> None:  # type: ignore[override]
        """Give a widget its ground and colours; what is beyond the round corners of tooltips and menus is clear."""
        if isinstance(target, QWidget) and target.isWindow() and _is_one_of(target, _ROUND):
            round_corners(target, 0, style_parts.RADIUS)
        super().polish(target)
        if isinstance(target, QWidget):
            dress(target)

    def drawControl(
        self,
        element: QStyle.ControlElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        paint = style_parts.CONTROLS.get(element)
        if paint is None:
            super().drawControl(element, option, painter, widget)
        else:
            paint(option, painter, widget)

    def styleHint(
        self,
        hint: QStyle.StyleHint,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        returnData: QStyleHintReturn | None = None,
    ) -> int:
        ours = _HINTS.get(hint)
        return ours if ours is not None else super().styleHint(hint, option, widget, returnData)

    def pixelMetric(
        self,
        metric: QStyle.PixelMetric,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
    ) -> int:
        ours = _METRICS.get(metric)
        return ours if ours is not None else super().pixelMetric(metric, option, widget)

    def subControlRect(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        part: QStyle.SubControl,
        widget: QWidget | None = None,
    ) -> QRect:
        if control is QStyle.ComplexControl.CC_ScrollBar:
            return style_parts.bar_place(option, part)
        place = style_parts.PLACES.get((control, part))
        return place(option) if place else super().subControlRect(control, option, part, widget)  # type: ignore[arg-type]

    def drawPrimitive(
        self,
        element: QStyle.PrimitiveElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        paint = style_parts.PRIMITIVES.get(element)
        if paint is None:
            super().drawPrimitive(element, option, painter, widget)
        else:
            paint(option, painter, widget)

    def drawComplexControl(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        paint = style_parts.COMPLEX.get(control)
        if paint is None:
            super().drawComplexControl(control, option, painter, widget)
        else:
            paint(option, painter, widget)


@cache
def unseen_style() -> QStyle:
    """Fusion itself, for scroll bars that are never seen: every question to our own style is one to Python."""
    return QProxyStyle(
        "Fusion"
    )  # made here, it stays; one of the factory goes with the first widget that has it


def _is_one_of(widget: QWidget, names: tuple[str, ...]) -> bool:
    # The stub asks for bytes, which crash PySide 6.8.
    return any(widget.inherits(name) for name in names)  # type: ignore[arg-type]
