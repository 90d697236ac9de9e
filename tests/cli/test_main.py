"""The command line's front: options before or after the command, exit codes, errors for people."""

from __future__ import annotations

import argparse
import json
from typing import cast

import pytest

from workbench.cli.main import COMMANDS, Command, build_parser, run
from workbench.cli.services import Services
from workbench.domain.about import ProgramFacts
from workbench.domain.errors import InvalidInput, StoreFull, WorkbenchError

Capture = pytest.CaptureFixture[str]
PARTS = cast(Services, object())


def load_nothing(arguments: argparse.Namespace) -> Services:
    raise AssertionError("nothing may be loaded here")


def no_window(arguments: argparse.Namespace) -> int:
    raise AssertionError("no window may open here")


class Plain:
    """A command without options of its own."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, arguments: argparse.Namespace, parts: Services) -> int:
        return 0


def parse(*argv: str) -> argparse.Namespace:
    return build_parser([Command("ask", "ask", Plain)]).parse_args(argv)


@pytest.mark.parametrize(
    "argv",
    [
        ["--data-dir", "D", "--key-file", "K", "ask"],
        ["ask", "--data-dir", "D", "--key-file", "K"],
        ["--data-dir", "D", "ask", "--key-file", "K"],
        ["--data-dir", "X", "ask", "--data-dir", "D", "--key-file", "K"],
    ],
    ids=" ".join,
)
def test_places_stand_before_the_command_or_after(argv: list[str]):
    arguments = parse(*argv)
    assert (arguments.data_dir, arguments.key_file) == ("D", "K")


def test_places_are_none_when_not_given():
    arguments = parse("ask")
    assert (arguments.data_dir, arguments.key_file) == (None, None)


def test_no_command_opens_the_window():
    opened: list[argparse.Namespace] = []

    def open_window(arguments: argparse.Namespace) -> int:
        opened.append(arguments)
        return 7

    assert run(["--data-dir", "D", "--demo"], load_nothing, open_window) == 7
    assert (opened[0].data_dir, opened[0].demo) == ("D", True)


def test_what_keeps_the_window_from_opening_is_said_in_one_line(capsys: pytest.CaptureFixture[str]):
    def open_window(arguments: argparse.Namespace) -> int:
        raise WorkbenchError("the fonts are missing")

    assert run([], load_nothing, open_window) == 1
    assert capsys.readouterr().err == "workbench: the fonts are missing\n"


FACTS = ProgramFacts("1.2.3", "0123456789abcdef0123", "3.11.4", "6.8.0")


def test_the_version_says_what_it_runs_on(capsys: pytest.CaptureFixture[str]):
    assert run(["--version"], load_nothing, no_window, lambda: FACTS) == 0
    assert capsys.readouterr().out == "workbench 1.2.3 (commit 0123456789ab, Python 3.11.4, Qt 6.8.0)\n"


def test_the_version_is_there_for_machines_too(capsys: pytest.CaptureFixture[str]):
    assert run(["--version", "--json"], load_nothing, no_window, lambda: FACTS) == 0
    assert json.loads(capsys.readouterr().out) == FACTS._asdict()


@pytest.mark.parametrize("argv", [["--json"], ["--json", "doctor"]], ids=" ".join)
def test_json_before_a_command_is_wrong_usage(argv: list[str], capsys: pytest.CaptureFixture[str]):
    """It would have been taken for the command's own, and the command would have printed words."""
    with pytest.raises(SystemExit) as leaving:
        run(argv, load_nothing, no_window, lambda: FACTS)
    assert leaving.value.code == 2
    assert "--json goes with --version here" in capsys.readouterr().err


@pytest.mark.parametrize("argv", [["no-such-command"], ["--no-such-option"], ["replay"]], ids=" ".join)
def test_wrong_usage_exits_with_two_and_prints_no_result(argv: list[str], capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as leaving:
        run(argv, load_nothing, no_window)
    assert leaving.value.code == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("usage: workbench")


def test_an_error_for_people_is_one_line_and_exit_one(capsys: pytest.CaptureFixture[str]):
    def fail(arguments: argparse.Namespace) -> Services:
        raise WorkbenchError("the encodings are missing")

    assert run(["replay", "-"], fail, no_window) == 1
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "workbench: the encodings are missing\n")


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (
            ["ask", "caf\udce9"],
            "workbench ask: TEXT: it is not UTF-8 at byte 3 (0xe9); nothing was asked or changed",
        ),
        (
            ["ask", "hi", "--set", "system_prompt=\udcff"],
            "workbench ask: --set: it is not UTF-8 at byte 14 (0xff)",
        ),
        (["history", "title", "c", "\udcff"], "workbench history: TITLE: it is not UTF-8 at byte 0 (0xff)"),
    ],
)
def test_words_that_are_not_utf_8_are_refused_as_on_standard_input(
    argv: list[str], said: str, capsys: Capture
):
    """They were sent with a sign for what cannot be read in the place of letters."""
    assert run(argv, load_nothing, no_window) == 2
    assert capsys.readouterr().err.startswith(said)


def test_nothing_that_is_said_acts_on_the_terminal(capsys: Capture):
    """A file's name is whoever made it, and may clear the screen or write in another's words."""

    class Refusing(Plain):
        def run(self, arguments: argparse.Namespace, parts: Services) -> int:
            raise WorkbenchError("a\x1b[2J.txt was not attached.\nCheck the path.")

    command = Command("ask", "ask", Refusing)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("workbench.cli.main.COMMANDS", (command,))
        assert run(["ask"], lambda arguments: PARTS, no_window) == 1
        assert capsys.readouterr().err == "workbench: a\\u001b[2J.txt was not attached.\nCheck the path.\n"
        with pytest.raises(SystemExit):
            run(["ask", "--no\x1b[2J"], load_nothing, no_window)
    assert "\x1b" not in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_has_its_own_help(command: Command, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as leaving:
        run([command.name, "--help"], load_nothing, no_window)
    assert leaving.value.code == 0
    assert command.summary.split()[0] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("error", "kind", "code"),
    [
        (InvalidInput("--chat", "names none"), "usage", 2),
        (StoreFull("no room"), "failed", 1),
    ],
)
def test_with_json_what_went_wrong_is_json_too(error: WorkbenchError, kind: str, code: int, capsys: Capture):
    def load(_arguments: argparse.Namespace) -> Services:
        raise error

    assert run(["history", "list", "--json"], load) == code
    said = capsys.readouterr()
    assert json.loads(said.out) == {"error": {"kind": kind, "message": str(error)}}
    assert str(error) in said.err
    assert run(["history", "list"], load) == code
    assert capsys.readouterr().out == ""
