"""Searches of the web over real connections, answered as SearXNG, Brave and Tavily document it."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.fakes.fault_server import FaultServer
from tests.fakes.loop import in_loop
from tests.fakes.web_searchers import HITS, act_of
from workbench.domain.errors import InvalidInput
from workbench.domain.secrets import Secret
from workbench.domain.web_search import ENGINES, Engine, NotSearched, SearchHit, SearchPlace, search_place
from workbench.net.connections import Connections
from workbench.net.rules import Rules
from workbench.sources.web.searching import HttpSearch


async def search(
    place: str, most: int = 5, key: str = "k3y", *, offline: bool = False, said: list[str] | None = None
) -> tuple[SearchHit, ...]:
    async def find(_url: str) -> Secret | None:
        return Secret.of_text(key) if key else None

    asked = HttpSearch(lambda: place, find, Connections(Rules(offline=offline)), lambda: None)
    found = await asked.search("why pools run dry", most)
    if said is not None:
        said.append(found.left_words)
    return found.hits


@pytest.mark.parametrize("engine", ENGINES)
@in_loop
async def test_each_answer_becomes_the_same_hits(engine: Engine):
    async with FaultServer({"s": act_of(engine)}) as server:
        hits = await search(f"{engine}:{server.url('s')}")
    assert hits == HITS
    (asked,) = server.asked
    if engine == "tavily":
        assert json.loads(asked.body) == {"query": "why pools run dry", "max_results": 5}
        assert (asked.method, asked.headers["authorization"]) == ("POST", "Bearer k3y")
    else:
        assert parse_qs(urlsplit(asked.path).query)["q"] == ["why pools run dry"]
    if engine == "brave":
        assert asked.headers["x-subscription-token"] == "k3y"


@in_loop
async def test_only_so_many_and_only_addresses_that_could_be_fetched_are_shown():
    urls = [
        "https://a.example.org/",
        "http://x.example.org:8080/",
        "ftp://x.example.org/",
        "https://a.example.org/",
        "https://b.example.org/",
    ]
    body = json.dumps({"results": [{"url": url} for url in urls] + ["no", {"title": "no address"}]}).encode()
    async with FaultServer({"s": act_of("searxng", body)}) as server:
        hits = await search(server.url("s"), key="")
        assert [hit.url for hit in hits] == ["https://a.example.org/", "https://b.example.org/"]
        assert hits[0] == SearchHit("https://a.example.org/", "https://a.example.org/")
        assert len(await search(server.url("s"), 1, key="")) == 1
    assert "authorization" not in server.asked[0].headers


@in_loop
async def test_what_lies_on_a_private_network_is_left_out_and_that_is_said():
    """It was dropped without a word, so that a search of one's own pages said that nothing was found."""
    urls = ["http://192.168.1.7/wiki", "http://wiki.lan/", "http://[::1]/", "http://x.example.org:8080/"]
    body = json.dumps({"results": [{"url": url} for url in urls]}).encode()
    said: list[str] = []
    async with FaultServer({"s": act_of("searxng", body)}) as server:
        assert await search(server.url("s"), key="", said=said) == ()
    assert said == [
        "4 results left out: it lies on this computer or its own network; port 8080 is not one that pages are on "
        "(80 and 443)."
    ]


@in_loop
async def test_nothing_found_is_no_error():
    for engine, body in (("brave", b'{"type": "search"}'), ("searxng", b'{"results": []}')):
        async with FaultServer({"s": act_of(engine, body)}) as server:  # type: ignore[arg-type]
            assert await search(f"{engine}:{server.url('s')}") == ()


@pytest.mark.parametrize(
    ("engine", "body", "status", "said"),
    [
        ("searxng", b"<html>", "200 OK", "something else than results"),
        ("searxng", b"[" * 100_000, "200 OK", "something else than results"),
        ("searxng", b'{"results": 1}', "200 OK", "something else than results"),
        ("brave", b"[]", "200 OK", "something else than results"),
        ("searxng", b"", "403 Forbidden", "search.formats"),
        ("tavily", b"", "401 Unauthorized", "does not take this key"),
        ("brave", b"", "429 Too Many", "asked too often"),
        ("brave", b"", "302 Found", "answered with 302"),
        ("searxng", b" " * (5 * 2**20), "200 OK", "more than 4 MB"),
    ],
)
@in_loop
async def test_what_is_no_list_of_hits_is_said(engine: Engine, body: bytes, status: str, said: str):
    async with FaultServer({"s": act_of(engine, body, status)}) as server:
        with pytest.raises(NotSearched, match=said) as told:
            await search(f"{engine}:{server.url('s')}")
    assert "k3y" not in str(told.value)


@in_loop
async def test_a_server_that_is_not_there_is_said():
    with pytest.raises(NotSearched, match="did not answer"):
        await search("http://127.0.0.1:1")


@in_loop
async def test_without_a_key_brave_is_not_asked():
    async with FaultServer({"s": act_of("brave")}) as server:
        with pytest.raises(NotSearched, match="needs a key"):
            await search(f"brave:{server.url('s')}", key="")
    assert server.asked == []


@in_loop
async def test_offline_nothing_leaves_this_computer():
    with pytest.raises(NotSearched, match=r"(?i)offline"):
        await search("brave", offline=True)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", None),
        ("http://127.0.0.1:8888/", SearchPlace("searxng", "http://127.0.0.1:8888")),
        ("Brave", SearchPlace("brave", "https://api.search.brave.com")),
        ("tavily", SearchPlace("tavily", "https://api.tavily.com")),
        ("tavily:http://127.0.0.1:9/x", SearchPlace("tavily", "http://127.0.0.1:9/x")),
        ("searxng:https://s.example.org", SearchPlace("searxng", "https://s.example.org")),
    ],
)
def test_who_searches_is_named_in_a_word_or_by_an_address(text: str, place: SearchPlace | None):
    assert search_place(text) == place


@pytest.mark.parametrize(
    "text", ["searxng", "google", "ftp://x", "http://", "http://me@host", "http://h/?q=x"]
)
def test_what_names_nobody_is_refused(text: str):
    with pytest.raises(InvalidInput, match="expected the address of a SearXNG server"):
        search_place(text)


@in_loop
async def test_without_a_place_it_is_said_how_to_name_one():
    with pytest.raises(NotSearched, match="No search is set up"):
        await search("")
