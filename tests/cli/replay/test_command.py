"""`workbench replay`: one file in, one report out; a file that cannot be used is named in one line."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.parts import parts_with
from workbench.cli.main import run


@pytest.fixture
def trajectory(tmp_path: Path) -> Path:
    return write(tmp_path, {"turns": [{"user": "one two", "reply": "three"}, {"user": "four"}]})


def write(folder: Path, content: dict[str, Any]) -> Path:
    path = folder / "trajectory.json"
    settings = {"model": "word-1", "reserved_output_tokens": 0}
    path.write_text(json.dumps({"format": "workbench-trajectory/1", "settings": settings, **content}))
    return path


def replay(*argv: str) -> int:
    return run(["replay", *argv], lambda arguments: parts_with())


def printed(capsys: pytest.CaptureFixture[str]) -> Any:
    shown = capsys.readouterr()
    assert shown.err == ""
    return json.loads(shown.out)


def test_it_prints_one_report_and_exits_with_zero(trajectory: Path, capsys: pytest.CaptureFixture[str]):
    assert replay(str(trajectory)) == 0
    report = printed(capsys)
    assert report["format"] == "workbench-report/1"
    assert [turn["turn"] for turn in report["turns"]] == [1, 2]
    assert report["turns"][1]["messages"] == [
        {"id": "m1", "role": "user", "content": "one two"},
        {"id": "m2", "role": "assistant", "content": "three"},
        {"id": "m3", "role": "user", "content": "four"},
    ]


def test_a_dash_reads_standard_input(
    trajectory: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    replay(str(trajectory))
    from_file = capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(trajectory.read_bytes())))
    assert replay("-") == 0
    assert capsys.readouterr().out == from_file


def test_a_turn_that_does_not_fit_is_a_report_not_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = write(tmp_path, {"turns": [{"user": "far too long"}]})
    assert replay(str(path), "--set", "context_window=5") == 0
    turn = printed(capsys)["turns"][0]
    assert (turn["fits"], turn["total_tokens"], turn["over_by_tokens"]) == (False, 9, 4)


def test_overrides_hold_in_every_turn(trajectory: Path, capsys: pytest.CaptureFixture[str]):
    assert replay(str(trajectory), "--set", "context_window=500", "--set", "history.threshold=0.5") == 0
    found = [(turn["window_tokens"], turn["threshold_tokens"]) for turn in printed(capsys)["turns"]]
    assert found == [(500, 250), (500, 250)]


@pytest.mark.parametrize(
    ("content", "path"),
    [
        ("{", "line 1 column 2"),
        ("[]", "$"),
        ('{"format": "other/1"}', "format"),
        (
            '{"format": "workbench-trajectory/1", "turns": [{"attach": [{"kind": "file"}]}]}',
            "turns[0].attach[0].text",
        ),
    ],
)
def test_an_invalid_file_is_named_in_one_line_and_nothing_is_printed(
    tmp_path: Path, content: str, path: str, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "broken.json"
    file.write_text(content)
    assert replay(str(file)) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n"), shown.err.partition(": ")[0]) == ("", 1, path)


def test_a_priority_that_is_a_word_is_named_by_its_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    attached = {"kind": "file", "text": "", "priority": "high"}
    path = write(tmp_path, {"turns": [{}, {"attach": [attached]}]})
    assert replay(str(path)) == 2
    assert capsys.readouterr().err == ('turns[1].attach[0].priority: expected an integer 0..10, got "high"\n')


def test_a_missing_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert replay(str(tmp_path / "nowhere.json")) == 2
    assert capsys.readouterr() == ("", f"{tmp_path / 'nowhere.json'}: No such file or directory\n")


def test_a_folder_is_not_a_trajectory(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert replay(str(tmp_path)) == 2
    assert capsys.readouterr().out == ""


def test_an_override_that_says_nothing_is_refused(trajectory: Path, capsys: pytest.CaptureFixture[str]):
    assert replay(str(trajectory), "--set", "model") == 2
    assert capsys.readouterr().out == ""


def test_the_report_is_utf_8_whatever_the_terminal_speaks(tmp_path: Path):
    """A report piped into a file on Windows must not depend on the code page."""
    path = write(tmp_path, {"turns": [{"user": "漢字 \ud800 😀"}]})
    shown = io.BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", io.TextIOWrapper(shown, encoding="ascii"))
        assert replay(str(path)) == 0
        report = json.loads(shown.getvalue().decode("utf-8"))
    assert report["turns"][0]["messages"][0]["content"] == "漢字 \ufffd 😀"


def test_lone_surrogates_anywhere_end_up_sendable(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """JSON can carry half a character in any string; one that reached the report would end in a traceback."""
    half = "\ud800"
    call = {"id": half, "name": half, "arguments": half}
    path = write(
        tmp_path,
        {
            "conversation": half,
            "history": [{"id": half, "role": "user", "content": half}, {"chunk": "system", "content": half}],
            "turns": [
                {
                    "settings": {
                        "model": half, "system_prompt": half, "user_memory": half, "project_instructions": half,
                        "tools": [{"name": half, "description": half, "input_schema": {half: half}}],
                    },
                    "attach": [{"id": half, "kind": "file", "title": half, "text": half}],
                    "user": half,
                    "reply": [
                        {"role": "assistant", "content": half, "tool_calls": [call]},
                        {"role": "tool", "tool_call_id": half, "content": half},
                    ],
                },
                {"user": half},
            ],
        },
    )  # fmt: skip
    assert replay(str(path)) == 0
    report = printed(capsys)
    assert [turn["violations"] for turn in report["turns"]] == [[], []]
    assert half not in json.dumps(report, ensure_ascii=False)


def test_two_runs_print_the_same_bytes(trajectory: Path, capsys: pytest.CaptureFixture[str]):
    replay(str(trajectory))
    first = capsys.readouterr().out
    replay(str(trajectory))
    assert capsys.readouterr().out == first


def lines(turns: int) -> dict[str, Any]:
    return {"turns": [{"user": f"question {n}", "reply": f"answer {n}"} for n in range(1, turns + 1)]}


def test_brief_prints_figures_and_no_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = str(write(tmp_path, lines(3)))
    replay(path)
    whole = printed(capsys)["turns"]
    assert replay(path, "--brief") == 0
    text = capsys.readouterr().out
    assert "question" not in text
    brief = json.loads(text)["turns"]
    for name in ("turn", "total_tokens", "fits", "prefix", "cache", "count"):
        assert [turn[name] for turn in brief] == [turn[name] for turn in whole]
    assert [turn["messages"] for turn in brief] == [len(turn["messages"]) for turn in whole]
    for short, full in zip(brief, whole, strict=True):
        sizes = {one["name"]: (one["tokens"], len(one["segments"])) for one in full["layers"]}
        assert {name: (one["tokens"], one["segments"]) for name, one in short["layers"].items()} == sizes


def test_a_brief_turn_is_as_long_late_as_early(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """The report of 5,000 one-line turns never ended: every turn printed all the turns before it."""
    replay(str(write(tmp_path, lines(60))), "--brief")
    printed_lines = capsys.readouterr().out.splitlines()[1:]
    assert len(printed_lines[-1]) < len(printed_lines[1]) + 30


@pytest.mark.parametrize(
    ("given", "numbers"), [("2", [2]), ("2-3", [2, 3]), ("4-", [4, 5]), ("1-1", [1]), ("5-90", [5])]
)
def test_some_turns_are_printed_as_they_are_among_all(
    given: str, numbers: list[int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = str(write(tmp_path, lines(5)))
    replay(path)
    whole = printed(capsys)["turns"]
    assert replay(path, "--turns", given) == 0
    some = printed(capsys)["turns"]
    for turn in (*whole, *some):
        del turn["metrics"]["build_ms"]
    assert some == [whole[number - 1] for number in numbers]


@pytest.mark.parametrize("given", ["0", "-3", "3-2", "a", "1-2-3", "", "²"])
def test_turns_that_cannot_be_meant_are_wrong_usage(
    given: str, trajectory: Path, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(SystemExit) as left:
        replay(str(trajectory), f"--turns={given}")
    assert left.value.code == 2
    assert "--turns" in capsys.readouterr().err


def test_turns_beyond_the_last_are_named(trajectory: Path, capsys: pytest.CaptureFixture[str]):
    assert replay(str(trajectory), "--turns", "4990-") == 2
    assert capsys.readouterr().err == "--turns: there is no turn 4990; the last is 2\n"
