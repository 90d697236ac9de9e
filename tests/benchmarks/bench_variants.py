"""What a variant of a long chat takes: its turns played again, with the same tokenizer and with another one.

U is one pass of the tokenizer over the whole conversation, what is attached included, as in `build`. Chats that fit,
that are cut once, and whose oldest leave. As in the window, the garbage collector leaves alone what was there before.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from dataclasses import replace

from tests.benchmarks.running.figures import Figure, Means, at_most, middle, ratio
from tests.benchmarks.running.workload import Workload, fresh, new_builder, tokenizer, workload
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Message
from workbench.domain.model import ModelCard
from workbench.domain.settings.context_settings import ContextSettings, Layout
from workbench.domain.turn import TurnInputs
from workbench.domain.variant import Variant
from workbench.engine.assembly.prepare import Ask, Builder, build_turn
from workbench.engine.conversation import Conversation, after_turn
from workbench.engine.rerun import Rerun

TURNS, LAPS, FILES = 1_000, 5, 5
LAYOUTS: tuple[Layout, ...] = ("layered", "append_only")
WIDE = ContextSettings(context_window=400_000)
FULL = replace(ContextSettings(context_window=64_000), history=replace(WIDE.history, when_full="exchanges"))
ROOMY = ContextSettings(context_window=2_000_000)
KINDS = {
    "that fit": (ROOMY, 1_900_000),
    "cut once": (WIDE, 390_000),
    "whose oldest leave": (FULL, 60_000),
}
Played = tuple[list[TurnInputs], list[str]]


def figures(means: Means) -> Iterator[Figure]:
    """Each kind of chat in each layout; laps beside a pass of the tokenizer."""
    builder, load = new_builder(), workload(TURNS)
    texts = [*load.files[:FILES], *(text for _, text in load.said)]
    for layout in LAYOUTS:
        for kind, (settings, window) in KINDS.items():
            held = replace(settings, layout=layout)
            turns, times = _held(load, held, builder)
            gc.collect()
            gc.freeze()
            ours, others, passes = [], [], []
            for lap in range(means.laps(LAPS)):
                variant = Variant("other", {"context_window": window - lap})
                ours.append(_took(builder, variant, (turns, times)))
                others.append(_took(_uncounted(builder), variant, (turns, times)))
                passes.append(_pass(texts))
            name = f"{TURNS:,} turns {kind}, {layout.replace('_', '-')}"
            yield middle(f"{name}: processor time", ours, goal=at_most(100))
            yield ratio(f"{name}, nothing counted yet ÷ U", others, passes, at_most(1.5), "U")
            gc.unfreeze()


def _uncounted(builder: Builder) -> Builder:
    """As for another tokenizer: the chat is shown, and nothing of it is counted."""
    return replace(fresh(builder), memory=builder.memory)


def _took(builder: Builder, variant: Variant, played: Played) -> float:
    """Milliseconds of the processor for one variant."""
    began = time.process_time()
    Rerun(builder, variant).play(*played)
    return (time.process_time() - began) * 1000


def _pass(texts: list[str]) -> float:
    began = time.process_time()
    for text in texts:
        tokenizer().count(text)
    return (time.process_time() - began) * 1000


def _held(load: Workload, settings: ContextSettings, builder: Builder) -> Played:
    """The chat as it was held, a minute a turn."""
    files = tuple(
        Artifact(f"src/file{place}.py", "file", text) for place, text in enumerate(load.files[:FILES])
    )
    chat = Conversation("bench", attached=files)
    card: ModelCard = builder.catalogue.find(settings.model)
    turns, times = [], []
    for number in range(TURNS):
        question = Message(f"q{number}", "user", (load.said[2 * number][1],))
        answer = Message(f"a{number}", "assistant", (load.said[2 * number + 1][1],))
        built = build_turn(chat, Ask(settings, question, card=card), builder).built
        at = f"2026-01-01T{number // 60:02d}:{number % 60:02d}:00+00:00"
        turns.append(built.inputs)
        times.append(at)
        chat = after_turn(chat, built, [answer], at)
    return turns, times
