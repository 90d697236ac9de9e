"""`workbench ask --dry-run`: shown is what would be sent; nothing is sent and nothing is kept."""

from __future__ import annotations

import json

import pytest

from tests.cli.ask.test_command import Setup
from tests.fakes.chat_model import FakeModels, words
from tests.fakes.engine import SETTINGS, fake_bench
from tests.fakes.loop import in_loop
from tests.fakes.recording_server import RECORDED_WIRES, AnyWire, RecordingServer
from workbench.cli.ask.asking import Asking, Text, show_request
from workbench.domain.errors import NotKept

Capture = pytest.CaptureFixture[str]


def test_the_layers_are_shown_and_nothing_is_sent_or_kept(capsys: Capture):
    setup = Setup(words("One."), **{"a.md": "alpha"})
    assert setup.ask("One?") == 0
    [chat] = setup.access.store._chats
    capsys.readouterr()
    dry = ("--dry-run", "--chat", chat, "--attach", "a.md", "--set", "history.threshold=0.5")
    assert setup.ask("Two?", *dry) == 0
    told = capsys.readouterr().out
    assert (told.startswith("turn 2  not sent"), "a.md" in told) == (True, True)
    assert len(setup.model.requests) == 1
    kept = setup.access.store._chats[chat]
    assert (kept.attached, kept.chat.settings.history.threshold) == ((), SETTINGS.history.threshold)
    assert [message.id for message in kept.records.values()] == ["message1", "message2"]


def test_the_report_is_that_of_the_turn_when_it_is_asked(capsys: Capture):
    setup = Setup(words("One."), words("Two."))
    assert setup.ask("One?") == 0
    [chat] = setup.access.store._chats
    capsys.readouterr()
    assert setup.ask("Two?", "--chat", chat, "--dry-run", "--json") == 0
    shown = json.loads(capsys.readouterr().out.replace("message3", "message4"))
    assert setup.ask("Two?", "--chat", chat, "--json") == 0
    sent = json.loads(capsys.readouterr().out)["report"]
    assert shown == sent


def test_a_request_that_could_not_be_sent_is_said(capsys: Capture):
    setup = Setup()
    setup.access.keys.status()
    assert setup.ask("word " * 2000, "--set", "context_window=100", "--dry-run") == 1
    assert "over the" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [("--payload",), ("More?", "--dry-run")])
def test_wrong_usage_is_told(wrong: tuple[str, ...]):
    assert Setup().ask("Q", *wrong) == 2


@pytest.mark.parametrize("wire", RECORDED_WIRES, ids=lambda wire: type(wire).__name__)
def test_the_payload_is_the_body_that_is_sent(wire: AnyWire, capfdbinary: pytest.CaptureFixture[bytes]):
    bodies: list[bytes] = []

    @in_loop
    async def ask() -> None:
        async with RecordingServer(wire) as server:
            bench = fake_bench(models=FakeModels(server.model()))
            await bench.start()
            for dry in (True, False):
                asking = Asking(False, False, dry=dry, payload=dry)
                assert await asking.all([Text('Größe "of" it?')], "talk", bench.workbench) == 0
            bodies.extend(server.bodies)

    ask()
    [body] = bodies
    told = capfdbinary.readouterr()
    assert told.out.startswith(body + b"\n")
    assert b"POST http://127.0.0.1" in told.err
    assert b"content-type: application/json\n" in told.err


@in_loop
async def test_what_cannot_be_written_is_said():
    bench = fake_bench()
    await bench.start()
    prepared = bench.workbench.state.open["talk"].prepared
    assert prepared is not None
    with pytest.raises(NotKept, match="Nothing was sent"):
        show_request(prepared, None, as_json=False, payload=True)
