"""Conversations of 600 turns with planted facts, and questions about them in other words.

A text beside this file is one kind of talk. Its lines: `@slot: a | b` values for `{slot}`; `> ` what the other one says
just before; `= ` a fact (`=u` said by the user, `=a` by the assistant); `? ` the question about it; `- ` small
talk. A fact is planted several times with other values, by both speakers: whoever only looks for the common words of a
question finds the wrong ones.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from workbench.context.recall.terms import terms

TURNS = 600
NAMES = (("Anna", "Ben"), ("Carla", "David"), ("Emma", "Felix"), ("Grace", "Henry"))
SLOT = re.compile(r"\{(\w+)\}")
KINDS = ("personal", "project", "planning", "german", "french", "spanish", "chinese", "far")


@dataclass(frozen=True)
class Fact:
    before: str
    by: str  # "user", "assistant", or "" for anybody
    said: str
    question: str


@dataclass(frozen=True)
class Talk:
    slots: dict[str, tuple[str, ...]]
    facts: tuple[Fact, ...]
    small: tuple[str, ...]


@dataclass(frozen=True)
class Message:
    speaker: str
    text: str


@dataclass(frozen=True)
class Question:
    text: str
    answer: int  # the place of the message that answers it


@dataclass(frozen=True)
class Conversation:
    messages: tuple[Message, ...]
    questions: tuple[Question, ...]


@cache
def talk(kind: str) -> Talk:
    """A kind of talk, as it is written."""
    slots: dict[str, tuple[str, ...]] = {}
    facts: list[Fact] = []
    small: list[str] = []
    before, by, said = "", "", ""
    for line in (Path(__file__).parent / f"{kind}.txt").read_text(encoding="utf-8").splitlines():
        mark, _, rest = line.partition(" ")
        if line.startswith("@"):
            name, _, values = line[1:].partition(":")
            slots[name] = tuple(value.strip() for value in values.split("|"))
        elif mark == ">":
            before = rest
        elif mark.startswith("="):
            by, said = {"=u": "user", "=a": "assistant"}.get(mark, ""), rest
        elif mark == "?":
            facts.append(Fact(before, by, said, rest))
            before = ""
        elif mark == "-":
            small.append(rest)
    return Talk(slots, tuple(facts), tuple(small))


def conversation(kind: str, seed: int) -> Conversation:
    """One conversation; the same seed gives the same one."""
    return _Writer(kind, random.Random(f"{kind} {seed}")).written()


class _Writer:
    def __init__(self, kind: str, draw: random.Random) -> None:
        self.kind = kind
        self.talk = talk(kind)
        self.draw = draw
        self.names = draw.choice(NAMES) if kind == "personal" else ("user", "assistant")
        self.messages: list[Message] = []
        self.questions: list[Question] = []

    def written(self) -> Conversation:
        planted = list(self.talk.facts)
        if self.kind != "far":
            planted *= 2  # the same kind of thing is said twice, with other values
        self.draw.shuffle(planted)
        places = sorted(self.draw.sample(range(5, TURNS - 60, 3), len(planted)))
        asked = set[str]()
        for fact, place in zip(planted, places, strict=True):
            while len(self.messages) < place:
                self.say(self.next_speaker(), self.chatter())
            values = {name: self.draw.choice(some) for name, some in self.talk.slots.items()}
            asked.add(self.plant(fact, values, asked))
        while len(self.messages) < TURNS:
            self.say(self.next_speaker(), self.chatter())
        return Conversation(tuple(self.messages), tuple(self.questions))

    def plant(self, fact: Fact, values: dict[str, str], asked: set[str]) -> str:
        speaker = fact.by or self.draw.choice(self.names)
        other = next(name for name in self.names if name != speaker)
        question = _filled(fact.question, {**values, "who": speaker})
        if question in asked:
            return question  # a second answer would make it unfair
        if fact.before:
            self.say(other, _filled(fact.before, values))
        self.questions.append(Question(question, len(self.messages)))
        self.say(speaker, self.around(_filled(fact.said, values), question))
        return question

    def around(self, said: str, question: str) -> str:
        """A fact inside small talk; where nothing may be shared with the question, not by that either."""
        while True:
            before, after = self.chatter(1), self.chatter(1)
            text = self.draw.choice((f"{before} {said}", f"{said} {after}", f"{before} {said} {after}"))
            if self.kind != "far" or not shared(text, question):
                return text

    def next_speaker(self) -> str:
        last = self.messages[-1].speaker if self.messages else self.names[1]
        return self.names[0] if last == self.names[1] else self.names[1]

    def chatter(self, sentences: int = 0) -> str:
        count = sentences or self.draw.choice((1, 2, 2, 3))
        # Sentences of Chinese are half as long, in tokens.
        return " ".join(self.draw.sample(self.talk.small, 2 * count if self.kind == "chinese" else count))

    def say(self, speaker: str, text: str) -> None:
        self.messages.append(Message(speaker, text))


def shared(one: str, other: str) -> set[str]:
    """The stems of words that say something which two texts have in common."""
    return {stem for term in terms(one, "en") for stem in term.stems} & {
        stem for term in terms(other, "en") for stem in term.stems
    }


def _filled(text: str, values: dict[str, str]) -> str:
    filled = SLOT.sub(lambda found: values[found[1]], text)
    return filled[0].upper() + filled[1:]
