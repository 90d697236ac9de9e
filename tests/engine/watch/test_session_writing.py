"""Copies of sessions and comparisons of conversations: what is refused before anything is read or written."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.chat_model import NoPrices
from tests.fakes.engine import fake_bench
from tests.fakes.loop import in_loop
from tests.fakes.session_files import THREAD, MemorySessions, codex_lines
from tests.fakes.watched import CONVERSATION, agent_turns, watched_bench
from workbench.domain.errors import InvalidInput, NotKept
from workbench.domain.record import Chat
from workbench.domain.watch.request import Watched
from workbench.domain.watch.session_copy import SessionTuning
from workbench.domain.workspace import Filed
from workbench.engine.watch.session_writing import CopyPlan, plan_copy, session_of, write_copy
from workbench.engine.watch.updating import compare_watched, compared_view

PATH = f"/h/rollout-1-{THREAD}.jsonl"


def watched_chat(client: str, parent: str = "") -> Chat:
    return Chat(
        "w", "2026-01-01T00:00:00Z", "Codex · Hi", filed=Filed(watched=Watched(client, parent=parent))
    )


@pytest.mark.parametrize(
    ("client", "parent", "said"),
    [
        ("codex_exec/0.169.0", "other", "sub-agent"),
        ("opencode/1.0", "", "opencode keeps its sessions in a form of its own, or in a database"),
        ("", "", "This program keeps"),
    ],
)
@in_loop
async def test_what_no_program_could_resume(client: str, parent: str, said: str):
    store = fake_bench().world.store
    chat = watched_chat(client, parent)
    await store.create_chat(chat)
    files = MemorySessions({PATH: codex_lines()})

    with pytest.raises(NotKept, match=said):
        await plan_copy(store, chat, SessionTuning(), files, "seed")
    assert list(files.files) == [PATH]


@in_loop
async def test_a_conversation_without_a_session_has_no_file():
    """Its last request names none, and an empty name must not be found in every file's."""
    bench = await watched_bench()
    chat = await bench.world.store.chat(CONVERSATION)
    turn = await bench.world.store.last_turn(CONVERSATION)
    assert turn is not None
    assert session_of(turn) == ""

    with pytest.raises(InvalidInput, match="has no session"):
        await plan_copy(
            bench.world.store, chat, SessionTuning(), MemorySessions({PATH: codex_lines()}), "seed"
        )
    await bench.workbench.close()


@in_loop
async def test_a_plan_is_written_whole_and_once():
    files = MemorySessions({PATH: codex_lines()})
    store = fake_bench().world.store
    chat = watched_chat("codex_exec/0.169.0")
    await store.create_chat(chat)
    plan = await _plan(files)
    write_copy(plan, files)

    assert files.files[plan.target] == list(plan.copy.lines)
    with pytest.raises(InvalidInput, match="is there already"):
        write_copy(plan, files)


async def _plan(files: MemorySessions) -> CopyPlan:
    """The plan for a request that names its session."""
    (turn, exchange), *_ = agent_turns()
    bench = await watched_bench((replace(turn, client="codex_exec/0.169.0", session=THREAD), exchange))
    chat = await bench.world.store.chat(CONVERSATION)
    plan = await plan_copy(bench.world.store, chat, SessionTuning(), files, "seed")
    await bench.workbench.close()
    return plan


@in_loop
async def test_a_conversation_without_requests_cannot_be_compared():
    bench = await watched_bench()
    store = bench.world.store
    empty = watched_chat("codex_exec/0.169.0")
    await store.create_chat(empty)

    with pytest.raises(NotKept, match="nothing to compare"):
        await compare_watched(store, await store.chat(CONVERSATION), empty, NoPrices().price)
    view = await compared_view(bench.world, CONVERSATION, "w")
    assert (view.report, "nothing to compare" in view.problem) == (None, True)
    await bench.workbench.close()
