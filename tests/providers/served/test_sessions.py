"""Replicas behind a router: where the session is told, each chat's replica is known, counted and foretold."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.fakes.loop import in_loop
from tests.fakes.provider_keys import MemoryProviderKeys
from tests.fakes.served_talk import ServedTalk, no_builtin
from tests.fakes.vllm_server import VllmDouble
from workbench.domain.model import SESSION_FIELDS, session_value
from workbench.providers.catalogue import load_catalogue
from workbench.providers.named_models import NamedModels
from workbench.sources.resources import resource_path
from workbench.ui.inspector.payload.written import curl_text

pytestmark = pytest.mark.usefixtures("soon")
HEADER = "X-Session-ID"


@dataclass
class Router(VllmDouble):
    """Two replicas: a session keeps to one, and a question that names none goes to the other one than the last did.

    Attributes:
        told: the sessions of all requests, in order; empty where one named none.
    """

    replicas: tuple[VllmDouble, ...] = ()
    told: list[tuple[str, str]] = field(default_factory=list)
    homes: dict[str, int] = field(default_factory=dict)
    next: int = 0

    def __post_init__(self) -> None:
        self.replicas = (VllmDouble(words=self.words), VllmDouble(words=self.words))  # one vocabulary

    def route(self, path: str, session: str) -> VllmDouble:
        self.told.append((path, session))
        self.next += path == "/v1/chat/completions"
        home = self.homes.setdefault(session, len(self.homes) % 2) if session else self.next % 2
        return self.replicas[home]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        lines = (line.split(": ", 1) for line in head.decode().split("\r\n")[1:] if line)
        headers = {name.lower(): value for name, value in lines}
        path, size = head.decode().split(" ")[1], int(headers.get("content-length", 0))
        content = await reader.readexactly(size)
        body = json.loads(content) if content else {}
        session = headers.get(HEADER.lower()) or next(
            (body[one] for one in SESSION_FIELDS if one in body), ""
        )
        again = asyncio.StreamReader()
        again.feed_data(head + content)
        again.feed_eof()
        await self.route(path, session)._serve(again, writer)


@asynccontextmanager
async def router() -> AsyncIterator[Router]:
    double = Router()
    server = await asyncio.start_server(double._serve, "127.0.0.1", 0)
    double.port = server.sockets[0].getsockname()[1]
    async with server:
        yield double


def talk_at(router: Router, way: str = "") -> ServedTalk:
    url = f"http://127.0.0.1:{router.port}/v1"
    made = NamedModels(
        load_catalogue(resource_path("models.toml")),
        MemoryProviderKeys(),
        no_builtin,
        lambda: "",
        servers={"lab": url},
        sessions={"lab": way} if way else {},
    )
    return ServedTalk("lab:m", models=made)


async def two_chats(talk: ServedTalk, *chats: str) -> None:
    for chat in chats:
        await talk.start(chat)
    for number in range(3):
        for chat in chats:
            await talk.turn(f"{chat} asks {number}: {talk.text(20)}", chat)
    await talk.close()


@in_loop
async def test_a_chat_keeps_to_its_replica_and_is_foretold_exactly():
    """Its figures, too, must be asked for at the replica that answers: another one's are somebody else's."""
    async with router() as made:
        talk = talk_at(made, HEADER)
        await two_chats(talk, "one", "other")
    assert [(turn.foretold, turn.sure) for turn in talk.turns] == [(turn.cached, True) for turn in talk.turns]
    assert all(turn.cached for turn in talk.turns[2:])
    assert {session for path, session in made.told if path == "/v1/chat/completions"} == {"one", "other"}


@in_loop
async def test_without_a_session_what_was_held_is_elsewhere():
    async with router() as made:
        talk = talk_at(made)
        await two_chats(talk, "one")
    assert {session for _, session in made.told} == {""}
    assert "elsewhere" in {turn.verdict for turn in talk.turns}


@pytest.mark.parametrize("way", SESSION_FIELDS)
@in_loop
async def test_a_field_of_the_body_routes_chats_but_no_questions(way: str):
    """A question has no body that could name the session: its answer may be another replica's, and is not believed."""
    async with router() as made:
        talk = talk_at(made, way)
        await two_chats(talk, "one", "other")
    # How large its blocks are, nobody says then: that shows with the second answer.
    assert [turn.verdict for turn in talk.turns[4:]] == ["as_predicted", "as_predicted"]
    assert not any(turn.sure for turn in talk.turns)
    assert "/metrics" not in {path for path, _ in made.told[10:]}


@pytest.mark.parametrize("way", [HEADER, *SESSION_FIELDS, ""])
@in_loop
async def test_what_is_shown_of_a_session_is_what_is_sent(way: str):
    async with router() as made:
        talk = talk_at(made, way)
        await talk.start("a chat of mine")
        await talk.bench.calm()
        await talk.look("Why?", "a chat of mine")
        view = talk.bench.workbench.state.open["a chat of mine"].view
        form = None if view is None else view.wire()
        await talk.turn("Why?", "a chat of mine", typed=True)
        await talk.close()
    assert form is not None
    shown = {**dict(form.headers), **form.body}
    expected: dict[str, Any] = {way.lower(): session_value("a chat of mine")} if way else {}
    assert (f"-H 'x-session-id: {session_value('a chat of mine')}'" in curl_text(form).text) is (
        way == HEADER
    )
    told = {name: shown[name] for name in (HEADER.lower(), *SESSION_FIELDS) if name in shown}
    assert told == expected
    asked = [session for path, session in made.told if path == "/v1/chat/completions"]
    assert asked == [expected.get(way.lower(), "")]
