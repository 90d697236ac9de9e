"""Short ways to say what a conversation is made of, so that a test shows only what it is about."""

from __future__ import annotations

from typing import Any

from tests.fakes.catalogue import WORD_MODEL, FakeCatalogue
from tests.fakes.clock import SteppingClock
from tests.fakes.tokenizer import WordTokenizer
from workbench.context.assemble import Assembly, assemble
from workbench.context.count.counting import TokenizerCounter
from workbench.context.text.chunk_renderers import RendererRegistry
from workbench.domain.change import Built
from workbench.domain.envelope import WireMessage
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Message, Role, ToolCall
from workbench.domain.segment import Segment
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.text import digest_text
from workbench.domain.turn import LibraryEntry, TurnInputs
from workbench.engine.assembly.counters import Counters
from workbench.engine.assembly.prepare import Builder
from workbench.ports.counting import TokenCounter
from workbench.providers.cache_rules import load_rules
from workbench.sources.resources import resource_path

RENDERERS = RendererRegistry()


def system(message_id: str, text: str = "rules") -> Message:
    """A system record of history."""
    return Message(message_id, "system", (text,))


def user(message_id: str, text: str = "question") -> Message:
    """Something the user said."""
    return Message(message_id, "user", (text,))


def assistant(message_id: str, text: str = "answer", *calls: str) -> Message:
    """Something the model said, and the ids of the calls it made."""
    made = tuple(ToolCall(call_id, "read", "{}") for call_id in calls)
    return Message(message_id, "assistant", (text,) if text else (), tool_calls=made)


def result(message_id: str, call_id: str, text: str = "result") -> Message:
    """What a tool gave back."""
    return Message(message_id, "tool", (text,), tool_call_id=call_id)


def artifact(key: str, text: str = "text", **changes: Any) -> Artifact:
    """An attached file, unless `kind` says otherwise."""
    return Artifact(**{"key": key, "kind": "file", "text": text, **changes})


def selection(key: str = "selection", text: str = "selected", **changes: Any) -> Artifact:
    """A non-recoverable artifact, essential as they are by default."""
    return artifact(key, text, **{"kind": "selection", "recoverable": False, "essential": True, **changes})


def shelved(entry: Artifact, latest: Artifact | None = None, attached: bool = False) -> LibraryEntry:
    """An artifact that earlier turns sent."""
    return LibraryEntry(entry, latest or entry, attached)


def segment(segment_id: str, text: str = "text", **changes: Any) -> Segment:
    """A piece of history in full, which may be trimmed to "[trimmed]"."""
    given = {
        "layer": "L4_STRIP", "kind": "assistant", "content_digest": digest_text(text), "essential": False,
        "placeholder": "[trimmed]", **changes,
    }  # fmt: skip
    return Segment(id=segment_id, text=text, **given)


def wire(message_id: str, role: Role, *segments: Segment | str, merged: bool = False) -> WireMessage:
    """A message of the request; a plain text becomes a segment of the same id."""
    made = (segment(message_id, one) if isinstance(one, str) else one for one in segments)
    return WireMessage(message_id, role, tuple(made), merged)


def word_counter() -> TokenizerCounter:
    """Exact counts in words: a message costs 4, opening the answer 2."""
    return TokenizerCounter(WordTokenizer(), WORD_MODEL)


def turn_inputs(settings: ContextSettings | None = None, **changes: Any) -> TurnInputs:
    """The inputs of a first turn, with what the test is about."""
    given = {"conversation": "talk", "turn": 1, "model": WORD_MODEL, **changes}
    return TurnInputs(settings=settings or ContextSettings(model=WORD_MODEL.name), **given)


def build(
    settings: ContextSettings | None = None, counter: TokenCounter | None = None, **changes: Any
) -> Built:
    """A request and its inputs."""
    inputs = turn_inputs(settings, **changes)
    return Built(inputs, assemble(inputs, Assembly(counter or word_counter(), RENDERERS)))


def fake_builder(*models: Any) -> Builder:
    """Everything a build needs, without a file or a clock."""
    rules = load_rules(resource_path("cache-rules.toml"))
    counters = Counters(lambda name: WordTokenizer())
    return Builder(FakeCatalogue(*models), counters, SteppingClock(), RENDERERS, rulebook=rules)
