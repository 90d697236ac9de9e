"""The arguments of `workbench ask` as values, checked."""

from __future__ import annotations

import argparse
import asyncio
import math
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from workbench.cli.ask.asking import Text
from workbench.cli.folders import folder_path
from workbench.cli.services import WorldOptions
from workbench.cli.terminal import MEBIBYTE, find_terminal, read_standard_input, tell, visible_line
from workbench.domain.errors import InvalidInput, NotKept, WorkbenchError
from workbench.domain.files.attached import Attached, CannotAttach, LeftOut
from workbench.domain.files.attachment import PRIORITY_LOW, Artifact
from workbench.domain.files.document_parts import split_anchor
from workbench.domain.files.folder import FileText, file_kind
from workbench.domain.reading.form import form_of
from workbench.domain.reading.node import Node
from workbench.domain.request import Timeouts
from workbench.domain.secrets import Secret
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.preset import apply_overrides, parse_override
from workbench.domain.translation import counted, joined, tr
from workbench.domain.web_search import MOST_HITS, WebSearch
from workbench.engine.attaching_intents import SearchWeb
from workbench.engine.chats.attaching import NothingAttached
from workbench.engine.events import Event
from workbench.engine.intents import AttachFiles
from workbench.engine.shown.folder_scan import FileCounting
from workbench.engine.state import WorkbenchState
from workbench.engine.workbench import Workbench
from workbench.engine.world import World
from workbench.files.reading import user_file

# What `workbench ask` attaches: looked at before a chat is made, then all of it or nothing.


_MOST_PASSWORD_BYTES = 64 * 1024


class TooManyFiles(WorkbenchError):
    """More files would be attached than are attached without a confirmation, and none was given."""


async def check_attached(
    paths: Sequence[str], settings: ContextSettings, world: World, *, sure: bool
) -> None:
    """Refuses what cannot be attached, and asks before attaching very many files.

    Without a terminal, refuses those too.
    """
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
    what = tr("{counted} with about {tokens:,} tokens", counted=counted(total, "file"), tokens=tokens)
    if more:
        what = tr(
            "{what} (without {documents}, not read yet)", what=what, documents=counted(more, "document")
        )
    terminal = find_terminal()
    if terminal is None:
        raise TooManyFiles(
            tr(
                "That would attach {what}; more than {ask_files:,} need a "
                "confirmation. Nothing was sent. Use --yes, or attach fewer.",
                what=what,
                ask_files=limits.ask_files,
            )
        )
    if not terminal.agrees(tr("Attach {what}?", what=what)):
        raise TooManyFiles(tr("Nothing was attached, and nothing was sent."))


def _tokens(files: Sequence[Attached], settings: ContextSettings, world: World) -> int:
    card = world.builder.catalogue.find(settings.model)
    counting = FileCounting(world.builder.counters.copy(card), settings.counter, card, "")
    found = counting.texts([FileText(one.artifact.name_for_model, one.artifact.text) for one in files])
    return sum(one.tokens or 0 for one in found)


async def attach_files(wish: AttachFiles, workbench: Workbench) -> None:
    """Attaches all files or none (unless dropping is allowed), asking on a terminal for passwords of locked ones."""
    before = workbench.state.notices_given
    try:
        await workbench.dispatch(wish)
    except (CannotAttach, NothingAttached) as refusal:
        typed = _ask_passwords(refusal.left_out)
        if not typed:
            raise not_attached_error(refusal.left_out) from None
        try:
            await workbench.dispatch(replace(wish, passwords=(*wish.passwords, *typed)))
        except (CannotAttach, NothingAttached) as again:
            raise not_attached_error(again.left_out) from None
    if workbench.state.notices_given != before:
        tell(tr("workbench ask: {text}", text=visible_line(workbench.state.notices[-1].text)))


