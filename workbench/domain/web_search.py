"""A search of the web: where to ask, what was found, and what of it was attached."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.reading.loose_json import parsed
from workbench.domain.text import harmless
from workbench.domain.tool import ToolDefinition
from workbench.domain.translation import counted, tr

Engine = Literal["searxng", "brave", "tavily"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
MCP = "mcp:"
"""What a place begins with that is a tool of an MCP server: `mcp:SERVER/TOOL`."""
HOSTED_AT: Mapping[Engine, str] = {
    "brave": "https://api.search.brave.com",
    "tavily": "https://api.tavily.com",
}
MOST_HITS = 20
_ADDRESS = re.compile(r"https?://[^\s/?#@]+(/[^\s?#]*)?", re.IGNORECASE)
SEARCHED = "searched"
"""Hint with a question: the searches whose pages came along."""


class NotSearched(WorkbenchError):
    """Raised where a search cannot be made or its answer not be read; nothing was attached."""


@dataclass(frozen=True, slots=True)
class SearchPlace:
    """Who is asked: a program that searches, and its address."""

    engine: Engine
    url: str

    @property
    def host(self) -> str:
        return self.url.partition("://")[2].partition("/")[0]


@dataclass(frozen=True, slots=True)
class SearchTool:
    """Who is asked: a tool of an MCP server of the chat's workspace, by the server's own name for it."""

    server: str
    tool: str


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A page that was found, as the one who found it describes it; nothing of it was read."""

    title: str
    url: str
    text: str = ""
    published: str = ""


@dataclass(frozen=True, slots=True)
class WebSearch:
    """A search in a chat: under way, done, or failed for a reason.

    Attributes:
        left_out: how many more were found that pages are not read from; why: for the first reasons.
    """

    words: str
    by: str = ""
    hits: tuple[SearchHit, ...] = ()
    problem: str = ""
    running: bool = False
    left_out: int = 0
    why: str = ""

    @property
    def left_words(self) -> str:
        """How many were left out, and why; empty where none was."""
        if not self.left_out:
            return ""
        return tr("{counted} left out: {why}.", counted=counted(self.left_out, "result"), why=self.why)

    def taken(self, attached: Iterable[str]) -> tuple[str, ...]:
        """The addresses of its pages that are attached."""
        keys = frozenset(attached)
        return tuple(hit.url for hit in self.hits if hit.url in keys)

    def note(self, taken: tuple[str, ...]) -> dict[str, Any]:
        """How it is kept with the question that its pages went along with."""
        return {"words": self.words, "by": self.by, "found": len(self.hits), "taken": list(taken)}


def search_place(text: str) -> SearchPlace | SearchTool | None:
    """Who is asked: the address of a SearXNG server, or `brave` or `tavily`, or one of these at an address.

    Or a tool, as `mcp:SERVER/TOOL`; None for an empty text.
    """
    if text.strip().startswith(MCP):
        server, slash, tool = text.strip().removeprefix(MCP).partition("/")
        if not (server and slash and tool):
            raise InvalidInput("search", tr("expected mcp:SERVER/TOOL, got {text!r}", text=text[:80]))
        return SearchTool(server, tool)
    name, colon, address = text.strip().partition(":")
    if not name:
        return None
    engine = next((one for one in ENGINES if one == name.lower()), None)
    if engine is None:
        engine, address = "searxng", text.strip()
    url = (address if colon else HOSTED_AT.get(engine, "")).strip().rstrip("/")
    if _ADDRESS.fullmatch(url) is None:
        expected = "the address of a SearXNG server, brave, tavily, or mcp:SERVER/TOOL"
        raise InvalidInput(
            "search", tr("expected {expected}, got {text!r}", expected=expected, text=text[:80])
        )
    return SearchPlace(engine, url)


# What a tool of an MCP server found: the shapes differ, an address is an address.


