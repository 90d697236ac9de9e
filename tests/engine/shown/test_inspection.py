"""Requests that were sent, looked at again."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import calls, words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_calm_loop
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import artifact, fake_builder
from workbench.domain.record import TurnRecord
from workbench.engine.events import EnvelopeBuilt
from workbench.engine.intents import AttachArtifact, ChangeSettings, DetachArtifacts, SendMessage
from workbench.engine.shown.inspection import difference, stored_report

BUILTIN = replace(WORD_MODEL, provider="builtin", cache_rules="llamacpp")


async def two_turns(bench: Bench, *between: object) -> tuple[TurnRecord, TurnRecord]:
    await bench.start()
    await bench.do(SendMessage("talk", "First?"))
    for intent in between:
        await bench.workbench.dispatch(intent)  # type: ignore[arg-type]
    await bench.do(SendMessage("talk", "Second?"))
    first, second = await bench.world.store.turns("talk")
    return first, second


@in_calm_loop
async def test_a_stored_request_has_the_report_it_had_when_it_was_sent():
    bench = fake_bench(builder=fake_builder(BUILTIN))
    turns = await two_turns(bench, AttachArtifact("talk", artifact("a.md", "Alpha.")))
    sent = [event.prepared.report for event in bench.told(EnvelopeBuilt)]
    for turn, before, report in zip(turns, (None, turns[0]), sent, strict=True):
        again = stored_report(turn, before, bench.world.builder)
        again["metrics"]["build_ms"] = report["metrics"]["build_ms"]
        assert again == report
    assert sent[0]["cache"] == {
        "provider": "builtin", "predicted_read_tokens": 0, "predicted_write_tokens": 13, "fresh_tokens": 0,
        "price_usd": 0.0, "warm_s": None,
    }  # fmt: skip


@in_calm_loop
async def test_a_request_with_tools_is_sound_too():
    box = FakeToolbox({"a.md": "Alpha."})
    bench = fake_bench(calls(("read", '{"path": "a.md"}')), words("So."), toolbox=box)
    await bench.start(settings=replace(SETTINGS, tools=(box.tools[0].definition,)))
    await bench.do(SendMessage("talk", "Well?"))
    (turn,) = await bench.world.store.turns("talk")
    report = stored_report(turn, None, bench.world.builder)
    assert report["violations"] == []
    (turn_layer,) = [layer for layer in report["layers"] if layer["name"] == "L3_TURN"]
    assert [segment["kind"] for segment in turn_layer["segments"]] == ["assistant", "tool"]
    # On the wire they stand after the question.
    last = max(segment["position"] for layer in report["layers"] for segment in layer["segments"])
    assert turn_layer["segments"][-1]["position"] == last


@in_calm_loop
async def test_a_difference_names_what_came_what_went_and_what_changed():
    settings = replace(SETTINGS, system_prompt="Be very kind.")
    bench = fake_bench(words("One."))
    await bench.start()
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("a.md", "Alpha.")))
    await bench.do(SendMessage("talk", "First?"))
    await bench.workbench.dispatch(DetachArtifacts("talk", ("a.md",)))
    await bench.workbench.dispatch(ChangeSettings("talk", settings))
    await bench.do(SendMessage("talk", "Second?"))
    first, second = await bench.world.store.turns("talk")
    found = difference(first, second, bench.world.builder)
    marks = {(mark, layer) for mark, layer, _, _ in found.rows}
    assert {("removed", "L3_TURN"), ("changed", "L1_SYSTEM"), ("added", "L4_STRIP")} <= marks
    changed = next(row for row in found.rows if row[0] == "changed")
    assert changed[3] == "6 → 7"
    document = found.document
    assert (document["from_turn"], document["to_turn"], document["change"]) == (1, 2, "diverged")
    assert document["diverges_at"]["layer"] == "L1_SYSTEM"
    assert {"cause": "settings", "subject": "system"} in document["causes"]
    assert len(document["segments"]) == len(found.rows)


@in_calm_loop
async def test_a_request_does_not_differ_from_itself():
    bench = fake_bench()
    first, _ = await two_turns(bench)
    found = difference(first, first, bench.world.builder)
    assert (found.rows, found.change.change, found.document["diverges_at"]) == ((), "identical", None)
