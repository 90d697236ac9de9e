"""What `workbench ask` works on: the arguments as values, the chat they mean, what is attached to it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from workbench.cli.ask.asking import Asking, Text
from workbench.cli.ask.attaching import attach_files, check_attached, may_bring, meant
from workbench.cli.open_history import find_chat, has_store, open_kept
from workbench.cli.parts import Parts, Wishes
from workbench.cli.settings import apply_overrides, parse_override
from workbench.cli.standard_input import MEBIBYTE, read_standard_input
from workbench.cli.terminal import tell, visible_line
from workbench.cli.workspaces import find_workspace
from workbench.domain.attachment import PRIORITY_LOW
from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.mcp import BETWEEN
from workbench.domain.preferences import ContextSettings, retooled
from workbench.domain.preset import as_preset, with_persona
from workbench.domain.reading.form import form_of
from workbench.domain.reading.node import Node
from workbench.domain.record import Chat
from workbench.domain.request import Timeouts
from workbench.domain.workspace import Filed, Workspace, template_of
from workbench.engine.intents import (
    AttachArtifact,
    ChangeSettings,
    DeleteChat,
    OpenChat,
    StartChat,
)
from workbench.engine.tuning_intents import AttachedChange, TuneAttached
from workbench.engine.workbench import Workbench
from workbench.ports.history import HistoryStore

LONGEST_PIPED = 16 * MEBIBYTE
_LEAST_LENGTH = 100

# Settings kept under a name: what `workbench ask` starts a new chat from, and what it keeps of a chat for
# the next.


@dataclass(frozen=True, slots=True)
class Wanted:
    """The preset that a new chat shall start from, and where it was named."""

    name: str
    where: str


def wanted_preset(asked: str | None, parts: Parts) -> Wanted | None:
    """The one asked for, else the one in the settings file; an empty name asks for none.

    Refused before a store is made: one that is not there has no presets.
    """
    wanted = Wanted(parts.new_chat_preset(), "persona") if asked is None else Wanted(asked, "--preset")
    if not wanted.name:
        return None
    if not has_store(parts):
        raise _unknown(wanted, ())
    return wanted


async def start_from(wanted: Wanted, store: HistoryStore, parts: Parts, tools: bool) -> ContextSettings:
    """The settings of a new chat that starts from a preset, with the tools this call asks for and no others."""
    presets = await store.presets()
    if wanted.name not in presets:
        raise _unknown(wanted, tuple(presets))
    plain, fresh = parts.new_chat_settings(False), parts.new_chat_settings(tools)
    tooling = fresh if tools else ContextSettings()
    preset = replace(presets[wanted.name], tools=tooling.tools, tool_guidelines=tooling.tool_guidelines)
    return with_persona(preset, plain.persona.default, fresh.persona.default)


async def keep_preset(name: str, chat: str, store: HistoryStore, parts: Parts, tools: bool) -> None:
    """Keep a chat's settings under a name, in place of what was kept there."""
    kept = name in await store.presets()
    settings = (await store.chat(chat)).settings
    plain, fresh = parts.new_chat_settings(False), parts.new_chat_settings(tools)
    settings = as_preset(settings)
    await store.save_preset(name, with_persona(settings, fresh.persona.default, plain.persona.default))
    tell(f"workbench: the preset {visible_line(name)} {'was replaced' if kept else 'is kept'}")


def _unknown(wanted: Wanted, known: tuple[str, ...]) -> InvalidInput:
    names = ", ".join(map(visible_line, known)) or "none yet; `ask --save-preset NAME` keeps one"
    named = "" if wanted.where == "--preset" else ", which the settings file names"
    return InvalidInput(
        wanted.where, f"there is no preset {visible_line(wanted.name)!r}{named}; known: {names}"
    )


# Reads `--set timeouts.…`: how long to wait, which is set beside the settings of a request.

_SECTION = "timeouts"


def split_timeouts(overrides: Mapping[str, object]) -> tuple[dict[str, float | None], dict[str, object]]:
    """The waiting times that were given, by name, and the overrides that are about something else."""
    waits, others = {}, {}
    for key, value in overrides.items():
        section, dot, name = key.partition(".")
        if dot and section == _SECTION:
            waits[name] = _wait(name, value)
        else:
            others[key] = value
    return waits, others


