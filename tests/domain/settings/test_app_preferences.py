"""What holds before anyone has chosen anything."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from workbench.domain.errors import InvalidInput
from workbench.domain.settings.app_preferences import (
    Preferences,
    SavingOff,
    SendingOff,
    SettingsProblem,
    blocking,
    check_sending,
)


def test_nothing_leaves_the_computer_and_no_tool_runs_unless_chosen():
    chosen_by_nobody = Preferences()
    assert chosen_by_nobody.model == "builtin"
    assert chosen_by_nobody.tools_enabled == ()
    assert chosen_by_nobody.workspace == ""
    assert chosen_by_nobody.redaction == "warn"
    assert chosen_by_nobody.servers == {}


def test_preferences_do_not_change_in_place():
    with pytest.raises(FrozenInstanceError):
        Preferences().model = "other"  # type: ignore[misc]


# What is wrong with the settings file, in words.


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
