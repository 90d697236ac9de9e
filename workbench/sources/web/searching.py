"""Searches of the web by a SearXNG server, Brave or Tavily: one request, and no page is fetched."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, assert_never

from workbench.domain.errors import InvalidInput
from workbench.domain.reading.loose_json import parsed
from workbench.domain.secrets import Secret
from workbench.domain.translation import joined, tr
from workbench.domain.web_search import (
    NotSearched,
    SearchHit,
    SearchPlace,
    SearchTool,
    WebSearch,
    search_place,
)  # fmt: skip
from workbench.net.connections import Connections
from workbench.net.rules import NotSent
from workbench.sources.web.targets import NotFetched, public_target

if TYPE_CHECKING:
    # It brings the HTTP library along, a twentieth of the window's start: who searches loads it.
    from workbench.net.http_transport import Request

_MOST_BYTES = 4 * 1024 * 1024
_LONGEST_WORDS = 400
_LONGEST_TEXT = 500
_MOST_REASONS = 3
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

    @property
    def tool(self) -> SearchTool | None:
        """The tool of a server that is to be asked instead, by whoever has the servers."""
        place = search_place(self._place())
        return place if isinstance(place, SearchTool) else None

    async def search(self, words: str, most: int) -> WebSearch:
        """Returns the best hits whose addresses could be fetched, each address once."""
        from workbench.net.http_transport import NoAnswer

        place = search_place(self._place())
        if not isinstance(place, SearchPlace):
            raise NotSearched(_NO_PLACE)
        try:
            self._may_send()
            content = await self._asked(place, words[:_LONGEST_WORDS], most)
        except (NotSent, InvalidInput) as problem:
            raise NotSearched(tr("Not searched: {problem}", problem=problem)) from None
        except NoAnswer as problem:
            raise NotSearched(
                tr(
                    "{host} did not answer ({problem}). Nothing was attached.",
                    host=place.host,
                    problem=problem,
                )
            ) from None
        return self.usable(words, place.host, _hits(place, content), most)

    def usable(self, words: str, by: str, hits: Iterable[SearchHit], most: int) -> WebSearch:
        """The search with those of the hits that pages could be read from, each address once; others are counted."""
        found: dict[str, SearchHit] = {}
        left: dict[str, str] = {}
        for hit in hits:
            try:
                public_target(hit.url)
                found.setdefault(hit.url, hit)
            except NotFetched as refused:
                left.setdefault(hit.url, refused.reason)
        why = joined(list(dict.fromkeys(left.values()))[:_MOST_REASONS], "; ")
        return WebSearch(words, by, tuple(found.values())[:most], left_out=len(left), why=why)

    async def _asked(self, place: SearchPlace, words: str, most: int) -> bytes:
        key = await self._find_key(place.url)
        if key is None and place.engine != "searxng":
            raise NotSearched(
                tr(
                    "{host} needs a key. Keep one in Settings, or with `workbench keys provider {url}`.",
                    host=place.host,
                    url=place.url,
                )
            )
        from workbench.net.http_transport import ask_once

        request = _request(place, words, most, "" if key is None else key.reveal_text())
        status, content = await ask_once(self._net, request, "web search", _MOST_BYTES)
        if status != HTTPStatus.OK:
            raise NotSearched(_refusal(place, status))
        return content


def _refusal(place: SearchPlace, status: int) -> str:
    """What a refusal means, and what to do about it."""
    if status in _FORBIDDEN and place.engine == "searxng":
        return tr(
            "{host} refuses JSON ({status}). Add json to search.formats in its settings.yml.",
            host=place.host,
            status=status,
        )
    if status in _FORBIDDEN:
        return tr(
            "{host} does not take this key ({status}). Keep another one in Settings.",
            host=place.host,
            status=status,
        )
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return tr(
            "{host} was asked too often ({status}). Wait, and search again.", host=place.host, status=status
        )
    return tr(
        "{host} answered with {status}. Check its address. Nothing was attached.",
        host=place.host,
        status=status,
    )


def _request(place: SearchPlace, words: str, most: int, key: str) -> Request:
    from workbench.net.http_transport import Request

    url, bearer = place.url, {"authorization": f"Bearer {key}"}
    match place.engine:
        case "searxng":
            return Request(
                "GET", f"{url}/search", bearer if key else {}, params={"q": words, "format": "json"}
            )
        case "brave":
            asked = {"q": words, "count": str(most)}
            return Request("GET", f"{url}/res/v1/web/search", {"x-subscription-token": key}, params=asked)
        case "tavily":
            return Request("POST", f"{url}/search", bearer, body={"query": words, "max_results": most})
        case never:
            assert_never(never)


_DATES = ("publishedDate", "page_age", "published_date", "age")


def _hits(place: SearchPlace, content: bytes) -> Iterator[SearchHit]:
    """Yields what an answer lists; their names differ little."""
    answer = parsed(content)
    if isinstance(answer, dict) and place.engine == "brave":
        # Brave leaves the whole part out where nothing was found.
        answer = answer.get("web", {"results": []})
    results = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(results, list):
        raise NotSearched(
            tr("{host} answered with something else than results. Check its address.", host=place.host)
        )
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
