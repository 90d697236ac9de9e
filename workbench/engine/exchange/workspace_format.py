"""Exports and imports a workspace as `workbench-workspace/1`: shared settings, prompts, and chats."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workbench.domain.codec import decode, encode
from workbench.domain.errors import InvalidInput
from workbench.domain.mcp_server import McpServer, check_server
from workbench.domain.record import ChatArchive, WorkspaceArchive
from workbench.domain.text import repair_text
from workbench.domain.translation import tr
from workbench.domain.workspace import SavedPrompt, Workspace, template_of, without_served
from workbench.engine.exchange.imported import Imported
from workbench.engine.exchange.json_format import Tables, chat_document, read_archive
from workbench.engine.exchange.soundness import make_sound

FORMAT = "workbench-workspace/1"
_LONGEST_NAME = 80


def export_workspace(archive: WorkspaceArchive) -> bytes:
    """Writes one document; long texts and files are stored once, however many chats have them."""
    tables = Tables()
    document = {
        "format": FORMAT,
        "workspace": encode(_bare(archive.workspace), tables.keep_text),
        "prompts": [{"name": one.name, "text": one.text} for one in archive.prompts],
        "template": chat_document(archive.template, tables),
        "chats": [chat_document(one, tables) for one in archive.chats],
        "texts": tables.texts,
        "files": tables.files,
    }
    return json.dumps(document, ensure_ascii=True, indent=1).encode("ascii") + b"\n"


def import_workspace(document: Mapping[str, Any]) -> Imported:
    """Imports a workspace; a chat that cannot be read is reported, and the others are imported."""
    tables = Tables(document.get("texts"), document.get("files"))
    workspace = _sound(decode(Workspace, document.get("workspace"), tables.find_text))
    template = read_archive(document.get("template"), tables)
    if template.chat.id != template_of(workspace.id) or template.records:
        raise InvalidInput("template", tr("expected the empty chat that new ones are made like"))
    archives, problems = [], []
    for number, one in enumerate(_listed(document, "chats")):
        try:
            archive, findings = make_sound(read_archive(one, tables))
        except InvalidInput as problem:
            problems.append(tr("chats[{number}] was left out: {problem}", number=number, problem=problem))
            continue
        archives.append(_without_served(archive))
        problems.extend(findings)
    prompts = tuple(_prompt(one, workspace.id) for one in _listed(document, "prompts"))
    template = _without_served(make_sound(template)[0])
    found = WorkspaceArchive(workspace, template, prompts, tuple(archives))
    return Imported(said=tuple(problems), workspaces=(found,), refused=0)


def _bare(workspace: Workspace) -> Workspace:
    """Removes what means nothing elsewhere: accepted and offered folders, and facts a model only suggested."""
    facts = tuple(fact for fact in workspace.facts if not fact.suggested)
    return replace(workspace, facts=facts, accepted=(), offered="")


def _sound(workspace: Workspace) -> Workspace:
    name = " ".join(repair_text(workspace.name).split())[:_LONGEST_NAME].strip()
    if not name or not name.isprintable() or not workspace.id:
        raise InvalidInput("workspace.name", tr("a workspace needs a name that can be seen"))
    bare = _bare(replace(workspace, name=name, deleted_utc=None, rules=()))
    # Nothing is started because a file says so, and nothing was looked at here: each server and tool is, by itself.
    named = {server.name.lower(): server for server in bare.servers if _is_sound(server)}
    servers = (
        replace(server, enabled=False, approved=(), tools_off=frozenset()) for server in named.values()
    )
    bare = replace(bare, servers=tuple(servers))
    return replace(bare, folder="", offered=workspace.folder or workspace.offered)


def _is_sound(server: McpServer) -> bool:
    try:
        check_server(server)
    except InvalidInput:
        return False
    return True


def _without_served(archive: ChatArchive) -> ChatArchive:
    return replace(archive, chat=replace(archive.chat, settings=without_served(archive.chat.settings)))


def _prompt(document: object, workspace: str) -> SavedPrompt:
    if not isinstance(document, dict):
        raise InvalidInput("prompts", tr("expected objects"))
    return SavedPrompt(decode(str, document.get("name")), decode(str, document.get("text")), workspace)


def _listed(document: Mapping[str, Any], name: str) -> list[Any]:
    found = document.get(name, [])
    if not isinstance(found, list):
        raise InvalidInput(name, tr("expected a list"))
    return found
