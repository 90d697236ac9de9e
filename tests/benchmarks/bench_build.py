"""How fast a request is ready after a keystroke, a slider move and a reopening, as ratios measured in one run.

    python -m tests.benchmarks.bench_build

F is counting only the text that changed; U is one pass of the tokenizer over the whole conversation. Where
langchain-core is installed, its `trim_messages` is measured beside us, plain and with a memoised counter.
"""

from __future__ import annotations

import random
import statistics
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from workbench.context.build.memory import BuildMemory
from workbench.context.outgoing import neutral_messages
from workbench.domain.attachment import Artifact
from workbench.domain.message import Message
from workbench.domain.preferences import ContextSettings
from workbench.engine.build.counters import Counters
from workbench.engine.build.prepare import Ask, Builder, prepare_turn
from workbench.engine.build.preview import Preview
from workbench.engine.conversation import Conversation, after_turn
from workbench.providers.tokenizer import TiktokenTokenizer
from workbench.sources.resources import resource_path
from workbench.wiring.command_line import command_parts

FILES = 50
SETTINGS = ContextSettings(context_window=2_000_000)


def milliseconds(work: Callable[[int], object], times: int = 60) -> float:
    """The median of several runs, each told its number."""
    taken = []
    for number in range(times):
        start = time.perf_counter()
        work(number)
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


class Talk:
    """A conversation of some turns with fifty files attached, one turn already sent."""

    def __init__(self, turns: int, builder: Builder) -> None:
        self._words = random.Random(turns)
        history: list[Message] = []
        for number in range(turns):
            history.append(Message(f"u{number}", "user", (self.text(60),)))
            history.append(Message(f"a{number}", "assistant", (self.text(240),)))
        files = tuple(Artifact(f"src/file{number}.py", "file", self.text(600)) for number in range(FILES))
        start = Conversation("bench", history=tuple(history), attached=files)
        first = prepare_turn(start, Ask(SETTINGS, Message("q", "user", ("Begin.",))), builder)
        self.conversation = after_turn(start, first.built, [Message("r", "assistant", ("Done.",))])
        self.question = self.text(60)

    def text(self, words: int) -> str:
        return " ".join(self._word() for _ in range(words))

    def _word(self) -> str:
        letters = self._words.randint(2, 9)
        return "".join(self._words.choice("etaoinshrdlucmfw") for _ in range(letters)) + self._words.choice(
            ["", "", "", "", ",", ".\n"]
        )

    def ask(self, number: int) -> Ask:
        return Ask(SETTINGS, Message("now", "user", (self.question + "x" * number,)))


def measure(turns: int, builder: Builder, tokenizer: TiktokenTokenizer) -> float:
    """Print one row; returns what a keystroke took."""
    talk = Talk(turns, builder)
    preview = Preview(builder)
    cold = milliseconds(lambda _: prepare_turn(talk.conversation, talk.ask(0), _fresh(builder)), 3)
    prepared = preview.prepare(talk.conversation, talk.ask(0))
    whole = "\n".join(str(row["content"]) for row in neutral_messages(prepared.built.envelope.messages))
    one_pass = milliseconds(lambda _: tokenizer.count(whole), 3)
    changed = milliseconds(lambda number: tokenizer.count(talk.question + "y" * number))
    keystroke = milliseconds(lambda number: preview.prepare(talk.conversation, talk.ask(number)))
    slider = milliseconds(lambda number: _moved(talk, builder, number), 20)
    print(
        f"{turns:5} turns, {prepared.built.envelope.total_tokens:8,} tokens: U {one_pass:7.1f} ms, F {changed:.4f} ms, "
        f"keystroke {keystroke:.4f} ms = {keystroke / changed:.1f} F, full rebuild {slider:6.2f} ms, "
        f"cold {cold:7.1f} ms = {cold / one_pass:.2f} U"
    )
    return keystroke


def _moved(talk: Talk, builder: Builder, number: int) -> object:
    history = replace(SETTINGS.history, keep_last_n_assistant=number)
    ask = replace(talk.ask(0), settings=replace(SETTINGS, history=history))
    return prepare_turn(talk.conversation, ask, builder)


def _fresh(builder: Builder) -> Builder:
    """The same parts with nothing counted and nothing remembered; the encoding stays loaded."""
    return replace(builder, counters=_counters(), memory=BuildMemory())


def _counters() -> Counters:
    return Counters(lambda name: _TOKENIZERS[name])


_TOKENIZERS = {"o200k_base": TiktokenTokenizer("o200k_base", resource_path("encodings"))}


def against_langchain(builder: Builder) -> None:
    """Build and message list at 200 turns beside langchain's trimming, where it is installed."""
    try:
        from langchain_core.messages import (  # type: ignore[import-not-found,unused-ignore]
            AIMessage,
            HumanMessage,
            trim_messages,
        )
    except ImportError:
        print("langchain-core is not installed: the comparison with trim_messages is left out")
        return
    talk = Talk(200, builder)
    tokenizer = _TOKENIZERS["o200k_base"]
    messages = [
        HumanMessage(e.text) if e.role == "user" else AIMessage(e.text)
        for e in talk.conversation.history
        if isinstance(e, Message)
    ]
    known: dict[str, int] = {}

    def plain(batch: list[Any]) -> int:
        return sum(3 + tokenizer.count(message.content) for message in batch)

    def memoised(batch: list[Any]) -> int:
        for message in batch:
            if message.content not in known:
                known[message.content] = tokenizer.count(message.content)
        return sum(3 + known[message.content] for message in batch)

    preview = Preview(builder)
    preview.prepare(talk.conversation, talk.ask(0))
    ours = milliseconds(
        lambda number: preview.prepare(talk.conversation, talk.ask(number)).built.envelope.messages
    )
    for name, counter in (("plain", plain), ("memoised", memoised)):
        trim = partial(trim_messages, max_tokens=102_000, strategy="last", token_counter=counter)
        rounds = iter([[*messages, HumanMessage(talk.question + "z" * number)] for number in range(7)])
        theirs = milliseconds(partial(_trim_next, trim, rounds), 7)
        print(f"trim_messages, {name}: {theirs:.2f} ms = {theirs / ours:,.0f} × ours ({ours:.3f} ms)")


def _trim_next(trim: Callable[[Any], object], rounds: Iterator[Any], _number: int) -> object:
    return trim(next(rounds))


def main() -> None:
    """Print every row and the two ratios that are goals."""
    builder = command_parts(Namespace()).builder
    tokenizer = _TOKENIZERS["o200k_base"]
    tokenizer.count("load the encoding")
    times = {turns: measure(turns, builder, tokenizer) for turns in (50, 200, 1000)}
    print(f"a keystroke at 1000 turns takes {times[1000] / times[50]:.2f} × as long as at 50 (goal ≤ 1.5)")
    against_langchain(builder)


if __name__ == "__main__":
    main()