async def attach_found(words: str, most: int, chat: str, workbench: Workbench) -> WebSearch:
    """Searches the web and attaches the first pages that can be read; `NotKept` where there are none."""
    ended = asyncio.Event()

    def look(_event: Event, state: WorkbenchState) -> None:
        found = state.open[chat].web
        if found is not None and not found.running:
            ended.set()

    forget = workbench.subscribe(look)
    try:
        await workbench.dispatch(SearchWeb(chat, words))
        await ended.wait()
    finally:
        forget()
    search = workbench.state.open[chat].web
    assert search is not None
    if search.problem:
        raise NotKept(search.problem)
    if left := search.left_words:
        tell(tr("workbench ask: {left}", left=visible_line(left)))
    taken = 0
    for number, hit in enumerate(search.hits, 1):
        tell(
            tr(
                "workbench ask: {number} {title} {url}",
                number=number,
                title=visible_line(hit.title),
                url=visible_line(hit.url),
            )
        )
        if taken < most:
            try:
                await workbench.dispatch(AttachFiles(chat, (hit.url,)))
                taken += 1
            except (CannotAttach, NothingAttached) as refusal:
                tell(
                    tr(
                        "workbench ask: not attached: {reason}",
                        reason=visible_line(refusal.left_out[0].reason),
                    )
                )
    if not taken:
        raise NotKept(
            tr(
                "None of {counted} could be attached, so nothing was sent.",
                counted=counted(len(search.hits), "page"),
            )
        )
    return search


