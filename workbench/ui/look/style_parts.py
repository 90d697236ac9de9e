"""Functions that paint the parts of controls, for our own Qt style."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractItemView, QAbstractSpinBox, QStyle, QWidget

from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import fill_rounded, stroke_rounded
from workbench.ui.look.theme import colour, theme_of


class Option(Protocol):
    """The style option of a control; PySide's stubs lack these fields."""

    rect: QRect
    state: QStyle.StateFlag


class ComplexOption(Option, Protocol):
    """The style option of a control with several parts."""

    editable: bool
    activeSubControls: QStyle.SubControl  # noqa: N815 - Qt's name
    stepEnabled: QAbstractSpinBox.StepEnabledFlag  # noqa: N815 - Qt's name


Paint = Callable[[Any, QPainter, QWidget | None], None]
RADIUS = 6
FRAMED = "framed"
"""Property of a scroll area that has the border of a field."""
State = QStyle.StateFlag
_BY_KEYBOARD = Qt.WidgetAttribute.WA_KeyboardFocusChange
Step = QAbstractSpinBox.StepEnabledFlag


def paint_nothing(_option: Option, _painter: QPainter, _widget: QWidget | None) -> None:
    """Paint nothing in place of a part."""


def paint_focus(option: Option, painter: QPainter, widget: QWidget | None) -> None:
    """Paint the focus of a row inside it; everything else has the focus ring over the window."""
    # The state of an item says "by keyboard" in any case; its window knows.
    if isinstance(widget, QAbstractItemView) and widget.window().testAttribute(_BY_KEYBOARD):
        stroke_rounded(painter, QRectF(option.rect), theme_of(widget).accent, 4, 2)


def paint_drop(option: Option, painter: QPainter, widget: QWidget | None) -> None:
    """Paint where something dragged would be dropped: around a row, or as a line between two."""
    box = QRectF(option.rect)
    if box.height() < 2:
        painter.fillRect(box.adjusted(0, 0, 0, 2), colour("accent", theme_of(widget)))
    elif box.isValid():
        stroke_rounded(painter, box.adjusted(4, 0, -4, 0), theme_of(widget).accent, 6, 2)


def paint_field(option: Option, painter: QPainter, widget: QWidget | None) -> None:
    """Paint the background and border of a field."""
    theme = theme_of(widget)
    enabled = bool(option.state & State.State_Enabled)
    focused = bool(option.state & State.State_HasFocus) and enabled
    box = QRectF(option.rect)
    fill_rounded(painter, box, theme.surface if enabled else theme.chrome, RADIUS)
    line = theme.accent if focused else (theme.edge if enabled else theme.btnline)
    stroke_rounded(painter, box, line, RADIUS, 1.5 if focused else 1)


def paint_line_edit(option: Option, painter: QPainter, widget: QWidget | None) -> None:
    """Paint a field, unless it is inside a spin or combo box, which paints its own."""
    if getattr(option, "lineWidth", 1) > 0:
        paint_field(option, painter, widget)


def paint_check(option: Option, painter: QPainter, widget: QWidget | None) -> None:
    """Paint a check box, alone or in a row of a list."""
    theme = theme_of(widget)
    on = bool(option.state & State.State_On)
    partly = bool(option.state & State.State_NoChange)
    enabled = bool(option.state & State.State_Enabled)
    box = _square(option, 15)
    if not (on or partly):
        fill_rounded(painter, box, theme.surface if enabled else theme.sunken, 4)
        stroke_rounded(painter, box, theme.edge if enabled else theme.btnline, 4)
        return
    fill_rounded(painter, box, theme.accent if enabled else theme.line2, 4)
    token = "on_accent" if enabled else "t1"
    paint_icon(painter, box, "minus" if partly else "check", token, 12)


def paint_radio(option: Option, painter: QPainter, widget: QWidget | None) -> None:
    """Paint the circle of a radio button."""
    theme = theme_of(widget)
    on = bool(option.state & State.State_On)
    enabled = bool(option.state & State.State_Enabled)
    box = _square(option, 15)
    fill_rounded(painter, box, theme.surface if enabled else theme.sunken, 7.5)
    line = (theme.accent if on else theme.edge) if enabled else theme.btnline
    stroke_rounded(painter, box, line, 7.5, 1.5 if on else 1)
    if on:
        fill_rounded(painter, box.adjusted(4, 4, -4, -4), theme.accent if enabled else theme.t3, 4)


