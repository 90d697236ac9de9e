"""Going on from a watched request: a chat of our own with its words, and what tools did as text."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.fakes.loop import in_loop
from tests.fakes.watched import CONVERSATION, SYSTEM, watched_bench
from workbench.domain.change import Built
from workbench.domain.errors import NotKept
from workbench.domain.files.folder import FollowedFolder
from workbench.domain.message import Message
from workbench.engine.attaching_intents import FollowFolder, SearchWeb
from workbench.engine.intents import SendMessage
from workbench.engine.program_intents import GoOnFromWatched
from workbench.engine.watch.going_on import model_of, start_chat_from_request
from workbench.engine.workbench import WatchedChat


@in_loop
async def test_system_prompt_history_results_and_the_answer_are_there_and_it_can_be_asked():
    bench = await watched_bench()
    await bench.workbench.dispatch(GoOnFromWatched(CONVERSATION, "mine", 2))
    store = bench.world.store
    chat = await store.chat("mine")
    assert (chat.settings.system_prompt, chat.filed.watched) == (SYSTEM, None)
    said = [(r.entry.role, r.entry.text) for r in await store.path("mine") if isinstance(r.entry, Message)]
    assert [role for role, _ in said] == ["user", "assistant", "user", "assistant"]
    assert '[Called Read with {"path": "src/auth.py"}]' in said[1][1]
    assert said[2][1].startswith("[Read gave back]\nasync def refresh")
    assert said[3][1].startswith("The loop ends only")
    assert "mine" in {one.id for one in bench.workbench.state.chats}
    await bench.workbench.close()


@in_loop
async def test_a_request_that_is_not_there_makes_nothing():
    bench = await watched_bench()
    with pytest.raises(NotKept):
        await start_chat_from_request(bench.world.store, CONVERSATION, 9, "mine", "2026-01-01T00:00:00Z")
    with pytest.raises(NotKept):
        await bench.world.store.chat("mine")
    await bench.workbench.close()


@in_loop
async def test_what_another_program_said_is_not_asked_on():
    bench = await watched_bench()
    with pytest.raises(WatchedChat, match="Go on from here"):
        await bench.workbench.dispatch(SendMessage(CONVERSATION, "And I say"))
    assert len(await bench.world.store.turns(CONVERSATION)) == 3
    await bench.workbench.close()


@pytest.mark.parametrize(
    "wanted",
    [FollowFolder(CONVERSATION, FollowedFolder("/docs", searched=True)), SearchWeb(CONVERSATION, "clocks")],
)
def test_nothing_is_followed_or_searched_for_it(wanted: FollowFolder | SearchWeb):
    """A read-only chat followed folders."""

    async def refused() -> None:
        bench = await watched_bench()
        with pytest.raises(WatchedChat, match="Go on from here"):
            await bench.workbench.dispatch(wanted)
        await bench.workbench.close()

    asyncio.run(refused())


@pytest.mark.parametrize(
    ("kept", "upstream", "wanted"),
    [
        ("openai:qwen3", "http://127.0.0.1:8080/v1", "server:http://127.0.0.1:8080/v1#qwen3"),
        ("openai:gpt-4.1", "https://api.openai.com/v1", "openai:gpt-4.1"),
        ("openai:gpt-4.1", "", "openai:gpt-4.1"),
        ("ollama:llama3.2", "http://10.0.0.7:11434", "ollama:llama3.2@http://10.0.0.7:11434"),
        ("anthropic:claude-opus-4-8", "https://api.anthropic.com", "anthropic:claude-opus-4-8"),
        ("anthropic:claude-opus-4-8", "http://127.0.0.1:9000", "builtin"),
    ],
)
@in_loop
async def test_what_was_asked_of_a_server_of_one_s_own_does_not_go_to_a_vendor(
    kept: str, upstream: str, wanted: str
):
    bench = await watched_bench()
    turn = (await bench.world.store.turns(CONVERSATION))[-1]
    inputs = turn.built.inputs
    inputs = replace(inputs, settings=replace(inputs.settings, model=kept))
    usage = {**(turn.usage or {}), "request": {"upstream": upstream}}
    assert model_of(replace(turn, built=Built(inputs, turn.built.envelope), usage=usage)) == wanted
    await bench.workbench.close()
