"""What `workbench tools` does, each through the engine as the window does it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from workbench.cli.open_history import has_store, opened
from workbench.cli.services import Services
from workbench.cli.terminal import counted, print_json, print_table, print_text, tell, visible, visible_line
from workbench.cli.tools.adding import read_added
from workbench.cli.tools.looking import Look
from workbench.cli.tools.room import Room, chosen, entered
from workbench.domain.errors import InvalidInput
from workbench.domain.folder_offer import FolderOffer, describe
from workbench.domain.mcp.secrets import owned_secret, secrets_in
from workbench.domain.mcp.server import McpServer, McpTool
from workbench.domain.workspace import Workspace
from workbench.engine.known_workspaces import Workspaces
from workbench.engine.workspace_intents import (
    AnswerOffer,
    ApproveTools,
    KeepServer,
    LookAtFolder,
    RemoveServer,
)
from workbench.engine.workspaces.keeping import SECRETS
from workbench.engine.workspaces.offers import digests
from workbench.ports.keys import ProviderKeys

NONE = "There are no servers of tools. `workbench tools add` adds one to a workspace."
_SWITCHED_OFF = "it is switched off; --allow {name} allows it"


async def list_servers(arguments: argparse.Namespace, services: Services) -> int:
    """The servers of a workspace, or of all of them; none is started."""
    rows: list[dict[str, Any]] = []
    if has_store(services):
        async with opened(services, writable=False) as store:
            known, keys = Workspaces(services.workspaces(store)), services.provider_keys(store)
            await known.ready()
            places = [one for one in known.all.values() if one.id and one.deleted_utc is None]
            if arguments.workspace is not None:
                places = [chosen(arguments.workspace, known)]
            rows = [await _row(place, server, keys) for place in places for server in place.servers]
    if arguments.json:
        print_json(rows)
        return 0
    print_table([_cells(row) for row in rows])
    if not rows:
        tell(NONE)
    return 0


async def _row(place: Workspace, server: McpServer, keys: ProviderKeys) -> dict[str, Any]:
    """One server; a secret is only named, with whether it is kept."""
    return {
        "workspace": place.name,
        "name": server.name,
        "enabled": server.enabled,
        "command": server.command,
        "args": list(server.args),
        "env": dict(server.env),
        "cwd": server.cwd,
        "url": server.url,
        "headers": dict(server.headers),
        "approved": [tool.name for tool in server.approved],
        "tools_off": sorted(server.tools_off),
        "secrets": {
            name: await keys.find(f"{SECRETS}{place.id}/{owned_secret(server.name, name)}") is not None
            for name in secrets_in(server)
        },
    }


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    line = row["url"] or " ".join((row["command"], *row["args"]))
    missing = [name for name, kept in row["secrets"].items() if not kept]
    state = "off" if not row["enabled"] else "needs a secret" if missing else "on"
    approved = f"{counted(len(row['approved']), 'tool')} approved"
    return visible_line(row["workspace"]), row["name"], state, approved, visible_line(line)


async def add(arguments: argparse.Namespace, services: Services) -> int:
    """Keep servers in a workspace; none is started before somebody reviews it."""
    async with entered(arguments.workspace, services, writable=True) as room:
        taken = [one.name for one in room.place.servers]
        added = read_added(arguments, taken, services.environment)
        for server in added.servers:
            await room.workbench.dispatch(KeepServer(room.id, server, added.secrets_of(server)))
        names, workspace = [one.name for one in added.servers], room.place.name
    if arguments.json:
        document = {"workspace": workspace, "added": names, "missing": list(added.missing)}
        print_json({**document, "notes": list(added.notes)})
    else:
        print_table([(one.name, visible_line(one.shown)) for one in added.servers])
    for note in added.notes:
        tell(f"workbench: {visible_line(note)}")
    for secret, about in added.missing.items():
        key = secret.partition(".")[2]
        words = f" ({visible_line(about)})" if about else ""
        tell(
            f"workbench: {visible_line(secret)} is missing{words}; remove the server and add it with --env {key}=…"
        )
    if names:
        tell("Nothing is started yet. `workbench tools review` shows what the servers offer.")
    return 0 if names else 1


async def review(arguments: argparse.Namespace, services: Services) -> int:
    """Start servers, and show what they offer and what changed since it was approved."""
    allowed = tuple(arguments.allow)
    async with entered(arguments.workspace, services, writable=bool(allowed)) as room:
        names = arguments.names or [one.name for one in room.place.servers]
        looks = [await _looked(room, name, allowed) for name in names]
        workspace = room.place.name
    if arguments.json:
        print_json({"workspace": workspace, "servers": [look.document() for look in looks]})
    for look in looks:
        _show(look, words=not arguments.json)
    if not looks:
        tell(NONE)
    return 0 if all(look.listing.state == "connected" for look in looks) else 1


def _show(look: Look, *, words: bool) -> None:
    name = look.server.name
    if look.listing.state != "connected":
        why = look.listing.problem if look.server.enabled else _SWITCHED_OFF.format(name=name)
        tell(f"workbench: {name}: {visible_line(look.server.shown)}")
        tell(f"workbench: {name}: {visible_line(why)}")
        return
    for line in look.lines() if words else ():
        print_text(line)
    if look.waiting:
        tell(f"`workbench tools approve {name} --as {look.digest}` approves them as they are now.")


async def _looked(room: Room, name: str, allowed: Sequence[str] = ()) -> Look:
    server = room.server(name)
    if name in allowed and not server.enabled:
        await room.workbench.dispatch(KeepServer(room.id, replace(server, enabled=True), before=name))
    listing = await room.started(name)
    return Look(room.server(name), listing)


async def approve(arguments: argparse.Namespace, services: Services) -> int:
    """Approve tools of a server as they are now: they are then in the workspace's new chats."""
    name, *wanted = arguments.names
    async with entered(arguments.workspace, services, writable=True) as room:
        look = await _looked(room, name)
        if look.listing.state != "connected":
            _show(look, words=False)
            return 1
        if arguments.seen is not None and arguments.seen != look.digest:
            tell(
                f"workbench: {name} says something else than was reviewed. Nothing is approved; review it again."
            )
            return 1
        tools = _wanted(look, wanted)
        await room.workbench.dispatch(ApproveTools(room.id, name, tools))
    names = [one.name for one in tools]
    if arguments.json:
        print_json({"workspace": room.place.name, "server": name, "approved": names, "digest": look.digest})
    else:
        for one in names:
            print_text(visible_line(one))
    if not names:
        tell(f"Nothing of {name} is new or changed.")
    return 0


