"""A scripted model server in this process: its answers are given; counts and caching follow its provider's rules.

No figure is scripted. The server renders the prompt with its template, tokenises it, looks it up in a cache that
follows the provider's published rules, and reports what it found.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from workbench.domain.message import ToolCall
from workbench.providers.served.slot import Token
from workbench.providers.tokenizer import TiktokenTokenizer
from workbench.providers.wire.faults import Refused

Json = dict[str, Any]
Tokens = tuple[Token, ...]

_PIECE_TOKENS = 12


@dataclass(frozen=True, slots=True)
class Template:
    """How a chat becomes one prompt: control tokens around every message, and what opens the answer."""

    head: str
    separator: str
    tail: str

    @property
    def controls(self) -> tuple[str, ...]:
        """The texts that are one token each."""
        return (self.head, self.separator, self.tail)

    def prompt(self, body: Mapping[str, Any]) -> str:
        """The prompt of a request; tools are told of before everything else."""
        tools = body.get("tools")
        rows = [self._message("developer", json.dumps(tools))] if tools else []
        rows += [self._message(row["role"], _said(row)) for row in body["messages"]]
        opening = body.get("add_generation_prompt", True)
        return "".join(rows) + (f"{self.head}assistant{self.separator}" if opening else "")

    def _message(self, role: str, text: str) -> str:
        return f"{self.head}{role}{self.separator}{text}{self.tail}"


def _said(row: Mapping[str, Any]) -> str:
    calls = (call["function"] for call in row.get("tool_calls", ()))
    return str(row["content"]) + "".join(f"{call['name']} {call['arguments']}" for call in calls)


# OpenAI's published count: three tokens and the role for every message, three that open the answer.
OPENAI = Template("<|im_start|>", "<|im_sep|>", "<|im_end|>")
# The open-weight models of the same vocabulary.
HARMONY = Template("<|start|>", "<|message|>", "<|end|>")


class Reading:
    """Cuts prompts into tokens as the model does; what stands between control tokens is cut once."""

    def __init__(self, template: Template, tokenizer: TiktokenTokenizer) -> None:
        self.template = template
        self._tokenizer = tokenizer
        self._parts = re.compile("(" + "|".join(map(re.escape, template.controls)) + ")")
        self._known: dict[str, Tokens] = {
            text: (Token(-1 - number, text.encode()),) for number, text in enumerate(template.controls)
        }

    def tokens(self, text: str) -> Tokens:
        """The tokens of a text, control tokens read as such."""
        return tuple(token for part in self._parts.split(text) if part for token in self._part(part))

    def _part(self, part: str) -> Tokens:
        if part not in self._known:
            self._known[part] = tuple(Token(*token) for token in self._tokenizer.tokens(part))
        return self._known[part]


class Cache(Protocol):
    """What a server keeps of what it has read, by the rules of its provider."""

    def read(self, prompt: Tokens, now_ms: float) -> int:
        """Take a prompt in; how many of its tokens were there."""

    def wrote(self, answer: Tokens) -> None:
        """An answer was generated after the last prompt."""


class LlamaCache:
    """One sequence: the last prompt, its answer but for the last token; one token is always read again → Cache."""

    def __init__(self) -> None:
        self._held: Tokens = ()

    def read(self, prompt: Tokens, now_ms: float) -> int:
        """The longest common beginning."""
        found = min(_common(self._held, prompt), len(prompt) - 1)
        self._held = prompt
        return found

    def wrote(self, answer: Tokens) -> None:
        """All of it but the last one, which was never fed back."""
        self._held += answer[:-1]

    @property
    def held_tokens(self) -> int:
        """How much it keeps now."""
        return len(self._held)


@dataclass(slots=True)
class OpenAiCache:
    """Beginnings of earlier prompts, from 1,024 tokens on in steps of 128, for five idle minutes → Cache."""

    least_tokens: int = 1024
    step_tokens: int = 128
    idle_ms: float = 5 * 60 * 1000.0
    _prompts: list[tuple[Tokens, float]] = field(default_factory=list)

    def read(self, prompt: Tokens, now_ms: float) -> int:
        """The longest beginning that is still kept; it is kept for longer by being used."""
        self._prompts = [one for one in self._prompts if now_ms - one[1] <= self.idle_ms]
        longest = max((_common(held, prompt) for held, _ in self._prompts), default=0)
        found = longest - longest % self.step_tokens
        self._prompts.append((prompt, now_ms))
        return found if found >= self.least_tokens else 0

    def wrote(self, answer: Tokens) -> None:
        """Answers are not kept."""


def _common(left: Tokens, right: Tokens) -> int:
    for place, (one, other) in enumerate(zip(left, right, strict=False)):
        if one.id != other.id:
            return place
    return min(len(left), len(right))


@dataclass(frozen=True, slots=True)
class ScriptedAnswer:
    """One answer: its words, and what becomes of it.

    Attributes:
        open: whether it never comes to its end; refused: the status it is refused with, 0 where it is answered.
    """

    text: str = ""
    thinking: str = ""
    calls: tuple[ToolCall, ...] = ()
    open: bool = False
    refused: int = 0


@dataclass(frozen=True, slots=True)
class Pace:
    """How time goes by at a server: what it reads and writes in a second, and the clock that moves with it."""

    reads: float
    writes: float
    passes: Callable[[float], None]
    now_ms: Callable[[], float]


class ScriptedServer:
    """Answers each request with the next answer it was given.

    Attributes:
        coming: the answers that were not asked for yet.
    """

    def __init__(self, reading: Reading, cache: Cache, pace: Pace) -> None:
        self.reading, self.cache = reading, cache
        self.coming: list[ScriptedAnswer] = []
        self._pace = pace

    def prompt(self, body: Mapping[str, Any]) -> str:
        """The prompt of a request."""
        return self.reading.template.prompt(body)

    async def answered(self, content: bytes) -> AsyncGenerator[bytes, None]:
        """The answer to these bytes, as server-sent events."""
        if not self.coming:
            raise Refused(503, {}, b'{"error": {"message": "Nothing is left to say."}}')
        answer = self.coming.pop(0)
        if answer.refused:
            raise Refused(answer.refused, {}, b"{}")
        prompt = self.reading.tokens(self.prompt(json.loads(content)))
        cached = self.cache.read(prompt, self._pace.now_ms())
        self._pace.passes((len(prompt) - cached) / self._pace.reads)
        written: list[Token] = []
        for field_name, text in (("reasoning_content", answer.thinking), ("content", answer.text)):
            for piece in _pieces(self.reading.tokens(text)):
                written += piece
                self._pace.passes(len(piece) / self._pace.writes)
                delta = {field_name: b"".join(token.piece for token in piece).decode()}
                yield _event({"choices": [{"delta": delta}], "timings": {"predicted_n": len(written)}})
                await asyncio.sleep(0)
        if answer.open:
            await asyncio.Event().wait()
        if answer.calls:
            rows = [_call_row(place, call) for place, call in enumerate(answer.calls)]
            written += [token for call in answer.calls for token in self.reading.tokens(call.arguments)]
            yield _event({"choices": [{"delta": {"tool_calls": rows}}]})
        for event in self._ending(answer, (len(prompt), cached, written)):
            yield event

    def _ending(self, answer: ScriptedAnswer, counted: tuple[int, int, list[Token]]) -> list[bytes]:
        prompt_tokens, cached, written = counted
        # That it is over is a token too.
        written += self.reading.tokens(self.reading.template.tail)
        self.cache.wrote(tuple(written))
        reason = "tool_calls" if answer.calls else "stop"
        usage = {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": len(written),
            "prompt_tokens_details": {"cached_tokens": cached},
            "completion_tokens_details": {"reasoning_tokens": len(self.reading.tokens(answer.thinking))},
        }
        return [
            _event({"choices": [{"delta": {}, "finish_reason": reason}]}),
            _event({"choices": [], "usage": usage, "timings": {"predicted_n": len(written)}}),
            b"data: [DONE]\n\n",
        ]


def _pieces(tokens: Sequence[Token]) -> list[list[Token]]:
    """A few tokens at a time, cut where a character is whole."""
    pieces: list[list[Token]] = [[]]
    for token in tokens:
        if len(pieces[-1]) >= _PIECE_TOKENS and _is_whole(b"".join(one.piece for one in pieces[-1])):
            pieces.append([])
        pieces[-1].append(token)
    return [piece for piece in pieces if piece]


def _is_whole(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _call_row(place: int, call: ToolCall) -> Json:
    function = {"name": call.name, "arguments": call.arguments}
    return {"index": place, "id": call.id, "type": "function", "function": function}


def _event(chunk: Json) -> bytes:
    return f"data: {json.dumps(chunk)}\n\n".encode()
