"""A search of the web: where to ask, what was found, and what of it was attached."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.translation import tr

Engine = Literal["searxng", "brave", "tavily"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
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
class SearchHit:
    """A page that was found, as the one who found it describes it; nothing of it was read."""

    title: str
    url: str
    text: str = ""
    published: str = ""


@dataclass(frozen=True, slots=True)
class WebSearch:
    """A search in a chat: under way, done, or failed for a reason."""

    words: str
    by: str = ""
    hits: tuple[SearchHit, ...] = ()
    problem: str = ""
    running: bool = False

    def taken(self, attached: Iterable[str]) -> tuple[str, ...]:
        """The addresses of its pages that are attached."""
        keys = frozenset(attached)
        return tuple(hit.url for hit in self.hits if hit.url in keys)

    def note(self, taken: tuple[str, ...]) -> dict[str, Any]:
        """How it is kept with the question that its pages went along with."""
        return {"words": self.words, "by": self.by, "found": len(self.hits), "taken": list(taken)}


def search_place(text: str) -> SearchPlace | None:
    """Who is asked: the address of a SearXNG server, or `brave` or `tavily`, or one of these at an address.

    None for an empty text.
    """
    name, colon, address = text.strip().partition(":")
    if not name:
        return None
    engine = next((one for one in ENGINES if one == name.lower()), None)
    if engine is None:
        engine, address = "searxng", text.strip()
    url = (address if colon else HOSTED_AT.get(engine, "")).strip().rstrip("/")
    if _ADDRESS.fullmatch(url) is None:
        expected = "the address of a SearXNG server such as http://127.0.0.1:8888, or brave, or tavily"
        raise InvalidInput(
            "search", tr("expected {expected}, got {text!r}", expected=expected, text=text[:80])
        )
    return SearchPlace(engine, url)
