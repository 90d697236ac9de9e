"""The colours of buttons: what can be pressed stands out, and can be read in every state."""

from __future__ import annotations

from typing import get_args

import pytest

from workbench.ui.look.theme import DARK, LIGHT
from workbench.ui.widgets.buttons import ButtonState, Kind, button_look

themes = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


@themes
def test_only_the_primary_one_is_filled_with_the_accent(theme):
    grounds = {kind: button_look(theme, kind, "idle").ground for kind in get_args(Kind)}
    assert [kind for kind, ground in grounds.items() if ground == theme.accent] == ["primary"]


@themes
@pytest.mark.parametrize("kind", ["primary", "secondary", "ghost", "danger"])
def test_the_pointer_is_noticed(theme, kind: Kind):
    assert button_look(theme, kind, "hover") != button_look(theme, kind, "idle")


@themes
@pytest.mark.parametrize("kind", get_args(Kind))
def test_what_is_disabled_is_quiet(theme, kind: Kind):
    look = button_look(theme, kind, "disabled")
    assert look.ink == theme.t3
    assert look.ground in ("", theme.sunken)


@themes
def test_the_icon_has_the_colour_of_the_text(theme):
    looks = [button_look(theme, kind, state) for kind in get_args(Kind) for state in get_args(ButtonState)]
    assert [look for look in looks if getattr(theme, look.token) != look.ink] == []
