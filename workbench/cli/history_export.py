"""`workbench history export`: chats to files of a chosen format, or to standard output."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from pathlib import Path

from workbench.cli.elara_key import read_elara_key
from workbench.cli.opened import opened, pick_chat
from workbench.cli.parts import Parts
from workbench.cli.plain_output import counted, print_bytes, print_json, visible_line
from workbench.cli.terminal import tell
from workbench.domain.errors import InvalidInput, NotKept, StoreDamaged, WorkbenchError
from workbench.domain.record import ChatArchive
from workbench.engine.exchange.elara_format import plain_envelope
from workbench.engine.exchange.formats import Files, find_format, left_out
from workbench.ports.history import HistoryStore

_NOT_ENCRYPTED = "This export is not encrypted: keep it where only you can read it."


async def run_export(arguments: argparse.Namespace, parts: Parts) -> int:
    """Write the chats, and say what the format has no place for."""
    _check(arguments)
    async with opened(parts, writable=False) as store:
        known = await store.chats()
        chats = [pick_chat(known, name) for name in arguments.chats] or known
        archives, unreadable = await _archives(store, dict.fromkeys(chat.id for chat in chats))
    if not archives and not unreadable:
        raise NotKept("There are no chats to export.")
    chosen = find_format(arguments.format)
    files = _sealed(chosen.export(archives), arguments, parts)
    _deliver(files, arguments, archives)
    tell(left_out(chosen, archives))
    if arguments.format != "elara" or arguments.plaintext:
        tell(_NOT_ENCRYPTED)
    for key in unreadable:
        tell(f"{visible_line(key)}: damaged, and left out. `workbench history verify` says how far.")
    return 1 if unreadable else 0


async def _archives(store: HistoryStore, keys: Iterable[str]) -> tuple[list[ChatArchive], list[str]]:
    """The chats that can be read, and those that cannot: one bad page must not keep the rest."""
    archives, unreadable = [], []
    for key in keys:
        try:
            archives.append(await store.archive(key))
        except StoreDamaged:
            unreadable.append(key)
    return archives, unreadable


def _check(arguments: argparse.Namespace) -> None:
    elara = arguments.format == "elara"
    if elara and (arguments.elara_key_file is None) == (not arguments.plaintext):
        raise InvalidInput(
            "--format elara", "give either --elara-key-file FILE, or --plaintext for no encryption"
        )
    if not elara and (arguments.elara_key_file or arguments.plaintext):
        raise InvalidInput("--elara-key-file, --plaintext", "belong to --format elara")
    if elara and arguments.out is None:
        raise InvalidInput("--format elara", "makes a file a message: name a folder with --out")
    if arguments.json and arguments.out is None:
        raise InvalidInput("--json", "lists the files that were written: name a place with --out")


def _sealed(files: Files, arguments: argparse.Namespace, parts: Parts) -> Files:
    if arguments.format != "elara":
        return files
    if arguments.plaintext:
        return tuple((name, plain_envelope(body)) for name, body in files)
    cipher = parts.elara(read_elara_key(arguments.elara_key_file))
    return tuple((name, cipher.seal(body)) for name, body in files)


def _deliver(files: Files, arguments: argparse.Namespace, archives: list[ChatArchive]) -> None:
    if arguments.out is None:
        if len(files) != 1:
            raise InvalidInput("--out", f"{len(files)} files would be written: name a folder with --out")
        print_bytes(files[0][1])
        return
    written = _write_all(files, Path(arguments.out), alone=len(files) == 1 and arguments.format != "elara")
    if arguments.json:
        print_json({"chats": [archive.chat.id for archive in archives], "files": written})
    else:
        sizes = f"{counted(len(archives), 'chat')} in {counted(len(written), 'file')}"
        tell(f"{sizes}: {visible_line(str(arguments.out))}")


def _write_all(files: Files, out: Path, alone: bool) -> list[str]:
    """A single file becomes `out` itself, unless that is a folder; several go into the folder `out`."""
    inside = [out.joinpath(*name.split("/")) for name, _ in files]
    targets = [out] if alone and not out.is_dir() else inside
    existing = [target for target in targets if os.path.lexists(target)]
    if existing:
        raise WorkbenchError(
            f"{visible_line(str(existing[0]))} exists already. Nothing was written; name another place."
        )
    for target, (_, body) in zip(targets, files, strict=True):
        _write(target, body)
    return [str(target) for target in targets]


def _write(target: Path, body: bytes) -> None:
    """A new file that only its owner may read: it holds in the clear what the store encrypts."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(os.open(target, flags, 0o600), "wb") as stream:
            stream.write(body)
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
        raise WorkbenchError(
            f"{visible_line(str(target))} could not be written ({reason}). The history is as it was; "
            "what was written before it is complete."
        ) from None