def read_passwords(name: str) -> tuple[Secret, ...]:
    """Reads a file with one password per line."""
    try:
        with user_file(name) as opened:
            content = opened.read(_MOST_PASSWORD_BYTES + 1)
    except OSError as problem:
        raise InvalidInput("--password-file", f"{name}: {problem.strerror or problem}") from None
    lines = [line.removesuffix(b"\r") for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    if len(content) > _MOST_PASSWORD_BYTES or not any(lines):
        raise InvalidInput("--password-file", tr("{name}: expected passwords, one a line", name=name))
    return tuple(Secret.of_text(line.decode("utf-8", "replace")) for line in lines if line)


def _ask_passwords(left_out: Sequence[LeftOut]) -> tuple[Secret, ...]:
    terminal = find_terminal()
    locked = [one for one in left_out if one.locked]
    if terminal is None or not locked:
        return ()
    return tuple(
        filter(None, (terminal.ask(tr("Password of {path}", path=visible_line(one.path))) for one in locked))
    )


def not_attached_error(left_out: Sequence[LeftOut]) -> NotKept:
    """Prints each file that was not attached, and returns the error that says what to do about them."""
    for one in left_out:
        what = tr("{path}: {reason}. {advice}", path=one.path, reason=one.reason, advice=one.advice)
        tell(tr("workbench ask: {strip}", strip=visible_line(what).rstrip()))
    number = len(left_out)
    ways = [tr("--allow-drop asks without it" if number == 1 else "--allow-drop asks without them")]
    if any(one.pages for one in left_out):
        ways.append(tr("--pages-as-pictures attaches pages without text as pictures"))
    if any(one.locked for one in left_out):
        ways.append(tr("--password-file FILE opens what is locked"))
    what = (
        tr("1 thing was not attached")
        if number == 1
        else tr("{number:,} things were not attached", number=number)
    )
    return NotKept(
        tr("{what} (listed above), so nothing was sent or kept. {ways}.", what=what, ways=joined(ways, "; "))
    )


def find_attachments(path: str, chat: str, workbench: Workbench, what: str) -> list[Artifact]:
    """Returns the attachments that a path on the command line refers to; `NotKept` where there are none."""
    attached = workbench.state.open[chat].conversation.attached
    found = [artifact for artifact in attached if _refers_to(path, artifact.key) or path == artifact.title]
    # Who names a file of which only parts are attached means each of them.
    found = found or [artifact for artifact in attached if _refers_to(path, split_anchor(artifact.key)[0])]
    if not found:
        raise NotKept(
            tr(
                "{path} is not attached, so its {what} cannot be set. Attach it with --attach.",
                path=path,
                what=what,
            )
        )
    return found


def may_attach(attached: str, path: str) -> bool:
    """Tells whether attaching `attached` may attach `path`; what a folder or pattern contains is not known yet."""
    if any(_refers_to(path, one) for one in (attached, split_anchor(attached)[0])):
        return True
    return any(mark in attached for mark in "*?[") or os.path.isdir(attached)


def _refers_to(path: str, attached: str) -> bool:
    """Tells whether a path on the command line refers to this attachment."""
    return path == attached or attached.endswith(f"/{path}")


# Reads `--set timeouts.…`, which is no setting of a request.


_SECTION = "timeouts"


def split_timeouts(overrides: Mapping[str, object]) -> tuple[dict[str, float | None], dict[str, object]]:
    """Splits off the settings that name waiting times; returns these by name, and the other overrides."""
    waits, others = {}, {}
    for key, value in overrides.items():
        section, dot, name = key.partition(".")
        if dot and section == _SECTION:
            waits[name] = _seconds(name, value)
        else:
            others[key] = value
    return waits, others


def _seconds(name: str, value: object) -> float | None:
    form = form_of(Timeouts)
    if name not in form.names:
        raise InvalidInput(
            f"{_SECTION}.{name}", tr("unknown setting; expected one of {names}", names=", ".join(form.names))
        )
    seconds: float | None = getattr(form.read(Node({name: value}, _SECTION)), name)
    return seconds


LONGEST_PIPED = 16 * MEBIBYTE
_LEAST_LENGTH = 100


@dataclass(frozen=True, slots=True)
class Question:
    """The arguments of `workbench ask` as checked values."""

    texts: tuple[Text, ...]
    chat: str | None
    attach: tuple[str, ...]
    search: str
    take: int
    priorities: dict[str, int]
    lengths: dict[str, int]
    fitting: tuple[str, ...]
    overrides: dict[str, object]
    wishes: WorldOptions
    tools: bool
    preset: str | None = None
    save_preset: str | None = None
    wait_s: float = 0.0
    dry: bool = False
    passwords: tuple[Secret, ...] = ()
    pictures: bool = False
    temporary: bool = False
    follow: tuple[str, ...] = ()


def read_question(arguments: argparse.Namespace) -> Question:
    """Reads and checks the arguments, so that mistakes are reported before a store is opened or created."""
    overrides = dict(parse_override(text) for text in arguments.overrides)
    if arguments.model is not None:
        overrides["model"] = arguments.model
    waits, overrides = split_timeouts(overrides)
    _check_side(arguments, overrides)
    if arguments.temporary and (arguments.chat is not None or arguments.save_preset is not None):
        raise InvalidInput(
            "--temporary", tr("it is for a new chat of which nothing is saved; leave it or the other out")
        )
    apply_overrides(ContextSettings(), overrides)
    return Question(
        texts=tuple(_text(text) for text in arguments.texts),
        chat=arguments.chat,
        attach=tuple(arguments.attach),
        search=_search(arguments),
        take=arguments.take,
        priorities=dict(_priority(text, arguments) for text in arguments.priority),
        lengths=dict(_length(text, arguments) for text in arguments.shorten),
        fitting=tuple(_by_relevance(path, arguments) for path in arguments.by_relevance),
        overrides=overrides,
        wishes=WorldOptions(arguments.workspace, key_env=arguments.key_env, waits=waits),
        tools=arguments.tools,
        preset=_preset(arguments),
        save_preset=_save_preset(arguments.save_preset),
        wait_s=_wait(arguments.wait),
        dry=_dry(arguments),
        passwords=() if arguments.password_file is None else read_passwords(arguments.password_file),
        pictures=arguments.pages_as_pictures,
        temporary=arguments.temporary,
        follow=tuple(map(folder_path, arguments.follow)),
    )


def _check_side(arguments: argparse.Namespace, overrides: Mapping[str, object]) -> None:
    if not arguments.side:
        return
    if arguments.chat is None:
        raise InvalidInput("--side", tr("names no chat that it is beside; give --chat ID"))
    lists = (arguments.attach, arguments.priority, arguments.shorten, arguments.by_relevance)
    if any(lists) or overrides or arguments.preset or arguments.save_preset or arguments.tools:
        raise InvalidInput(
            "--side", tr("asks with the chat as it is: nothing of it can be changed along with that")
        )


def _dry(arguments: argparse.Namespace) -> bool:
    if arguments.payload and not arguments.dry_run:
        raise InvalidInput("--payload", tr("it shows the request of --dry-run; give that too"))
    if arguments.dry_run and len(arguments.texts) > 1:
        raise InvalidInput("--dry-run", tr("one question at a time: the second would go on from an answer"))
    dry: bool = arguments.dry_run
    return dry


def _wait(seconds: float) -> float:
    if not 0 <= seconds < math.inf:
        raise InvalidInput("--wait", tr("expected a number of seconds"))
    return seconds


def _preset(arguments: argparse.Namespace) -> str | None:
    name: str | None = arguments.preset
    if name is not None and arguments.chat is not None:
        raise InvalidInput("--preset", tr("a preset is for a new chat; leave out --chat, or the preset"))
    return name


def _save_preset(name: str | None) -> str | None:
    if name is not None and not name.strip():
        raise InvalidInput("--save-preset", tr("expected a name"))
    return name


def _priority(text: str, arguments: argparse.Namespace) -> tuple[str, int]:
    path, number = _path_and_number("--priority", text)
    if not number.isdecimal() or int(number) > PRIORITY_LOW:
        raise InvalidInput(
            "--priority",
            tr(
                "expected an integer 0..{priority_low}, got {number!r}",
                priority_low=PRIORITY_LOW,
                number=number,
            ),
        )
    _check_attached("--priority", path, arguments)
    return path, int(number)


def _length(text: str, arguments: argparse.Namespace) -> tuple[str, int]:
    path, number = _path_and_number("--shorten", text)
    if not number.isdecimal() or 0 < int(number) < _LEAST_LENGTH:
        raise InvalidInput(
            "--shorten",
            tr(
                "expected a number of tokens from {least_length} on, or 0 for all of it, got {number!r}",
                least_length=_LEAST_LENGTH,
                number=number,
            ),
        )
    _check_attached("--shorten", path, arguments)
    return path, int(number)


def _by_relevance(path: str, arguments: argparse.Namespace) -> str:
    _check_attached("--by-relevance", path, arguments)
    return path


def _path_and_number(option: str, text: str) -> tuple[str, str]:
    path, equals, number = text.rpartition("=")
    if not equals or not path:
        raise InvalidInput(option, tr("expected PATH=N, got {text!r}", text=text))
    return path, number


def _search(arguments: argparse.Namespace) -> str:
    """The words to search for; `InvalidInput` where nobody says how many pages are to be attached."""
    words: str = arguments.search.strip()
    if bool(words) != bool(arguments.take) or not 0 <= arguments.take <= MOST_HITS:
        raise InvalidInput(
            "--take", tr("say with --search how many pages to attach, 1 to {most_hits}", most_hits=MOST_HITS)
        )
    return words


def _check_attached(option: str, path: str, arguments: argparse.Namespace) -> None:
    if arguments.chat is None and not any(may_attach(attached, path) for attached in arguments.attach):
        raise InvalidInput(option, tr("{path} is not attached; attach it with --attach", path=path))


def _text(text: str) -> Text:
    typed = text != "-"
    if not typed:
        piped = read_standard_input(LONGEST_PIPED, "give the text as a file with --attach")
        try:
            text = piped.decode("utf-8").removesuffix("\n")
        except UnicodeDecodeError as problem:
            byte = f"byte {problem.start} (0x{piped[problem.start]:02x})"
            raise InvalidInput(
                "-", tr("standard input is not UTF-8 at {byte}; nothing was asked", byte=byte)
            ) from None
    if not text.strip():
        raise InvalidInput("TEXT", tr("a question without words"))
    return Text(text, typed)
