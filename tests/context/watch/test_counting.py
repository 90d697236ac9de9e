"""What was counted when a request was understood is what a comparison adds up."""

from __future__ import annotations

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.watched import QUESTION, agent_turns, watched
from workbench.context.compare import compare
from workbench.context.watch.measuring import KeptCounter
from workbench.engine.watch.turn_of import Before, kept_request


def test_a_request_that_goes_on_reuses_all_of_the_one_before():
    first, second, _ = (kept_request("c", *one, WORD_MODEL, Before()).turn.built for one in agent_turns())
    change = compare(first, second, KeptCounter(second))
    assert (change.change, change.reused_tokens) == ("extended", first.envelope.total_tokens)


def test_another_list_of_tools_is_where_two_requests_part():
    (turn, exchange), *_ = agent_turns()
    first = kept_request("c", turn, exchange, WORD_MODEL, Before()).turn.built
    second = kept_request(
        "c", *watched(2, [("user", (QUESTION,))], tools=("Read", "Write")), WORD_MODEL, Before()
    )
    change = compare(first, second.turn.built, KeptCounter(second.turn.built))
    assert change.change == "diverged"
    assert next(cause.cause for cause in change.causes) == "tools"
    assert change.reused_tokens == 90
