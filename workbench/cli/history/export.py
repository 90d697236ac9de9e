"""`workbench history export`: chats to files of a chosen format, or to standard output."""

from __future__ import annotations

import argparse

from workbench.cli.history.imports import read_elara_key
from workbench.cli.open_history import opened, pick_chat
from workbench.cli.services import Services
from workbench.cli.terminal import print_bytes, print_json, tell, visible_line
from workbench.domain.errors import InvalidInput, NotKept
from workbench.domain.record import ChatArchive
from workbench.domain.translation import counted, tr
from workbench.engine.exchange.formats import FORMATS, Files, find_format, left_out
from workbench.engine.program.jobs import (
    ELARA,
    NOT_ENCRYPTED,
    collect,
    damaged_words,
    exported,
    is_encrypted,
    stands_alone,
)
from workbench.ports.folder import SealedFiles


async def run_export(arguments: argparse.Namespace, services: Services) -> int:
    """Writes chats to files or standard output, and says what the format cannot hold."""
    _check(arguments)
    async with opened(services, writable=False) as store:
        known = await store.chats()
        chats = [pick_chat(known, name) for name in arguments.chats] or known
        found = [one async for one in collect(store, [chat.id for chat in chats])]
    if not found:
        raise NotKept(tr("There are no chats to export."))
    archives = [one for one in found if isinstance(one, ChatArchive)]
    chosen, seal = find_format(arguments.format), _seal(arguments, services)
    if arguments.paths and chosen.with_paths is None:
        able = " or ".join(one.name for one in FORMATS if one.with_paths is not None)
        raise InvalidInput("--paths", tr("belongs to --format {able}", able=able))
    files = exported(chosen, archives, seal, arguments.elara_form == "seed", arguments.paths)
    await _deliver(files, arguments, services, archives)
    tell(left_out(chosen, archives))
    if not is_encrypted(chosen, seal):
        tell(NOT_ENCRYPTED)
    unreadable = [one for one in found if isinstance(one, str)]
    for key in unreadable:
        tell(damaged_words(visible_line(key)))
    return 1 if unreadable else 0


def _check(arguments: argparse.Namespace) -> None:
    elara = arguments.format == ELARA
    if elara and (arguments.elara_key_file is None) == (not arguments.plaintext):
        raise InvalidInput(
            tr("--format elara"), tr("give either --elara-key-file FILE, or --plaintext for no encryption")
        )
    if not elara and (arguments.elara_key_file or arguments.plaintext):
        raise InvalidInput(tr("--elara-key-file, --plaintext"), tr("belong to --format elara"))
    if not elara and arguments.elara_form is not None:
        raise InvalidInput("--elara-form", tr("belongs to --format elara"))
    if elara and arguments.out is None:
        raise InvalidInput(tr("--format elara"), tr("makes a file a message: name a folder with --out"))
    if arguments.json and arguments.out is None:
        raise InvalidInput("--json", tr("lists the files that were written: name a place with --out"))


def _seal(arguments: argparse.Namespace, services: Services) -> SealedFiles | None:
    if arguments.elara_key_file is None:
        return None
    return services.elara(read_elara_key(arguments.elara_key_file))


async def _deliver(
    files: Files, arguments: argparse.Namespace, services: Services, archives: list[ChatArchive]
) -> None:
    if arguments.out is None:
        if len(files) != 1:
            raise InvalidInput(
                "--out", tr("{n} files would be written: name a folder with --out", n=len(files))
            )
        print_bytes(files[0][1])
        return
    alone = stands_alone(find_format(arguments.format), files)
    written = await services.exchange().write(arguments.out, files, alone=alone, stopped=lambda: False)
    if arguments.json:
        print_json({"chats": [archive.chat.id for archive in archives], "files": list(written)})
    else:
        sizes = tr(
            "{counted} in {counted_2}",
            counted=counted(len(archives), "chat"),
            counted_2=counted(len(written), "file"),
        )
        tell(f"{sizes}: {visible_line(str(arguments.out))}")