def _wait(name: str, value: object) -> float | None:
    form = form_of(Timeouts)
    if name not in form.names:
        raise InvalidInput(f"{_SECTION}.{name}", f"unknown setting; expected one of {', '.join(form.names)}")
    seconds: float | None = getattr(form.read(Node({name: value}, _SECTION)), name)
    return seconds


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked for on the command line, checked before anything is opened."""

    texts: tuple[Text, ...]
    chat: str | None
    attach: tuple[str, ...]
    priorities: dict[str, int]
    lengths: dict[str, int]
    fitting: tuple[str, ...]
    overrides: dict[str, object]
    wishes: Wishes
    tools: bool
    preset: str | None = None
    save_preset: str | None = None


def read_question(arguments: argparse.Namespace) -> Question:
    """The arguments as values; what is wrong with them is said before a store is opened or made."""
    overrides = dict(parse_override(text) for text in arguments.overrides)
    if arguments.model is not None:
        overrides["model"] = arguments.model
    waits, overrides = split_timeouts(overrides)
    apply_overrides(ContextSettings(), overrides)
    return Question(
        texts=tuple(_text(text) for text in arguments.texts),
        chat=arguments.chat,
        attach=tuple(arguments.attach),
        priorities=dict(_priority(text, arguments) for text in arguments.priority),
        lengths=dict(_length(text, arguments) for text in arguments.shorten),
        fitting=tuple(_fitting(path, arguments) for path in arguments.by_relevance),
        overrides=overrides,
        wishes=Wishes(arguments.workspace, key_env=arguments.key_env, waits=waits),
        tools=arguments.tools,
        preset=_preset(arguments),
        save_preset=_save_preset(arguments.save_preset),
    )


async def ask(question: Question, parts: Parts, asking: Asking) -> int:
    """Ask everything that was asked for in one chat; the exit code."""
    # What is wrong is said before the store is opened: none is made for settings that cannot be used.
    parts.check_sending()
    parts.check_catalogue()
    settings = _settings(question, parts.new_chat_settings(question.tools))
    _check_name(settings.model, parts)
    preset = None if question.chat is not None else wanted_preset(question.preset, parts)
    if question.wishes.workspace is not None and not has_store(parts):
        _check_folder(question.wishes.workspace)
    # A chat that is gone on with is kept somewhere: none is made for one in a folder that was mistyped.
    store = await (parts.history().open(writable=True) if question.chat is None else open_kept(parts))
    try:
        kept = None if question.chat is None else await find_chat(store, question.chat)
        inside = await _workspace(question, kept, store, parts)
        made_like = kept or await _template(question, inside, store)
        if made_like is not None:
            settings = _settings(question, _with_tools(made_like.settings, parts, question.tools))
        elif preset is not None:
            settings = _settings(question, await start_from(preset, store, parts, question.tools))
        _check_name(settings.model, parts)
        wishes = question.wishes if inside is None else replace(question.wishes, workspace=None)
        world = parts.world(store, replace(wishes, model=settings.model))
        # Nobody looks at the next request here: files are looked at when one is made.
        world.limits.disk_look_s = None
    except BaseException:
        await store.close()
        raise
    workbench = Workbench(world)
    try:
        # A chat is not made for a file that cannot be attached, nor for more of them than anybody wants.
        await check_attached(question.attach, settings, world, sure=asking.allow)
        chat = parts.new_id() if kept is None else kept.id
        try:
            filed = Filed("" if inside is None else inside.id)
            await _open_chat(chat, kept, StartChat(chat, settings, filed=filed), workbench)
            await _attach(question, chat, workbench)
            if question.save_preset is not None:
                await keep_preset(question.save_preset, chat, store, parts, question.tools)
            return await asking.all(question.texts, chat, workbench)
        finally:
            await _leave_no_empty_chat(chat, workbench, store)
    finally:
        await workbench.close()


def _check_name(model: str, parts: Parts) -> None:
    """Refuse a name that says nothing usable; nothing is started or asked."""
    parts.models().open(model)


async def _leave_no_empty_chat(chat: str, workbench: Workbench, store: HistoryStore) -> None:
    """Nothing of it was asked in the end: the question could not be sent, or somebody pressed Ctrl-C before that."""
    # What went wrong before is what is told, not that the store would not take this either.
    with suppress(WorkbenchError):
        there = any(one.id == chat for one in await store.chats())
        if there and not await store.path(chat):
            await workbench.dispatch(DeleteChat(chat))


async def _template(question: Question, inside: Workspace | None, store: HistoryStore) -> Chat | None:
    """What a new chat is made like: its workspace says so, unless the call names a preset."""
    if inside is None or question.preset is not None:
        return None
    return await store.chat(template_of(inside.id))


async def _workspace(
    question: Question, kept: Chat | None, store: HistoryStore, parts: Parts
) -> Workspace | None:
    """The workspace that is named; None where none is, or a folder is."""
    name = question.wishes.workspace
    if name is None:
        return None
    found = await find_workspace(name, parts.workspaces(store))
    if found is not None and kept is not None and kept.filed.workspace != found.id:
        raise InvalidInput("--workspace", f"the chat is not in {visible_line(found.name)!r}; leave it out")
    if found is None:
        _check_folder(name)
    return found


def _check_folder(name: str) -> None:
    if not os.path.isdir(name):
        raise InvalidInput("--workspace", f"{visible_line(name)!r} is neither a workspace nor a folder")


async def _open_chat(chat: str, kept: Chat | None, new: StartChat, workbench: Workbench) -> None:
    """The chat to go on with, set as asked for; or a new one."""
    if kept is None:
        await workbench.dispatch(new)
        return
    if new.settings != kept.settings:
        # Before it is opened: its old model is not asked anything by a call that names another.
        await workbench.dispatch(ChangeSettings(kept.id, new.settings))
    await workbench.dispatch(OpenChat(kept.id))


def _settings(question: Question, base: ContextSettings) -> ContextSettings:
    return apply_overrides(base, question.overrides)


def _with_tools(kept: ContextSettings, parts: Parts, wanted: bool) -> ContextSettings:
    """A chat's tools are what this call asks for, with those of servers it has; everything else stays as it was set."""
    fresh = parts.new_chat_settings(wanted)
    bare = fresh if wanted else replace(fresh, tools=(), tool_guidelines="")
    served = tuple(tool for tool in kept.tools if BETWEEN in tool.name) if wanted else ()
    bare = replace(bare, tools=(*bare.tools, *served))
    return retooled(kept, bare, parts.new_chat_settings(not wanted))


