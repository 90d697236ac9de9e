"""A page has the window's colours."""

from __future__ import annotations

import pytest

from workbench.engine.exchange import html_format
from workbench.engine.exchange.html_format import STYLE
from workbench.ui.look import theme


@pytest.mark.parametrize("name", ["LIGHT", "DARK"])
def test_the_colours_are_those_of_the_window(name: str):
    colours = getattr(html_format, name)
    assert {one: getattr(getattr(theme, name), one) for one in colours} == colours


def test_nothing_is_fetched_for_it():
    assert "url(" not in STYLE
    assert "@import" not in STYLE
