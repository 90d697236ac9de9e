"""How fast a request is ready after a keystroke, a slider move and a reopening, as ratios in one run.

F is counting only the text that changed; U is one pass of the tokenizer over the whole conversation. A keystroke has
its goal beside F with the frozen values that hold the text made anew: Python takes about as long for these as tiktoken
for a short question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from tests.benchmarks.running.figures import Figure, Means, at_most, in_turn, middle, ratio, timed
from tests.benchmarks.running.workload import (
    ENCODING,
    NARROW,
    WIDE,
    Talk,
    Workload,
    fresh,
    new_builder,
    tokenizer,
    workload,
)
from workbench.context.outgoing import neutral_messages
from workbench.domain.change import Built
from workbench.domain.envelope import Layer, WireMessage
from workbench.domain.message import Message
from workbench.domain.text import digest_text
from workbench.engine.assembly.building import Preview
from workbench.engine.assembly.prepare import Builder, Prepared, prepare_turn

FEW, MANY, MOST = 50, 1_000, 10_000
LENGTHS = (FEW, 200, MANY, MOST)
KEYS, PASSES = 100, 5


def figures(means: Means) -> Iterator[Figure]:
    """Keystrokes of all lengths in turn; then, length by length, what is done once."""
    builder = new_builder()
    loads = {turns: workload(turns) for turns in LENGTHS}
    talks = {turns: Talk(load, builder) for turns, load in loads.items()}
    yield from keystrokes(talks, builder, means)
    for turns, talk in talks.items():
        yield from openings(talk, builder, turns, means)
    yield from sliders(talks[MANY], builder, means)
    yield from over_its_budget(loads[MANY], builder, means)


def keystrokes(talks: dict[int, Talk], builder: Builder, means: Means) -> Iterator[Figure]:
    """A letter more, beside counting only the question, at every length in the same laps."""
    works: dict[str, Callable[[int], object]] = {}
    for turns, talk in talks.items():
        works[f"keystroke {turns}"] = _typing(talk, builder)
        works[f"F {turns}"] = partial(_counted, talk.question)
        works[f"values {turns}"] = _counted_with_its_values(talk, builder)
    taken = in_turn(means.laps(KEYS), works)
    for turns in talks:
        ours, changed = taken[f"keystroke {turns}"], taken[f"F {turns}"]
        yield middle(f"keystroke, {turns:,} turns", ours)
        yield ratio(f"keystroke ÷ F, {turns:,} turns", ours, changed, against="F")
        name, goal = (
            f"keystroke ÷ F with its values, {turns:,} turns",
            at_most(2.5) if turns == MANY else None,
        )
        yield ratio(name, ours, taken[f"values {turns}"], goal, "F with its values")
    few = taken[f"keystroke {FEW}"]
    for turns, bound in ((MANY, 1.5), (MOST, 2.0)):
        name = f"keystroke at {turns:,} turns ÷ at {FEW}"
        yield ratio(name, taken[f"keystroke {turns}"], few, at_most(bound))


def _typing(talk: Talk, builder: Builder) -> Callable[[int], Prepared]:
    preview = Preview(builder)
    preview.prepare(talk.conversation, talk.ask(0))
    return lambda number: preview.prepare(talk.conversation, talk.ask(number + 1))


def _counted_with_its_values(talk: Talk, builder: Builder) -> Callable[[int], Prepared]:
    """The text that changed, counted and digested, and each value of a request that holds it made anew."""
    last = Preview(builder).prepare(talk.conversation, talk.ask(0))
    inputs, old = last.built.inputs, last.built.envelope
    asking, forecast = talk.ask(0).question, last.forecast
    assert asking is not None
    assert forecast is not None

    def made(number: int) -> Prepared:
        text = talk.question + "y" * number
        tokens, question = tokenizer().count(text), Message(asking.id, "user", (text,))
        segment = replace(old.layers[-1].segments[-1], text=text, content_digest=digest_text(text))
        layers = (*old.layers[:-1], Layer("L5_USER", (segment,), (tokens,)))
        messages = (*old.messages[:-1], WireMessage(asking.id, "user", (segment,)))
        envelope = replace(old, layers=layers, messages=messages, total_tokens=old.total_tokens + tokens)
        asked = replace(inputs, question=question)
        expected = replace(forecast, fresh_tokens=tokens)
        return replace(last, built=Built(asked, envelope), sendable=asked, forecast=expected)

    return made


def _counted(question: str, number: int) -> int:
    return tokenizer().count(question + "y" * number)


def openings(talk: Talk, builder: Builder, turns: int, means: Means) -> Iterator[Figure]:
    """Cold, with nothing counted; and again, with the counts that were kept; beside one pass of the tokenizer."""
    prepared = Preview(builder).prepare(talk.conversation, talk.ask(0))
    whole = "\n".join(str(row["content"]) for row in neutral_messages(prepared.built.envelope.messages))
    first = fresh(builder)
    _opened(talk, first)
    kept = first.counters.take_new().get(ENCODING, {})

    def cold(_number: int) -> None:
        _opened(talk, fresh(builder))

    reopened: list[float] = []

    def reopen(_number: int) -> None:
        again = fresh(builder)
        again.counters.learn(ENCODING, kept)
        reopened.append(timed(lambda: _opened(talk, again)))

    taken = in_turn(
        means.laps(PASSES if turns < MOST else 3),
        {"U": lambda _: tokenizer().count(whole), "cold": cold, "reopen": reopen},
    )
    yield middle(f"U, {turns:,} turns, {prepared.built.envelope.total_tokens:,} tokens", taken["U"])
    yield ratio(f"cold open ÷ U, {turns:,} turns", taken["cold"], taken["U"], at_most(1.3), "U")
    yield ratio(f"reopen ÷ U, {turns:,} turns", reopened, taken["U"], at_most(0.2), "U")


def _opened(talk: Talk, builder: Builder) -> Prepared:
    return prepare_turn(talk.conversation, talk.ask(0), builder)


def sliders(talk: Talk, builder: Builder, means: Means) -> Iterator[Figure]:
    """A slider that moves: everything is built again, with all counts known."""

    def moved(number: int) -> Prepared:
        history = replace(WIDE.history, keep_last_n_assistant=number)
        ask = replace(talk.ask(0), settings=replace(WIDE, history=history))
        return prepare_turn(talk.conversation, ask, builder)

    taken = in_turn(means.laps(20), {"slider": moved})
    yield middle(f"slider (full rebuild), {MANY:,} turns", taken["slider"], goal=at_most(16))


def over_its_budget(load: Workload, builder: Builder, means: Means) -> Iterator[Figure]:
    """A keystroke where the request does not fit: even the placeholders of old messages are more than the room."""
    talk = Talk(load, builder, replace(NARROW, history=WIDE.history))
    preview = Preview(builder)
    prepared = preview.prepare(talk.conversation, talk.ask(0))
    limit = prepared.built.envelope.budget.threshold_tokens
    assert limit is not None
    assert prepared.built.envelope.total_tokens > limit
    taken = in_turn(
        means.laps(8), {"over": lambda number: preview.prepare(talk.conversation, talk.ask(number + 1))}
    )
    yield middle(f"keystroke in a request over its budget, {MANY:,} turns", taken["over"], goal=at_most(16))
