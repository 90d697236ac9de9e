"""`workbench compare`, and turns as cases."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.engine import Bench, fake_world
from tests.fakes.history_access import MemoryAccess
from tests.fakes.parts import parts_with
from tests.fakes.turns import artifact
from workbench.cli.compare import comparison_document
from workbench.cli.main import run
from workbench.domain.shown.comparison import Comparison
from workbench.engine.intents import AttachArtifact, SendMessage

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
