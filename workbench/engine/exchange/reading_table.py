"""The formats of other programs that are JSON: how each is recognised, and what reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from workbench.engine.exchange.chatgpt_format import import_chatgpt, is_chatgpt
from workbench.engine.exchange.cherry_format import import_cherry, is_cherry
from workbench.engine.exchange.claude_format import import_claude, is_claude
from workbench.engine.exchange.gemini_format import import_gemini, is_gemini
from workbench.engine.exchange.imported import Fresh, Imported
from workbench.engine.exchange.librechat_format import import_librechat, is_librechat
from workbench.engine.exchange.lmstudio_format import import_lmstudio, is_lmstudio
from workbench.engine.exchange.open_webui_format import import_open_webui, is_open_webui
from workbench.engine.exchange.openai_format import import_openai
from workbench.engine.exchange.sharegpt_format import import_sharegpt

_SHOWN = 8
_LONGEST = 30


@dataclass(frozen=True, slots=True)
class ReadableFormat:
    """One format: what the first thing in its file looks like, and how the file is read; a list may come in pieces."""

    name: str
    recognise: Callable[[dict[str, Any]], bool]
    read: Callable[[Any, Fresh], Imported]


def _is_sharegpt(one: dict[str, Any]) -> bool:
    return isinstance(one.get("conversations", one.get("conversation")), list)


def _has_messages(one: dict[str, Any]) -> bool:
    return isinstance(one.get("messages"), list)


def _is_message(one: dict[str, Any]) -> bool:
    return isinstance(one.get("role"), str) and "content" in one


FORMATS: tuple[ReadableFormat, ...] = (
    ReadableFormat("chatgpt", is_chatgpt, import_chatgpt),
    ReadableFormat("claude", is_claude, import_claude),
    ReadableFormat("open-webui", is_open_webui, import_open_webui),
    ReadableFormat("takeout", is_gemini, import_gemini),
    ReadableFormat("librechat", is_librechat, import_librechat),
    ReadableFormat("lm-studio", is_lmstudio, import_lmstudio),
    ReadableFormat("cherry-studio", is_cherry, import_cherry),
    ReadableFormat("sharegpt", _is_sharegpt, import_sharegpt),
    ReadableFormat("openai", _has_messages, import_openai),
)
"""The first that recognises a file reads it: those that ask for the least come last."""


def format_of(first: dict[str, Any], document: object) -> ReadableFormat | None:
    """The format of a document that begins with this; None where it is none of them."""
    found = next((one for one in FORMATS if one.recognise(first)), None)
    if found is None and isinstance(document, list) and _is_message(first):
        return FORMATS[-1]
    return found


def found_in(content: object) -> str:
    """What a document holds, in a few words: the fields of its first thing, and of what is listed there."""
    things = content if isinstance(content, list) else [content]
    first = next((one for one in things if isinstance(one, dict)), {})
    fields = _names(first)
    listed = next((value for value in first.values() if isinstance(value, list) and value), ())
    inner = next((one for one in listed if isinstance(one, dict)), {})
    number = f"{len(things):,} things with " if len(things) > 1 else ""
    said = f"{number}{fields or 'no fields'}"
    return f"{said}; in a list of {len(listed):,}: {_names(inner)}" if inner else said


def _names(table: dict[str, Any]) -> str:
    names = [str(name)[:_LONGEST] for name in table]
    return ", ".join(names[:_SHOWN]) + ("…" if len(names) > _SHOWN else "")
