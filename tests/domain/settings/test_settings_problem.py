"""What is wrong with the settings file, in words."""

from __future__ import annotations

import pytest

from workbench.domain.errors import InvalidInput
from workbench.domain.settings.app_preferences import (
    SavingOff,
    SendingOff,
    SettingsProblem,
    blocking,
    check_sending,
)

ODD = SettingsProblem("settings.toml", "odd is not a setting", 4, 1, blocks=False)
WRONG = SettingsProblem("settings.toml", "this is not valid TOML", 2, 7)


def test_a_problem_says_where_it_is_and_what_follows():
    assert str(ODD) == "settings.toml:4:1: odd is not a setting."
    assert str(WRONG) == (
        "settings.toml:2:7: this is not valid TOML. "
        "Nothing is sent until the file is corrected; it was not changed."
    )
    assert SettingsProblem("settings.toml", "the file is far too large").where == "settings.toml"


def test_only_what_blocks_stands_in_the_way():
    check_sending((ODD,))
    assert (blocking((ODD,)), blocking((ODD, WRONG))) == (None, WRONG)
    with pytest.raises(SendingOff, match=r"settings\.toml:2:7: .* Nothing was sent"):
        check_sending((ODD, WRONG))
    assert issubclass(SendingOff, InvalidInput)
    assert "Nothing was saved" in str(SavingOff(WRONG))
