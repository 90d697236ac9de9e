"""What is to be attached is looked at before a chat is made; very many files are asked about once, with tokens."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from workbench.cli.terminal import counted, find_terminal
from workbench.domain.attached import Attached, AttachLimits, CannotAttach
from workbench.domain.errors import WorkbenchError
from workbench.domain.folder import FileText
from workbench.domain.preferences import ContextSettings
from workbench.engine.shown.folder_scan import FileCounting
from workbench.engine.world import World


class TooManyFiles(WorkbenchError):
    """More files than are attached without asking, and nobody said yes."""


async def check_attached(
    paths: Sequence[str], settings: ContextSettings, world: World, *, sure: bool
) -> None:
    """Refuse what cannot be attached, and ask about very many files; where nobody can be asked, refuse them too."""
    files: list[Attached] = []
    for path in paths:
        folder = await world.attachments.read_folder(path)
        if folder is not None and not folder.files:
            raise CannotAttach(path, "there is no text file in it", "Attach another folder.")
        files += [await world.attachments.read(path)] if folder is None else folder.files
    limits = AttachLimits() if world.preferences is None else world.preferences.load().attach
    if sure or len(files) <= limits.ask_files:
        return
    tokens = await asyncio.to_thread(_tokens, files, settings, world)
    what = f"{counted(len(files), 'file')} with about {tokens:,} tokens"
    terminal = find_terminal()
    if terminal is None:
        raise TooManyFiles(
            f"That would attach {what}; more than {limits.ask_files:,} are attached only when somebody says so. "
            "Nothing was sent. Give --yes, or attach fewer."
        )
    if not terminal.agrees(f"Attach {what}?"):
        raise TooManyFiles("Nothing was attached, and nothing was sent.")


def _tokens(files: Sequence[Attached], settings: ContextSettings, world: World) -> int:
    card = world.builder.catalogue.find(settings.model)
    counting = FileCounting(world.builder.counters.apart(card), settings.counter, card, "")
    found = counting.texts([FileText(one.artifact.told, one.artifact.text) for one in files])
    return sum(one.tokens or 0 for one in found)
