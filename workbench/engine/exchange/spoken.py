"""Assembles messages from the pieces other programs store: thoughts, words, tool calls with their results."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from workbench.domain.message import Image, Role, Thought, ToolCall
from workbench.domain.reading.loose_json import parsed
from workbench.engine.exchange.imported import ImportedMessage


def as_arguments(given: object) -> str:
    """Arguments of a tool call, as the JSON object that every provider expects."""
    if isinstance(given, str):
        if isinstance(parsed(given), dict):
            return given
        return json.dumps({"input": given} if given else {}, ensure_ascii=False)
    return json.dumps(given if isinstance(given, dict) else {"input": given}, ensure_ascii=False)


def as_words(given: object) -> str:
    """The result of a tool, as text."""
    if given is None:
        return ""
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def said_in(part: object, *names: str) -> str:
    """The text of a piece under the first of these names that has some, perhaps nested in a `value`."""
    for name in names:
        found: Any = part.get(name) if isinstance(part, dict) else None
        if isinstance(found, dict):
            found = found.get("value")
        if isinstance(found, str) and found:
            return found
    return ""


@dataclass(slots=True)
class Spoken:
    """Builds messages from pieces: what follows the results of tools is a new message.

    `like` is what all of them have: who says it, when, what is noted.
    """

    like: ImportedMessage
    _ended: list[ImportedMessage] = field(default_factory=list)
    _texts: list[str] = field(default_factory=list)
    _thinking: list[Thought] = field(default_factory=list)
    _images: list[Image] = field(default_factory=list)
    _calls: list[ToolCall] = field(default_factory=list)
    _results: list[tuple[str, str]] = field(default_factory=list)
    _attached: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        """Add words."""
        if text:
            self._go_on(bool(self._calls))
            self._texts.append(text)

    def think(self, text: str) -> None:
        """Add thoughts, which come before the words they led to."""
        if text:
            self._go_on(bool(self._calls or self._texts))
            self._thinking.append(Thought(text))

    def show(self, image: Image) -> None:
        """Add a picture after the words so far."""
        self._go_on(bool(self._calls))
        self._images.append(replace(image, after=len(self._texts)))

    def attach(self, key: str) -> None:
        """Add the key of an attachment."""
        self._attached.append(key)

    def call(self, name: str, arguments: object, call_id: object = None) -> str:
        """Add a tool call; returns its id."""
        self._go_on(bool(self._results))
        number = sum(len(one.tool_calls) for one in self._ended) + len(self._calls) + 1
        made = call_id if isinstance(call_id, str) and call_id else f"call-{self.like.id or 'of'}-{number}"
        self._calls.append(ToolCall(made, name or "tool", as_arguments(arguments)))
        return made

    @property
    def newest_call(self) -> str | None:
        """Id of the last call without a result."""
        answered = {key for key, _ in self._results}
        return next((call.id for call in self._calls if call.id not in answered), None)

    def give_back(self, call_id: object, result: object) -> bool:
        """Add the result of a call; returns False if there was no such call."""
        if not any(call.id == call_id for call in self._calls):
            return False
        self._results.append((str(call_id), as_words(result)))
        return True

    def messages(self) -> list[ImportedMessage]:
        """All messages; the first has the id of the whole."""
        self._end()
        first = self.like.id
        return [
            replace(one, id=first if place == 0 else f"{first}.{place + 1}") if first else one
            for place, one in enumerate(self._ended)
        ]

    def _go_on(self, ended: bool) -> None:
        if ended:
            self._end()

    def _end(self) -> None:
        said = replace(
            self.like,
            texts=tuple(self._texts),
            thinking=tuple(self._thinking),
            images=tuple(self._images),
            tool_calls=tuple(self._calls),
            attached=(*self.like.attached, *self._attached),
        )
        if said.says_something or said.attached:
            self._ended.append(said)
        self._ended += [
            replace(
                said,
                role=_TOOL,
                texts=(text,),
                thinking=(),
                images=(),
                tool_calls=(),
                tool_call_id=key,
                attached=(),
            )
            for key, text in self._results
        ]
        for pieces in (
            self._texts,
            self._thinking,
            self._images,
            self._calls,
            self._results,
            self._attached,
        ):
            pieces.clear()


_TOOL: Role = "tool"
