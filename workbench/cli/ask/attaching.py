"""What `workbench ask` attaches: looked at before a chat is made, then all of it or nothing."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from workbench.cli.terminal import counted, find_terminal, tell, visible_line
from workbench.domain.errors import InvalidInput, NotKept, WorkbenchError
from workbench.domain.files.attached import Attached, CannotAttach, LeftOut
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.document_parts import split_anchor
from workbench.domain.files.folder import FileText, file_kind
from workbench.domain.keys.secret import Secret
from workbench.domain.settings.preferences import ContextSettings
from workbench.engine.chats.attaching import NothingAttached
from workbench.engine.intents import AttachFiles
from workbench.engine.shown.folder_scan import FileCounting
from workbench.engine.workbench import Workbench
from workbench.engine.world import World
from workbench.files.reading import user_file

_MOST_PASSWORD_BYTES = 64 * 1024


class TooManyFiles(WorkbenchError):
    """More files than are attached without asking, and nobody said yes."""


async def check_attached(
    paths: Sequence[str], settings: ContextSettings, world: World, *, sure: bool
) -> None:
    """Refuse what cannot be attached, and ask about very many files; where nobody can be asked, refuse them too."""
    attachments, limits = world.attachments, world.attachments.limits()
    single = 0
    found: list[tuple[str, str]] = []
    for path in paths:
        folder = await attachments.folder_files(path)
        if folder is None:
            # Only looked at: a page or a document takes long to read, and that is done when it is attached.
            await attachments.check(path)
            single += 1
        elif not folder.paths:
            raise folder.nothing(path)
        else:
            found += ((folder.folder, inside) for inside in folder.paths)
    total = single + len(found)
    if sure or total <= limits.ask_files:
        return
    texts = [one for one in found if file_kind(one[1]) != "document"]
    files: list[Attached] = []
    for top, inside in texts:
        with suppress(CannotAttach):  # what cannot be read is named when the rest is attached
            files.append(await attachments.read_in(top, inside))
    tokens = await asyncio.to_thread(_tokens, files, settings, world)
    more = total - len(texts)
    what = f"{counted(total, 'file')} with about {tokens:,} tokens"
    if more:
        what += f" (without {counted(more, 'document')}, not read yet)"
    terminal = find_terminal()
    if terminal is None:
        raise TooManyFiles(
            f"That would attach {what}; more than {limits.ask_files:,} need a confirmation. "
            "Nothing was sent. Use --yes, or attach fewer."
        )
    if not terminal.agrees(f"Attach {what}?"):
        raise TooManyFiles("Nothing was attached, and nothing was sent.")


def _tokens(files: Sequence[Attached], settings: ContextSettings, world: World) -> int:
    card = world.builder.catalogue.find(settings.model)
    counting = FileCounting(world.builder.counters.apart(card), settings.counter, card, "")
    found = counting.texts([FileText(one.artifact.told, one.artifact.text) for one in files])
    return sum(one.tokens or 0 for one in found)


async def attach_files(wish: AttachFiles, workbench: Workbench) -> None:
    """Attach everything or nothing, unless some may stay out; passwords are asked for where somebody is there."""
    before = workbench.state.notices_given
    try:
        await workbench.dispatch(wish)
    except (CannotAttach, NothingAttached) as refusal:
        typed = _typed(refusal.left_out)
        if not typed:
            raise _unread(refusal.left_out) from None
        try:
            await workbench.dispatch(replace(wish, passwords=(*wish.passwords, *typed)))
        except (CannotAttach, NothingAttached) as again:
            raise _unread(again.left_out) from None
    if workbench.state.notices_given != before:
        tell(f"workbench ask: {visible_line(workbench.state.notices[-1].text)}")


def read_passwords(name: str) -> tuple[Secret, ...]:
    """The lines of a file, each a password."""
    try:
        with user_file(name) as opened:
            content = opened.read(_MOST_PASSWORD_BYTES + 1)
    except OSError as problem:
        raise InvalidInput("--password-file", f"{name}: {problem.strerror or problem}") from None
    lines = [line.removesuffix(b"\r") for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    if len(content) > _MOST_PASSWORD_BYTES or not any(lines):
        raise InvalidInput("--password-file", f"{name}: expected passwords, one a line")
    return tuple(Secret.of_text(line.decode("utf-8", "replace")) for line in lines if line)


def _typed(left_out: Sequence[LeftOut]) -> tuple[Secret, ...]:
    terminal = find_terminal()
    locked = [one for one in left_out if one.locked]
    if terminal is None or not locked:
        return ()
    return tuple(filter(None, (terminal.ask(f"Password of {visible_line(one.path)}") for one in locked)))


def _unread(left_out: Sequence[LeftOut]) -> NotKept:
    """Each in a line of its own, and what helps as a whole."""
    for one in left_out:
        tell(f"workbench ask: {visible_line(f'{one.path}: {one.reason}. {one.advice}'.strip())}")
    number = len(left_out)
    ways = ["--allow-drop asks without " + ("it" if number == 1 else "them")]
    if any(one.pages for one in left_out):
        ways.append("--pages-as-pictures attaches pages without text as pictures")
    if any(one.locked for one in left_out):
        ways.append("--password-file FILE opens what is locked")
    what = "1 thing was not attached" if number == 1 else f"{number:,} things were not attached"
    return NotKept(f"{what} (listed above), so nothing was sent or kept. {'; '.join(ways)}.")


def meant(path: str, chat: str, workbench: Workbench, what: str) -> list[Artifact]:
    """The attachments that somebody who wrote this path means."""
    attached = workbench.state.open[chat].conversation.attached
    found = [artifact for artifact in attached if _names(path, artifact.key) or path == artifact.title]
    # Who names a file of which only parts are attached means each of them.
    found = found or [artifact for artifact in attached if _names(path, split_anchor(artifact.key)[0])]
    if not found:
        raise NotKept(f"{path} is not attached, so its {what} cannot be set. Attach it with --attach.")
    return found


def may_bring(attached: str, path: str) -> bool:
    """Whether attaching the one may attach the other; what a folder or a pattern brings is known only then."""
    if any(_names(path, one) for one in (attached, split_anchor(attached)[0])):
        return True
    return any(mark in attached for mark in "*?[") or os.path.isdir(attached)


def _names(path: str, attached: str) -> bool:
    """Whether somebody who wrote this path means that attachment."""
    return path == attached or attached.endswith(f"/{path}")
