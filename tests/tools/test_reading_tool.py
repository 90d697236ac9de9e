"""A tool that only looks: refusals and the system's errors are outcomes, never exceptions."""

from __future__ import annotations

import asyncio
import errno
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from workbench.domain.tool import ToolOutcome, ToolPreview
from workbench.tools.arguments import Field, Form
from workbench.tools.reading_tool import ReadingTool
from workbench.tools.workspace.paths import Refused
from workbench.tools.workspace.workspace import Workspace


class Echo(ReadingTool[str]):
    form = Form("echo", "Say it.", (Field("what", "text", "What.", required=True),))

    def accept(self, given: Mapping[str, Any]) -> str:
        return str(given["what"])

    def summary(self, asked: str) -> str:
        return f"Say {asked}"

    def answer(self, asked: str) -> str:
        match asked:
            case "refuse":
                raise Refused("No.")
            case "break":
                raise OSError(errno.EIO, "Input/output error", "/secret/place")
            case "thread":
                return str(threading.current_thread() is threading.main_thread())
        return asked


@pytest.mark.parametrize(
    ("arguments", "outcome"),
    [
        ({"what": "hello"}, ToolOutcome("hello")),
        ({"what": "refuse"}, ToolOutcome("No.", failed=True)),
        (
            {"what": "break"},
            ToolOutcome("It did not work: input/output error. Nothing was changed.", failed=True),
        ),
        ({}, ToolOutcome("echo needs what; it takes: what.", failed=True)),
        ({"what": "thread"}, ToolOutcome("False")),
    ],
)
def test_every_ending_is_an_outcome(arguments: dict[str, Any], outcome: ToolOutcome, tmp_path: Path):
    assert asyncio.run(Echo(Workspace(tmp_path)).run(arguments)) == outcome


def test_a_preview_is_one_line(tmp_path: Path):
    tool = Echo(Workspace(tmp_path))
    assert asyncio.run(tool.preview({"what": "hello"})) == ToolPreview("Say hello", reads=True)
    assert asyncio.run(tool.preview({})).summary.startswith("echo will refuse: echo needs what")
    assert (tool.has_side_effects, tool.searches, tool.definition.name) == (False, False, "echo")
