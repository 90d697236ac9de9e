"""A provider's own account of its cache, from the socket to what is kept, shown and told."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from tests.fakes.anthropic_server import WIRE
from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModels
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.loop import in_calm_loop
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import fake_builder
from tests.fakes.wires import MODEL, QUICK
from workbench.cli.ask.json_lines import turn_line
from workbench.domain.caching import ProviderSays
from workbench.domain.message import ToolCall
from workbench.engine.events import EnvelopeBuilt
from workbench.engine.intents import OpenTurn, SendMessage
from workbench.engine.turn.outcome import last_answer_id
from workbench.providers.anthropic.model import AnthropicModel
from workbench.providers.wire.endpoint import endpoint_of
from workbench.ui.inspector.rows.verdict_words import turn_description

CARD = replace(WORD_MODEL, cache_rules="anthropic", context_window_tokens=8000)
BOX = FakeToolbox({"a.md": "Alpha."})


@dataclass
class Diagnosing:
    """Compares each request with the one that it names, as Anthropic does, and keeps all of them."""

    bodies: list[dict[str, Any]] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)

    async def act(self, connection: Connection) -> None:
        if connection.asked.method != "POST":
            await connection.whole(b"{}", "application/json")
            return
        self.bodies.append(json.loads(connection.asked.body))
        message = {
            "id": f"msg_{len(self.bodies)}",
            "role": "assistant",
            "usage": {},
            "diagnostics": self._found(),
        }
        await connection.head()
        await connection.send(WIRE.raw({"type": "message_start", "message": message}))
        if self.calls:
            await connection.send(WIRE.calls(self.calls.pop()), WIRE.finish("tool_calls"))
        else:
            await connection.send(WIRE.text("Yes."), WIRE.finish())

    def _found(self) -> dict[str, Any] | None:
        named = self.bodies[-1]["diagnostics"]["previous_message_id"]
        if named is None:
            return None
        before, now = self.bodies[int(named.removeprefix("msg_")) - 1], self.bodies[-1]
        for part in ("system", "tools"):
            if before.get(part) != now.get(part):
                return {"cache_miss_reason": {"type": f"{part}_changed", "cache_missed_input_tokens": 40}}
        return None


async def bench_at(server: FaultServer) -> Bench:
    endpoint = endpoint_of(f"anthropic:{MODEL}", lambda _: None, server.url("play"))
    model = AnthropicModel(endpoint, waits=QUICK, diagnosed=True)
    bench = fake_bench(models=FakeModels(model), builder=fake_builder(CARD), toolbox=BOX)
    tools = tuple(tool.definition for tool in BOX.tools)
    await bench.start(settings=replace(SETTINGS, tools=tools, layout="append_only"))
    return bench


@in_calm_loop
async def test_each_request_names_the_answer_before_it_and_what_comes_back_is_kept_and_shown():
    diagnosing = Diagnosing()
    async with FaultServer({"play": diagnosing.act}) as server:
        bench = await bench_at(server)
        await bench.do(SendMessage("talk", "One?"))
        diagnosing.calls.append(ToolCall("toolu_1", "read", '{"path": "a.md"}'))
        await bench.do(SendMessage("talk", "Two?"))
        chat = bench.workbench.state.open["talk"].chat
        other = replace(chat.settings, system_prompt="Be brief.")
        await bench.world.store.save_chat(replace(chat, settings=other))
        ended = await bench.do(SendMessage("talk", "Three?"))
        # The request that is being typed is shown with the name that it will be sent with.
        await bench.calm()
        view = bench.workbench.state.open["talk"].view
        assert view is not None
        shown = view.wire()
        assert shown is not None
        assert shown.body["diagnostics"] == {"previous_message_id": "msg_4"}
        for number in (1, 2, 3):
            await bench.workbench.dispatch(OpenTurn("talk", number))
            opened = bench.workbench.state.open["talk"].opened
            assert opened is not None
            form = opened.wire()
            row = bench.workbench.state.open["talk"].turns[number - 1]
            assert form is not None
            assert form.digest == row.digest == row.shown_digest != ""
        await bench.workbench.close()
    named = [body["diagnostics"]["previous_message_id"] for body in diagnosing.bodies]
    # The second turn asked twice, because of its tool.
    assert named == [None, "msg_1", "msg_2", "msg_3"]
    rows = bench.workbench.state.open["talk"].turns
    assert [row.says for row in rows] == [
        None,
        ProviderSays("unchanged"),
        ProviderSays("system_changed", 40),
    ]
    assert last_answer_id(await bench.world.store.turn_lines("talk")) == "msg_4"
    told = "The provider says: the instructions changed since the last request."
    assert told in turn_description(rows[2])
    sent = [event.prepared for event in bench.told(EnvelopeBuilt)]
    line = turn_line("talk", ended.outcome, sent[-1])
    assert line["cache"]["provider_says"] == {"reason": "system_changed", "missed_tokens": 40}
