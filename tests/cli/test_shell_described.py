"""What the parsers take, as values."""

from __future__ import annotations

import argparse

from workbench.cli.main import COMMANDS, build_parser
from workbench.cli.shell import Argument, described

ROOT = described(build_parser(COMMANDS))


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
    _, to, kind, quiet, texts = described(parser).arguments
    assert to == Argument(("--to", "-t"), "FILE", "100 % sure")
    assert (to.is_file, kind.choices, quiet.value) == (True, ("a", "b"), "")
    assert (texts.flags, texts.value, texts.many) == ((), "TEXT", True)
