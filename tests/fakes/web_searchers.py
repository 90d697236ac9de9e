"""Searchers of the web: one that is told what it finds, and answers as three programs document theirs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tests.fakes.fault_server import Act, Connection
from workbench.domain.web_search import Engine, NotSearched, SearchHit, SearchTool, WebSearch

HITS = (
    SearchHit("Pools of connections", "https://example.org/pools", "A pool keeps connections.", "2026-03-01"),
    SearchHit("Why pools run dry", "https://example.net/dry", "Too many clients.", ""),
)


class ToldSearcher:
    """Finds what it was given → WebSearcher; keeps what it was asked."""

    def __init__(self, *hits: SearchHit, problem: str = "", tool: SearchTool | None = None) -> None:
        self._hits, self._problem, self.tool = hits, problem, tool
        self.asked: list[str] = []

    async def search(self, words: str, most: int) -> WebSearch:
        """The hits it was given, or the problem."""
        self.asked.append(words)
        if self._problem:
            raise NotSearched(self._problem)
        return self.usable(words, "told.example", self._hits, most)

    def usable(self, words: str, by: str, hits: Iterable[SearchHit], most: int) -> WebSearch:
        """The public ones, by their looks."""
        found = tuple(hits)
        public = tuple(one for one in found if "//127." not in one.url)
        why = "it is on this computer" if len(public) < len(found) else ""
        return WebSearch(words, by, public[:most], left_out=len(found) - len(public), why=why)


def answer_of(engine: Engine) -> dict[str, Any]:
    """The hits as this engine writes them; what else it says is shortened."""
    rows: list[dict[str, Any]] = [{"title": hit.title, "url": hit.url} for hit in HITS]
    match engine:
        case "searxng":
            rows = [
                row | {"content": hit.text, "engine": "x", "score": 1.0, "publishedDate": date}
                for row, hit in zip(rows, HITS, strict=True)
                for date in [f"{hit.published}T00:00:00" if hit.published else None]
            ]
            return {"query": "q", "number_of_results": 2, "results": rows, "suggestions": []}
        case "brave":
            rows = [
                row
                | {"description": f"<strong>{hit.text}</strong>"}
                | ({"page_age": hit.published} if hit.published else {})
                for row, hit in zip(rows, HITS, strict=True)
            ]
            return {"type": "search", "web": {"type": "search", "results": rows}}
        case "tavily":
            rows = [
                row | {"content": hit.text, "score": 0.9, "published_date": hit.published}
                for row, hit in zip(rows, HITS, strict=True)
            ]
            return {"query": "q", "results": rows, "response_time": 0.1}


def act_of(engine: Engine, body: bytes | None = None, status: str = "200 OK") -> Act:
    """The act of a FaultServer that answers as one of the three."""
    content = json.dumps(answer_of(engine)).encode() if body is None else body

    async def act(connection: Connection) -> None:
        await connection.whole(content, "application/json", status)

    return act
