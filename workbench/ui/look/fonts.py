"""The fonts of the window: one for words, one for code, in the few sizes that the design knows."""

from __future__ import annotations

import struct
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from PySide6.QtCore import QByteArray, QDataStream, QIODevice
from PySide6.QtGui import QFont, QFontDatabase, QFontInfo, QFontMetricsF, QGuiApplication
from PySide6.QtWidgets import QApplication

Role = Literal[
    "figure", "figure2", "title", "chat", "ui", "ui_label", "ui_heading", "row", "row_small", "small", "meta",
    "meta_strong", "tag", "code", "diff", "digest", "strip", "strip_first",
]  # fmt: skip
WORDS = ["Inter", "Segoe UI Variable Text", "SF Pro Text", "Cantarell", "Noto Sans", "DejaVu Sans"]
CODE = ["JetBrains Mono", "Cascadia Mono", "SF Mono", "Noto Sans Mono", "DejaVu Sans Mono"]
BASE_PX = 13.0
PROPERTY = "workbench_font_scale"
LARGEST_SCALE = 1.5
FEATURES = {"tnum": 1, "calt": 0}
"""Digits of equal width, so that figures align in columns; no ligatures, so that code shows what is written."""
CHAT_SIZES, CODE_SIZES = range(11, 23), range(10, 21)
ZOOMS = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5)
"""Zoom factors of the whole window; beyond these, text would be cut off in fixed-size widgets."""
# At the end of a font in Qt's stream stand two maps, features and variable axes; both empty: two counts of 0.
_NO_FEATURES = b"\0" * 8


class TextSizes(NamedTuple):
    """Text sizes: the zoom of the whole window, and the sizes of chat text and code in pixels."""

    zoom: float = 1.0
    chat_px: int = 14
    code_px: int = 13

    def factor(self, role: Role) -> float:
        if role == "chat":
            return self.zoom * self.chat_px / 14
        return self.zoom * self.code_px / 13 if role in ("code", "diff") else self.zoom

    def step(self, by: int) -> TextSizes:
        near = min(range(len(ZOOMS)), key=lambda place: abs(ZOOMS[place] - self.zoom))
        return self._replace(zoom=ZOOMS[min(max(near + by, 0), len(ZOOMS) - 1)])


class Face(NamedTuple):
    """Size, line height and weight of a role's font without zoom; `mono` for the code font."""

    px: float
    line_px: float
    weight: int
    mono: bool = False


FACES: dict[Role, Face] = {
    "figure": Face(24, 28, 650),
    "figure2": Face(18, 22, 650),
    "title": Face(14, 20, 600),
    "chat": Face(14, 22, 400),
    "ui": Face(13, 18, 400),
    "ui_label": Face(13, 18, 500),
    "ui_heading": Face(13, 18, 600),
    "row": Face(12.5, 26, 400),
    "row_small": Face(12, 26, 400),
    "small": Face(12, 16, 400),
    "meta": Face(11, 14, 400),
    "meta_strong": Face(11, 14, 600),
    "tag": Face(10.5, 16, 700),
    "code": Face(12.5, 19, 400, mono=True),
    "diff": Face(12, 20, 400, mono=True),
    "digest": Face(11, 14, 400, mono=True),
    "strip": Face(14, 17, 600),
    "strip_first": Face(16, 19, 600),
}


def load_fonts(folder: Path | str, follow_system: bool = False) -> tuple[str, ...]:
    """Load the fonts in a folder, and return their families.

    With `follow_system` all sizes scale with the desktop's own font; scripted pictures do not.
    """
    families: set[str] = set()
    for path in sorted(Path(folder).glob("*.[ot]tf")):
        families.update(QFontDatabase.applicationFontFamilies(QFontDatabase.addApplicationFont(str(path))))
    _metrics.cache_clear()  # what was measured before may have been another font
    set_scale(system_scale() if follow_system else 1.0)
    return tuple(sorted(families))


def system_scale() -> float:
    """How much larger the desktop's font is than our base size; at least 1, since 11 px is the smallest readable."""
    px = QFontInfo(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)).pixelSize()
    return min(max(px / BASE_PX, 1.0), LARGEST_SCALE)


