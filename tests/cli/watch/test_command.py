"""`workbench watch`: what it takes, and what it refuses."""

from __future__ import annotations

import argparse

import pytest

from tests.fakes.parts import parts_with
from workbench.cli.main import run
from workbench.cli.watch import command


def parsed(*argv: str) -> argparse.Namespace:
    found: list[argparse.Namespace] = []

    def load(arguments: argparse.Namespace) -> object:
        found.append(arguments)
        raise SystemExit(0)

    with pytest.raises(SystemExit):
        run(["watch", *argv], load)  # type: ignore[arg-type]
    return found[0]


def test_what_follows_the_two_hyphens_is_the_command_s_own():
    given = parsed("--no-keep", "--", "claude", "-p", "--json", "--", "x")
    assert (given.program, given.json, given.no_keep) == (("claude", "-p", "--json", "--", "x"), False, True)


def test_without_a_command():
    given = parsed("--to", "anthropic", "--port", "4040", "--json")
    assert (given.program, given.to, given.port, given.json) == ((), "anthropic", 4040, True)


@pytest.mark.parametrize("port", ["65536", "-1", "x", "٣"])
def test_a_port_that_is_none(port: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as leaving:
        run(["watch", "--port", port], lambda _: parts_with())
    assert leaving.value.code == 2
    assert "port" in capsys.readouterr().err


def test_how_it_is_called(capsys: pytest.CaptureFixture[str]):
    for argv in (["watch", "--help"], ["watch", "list", "--help"], ["watch", "claude", "-p"]):
        with pytest.raises(SystemExit):
            run(argv, lambda _: parts_with())
    shown = capsys.readouterr()
    assert (
        "usage: workbench watch [options] [-- COMMAND ARGS…]\n       workbench watch ACTION …\n" in shown.out
    )
    assert "usage: workbench watch list [-h]" in shown.out
    assert "[-- COMMAND ARGS…]" in shown.err  # a command without the two hyphens


def test_json_beside_a_command_needs_a_file(capsys: pytest.CaptureFixture[str]):
    assert run(["watch", "--json", "--", "true"], lambda _: parts_with()) == 2
    assert "--out" in capsys.readouterr().err


def test_its_parts_are_there():
    assert callable(command.add_arguments)
