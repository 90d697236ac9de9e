"""Reads the sets of answers with marked facts: [[true]] ones, and [[!planted]] ones that the request does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.context.answers.facts import check_facts
from workbench.context.answers.pieces import Origin, SentPiece
from workbench.domain.answer_facts import AnswerFact
from workbench.domain.segment import LayerName
from workbench.domain.text import digest_text

_SETS = Path(__file__).parent / "fact_sets"
_MARK = re.compile(r"\[\[(!?)(.*?)\]\]", re.DOTALL)
_ORIGINS: dict[str, tuple[Origin, LayerName]] = {
    "file": ("source", "L3_TURN"),
    "tool": ("source", "L4_STRIP"),
    "system": ("source", "L1_SYSTEM"),
    "user": ("person", "L4_STRIP"),
    "question": ("person", "L5_USER"),
    "model": ("model", "L4_STRIP"),
    "summary": ("model", "L4_STRIP"),
}


@dataclass(frozen=True)
class FactCase:
    name: str
    pieces: tuple[SentPiece, ...]
    answer: str
    marks: tuple[tuple[int, int, bool], ...]
    """Where facts are, and whether they are true."""

    def facts(self) -> tuple[AnswerFact, ...]:
        return check_facts(self.answer, self.pieces)


@dataclass
class Score:
    """How many planted facts are absent, and how many true ones; what stands outside all marks is true, too."""

    planted: int = 0
    planted_absent: int = 0
    true: int = 0
    true_absent: int = 0
    wrong: tuple[str, ...] = ()

    @property
    def caught(self) -> float:
        return self.planted_absent / max(1, self.planted)

    @property
    def false_alarms(self) -> float:
        return self.true_absent / max(1, self.true)


def fact_cases(name: str) -> Iterator[FactCase]:
    for part in (_SETS / f"{name}.txt").read_text("utf-8").split("=== ")[1:]:
        title, _, body = part.partition("\n")
        texts = [one.partition("\n") for one in re.split(r"^--- ", body, flags=re.MULTILINE)[1:]]
        pieces = tuple(_piece(head, text.rstrip("\n")) for head, _, text in texts if head != "answer")
        marked = next(text for head, _, text in texts if head == "answer").rstrip("\n")
        yield FactCase(title.strip(), pieces, *_unmarked(marked))


def scored(cases: Iterator[FactCase]) -> Score:
    score = Score()
    for case in cases:
        facts = [(span, fact) for fact in case.facts() for span in fact.spans]
        for start, end, true in case.marks:
            absent = any(f.state == "absent" for (a, b), f in facts if a < end and start < b)
            score.planted, score.true = score.planted + (not true), score.true + true
            score.planted_absent += absent and not true
            score.true_absent += absent and true
            if absent is true:
                score.wrong += (
                    f"{case.name}: {case.answer[start:end]!r} {'is absent' if true else 'is not absent'}",
                )
        for (a, b), fact in facts:
            if not any(start < b and a < end for start, end, _ in case.marks):
                score.true += 1
                score.true_absent += fact.state == "absent"
                if fact.state == "absent":
                    score.wrong += (f"{case.name}: {fact.text!r} outside all marks",)
    return score


def _piece(head: str, text: str) -> SentPiece:
    kind, _, name = head.partition(" ")
    origin, layer = _ORIGINS[kind]
    return SentPiece(
        name or kind,
        name or kind,
        layer,
        origin,
        f"{name}\n{text}" if name else text,
        digest_text(head + text),
    )


def _unmarked(marked: str) -> tuple[str, tuple[tuple[int, int, bool], ...]]:
    parts: list[str] = []
    marks: list[tuple[int, int, bool]] = []
    at = length = 0
    for found in _MARK.finditer(marked):
        parts += [marked[at : found.start()], found[2]]
        start = length + found.start() - at
        length = start + len(found[2])
        marks.append((start, length, not found[1]))
        at = found.end()
    return "".join((*parts, marked[at:])), tuple(marks)
