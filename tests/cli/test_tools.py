"""`workbench tools`: what an action takes."""

from __future__ import annotations

import argparse

import pytest

from tests.fakes.parts import parts_with
from workbench.cli.tools import add_arguments, run


@pytest.mark.parametrize("argv", [["list", "x"], ["add"], ["approve"], ["remove", "a", "b"], ["offer", "x"]])
def test_names_too_many_or_too_few_are_wrong_usage(argv: list[str], capsys: pytest.CaptureFixture[str]):
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert run(parser.parse_args(argv), parts_with()) == 2
    assert capsys.readouterr().err.startswith(f"workbench tools: {argv[0]} ")
