"""What every toolbox does."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.loop import in_loop
from tests.fakes.toolbox import FakeToolbox
from workbench.ports.tools import Tool, Toolbox
from workbench.tools.toolbox import WorkspaceTools


@dataclass(frozen=True)
class Box:
    """A toolbox whose workspace holds `a.txt`, what its write calls the text, and how a file is changed behind it."""

    toolbox: Toolbox
    text_field: str
    change: Callable[[str, str], object]

    def tool(self, name: str) -> Tool:
        return next(tool for tool in self.toolbox.tools if tool.definition.name == name)

    def writing(self, text: str) -> dict[str, Any]:
        return {"path": "a.txt", self.text_field: text}


@pytest.fixture(params=["workspace", "memory"])
def box(request: pytest.FixtureRequest, tmp_path: Path) -> Box:
    """The real tools, and the fake that the engine is tested with."""
    if request.param == "memory":
        fake = FakeToolbox({"a.txt": "words"})
        return Box(fake, "text", fake.files.__setitem__)
    (tmp_path / "a.txt").write_text("words")
    return Box(WorkspaceTools(tmp_path), "content", lambda name, text: (tmp_path / name).write_text(text))


def test_tools_have_names_of_their_own_and_schemas(box: Box):
    definitions = [tool.definition for tool in box.toolbox.tools]
    assert len({definition.name for definition in definitions}) == len(definitions)
    assert all(isinstance(json.loads(definition.schema_json), dict) for definition in definitions)
    assert [
        definition == tool.definition for definition, tool in zip(definitions, box.toolbox.tools, strict=True)
    ]


def test_what_changes_something_must_be_allowed(box: Box):
    sides = {tool.definition.name: tool.has_side_effects for tool in box.toolbox.tools}
    assert (sides["read"], sides["grep"], sides["write"]) == (False, False, True)
    assert [tool.definition.name for tool in box.toolbox.tools if tool.searches] == ["grep"]


@in_loop
async def test_what_is_there_is_read_and_what_is_not_is_an_outcome(box: Box):
    found = await box.tool("read").run({"path": "a.txt"})
    missing = await box.tool("read").run({"path": "b.txt"})
    assert (found.text, found.failed, found.undo) == ("words", False, None)
    assert (missing.failed, missing.undo) == (True, None)


@in_loop
async def test_a_preview_changes_nothing(box: Box):
    preview = await box.tool("write").preview(box.writing("new"))
    assert preview.summary
    assert len(preview.summary.splitlines()) == 1
    assert (await box.tool("read").run({"path": "a.txt"})).text == "words"


@in_loop
async def test_a_change_can_be_taken_back_from_a_note_that_was_kept_as_json(box: Box):
    written = await box.tool("write").run(box.writing("new"))
    assert (await box.tool("read").run({"path": "a.txt"})).text == "new"
    assert written.undo is not None
    undone = await box.toolbox.undo(json.loads(json.dumps(written.undo)))
    assert not undone.failed
    assert (await box.tool("read").run({"path": "a.txt"})).text == "words"


@in_loop
async def test_what_the_world_changed_since_is_left_alone(box: Box):
    written = await box.tool("write").run(box.writing("new"))
    box.change("a.txt", "theirs")
    assert written.undo is not None
    assert (await box.toolbox.undo(written.undo)).failed
    assert (await box.tool("read").run({"path": "a.txt"})).text == "theirs"
