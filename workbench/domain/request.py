"""A request to a provider: neutral messages, which each adapter writes in its provider's own format."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from workbench.domain.message import Image, Role, Thought, ToolCall
from workbench.domain.parameters import Parameters
from workbench.domain.reading.constraints import Seconds
from workbench.domain.reading.node import JsonPath
from workbench.domain.segment import LayerName
from workbench.domain.spending import Expected
from workbench.domain.tool import ToolDefinition


@dataclass(frozen=True, slots=True)
class RequestMessage:
    """One message; several results of one assistant message are several `tool` messages.

    Attributes:
        text: its words, byte for byte as the inspector shows them; may be empty where there are calls or pictures.
        image_places: after how many characters of the text each picture stands; none where all stand after it.
        thinking: thoughts a provider wants back with the calls they led to.
        cache_marks: offsets in the text at which a stable part of the request ends; the last may be its length.
    """

    id: str
    role: Role
    text: str
    images: tuple[Image, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    thinking: tuple[Thought, ...] = ()
    cache_marks: tuple[int, ...] = ()
    image_places: tuple[int, ...] = ()

    @property
    def is_beginning(self) -> bool:
        """Whether it is the beginning of an answer, where it is the last message."""
        return self.role == "assistant" and not self.tool_calls

    @property
    def parts(self) -> tuple[str | Image, ...]:
        """Text and pictures in order; the texts, joined, are the message's text."""
        if not self.images:
            return (self.text,)
        places = self.image_places or (len(self.text),) * len(self.images)
        found: list[str | Image] = []
        at = 0
        for place, image in zip(places, self.images, strict=True):
            found += [self.text[at:place], image] if place > at else [image]
            at = max(at, place)
        return (*found, self.text[at:]) if at < len(self.text) else tuple(found)


