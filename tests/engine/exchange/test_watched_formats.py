"""Watched chats as files: a trajectory and a command per request, lines and spans for all; other chats are refused."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.fakes.archives import plain_archive
from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.history import MemoryHistory
from tests.fakes.turns import user
from tests.fakes.watched import CONVERSATION, agent_turns
from workbench.domain.errors import InvalidInput
from workbench.domain.record import ChatArchive
from workbench.engine.exchange.formats import WATCHED_FORMATS, find_format
from workbench.engine.exchange.watched_formats import understood
from workbench.engine.watch.stored_requests import Keeper


def archive() -> ChatArchive:
    async def kept() -> ChatArchive:
        store = MemoryHistory()
        for one in agent_turns():
            await Keeper(store, FakeCatalogue()).keep(*one)
        return await store.archive(CONVERSATION)

    return asyncio.run(kept())


def test_each_request_is_a_trajectory_and_a_command():
    one = archive()
    assert len(understood(one)) == 3
    commands = dict(find_format("curl").export([one]))
    assert sorted(commands) == ["curl-1-1.sh", "curl-1-2.sh", "curl-1-3.sh"]
    assert agent_turns()[1][1].request in commands["curl-1-2.sh"]
    trajectories = find_format("trajectory").export([one])
    assert [json.loads(body)["format"] for _, body in trajectories] == ["workbench-trajectory/1"] * 3


def test_all_requests_are_lines_and_spans_without_their_texts():
    one = archive()
    ((_, lines),) = find_format("lines").export([one])
    assert [json.loads(line)["n"] for line in lines.splitlines()] == [1, 2, 3]
    ((_, spans),) = find_format("otlp").export([one])
    scopes = json.loads(spans)["resourceSpans"][0]["scopeSpans"]
    assert len(scopes[0]["spans"]) == 3
    assert b"refresh" not in spans


@pytest.mark.parametrize("chosen", WATCHED_FORMATS, ids=lambda one: one.name)
def test_a_chat_of_ones_own_has_none_of_it(chosen):
    with pytest.raises(InvalidInput, match="watched"):
        chosen.export([plain_archive(user("q", "Why?"))])
