"""The facts of a stored answer, checked against the request that it was made from."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from workbench.context.answers.facts import FactMemory, check_facts
from workbench.context.answers.pieces import request_pieces
from workbench.domain.answer_facts import MOST_CHARS, AnswerFact, AnswerFacts, FactPlace
from workbench.domain.change import Built
from workbench.domain.message import Message
from workbench.domain.record import Record, TurnRecord
from workbench.domain.translation import tr
from workbench.engine.influence.target import find_answer
from workbench.ports.history import HistoryStore

PICTURES = tr("The request holds pictures, which are not searched.")
PARTIAL = tr(
    "The answer is very long: only its first {most_chars:,} characters were checked.", most_chars=MOST_CHARS
)


async def facts_of_turn(
    turn: TurnRecord, store: HistoryStore, memory: FactMemory, path: Sequence[Record] | None = None
) -> AnswerFacts:
    """The facts of a turn's answer in its version in view; `WorkbenchError` says why there is none to check.

    The branch in view is read where it is not given.
    """
    record, answer = await find_answer(turn, path, store)
    (entry,) = (await store.tuning(turn.chat)).edited((record.entry,))
    answer = entry.text if isinstance(entry, Message) else answer
    return await asyncio.to_thread(checked, answer, turn.built, memory, record.id, turn.question or "")


def checked(
    answer: str, built: Built, memory: FactMemory, message: str = "", question: str = ""
) -> AnswerFacts:
    """An answer held against its request; long texts take a while, so that the loop leaves it to a thread."""
    pieces = request_pieces(built)
    pictures = any(one.images for sent in built.envelope.messages for one in sent.segments)
    notes = ((PICTURES, pictures), (PARTIAL, len(answer) > MOST_CHARS))
    said = tuple(words for words, holds in notes if holds)
    return AnswerFacts(check_facts(answer, pieces, memory), message, question, said, answer)


def facts_document(found: AnswerFacts) -> dict[str, Any]:
    """The facts as a program reads them."""
    document: dict[str, Any] = {"facts": [_fact(fact) for fact in found.facts], "counts": dict(found.counts)}
    return {**document, "notes": list(found.notes)} if found.notes else document


def _fact(fact: AnswerFact) -> dict[str, Any]:
    told: dict[str, Any] = {
        "text": fact.text, "kind": fact.kind, "at": fact.spans[0][0], "state": fact.state,
        "where": _places(fact.where),
    }  # fmt: skip
    if fact.how:
        told["how"] = fact.how
    if fact.cut is not None:
        told["cut"] = _places((fact.cut,))[0]
    return told


def _places(places: Sequence[FactPlace]) -> list[dict[str, Any]]:
    return [
        {"segment": one.segment, "layer": one.layer[:2], "line": one.line, "text": one.text.strip()}
        for one in places
    ]