@dataclass(frozen=True)
class Picture:
    """The bytes of a picture, with its media type ("image/png")."""

    media_type: str
    content: bytes

    @cached_property
    def base64(self) -> str:
        """The bytes in base64, encoded once, since a request is written at every keystroke."""
        return b64encode(self.content).decode("ascii")


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Timeouts in seconds, measured on content and not on keep-alive bytes.

    `first_token_s` is None for the default: 600 for a local model, 120 for any other.
    """

    connect_s: Seconds = 10.0
    first_token_s: Seconds | None = None
    idle_s: Seconds = 60.0

    def until_first_token_s(self, *, local: bool) -> float:
        """How long the answer may take to begin."""
        if self.first_token_s is not None:
            return self.first_token_s
        return 600.0 if local else 120.0


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """Everything that is sent for one answer.

    Attributes:
        model: the model as the user names it ("ollama:llama3.2", "server:URL#name").
        conversation: the chat's id, by which a provider may route to the machine that has its cache.
        window_tokens: the whole window, request and answer, for servers that need to be given it.
        parameters: fields sent as they are, under the provider's own names, overridden by those in `chosen`.
        chosen: temperature, top_p, seed, stop and the like, as far as the model takes them; only what was set is sent.
        pictures: the bytes of every picture in the messages, by digest.
        cache_rules: id of the rules of its provider's cache; empty where they are not known.
        compare_with: what the provider calls the answer to the request before, which it may compare this one with.
        expected: what it is expected to cost, and whom it is charged to; nothing of it is sent.
    """

    model: str
    conversation: str
    messages: tuple[RequestMessage, ...]
    window_tokens: int
    tools: tuple[ToolDefinition, ...] = ()
    max_output_tokens: int | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    chosen: Parameters = field(default_factory=Parameters)
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    timeouts: Timeouts = field(default_factory=Timeouts)
    cache_rules: str = ""
    compare_with: str = ""
    expected: Expected | None = field(default=None, compare=False)


# The bytes of a request as its provider gets them, and where in them each segment stands.


HIDDEN = "•••"
"""The placeholder for a secret."""


class Piece(NamedTuple):
    """A range of a message that belongs to one segment; `text` is exactly what is sent there."""

    layer: LayerName
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class PayloadMessage:
    """One message as pieces, whose texts joined are its own, each with its tokens. `calls` are names of tools."""

    role: Role
    pieces: tuple[Piece, ...]
    tokens: int = 0
    calls: tuple[str, ...] = ()
    pictures: int = 0
    piece_tokens: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class WireBody:
    """A request as an adapter writes it for its provider.

    Attributes:
        url: where it goes; empty where it goes nowhere (a scripted model).
        headers: as they are sent, every secret replaced by `HIDDEN`.
        body: the JSON document whose bytes are sent.
        stretches: for each message of the request, the places in `body` whose texts, joined, are the message's text:
            one as a rule, several where the provider wants it in blocks, none where the body holds it otherwise.
        digest, size_bytes: of the bytes of the body.
    """

    body: dict[str, Any]
    url: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    stretches: tuple[tuple[JsonPath, ...], ...] = ()
    digest: str = ""
    size_bytes: int = 0

    @property
    def places(self) -> tuple[JsonPath | None, ...]:
        """For each message, the one path of its text; None where its text is not in one place."""
        return tuple(found[0] if len(found) == 1 else None for found in self.stretches)


@dataclass(frozen=True)
class WireForm:
    """A request as it is sent, for display.

    Attributes:
        pieces: makes the messages, in their order on the wire: whoever only wants the digest needs none of them.
        url: where it goes; empty where it goes nowhere (a scripted model).
        headers: as they are sent, every secret replaced.
        body: the JSON document exactly as the provider's client sends it.
        places: for each message, the path in `body` under which its text stands, as keys and indices; None where
            the body does not hold it as one text.
        stretches: for each message, all paths whose texts, joined, are its text; none where the body holds it
            otherwise.
        digest: of the body's bytes; empty where these cannot be told, because a picture's are not at hand.
        raw: the body letter for letter, where another program wrote it; empty where it is `body` in its shortest form.
        size_bytes: of the body's bytes; 0 where there is no digest.
    """

    pieces: Callable[[], tuple[PayloadMessage, ...]] = field(compare=False)
    body: dict[str, Any]
    url: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    places: tuple[JsonPath | None, ...] = ()
    digest: str = ""
    stretches: tuple[tuple[JsonPath, ...], ...] = ()
    raw: str = ""
    size_bytes: int = 0

    @cached_property
    def messages(self) -> tuple[PayloadMessage, ...]:
        return self.pieces()


_OWN_HEADERS = frozenset(
    {"host", "content-length", "content-encoding", "connection", "accept-encoding", "transfer-encoding"}
)
"""What curl writes by itself, and would send twice."""
_SECRET_HEADERS = frozenset(
    {"authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie", "set-cookie"}
)


def curl_around(
    url: str, headers: Iterable[tuple[str, str]], body: str, key_header: str = ""
) -> tuple[str, str]:
    """The text before and after a body in the curl command that sends it, with the body as a here-document.

    Secrets in headers are hidden; `key_header` may name a shell variable. A body of one line arrives byte for byte
    (`--data` strips line breaks); one of several lines gets an extra line break.
    """
    kept = [(name, hidden_secret(name, value)) for name, value in headers if name.lower() not in _OWN_HEADERS]
    if all(name.lower() != "content-type" for name, _ in kept):
        kept.append(("Content-Type", "application/json"))
    end = "JSON"
    while end in body.split("\n"):
        end += "_"
    parts = [f"curl {shell_quoted(url)}", *(f"-H {shell_quoted(f'{name}: {value}')}" for name, value in kept)]
    parts += [f'-H "{key_header}"'] if key_header else []
    data = "--data-binary" if "\n" in body or "\r" in body else "--data"
    return " \\\n  ".join([*parts, f"{data} @- <<'{end}'"]) + "\n", f"\n{end}\n"


def hidden_secret(name: str, value: str) -> str:
    """A header's value with its secret hidden; the scheme before it stays, since a command needs it."""
    if name.lower() not in _SECRET_HEADERS or HIDDEN in value:
        return value
    scheme, space, _secret = value.partition(" ")
    return f"{scheme} {HIDDEN}" if space and scheme.isalpha() else HIDDEN


def shell_quoted(word: str) -> str:
    """A word quoted for a POSIX shell."""
    return "'" + word.replace("'", "'\\''") + "'"
