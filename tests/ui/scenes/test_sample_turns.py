"""The turns behind the scripted chat."""

from __future__ import annotations

from workbench.ui.scenes.sample_turns import sample_turns


def test_the_sums_of_the_history_picture():
    turns = sample_turns()
    assert sum(turn.prompt_tokens or 0 for turn in turns) == 57_283 - 0
    assert sum(turn.cached_tokens or 0 for turn in turns) == 23_680
    assert sum(turn.completion_tokens or 0 for turn in turns) == 6_064


def test_turn_five_expired_and_turn_seven_broke_its_prefix_as_predicted():
    turns = {turn.number: turn for turn in sample_turns()}
    assert (turns[5].verdict, turns[7].verdict, turns[7].broke) == ("expired", "as_predicted", "trimmed")
    assert sum(tokens for _, tokens in turns[7].layers) == 3_379
