"""`workbench inspect`: requests as they were sent."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.engine.open_chat.test_layouts import talk
from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModel, FakeModels, Step, words
from tests.fakes.engine import SETTINGS, Bench, fake_world
from tests.fakes.history_access import MemoryAccess
from tests.fakes.loop import in_calm_loop
from tests.fakes.parts import parts_with
from tests.fakes.schemas import problems
from tests.fakes.turns import fake_builder, user
from workbench.cli.envelope_table import parameter_lines
from workbench.cli.inspect import _cause, case_document, show_difference, write_case
from workbench.cli.inspect_answer import STATE_WORDS
from workbench.cli.main import run
from workbench.cli.replay.trajectory import parse_trajectory
from workbench.domain.answer import Finished, TextGrew, TokenLikely
from workbench.domain.answer_facts import STATES
from workbench.domain.change import Cause, Divergence, PrefixChange
from workbench.domain.errors import InvalidInput, NotKept
from workbench.domain.message import Image, Message
from workbench.domain.parameters import ParameterRules, Parameters
from workbench.domain.probability import Candidate, LikelyToken
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.comparing import Branch, read_branch
from workbench.engine.conversation import Conversation
from workbench.engine.intents import SendMessage
from workbench.engine.replay import replay_turns
from workbench.engine.shown.inspection import Difference, Row

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def access() -> MemoryAccess:
    """A history with one chat of two turns."""
    found = MemoryAccess()

    async def talk() -> None:
        bench = Bench(fake_world(store=found.store))
        await bench.start()
        await bench.do(SendMessage("talk", "One?"))
        await bench.do(SendMessage("talk", "Two?"))

    asyncio.run(talk())
    return found


def test_how_likely_the_words_of_an_answer_were(capsys: Capture):
    access = MemoryAccess()
    often = Candidate(" often", 0.27)
    token = LikelyToken(" usually", 0.38, (Candidate(" usually", 0.38), often))
    said: list[Step] = [
        TextGrew("It"),
        TokenLikely(LikelyToken("It", 0.9)),
        TextGrew(" usually"),
        TokenLikely(token),
    ]

    async def talk() -> None:
        models = FakeModels(FakeModel([[*said, Finished("stop")], words("Plain.")]))
        bench = Bench(fake_world(store=access.store, models=models))
        await bench.start()
        await bench.do(SendMessage("talk", "One?"))
        await bench.do(SendMessage("talk", "Two?"))

    asyncio.run(talk())
    assert inspect(access, "talk", "--turn", "1", "--probabilities", "--json") == 0
    found = document(capsys)
    assert (found["turn"], found["doubted"], [word["text"] for word in found["words"]]) == (
        1,
        1,
        ["It", "usually"],
    )
    assert problems("inspect", found) == []
    assert found["words"][1]["candidates"][1] == {"text": " often", "probability": 0.27}
    assert inspect(access, "talk", "--turn", "1", "--probabilities") == 0
    assert "usually  0.38?        often 0.27" in capsys.readouterr().out
    assert inspect(access, "talk", "--probabilities") == 1
    assert "--set parameters.probabilities=true" in capsys.readouterr().err


def test_facts_and_probabilities_are_about_one_answer_and_every_state_has_words(capsys):
    assert set(STATE_WORDS) == set(STATES)
    access = MemoryAccess()
    for more in (("--probabilities",), ("--diff", "1"), ("--case", "x.json")):
        assert inspect(access, "talk", "--facts", *more) == 2
        assert "is about one answer" in capsys.readouterr().err


def test_a_case_carries_how_an_answer_began():
    access = MemoryAccess()

    async def talk() -> Branch:
        builder = fake_builder(replace(WORD_MODEL, prefill=True))
        bench = Bench(fake_world(store=access.store, builder=builder))
        await bench.start()
        await bench.do(SendMessage("talk", "One?", prefill="Yes,"))
        await bench.do(SendMessage("talk", "Two?"))
        turn = await access.store.last_turn("talk")
        assert turn is not None
        case = case_document(await read_branch(access.store, "talk", turn), builder)
        assert [one.get("prefill") for one in case["turns"]] == ["Yes,", None]
        report = next(replay_turns(parse_trajectory(case), builder))
        kinds = [one["kind"] for one in report["layers"][-1]["segments"]]
        assert (kinds, report["violations"]) == (["user", "beginning"], [])
        return await read_branch(access.store, "talk", turn)

    asyncio.run(talk())


def inspect(access: MemoryAccess, *argv: str) -> int:
    return run(["inspect", *argv], lambda _: parts_with(history=lambda: access))


def document(capsys: Capture) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_last_request_is_the_report_of_its_turn(access: MemoryAccess, capsys: Capture):
    assert inspect(access, "talk", "--json") == 0
    report = document(capsys)
    assert (report["turn"], report["prefix"]["change"], report["violations"]) == (2, "extended", [])
    assert [message["content"] for message in report["messages"]][-1] == "Two?"


def test_an_earlier_request_is_compared_with_the_one_before_it(access: MemoryAccess, capsys: Capture):
    assert inspect(access, "talk", "--turn", "1", "--json") == 0
    assert document(capsys)["prefix"]["change"] == "first"


def test_people_get_a_table(access: MemoryAccess, capsys: Capture):
    assert inspect(access, "talk") == 0
    shown = capsys.readouterr().out
    assert "turn 2  complete" in shown
    assert "prefix: extended" in shown


def test_two_requests_can_be_compared(access: MemoryAccess, capsys: Capture):
    assert inspect(access, "talk", "--turn", "2", "--diff", "1", "--json") == 0
    found = document(capsys)
    assert (found["from_turn"], found["to_turn"], found["change"]) == (1, 2, "extended")
    assert {row["what"] for row in found["segments"]} == {"added", "removed"}
    assert inspect(access, "talk", "--diff", "1") == 0
    assert "turn 1 → turn 2: extended" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "code", "complaint"),
    [
        (("gone",), 1, "no chat"),
        (("talk", "--turn", "9"), 1, "no turn 9"),
        (("talk", "--diff", "0"), 2, "counted from 1"),
        (("talk", "--diff", "1", "--case", "x.json"), 2, "leave one out"),
    ],
)
def test_what_is_not_there_is_said(
    access: MemoryAccess, argv: tuple[str, ...], code: int, complaint: str, capsys: Capture
):
    assert inspect(access, *argv) == code
    assert complaint in capsys.readouterr().err


def test_people_are_told_how_far_forecasts_and_counts_of_the_model_can_be_trusted(
    access: MemoryAccess, capsys: Capture
):
    notes = {
        "request": {"model": "word-1", "total_tokens": 1_000, "counted_as": "fake/word-1", "ratio": 1.0},
        "prompt_tokens": 1_200, "cache": {"predicted_read_tokens": 500, "reported_read_tokens": 500},
    }  # fmt: skip

    async def recent_notes(number: int, before: int | None = None) -> tuple[tuple[int, Any], ...]:
        return ((3, notes), (2, notes), (1, notes))

    access.store.recent_notes = recent_notes  # type: ignore[method-assign]
    assert inspect(access, "talk") == 0
    shown = capsys.readouterr().out
    assert "forecasts of this model: 3 of 3 within 1 %" in shown
    assert "counts of this model: estimated ± 1 %, learnt from 3 turns" in shown


@pytest.mark.parametrize("odd", [10**400, float("nan"), "many", -1, [1], True], ids=lambda odd: str(odd)[:5])
def test_odd_figures_in_what_was_noted_are_left_out(access: MemoryAccess, odd: object, capsys: Capture):
    """A chat from elsewhere may say anything about what was reported."""
    notes: dict[str, Any] = {
        "request": {"model": "word-1", "total_tokens": 1_000, "counted_as": "fake/word-1", "ratio": 1.0},
        "prompt_tokens": odd, "cached_tokens": odd,
        "cache": {"predicted_read_tokens": odd, "reported_read_tokens": odd, "price_usd": odd, "warm_s": odd},
    }  # fmt: skip
    archive = asyncio.run(access.store.archive("talk"))
    turns = tuple(replace(turn, usage=notes) for turn in archive.turns)
    other = MemoryAccess()
    asyncio.run(other.store.adopt(replace(archive, turns=turns)))
    assert inspect(other, "talk") == 0
    assert "reported:" not in capsys.readouterr().out
    assert inspect(other, "talk", "--json") == 0
    assert document(capsys)["cache"] is None


# What `workbench inspect` says about a request: tested through the command in test_inspect.py; here its words.


CHANGE = PrefixChange(
    "diverged", Divergence("L2_PREVIOUS", "api.md", 911), (Cause("file_changed", "api.md"),), 911
)


def test_a_cause_is_named_with_what_it_happened_to():
    assert _cause({"cause": "file_changed", "subject": "api.md"}) == "file changed (api.md)"
    assert _cause({"cause": "settings", "subject": None}) == "settings"


def test_a_difference_names_its_first_place_and_its_cause(capsys: pytest.CaptureFixture[str]):
    rows: tuple[Row, ...] = (("changed", "L2_PREVIOUS", "api.md", "400 → 410"),)
    show_difference(Difference(1, 2, CHANGE, rows), as_json=False)
    shown = capsys.readouterr().out.splitlines()
    assert shown[:4] == [
        "turn 1 → turn 2: diverged",
        "911 tokens in common from the start",
        "first difference: api.md in L2_PREVIOUS, after token 911",
        "because: file changed (api.md)",
    ]
    assert shown[-1].split() == ["changed", "L2_PREVIOUS", "api.md", "400", "→", "410"]


def test_parameters_are_named_with_those_that_stayed_out():
    card = replace(WORD_MODEL, parameters=ParameterRules((("seed", "it has none"),)))
    settings = replace(SETTINGS, parameters=Parameters(temperature=0.5, seed=7, stop=("END",)))
    built = prepare_turn(Conversation("talk"), Ask(settings, user("q")), fake_builder(card)).built
    assert list(parameter_lines(built)) == [
        'parameters: temperature 0.5, stop ["END"]',
        "not sent: seed (it has none)",
    ]


# A stored turn as a case: what cannot be one is said.


@in_calm_loop
async def test_every_request_of_a_case_has_the_bytes_that_were_sent():
    """Files come, change and go; nothing of that is lost on the way."""
    bench = await talk("layered", 8)
    turns = await bench.world.store.turns("talk")
    branch = await read_branch(bench.world.store, "talk", turns[-1])
    document = case_document(branch, bench.world.builder)
    reports = list(replay_turns(parse_trajectory(document), bench.world.builder))
    for report, turn in zip(reports, turns, strict=True):
        sent = [(one.role, one.content) for one in turn.built.envelope.messages]
        assert [(one["role"], one["content"]) for one in report["messages"]] == sent
    assert [one["name"] for one in document["expected"]["cases"]] == [f"turn {n}" for n in range(1, 9)]


@in_calm_loop
async def test_a_question_with_a_picture_is_no_case():
    bench = await talk("layered", 1)
    (turn,) = await bench.world.store.turns("talk")
    branch = await read_branch(bench.world.store, "talk", turn)
    picture = Message("q", "user", ("See?",), (Image("d", 10),))
    (inputs,) = branch.turns
    seen = Branch((replace(inputs, question=picture),), branch.times, branch.sent)
    with pytest.raises(NotKept, match="pictures"):
        case_document(seen, bench.world.builder)


@in_calm_loop
async def test_a_case_takes_the_place_of_a_case_alone(tmp_path: Path):
    """A wrong name after --case was the end of that file."""
    bench = await talk("layered", 1)
    (turn,) = await bench.world.store.turns("talk")
    branch = await read_branch(bench.world.store, "talk", turn)
    file = tmp_path / "case.json"
    for _ in range(2):
        assert write_case(str(file), branch, bench.world.builder) == 1
    for kept in ("# Notes", '{"format": "workbench-trajectory/1", "turns": []}'):
        file.write_text(kept)
        with pytest.raises(InvalidInput, match="holds something else than a case; it stays as it is"):
            write_case(str(file), branch, bench.world.builder)
        assert file.read_text() == kept
    for name, why in (("", "--case: names no file"), (str(tmp_path), "Is a directory")):
        with pytest.raises(InvalidInput, match=why):
            write_case(name, branch, bench.world.builder)
