"""What `workbench ask` works on: the arguments as values, the chat they mean, what is attached to it."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace

from workbench.cli.asking import Asking
from workbench.cli.opened import find_chat
from workbench.cli.parts import Parts, Wishes
from workbench.cli.timeout_overrides import split_timeouts
from workbench.cli.trajectory_overrides import apply_overrides, parse_override
from workbench.domain.attachment import PRIORITY_LOW
from workbench.domain.errors import InvalidInput, NotKept
from workbench.domain.preferences import ContextSettings
from workbench.engine.intents import AttachArtifact, AttachFiles, ChangeSettings, OpenChat, StartChat
from workbench.engine.workbench import Workbench
from workbench.ports.history import HistoryStore


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked for on the command line, checked before anything is opened."""

    texts: tuple[str, ...]
    chat: str | None
    attach: tuple[str, ...]
    priorities: dict[str, int]
    overrides: dict[str, object]
    wishes: Wishes
    tools: bool


def read_question(arguments: argparse.Namespace) -> Question:
    """The arguments as values; what is wrong with them is said before a store is opened or made."""
    overrides = dict(parse_override(text) for text in arguments.overrides)
    if arguments.model is not None:
        overrides["model"] = arguments.model
    timeouts, overrides = split_timeouts(overrides)
    apply_overrides(ContextSettings(), overrides)
    return Question(
        texts=tuple(_text(text) for text in arguments.texts),
        chat=arguments.chat,
        attach=tuple(arguments.attach),
        priorities=dict(_priority(text, arguments.attach) for text in arguments.priority),
        overrides=overrides,
        wishes=Wishes(arguments.workspace, arguments.key_env, timeouts),
        tools=arguments.tools,
    )


async def ask(question: Question, parts: Parts, asking: Asking) -> int:
    """Ask everything that was asked for in one chat; the exit code."""
    # Named before the store is opened: a store is not made for a model nobody can find.
    settings = _settings(question, parts.new_chat_settings(question.tools))
    store = await parts.history().open(writable=True)
    workbench = Workbench(parts.world(store, question.wishes))
    try:
        chat = await _chat(question, settings, store, workbench, parts)
        await _attach(question, chat, workbench)
        return await asking.all(question.texts, chat, workbench)
    finally:
        await workbench.close()


async def _chat(
    question: Question, settings: ContextSettings, store: HistoryStore, workbench: Workbench, parts: Parts
) -> str:
    """The chat to go on with, set as asked for; or a new one."""
    if question.chat is None:
        chat = parts.new_id()
        await workbench.dispatch(StartChat(chat, settings))
        return chat
    kept = await find_chat(store, question.chat)
    await workbench.dispatch(OpenChat(kept.id))
    wanted = _settings(question, _with_tools(kept.settings, settings, question.tools))
    if wanted != kept.settings:
        await workbench.dispatch(ChangeSettings(kept.id, wanted))
    return kept.id


def _settings(question: Question, base: ContextSettings) -> ContextSettings:
    return apply_overrides(base, question.overrides)


def _with_tools(kept: ContextSettings, fresh: ContextSettings, wanted: bool) -> ContextSettings:
    """A chat's tools are what this call asks for; everything else stays as it was set."""
    persona = replace(kept.persona, default=fresh.persona.default)
    tools, guidelines = (fresh.tools, fresh.tool_guidelines) if wanted else ((), "")
    return replace(kept, persona=persona, tools=tools, tool_guidelines=guidelines)


async def _attach(question: Question, chat: str, workbench: Workbench) -> None:
    if question.attach:
        await workbench.dispatch(AttachFiles(chat, question.attach))
    attached = workbench.state.open[chat].conversation.attached
    for path, priority in question.priorities.items():
        found = [a for a in attached if path in (a.key, a.title) or a.key.endswith(f"/{path}")]
        if not found:
            raise NotKept(f"{path} is not attached, so its priority cannot be set. Attach it with --attach.")
        for artifact in found:
            changed = replace(artifact, priority=priority, essential=priority == 0)
            await workbench.dispatch(AttachArtifact(chat, changed))


def _priority(text: str, attached: list[str]) -> tuple[str, int]:
    path, equals, number = text.rpartition("=")
    if not equals or not path:
        raise InvalidInput("--priority", f"expected PATH=N, got {text!r}")
    if not number.isdecimal() or int(number) > PRIORITY_LOW:
        raise InvalidInput("--priority", f"expected an integer 0..{PRIORITY_LOW}, got {number!r}")
    return path, int(number)


def _text(text: str) -> str:
    if text == "-":
        if sys.stdin is None:
            raise InvalidInput("-", "standard input is closed")
        text = sys.stdin.buffer.read().decode("utf-8", "replace").removesuffix("\n")
    if not text.strip():
        raise InvalidInput("TEXT", "a question without words")
    return text
