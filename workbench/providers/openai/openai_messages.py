"""Messages and tools as OpenAI-compatible servers expect them."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from workbench.domain.answer import Failure, ModelFailed
from workbench.domain.message import Image, ToolCall
from workbench.domain.request import ModelRequest, Picture, RequestMessage
from workbench.domain.text import repair_text
from workbench.domain.tool import ToolDefinition

Json = dict[str, Any]


def openai_messages(request: ModelRequest, *, thoughts: bool) -> list[Json]:
    """Every message, in order; `thoughts` says whether the server is given those that led to calls."""
    return [_message(message, request.pictures, thoughts=thoughts) for message in request.messages]


def openai_tools(tools: tuple[ToolDefinition, ...]) -> list[Json]:
    """The tools the model is told of."""
    return [{"type": "function", "function": _function(tool)} for tool in tools]


def picture_of(image: Image, pictures: Mapping[str, Picture]) -> Picture:
    """The bytes of a picture; a request without them cannot be sent."""
    picture = pictures.get(image.digest)
    if picture is None:
        raise ModelFailed(
            Failure("request", "A picture of this chat is missing, so nothing was sent. Attach it again.")
        )
    return picture


def _message(message: RequestMessage, pictures: Mapping[str, Picture], *, thoughts: bool) -> Json:
    row: Json = {"role": message.role, "content": _content(message, pictures)}
    if message.tool_calls:
        row["tool_calls"] = [_call(call) for call in message.tool_calls]
    if message.tool_calls and message.thinking and thoughts:
        row["reasoning_content"] = "".join(thought.text for thought in message.thinking)
    if message.tool_call_id is not None:
        row["tool_call_id"] = message.tool_call_id
    return row


def _content(message: RequestMessage, pictures: Mapping[str, Picture]) -> str | list[Json]:
    """Text where it is only text: an empty one, and not null, which templates of some servers cannot add up."""
    text = repair_text(message.text)
    if not message.images:
        return text
    parts: list[Json] = [{"type": "text", "text": text}] if text else []
    return parts + [_picture(picture_of(image, pictures)) for image in message.images]


def _picture(picture: Picture) -> Json:
    encoded = base64.b64encode(picture.content).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:{picture.media_type};base64,{encoded}"}}


def _call(call: ToolCall) -> Json:
    function = {"name": call.name, "arguments": repair_text(call.arguments) or "{}"}
    return {"id": call.id, "type": "function", "function": function}


def _function(tool: ToolDefinition) -> Json:
    return {"name": tool.name, "description": tool.description, "parameters": json.loads(tool.schema_json)}
