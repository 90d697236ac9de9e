"""Exactly what goes out: the bytes that are shown are those that are sent."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.chat_model import FakeModel, FakeModels, calls, words
from tests.fakes.engine import SETTINGS, Bench, fake_bench, fake_world
from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.loop import in_calm_loop
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import artifact, build, user
from tests.fakes.wires import OpenAiWire
from workbench.context.outgoing import payload_messages
from workbench.domain.message import Image
from workbench.domain.request import Picture, WireForm
from workbench.engine.events import EnvelopeBuilt
from workbench.engine.intents import AttachArtifact, SendMessage, StartChat
from workbench.engine.wire_forms import outgoing_request, shown_digest, wire_form, wire_look
from workbench.engine.world import Limits
from workbench.providers.scripted import ScriptedModel

PICTURE = {"d": Picture("image/png", b"bytes")}


def seen() -> WireForm:
    """A form of a request with a picture whose bytes are not at hand."""
    built = build(SETTINGS, question=replace(user("q", "What is it?"), images=(Image("d", 3),)))
    request = outgoing_request(built, {}, {}, Limits())
    form = wire_form(built, request, ScriptedModel(Path("nowhere")))
    assert form is not None
    return form


def test_a_picture_that_is_not_at_hand_is_shown_empty_and_no_digest_is_given():
    """A digest of other bytes would accuse an honest request of not being the one that was shown."""
    form = seen()
    assert form.digest == ""
    assert form.messages[-1].pictures == 1
    assert form.body["messages"][-1]["content"][1]["image_url"]["url"] == "data:image/png;base64,"


def test_with_its_picture_a_request_has_its_digest():
    built = build(SETTINGS, question=replace(user("q"), images=(Image("d", 3),)))
    form = wire_form(built, outgoing_request(built, {}, PICTURE, Limits()), ScriptedModel(Path("nowhere")))
    assert form is not None
    assert len(form.digest) == 64
    # Nor are its messages made for that: a long chat's were 5 MB, and half of the time.
    assert "messages" not in vars(form)
    assert form.messages == payload_messages(built)


@pytest.mark.parametrize("odd", [object(), float("nan")])
def test_a_request_that_cannot_be_written_is_not_shown(odd: object):
    built, model = build(SETTINGS, question=user("q")), OpenAiWire().model("http://127.0.0.1:9")
    request = outgoing_request(built, {"temperature": odd}, {}, Limits())
    assert wire_form(built, request, model) is None
    world = fake_world(models=FakeModels(model))
    assert shown_digest(built, {"temperature": odd}, world) == ""


def test_a_name_that_says_nothing_is_not_shown():
    built = build(replace(SETTINGS, model="nonsense:"), question=user("q"))
    assert wire_look(built, {}, fake_world())() is None


def test_nothing_is_written_until_someone_looks_and_then_once():
    class Counting(FakeModel):
        looks = 0

        def wire(self, request):
            self.looks += 1
            return super().wire(request)

    model = Counting([words("Yes.")])
    look = wire_look(build(SETTINGS, question=user("q")), {"top_p": 1}, fake_world(models=FakeModels(model)))
    assert model.looks == 0
    assert look() is look()
    assert model.looks == 1
    form = look()
    assert form is not None
    assert form.body["top_p"] == 1


async def kept_digests(bench: Bench) -> tuple[str, str]:
    turn = await bench.world.store.last_turn("talk")
    assert turn is not None
    noted = (turn.usage or {})["request"]
    return noted["shown_digest"], noted["sent_digest"]


@in_calm_loop
async def test_bytes_shown_are_bytes_sent_from_the_view_to_the_socket():
    """One line of builders from the inspector to the wire: if they were two, this is where they would differ."""

    async def act(connection: Connection) -> None:
        await connection.head()
        await connection.send(OpenAiWire().text("Yes."), OpenAiWire().finish())

    async with FaultServer({"play": act}) as server:
        bench = fake_bench(models=FakeModels(OpenAiWire().model(server.url("play"))), parameters={"seed": 7})
        await bench.workbench.dispatch(StartChat("talk", SETTINGS, parameters={"temperature": 0.5}))
        await bench.workbench.dispatch(AttachArtifact("talk", artifact("a.md", "Älpha.")))
        await bench.do(SendMessage("talk", "What is in it?"))
        (sent,) = [event.prepared for event in bench.told(EnvelopeBuilt)]
        form = wire_look(sent.built, {"temperature": 0.5}, bench.world)()
        await bench.workbench.close()
    arrived = next(asked.body for asked in server.asked if asked.method == "POST")
    assert form is not None
    assert json.loads(arrived) == form.body
    assert (form.body["temperature"], form.body["seed"]) == (0.5, 7)
    assert await kept_digests(bench) == (form.digest, form.digest)
    (row,) = bench.workbench.state.open["talk"].turns
    assert (row.digest, row.shown_digest) == (form.digest, form.digest)
    texts = ["".join(piece.text for piece in message.pieces) for message in form.messages]
    assert texts == [message["content"] for message in form.body["messages"]]


@in_calm_loop
async def test_of_several_requests_the_last_one_is_noted():
    box = FakeToolbox({"a.md": "Alpha."})
    bench = fake_bench(calls(("read", '{"path": "a.md"}')), words("So."), toolbox=box)
    await bench.start(settings=replace(SETTINGS, tools=tuple(tool.definition for tool in box.tools)))
    await bench.do(SendMessage("talk", "What is in it?"))
    first, last = (bench.model.wire(request).digest for request in bench.model.requests)
    assert first != last
    assert await kept_digests(bench) == (last, last)
