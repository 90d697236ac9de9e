"""What holds before anyone has chosen anything."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from workbench.domain.settings.app_preferences import Preferences


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
