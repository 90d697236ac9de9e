"""A prompt is a value."""

from tests.fakes.turns import user
from workbench.domain.prompt import Prompt


def test_prompts_of_the_same_parts_are_equal():
    one = Prompt("Be brief.", (user("u"),), "Why?", "2026-01-01T12:00:00Z")
    assert one == Prompt("Be brief.", (user("u"),), "Why?", "2026-01-01T12:00:00Z", {})
    assert one.hints == {}