def set_scale(scale: float) -> None:
    """Scale all fonts by a factor."""
    set_sizes(TextSizes(scale))


def scale() -> float:
    """The factor by which all fonts are scaled."""
    return sizes().zoom


def set_sizes(wanted: TextSizes) -> None:
    """Set the text sizes for fonts created from now on."""
    app = QApplication.instance()
    if app is not None:
        setattr(app, PROPERTY, wanted)


def sizes() -> TextSizes:
    """The current text sizes."""
    # An attribute and no property of Qt's: every stroke of every paint asks, and Qt's takes twenty times as long.
    found = getattr(QApplication.instance(), PROPERTY, None)
    return found if isinstance(found, TextSizes) else TextSizes()


def font(role: Role, weight: int | None = None) -> QFont:
    """The font of a role, optionally in another weight."""
    return QFont(_font(role, weight, sizes().factor(role)))


def role_of(made: QFont, before: TextSizes) -> tuple[Role, int] | None:
    """The role and weight for which a font was created at these text sizes; None if it is not one of ours."""
    mono = made.families()[:1] == CODE[:1]
    if not mono and made.families()[:1] != WORDS[:1]:
        return None
    weight = int(made.weight())
    alike = [
        role
        for role, face in FACES.items()
        if face.mono == mono and abs(made.pointSizeF() - _points(role, before.factor(role))) < _SAME
    ]
    alike.sort(key=lambda role: FACES[role].weight != weight)
    return (alike[0], weight) if alike else None


def metrics(role: Role, weight: int | None = None) -> QFontMetricsF:
    """The metrics of a role's font."""
    return _metrics(role, weight, sizes().factor(role))


def line_height(role: Role) -> int:
    """The height of a line of a role's text, in pixels."""
    return round(FACES[role].line_px * sizes().factor(role))


_SAME = 0.01


def _points(role: Role, factor: float) -> float:
    # In points, since a size in pixels must be whole: 12.5 would become 12.
    return FACES[role].px * factor * 72.0 / QGuiApplication.primaryScreen().logicalDotsPerInchY()


@lru_cache(maxsize=256)
def _font(role: Role, weight: int | None, factor: float) -> QFont:
    face = FACES[role]
    made = QFont()
    made.setFamilies(CODE if face.mono else WORDS)
    made.setPointSizeF(_points(role, factor))
    made.setWeight(QFont.Weight(weight or face.weight))
    made.setStyleStrategy(QFont.StyleStrategy.PreferAntialias)
    if face.mono:
        made.setStyleHint(QFont.StyleHint.Monospace)
        made.setFixedPitch(True)
    # The same for every font: Qt gives a font the features of the widget it is used in, not its own.
    for name, value in FEATURES.items():
        set_feature(made, name, value)
    return made


@lru_cache(maxsize=256)
def _metrics(role: Role, weight: int | None, factor: float) -> QFontMetricsF:
    return QFontMetricsF(_font(role, weight, factor))


def set_feature(font: QFont, name: str, value: int) -> bool:
    """Set an OpenType feature such as `tnum`; returns False if this version of Qt cannot."""
    tag = _tag(name)
    if tag is None:
        return False
    font.setFeature(tag, value)
    return True


@lru_cache(maxsize=16)
def _tag(name: str) -> QFont.Tag | None:
    """The Qt tag of a feature. PySide 6.8 cannot create one from its name, but reads one with a font from a stream."""
    # Any family will do; a font without one is the application's own, which has features already.
    plain = _written(QFont("Inter"))
    if not plain.endswith(_NO_FEATURES):
        return None
    feature = struct.pack(">I4sI", 1, name.encode("ascii"), 1)
    tags = _read(plain.removesuffix(_NO_FEATURES) + feature + b"\0" * 4).featureTags()
    return tags[0] if len(tags) == 1 else None


def _written(font: QFont) -> bytes:
    written = QByteArray()
    QDataStream(written, QIODevice.OpenModeFlag.WriteOnly) << font
    return bytes(written.data())


def _read(written: bytes) -> QFont:
    font = QFont()
    QDataStream(QByteArray(written)) >> font
    return font
