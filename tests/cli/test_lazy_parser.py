"""A command's arguments are added when it is called, once, and not for the list of all commands."""

from __future__ import annotations

import argparse

import pytest

from workbench.cli.lazy_parser import LazyParser, add_common_options


def test_arguments_are_added_when_they_are_read(capsys: pytest.CaptureFixture[str]):
    parser = argparse.ArgumentParser()
    choices = parser.add_subparsers(parser_class=LazyParser)
    filled: list[str] = []
    for name in ("one", "other"):
        own = choices.add_parser(name, help=f"the {name}")

        def fill(own: LazyParser = own, name: str = name) -> None:
            filled.append(name)
            own.add_argument("--deep")

        own.fill = fill
    with pytest.raises(SystemExit):
        parser.parse_args(["--help"])
    assert "the other" in capsys.readouterr().out
    assert filled == []
    assert parser.parse_args(["one", "--deep", "x"]).deep == "x"
    assert parser.parse_args(["one", "--deep", "y"]).deep == "y"
    assert filled == ["one"]


def test_the_command_line_of_another_program_is_kept_unread():
    parser = argparse.ArgumentParser()
    own = parser.add_subparsers(parser_class=LazyParser).add_parser("run")
    own.takes_program = True
    own.add_argument("name")
    own.add_argument("--deep")
    found = parser.parse_args(["run", "x", "--deep", "y", "--", "npx", "--deep", "--", "z"])
    assert (found.name, found.deep, found.program) == ("x", "y", ("npx", "--deep", "--", "z"))
    assert parser.parse_args(["run", "x"]).program == ()


def test_names_may_stand_behind_an_option(capsys: pytest.CaptureFixture[str]):
    parser = argparse.ArgumentParser()
    own = parser.add_subparsers(parser_class=LazyParser).add_parser("tools")
    own.add_argument("action", nargs="?")
    own.add_argument("names", nargs="*")
    own.add_argument("--in")
    for words in (["approve", "--in", "W", "sums", "add"], ["approve", "sums", "--in", "W", "add"]):
        assert parser.parse_args(["tools", *words]).names == ["sums", "add"]
    assert parser.parse_args(["tools"]).names == []
    with pytest.raises(SystemExit):
        parser.parse_args(["tools", "approve", "--in", "W", "sums", "--inn"])
    assert "unrecognized arguments" in capsys.readouterr().err


# The options every command takes, and that one after the name does not undo one before it.


def test_what_is_not_given_is_left_alone():
    parser = argparse.ArgumentParser()
    add_common_options(parser, default=argparse.SUPPRESS)
    assert vars(parser.parse_args([])) == {}
    assert vars(parser.parse_args(["--data-dir", "D", "--key-file", "K"])) == {
        "data_dir": "D",
        "key_file": "K",
    }
