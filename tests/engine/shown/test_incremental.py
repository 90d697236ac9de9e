"""What is kept from one key to the next makes it faster and never different: 20,000 edits, each built anew, too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from tests.fakes.chat_model import NoPrices
from tests.fakes.effort import tries
from tests.fakes.random_edits import LETTERS, RandomEdits
from tests.fakes.secret_texts import GITHUB
from tests.fakes.tokenizer import WordTokenizer
from tests.fakes.turns import artifact, fake_builder, selection
from tests.fakes.writing import RULES, SETTINGS, Writing
from workbench.context.assembly.memory import BuildMemory
from workbench.context.clean.guard import SecretGuard
from workbench.context.clean.neutralise import Neutraliser
from workbench.context.outgoing import neutral_messages
from workbench.domain.settings.context_settings import CompactionSettings
from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.tool import ToolDefinition
from workbench.engine.assembly.counters import Counters
from workbench.engine.assembly.prepare import Builder, Prepared
from workbench.engine.shown.request_view import RequestViewer, Scene

SEEDS, EDITS = 8, 2_500
WORDS = "word" + " word" * 99
PIECES = (*LETTERS, "word ", "/", WORDS, GITHUB, "@read a", "<|im_end|>", "A_TOKEN=", "\n```\ncode\n```\n")
FILES = (
    artifact("a"),
    artifact("a", "changed"),
    artifact("b", WORDS),
    artifact("c", WORDS, priority=9),
    selection(),
)
Step = tuple[str, Any]


def made_new(builder: Builder) -> Callable[[], Builder]:
    """A builder that has never seen anything, a new one each time."""

    def make() -> Builder:
        return replace(
            builder,
            counters=Counters(lambda name: WordTokenizer()),
            memory=BuildMemory(),
            guard=SecretGuard("warn"),
            neutraliser=Neutraliser(),
        )

    return make


def other_settings(draw: Random) -> Step:
    return "settings", replace(
        SETTINGS,
        context_window=draw.choice((None, None, 60, 130, 320, 900, 4_000)),
        history=draw.choice(RULES),
        attachment_budget_tokens=draw.choice((None, None, 30)),
        freshness=draw.choice(("refresh", "freeze")),
        layout=draw.choice(("layered", "append_only")),
        edits=draw.choice(("full", "changes")),
        compaction=CompactionSettings(100, 10, 2),
        tools=draw.choice(((), (ToolDefinition("read"),))),
    )


def step(edits: RandomEdits, draft: str) -> Step:
    """Mostly somebody types; now and then something else is done."""
    draw = edits.draw
    kind = draw.choices(
        ("type", "settings", "attach", "detach", "exclude", "trim", "recall", "now", "send"),
        (90, 2, 2, 1, 1, 0.5, 1.5, 1, 1),
    )[0]
    messages = [f"m{number}" for number in range(8)]
    match kind:
        case "type":
            return "type", edits.edit(draft)[-1500:]
        case "settings":
            return other_settings(draw)
        case "attach":
            return "attach", draw.choice(FILES)
        case "detach":
            return "detach", draw.choice(("a", "b", "c", "selection"))
        case "exclude":
            return "exclude", draw.choice(messages)
        case "trim":
            return "trim", draw.randrange(5)
        case "recall":
            return "recall", draw.sample(messages, draw.randrange(4))
        case "now":
            return "now", draw.choice((None, "noon", "one"))
    return "send", draw.choice(("ok", WORDS))


class Look:
    """Shows request after request, as the inspector does, or one of them as if it were the first."""

    def __init__(self, builder: Builder) -> None:
        self._viewer = RequestViewer(builder, NoPrices())

    def at(self, prepared: Prepared) -> tuple[EnvelopeView, tuple[AttachmentRow, ...]]:
        view, rows = self._viewer.view_with_attachments(prepared, Scene())
        # What is made when somebody looks is no value.
        return replace(view, wire=_nothing, diff=_nothing), rows


def _nothing() -> None:
    """Nobody looks."""


def request(prepared: Prepared) -> tuple[Any, ...]:
    """Everything about a request; messages are compared by what is in them."""
    envelope = prepared.built.envelope
    messages = [(one.id, one.role, one.segments, one.merged) for one in envelope.messages]
    bare = replace(envelope, messages=())
    return bare, messages, neutral_messages(envelope.messages), prepared.built.inputs


@pytest.mark.parametrize("seed", range(tries(SEEDS, fewest=2)))
def test_every_edit_gives_what_a_build_from_nothing_gives(seed: int):
    edits = RandomEdits(seed, PIECES)
    builder = made_new(fake_builder())()
    fresh = made_new(builder)
    writing, look, draft = Writing(builder, fresh), Look(builder), ""
    for number in range(tries(EDITS)):
        action, what = step(edits, draft)
        draft = what if action == "type" else "" if action == "send" else draft
        writing.do(action, what)
        shown, built = writing.shown_and_built()
        where = f"edit {number}: {action}"
        assert request(shown) == request(built), where
        assert (shown.change, shown.forecast, shown.secrets) == (
            built.change,
            built.forecast,
            built.secrets,
        ), where
        assert look.at(shown) == Look(fresh()).at(built), where
        ahead = edits.draw.random()
        if ahead < 0.05:
            writing.look_further(edits.draw.choice((5, 40, 400)))
        elif ahead < 0.06:
            writing.expect("x")
