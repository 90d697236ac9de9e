"""The themes: every colour of the program is defined here, and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from PySide6 import QtCore
from PySide6.QtCore import QObject
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QApplication

if TYPE_CHECKING:  # names of values only: the first paint needs none of them
    from workbench.domain.segment import LayerName


PROPERTY = "workbench_theme"
"""Name of the application's attribute that holds the current theme: all widgets, delegates and icons can reach it."""


class LayerColours(NamedTuple):
    """A layer's fill, the text on it, its outline, and the strokes that mark what is cached (with alpha)."""

    fill: str
    text: str
    edge: str
    hatch: str


@dataclass(frozen=True, eq=False)
class Theme:
    """All colours of one theme, as `#RRGGBB`; with alpha as `#AARRGGBB`."""

    dark: bool
    chrome: str
    surface: str
    raised: str
    sunken: str
    hover: str
    raised_hover: str
    sel: str
    line: str
    line2: str
    edge: str
    btnline: str
    t1: str
    t2: str
    t3: str
    accent: str
    on_accent: str
    accent_text: str
    accent_tint: str
    ok: str
    ok_tint: str
    warn: str
    warn_tint: str
    err: str
    err_tint: str
    errline: str
    info: str
    info_tint: str
    track: str
    cached: str
    fresh: str
    cached_hatch: str
    code_bg: str
    code_kw: str
    code_str: str
    code_fn: str
    code_comment: str
    diff_add: str
    diff_add_bg: str
    diff_del: str
    diff_del_bg: str
    toast: str
    toast_text: str
    toast_action: str
    toast_line: str
    accent_hover: str
    overflow: str
    shadow: str
    scrim: str
    layers: Mapping[LayerName, LayerColours]


_WHITE_62 = "#9EFFFFFF"
_INK_38 = "#61101828"
_NIGHT_50 = "#800A0C12"
_NIGHT_42 = "#6B0A0C12"

LIGHT = Theme(
    dark=False,
    chrome="#F5F6F8",
    surface="#FFFFFF",
    raised="#FFFFFF",
    sunken="#EBEDF1",
    hover="#E9EBF0",
    raised_hover="#EEF0F4",
    sel="#E6E2FB",
    line="#DFE2E8",
    line2="#B9BFCA",
    edge="#868D9B",
    btnline="#CBD0D9",
    t1="#191C22",
    t2="#474D59",
    t3="#5D6472",
    accent="#5A43D4",
    on_accent="#FFFFFF",
    accent_text="#4B36BD",
    accent_tint="#EDEAFC",
    ok="#1C6E43",
    ok_tint="#E1F2E8",
    warn="#7D4E00",
    warn_tint="#FCEFD2",
    err="#B3232C",
    err_tint="#FCE7E7",
    errline="#D9444C",
    info="#22559C",
    info_tint="#E4EEFA",
    track="#E7E9EE",
    cached="#5D6675",
    fresh="#C3C8D2",
    cached_hatch=_WHITE_62,
    code_bg="#F7F8FA",
    code_kw="#7A2FB0",
    code_str="#22693C",
    code_fn="#22559C",
    code_comment="#5D6472",
    diff_add="#14572F",
    diff_add_bg="#E3F4E8",
    diff_del="#9A1C24",
    diff_del_bg="#FCE9E9",
    toast="#23272F",
    toast_text="#F2F3F6",
    toast_action="#B9ADFF",
    toast_line="#23272F",
    accent_hover="#4B36BD",
    overflow="#CCD9444C",
    shadow="#0F1423",
    scrim="#52141822",
    layers={
        "L1_SYSTEM": LayerColours("#2F4FA8", "#FFFFFF", "#243E86", _WHITE_62),
        "L2_PREVIOUS": LayerColours("#6FC1E4", "#0E2431", "#2A7FA8", _INK_38),
        "L4_STRIP": LayerColours("#4E7D2B", "#FFFFFF", "#3C6320", _WHITE_62),
        "L3_TURN": LayerColours("#F0AE45", "#2E1C00", "#B06F00", _INK_38),
        "L5_USER": LayerColours("#8E2F6E", "#FFFFFF", "#6E2255", _WHITE_62),
    },
)