_QUERIES = ("query", "q", "search_query", "search", "keywords", "words", "text", "question")
_URLS, _TITLES = ("url", "link", "href", "uri"), ("title", "name")
_TEXTS = ("snippet", "description", "content", "text", "summary")
_DATES = ("published", "published_date", "date", "age")
_IN_TEXT = re.compile(r"https?://[^\s<>\"'`\\\]|]+", re.IGNORECASE)
_TITLE_LINE = re.compile(r"[\s#*\d.)-]*(?:title|name)\W{1,5}(.+)", re.IGNORECASE)
_MOST_NODES, _LONGEST_LINE = 20_000, 500


def query_field(tool: ToolDefinition) -> str:
    """The argument of a tool that takes the words; empty where it is none that can be told."""
    schema = parsed(tool.schema_json)
    taken = schema.get("properties") if isinstance(schema, dict) else None
    texts = [name for name, one in taken.items() if _is_text(one)] if isinstance(taken, dict) else []
    needed = schema.get("required") if isinstance(schema, dict) else None
    required = [name for name in texts if isinstance(needed, list) and name in needed]
    named = [one for one in _QUERIES if one in texts]
    alone = required if len(required) == 1 else texts if len(texts) == 1 else []
    return next(iter((*named, *alone)), "")


def found_in(answer: str) -> tuple[SearchHit, ...]:
    """The pages that a tool's answer names: JSON with addresses, one value or several, else text with addresses."""
    values, text, at = list[Any](), answer.strip(), 0
    with suppress(ValueError, RecursionError):
        while text.startswith(("{", "["), at):
            value, at = _DECODER.raw_decode(text, at)
            values.append(value)
            at = _NOT_SPACE.search(text, at).start()  # type: ignore[union-attr]  # it finds the end, too
    return (_listed(values) if at == len(text) else ()) or _written(answer)


_DECODER, _NOT_SPACE = json.JSONDecoder(), re.compile(r"\S|\Z")


def _is_text(said: Any) -> bool:
    return isinstance(said, dict) and said.get("type") == "string"


def _listed(values: list[Any]) -> tuple[SearchHit, ...]:
    """The objects with an address, however deep, in their order."""
    found, waiting, seen = list[SearchHit](), values[::-1], 0
    while waiting and seen < _MOST_NODES:
        seen += 1
        one = waiting.pop()
        there = one if isinstance(one, dict) else {}
        if url := next((there[name] for name in _URLS if _is_address(there.get(name))), ""):
            title = _line_of(there, _TITLES) or url
            found.append(SearchHit(title, url, _line_of(there, _TEXTS), _line_of(there, _DATES)[:10]))
        inner = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        waiting += [each for each in inner if isinstance(each, dict | list)][::-1]
    return tuple(found)


def _written(text: str) -> tuple[SearchHit, ...]:
    """The addresses in a text, each with the line that names it and the line after it."""
    found, title = list[SearchHit](), ""
    for line in text.splitlines():
        address = _IN_TEXT.search(line)
        named = _TITLE_LINE.fullmatch(line)
        plain = " ".join(line.strip(" #*-").split())[:_LONGEST_LINE]
        if named is not None:
            title = named[1].strip(" *")[:_LONGEST_LINE]
        elif address is not None:
            url = address[0].rstrip(".,;:!?)*_")
            before = line[: address.start()].strip(" -*#[(<:]\t0123456789.")
            said = "" if before.lower() in _URLS else before
            found.append(SearchHit(harmless(title or said or url), url))
            title = ""
        elif found and plain and not found[-1].text and not title:
            found[-1] = replace(found[-1], text=harmless(plain))
    return tuple(found)


def _is_address(value: Any) -> bool:
    return isinstance(value, str) and value.lower().startswith(("http://", "https://"))


def _line_of(one: dict[str, Any], names: tuple[str, ...]) -> str:
    found = next((value for name in names if isinstance(value := one.get(name), str) and value.strip()), "")
    return harmless(" ".join(found.split())[:_LONGEST_LINE])