def _wanted(look: Look, names: Sequence[str]) -> tuple[McpTool, ...]:
    """The tools to approve: those named, else all that wait."""
    unknown = set(names) - {one.name for one in look.listing.tools}
    if unknown:
        said = ", ".join(map(visible_line, sorted(unknown)))
        raise InvalidInput("TOOL", f"{look.server.name} has no {said}")
    return tuple(one for one in look.waiting if not names or one.name in names)


async def remove(arguments: argparse.Namespace, services: Services) -> int:
    """Take a server off a workspace, and forget its secrets."""
    (name,) = arguments.names
    async with entered(arguments.workspace, services, writable=True) as room:
        room.server(name)
        await room.workbench.dispatch(RemoveServer(room.id, name))
    print_json({"removed": name}) if arguments.json else print_text(name)
    return 0


async def offer(arguments: argparse.Namespace, services: Services) -> int:
    """Show what the folder of a workspace offers, or use it, or say that it is not wanted."""
    answered = arguments.accept or arguments.refuse
    async with entered(arguments.workspace, services, writable=answered) as room:
        await room.workbench.dispatch(LookAtFolder(room.id))
        found, problem = room.workbench.state.offers.get(room.id, (None, ""))
        if problem:
            tell(f"workbench: {visible_line(problem)}")
            return 1
        if found is not None and arguments.accept:
            await _accept(room, found, tuple(arguments.allow))
        elif found is not None and arguments.refuse:
            await room.workbench.dispatch(AnswerOffer(room.id, tuple(digests(found).items()), accepted=False))
        there = found is not None
        decided = {"accepted": there and arguments.accept, "refused": there and arguments.refuse}
        document = _offer_document(room.place, found) | decided
    if arguments.json:
        print_json(document)
    elif found is not None:
        print_text(visible(describe(found)).removesuffix("\n"))
    _tell_offer(found, decided)
    return 0


async def _accept(room: Room, found: FolderOffer, allowed: tuple[str, ...]) -> None:
    unknown = set(allowed) - {one.name for one in found.servers}
    if unknown:
        raise InvalidInput("--allow", f"the folder offers no server {', '.join(sorted(unknown))}")
    files = tuple(digests(found).items())
    await room.workbench.dispatch(AnswerOffer(room.id, files, True, allowed, found.files))


def _offer_document(place: Workspace, found: FolderOffer | None) -> dict[str, Any]:
    shown = found or FolderOffer()
    return {
        "workspace": place.name,
        "folder": place.folder,
        "offers": digests(shown),
        "text": describe(shown),
        "servers": [one.name for one in shown.servers],
        "notes": list(shown.notes),
    }


def _tell_offer(found: FolderOffer | None, decided: Mapping[str, bool]) -> None:
    if found is None:
        tell("The folder offers nothing that is not decided yet.")
        return
    for note in found.notes:
        tell(f"workbench: {visible_line(note)}")
    if decided["refused"]:
        tell("None of it is used. It is offered again only where a file of the folder changes.")
        return
    for secret in found.asked:
        tell(
            f"workbench: {visible_line(secret)} is missing; enter it in the window, or add the server with --env"
        )
    if not decided["accepted"]:
        tell(
            "Nothing of it is used yet. `workbench tools offer --accept` uses it, --refuse does not; --allow NAME "
            "allows a server."
        )