DARK = Theme(
    dark=True,
    chrome="#16181D",
    surface="#1B1E24",
    raised="#262A33",
    sunken="#101216",
    hover="#242830",
    raised_hover="#2E343E",
    sel="#322D5A",
    line="#2D323B",
    line2="#4A5260",
    edge="#6B7382",
    btnline="#434A57",
    t1="#E8EAEF",
    t2="#B7BDC9",
    t3="#959DAB",
    accent="#A797FF",
    on_accent="#15122B",
    accent_text="#B9ADFF",
    accent_tint="#2A2746",
    ok="#6FD39A",
    ok_tint="#17302A",
    warn="#EDBB5B",
    warn_tint="#352B17",
    err="#FF8A8A",
    err_tint="#3A2024",
    errline="#E5575F",
    info="#8DBBFF",
    info_tint="#1B2A40",
    track="#2A2E37",
    cached="#A9B1BF",
    fresh="#4A515E",
    cached_hatch=_NIGHT_50,
    code_bg="#14161B",
    code_kw="#C9A2F5",
    code_str="#8FD6A6",
    code_fn="#8DBBFF",
    code_comment="#959DAB",
    diff_add="#8BE0AE",
    diff_add_bg="#152E22",
    diff_del="#FFA3A3",
    diff_del_bg="#3A2024",
    toast="#23272F",
    toast_text="#F2F3F6",
    toast_action="#B9ADFF",
    toast_line="#4A5260",
    accent_hover="#B9ADFF",
    overflow="#CCE5575F",
    shadow="#05070C",
    scrim="#9E141822",
    layers={
        "L1_SYSTEM": LayerColours("#6E97EE", "#0B1020", "#9DB9F5", _NIGHT_50),
        "L2_PREVIOUS": LayerColours("#A0E0F2", "#08161B", "#C9EFF9", _NIGHT_42),
        "L4_STRIP": LayerColours("#5A9A3F", "#071004", "#86BE6C", _NIGHT_50),
        "L3_TURN": LayerColours("#FFCB70", "#1D1200", "#FFDFA6", _NIGHT_42),
        "L5_USER": LayerColours("#D4609A", "#1B0510", "#E793BC", _NIGHT_50),
    },
)


# For who needs more contrast: black and white grounds, text and lines in what stands out most against them.
CONTRAST_LIGHT = replace(
    LIGHT,
    chrome="#FFFFFF",
    sunken="#F2F2F2",
    hover="#E6E6E6",
    raised_hover="#E6E6E6",
    sel="#DDD6FF",
    line="#5A5A5A",
    line2="#2B2B2B",
    edge="#000000",
    btnline="#2B2B2B",
    t1="#000000",
    t2="#000000",
    t3="#262626",
    accent="#33189E",
    accent_text="#33189E",
    accent_hover="#1F0A75",
    ok="#00451F",
    warn="#4A2C00",
    err="#7D000D",
    errline="#A30011",
    info="#00326F",
    track="#D6D6D6",
    cached="#262626",
    code_comment="#262626",
    code_kw="#4F0F80",
    code_str="#00451F",
    code_fn="#00326F",
    diff_add="#00381A",
    diff_del="#6E000C",
)
CONTRAST_DARK = replace(
    DARK,
    chrome="#000000",
    surface="#000000",
    raised="#0D0D0D",
    sunken="#000000",
    hover="#262626",
    raised_hover="#2E2E2E",
    sel="#33294F",
    line="#9A9A9A",
    line2="#C8C8C8",
    edge="#FFFFFF",
    btnline="#C8C8C8",
    t1="#FFFFFF",
    t2="#FFFFFF",
    t3="#E6E6E6",
    accent="#CFC5FF",
    accent_text="#D8D0FF",
    accent_hover="#E6E0FF",
    ok="#A8FFCB",
    warn="#FFE0A0",
    err="#FFC2C2",
    errline="#FF9C9C",
    info="#C9DFFF",
    track="#3A3A3A",
    cached="#E6E6E6",
    code_bg="#000000",
    code_comment="#E6E6E6",
    code_kw="#E6CCFF",
    code_str="#BFF5CF",
    code_fn="#C9DFFF",
    diff_add="#B5FFD2",
    diff_del="#FFC9C9",
)

Mode = Literal["system", "light", "dark", "contrast"]


def theme_for(mode: Mode, dark: bool | None = None) -> Theme:
    """The theme of a mode; for `system` and `contrast` as light or dark as the desktop, or light if that is unknown.

    Whether the desktop is `dark` is asked of Qt, unless it is given.
    """
    if mode in ("light", "dark"):
        return DARK if mode == "dark" else LIGHT
    if dark is None:
        dark = QGuiApplication.styleHints().colorScheme() == QtCore.Qt.ColorScheme.Dark
    if mode == "contrast":
        return CONTRAST_DARK if dark else CONTRAST_LIGHT
    return DARK if dark else LIGHT


def theme_of(widget: QObject | None = None) -> Theme:
    """The current theme; to be asked for at every painting, since no colour may be kept."""
    # An attribute and no property of Qt's, which takes twenty times as long: every stroke asks.
    theme = getattr(QApplication.instance(), PROPERTY, None)
    return theme if isinstance(theme, Theme) else LIGHT


def set_theme(app: QObject, theme: Theme) -> None:
    """Make a theme the current one; what is painted from now on uses it."""
    setattr(app, PROPERTY, theme)


def colour(name_or_hex: str, theme: Theme | None = None) -> QColor:
    """The colour of a token in a theme, by default the current one, or of a `#` value."""
    if name_or_hex.startswith("#"):
        return QColor(name_or_hex)
    return QColor(getattr(theme or theme_of(), name_or_hex))
