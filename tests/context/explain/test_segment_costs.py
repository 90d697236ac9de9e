"""What it would cost to bring something back, in the counter's own tokens."""

from __future__ import annotations

from tests.fakes.turns import artifact, assistant, build, segment, user, word_counter
from workbench.context.request_cost import artifact_tokens, trimmed_away_tokens, whole_message_tokens
from workbench.domain.envelope import TrimState
from workbench.domain.turn import Tuning

COUNTER = word_counter()


def test_a_message_that_is_left_out_costs_what_it_cost_when_it_was_sent():
    said = (user("u", "three small words"), assistant("a", "two words"))
    sent = build(history=said, question=user("q")).envelope.layer("L4_STRIP")
    out = build(history=said, question=user("q"), tuning=Tuning(excluded=frozenset({"u", "a"})))
    segments = out.envelope.layer("L4_STRIP").segments
    assert whole_message_tokens(segments, COUNTER) == sent.total_tokens == (4 + 3) + (4 + 2)


def test_what_was_trimmed_away_is_what_sending_it_whole_costs_more():
    said = (user("u"), assistant("a", "one two three four"))
    whole, cut = (build(history=said, question=user("q"), trim=TrimState(n)) for n in (0, 2))
    layer = cut.envelope.layer("L4_STRIP")
    saved = whole.envelope.layer("L4_STRIP").total_tokens - layer.total_tokens
    assert trimmed_away_tokens(layer.segments, COUNTER) == saved == 3
    assert trimmed_away_tokens(whole.envelope.layer("L4_STRIP").segments, COUNTER) == 0


def test_a_chunk_without_a_role_is_priced_as_something_the_user_said():
    assert whole_message_tokens([segment("s", "a b", kind="workflow").left_out], COUNTER) == 4 + 2


def test_an_artifact_costs_its_text():
    assert artifact_tokens(artifact("a", "one two"), COUNTER) == 2
