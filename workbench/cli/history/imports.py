"""`workbench history import`: chats from the files of this and other programs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.open_history import opened
from workbench.cli.services import Services
from workbench.cli.terminal import counted, print_json, print_text, tell, visible_line
from workbench.domain.errors import InvalidInput
from workbench.engine.exchange.imported import Fresh, Imported, merged, unread
from workbench.engine.exchange.importing import import_files

if TYPE_CHECKING:  # it loads what `--help` does not need
    from workbench.engine.program.adopting import Adopted, FindFile
from workbench.cli.history.elara_key import read_elara_key
from workbench.cli.history.found_files import FoundFiles

_NO_FOLDER = "its text is not in the file; --attach-from DIR says where to look"


async def run_import(arguments: argparse.Namespace, services: Services) -> int:
    """Keep what the files hold; whatever did not come along is said, and a file that could not be used fails."""
    from workbench.engine.program.adopting import Adoption, groups

    _check(arguments)
    imported = await _read(arguments, services)
    adopted: list[Adopted] = []
    problems, refused = list(imported.problems), imported.refused
    if imported.archives:
        async with opened(services, writable=True) as store:
            adoption = Adoption(store, services.new_id, _files(arguments.attach_from))
            for some in groups(imported.archives):
                await adoption.take_all(some, imported)
        adopted, problems = adoption.adopted, [*problems, *adoption.problems]
        refused += adoption.refused
    _report(arguments, adopted, Imported((), tuple(problems), refused=refused, locked=imported.locked))
    return 1 if refused else 0


def _check(arguments: argparse.Namespace) -> None:
    if arguments.attach_from is not None and not Path(arguments.attach_from).is_dir():
        raise InvalidInput(arguments.attach_from, "is not a folder")


async def _read(arguments: argparse.Namespace, services: Services) -> Imported:
    key = None
    if arguments.elara_key_file is not None:
        key = services.elara(read_elara_key(arguments.elara_key_file))
    fresh = Fresh(services.utc_now(), services.new_id)
    files = await services.exchange().read(arguments.paths)
    found = [import_files(group, fresh, key) for group in files.groups]
    return merged([*found, unread(files)])


def _files(folder: str | None) -> FindFile:
    if folder is None:
        return lambda wanted, when_utc: _NO_FOLDER
    return FoundFiles(Path(folder)).take


def _report(arguments: argparse.Namespace, adopted: list[Adopted], about: Imported) -> None:
    problems = list(dict.fromkeys(about.problems))
    if arguments.json:
        chats = [{"id": one.id, "title": one.title, "messages": one.messages} for one in adopted]
        counts = {"files_refused": about.refused, "files_locked": about.locked}
        print_json({"chats": chats, "problems": problems, **counts})
        return
    for chat in adopted:
        print_text(
            f"{visible_line(chat.id)}  {counted(chat.messages, 'message')}  {visible_line(chat.title)}"
        )
    for problem in problems:
        tell(visible_line(problem))
    refused = f" Could not be used: {about.refused}." if about.refused else ""
    tell(f"Imported: {counted(len(adopted), 'chat')}.{refused}")
