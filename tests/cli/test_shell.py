"""`workbench completion` and `workbench man`."""

from __future__ import annotations

import argparse
import shutil
import subprocess
from typing import cast

import pytest

from workbench.cli.main import COMMANDS, build_parser, run
from workbench.cli.services import Services
from workbench.cli.shell import Argument, CommandHelp, describe_parser, pages

Capture = pytest.CaptureFixture[str]


def call(*argv: str) -> int:
    return run(argv, lambda arguments: cast(Services, object()))


def test_a_script_is_printed(capsys: Capture):
    assert call("completion", "bash") == 0
    assert capsys.readouterr().out.endswith("complete -F _workbench workbench\n")


def test_a_page_is_printed(capsys: Capture):
    assert call("man", "ask") == 0
    assert capsys.readouterr().out.startswith('.TH "WORKBENCH-ASK" 1')
    assert call("man") == 0
    assert capsys.readouterr().out.startswith('.TH "WORKBENCH" 1')
    assert call("man", "nothing") == 2


# Manual pages.


PAGES = pages(describe_parser(build_parser(COMMANDS)), "1.2", "shows a request")


def test_there_is_a_page_for_the_program_and_for_every_command():
    assert set(PAGES) == {"workbench.1", *(f"workbench-{command.name}.1" for command in COMMANDS)}


def test_a_hyphen_stays_one_and_no_line_is_a_request():
    told = Argument(("--at",), "FILE", ".so /etc/passwd … \\n")
    page = pages(CommandHelp((), "", (told,)), "1", "s")["workbench.1"]
    assert "\\fB\\-\\-at\\fR \\fIFILE\\fR" in page
    assert "\n\\&.so /etc/passwd ... \\en\n" in page


@pytest.mark.parametrize("name", sorted(PAGES))
def test_groff_has_nothing_to_say_about_it(name: str):
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff is not installed here")
    done = subprocess.run(
        [groff, "-man", "-k", "-Tutf8", "-ww"], input=PAGES[name], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "workbench 1.2" in done.stdout


# What the parsers take, as values.


ROOT = describe_parser(build_parser(COMMANDS))


def test_every_command_and_action_is_there_with_its_summary():
    found = {one.words: one.summary for one in ROOT.all()}
    assert {(command.name,) for command in COMMANDS} <= set(found)
    assert {("history", "export"), ("history", "import")} <= set(found)
    assert all(summary for words, summary in found.items() if words)


def test_an_option_says_what_it_takes():
    parser = argparse.ArgumentParser()
    parser.add_argument("--to", "-t", metavar="FILE", help="100 %% sure")
    parser.add_argument("--as", choices=("a", "b"))
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--secret", help=argparse.SUPPRESS)
    parser.add_argument("texts", nargs="+", metavar="TEXT")
    _, to, kind, quiet, texts = describe_parser(parser).arguments
    assert to == Argument(("--to", "-t"), "FILE", "100 % sure")
    assert (to.is_file, kind.choices, quiet.value) == (True, ("a", "b"), "")
    assert (texts.flags, texts.value, texts.many) == ((), "TEXT", True)
