"""A workspace opened by a command on servers of tools."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.cli.open_history import open_kept
from workbench.cli.services import Services, WorldOptions
from workbench.cli.terminal import (
    tell,
    visible_line,
)
from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.mcp_server import (
    McpListing,
    McpServer,
)
from workbench.domain.translation import tr
from workbench.domain.workspace import Workspace
from workbench.engine.events import Event, NoticeGiven, ServerMoved
from workbench.engine.known_workspaces import Workspaces
from workbench.engine.state import WorkbenchState
from workbench.engine.workbench import Workbench
from workbench.engine.workspace_intents import (
    StartServer,
)

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class OpenWorkspace:
    """A workspace and the engine that changes it."""

    id: str
    workbench: Workbench
    known: Workspaces

    @property
    def place(self) -> Workspace:
        """The workspace as it is now."""
        return self.known.all[self.id]

    def server(self, name: str) -> McpServer:
        """Returns the server of that name; `InvalidInput` lists the names that exist."""
        found = next((one for one in self.place.servers if one.name == name), None)
        if found is None:
            names = ", ".join(one.name for one in self.place.servers) or "none"
            there = tr(
                "there is no server {name!r} in {name_2!r}",
                name=visible_line(name),
                name_2=visible_line(self.place.name),
            )
            raise InvalidInput("NAME", tr("{there}; known: {names}", there=there, names=names))
        return found

    async def start_and_list(self, name: str) -> McpListing:
        """Starts a server and waits until it has listed its tools or failed."""
        ended: asyncio.Future[McpListing] = asyncio.get_running_loop().create_future()

        def hear(event: Event, state: WorkbenchState) -> None:
            match event:
                case ServerMoved(_, server, McpListing() as listing) if server == name:
                    if listing.state != "starting" and not ended.done():
                        ended.set_result(listing)
                case NoticeGiven(None, text) if not ended.done():
                    ended.set_exception(WorkbenchError(text))
                case _:
                    pass

        leave = self.workbench.subscribe(hear)
        try:
            await self.workbench.dispatch(StartServer(self.id, name))
            return await ended
        finally:
            leave()


@asynccontextmanager
async def open_workspace(
    workspace: str | None, services: Services, *, writable: bool
) -> AsyncIterator[OpenWorkspace]:
    """Opens a workspace by name (or the only one); servers that are started end with this context."""
    services.keys().status()
    store = await (open_kept(services) if writable else services.history().open(writable=False))
    try:
        world = services.world(store, WorldOptions())
        await world.workspaces.ready()
        place = find_workspace(workspace, world.workspaces)
    except BaseException:
        await store.close()
        raise
    workbench = Workbench(world)
    leave = workbench.subscribe(_print_notice)
    try:
        yield OpenWorkspace(place.id, workbench, world.workspaces)
    finally:
        leave()
        await workbench.close()


def _print_notice(event: Event, state: WorkbenchState) -> None:
    if isinstance(event, NoticeGiven):
        tell(f"workbench: {visible_line(event.text)}")


def find_workspace(name: str | None, known: Workspaces) -> Workspace:
    """Returns the workspace of that name, or the only one; `InvalidInput` lists the names that exist."""
    there = [one for one in known.all.values() if one.id and one.deleted_utc is None]
    names = ", ".join(visible_line(one.name) for one in there)
    if not there:
        raise InvalidInput(
            "--workspace", tr("there is no workspace yet; `workbench workspaces create NAME` makes one")
        )
    if name is None:
        if len(there) > 1:
            raise InvalidInput("--workspace", tr("name the workspace that is meant: {names}", names=names))
        return there[0]
    found = known.named(name)
    if found is None:
        raise InvalidInput(
            "--workspace",
            tr("there is no workspace {name!r}; known: {names}", name=visible_line(name), names=names),
        )
    return found
