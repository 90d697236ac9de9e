"""What is shown as cached before a question is what the built-in model's real server reports after it, every time."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import Run
from tests.fakes.builtin_stage import builtin
from tests.fakes.copy_quiz import WAYS, answers, questions, request_of
from tests.fakes.restless_days import WEEK, RestlessDays
from workbench.providers.builtin.model import BuiltinModel

pytestmark = pytest.mark.usefixtures("soon")


def test_what_is_shown_comes_true_in_every_turn_of_a_restless_talk(run: Run):
    """Files that come, go and are edited, another chat between, a stop, a restart, a second try, other words.

    The long version of it is `python -m tests.benchmarks.bench_builtin_cache`.
    """

    async def live() -> None:
        model = builtin()
        days = RestlessDays(model)
        await days.begin()
        await days.live(13)
        await days.talk.close()
        await model.close()
        assert days.wrong == []
        assert [day.done for day in days.days] == list(WEEK[:13])
        by_name = {day.done: day.turn for day in days.days}
        assert by_name["stop"].state == "stopped"
        assert (by_name["restart"].cached, by_name["restart"].rebuilt) == (0, "cold")
        # The other chat took the server's one place: nothing is lost by beginning anew.
        assert by_name["pin"].rebuilt == "cold"
        # A log goes on: all of the request before it is served, and its answer.
        grown = [
            day.turn for day in days.days if day.done in ("ask", "edit", "detach", "stop", "attach back")
        ]
        assert [turn.rebuilt for turn in grown] == [None] * 6
        assert all((turn.cached or 0) > (turn.prompt or 0) / 3 for turn in grown)

    run(live())


def test_after_an_edit_a_log_is_answered_from_as_well_as_layers_are(run: Run, model: BuiltinModel):
    """Which copy counts must be clear to the model: the older one still stands in the request.

    Few questions and room for chance, as what so small a model says differs between processors; all of them are in
    `python -m tests.benchmarks.bench_copies`.
    """

    async def right(way: str) -> int:
        asked = questions(6, head="")
        given = await answers(asked, way, model)
        return sum(question.is_right(answer) for question, answer in zip(asked, given, strict=True))

    layered, log = (run(right(way)) for way in ("layered", "append_only, full copies"))
    assert log >= layered - 2


@pytest.mark.parametrize("way", [way for way in WAYS if way != "layered"])
def test_every_copy_but_the_first_says_which_one_it_takes_the_place_of(way: str):
    for question in questions(30):
        told = [message.text for message in request_of(question, way).messages]
        copies = [text for text in told if f'<file_context id="{question.path}"' in text]
        assert len(copies) == len(question.values)
        assert "status=" not in copies[0]
        word = "changes to" if way == "append_only, changes" else "replaces"
        for place, text in enumerate(copies[1:], 1):
            assert f'status="{word} the copy sent in turn {place}"' in text
            assert f"{question.name} = {question.values[place]}\n" in text
