"""Writes a request for Gemini's own interface: system text apart, alternating roles, everything as parts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, takewhile
from typing import Any

from workbench.domain.message import Thought
from workbench.domain.reading.node import JsonPath
from workbench.domain.request import ModelRequest, Picture, RequestMessage
from workbench.domain.text import repair_text
from workbench.domain.tool import ToolDefinition
from workbench.providers.openai.body import picture_of
from workbench.providers.wire.body import Stretches, verified_places

Json = dict[str, Any]
Placed = tuple[Json, JsonPath | None]
"""A part, and where in it the text of its message is."""

_SIGNED = "gemini:"
_JSON = "application/json"
# Fields of a request beside those of the answer's form, which stand under `generationConfig`.
_BESIDE = ("safetySettings", "toolConfig", "cachedContent", "labels", "serviceTier")
_RESERVED = {
    *("model", "contents", "messages", "systemInstruction", "tools", "generationConfig", "stream"),
    *("max_tokens", "maxOutputTokens", "candidateCount", "n"),
}
_CALLED = {
    "temperature": "temperature", "top_p": "topP", "top_k": "topK", "seed": "seed", "stop": "stopSequences",
    "frequency_penalty": "frequencyPenalty", "presence_penalty": "presencePenalty",
}  # fmt: skip
# How many tokens an effort is, for models that are told a number; Google's own figures.
_BUDGETS = {"none": 0, "minimal": 1024, "low": 1024, "medium": 8192, "high": 24576}


def sign_for_storage(signature: str, model: str, call: int | None) -> str:
    """Returns a signature for storage, with its model and call, so that it can be sent back with the same part."""
    return _SIGNED + json.dumps({"model": model, "call": call, "signature": signature})


def written(request: ModelRequest, model: str) -> tuple[Json, Stretches]:
    """Returns the body to send, and where in it the text of each message is."""
    opening = sum(1 for _ in takewhile(lambda message: message.role == "system", request.messages))
    names = {call.id: call.name for message in request.messages for call in message.tool_calls}
    parts = [_parts(message, request.pictures, names, model) for message in request.messages]
    body: Json = {"contents": list(_contents(request.messages[opening:], parts[opening:]))}
    system = [part for some in parts[:opening] for part, _ in some]
    if system:
        body["systemInstruction"] = {"parts": system}
    if request.tools:
        body["tools"] = [{"functionDeclarations": [_tool(tool) for tool in request.tools]}]
    body |= _parameters(request, model)
    places = _part_places(body)
    found = (
        tuple(
            (*places[id(part)], *inside) for part, inside in some if inside is not None and id(part) in places
        )
        for some in parts
    )
    return body, verified_places(request, body, found)


def _contents(messages: Sequence[RequestMessage], parts: Sequence[list[Placed]]) -> Iterator[Json]:
    said = [
        ("model" if message.role == "assistant" else "user", part)
        for message, some in zip(messages, parts, strict=True)
        for part, _ in some
    ]
    if said and said[0][0] == "model":
        said.insert(0, ("user", {"text": "…"}))  # a shortened history may begin with an answer
    for role, group in groupby(said, key=lambda one: one[0]):
        yield {"role": role, "parts": [part for _, part in group]}


def _parts(
    message: RequestMessage, pictures: Mapping[str, Picture], names: Mapping[str, str], model: str
) -> list[Placed]:
    if message.role == "tool":
        given = {
            "name": names.get(message.tool_call_id or "", ""),
            "response": {"result": repair_text(message.text)},
        }
        images = [(_picture(picture_of(image, pictures)), None) for image in message.images]
        return [({"functionResponse": given}, ("functionResponse", "response", "result")), *images]
    found: list[Placed] = [
        ({"text": repair_text(part)}, ("text",))
        if isinstance(part, str)
        else (_picture(picture_of(part, pictures)), None)
        for part in message.parts
        if part
    ]
    calls: list[Placed] = [
        ({"functionCall": {"name": call.name, "args": _arguments(call.arguments)}}, None)
        for call in message.tool_calls
    ]
    for place, signature in _signatures(message.thinking, model):
        # A signature goes back with the very part that it came with, or the request is refused.
        of = calls[place : place + 1] if place is not None else found[-1:]
        for part, _ in of:
            part["thoughtSignature"] = signature
    return found + calls


def _signatures(thoughts: tuple[Thought, ...], model: str) -> Iterator[tuple[int | None, str]]:
    """Yields signatures of this model with the number of the call each belongs to; None for the text."""
    for thought in thoughts:
        if thought.signature is not None and thought.signature.startswith(_SIGNED):
            kept = json.loads(thought.signature.removeprefix(_SIGNED))
            if kept["model"] == model:
                yield kept["call"], kept["signature"]


def _part_places(body: Json) -> dict[int, JsonPath]:
    """Returns the path of each part in the body, by the part's identity, since equal texts are different parts."""
    found: dict[int, JsonPath] = {}
    for number, part in enumerate(body.get("systemInstruction", {}).get("parts", ())):
        found[id(part)] = ("systemInstruction", "parts", number)
    for row, content in enumerate(body["contents"]):
        for number, part in enumerate(content["parts"]):
            found[id(part)] = ("contents", row, "parts", number)
    return found


def _picture(picture: Picture) -> Json:
    return {"inlineData": {"mimeType": picture.media_type, "data": picture.base64}}


def _arguments(text: str) -> Json:
    """Parses arguments to an object, which is required; anything else is passed inside one."""
    try:
        value = json.loads(repair_text(text) or "{}")
    except (ValueError, RecursionError):
        value = text
    return value if isinstance(value, dict) else {"arguments": value}


def _tool(tool: ToolDefinition) -> Json:
    schema = json.loads(tool.schema_json) or {"type": "object", "properties": {}}
    return {"name": tool.name, "description": tool.description, "parametersJsonSchema": schema}


def _parameters(request: ModelRequest, model: str) -> Json:
    """Returns the chosen parameters under Gemini's names; those about the answer's format share one field."""
    given = {
        name: value
        for name, value in {**request.parameters, **request.chosen.free}.items()
        if value is not None
    }
    beside = {name: given[name] for name in _BESIDE if name in given}
    config: Json = {name: value for name, value in given.items() if name not in {*_BESIDE, *_RESERVED}}
    chosen = request.chosen.given
    chosen.pop("probabilities", None)
    config |= {theirs: chosen[ours] for ours, theirs in _CALLED.items() if ours in chosen}
    if request.max_output_tokens is not None:
        config["maxOutputTokens"] = request.max_output_tokens
    if request.chosen.response_format is not None:
        config["responseMimeType"] = _JSON
    if request.chosen.schema is not None:
        config["responseJsonSchema"] = request.chosen.schema
    if request.chosen.reasoning_effort is not None:
        config["thinkingConfig"] = _thinking(
            request.chosen.reasoning_effort, model, config.get("thinkingConfig")
        )
    return beside | ({"generationConfig": config} if config else {})


def _thinking(effort: str, model: str, given: Any) -> Json:
    """Returns the thinking setting: a number of tokens up to Gemini 2.5, a level from Gemini 3 on."""
    beside = given if isinstance(given, dict) else {}
    if model.startswith("gemini-2") and effort in _BUDGETS:
        return {**beside, "thinkingBudget": _BUDGETS[effort]}
    return {**beside, "thinkingLevel": effort}
