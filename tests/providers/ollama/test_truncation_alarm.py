"""The alarm of a server that dropped the front of a request: a real server, the real adapter, the real engine."""

from __future__ import annotations

from tests.fakes.dropping_ollama import DroppingOllama
from tests.fakes.loop import in_loop
from tests.fakes.served_talk import ServedTalk
from workbench.engine.events import NoticeGiven

PROSE = "It was a bright cold day in April, and the clocks were striking thirteen. "
LONG = PROSE * 60


async def talk_at(server: DroppingOllama, *questions: str) -> ServedTalk:
    talk = ServedTalk(server.name)
    await talk.start()
    for question in questions:
        await talk.turn(question)
    await talk.close()
    return talk


def alarms(talk: ServedTalk) -> list[str]:
    return [one.text for one in talk.bench.told(NoticeGiven) if "tokens, and said nothing" in one.text]


@in_loop
async def test_a_server_that_drops_the_front_raises_one_alarm_that_says_what_to_do():
    async with DroppingOllama(most_tokens=600) as server:
        talk = await talk_at(server, PROSE * 10, LONG)
    first, second = talk.turns
    assert (first.prompt or 0) < 600 == second.prompt
    assert second.counted > 900
    (alarm,) = alarms(talk)
    assert alarm.startswith(f"The server read only 600 of about {second.counted:,} tokens, and said nothing")
    assert "without your instructions or the oldest messages" in alarm
    assert "num_ctx" in alarm
    assert "set the window of this model here to 600" in alarm
    assert [row.truncated for row in talk.bench.workbench.state.open["talk"].turns] == [False, True]


@in_loop
async def test_a_server_that_reports_only_what_is_new_raises_none():
    async with DroppingOllama(only_new=True) as server:
        talk = await talk_at(server, LONG, "And then?", PROSE * 2)
    assert all((turn.prompt or 0) < 100 for turn in talk.turns[1:])
    assert talk.turns[1].counted > 900
    assert talk.turns[1].foretold is not None
    assert alarms(talk) == []
    assert [row.truncated for row in talk.bench.workbench.state.open["talk"].turns] == [False] * 3


@in_loop
async def test_one_that_reads_everything_raises_none():
    async with DroppingOllama() as server:
        talk = await talk_at(server, LONG, "And then?")
    assert alarms(talk) == []
    assert len(server.prompts) == 2
