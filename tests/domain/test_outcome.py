"""How a turn ends."""

from __future__ import annotations

from typing import get_args

from workbench.domain.outcome import EndState, TurnOutcome
from workbench.domain.record import TurnState
from workbench.domain.usage import Usage


def test_every_end_can_be_kept():
    assert set(get_args(EndState)) == set(get_args(TurnState)) - {"running"}


def test_a_turn_of_which_nothing_is_known_reports_nothing():
    assert TurnOutcome("failed").usage == Usage()
