"""Whether influence finds the note that an answer of the built-in model quotes, among ten, and how far to trust it.

Which note is quoted is told by words that stand in one note only, without influence. Beside it: the note that fits the
question best (BM25), the longest note, chance. Notes are facts of the chat's memory; the rest of the request are the
instructions and the question.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from itertools import takewhile

from tests.benchmarks.note_sets import NOTES, NoteSet, note_sets
from tests.benchmarks.running.figures import Figure, Means, at_least, at_most
from tests.fakes.builtin_stage import model_file
from tests.fakes.chat_model import FakeModels
from tests.fakes.served_talk import ServedTalk
from workbench.context.recall.index import Passage, PassageIndex
from workbench.context.recall.rank import ranked
from workbench.domain.influence import Influence, InfluenceWish
from workbench.domain.workspace import memory_text
from workbench.engine.influence.measuring import Measuring
from workbench.engine.influence.target import Target, find_target
from workbench.engine.tasks import Stopper
from workbench.engine.wire_forms import outgoing_request
from workbench.providers.builtin.model import BuiltinModel, BuiltinSource

OPT_IN = "the real model takes an hour"
ANSWERS, WITH_MASKS, UNRELATED = 40, 10, 6


@dataclass(frozen=True, slots=True)
class Case:
    """One answer: the notes, which one it quotes, and what it was made from."""

    notes: NoteSet
    quoted: int | None
    target: Target
    chat: str


def figures(means: Means) -> Iterator[Figure]:
    """One process of the model for all of it."""
    return iter(asyncio.run(_measured(means)))


def _model() -> BuiltinModel:
    """The built-in model on all cores."""
    source = BuiltinSource("builtin", model_file, "not there", "server:builtin")
    return BuiltinModel(replace(source, tune=lambda setup: replace(setup, threads=os.cpu_count())))


async def _measured(means: Means) -> list[Figure]:
    model = _model()
    talk = ServedTalk("builtin", layout="auto", models=FakeModels(model))
    talk.bench.world.parameters.clear()
    talk.bench.world.parameters["temperature"] = 0
    await model.ready(lambda what, part: None)
    wanted, with_masks = max(2, means.laps(ANSWERS)), max(1, means.laps(WITH_MASKS))
    cases: list[Case] = []
    alone: list[Influence] = []
    asked = 0
    async for asked, case in _cases(talk):  # noqa: B007 - the last one counts
        if case.quoted is not None:
            cases.append(case)
            # Right after its answer, the server still holds the whole request.
            alone.append(await _influence(talk, model, case, InfluenceWish(), NOTES + 3))
        if len(cases) == wanted:
            break
    masks = [await _influence(talk, model, one, InfluenceWish(masks=32)) for one in cases[:with_masks]]
    free = [one for case in cases[:with_masks] for one in await _differences(talk, model, case)]
    unrelated = [case async for case in _unrelated(talk, max(1, means.laps(UNRELATED)))]
    nothing = [await _influence(talk, model, case, InfluenceWish(), NOTES + 3) for case in unrelated]
    await talk.bench.workbench.close()
    await model.close()
    firsts = [one.pieces[0].id for one in alone]
    agreed = [a.pieces[0].id == m.pieces[0].id for a, m in zip(alone, masks, strict=False)]
    ranks = [one.reliability.spearman or 0.0 for one in masks]
    held = min(one.reliability.held_out for one in masks)
    pieces = sum(len(one.pieces) for one in alone)
    return [
        Figure("answers that quote one note", len(cases), f"of {asked} asked"),
        Figure("the quoted note is first", _share(_hits(cases, firsts)), "", goal=at_least(0.9)),
        Figure("control: the note that fits the question (BM25)", _share(_hits(cases, _fitting(cases))), ""),
        Figure("control: the longest note", _share(_hits(cases, _longest(cases))), ""),
        Figure("control: chance", 1 / NOTES, ""),
        Figure("the note that was asked about is quoted", _share([c.notes.asked == c.quoted for c in cases]), ""),
        Figure(f"forced against free, the largest of {len(free)}", max(free), "nats", goal=at_most(1e-3)),
        Figure(f"one by one and masks agree on the first, of {len(agreed)}", _share(agreed), "", goal=at_least(0.9)),
        Figure("masks not seen by the fit", held, "", goal=at_least(16)),
        Figure("rank correlation on them, median", statistics.median(ranks), "", (min(ranks), max(ranks))),
        Figure("answers carried, of those that quote a note", _share([one.carried for one in alone]), ""),
        Figure("answers carried, of those that owe nothing", _share([n.carried for n in nothing]), "", goal=at_most(0)),
        Figure("drift, the largest", max(one.drift or 0.0 for one in masks), "nats"),
        Figure("seconds a piece", sum(one.seconds for one in alone) / pieces, "s"),
        Figure("read from cache", _share_read(alone), ""),
    ]  # fmt: skip


async def _cases(talk: ServedTalk) -> AsyncIterator[tuple[int, Case]]:
    """One answer after the other, counted from 1."""
    for number, notes in enumerate(note_sets(seed=1), start=1):
        yield number, await _asked(talk, notes, f"set{number}")


async def _asked(talk: ServedTalk, notes: NoteSet, chat: str) -> Case:
    await talk.start(chat, user_memory=memory_text(notes.notes), reserved_output_tokens=24)
    await talk.turn(notes.question, chat)
    store = talk.bench.world.store
    turn = await store.last_turn(chat)
    assert turn is not None
    target = await find_target(turn, store)
    return Case(notes, notes.quoted(target.answer), target, chat)


async def _unrelated(talk: ServedTalk, number: int) -> AsyncIterator[Case]:
    """Answers that no note has to do with."""
    questions = (
        "What is two plus two?", "Say hello.", "Name a fruit.", "What is the capital of France?",
        "Count from one to five.", "What is the opposite of hot?",
    )  # fmt: skip
    for (place, question), notes in zip(enumerate(questions[:number]), note_sets(seed=2), strict=False):
        yield await _asked(talk, NoteSet(notes.notes, question, 0), f"unrelated{place}")


async def _influence(
    talk: ServedTalk, model: BuiltinModel, case: Case, wish: InfluenceWish, most: int | None = None
) -> Influence:
    """What it finds; with `most`, stopped after so many requests, which keeps what there is."""
    meter = await model.meter()
    assert meter is not None
    stopper = Stopper(talk.bench.world.tasks)

    def moved(done: int, planned: int, left_s: float | None) -> None:
        if done == most:
            stopper.stop()

    began = time.perf_counter()
    found = await Measuring(case.target, wish, meter, talk.bench.world).run(stopper, moved)
    found = replace(found, seconds=time.perf_counter() - began)
    _log(case, found)
    return found


async def _differences(talk: ServedTalk, model: BuiltinModel, case: Case) -> list[float]:
    """How far forced log-probabilities are from those of a free answer, token by token, as far as both say the same.

    Where two tokens are about as likely, a free answer may go another way from its first token on.
    Both are read with the same part of the prompt cached: a batch of tokens and a single one are not computed alike.
    """
    meter, session = await model.meter(), model._session
    assert meter is not None
    assert session is not None
    request = outgoing_request(case.target.turn.built, {"temperature": 0}, {}, talk.bench.world.limits)
    answer = await meter.answer_tokens(case.target.answer)
    await meter.score(request, answer)  # from here on all of the prompt is cached
    forced = await meter.score(request, answer)
    _, prompt = await meter.prompt(request)
    asked = {
        "prompt": [token.id for token in prompt], "n_predict": len(answer.ids), "temperature": 0, "n_probs": 1,
        "post_sampling_probs": False, "cache_prompt": True,
    }  # fmt: skip
    free = (await session.client.ask("POST", "/completion", asked))["completion_probabilities"]
    pairs = zip(answer.ids, forced.logprobs, free, strict=False)
    alike = takewhile(lambda pair: pair[2]["id"] == pair[0], pairs)
    return [abs(one - float(told["logprob"])) for _, one, told in alike]


def _hits(cases: list[Case], firsts: list[str]) -> list[bool]:
    return [first == f"memory:{case.quoted}" for case, first in zip(cases, firsts, strict=True)]


def _fitting(cases: list[Case]) -> list[str]:
    return [f"memory:{_best(case.notes)}" for case in cases]


def _best(notes: NoteSet) -> str:
    index = PassageIndex()
    for place, text in enumerate(notes.notes):
        index.add(Passage(str(place), text))
    found = ranked(index, notes.question, None)
    return found[0].key if found else ""


def _longest(cases: list[Case]) -> list[str]:
    lengths = ([len(note) for note in case.notes.notes] for case in cases)
    return [f"memory:{one.index(max(one))}" for one in lengths]


def _share(held: list[bool]) -> float:
    return sum(held) / len(held) if held else 0.0


def _share_read(found: list[Influence]) -> float:
    return sum(one.cached_tokens or 0 for one in found) / sum(one.prompt_tokens for one in found)


def _log(case: Case, found: Influence) -> None:
    """What every answer came to, for who looks closer."""
    top = ", ".join(f"{one.id} {one.weight:.2f}" for one in found.pieces[:3])
    rank = found.reliability.spearman
    print(
        f"{case.chat} {found.method} asked {case.notes.asked} quoted {case.quoted} | {top} | {found.requests} requests "
        f"{found.seconds:.0f} s drift {found.drift} rho {rank} carried {found.carried} | "
        f"{case.notes.question} → {case.target.answer!r}",
        file=sys.stderr,
        flush=True,
    )
