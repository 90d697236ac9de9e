"""What an offer costs: counted as it would be sent, once, and about where it is very long."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.loop import in_calm_loop
from tests.fakes.secret_texts import GITHUB
from tests.fakes.turns import fake_builder
from workbench.context.request_cost import attached_tokens
from workbench.domain.files.attached import Attached, AttachedPicture, CannotAttach
from workbench.domain.files.attachment import Artifact
from workbench.engine import completion as sources
from workbench.engine.completion import Cost, Costs, cost_of

COUNTER = fake_builder(WORD_MODEL).counters.counter("exact", WORD_MODEL)
NOTES = Artifact("notes.md", "file", "one two three\n")


async def opened() -> Bench:
    bench = fake_bench()
    await bench.start()
    await bench.calm()
    return bench


@in_calm_loop
async def test_it_is_made_once_and_remembered_for_a_model():
    bench = await opened()
    chat, costs, made = bench.workbench.state.open["talk"], Costs(bench.world), []

    async def make() -> Artifact:
        made.append(1)
        return NOTES

    assert costs.known(chat, "notes") is None
    first = await costs.of(chat, "notes", make)
    assert first == Cost(attached_tokens(NOTES, COUNTER))
    assert await costs.of(chat, "notes", make) == costs.known(chat, "notes") == first
    assert made == [1]
    other = replace(chat, chat=replace(chat.chat, settings=replace(chat.chat.settings, counter="chars4")))
    assert costs.known(other, "notes") is None
    assert (await costs.of(other, "notes", make)).estimated


@in_calm_loop
async def test_what_cannot_be_had_says_why_and_a_picture_costs_about_so_much():
    bench = await opened()
    chat, costs = bench.workbench.state.open["talk"], Costs(bench.world)

    async def refuse() -> Artifact:
        raise CannotAttach("x", "it is a device, not a file", "Attach a file.")

    async def nothing() -> None:
        return None

    async def picture() -> Attached:
        shown = AttachedPicture("image/png", 1024, 1024)
        return Attached(Artifact("p.png", "image", shown.described), b"", "ab", "", shown)

    assert (await costs.of(chat, 1, refuse)).problem == "it is a device, not a file"
    assert (await costs.of(chat, 2, nothing)).problem == "it is not there any more"
    cost = await costs.of(chat, 3, picture)
    assert cost.estimated
    assert (cost.tokens or 0) > 100


@in_calm_loop
async def test_a_password_that_is_replaced_before_it_is_sent_is_counted_as_what_is_sent():
    bench = await opened()
    bench.world.builder.guard.prefer("replace")
    chat, costs = bench.workbench.state.open["talk"], Costs(bench.world)
    secret = Artifact("s.env", "file", f"TOKEN={GITHUB} and more\n")

    async def make() -> Artifact:
        return secret

    sent = costs._sendable(secret, chat)
    assert GITHUB not in sent.text
    assert await costs.of(chat, "secret", make) == Cost(attached_tokens(sent, COUNTER))


def test_a_very_long_text_is_counted_in_part(monkeypatch):
    monkeypatch.setattr(sources, "LONGEST_COUNTED", 10_000)
    monkeypatch.setattr(sources, "_SAMPLE", 2_000)
    long = replace(NOTES, text="word " * 8_000)
    exact, about = attached_tokens(long, COUNTER), cost_of(long, COUNTER)
    assert about.estimated
    assert about.tokens is not None
    assert abs(about.tokens - exact) < 0.1 * exact
