"""`workbench completion` and `workbench man`."""

from __future__ import annotations

from typing import cast

import pytest

from workbench.cli.main import run
from workbench.cli.services import Services

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
