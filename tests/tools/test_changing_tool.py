"""A tool that changes something does what was shown, or nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.fakes.loop import in_loop
from tests.fakes.workspaces import Called, fill, tree_of
from workbench.tools.workspace.workspace import Workspace
from workbench.tools.write import Write

CHANGED = "Something changed since this was shown, so nothing was done. Look again first."


def test_a_preview_changes_nothing(tmp_path: Path):
    tools = Called(fill(tmp_path, {"a": "1\n"}))
    before = tree_of(tmp_path)
    preview = tools.preview("write", path="a", content="2\n")
    assert preview.summary == "Replace all of a: 2 bytes become 2"
    assert preview.diff == "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2"
    assert tree_of(tmp_path) == before


def test_what_was_shown_is_done(tmp_path: Path):
    tools = Called(fill(tmp_path, {"a": "1"}))
    tools.preview("write", path="a", content="2")
    assert not tools.run("write", content="2", path="a").failed
    assert (tmp_path / "a").read_text() == "2"


def test_a_file_that_changed_after_it_was_shown_is_not_touched(tmp_path: Path):
    """The person allowed one change; the same call on other content would be another one."""
    tools = Called(fill(tmp_path, {"a": "1"}))
    tools.preview("write", path="a", content="2")
    (tmp_path / "a").write_text("theirs")
    for _ in range(2):
        assert tools.refusal("write", path="a", content="2") == CHANGED
    tools.preview("write", path="a", content="2")
    assert not tools.run("write", path="a", content="2").failed


def test_what_was_shown_as_refused_is_not_done_later(tmp_path: Path):
    tools = Called(fill(tmp_path, {"a": "1"}))
    assert tools.preview("edit", path="a", old="x", new="y").summary.startswith(
        "edit will refuse: a does not hold"
    )
    (tmp_path / "a").write_text("x")
    assert tools.refusal("edit", path="a", old="x", new="y") == CHANGED


def test_a_call_that_was_never_shown_is_done(tmp_path: Path):
    tools = Called(tmp_path)
    assert tools.text("write", path="a", content="1") == "Wrote a: 1 bytes."


def test_only_the_last_previews_are_remembered(tmp_path: Path):
    tools = Called(tmp_path)
    for number in range(200):
        tools.preview("touch", path=f"file{number}")
    assert not tools.run("touch", path="file0").failed


@in_loop
async def test_calls_at_the_same_time_do_not_mix(tmp_path: Path):
    tool = Write(Workspace(tmp_path))
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(tool.run({"path": "a", "content": str(number)})) for number in range(20)]
    outcomes = [task.result() for task in tasks]
    assert not any(outcome.failed for outcome in outcomes)
    assert (tmp_path / "a").read_text() in {str(number) for number in range(20)}
    assert (tool.has_side_effects, tool.searches, tool.definition.name) == (True, False, "write")


@in_loop
async def test_what_the_system_refuses_is_an_outcome(tmp_path: Path):
    tool = Write(Workspace(tmp_path / "gone"))
    outcome = await tool.run({"path": "a", "content": "1"})
    assert (outcome.failed, outcome.text) == (True, "The workspace's folder is not there any more.")
    assert (await tool.preview({"path": "a", "content": "1"})).summary.endswith("not there any more.")
