"""Writes messages, tools and options for Ollama."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from workbench.domain.message import ToolCall
from workbench.domain.request import ModelRequest, RequestMessage
from workbench.domain.text import repair_text
from workbench.providers.openai.body import openai_tools, picture_of

Json = dict[str, Any]

CHAT_PATH = "/api/chat"
# Parameters that stand beside the options; everything else is one of them.
_BESIDE_OPTIONS = ("think", "format", "logprobs", "top_logprobs")
_RENAMED = {"reasoning_effort": "think"}
# Set by the request itself.
_RESERVED = {
    "model",
    "messages",
    "stream",
    "tools",
    "options",
    "num_ctx",
    "num_predict",
    "max_tokens",
    "keep_alive",
}


def ollama_body(request: ModelRequest, model: str) -> Json:
    """Returns the body to send. The window is always given, since Ollama's default is small.

    `truncate` and `shift` request an error where the request is too long. Servers before October 2025 ignore them and
    silently drop its beginning (see `check_overflow` in `model.py`).
    """
    given = {**request.parameters, **request.chosen.free, **_parameters(request)}
    chosen = {_RENAMED.get(name, name): value for name, value in given.items() if value is not None}
    options = {name: value for name, value in chosen.items() if name not in {*_BESIDE_OPTIONS, *_RESERVED}}
    if isinstance(options.get("stop"), str):
        options["stop"] = [options["stop"]]
    options["num_ctx"] = request.window_tokens
    if request.max_output_tokens is not None:
        options["num_predict"] = request.max_output_tokens
    body: Json = {"model": model, "messages": ollama_messages(request), "stream": True, "options": options}
    body |= {"truncate": False, "shift": False}
    if request.tools:
        body["tools"] = openai_tools(request.tools)
    return body | {name: chosen[name] for name in _BESIDE_OPTIONS if name in chosen}


def _parameters(request: ModelRequest) -> Json:
    """Returns the chosen parameters under Ollama's names; thinking is off, or has an effort."""
    written = request.chosen.given
    written.pop("extra", None)
    written.pop("probabilities", None)
    written |= request.chosen.reported
    if "response_format" in written:
        written["format"] = written.pop("response_format")
    if request.chosen.reasoning_effort == "none":
        written["reasoning_effort"] = False
    return written


def ollama_messages(request: ModelRequest) -> list[Json]:
    """Returns every message in order; results name the tool that was called."""
    names = {call.id: call.name for message in request.messages for call in message.tool_calls}
    return [_message(message, request, names) for message in request.messages]


def _message(message: RequestMessage, request: ModelRequest, names: Mapping[str, str]) -> Json:
    row: Json = {"role": message.role, "content": repair_text(message.text)}
    if message.images:
        pictures = (picture_of(image, request.pictures) for image in message.images)
        # Ollama has one text and one list: where in the text a picture stands cannot be said, only their order.
        row["images"] = [picture.base64 for picture in pictures]
    if message.tool_calls:
        row["tool_calls"] = [_call(call) for call in message.tool_calls]
    if message.tool_calls and message.thinking:
        row["thinking"] = "".join(thought.text for thought in message.thinking)
    if message.tool_call_id is not None:
        row["tool_call_id"] = message.tool_call_id
        row["tool_name"] = names.get(message.tool_call_id, "")
    return row


def _call(call: ToolCall) -> Json:
    return {"id": call.id, "function": {"name": call.name, "arguments": _arguments(call.arguments)}}


def _arguments(text: str) -> Json:
    """Parses arguments to an object, which is required; anything else is passed inside one."""
    try:
        value = json.loads(repair_text(text) or "{}")
    except (ValueError, RecursionError):
        value = text
    return value if isinstance(value, dict) else {"arguments": value}
