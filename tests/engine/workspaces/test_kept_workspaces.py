"""Workspaces as they are kept, without a whole workbench around them."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.engine import TickingUtc, fake_world
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop
from tests.fakes.workspace_store import MemoryWorkspaces
from workbench.domain.workspace import Workspace
from workbench.engine.known_workspaces import Workspaces
from workbench.engine.workspaces.kept_workspaces import listed_workspaces


@in_loop
async def test_deleted_workspaces_are_not_listed_and_the_one_for_all_chats_stands_apart():
    world = fake_world(workspaces=Workspaces(MemoryWorkspaces(MemoryHistory()), TickingUtc()))
    await world.workspaces.ready()
    kept = Workspace("w", "Auth")
    for workspace in (kept, replace(kept, id="gone", name="Old", deleted_utc="then")):
        world.workspaces.note(workspace)
    fields = listed_workspaces(world).fields
    assert (fields["workspaces"], fields["everywhere"]) == ({"w": kept}, world.workspaces.everywhere)
