"""`workbench history verify`, `backup`, `restore`, `salvage`, `delete`, `purge`: looking after the store."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict, replace

from workbench.cli.open_history import changing, find_chat, opened
from workbench.cli.services import Services
from workbench.cli.terminal import find_terminal, print_json, print_text, tell, visible_line
from workbench.domain.record import Salvaged
from workbench.domain.secrets import KeyStatus
from workbench.domain.translation import counted, tr


async def run_verify(arguments: argparse.Namespace, services: Services) -> int:
    """Checks the store; returns 1 and prints the problems where there are any."""
    async with opened(services, writable=False) as store:
        found = await store.verify()
    keys = services.keys().status()
    found = replace(found, problems=(*found.problems, *_key_problems(keys)))
    healthy = not found.problems and not found.locked
    protectors = [protector.kind for protector in keys.protectors]
    if arguments.json:
        print_json({**asdict(found), "keys": protectors, "ok": healthy})
        return 0 if healthy else 1
    sizes = ((found.pages, "page"), (found.chats, "chat"), (found.messages, "message"), (found.turns, "turn"))
    print_text(", ".join(counted(number, thing) for number, thing in sizes))
    print_text(tr("opened by: {protectors}", protectors=", ".join(protectors)))
    for problem in found.problems:
        print_text(f"wrong: {visible_line(problem)}")
    if found.locked:
        print_text(tr("locked: {locked} could not be read", locked=found.locked))
    if healthy:
        tell(tr("Everything is in order."))
    else:
        tell(
            tr(
                "Nothing was changed. Restore a backup with `workbench history restore "
                "DIR`, or bring back what is readable with `workbench history "
                "salvage`; both keep the damaged file."
            )
        )
    return 0 if healthy else 1


def _key_problems(keys: KeyStatus) -> Iterator[str]:
    """Yields the problems of the key file that do not keep it from opening the store."""
    if len(keys.protectors) < 2:
        yield "there is only one way to open the store; `workbench keys recovery` makes a second"
    if keys.rotating:
        yield "a change of key was interrupted, and has not been settled"


async def run_backup(arguments: argparse.Namespace, services: Services) -> int:
    """Copies the store into a folder, even while it is in use."""
    await services.history().backup(arguments.folder)
    _print(arguments, {"backup": arguments.folder}, f"{visible_line(arguments.folder)}")
    tell(
        tr("The backup is encrypted as the history is, and opens with the same passphrase or recovery code.")
    )
    return 0


async def run_restore(arguments: argparse.Namespace, services: Services) -> int:
    """Replaces the store by a backup; the replaced one is kept beside it."""
    aside = await services.history().restore(arguments.folder)
    _print(arguments, {"restored": arguments.folder, "replaced": aside}, visible_line(aside))
    tell(tr("The backup is in place. What was there before is kept in the folder above."))
    return 0


async def run_salvage(arguments: argparse.Namespace, services: Services) -> int:
    """Replaces a damaged store by what can be read of it."""

    def agree(found: Salvaged) -> bool:
        tell(
            tr(
                "{salvaged} Restore a backup instead, if there is one that has more.",
                salvaged=_salvaged(found),
            )
        )
        terminal = find_terminal()
        if not arguments.yes and terminal is None:
            tell(tr("No terminal to confirm on; use --yes."))
        question = tr("Replace the damaged history by that? The damaged file is kept.")
        return arguments.yes or (terminal is not None and terminal.agrees(question))

    saved = await services.history().salvage(agree)
    document = asdict(saved)
    document["damaged"] = document.pop("aside")
    if saved.aside or arguments.json:
        _print(arguments, document, visible_line(saved.aside))
    if not saved.aside:
        tell(tr("Nothing was changed."))
        return 1
    tell(tr("Read back and in the history again: {counted}.", counted=counted(saved.messages, "message")))
    tell(tr("The damaged file is kept in the folder above; `workbench history verify` checks the new one."))
    return 0 if saved.complete else 1


def _salvaged(found: Salvaged) -> str:
    """Says what can be read of a damaged store, and what cannot."""
    pages = counted(found.unreadable_pages, "page")
    lost = (
        tr(", {texts_lost:,} of them or of their files without their text", texts_lost=found.texts_lost)
        if found.texts_lost
        else ""
    )
    back = counted(found.messages, "message")
    return tr(
        "{pages} could not be read. {back} can be brought back{lost}; the rest is lost.",
        pages=pages,
        back=back,
        lost=lost,
    )


async def run_delete(arguments: argparse.Namespace, services: Services) -> int:
    """Marks a chat as deleted."""
    async with changing(services) as store:
        chat = await find_chat(store, arguments.chat)
        now = services.utc_now()
        await store.change_chat(chat.id, lambda kept: replace(kept, deleted_utc=now))
    _print(arguments, {"deleted": chat.id}, visible_line(chat.id))
    tell(tr("It is no longer listed or found. `workbench history purge` removes it for good."))
    return 0


async def run_purge(arguments: argparse.Namespace, services: Services) -> int:
    """Removes deleted chats and messages for good."""
    async with changing(services) as store:
        removed = await store.purge()
    copies = services.history().older_copies()
    _print(arguments, {"removed": removed, "older_copies": list(copies)}, str(removed))
    tell(tr("That many deleted chats and messages were removed from the history."))
    if copies:
        tell(
            tr("They are still in older copies; delete these, and your backups, to be rid of them for good:")
        )
        for copy in copies:
            tell(f"  {visible_line(copy)}")
    return 0


def _print(arguments: argparse.Namespace, document: object, words: str) -> None:
    print_json(document) if arguments.json else print_text(words)
