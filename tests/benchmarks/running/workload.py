"""The conversation that is measured everywhere: turns of chat with fifty files, the same for us and for the peers."""

from __future__ import annotations

import random
from argparse import Namespace
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from workbench.context.assembly.memory import BuildMemory
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Message
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.assembly.counters import Counters
from workbench.engine.assembly.prepare import Ask, Builder, prepare_turn
from workbench.engine.conversation import Conversation, after_turn
from workbench.providers.tokenizer import TiktokenTokenizer
from workbench.sources.resources import resource_path
from workbench.wiring.command_line import command_parts

Role = Literal["user", "assistant"]
ENCODING = "o200k_base"
FILES, FILE_WORDS = 50, 300
BUDGET_TOKENS = 102_000
HISTORY_TOKENS = 45_000
VOCABULARY = 20_000
# Everything is sent: what is measured is the builder, not how little is left to build.
WIDE = ContextSettings(context_window=20_000_000)
# The same budget as the peers have: 0.8 of what is left of the window without the answer is their 102,000 tokens.
NARROW = replace(
    ContextSettings(context_window=143_500), history=replace(WIDE.history, max_tokens=HISTORY_TOKENS)
)


@cache
def tokenizer() -> TiktokenTokenizer:
    """The one that everybody counts with, loaded."""
    made = TiktokenTokenizer(ENCODING, resource_path("encodings"))
    made.count("load the encoding")
    return made


@cache
def new_builder() -> Builder:
    """The builder as the program has it."""
    return command_parts(Namespace()).builder


def fresh(builder: Builder) -> Builder:
    """The same parts with nothing counted and nothing remembered; the encoding stays loaded."""
    return replace(builder, counters=Counters(lambda _name: tokenizer()), memory=BuildMemory())


class Words:
    """Words that nobody has counted before, drawn alike on every machine."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self._known = [self._word() for _ in range(VOCABULARY)]

    def text(self, words: int) -> str:
        """So many words in sentences and lines."""
        return " ".join(self._draw.choices(self._known, k=words))

    def _word(self) -> str:
        letters = "".join(self._draw.choices("etaoinshrdlucmfw", k=self._draw.randint(2, 9)))
        return letters + self._draw.choice(["", "", "", "", ",", ".\n"])


@dataclass(frozen=True)
class Workload:
    """What was said, what is attached, and what is being written."""

    turns: int
    said: tuple[tuple[Role, str], ...] = field(repr=False)
    files: tuple[str, ...] = field(repr=False)
    question: str = field(repr=False)


def workload(turns: int) -> Workload:
    """A conversation of so many turns, about 500 tokens each."""
    words = Words(turns)
    said: list[tuple[Role, str]] = []
    for _ in range(turns):
        said += [("user", words.text(50)), ("assistant", words.text(110))]
    files = tuple(words.text(FILE_WORDS) for _ in range(FILES))
    return Workload(turns, tuple(said), files, words.text(60))


class Talk:
    """The workload in the program, one turn already sent."""

    def __init__(self, given: Workload, builder: Builder, settings: ContextSettings = WIDE) -> None:
        self.question, self._settings = given.question, settings
        history = tuple(Message(f"m{place}", role, (text,)) for place, (role, text) in enumerate(given.said))
        files = tuple(Artifact(f"src/file{place}.py", "file", text) for place, text in enumerate(given.files))
        start = Conversation("bench", history=history, attached=files)
        asked = Ask(settings, Message("q", "user", ("Begin.",)))
        first = prepare_turn(start, asked, builder)
        self.conversation = after_turn(start, first.built, [Message("r", "assistant", ("Done.",))])

    def ask(self, number: int) -> Ask:
        """The question after so many more letters."""
        return Ask(self._settings, Message("now", "user", (self.question + "x" * number,)))
