"""What a turn is to do."""

from __future__ import annotations

from tests.fakes.engine import SETTINGS
from tests.fakes.turns import user
from workbench.engine.conversation import Conversation
from workbench.engine.turn.planning import TurnPlan


def test_a_plan_is_the_next_turn_of_its_conversation():
    plan = TurnPlan(Conversation("talk", turn=3), SETTINGS, user("q"))
    assert (plan.chat, plan.number) == ("talk", 4)
    assert (plan.kept, plan.rounds, plan.begun, plan.answers) == (False, (), None, None)
