"""What `workbench inspect` shows of an answer: the facts it states, and how likely its words were."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from workbench.cli.terminal import print_json, print_table, print_text, tell, visible_line
from workbench.domain.answer_facts import AnswerFact, AnswerFacts, FactPlace, FactState
from workbench.domain.errors import NotKept
from workbench.domain.message import Message
from workbench.domain.probability import likely_words
from workbench.domain.record import Record, TurnRecord
from workbench.domain.translation import counted, tr
from workbench.engine.influence.target import answer_records
from workbench.ports.history import HistoryStore


async def show_answer(turn: TurnRecord, store: HistoryStore, arguments: argparse.Namespace) -> int:
    """Prints the facts or the probabilities of a stored answer; returns the exit code."""
    if arguments.facts:
        show_facts(await _checked(turn, store), turn.number, arguments.json)
        return 0
    return _show_probabilities(turn, await _answer(store, turn), arguments.json)


async def _answer(store: HistoryStore, turn: TurnRecord) -> Record:
    """Returns the last message of a turn's answer that has words; `NotKept` where there is none."""
    said = [] if turn.reply is None else await answer_records(turn, turn.reply, store)
    spoken = [one for one in said if isinstance(one.entry, Message) and one.entry.text.strip()]
    if not spoken:
        raise NotKept(tr("Turn {number} has no answer.", number=turn.number))
    return spoken[-1]


def _show_probabilities(turn: TurnRecord, answer: Record, as_json: bool) -> int:
    """Prints how likely the words of an answer were; 1 where nothing was reported of them."""
    assert isinstance(answer.entry, Message)
    words = likely_words(answer.entry.text, answer.metadata)
    if not words:
        tell(
            tr(
                "Turn {number} has no probabilities. Ask with --set "
                "parameters.probabilities=true, where the model reports them.",
                number=turn.number,
            )
        )
        return 1
    if as_json:
        doubted = sum(word.is_doubted for word in words)
        rows = [
            {"text": one.text, "at": one.start, "token": one.token, "probability": one.probability,
             "candidates": [{"text": c.text, "probability": c.probability} for c in one.candidates]}
            for one in words
        ]  # fmt: skip
        print_json({"turn": turn.number, "words": rows, "doubted": doubted})
        return 0
    told = [("word", "probability", tr("instead of it"))]
    for one in words:
        others = [c for c in one.candidates if c.text != one.token and c.text]
        instead = ", ".join(f"{visible_line(one.word_with(c))} {c.probability:.2f}" for c in others)
        mark = "?" if one.is_doubted else ""
        told.append((visible_line(one.text), f"{one.probability:.2f}{mark}", instead))
    print_table(told)
    return 0


async def _checked(turn: TurnRecord, store: HistoryStore) -> AnswerFacts:
    # Late: the patterns of facts take 20 ms of a start.
    from workbench.context.answers.facts import FactMemory
    from workbench.engine.answers.facts import facts_of_turn

    return await facts_of_turn(turn, store, FactMemory())


def show_facts(found: AnswerFacts, turn: int, as_json: bool) -> None:
    """Prints the facts of an answer and where its request has them, as text or JSON."""
    if as_json:
        from workbench.engine.answers.facts import facts_document

        print_json(facts_document(found))
        return
    if not found.facts:
        print_text(
            tr(
                "The answer of turn {turn} states no number, date, name or other fact "
                "that could be looked for.",
                turn=turn,
            )
        )
    else:
        told = ", ".join(f"{count} {STATE_WORDS[state]}" for state, count in found.counts.items() if count)
        print_text(
            tr(
                "{counted} in the answer of turn {turn}: {told}",
                counted=counted(len(found.facts), "fact"),
                turn=turn,
                told=told,
            )
        )
        print_table([("fact", "state", "where"), *(_fact_row(fact) for fact in found.facts)])
    for note in found.notes:
        print_text(note)
    if found.absent:
        print_text(
            tr("“Not in the request” doesn’t mean wrong: it may be right, and come from the model itself.")
        )


def _fact_row(fact: AnswerFact) -> tuple[str, str, str]:
    where = fact.how
    if fact.where:
        more = tr(" and {n} more", n=len(fact.where) - 1) if len(fact.where) > 1 else ""
        where = f"{_place_words(fact.where[0])}{more}"
    elif fact.cut is not None:
        where = tr("was cut: {place_words}", place_words=_place_words(fact.cut))
    return visible_line(fact.text)[:60], STATE_WORDS[fact.state], where


def _place_words(place: FactPlace) -> str:
    line = tr(", line {line}", line=place.line) if place.line else ""
    return visible_line(f"{place.layer[:2]} {place.segment}{line}")


STATE_WORDS: Mapping[FactState, str] = {
    "found": tr("in the request"),
    "question": tr("in your words"),
    "earlier_answer": tr("in an earlier answer"),
    "computed": "computed",
    "absent": tr("not in the request"),
}