async def _attach(question: Question, chat: str, workbench: Workbench) -> None:
    if question.attach:
        await attach_files(question.attach, chat, workbench)
    for path, priority in question.priorities.items():
        for artifact in meant(path, chat, workbench, "priority"):
            changed = replace(artifact, priority=priority, essential=priority == 0)
            await workbench.dispatch(AttachArtifact(chat, changed))
    for path, tokens in question.lengths.items():
        found = meant(path, chat, workbench, "length")
        whole = None if tokens else False  # whole again is also not by relevance any more
        changes = (AttachedChange(one.key, most_tokens=tokens, by_relevance=whole) for one in found)
        await workbench.dispatch(TuneAttached(chat, tuple(changes)))
    for path in question.fitting:
        found = meant(path, chat, workbench, "length")
        changes = (AttachedChange(one.key, by_relevance=True) for one in found)
        await workbench.dispatch(TuneAttached(chat, tuple(changes)))


def _preset(arguments: argparse.Namespace) -> str | None:
    name: str | None = arguments.preset
    if name is not None and arguments.chat is not None:
        raise InvalidInput("--preset", "a preset is for a new chat; leave out --chat, or the preset")
    return name


def _save_preset(name: str | None) -> str | None:
    if name is not None and not name.strip():
        raise InvalidInput("--save-preset", "expected a name")
    return name


def _priority(text: str, arguments: argparse.Namespace) -> tuple[str, int]:
    path, number = _path_and_number("--priority", text)
    if not number.isdecimal() or int(number) > PRIORITY_LOW:
        raise InvalidInput("--priority", f"expected an integer 0..{PRIORITY_LOW}, got {number!r}")
    _check_attached("--priority", path, arguments)
    return path, int(number)


def _length(text: str, arguments: argparse.Namespace) -> tuple[str, int]:
    path, number = _path_and_number("--shorten", text)
    if not number.isdecimal() or 0 < int(number) < _LEAST_LENGTH:
        raise InvalidInput(
            "--shorten",
            f"expected a number of tokens from {_LEAST_LENGTH} on, or 0 for all of it, got {number!r}",
        )
    _check_attached("--shorten", path, arguments)
    return path, int(number)


def _fitting(path: str, arguments: argparse.Namespace) -> str:
    _check_attached("--by-relevance", path, arguments)
    return path


def _path_and_number(option: str, text: str) -> tuple[str, str]:
    path, equals, number = text.rpartition("=")
    if not equals or not path:
        raise InvalidInput(option, f"expected PATH=N, got {text!r}")
    return path, number


def _check_attached(option: str, path: str, arguments: argparse.Namespace) -> None:
    if arguments.chat is None and not any(may_bring(attached, path) for attached in arguments.attach):
        raise InvalidInput(option, f"{path} is not attached; attach it with --attach")


def _text(text: str) -> Text:
    typed = text != "-"
    if not typed:
        piped = read_standard_input(LONGEST_PIPED, "give the text as a file with --attach")
        text = piped.decode("utf-8", "replace").removesuffix("\n")
    if not text.strip():
        raise InvalidInput("TEXT", "a question without words")
    return Text(text, typed)
