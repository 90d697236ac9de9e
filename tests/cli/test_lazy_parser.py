"""A command's arguments are added when it is called, once, and not for the list of all commands."""

from __future__ import annotations

import argparse

import pytest

from workbench.cli.lazy_parser import LazyParser


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
