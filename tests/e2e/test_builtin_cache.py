"""What is shown as cached before a question is what the built-in model's real server reports after it, every time."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import Run
from tests.fakes.builtin_stage import builtin
from tests.fakes.copy_quiz import WAYS, questions, request_of
from tests.fakes.restless_days import WEEK, RestlessDays

pytestmark = pytest.mark.usefixtures("soon")


def test_what_is_shown_comes_true_in_every_turn_of_a_restless_talk(run: Run):
    """Files that come, go and are edited, another chat between, a stop, a restart, a second try, other words.

    The long version of it is `python -m tests.benchmarks.bench_builtin_cache`.
    """

    async def live() -> None:
        model = builtin()
        days = RestlessDays(model)
        await days.begin()
        await days.live(11)
        await days.talk.close()
        await model.close()
        assert days.wrong == []
        assert [day.done for day in days.days] == list(WEEK[:11])
        by_name = {day.done: day.turn for day in days.days}
        assert by_name["stop"].state == "stopped"
        assert (by_name["restart"].cached, by_name["restart"].rebuilt) == (0, "cold")
        # The other chat took the server's one place: nothing is lost by beginning anew.
        assert by_name["pin"].rebuilt == "cold"
        # A log goes on: all of the request before it is served, and its answer.
        grown = [
            day.turn for day in days.days if day.done in ("ask", "edit", "detach", "stop", "attach back")
        ]
        assert [turn.rebuilt for turn in grown] == [None] * 5
        assert all((turn.cached or 0) > (turn.prompt or 0) / 3 for turn in grown)

    run(live())


@pytest.mark.parametrize("way", [way for way in WAYS if way != "layered"])
def test_every_copy_but_the_first_says_which_one_it_takes_the_place_of(way: str):
    """How well a model goes by that is measured by `bench copies`."""
    for question in questions(30):
        told = [message.text for message in request_of(question, way).messages]
        copies = [text for text in told if f'<file_context id="{question.path}"' in text]
        assert len(copies) == len(question.values)
        assert "status=" not in copies[0]
        word = "changes to" if way == "append_only, changes" else "replaces"
        for place, text in enumerate(copies[1:], 1):
            assert f'status="{word} the copy sent in turn {place}"' in text
            assert f"{question.name} = {question.values[place]}\n" in text
