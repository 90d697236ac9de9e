"""`workbench workspaces`: lists, shows, creates, exports, imports and deletes workspaces."""

from __future__ import annotations

import argparse
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.cli.open_history import changing, has_store, opened
from workbench.cli.services import Services
from workbench.cli.settings import settings_document
from workbench.cli.terminal import print_json, print_table, print_text, tell, visible_line
from workbench.domain.errors import InvalidInput, NotKept
from workbench.domain.files.attachment import Artifact
from workbench.domain.record import Chat
from workbench.domain.translation import counted, tr
from workbench.domain.workspace import EVERYWHERE, Filed, Workspace, template_of

if TYPE_CHECKING:  # it loads what `--help` does not need
    from workbench.ports.history import HistoryStore
    from workbench.ports.workspaces import WorkspaceStore

_NONE = tr("There are no workspaces yet. `workbench workspaces create NAME` makes one.")
LONGEST_NAME = 80
_NAMED = ("show", "create", "export", "import", "delete")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "action", nargs="?", choices=("list", *_NAMED), default="list", metavar="ACTION",
        help="list | show NAME | create NAME | export NAME (with its chats) | import FILE | delete NAME "
        "(its chats stay, in no workspace)",
    )  # fmt: skip
    parser.add_argument("name", nargs="?", metavar="NAME|FILE", help="which one; the file to import")
    parser.add_argument(
        "--folder", metavar="DIR", help="create, import: the folder that its tools are bound to"
    )
    parser.add_argument("--instructions", metavar="TEXT", help="create: instructions for every chat in it")
    parser.add_argument("--out", metavar="FILE", help="export: a new file, instead of standard output")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Runs the action that was named."""
    # Late: `--help` answers without it.
    import asyncio

    if (arguments.name is None) != (arguments.action == "list"):
        needs = (
            tr("takes no NAME") if arguments.action == "list" else tr("needs a NAME, or the FILE to import")
        )
        tell(tr("workbench workspaces: {action} {needs}", action=arguments.action, needs=needs))
        return 2
    return asyncio.run(_ACTIONS[arguments.action](arguments, services))


async def find_workspace(name: str, places: WorkspaceStore) -> Workspace | None:
    """Returns the workspace of that name; None where there is none."""
    from workbench.engine.known_workspaces import Workspaces

    known = Workspaces(places)
    await known.ready()
    return known.named(name)


async def _list(arguments: argparse.Namespace, services: Services) -> int:
    rows: list[dict[str, Any]] = []
    if has_store(services):
        async with opened(services, writable=False) as store:
            inside = [chat.filed.workspace for chat in await store.chats()]
            rows = [
                {"id": one.id, "name": one.name, "folder": one.folder, "chats": inside.count(one.id)}
                for one in await services.workspaces(store).workspaces()
                if one.id != EVERYWHERE and one.deleted_utc is None
            ]
    if arguments.json:
        print_json(rows)
        return 0
    print_table(
        [
            (visible_line(row["name"]), counted(row["chats"], "chat"), visible_line(row["folder"]))
            for row in rows
        ]
    )
    if not rows:
        tell(_NONE)
    return 0


async def _show(arguments: argparse.Namespace, services: Services) -> int:
    if not has_store(services):
        raise _unknown(arguments.name, ())
    async with opened(services, writable=False) as store:
        places = services.workspaces(store)
        document = await _document(await _find_workspace(arguments.name, places), store, places)
    if arguments.json:
        print_json(document)
        return 0
    for name in ("name", "folder", "instructions", "project"):
        if document[name]:
            print_text(f"{name}: {visible_line(document[name])}")
    for fact in document["memory"]:
        print_text(tr("memory: {fact}", fact=visible_line(fact)))
    for file in document["files"]:
        print_text(
            tr("file: {file} (priority {file_2})", file=visible_line(file["id"]), file_2=file["priority"])
        )
    for prompt in document["prompts"]:
        print_text(tr("prompt: {prompt}", prompt=visible_line(prompt["name"])))
    print_text(f"model: {visible_line(document['settings']['model'])}")
    print_text(tr("chats: {number}", number=len(document["chats"])))
    return 0


async def _document(workspace: Workspace, store: HistoryStore, places: WorkspaceStore) -> dict[str, Any]:
    template = template_of(workspace.id)
    files: tuple[Artifact, ...] = ()
    settings: dict[str, Any] = {}
    with suppress(NotKept):
        files = await store.attached(template)
        settings = settings_document((await store.chat(template)).settings)
    return {
        "id": workspace.id,
        "name": workspace.name,
        "folder": workspace.folder,
        "folder_offered": workspace.offered,
        "instructions": workspace.instructions,
        "instructions_mode": workspace.joining,
        "project": workspace.project,
        "memory": [fact.text for fact in workspace.facts if not fact.suggested],
        "files": [{"id": one.key, "kind": one.kind, "priority": one.priority} for one in files],
        "prompts": [
            {"name": one.name, "text": one.text}
            for one in await places.prompts()
            if one.workspace == workspace.id
        ],
        "settings": settings,
        "chats": sorted(one.id for one in await store.chats() if one.filed.workspace == workspace.id),
    }


async def _create(arguments: argparse.Namespace, services: Services) -> int:
    name = " ".join(arguments.name.split())
    made = Workspace(
        services.new_id(),
        name,
        folder=_folder(arguments.folder),
        instructions=arguments.instructions or "",
        made_utc=services.utc_now(),
    )
    settings = services.new_chat_settings(False)
    async with opened(services, writable=True) as store:
        places = services.workspaces(store)
        if (
            not name
            or len(name) > LONGEST_NAME
            or not name.isprintable()
            or await find_workspace(name, places) is not None
        ):
            raise InvalidInput("NAME", tr("give a name that can be seen and that no other workspace has"))
        template = Chat(template_of(made.id), made.made_utc, name, settings, filed=Filed(made.id))
        await store.create_chat(template)
        await places.save_workspace(made)
    print_json({"id": made.id, "name": made.name}) if arguments.json else print_text(visible_line(made.name))
    return 0


async def _export(arguments: argparse.Namespace, services: Services) -> int:
    from workbench.engine.exchange.workspace_format import export_workspace
    from workbench.engine.workspaces.kept_workspaces import archive_of

    if not has_store(services):
        raise _unknown(arguments.name, ())
    async with opened(services, writable=False) as store:
        places = services.workspaces(store)
        archive = await archive_of(await _find_workspace(arguments.name, places), store, places)
    document = export_workspace(archive)
    if arguments.out is None:
        print_text(document.decode("ascii").removesuffix("\n"))
    else:
        written = (("workspace.json", document),)
        await services.exchange().write(arguments.out, written, alone=True, stopped=lambda: False)
    tell(
        tr(
            "Exported: {name} with {counted}.",
            name=visible_line(archive.workspace.name),
            counted=counted(len(archive.chats), "chat"),
        )
    )
    return 0


async def _import(arguments: argparse.Namespace, services: Services) -> int:
    from workbench.engine.exchange.imported import Fresh, merged, unread
    from workbench.engine.exchange.importing import read_groups
    from workbench.engine.program.adopting import Adoption

    folder = _folder(arguments.folder)
    files = await services.exchange().read((arguments.name,))
    fresh = Fresh(services.utc_now(), services.new_id)
    imported = merged([*read_groups(files.groups, fresh), unread(files)])
    files.close()
    if not imported.workspaces:
        said = " ".join(imported.problems) or tr(
            "there is no workspace in it; `workbench history import` takes chats"
        )
        raise InvalidInput(arguments.name, said)
    async with opened(services, writable=True) as store:
        places = services.workspaces(store)
        adoption = Adoption(
            store, services.new_id, lambda wanted, when: tr("its text is not in the file"), places=places
        )
        for one in imported.workspaces:
            await adoption.take_workspace(one, imported)
        if folder:
            for kept in adoption.workspaces:
                await places.save_workspace(replace(kept, folder=folder, offered=""))
    _report(arguments, adoption.workspaces, (*imported.problems, *adoption.problems), len(adoption.adopted))
    return 1 if adoption.refused else 0


def _report(
    arguments: argparse.Namespace, kept: list[Workspace], problems: tuple[str, ...], chats: int
) -> None:
    if arguments.json:
        named = [{"id": one.id, "name": one.name} for one in kept]
        print_json({"workspaces": named, "chats": chats, "problems": list(problems)})
        return
    for one in kept:
        print_text(visible_line(one.name))
        if one.offered and not arguments.folder:
            tell(
                tr(
                    "It was bound to the folder {offered}; here it is bound to none. "
                    "Choose one in the window, or import it with --folder DIR.",
                    offered=visible_line(one.offered),
                )
            )
    for problem in problems:
        tell(visible_line(problem))
    tell(
        tr(
            "Imported: {counted} with {counted_2}.",
            counted=counted(len(kept), "workspace"),
            counted_2=counted(chats, "chat"),
        )
    )


async def _delete(arguments: argparse.Namespace, services: Services) -> int:
    async with changing(services) as store:
        places = services.workspaces(store)
        found = await _find_workspace(arguments.name, places)
        await places.save_workspace(replace(found, deleted_utc=services.utc_now()))
    print_json({"deleted": found.name}) if arguments.json else print_text(visible_line(found.name))
    tell(tr("The workspace is deleted. Its chats are kept, in no workspace."))
    return 0


async def _find_workspace(name: str, places: WorkspaceStore) -> Workspace:
    found = await find_workspace(name, places)
    if found is None:
        kept = await places.workspaces()
        raise _unknown(name, tuple(one.name for one in kept if one.id and one.deleted_utc is None))
    return found


def _unknown(name: str, known: tuple[str, ...]) -> InvalidInput:
    names = ", ".join(map(visible_line, known)) or "none"
    return InvalidInput(
        "NAME", tr("there is no workspace {name!r}; known: {names}", name=visible_line(name), names=names)
    )


def _folder(given: str | None) -> str:
    import os

    if given is None:
        return ""
    if not os.path.isdir(given):
        raise InvalidInput("--folder", tr("{given} is not a folder", given=visible_line(given)))
    return os.path.abspath(given)


_ACTIONS = {
    "list": _list,
    "show": _show,
    "create": _create,
    "export": _export,
    "import": _import,
    "delete": _delete,
}
