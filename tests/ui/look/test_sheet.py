"""The style sheet: filled completely, and only for what it names."""

from __future__ import annotations

import re

import pytest

from workbench.ui.look.sheet import sheet_of
from workbench.ui.look.theme import DARK, LIGHT, Theme

themes = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


@themes
def test_nothing_is_left_to_fill(theme: Theme):
    assert "$" not in sheet_of(theme)


@themes
def test_only_colours_of_the_theme_are_in_it(theme: Theme):
    known = {value.upper() for value in vars(theme).values() if isinstance(value, str)}
    assert {value.upper() for value in re.findall(r"#[0-9A-Fa-f]{6,8}\b", sheet_of(theme))} <= known


def test_no_rule_is_for_all_widgets():
    """`QWidget { background }` would also tint every button and field below."""
    selectors = [
        part.strip() for rule in re.findall(r"([^{}]+)\{", sheet_of(LIGHT)) for part in rule.split(",")
    ]
    assert "QWidget" not in selectors
    assert "*" not in selectors
