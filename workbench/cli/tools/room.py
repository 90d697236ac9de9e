"""The workspace that `workbench tools` works on, with the engine that the window has behind it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from workbench.cli.open_history import open_kept
from workbench.cli.services import Services, WorldOptions
from workbench.cli.terminal import tell, visible_line
from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.mcp.server import McpListing, McpServer
from workbench.domain.workspace import Workspace
from workbench.engine.events import Event, NoticeGiven, ServerMoved
from workbench.engine.known_workspaces import Workspaces
from workbench.engine.state import WorkbenchState
from workbench.engine.workbench import Workbench
from workbench.engine.workspace_intents import StartServer


@dataclass(frozen=True, slots=True)
class Room:
    """A workspace and the engine that changes it."""

    id: str
    workbench: Workbench
    known: Workspaces

    @property
    def place(self) -> Workspace:
        """The workspace as it is now."""
        return self.known.all[self.id]

    def server(self, name: str) -> McpServer:
        """The server of that name; `InvalidInput` names those there are."""
        found = next((one for one in self.place.servers if one.name == name), None)
        if found is None:
            names = ", ".join(one.name for one in self.place.servers) or "none"
            there = f"there is no server {visible_line(name)!r} in {visible_line(self.place.name)!r}"
            raise InvalidInput("NAME", f"{there}; known: {names}")
        return found

    async def started(self, name: str) -> McpListing:
        """Start a server, and wait until it has said what it has, or failed."""
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
async def entered(workspace: str | None, services: Services, *, writable: bool) -> AsyncIterator[Room]:
    """The workspace of that name, without one the only one there is; servers that were started end with it."""
    services.keys().status()
    store = await (open_kept(services) if writable else services.history().open(writable=False))
    try:
        world = services.world(store, WorldOptions())
        await world.workspaces.ready()
        place = chosen(workspace, world.workspaces)
    except BaseException:
        await store.close()
        raise
    workbench = Workbench(world)
    leave = workbench.subscribe(_tell_notice)
    try:
        yield Room(place.id, workbench, world.workspaces)
    finally:
        leave()
        await workbench.close()


def _tell_notice(event: Event, state: WorkbenchState) -> None:
    if isinstance(event, NoticeGiven):
        tell(f"workbench: {visible_line(event.text)}")


def chosen(name: str | None, known: Workspaces) -> Workspace:
    """The workspace that is meant; `InvalidInput` names those there are."""
    there = [one for one in known.all.values() if one.id and one.deleted_utc is None]
    names = ", ".join(visible_line(one.name) for one in there)
    if not there:
        raise InvalidInput(
            "--workspace", "there is no workspace yet; `workbench workspaces create NAME` makes one"
        )
    if name is None:
        if len(there) > 1:
            raise InvalidInput("--workspace", f"name the workspace that is meant: {names}")
        return there[0]
    found = known.named(name)
    if found is None:
        raise InvalidInput("--workspace", f"there is no workspace {visible_line(name)!r}; known: {names}")
    return found
