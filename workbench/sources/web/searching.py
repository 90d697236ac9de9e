"""Searches of the web by a SearXNG server, Brave or Tavily: one request, and no page is fetched."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import httpx2

from workbench.domain.errors import InvalidInput
from workbench.domain.secrets import Secret
from workbench.domain.web_search import Engine, NotSearched, SearchHit, SearchPlace, WebSearch, search_place
from workbench.net.connections import Connections
from workbench.net.http_transport import NetTransport, client_over
from workbench.net.rules import NotSent
from workbench.sources.web.targets import NotFetched, parse_target

_MOST_BYTES = 4 * 1024 * 1024
_TIMEOUT = httpx2.Timeout(20.0, connect=10.0)
_LONGEST_WORDS = 400
_LONGEST_TEXT = 500
_FORBIDDEN = (401, 403)
_NO_PLACE = (
    "No search is set up. In Settings, Tools and approval, name a SearXNG server, or brave or tavily "
    "(`workbench settings set search=http://127.0.0.1:8888`)."
)

FindKey = Callable[[str], Awaitable[Secret | None]]


class HttpSearch:
    """Searches by HTTP → WebSearcher.

    `place` names who is asked, as the settings do; `find_key` gives the key that is kept for an origin; `may_send`
    raises `InvalidInput` while nothing may be sent.
    """

    def __init__(
        self, place: Callable[[], str], find_key: FindKey, net: Connections, may_send: Callable[[], None]
    ) -> None:
        self._place, self._find_key, self._net, self._may_send = place, find_key, net, may_send

    async def search(self, words: str, most: int) -> WebSearch:
        """Returns the best hits whose addresses could be fetched, each address once."""
        place = search_place(self._place())
        if place is None:
            raise NotSearched(_NO_PLACE)
        try:
            self._may_send()
            content = await self._asked(place, words[:_LONGEST_WORDS], most)
        except (NotSent, InvalidInput) as problem:
            raise NotSearched(f"Not searched: {problem}") from None
        except httpx2.HTTPError as problem:
            reason = str(problem) or type(problem).__name__
            raise NotSearched(f"{place.host} did not answer ({reason}). Nothing was attached.") from None
        hits: dict[str, SearchHit] = {}
        for hit in _hits(place, content):
            if _can_be_fetched(hit.url):
                hits.setdefault(hit.url, hit)
        return WebSearch(words, place.host, tuple(hits.values())[:most])

    async def _asked(self, place: SearchPlace, words: str, most: int) -> bytes:
        key = await self._find_key(place.url)
        if key is None and place.engine != "searxng":
            raise NotSearched(
                f"{place.host} needs a key. Keep one in Settings, or with `workbench keys provider {place.url}`."
            )
        method, path, more = _REQUESTS[place.engine](words, most, "" if key is None else key.reveal_text())
        # In a thread, since it reads the certificates.
        transport = await asyncio.to_thread(NetTransport, self._net, place.url, "web search")
        async with client_over(transport, timeout=_TIMEOUT) as client:
            more["headers"] = {"accept": "application/json", "accept-encoding": "identity", **more["headers"]}
            async with client.stream(method, f"{place.url}{path}", **more) as answer:
                if answer.status_code != httpx2.codes.OK:
                    raise NotSearched(_refusal(place, answer.status_code))
                content = b""
                async for piece in answer.aiter_bytes():
                    content += piece
                    if len(content) > _MOST_BYTES:
                        raise NotSearched(f"{place.host} answered with more than 4 MB. Nothing was attached.")
                return content


def _refusal(place: SearchPlace, status: int) -> str:
    """What a refusal means, and what to do about it."""
    if status in _FORBIDDEN and place.engine == "searxng":
        return f"{place.host} refuses JSON ({status}). Add json to search.formats in its settings.yml."
    if status in _FORBIDDEN:
        return f"{place.host} does not take this key ({status}). Keep another one in Settings."
    if status == httpx2.codes.TOO_MANY_REQUESTS:
        return f"{place.host} was asked too often ({status}). Wait, and search again."
    return f"{place.host} answered with {status}. Check its address. Nothing was attached."


Request = tuple[str, str, dict[str, Any]]


def _searxng(words: str, most: int, key: str) -> Request:
    headers = {"authorization": f"Bearer {key}"} if key else {}
    return "GET", "/search", {"params": {"q": words, "format": "json"}, "headers": headers}


def _brave(words: str, most: int, key: str) -> Request:
    params = {"q": words, "count": str(most)}
    return "GET", "/res/v1/web/search", {"params": params, "headers": {"x-subscription-token": key}}


def _tavily(words: str, most: int, key: str) -> Request:
    body = {"query": words, "max_results": most}
    return "POST", "/search", {"json": body, "headers": {"authorization": f"Bearer {key}"}}


_REQUESTS: dict[Engine, Callable[[str, int, str], Request]] = {
    "searxng": _searxng,
    "brave": _brave,
    "tavily": _tavily,
}
_DATES = ("publishedDate", "page_age", "published_date", "age")


def _hits(place: SearchPlace, content: bytes) -> Iterator[SearchHit]:
    """Yields what an answer lists; their names differ little."""
    try:
        answer: Any = json.loads(content)
    except (ValueError, RecursionError):
        answer = None
    if isinstance(answer, dict) and place.engine == "brave":
        # Brave leaves the whole part out where nothing was found.
        answer = answer.get("web", {"results": []})
    results = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(results, list):
        raise NotSearched(f"{place.host} answered with something else than results. Check its address.")
    for one in results:
        if isinstance(one, dict) and isinstance(one.get("url"), str):
            text = _text(one, "content") or _text(one, "description")
            date = next((found for name in _DATES if (found := _text(one, name))), "")
            yield SearchHit(_text(one, "title") or one["url"], one["url"], text, date[:10])


def _text(one: dict[str, Any], name: str) -> str:
    """A line of text; some mark the words that were found with tags."""
    found = one.get(name)
    plain = " ".join(str(found).split()) if isinstance(found, str) else ""
    for tag in ("<strong>", "</strong>", "<b>", "</b>"):
        plain = plain.replace(tag, "")
    return plain[:_LONGEST_TEXT]


def _can_be_fetched(url: str) -> bool:
    try:
        parse_target(url)
    except NotFetched:
        return False
    return True
