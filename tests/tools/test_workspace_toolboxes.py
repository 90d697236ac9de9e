"""A chat gets the tools of its folder, also after another folder was chosen."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.loop import in_loop
from workbench.tools.toolbox import WorkspaceTools
from workbench.tools.workspace_toolboxes import MovableTools


@in_loop
async def test_tools_work_in_the_workspace_of_the_moment(tmp_path: Path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(name)
    tools = MovableTools(lambda folder: WorkspaceTools(tmp_path / folder), "one")

    async def read() -> str:
        (reader,) = [tool for tool in tools.tools if tool.definition.name == "read"]
        return (await reader.run({"path": "a.md"})).text

    assert "one" in await read()
    before = tools.tools
    tools.move("one")
    assert tools.tools is before
    tools.move("two")
    assert "two" in await read()
    assert (await tools.undo({"kind": "unknown"})).failed
