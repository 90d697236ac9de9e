"""The style sheet: filled completely, and only for what it names."""

from __future__ import annotations

import re

import pytest

from workbench.ui.look.sheet import LABEL_TOKENS, sheet_of
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


@pytest.mark.parametrize("control", ["QSpinBox", "QComboBox ", "QCheckBox", "QRadioButton", "QLineEdit"])
def test_controls_that_a_sheet_would_break_are_left_to_the_style(control: str):
    """A border rule takes away a spin box's arrows, a combo box's look and a check box's mark."""
    own = [line for line in sheet_of(LIGHT).splitlines() if re.match(rf"{control.strip()}\s*[{{:]", line)]
    assert own == []


@themes
def test_a_label_can_take_a_token(theme: Theme):
    for token in LABEL_TOKENS:
        assert f'QLabel[token="{token}"] {{ color: {getattr(theme, token)}; }}' in sheet_of(theme)
