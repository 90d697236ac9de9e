"""What an instruction row is made of: the persona by who says it, memory fact by fact, each with its tokens."""

from __future__ import annotations

import re
from dataclasses import replace

from workbench.domain.envelope import WireMessage
from workbench.domain.segment import Segment
from workbench.domain.settings.preferences import ContextSettings
from workbench.domain.shown.envelope_view import PartSource, RowPart
from workbench.domain.text import repair_text
from workbench.ports.counting import TokenCounter

_FACT = re.compile(r"^- .*(?:\n  .*)*", re.MULTILINE)
_SOURCES: dict[str, PartSource] = {"default": "default", "workspace": "workspace", "user": "chat"}


def instruction_parts(
    segment: Segment, settings: ContextSettings, counter: TokenCounter
) -> tuple[RowPart, ...]:
    """The parts of a persona or of what is remembered; none where it is of one piece that says nothing more."""
    match segment.kind:
        case "persona":
            said = settings.persona.parts(settings.persona_mode)
            found = [(_SOURCES[source], repair_text(text)) for source, text in said]
        case "memory":
            found = [("fact", fact[0]) for fact in _FACT.finditer(repair_text(settings.user_memory))]
        case _:
            return ()
    return _counted(segment, found, counter)


def _counted(
    segment: Segment, found: list[tuple[PartSource, str]], counter: TokenCounter
) -> tuple[RowPart, ...]:
    """The parts with what each costs where it stands; what frames them is nobody's."""
    texts: list[tuple[PartSource | None, str]] = []
    at = 0
    for source, text in found:
        start = segment.text.find(text, at)
        if start < 0:
            return ()  # something in it was replaced or made harmless: it is one piece
        texts += [(None, segment.text[at:start]), (source, text)]
        at = start + len(text)
    if not texts:
        return ()
    # An empty piece at the front takes what frames the message.
    pieces = [(None, ""), *((source, text) for source, text in (*texts, (None, segment.text[at:])) if text)]
    segments = tuple(
        replace(segment, id=f"{segment.id}:{number}", text=text, lead="")
        for number, (_, text) in enumerate(pieces)
    )
    costs = counter.costs(WireMessage("system", "system", segments))
    return tuple(
        RowPart(source, _bare(text) if source == "fact" else text, counter.total(cost))
        for (source, text), cost in zip(pieces, costs, strict=True)
        if source is not None
    )


def _bare(fact: str) -> str:
    """A fact as it was written down."""
    return "\n".join(line[2:] for line in fact.split("\n"))
