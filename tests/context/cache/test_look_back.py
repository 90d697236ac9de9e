"""However much tools did in a turn, the next request finds what the last one wrote: recorded bodies, read by rule."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.anthropic_server import AnthropicWire
from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModels
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_calm_loop
from tests.fakes.pictures import png
from tests.fakes.provider_caches import MarkedCache, Tokens
from tests.fakes.recording_server import RecordingServer
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import artifact, fake_builder
from tests.fakes.wires import OpenAiWire
from workbench.context.outgoing import payload_messages
from workbench.domain.message import ToolCall
from workbench.domain.request import PayloadMessage
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.events import EnvelopeBuilt
from workbench.engine.intents import AttachArtifact, AttachPicture, SendMessage
from workbench.providers.cache_rules import Rulebook, load_rules
from workbench.providers.openai.body import Dialect
from workbench.providers.openai.model import OpenAiModel
from workbench.sources.resources import resource_path

MINIMUM = 24
RULES = load_rules(resource_path("cache-rules.toml"))
BOX = FakeToolbox({"a.md": "Alpha."})
REPLY = 2
Block = tuple[Tokens, bool]


async def bench_at(server: RecordingServer, rules: str, layout: Any) -> Bench:
    card = replace(
        WORD_MODEL, cache_rules=rules, context_window_tokens=40_000, reply_tokens=REPLY, images=True
    )
    book = Rulebook({rules: replace(RULES.by_id[rules], minimum_tokens=MINIMUM)})
    model = server.model()
    if isinstance(model, OpenAiModel):
        model._dialect = Dialect(marks=True, thoughts=False)
    bench = fake_bench(
        models=FakeModels(model), builder=replace(fake_builder(card), rulebook=book), toolbox=BOX
    )
    tools = tuple(tool.definition for tool in BOX.tools)
    settings = replace(SETTINGS, tools=tools, layout=layout, system_prompt="Be brief and kind, " * 6)
    await bench.start(settings=settings)
    return bench


def reading(number: int, at_once: int = 1) -> tuple[ToolCall, ...]:
    """What a model wants read in one round."""
    return tuple(ToolCall(f"toolu_{number}_{place}", "read", '{"path": "a.md"}') for place in range(at_once))


async def twelve_turns(bench: Bench, server: RecordingServer) -> list[Prepared]:
    """Files that come and go, pictures, a turn of many rounds, and one of many calls at once."""
    for turn in range(1, 13):
        if turn in (2, 5, 9):
            await bench.workbench.dispatch(
                AttachArtifact("talk", artifact(f"f{turn}.md", f"file {turn} " * 20))
            )
        if turn == 8:
            for size in range(1, 25):
                await bench.workbench.dispatch(AttachPicture("talk", png(size, size)))
        if turn in (3, 4, 10):
            server.calls = [reading(100 * turn + number) for number in range(8)]
        if turn == 6:
            server.calls = [reading(60, 12)]
        if turn == 11:
            server.calls = [reading(110, 3), reading(111, 15)]
        server.answer = f"Answer {turn}, and some more words."
        await bench.do(SendMessage("talk", f"Question {turn}, what of it?"))
    return [event.prepared for event in bench.told(EnvelopeBuilt)]


def row_blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def anthropic_blocks(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for block in body.get("system", ()):
        yield "system", block
    # Pictures that come or go change what the messages are read as.
    seen = "pictures" if '"image"' in json.dumps(body["messages"]) else ""
    for message in body["messages"]:
        for block in message["content"]:
            yield f"{message['role']} {seen}", block


def layer_costs(row: PayloadMessage) -> list[int]:
    """What the instructions cost, and what the library."""
    pieces = list(zip(row.pieces, row.piece_tokens, strict=True))
    layers = dict.fromkeys(piece.layer for piece in row.pieces)
    return [sum(cost for piece, cost in pieces if piece.layer == layer) for layer in layers]


def told_of(body: dict[str, Any], tokens: int) -> list[Block]:
    """The tools, which stand before everything."""
    names = json.dumps([{**tool, "cache_control": None} for tool in body.get("tools", ())])
    return [([("tools", names), *[("", 0)] * (tokens - 1)], False)] if tokens else []


def anthropic_request(body: dict[str, Any], prepared: Prepared) -> list[Block]:
    """A recorded request in blocks; each has as many tokens as the envelope says of its part of it."""
    rows = payload_messages(prepared.built)
    total = prepared.built.envelope.total_tokens
    costs: list[int] = []
    for row in rows:
        if row.role == "system":
            costs += layer_costs(row)
            continue
        said = bool("".join(piece.text for piece in row.pieces).strip())
        number = 1 if row.role == "tool" else said + row.pictures + len(row.calls)
        costs += [*[1] * (number - 1), row.tokens - number + 1]
    costs[-1] -= REPLY
    tools = total - REPLY - sum(costs)
    found = told_of(body, tools)
    blocks = list(anthropic_blocks(body))
    assert len(blocks) == len(costs)
    for (role, block), cost in zip(blocks, costs, strict=True):
        told = {name: value for name, value in block.items() if name != "cache_control"}
        found.append(([(role, json.dumps(told)), *[("", 0)] * (cost - 1)], "cache_control" in block))
    assert sum(len(tokens) for tokens, _ in found) == total - REPLY
    return found


def openai_request(body: dict[str, Any], prepared: Prepared) -> list[Block]:
    """The same for a request in chat completions, where the newest message is marked by the provider."""
    rows = payload_messages(prepared.built)
    total = prepared.built.envelope.total_tokens
    tools = total - sum(row.tokens for row in rows)
    found = told_of(body, tools)
    newest = max(n for n, message in enumerate(body["messages"]) if message["role"] != "assistant")
    for number, (row, message) in enumerate(zip(rows, body["messages"], strict=True)):
        blocks = row_blocks(message)
        cut = row.role == "system" and len(blocks) > 1
        costs = layer_costs(row) if cut else [*[1] * (len(blocks) - 1), row.tokens - len(blocks) + 1]
        if number == len(rows) - 1:
            costs[-1] -= REPLY
        for place, (block, cost) in enumerate(zip(blocks, costs, strict=True)):
            last = place == len(blocks) - 1
            told = {name: value for name, value in block.items() if name != "prompt_cache_breakpoint"}
            beside = {
                name: message[name] for name in ("tool_calls", "tool_call_id") if name in message and last
            }
            marked = "prompt_cache_breakpoint" in block or (number == newest and last)
            found.append(([(message["role"], json.dumps([told, beside])), *[("", 0)] * (cost - 1)], marked))
    return found


@pytest.mark.parametrize("layout", ["layered", "append_only"])
@in_calm_loop
async def test_twelve_turns_at_anthropic_are_served_as_foretold(layout: Any):
    """Tools, files, pictures, more blocks in a turn than the provider looks back through."""
    async with RecordingServer(AnthropicWire()) as server:
        bench = await bench_at(server, "anthropic", layout)
        sent = await twelve_turns(bench, server)
        await bench.workbench.close()
    cache = MarkedCache(MINIMUM)
    bodies = [json.loads(body) for body in server.bodies]
    assert len(bodies) == len(sent) > 30
    for number, (body, prepared) in enumerate(zip(bodies, sent, strict=True)):
        blocks = anthropic_request(body, prepared)
        assert sum(marked for _, marked in blocks) + json.dumps(body.get("tools")).count("cache_control") <= 4
        assert blocks[-1][1]
        found = prepared.forecast
        assert found is not None
        told = (found.predicted_read_tokens, found.predicted_write_tokens)
        assert told == cache.ask(blocks), f"request {number + 1}"
        assert found.limit != "lookback_exceeded", f"request {number + 1}"


@pytest.mark.parametrize("layout", ["layered", "append_only"])
@in_calm_loop
async def test_twelve_turns_at_openai_are_served_as_foretold(layout: Any):
    async with RecordingServer(OpenAiWire()) as server:
        bench = await bench_at(server, "openai-5.6", layout)
        sent = await twelve_turns(bench, server)
        await bench.workbench.close()
    cache = MarkedCache(MINIMUM, lookback=10_000)
    for body, prepared in zip(map(json.loads, server.bodies), sent, strict=True):
        found = prepared.forecast
        assert found is not None
        told = (found.predicted_read_tokens, found.predicted_write_tokens)
        assert told == cache.ask(openai_request(body, prepared))
