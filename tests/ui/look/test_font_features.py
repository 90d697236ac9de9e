"""Features of fonts reach the shaping of text."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontMetricsF

from workbench.ui.look.font_features import set_feature


def plain(family: str) -> QFont:
    font = QFont(family)
    font.setPixelSize(13)
    return font


def test_digits_get_one_width(qapp):
    font = plain("Inter")
    before = QFontMetricsF(font)
    assert before.horizontalAdvance("1111") != before.horizontalAdvance("0000")
    assert set_feature(font, "tnum", 1)
    after = QFontMetricsF(font)
    assert after.horizontalAdvance("1111") == after.horizontalAdvance("0000")


def test_a_font_without_the_feature_stays_as_it_is(qapp):
    font = plain("JetBrains Mono")
    before = QFontMetricsF(font).horizontalAdvance("0123")
    assert set_feature(font, "tnum", 1)
    assert QFontMetricsF(font).horizontalAdvance("0123") == before


def test_a_feature_is_found_also_when_the_applications_font_has_one(qapp):
    """A font without a family is the application's: its stream would not end as that of a plain one does."""
    assert qapp.font().featureTags()
    font = plain("Inter")
    assert set_feature(font, "zero", 1)
