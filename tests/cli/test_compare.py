"""`workbench compare`, and turns as cases."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.engine.experiment.test_trial import HERE, HOSTED, said
from tests.engine.influence.test_asking import PerMillion
from tests.fakes.chat_model import words
from tests.fakes.engine import Bench, fake_world
from tests.fakes.history_access import MemoryAccess
from tests.fakes.parts import parts_with
from tests.fakes.turns import artifact, fake_builder
from workbench.cli.compare import comparison_document, csv_text, experiment_document
from workbench.cli.main import run
from workbench.cli.services import WorldOptions
from workbench.domain.answer import Failure, Finished, TextGrew
from workbench.domain.experiment import Cell, Experiment
from workbench.domain.shown.comparison import Comparison
from workbench.engine.intents import AttachArtifact, SendMessage
from workbench.engine.world import World

Capture = pytest.CaptureFixture[str]
KEY = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.fixture(scope="module")
def access() -> MemoryAccess:
    """A history with one chat of two turns and two files, one of which holds a key."""
    found = MemoryAccess()

    async def talk() -> None:
        bench = Bench(fake_world(store=found.store))
        await bench.start()
        await bench.workbench.dispatch(AttachArtifact("talk", artifact("docs/a.md", "Alpha beta. " * 8)))
        await bench.workbench.dispatch(AttachArtifact("talk", artifact("b.log", f"Gamma {KEY} delta. " * 4)))
        await bench.do(SendMessage("talk", "One?"))
        await bench.do(SendMessage("talk", "Two?"))
        await bench.workbench.close()

    asyncio.run(talk())
    return found


def workbench(access: MemoryAccess, *argv: str) -> int:
    return run(argv, lambda _: parts_with(history=lambda: access))


def document(capsys: Capture) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_request_under_other_settings_beside_itself(access: MemoryAccess, capsys: Capture):
    variants = ("--variant", "Without=attach.a.md=out", "--variant", "Log=layout=append_only")
    assert workbench(access, "compare", "talk", *variants, "--json") == 0
    found = document(capsys)
    sent, without, log = found["columns"]
    assert [one["name"] for one in found["columns"]] == ["As sent", "Without", "Log"]
    assert (without["left_out"], without["patch"]) == (["docs/a.md"], {"attach.docs/a.md": "out"})
    assert without["total_tokens"] - sent["total_tokens"] == without["more_tokens"] < 0
    assert (sent["layout"], log["layout"]) == ("layered", "append_only")
    assert workbench(access, "inspect", "talk", "--json") == 0
    report = document(capsys)
    assert sent["total_tokens"] == report["total_tokens"]
    assert sent["layers"] == {layer["name"]: layer["tokens"] for layer in report["layers"]}


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (["--expect", "json"], "--expect: goes with --ask"),
        (["--repeats", "2"], "--repeats: goes with --ask"),
        (["--format", "csv"], "csv goes with --ask or --kept"),
        (["--variant", "As sent=layout=append_only"], "is the request itself"),
        (["--variant", "Next request=layout=append_only"], "is the request itself"),
    ],
)
def test_what_would_do_nothing_is_refused(access: MemoryAccess, capsys: Capture, argv: list[str], why: str):
    """A check that was never made passed in a pipeline; a variant took the place of the request it is compared with."""
    assert workbench(access, "compare", "talk", "--variant", "Log=layout=append_only", *argv) == 2
    assert why in capsys.readouterr().err


def test_a_comparison_of_nothing_is_still_a_document():
    assert comparison_document(Comparison("talk", None, ())) == {
        "chat": "talk", "turn": None, "columns": [], "problems": [],
    }  # fmt: skip


def test_people_get_columns(access: MemoryAccess, capsys: Capture):
    assert workbench(access, "compare", "talk:2", "--variant", "Without=attach.a.md=out") == 0
    shown = capsys.readouterr().out
    assert shown.splitlines()[0].split() == ["As", "sent", "Without"]
    assert "left out" in shown
    assert "docs/a.md" in shown


def test_an_estimate_beside_an_exact_count_is_told_as_such(access: MemoryAccess, capsys: Capture):
    """The same bytes stood there as 13 tokens less."""
    assert workbench(access, "compare", "talk", "--variant", "Guess=counter=rfc") == 0
    rows = {row.split("  ")[0]: row for row in capsys.readouterr().out.splitlines()}
    sent, guessed = rows["tokens"].split("≈ ", 1)
    assert sent.split()[1].isdigit()
    assert "(≈ +" in guessed


def test_two_turns_side_by_side_with_what_differs(access: MemoryAccess, capsys: Capture):
    assert workbench(access, "compare", "talk:1", "talk:2", "--json") == 0
    found = document(capsys)
    assert [one["name"] for one in found["columns"]] == ["turn 1", "turn 2"]
    assert (found["difference"]["from_turn"], found["difference"]["to_turn"]) == (1, 2)
    assert workbench(access, "compare", "talk:1", "talk:2") == 0
    assert "turn 1 → turn 2" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "code", "why"),
    [
        (["talk"], 2, "name at least one"),
        (["talk", "--variant", "A=layout=layered", "--variant", "A=layout=auto"], 2, "two are called 'A'"),
        (["talk", "talk:1", "--variant", "A=layout=layered"], 2, "is for one request"),
        (["talk", "--variant", "A=layuot=layered"], 2, "unknown setting"),
        (["talk:x", "--variant", "A=layout=layered"], 2, "expected a turn"),
        (["talk:9", "--variant", "A=layout=layered"], 1, "no turn 9"),
        (["nobody", "--variant", "A=layout=layered"], 1, "no chat"),
        (
            ["talk", *(word for n in range(7) for word in ("--variant", f"A{n}=layout=layered"))],
            2,
            "at most 6",
        ),
        (["talk", "--variant", "A=attach.c.md=out"], 1, "A left out: c.md: not attached"),
        (["talk", "--variant", "A=layout=layered", "--update"], 2, "needs --check"),
    ],
)
def test_what_cannot_be_compared_is_said(
    access: MemoryAccess, capsys: Capture, argv: list[str], code: int, why: str
):
    assert workbench(access, "compare", *argv) == code
    assert why in capsys.readouterr().err


def test_expected_figures_are_written_checked_and_every_difference_is_in_words(
    access: MemoryAccess, capsys: Capture, tmp_path: Path
):
    expected, report = str(tmp_path / "expected.json"), tmp_path / "junit.xml"
    variant = ("--variant", "Small=attach.a.md=in")
    assert workbench(access, "compare", "talk", *variant, "--check", expected, "--update") == 0
    assert workbench(access, "compare", "talk", *variant, "--check", expected) == 0
    capsys.readouterr()
    other = ("--variant", "Small=attach.a.md=out", "--variant", "More=layout=layered")
    check = ("--check", expected, "--junit", str(report))
    assert workbench(access, "compare", "talk", *other, *check) == 1
    said = capsys.readouterr().err
    assert "Small: docs/a.md is left out now" in said
    assert "More: new: no figures are expected for it yet" in said
    assert "1 of 3 as expected" in said
    xml = report.read_text(encoding="utf-8")
    assert 'tests="3" failures="2"' in xml
    assert '<testcase classname="compare talk" name="As sent"/>' in xml


def test_a_turn_becomes_a_case_that_replays_as_expected_and_holds_no_key(
    access: MemoryAccess, capsys: Capture, tmp_path: Path
):
    case = str(tmp_path / "case.json")
    assert workbench(access, "inspect", "talk", "--case", case) == 0
    written = Path(case).read_text(encoding="utf-8")
    assert KEY not in written
    assert "Alpha beta." in written
    assert workbench(access, "replay", case, "--check", case) == 0
    assert "2 of 2 as expected" in capsys.readouterr().err
    assert workbench(access, "replay", case, "--set", "layout=append_only", "--check", case) == 1
    assert "turn 2: " in capsys.readouterr().err
    assert workbench(access, "replay", case, "--set", "layout=append_only", "--check", case, "--update") == 0
    assert workbench(access, "replay", case, "--set", "layout=append_only", "--check", case) == 0
    assert "turns" in json.loads(Path(case).read_text(encoding="utf-8"))


def test_a_file_without_expected_figures_is_said(access: MemoryAccess, capsys: Capture, tmp_path: Path):
    other = tmp_path / "other.json"
    other.write_text("[]", encoding="utf-8")
    for name, why in ((str(other), "--update writes them"), (str(tmp_path / "none"), "No such file")):
        assert workbench(access, "compare", "talk", "--variant", "A=layout=layered", "--check", name) == 2
        assert why in capsys.readouterr().err


# `workbench compare --ask`: one question over variants, models and repeats.


class Told:
    """A history with one answered question, and the command over it."""

    def __init__(self, **changes: object) -> None:
        self.access = MemoryAccess()
        self.wishes: list[WorldOptions] = []
        changes = {"builder": fake_builder(HERE), **changes}
        self.world = fake_world(words("First."), said("Alpha it is."), store=self.access.store, **changes)

        async def talk() -> None:
            bench = Bench(self.world)
            await bench.start()
            await bench.workbench.dispatch(AttachArtifact("talk", artifact("a.md", "Alpha beta. " * 9)))
            await bench.do(SendMessage("talk", "Which one?"))

        asyncio.run(talk())

    def compare(self, *argv: str) -> int:
        def world(store: object, wishes: WorldOptions) -> World:
            self.wishes.append(wishes)
            return self.world

        parts = parts_with(
            history=lambda: self.access,
            keys=lambda: self.access.keys,
            world=world,
            make_builder=lambda: self.world.builder,
        )
        return run(["compare", "talk", *argv], lambda _: parts)


def test_a_document_has_every_cell_with_its_checks():
    cell = Cell("A", "m", 1, "complete", "Yes.", checks=(("contains Yes", True),))
    found = experiment_document(Experiment("c", 2, (cell, Cell("A", "m", 2)), spent_usd=0.0))
    assert (found["chat"], found["turn"], found["asked"]) == ("c", 2, 1)
    assert found["cells"][0]["checks"] == [{"check": "contains Yes", "passed": True}]
    assert json.loads(json.dumps(found)) == found


def test_every_variant_is_asked_checked_and_kept(capsys: Capture):
    told = Told()
    variants = ("--variant", "Without=attach.a.md=out", "--repeats", "2", "--expect", "contains:Alpha")
    assert told.compare("--ask", *variants, "--json") == 0
    shown = capsys.readouterr()
    found = json.loads(shown.out)
    assert [cell["answer"] for cell in found["cells"]] == ["Alpha it is."] * 4
    assert "4 requests, " in shown.err
    assert "no cost" in shown.err


def test_a_check_that_fails_is_an_exit_code_and_a_word(capsys: Capture):
    told = Told()
    assert told.compare("--ask", "--expect", "lacks:Alpha") == 1
    assert "FAILED: lacks Alpha" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["csv", "markdown"])
def test_it_goes_out_in_other_forms(capsys: Capture, form: str):
    told = Told()
    assert told.compare("--ask", "--format", form) == 0
    shown = capsys.readouterr().out
    if form == "csv":
        (row,) = csv.DictReader(io.StringIO(shown))
        assert (row["variant"], row["answer"], row["state"]) == ("As sent", "Alpha it is.", "complete")
    else:
        assert shown.startswith("# Turn 1: 1 of 1 answers")


@pytest.mark.parametrize(
    ("answer", "written"),
    [
        ('=HYPERLINK("https://evil.example")', '\'=HYPERLINK("https://evil.example")'),
        ("@SUM(1)", "'@SUM(1)"),
        ("-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0"),
        ("\t=1", "'\t=1"),
        ("red\x1b[31m", "red\\u001b[31m"),
        ("1 = 1", "1 = 1"),
    ],
)
def test_a_spreadsheet_does_not_calculate_an_answer(answer: str, written: str):
    (row,) = csv.DictReader(io.StringIO(csv_text([Cell("As sent", "m", 1, answer=answer)])))
    assert row["answer"] == written


def test_without_a_cap_or_somebody_to_ask_nothing_that_costs_is_sent(capsys: Capture):
    told = Told(prices=PerMillion(2.0, 8.0), builder=fake_builder(HOSTED))
    assert told.compare("--ask") == 1
    assert "use --cap-usd" in capsys.readouterr().err
    assert told.compare("--ask", "--cap-usd", "0") == 1
    assert "A cap of $0 allows no request" in capsys.readouterr().err
    assert told.compare("--ask", "--cap-usd", "5") == 0


@pytest.mark.parametrize(
    ("argv", "code", "why"),
    [
        (["--kept"], 1, "Nothing was asked for turn 1 yet"),
        (["--ask", "--repeats", "0"], 2, "1 or more"),
        (["--ask", "--expect", "maybe"], 2, "--expect"),
        (["talk:1", "--ask"], 2, "leave out the second"),
        (["--take", "Nobody"], 1, "Nothing was asked for turn 1 yet"),
        (["--ask", "--expect", "schema:nowhere.json"], 2, "nowhere.json"),
        (["--ask", "--expect", "schema:"], 2, "--expect"),
        (["--ask", "--models", " ,"], 2, "--models: names no model"),
        (["--ask", "--cap-usd", "nan"], 2, "expected dollars"),
        (["--ask", "--check", "x.json"], 2, "--expect checks those"),
        (["--kept", "--expect", "json"], 2, "goes with --ask"),
        (["--ask", "--variant", "As sent=layout=append_only"], 2, "is the request itself"),
        (["--ask", *["--variant", "A=layout=append_only"] * 2], 2, "two are called 'A'"),
    ],
)
def test_what_cannot_be_asked_is_said(capsys: Capture, argv: list[str], code: int, why: str):
    assert Told().compare(*argv) == code
    assert why in capsys.readouterr().err


def test_an_answer_is_judged_measured_by_a_schema_and_taken_over(capsys: Capture, tmp_path: Path):
    schema = tmp_path / "one.json"
    schema.write_text('{"type": "string"}', encoding="utf-8")
    told = Told()
    narrow = ("--variant", "Narrow=history.threshold=0.5")
    checks = ("--expect", f"schema:{schema}", "--expect", "judged:It is short.")
    assert told.compare("--ask", *narrow, *checks) == 1
    shown = capsys.readouterr()
    assert "FAILED: fits one.json" in shown.out
    assert "2 requests to judge the answers" in shown.err
    assert "gave no verdict" in shown.out
    assert told.compare("--take", "Narrow") == 0  # with the settings it was asked under
    assert "is now a branch of the chat" in capsys.readouterr().err
    chat = asyncio.run(told.access.store.chat("talk"))
    assert chat.settings.history.threshold == 0.5


@pytest.mark.parametrize("also", [[], ["--question", "And then?"]])
def test_an_answer_that_cannot_be_taken_is_said_before_anything_is_asked(capsys: Capture, also: list[str]):
    """It was paid for, and then neither shown nor, of a new question, kept."""
    told = Told()
    assert told.compare("--ask", "--take", "Nobody", *also) == 2
    assert "there is no such answer" in capsys.readouterr().err
    assert len(told.world.models.model.requests) == 1  # type: ignore[attr-defined]


def test_answers_are_shown_where_the_one_that_was_to_be_taken_failed(capsys: Capture):
    told = Told()
    told.world.models.model.answers = [[], [Failure("network", "It is gone.")], said("Beta.")]  # type: ignore[attr-defined]
    argv = ("--ask", "--question", "And then?", "--repeats", "2", "--take")
    assert told.compare(*argv, "Next request,word-1,1") == 1
    shown = capsys.readouterr()
    assert "Beta." in shown.out
    assert "nothing to take over" in shown.err


def test_an_answer_that_was_cut_off_says_so(capsys: Capture):
    told = Told()
    cut = [TextGrew("Half of"), Finished("length")]
    told.world.models.model.answers = [cut]  # type: ignore[attr-defined]
    assert told.compare("--ask") == 0
    assert "The answer was cut off" in capsys.readouterr().out


def test_without_a_price_or_a_terminal_there_is_a_way_to_ask(capsys: Capture):
    """A cap needs a price, and without a cap somebody had to be asked."""
    told = Told(builder=fake_builder(HOSTED))
    assert told.compare("--ask") == 1
    assert "use --yes." in capsys.readouterr().err
    assert told.compare("--ask", "--yes") == 0


def test_repeats_say_how_much_they_share(capsys: Capture):
    assert Told().compare("--ask", "--repeats", "2") == 0
    assert "answers share 100% of their words" in capsys.readouterr().out


def test_a_question_is_asked_after_the_last_turn_and_nothing_of_it_is_kept(capsys: Capture):
    told = Told()
    assert told.compare("--ask", "--question", "And then?", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [(cell["variant"], cell["answer"]) for cell in found["cells"]] == [
        ("Next request", "Alpha it is.")
    ]
    assert found["turn"] == 2
    assert told.compare("--kept") == 1
    assert "Nothing was asked for turn 1 yet" in capsys.readouterr().err


def test_a_question_is_sent_with_the_answer_that_is_taken(capsys: Capture):
    told = Told()
    asked = ("--ask", "--question", "And then?", "--variant", "Narrow=history.threshold=0.5")
    assert told.compare(*asked, "--take", "Wide") == 2
    assert "there is no such answer; there are “Next request," in capsys.readouterr().err
    assert told.compare(*asked, "--take", "Narrow") == 0
    assert "The question is now a turn of the chat, with the answer of Narrow" in capsys.readouterr().err
    path = asyncio.run(told.access.store.path("talk"))
    assert [one.entry.text for one in path[-2:]] == ["And then?", "Alpha it is."]  # type: ignore[union-attr]
    assert asyncio.run(told.access.store.chat("talk")).settings.history.threshold == 0.5
    assert told.compare("--kept") == 0
    assert "Narrow · " in capsys.readouterr().out


@pytest.mark.parametrize(
    "argv",
    [("--question", "Why?"), ("--ask", "--question", " "), ("--ask", "--question", "a", "--kept")],
)
def test_a_question_goes_with_asking_alone(capsys: Capture, argv: tuple[str, ...]):
    told = Told()
    assert told.compare(*argv) == 2
    assert "--question" in capsys.readouterr().err


def test_a_schema_in_another_encoding_is_refused(capsys: Capture, tmp_path: Path):
    """Its letters were replaced, so that no answer could fit them."""
    schema = tmp_path / "schema.json"
    schema.write_bytes('{"const": "café"}'.encode("latin-1"))
    assert Told().compare("--ask", "--expect", f"schema:{schema}") == 2
    assert "schema.json: not valid UTF-8; save the file as UTF-8" in capsys.readouterr().err
    schema.write_bytes(b'\xef\xbb\xbf{"type": "string"}')
    assert Told().compare("--ask", "--expect", f"schema:{schema}") == 1  # read, and the answer is not JSON


@pytest.mark.parametrize(
    ("argv", "keyed"),
    [
        (["--models", "builtin,openai:gpt-4o"], "openai:gpt-4o"),
        (["--variant", "A=model=openai:gpt-4o"], "openai:gpt-4o"),
        (["--expect", "judged:short", "--judge", "openai:gpt-4o"], "openai:gpt-4o"),
        ([], "word-1"),
    ],
)
def test_a_key_is_for_the_model_that_needs_one(argv: list[str], keyed: str):
    """A chat of the built-in model could not be compared with a hosted one: its key was taken for the chat's model."""
    told = Told(builder=fake_builder(HERE, replace(HOSTED, name="openai:gpt-4o")))
    told.compare("--ask", "--key-env", "KEY", *argv)
    assert [(one.model, one.key_env) for one in told.wishes] == [(keyed, "KEY")]
