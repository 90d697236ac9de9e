"""What a question's commands read is in the request before it is sent, and that is what is sent."""

from __future__ import annotations

import asyncio

from tests.fakes.chat_model import words
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.toolbox import FakeToolbox
from workbench.engine.intents import EditDraft, EditInPlace, EditQuestion, OpenTurn, SendMessage
from workbench.engine.open_chat import requests as commands_ahead

ASK = "What does @read a.md say?"


async def writing(box: FakeToolbox, text: str = ASK) -> Bench:
    bench = fake_bench(words("So."), words("So."), toolbox=box)
    await bench.start()
    await bench.workbench.dispatch(EditDraft("talk", text))
    return bench


def turn_rows(bench: Bench) -> list[str]:
    view = bench.workbench.state.open["talk"].view
    assert view is not None
    return [row.key.id for row in view.layers[3].rows if row.counted]


class CountingToolbox(FakeToolbox):
    """Counts what is read → Toolbox."""

    reads = 0

    def done(self, name: str, arguments: object) -> object:  # type: ignore[override]
        """One more."""
        self.reads += 1
        return super().done(name, arguments)  # type: ignore[arg-type]


@in_calm_loop
async def test_what_a_command_reads_is_shown_before_it_is_sent_and_sent_as_shown():
    """@read showed 251 tokens and sent 1,540."""
    box = FakeToolbox({"a.md": "Alpha. " * 50})
    bench = await writing(box)
    assert turn_rows(bench) == []
    await until(lambda: turn_rows(bench) == ["turn1:command:1"])
    shown = bench.workbench.state.open["talk"].view
    assert shown is not None
    box.files["a.md"] = "Changed since."
    await bench.do(SendMessage("talk", ASK, drafted=True))
    await bench.workbench.dispatch(OpenTurn("talk", 1))
    sent = bench.workbench.state.open["talk"].opened
    assert sent is not None
    assert (sent.digest, sent.total_tokens) == (shown.digest, shown.total_tokens)


@in_calm_loop
async def test_commands_are_run_by_their_content_and_never_by_the_key(monkeypatch):
    monkeypatch.setattr(commands_ahead, "SETTLE_S", 0.02)
    box = CountingToolbox({"a.md": "Alpha.", "a.m": "Other."})
    bench = await writing(box, "@read a")
    for text in ("@read a.", "@read a.m", "@read a.md", "@read a.md please", "@read a.md please explain"):
        await bench.workbench.dispatch(EditDraft("talk", text))
    await until(lambda: turn_rows(bench) == ["turn1:command:1"])
    await bench.workbench.dispatch(EditDraft("talk", "@read a.md please explain it"))
    await asyncio.sleep(0.05)
    assert box.reads == 1
    await bench.workbench.dispatch(EditDraft("talk", "no command"))
    assert turn_rows(bench) == []


@in_calm_loop
async def test_what_was_sent_is_read_anew_for_the_next_question():
    box = FakeToolbox({"a.md": "Alpha."})
    bench = await writing(box)
    await until(lambda: turn_rows(bench) != [])
    await bench.do(SendMessage("talk", ASK, drafted=True))
    box.files["a.md"] = "Beta."
    await bench.do(SendMessage("talk", ASK))
    assert "Beta." in bench.model.requests[1].messages[-1].text


@in_calm_loop
async def test_an_edit_s_commands_are_shown_before_it_is_sent_too():
    box = FakeToolbox({"a.md": "Alpha. " * 50, "b.md": "Beta. " * 70})
    bench = await writing(box)
    await bench.do(SendMessage("talk", ASK, drafted=True))
    question = bench.workbench.state.open["talk"].records[0].id
    other = "And what does @read b.md say?"
    await bench.workbench.dispatch(EditInPlace("talk", question, other))

    def edited() -> list[str]:
        edit = bench.workbench.state.open["talk"].edits.get(question)
        return [] if edit is None or edit.view is None else [row.name for row in edit.view.layers[3].rows]

    await until(lambda: edited() == ["@read b.md"])
    shown = bench.workbench.state.open["talk"].edits[question].view
    assert shown is not None
    box.files["b.md"] = "Changed since."
    await bench.do(EditQuestion("talk", question, other))
    await bench.workbench.dispatch(OpenTurn("talk", 1))
    sent = bench.workbench.state.open["talk"].opened
    assert sent is not None
    assert (sent.digest, sent.total_tokens) == (shown.digest, shown.total_tokens)


@in_calm_loop
async def test_what_comes_too_late_is_not_served_to_the_next_question(monkeypatch):
    monkeypatch.setattr(commands_ahead, "SETTLE_S", 0.0)
    box = CountingToolbox({"a.md": "Old."}, waits_s=0.05)
    bench = await writing(box)
    await until(lambda: any("commands ahead" in task.get_name() for task in bench.world.tasks._running))
    await asyncio.sleep(0.01)
    opened = bench.workbench._open.of("talk")
    assert opened is not None
    ahead = opened.asking.commands
    assert ahead.taken() == {}
    await bench.calm()
    box.files["a.md"] = "New."
    assert ahead.results(ASK, 2) == ()
