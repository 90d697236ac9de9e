"""Watched requests made by hand: an agent that asks, calls a tool, and asks again with what it gave back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.engine import Bench, fake_bench
from workbench.domain.segment import LayerName
from workbench.domain.usage import Cost, Usage
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import (
    AgainstBefore,
    Finding,
    PieceKind,
    WatchedAnswer,
    WatchedPiece,
    WatchedRequest,
    WatchedTurn,
)
from workbench.engine.intents import ListChats, OpenChat
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.watch.stored_requests import Keeper

CONVERSATION = "5f0e3c"
STARTED = 1_767_225_600.0
TOOLS = ("Read", "Grep", "Write")
SYSTEM = "You are an agent that reads before it writes. " * 40

Block = tuple[str, str, str]
"""Kind, text, and the name of a tool."""


def tool(name: str) -> dict[str, Any]:
    """A tool as Anthropic is told of it."""
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    return {"name": name, "description": f"{name} something in the folder. " * 12, "input_schema": schema}


def body(messages: Sequence[tuple[str, Sequence[Block]]], model: str, tools: Sequence[str]) -> bytes:
    """The bytes of such a request, as a client in JavaScript writes them."""
    document = {
        "model": model,
        "messages": [{"role": role, "content": [_block(one) for one in said]} for role, said in messages],
        "system": [{"type": "text", "text": SYSTEM, "cache_control": {"type": "ephemeral"}}],
        "tools": [tool(name) for name in tools],
        "max_tokens": 32000,
        "stream": True,
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def _block(block: Block) -> dict[str, Any]:
    kind, text, name = block
    match kind:
        case "call":
            return {"type": "tool_use", "id": f"toolu_{name}", "name": name, "input": json.loads(text)}
        case "result":
            return {"type": "tool_result", "tool_use_id": f"toolu_{name}", "content": text}
        case _:
            return {"type": "text", "text": text}


def watched(
    n: int,
    messages: Sequence[tuple[str, Sequence[Block]]],
    answer: Sequence[Block] = (),
    model: str = "claude-sonnet-4-5",
    tools: Sequence[str] = TOOLS,
) -> tuple[WatchedTurn, Exchange]:
    """A request and what passed; who says what as a client would send it."""
    pieces = [
        WatchedPiece(f"tools[{place}]", "L1_SYSTEM", "tool", json.dumps(tool(name)), name=name, tokens=90)
        for place, name in enumerate(tools)
    ]
    pieces.append(WatchedPiece("system[0].text", "L1_SYSTEM", "system", SYSTEM, tokens=400, mark="5m"))
    last = max((place for place, (role, _) in enumerate(messages) if role == "assistant"), default=-1)
    for place, (_, said) in enumerate(messages):
        for at, block in enumerate(said):
            newest: LayerName = "L3_TURN" if block[0] == "result" else "L5_USER"
            layer = newest if place > last else "L4_STRIP"
            pieces.append(_piece(f"messages[{place}].content[{at}].text", layer, block, place))
    answered = tuple(_piece(f"content[{at}]", "L4_STRIP", one) for at, one in enumerate(answer))
    sent = body(messages, model, tools)
    request = WatchedRequest("anthropic", model, tuple(pieces), (("max_tokens", "32000"), ("stream", "true")))
    usage = Usage(request.tokens, 0, request.tokens, 92)
    turn = WatchedTurn(
        n,
        CONVERSATION,
        "claude-cli/2.1.197",
        STARTED + 60 * n,
        len(sent),
        request,
        WatchedAnswer(answered, usage, "end_turn"),
        AgainstBefore("first" if n == 1 else "extended"),
        status=200,
        first_byte_ms=310.0,
        total_ms=3400.0,
        cost=Cost(0.0918, "2026-10-01"),
        findings=(Finding("unused_tools", 180, "2 of 3 tools were never called.", "Turn them off."),),
    )
    exchange = Exchange(
        n,
        "anthropic",
        "POST",
        "/v1/messages?beta=true",
        turn.started_at,
        (("user-agent", "claude-cli/2.1.197"),),
        sent,
        len(sent),
        200,
    )
    return turn, exchange


def _piece(path: str, layer: LayerName, block: Block, message: int = 0) -> WatchedPiece:
    kinds: dict[str, PieceKind] = {
        "call": "call", "result": "result", "reminder": "reminder", "answer": "answer", "thought": "thought",
    }  # fmt: skip
    kind = kinds.get(block[0], "question")
    call = f"toolu_{block[2]}" if kind in ("call", "result") else ""
    tokens = len(block[1].split())
    return WatchedPiece(path, layer, kind, block[1], message=message, name=block[2], tokens=tokens, call=call)


QUESTION: Block = (
    "text",
    "Why does refresh() retry forever when the clock is behind? Look at src/auth.py.",
    "",
)
CALL: tuple[Block, ...] = (
    ("answer", "I will read the file and look for the loop.", ""),
    ("call", '{"path": "src/auth.py"}', "Read"),
)
RESULT: Block = ("result", "async def refresh():\n    while True:\n        await ask()\n" * 20, "Read")
ANSWER: tuple[Block, ...] = (("answer", "The loop ends only when the token is older than 60 seconds.", ""),)
GO_ON: Block = ("text", "Go on. Write a test first, with a clock that stands still.", "")


def agent_turns() -> list[tuple[WatchedTurn, Exchange]]:
    """Three requests: a question, the same with what its tool gave back, and a second question."""
    asked = [("user", (QUESTION,))]
    read = [*asked, ("assistant", CALL), ("user", (RESULT,))]
    more = [
        *read,
        ("assistant", ANSWER),
        ("user", (("reminder", "<reminder>Be brief.</reminder>", ""), GO_ON)),
    ]
    return [
        watched(1, asked, CALL),
        watched(2, read, ANSWER),
        watched(3, more, (("answer", "Here it is.", ""),)),
    ]


def changed_model(turn: WatchedTurn) -> WatchedTurn:
    """The same with a lost prefix."""
    words = ("The model changed.",)
    return replace(turn, against=AgainstBefore("changed", None, ("model", "tools"), 700, words))


async def watched_bench(*turns: tuple[WatchedTurn, Exchange]) -> Bench:
    """An engine in which these requests were watched and their conversation is open."""
    bench = fake_bench()
    keeper = Keeper(bench.world.store, FakeCatalogue(), "http://127.0.0.1:4040")
    for one in turns or agent_turns():
        await keeper.keep(*one)
    await bench.workbench.dispatch(ListChats(), OpenChat(CONVERSATION))
    return bench


def watched_state() -> tuple[WorkbenchState, ChatState]:
    """What a window shows of three watched requests, the last of which lost its prefix."""

    async def shown() -> WorkbenchState:
        first, second, (last, exchange) = agent_turns()
        bench = await watched_bench(first, second, (changed_model(last), exchange))
        state = bench.workbench.state
        await bench.workbench.close()
        return state

    state = asyncio.run(shown())
    return state, state.open[CONVERSATION]