def paint_tip(option: Option, painter: QPainter, widget: QWidget | None) -> None:
    """Paint the background of a tooltip."""
    theme = theme_of(widget)
    fill_rounded(painter, QRectF(option.rect), theme.raised, RADIUS)
    stroke_rounded(painter, QRectF(option.rect), theme.line2, RADIUS)


def paint_combo(option: ComplexOption, painter: QPainter, widget: QWidget | None) -> None:
    """Paint a combo box: a field with a chevron."""
    theme = theme_of(widget)
    enabled = bool(option.state & State.State_Enabled)
    box = QRectF(option.rect)
    hovered = bool(option.state & State.State_MouseOver) and enabled
    fill_rounded(
        painter, box, theme.raised_hover if hovered else theme.raised if enabled else theme.chrome, RADIUS
    )
    focused = bool(option.state & State.State_HasFocus) and option.editable
    line = theme.accent if focused else (theme.edge if enabled else theme.btnline)
    stroke_rounded(painter, box, line, RADIUS)
    spot = QRectF(box.right() - 20, box.top(), 12, box.height())
    paint_icon(painter, spot, "chevron-down", "t2" if enabled else "t3", 12)


def paint_spin(option: ComplexOption, painter: QPainter, widget: QWidget | None) -> None:
    """Paint a spin box: a field with two small chevrons."""
    paint_field(option, painter, widget)
    theme = theme_of(widget)
    box = QRectF(option.rect)
    half = box.height() / 2
    hot = option.activeSubControls if option.state & State.State_MouseOver else QStyle.SubControl.SC_None
    for top, name, control, step in (
        (box.top() + 2, "chevron-up", QStyle.SubControl.SC_SpinBoxUp, Step.StepUpEnabled),
        (box.top() + half, "chevron-down", QStyle.SubControl.SC_SpinBoxDown, Step.StepDownEnabled),
    ):
        spot = QRectF(box.right() - 19, top, 17, half - 2)
        enabled = bool(option.stepEnabled & step) and bool(option.state & State.State_Enabled)
        if hot & control and enabled:
            fill_rounded(painter, spot, theme.hover, 3)
        paint_icon(painter, spot, name, "t2" if enabled else "btnline", 10)


def paint_menu_check(option: Option, painter: QPainter, _widget: QWidget | None) -> None:
    """Paint the check mark of a menu entry that is on."""
    if option.state & State.State_On:
        paint_icon(painter, option.rect, "check", "t1", 14)


def paint_frame(option: Option, painter: QPainter, widget: QWidget | None) -> None:
    """Paint the background and border of a multi-line field; other frames are not painted."""
    if widget is None or not widget.property(FRAMED):
        return
    theme, box = theme_of(widget), QRectF(option.rect)
    enabled, focused = widget.isEnabled(), widget.hasFocus() and widget.isEnabled()
    if widget.objectName() != "transparent":
        fill_rounded(painter, box, theme.surface if enabled else theme.chrome, RADIUS)
    line = theme.accent if focused else (theme.edge if enabled else theme.btnline)
    stroke_rounded(painter, box, line, RADIUS, 2 if focused else 1)


def chevron(name: str) -> Paint:
    """A function that paints a chevron where Fusion has a filled triangle."""

    def paint(option: Option, painter: QPainter, _widget: QWidget | None) -> None:
        enabled = bool(option.state & State.State_Enabled)
        paint_icon(painter, option.rect, name, "t2" if enabled else "t3", 12)

    return paint


def combo_text(option: Option) -> QRect:
    """The rectangle of a combo box's text."""
    return option.rect.adjusted(8, 0, -24, 0)


def spin_text(option: Option) -> QRect:
    """The rectangle of a spin box's number."""
    return option.rect.adjusted(8, 1, -20, -1)


