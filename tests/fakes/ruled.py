"""A watched conversation whose requests rules have changed, kept as a watch keeps it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.passing import passed, understanding
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedTurn
from workbench.domain.watch.rules import ProgramRules, parse_rule
from workbench.domain.workspace import EVERYWHERE, Workspace
from workbench.engine.intents import ListChats, OpenChat
from workbench.engine.watch.ruling import Ruling
from workbench.engine.watch.stored_requests import Keeper

NAMES = ("Read", "Bash", "Workflow", "CronCreate", "CronDelete")
RULES = ProgramRules(
    "Claude Code",
    tuple(
        map(
            parse_rule,
            ("tools.without=Workflow,CronCreate,CronDelete", "text.freeze=system[1].text", "cache.mark"),
        )
    ),
)


def ruled_turns(rules: ProgramRules = RULES, told: Sequence[int] = ()) -> list[tuple[WatchedTurn, Exchange]]:
    """Two requests of Claude Code through these rules: a question, and what a tool gave back a day later.

    `told` is how many tokens the server says that each of them has.
    """
    ruling, watch, found = Ruling((rules,), (), b"salt"), understanding(), []
    call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "a.py"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "def a():\n    return 1\n" * 20}
    said = [
        [{"role": "user", "content": [{"type": "text", "text": "What does a.py do?"}]}],
        [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}],
    ]
    messages: list[object] = []
    for n, more in enumerate(said, 1):
        messages += more
        system = ["You are Claude Code.", f"Be brief and careful.\nToday is 2026-11-1{n}."]
        body = {
            "model": "claude-sonnet-4-5",
            "tools": [
                {"name": name, "description": f"{name} does much. " * 80, "input_schema": {"type": "object"}}
                for name in NAMES
            ],
            "system": [{"type": "text", "text": text} for text in system],
            "messages": messages,
        }
        raw = json.dumps(body).encode()
        exchange = passed(n, "anthropic", raw, headers=(("user-agent", "claude-cli/2.1.197 (x)"),))
        changed = ruling.change(exchange, raw)
        answer = {
            "type": "message",
            "id": f"m{n}",
            "role": "assistant",
            "content": [call if n == 1 else TEXT],
        }
        usage = {"output_tokens": 9, **({"input_tokens": told[n - 1]} if told else {})}
        answered = json.dumps({**answer, "stop_reason": "end_turn", "usage": usage})
        sent = changed.body or raw
        exchange = replace(
            exchange, request=sent, came_in=raw if changed.body else b"", sent_bytes=len(sent), rules=changed.outcomes,
            answer=answered.encode(), answer_bytes=len(answered),
        )  # fmt: skip
        turn = watch.take(exchange)
        assert turn is not None
        found.append((turn, exchange))
    return found


TEXT = {"type": "text", "text": "It returns 1."}


async def ruled_bench(told: Sequence[int] = (), rules: ProgramRules = RULES) -> Bench:
    """An engine in which they were watched, their conversation open, with its program's rules."""
    bench = fake_bench()
    keeper = Keeper(bench.world.store, FakeCatalogue(), "http://127.0.0.1:4040")
    chat = [await keeper.keep(*one) for one in ruled_turns(rules, told)][-1]
    bench.world.workspaces.note(Workspace(EVERYWHERE, watched=(RULES,)))
    await bench.workbench.dispatch(ListChats(), OpenChat(chat))
    return bench
