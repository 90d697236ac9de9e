"""The program's Qt style, based on Fusion: what a palette cannot express."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from string import Template

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QFrame,
    QLabel,
    QListView,
    QMenu,
    QProxyStyle,
    QScrollArea,
    QSplitterHandle,
    QStyle,
    QStyleHintReturn,
    QStyleOption,
    QStyleOptionComplex,
    QWidget,
)

from workbench.ui.look import style_parts
from workbench.ui.look.compositing import round_corners
from workbench.ui.look.focus_ring import REACH
from workbench.ui.look.theme import Theme, colour, theme_of

# What a widget gets when it is first shown, by its class, its name and its token.
#
# A style sheet of the whole program would do the same, and match every widget against every rule whenever one is made
# or the theme changes: half of the time of a dialog, most of that of a theme.


TOKEN = "token"
"""Property of a label that holds the token of its colour."""
_WORDS = (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText)
# By a role of the palette, a ground follows the theme without being told.
_BACKGROUNDS = {
    "chrome": QPalette.ColorRole.Window,
    "surface": QPalette.ColorRole.Base,
    "hairline": QPalette.ColorRole.Mid,
}
CODE = "code"


def polish_widget(widget: QWidget) -> None:
    """Set a widget's background and colours, once, before it is first shown."""
    if isinstance(widget, QLabel):
        tint(widget)
    elif isinstance(widget, QAbstractScrollArea):
        _polish_scroll_area(widget)
    elif isinstance(widget, QSplitterHandle):
        _fill_background(widget, QPalette.ColorRole.Mid)
    elif isinstance(widget, QMenu):
        put_sheet_on(widget)
    else:
        _set_background(widget, widget.objectName())


def tint(label: QLabel) -> None:
    """Set the colour of a label by its token."""
    token = label.property(TOKEN)
    if not isinstance(token, str):
        return
    wanted = colour(token, theme_of(label))
    palette = QPalette(label.palette())
    for role in _WORDS:
        palette.setColor(role, wanted)
    label.setPalette(palette)


def polish_all(app: QApplication) -> None:
    """Set the colours of a new theme on all widgets that do not take them from the palette."""
    for widget in app.allWidgets():
        if not widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
            continue
        if isinstance(widget, QLabel):
            tint(widget)
        elif widget.styleSheet():
            widget.setStyleSheet(sheet_of(theme_of(widget)))
        elif widget.objectName() == CODE:
            _set_background(widget, CODE)


def _polish_scroll_area(area: QAbstractScrollArea) -> None:
    """Remove a scroll area's frame, and its background unless its name asks for one."""
    if _is_combo_list(area):
        return  # most are never opened: `Choice` dresses it when it is
    if area.horizontalScrollBarPolicy() is Qt.ScrollBarPolicy.ScrollBarAlwaysOff:
        # It is asked about at every layout: a tenth of what opening the settings asks. The upright one may come back.
        area.horizontalScrollBar().setStyle(unseen_style())
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.viewport().setAutoFillBackground(False)
    _set_background(area, area.objectName())
    if isinstance(area, QScrollArea) and area.widget() is not None:
        # It may have been dressed before it came in here, where Qt gives it a ground.
        _set_background(area.widget(), area.widget().objectName())


def put_sheet_on(widget: QWidget) -> None:
    """Give a menu or a combo box's list its look, once."""
    if not widget.styleSheet():  # to put it on asks for this again
        widget.setStyleSheet(sheet_of(theme_of(widget)))


def _is_combo_list(widget: QWidget) -> bool:
    # The stub asks for bytes, which crash PySide 6.8.
    return isinstance(widget, QListView) and widget.inherits("QComboBoxListView")  # type: ignore[arg-type]


def _set_background(widget: QWidget, name: str) -> None:
    if name in _BACKGROUNDS:
        _fill_background(widget, _BACKGROUNDS[name])
    elif name == "transparent":
        widget.setAutoFillBackground(False)
    elif name == CODE:
        palette = QPalette(widget.palette())
        palette.setColor(QPalette.ColorRole.Window, colour("code_bg", theme_of(widget)))
        widget.setPalette(palette)
        _fill_background(widget, QPalette.ColorRole.Window)


def _fill_background(widget: QWidget, role: QPalette.ColorRole) -> None:
    widget.setBackgroundRole(role)
    widget.setAutoFillBackground(True)


# What Qt paints well by a sheet: menus, and lists that drop down.

_SHEET = Template("""
QMenu { background: $raised; border: 1px solid $line2; border-radius: 8px; padding: 4px; }
QMenu::item { padding: 5px 20px 5px 8px; border-radius: 5px; background: transparent; color: $t1; }
QMenu::item:selected { background: $raised_hover; }
QMenu::item:disabled { color: $t3; }
QMenu::icon { padding-left: 8px; }
QMenu::separator { height: 1px; background: $line; margin: 4px 8px; }
QListView { background: $raised; border: 1px solid $line2; border-radius: 8px; padding: 4px; outline: none; }
QListView::item { min-height: 26px; padding: 0 8px; border-radius: 5px; color: $t1; }
QListView::item:selected { background: $sel; }
""")


def sheet_of(theme: Theme) -> str:
    """The style sheet of menus and of combo boxes' lists; nothing else has one."""
    values = {field.name: getattr(theme, field.name) for field in fields(theme)}
    return _SHEET.substitute({name: value for name, value in values.items() if isinstance(value, str)})


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
    # As Fusion has them; asked a thousand times for a dialog, and Fusion takes as long again to be asked.
    QStyle.StyleHint.SH_Widget_ShareActivation: 0,
    QStyle.StyleHint.SH_ScrollBar_Transient: 0,
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
    """Fusion with our focus ring, fields, check boxes, menus and tooltips."""

    def __init__(self) -> None:
        super().__init__("Fusion")

    def polish(self, target: QWidget | QApplication | QPalette) -> None:  # type: ignore[override]
        """Set a widget's background and colours; tooltips and menus get round corners."""
        if isinstance(target, QWidget) and target.isWindow() and _is_one_of(target, _ROUND):
            round_corners(target, 0, style_parts.RADIUS)
        super().polish(target)
        if isinstance(target, QWidget):
            polish_widget(target)

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
    """Plain Fusion, for scroll bars that are never visible: every call of our own style goes through Python."""
    return QProxyStyle(
        "Fusion"
    )  # made here, it stays; one of the factory goes with the first widget that has it


def _is_one_of(widget: QWidget, names: tuple[str, ...]) -> bool:
    # The stub asks for bytes, which crash PySide 6.8.
    return any(widget.inherits(name) for name in names)  # type: ignore[arg-type]
