"""What a workspace's folder offers: shown until somebody decides, used only as it was looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from workbench.domain.folder_offer import FolderOffer
from workbench.domain.mcp.server import McpServer
from workbench.domain.workspace import Accepted, Workspace

OFFER_FILE = ".workbench/workspace.toml"


def undecided(offer: FolderOffer, workspace: Workspace) -> FolderOffer | None:
    """What of an offer nobody decided about as it is now; None where that is nothing."""
    known = {(one.file, one.digest) for one in workspace.accepted}
    found = tuple(file for file in offer.found if (file.path, file.digest) not in known)
    if offer.digest and (OFFER_FILE, offer.digest) not in known:
        return replace(offer, found=found)
    return FolderOffer(found=found, notes=offer.notes) if found else None


def digests(offer: FolderOffer) -> dict[str, str]:
    """The files of an offer with what they are now."""
    own = {OFFER_FILE: offer.digest} if offer.digest else {}
    return own | {file.path: file.digest for file in offer.found}


def refused(workspace: Workspace, files: Mapping[str, str]) -> Workspace:
    """The workspace of somebody who does not want these files as they are; what was accepted before stays in use."""
    before = {one.file: one.text for one in workspace.accepted}
    made = (Accepted(file, digest, refused=True, text=before.get(file, "")) for file, digest in files.items())
    return replace(workspace, accepted=_with(workspace.accepted, made))


def accepted(
    workspace: Workspace, offer: FolderOffer, files: Mapping[str, str], allowed: Iterable[str]
) -> Workspace:
    """The workspace with what these files offer in use; `allowed` are servers whose command lines were."""
    texts = {file.path: file.text for file in offer.found}
    made = [Accepted(file, digest, text=texts.get(file, "")) for file, digest in files.items()]
    kept = _with(workspace.accepted, made)
    project = "\n\n".join(one.text.strip() for one in kept if one.text.strip())
    changed = replace(workspace, accepted=kept, project=project)
    if OFFER_FILE not in files:
        return changed
    if offer.instructions:
        changed = replace(
            changed, instructions=offer.instructions, joining=offer.instructions_mode or changed.joining
        )
    wanted, offered = set(allowed), {server.name: server for server in offer.servers}
    there = {server.name for server in changed.servers}
    before = (
        _restarted(server, offered[server.name]) if server.name in wanted & set(offered) else server
        for server in changed.servers
    )
    new = (
        replace(server, enabled=server.name in wanted) for server in offer.servers if server.name not in there
    )
    return replace(changed, servers=(*before, *new))


def _restarted(server: McpServer, offered: McpServer) -> McpServer:
    """A server that is there already, started as somebody has just allowed it; what was looked at of it stays."""
    return replace(offered, enabled=True, tools_off=server.tools_off, approved=server.approved)


def _with(known: Iterable[Accepted], new: Iterable[Accepted]) -> tuple[Accepted, ...]:
    """What is known with what was decided now, a file once, in the order of their names."""
    by_file = {one.file: one for one in (*known, *new)}
    return tuple(by_file[file] for file in sorted(by_file))
