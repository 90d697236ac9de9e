"""A trajectory that goes through the store, closed and opened between turns, gives the same reports."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Awaitable, Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from tests.fakes.loop import in_loop
from tests.fakes.stores import connect, open_store
from tests.trajectories.strategies import trajectories
from tests.trajectories.support import builder, file, trajectory
from workbench.cli.replay.trajectory import parse_trajectory
from workbench.context.assembly.history import TRIMMED
from workbench.domain.message import Message
from workbench.domain.trajectory import Trajectory
from workbench.engine.replay import replay, replay_kept
from workbench.ports.history import HistoryStore


def opener(folder: Path) -> Callable[[], Awaitable[HistoryStore]]:
    async def open_it() -> HistoryStore:
        return open_store(folder / "history.db", synchronous="OFF")

    return open_it


def reloading(read: Trajectory, at: frozenset[int]) -> Trajectory:
    turns = tuple(replace(turn, reload=number in at) for number, turn in enumerate(read.turns))
    return replace(read, turns=turns)


def without_times(report: Any) -> str:
    """Everything but how long the build took."""
    bare = deepcopy(report)
    for turn in bare["turns"]:
        del turn["metrics"]["build_ms"]
    return json.dumps(bare)


@settings(max_examples=tries(60))
@given(trajectories() | trajectories(layout="append_only"), st.frozensets(st.integers(0, 5)))
def test_closed_and_opened_again_the_reports_are_the_same(document: dict[str, Any], at: frozenset[int]):
    read = parse_trajectory(document)
    with tempfile.TemporaryDirectory() as folder:
        kept = asyncio.run(replay_kept(reloading(read, at), builder(), opener(Path(folder))))
    assert without_times(kept) == without_times(replay(read, builder()))


@in_loop
async def test_where_trimming_stood_before_the_first_turn_is_not_forgotten(tmp_path: Path):
    before = [{"id": f"h{n}", "role": ("user", "assistant")[n % 2], "content": f"said {n}"} for n in range(8)]
    document = trajectory({"user": "Go on."}, before=before, trim_state={"boundary": 4})
    read = reloading(parse_trajectory(document), frozenset({0}))
    kept = await replay_kept(read, builder(), opener(tmp_path))
    assert without_times(kept) == without_times(replay(read, builder()))


@in_loop
async def test_no_placeholder_takes_the_place_of_what_was_said(tmp_path: Path):
    """A request says [trimmed]; where the store said so too, the words would be gone."""
    before = [
        {"id": f"h{n}", "role": ("user", "assistant")[n % 2], "content": f"said {n} " * 40} for n in range(8)
    ]
    read = parse_trajectory(trajectory({"user": "Go on."}, before=before, context_window=900))
    kept = await replay_kept(read, builder(), opener(tmp_path))
    assert TRIMMED in json.dumps(kept["turns"][0]["messages"])
    store = open_store(tmp_path / "history.db")
    (chat,) = await store.chats()
    texts = [record.entry.text for record in await store.path(chat.id) if isinstance(record.entry, Message)]
    await store.close()
    assert texts[:8] == [one["content"] for one in before]


@in_loop
async def test_a_file_sent_in_fifty_turns_is_kept_once(tmp_path: Path):
    text = "\n".join(f"line {number}: {number * 7919 % 65537}" for number in range(4000))
    turns = [
        {"user": f"Question {n}?", "reply": [{"role": "assistant", "content": f"Answer {n}."}]}
        for n in range(50)
    ]
    turns[0]["attach"] = [file("big.txt", text)]
    await replay_kept(parse_trajectory(trajectory(*turns)), builder(), opener(tmp_path))
    connection = connect(tmp_path / "history.db")
    (copies,) = connection.execute(
        "SELECT count(*) FROM content WHERE instr(CAST(body AS TEXT), 'line 3999: ') > 0"
    ).fetchone()
    connection.close()
    # The file itself, and the file in its tags as it was sent in the turn and in the library.
    assert copies <= 3
    assert (tmp_path / "history.db").stat().st_size < 4 * len(text) + 600_000