def spin_up(option: Option) -> QRect:
    """The rectangle of a spin box's upper button."""
    box = option.rect
    return QRect(box.right() - 18, box.top(), 19, box.height() // 2)


def spin_down(option: Option) -> QRect:
    """The rectangle of a spin box's lower button."""
    box = option.rect
    half = box.height() // 2
    return QRect(box.right() - 18, box.top() + half, 19, box.height() - half)


def _square(option: Option, side: float) -> QRectF:
    center = QRectF(option.rect).center()
    return QRectF(round(center.x() - side / 2), round(center.y() - side / 2), side, side)


# Scroll bars: a thin handle on the ground of what it scrolls, without buttons.

BAR_WIDTH, BAR_LEAST = 10, 28


def bar_place(option: Any, part: QStyle.SubControl) -> QRect:
    """The rectangle of a part of a scroll bar, which has no buttons."""
    bar: QRect = option.rect
    across = option.orientation == Qt.Orientation.Horizontal
    length = bar.width() if across else bar.height()
    start, size = _handle(option, length)
    stretches = {
        QStyle.SubControl.SC_ScrollBarGroove: (0, length),
        QStyle.SubControl.SC_ScrollBarSlider: (start, size),
        QStyle.SubControl.SC_ScrollBarSubPage: (0, start),
        QStyle.SubControl.SC_ScrollBarAddPage: (start + size, length - start - size),
    }
    begin, long = stretches.get(part, (0, 0))
    if part not in stretches:
        return QRect()
    if across:
        return QRect(bar.left() + begin, bar.top(), long, bar.height())
    return QRect(bar.left(), bar.top() + begin, bar.width(), long)


def _handle(option: Any, length: int) -> tuple[int, int]:
    steps = option.maximum - option.minimum
    if steps <= 0:
        return 0, length
    size = min(length, max(BAR_LEAST, option.pageStep * length // (steps + option.pageStep)))
    start = QStyle.sliderPositionFromValue(
        option.minimum, option.maximum, option.sliderPosition, length - size, option.upsideDown
    )
    return start, size


def paint_bar(option: Any, painter: QPainter, widget: QWidget | None) -> None:
    """Paint the handle of a scroll bar, darker while hovered or dragged."""
    theme = theme_of(widget)
    box = QRectF(bar_place(option, QStyle.SubControl.SC_ScrollBarSlider)).adjusted(2, 2, -2, -2)
    hot = bool(option.activeSubControls & QStyle.SubControl.SC_ScrollBarSlider)
    lit = hot and bool(option.state & (State.State_MouseOver | State.State_Sunken))
    fill_rounded(painter, box, theme.t3 if lit else theme.line2, 3)


PRIMITIVES: dict[QStyle.PrimitiveElement, Paint] = {
    QStyle.PrimitiveElement.PE_FrameFocusRect: paint_focus,
    QStyle.PrimitiveElement.PE_IndicatorItemViewItemDrop: paint_drop,
    QStyle.PrimitiveElement.PE_PanelLineEdit: paint_line_edit,
    QStyle.PrimitiveElement.PE_FrameLineEdit: paint_nothing,
    QStyle.PrimitiveElement.PE_PanelScrollAreaCorner: paint_nothing,
    QStyle.PrimitiveElement.PE_IndicatorCheckBox: paint_check,
    QStyle.PrimitiveElement.PE_IndicatorItemViewItemCheck: paint_check,
    QStyle.PrimitiveElement.PE_IndicatorRadioButton: paint_radio,
    QStyle.PrimitiveElement.PE_PanelTipLabel: paint_tip,
    QStyle.PrimitiveElement.PE_IndicatorMenuCheckMark: paint_menu_check,
    QStyle.PrimitiveElement.PE_IndicatorArrowRight: chevron("chevron-right"),
    QStyle.PrimitiveElement.PE_IndicatorArrowLeft: chevron("chevron-left"),
    QStyle.PrimitiveElement.PE_IndicatorArrowUp: chevron("chevron-up"),
    QStyle.PrimitiveElement.PE_IndicatorArrowDown: chevron("chevron-down"),
}
PLACES: dict[tuple[QStyle.ComplexControl, QStyle.SubControl], Callable[[Any], QRect]] = {
    (QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField): combo_text,
    (QStyle.ComplexControl.CC_SpinBox, QStyle.SubControl.SC_SpinBoxEditField): spin_text,
    (QStyle.ComplexControl.CC_SpinBox, QStyle.SubControl.SC_SpinBoxUp): spin_up,
    (QStyle.ComplexControl.CC_SpinBox, QStyle.SubControl.SC_SpinBoxDown): spin_down,
}
COMPLEX: dict[QStyle.ComplexControl, Paint] = {
    QStyle.ComplexControl.CC_ComboBox: paint_combo,
    QStyle.ComplexControl.CC_SpinBox: paint_spin,
    QStyle.ComplexControl.CC_ScrollBar: paint_bar,
}
CONTROLS: dict[QStyle.ControlElement, Paint] = {
    QStyle.ControlElement.CE_ShapedFrame: paint_frame,
    QStyle.ControlElement.CE_HeaderSection: paint_nothing,
    QStyle.ControlElement.CE_HeaderEmptyArea: paint_nothing,
}
