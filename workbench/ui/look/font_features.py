"""OpenType features of a font: digits of one width, and code without ligatures."""

from __future__ import annotations

import struct
from functools import lru_cache

from PySide6.QtCore import QByteArray, QDataStream, QIODevice
from PySide6.QtGui import QFont

# At the end of a font in Qt's stream stand two maps, features and variable axes; both empty: two counts of 0.
_NO_FEATURES = b"\0" * 8


def set_feature(font: QFont, name: str, value: int) -> bool:
    """Switch a feature such as `tnum` on or off; False where this Qt cannot be told."""
    tag = _tag(name)
    if tag is None:
        return False
    font.setFeature(tag, value)
    return True


@lru_cache(maxsize=16)
def _tag(name: str) -> QFont.Tag | None:
    """A feature's tag. PySide 6.8 has no way to make one from its name, but reads it with a font from a stream."""
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
