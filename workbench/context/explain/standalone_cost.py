"""What an artifact costs by itself: its block in this turn's message, without what a message costs anyway."""

from __future__ import annotations

from dataclasses import replace

from workbench.context.assembly.render import QUESTION_LABEL, artifact_segment
from workbench.domain.envelope import WireMessage
from workbench.domain.files.attachment import Artifact
from workbench.domain.segment import Segment
from workbench.ports.counting import TokenCounter

# What stands first carries what a message costs by itself, which is no attachment's.
_BEFORE = Segment(id="", layer="L3_TURN", kind="file", text="\n", content_digest="")


def artifact_tokens(artifact: Artifact, counter: TokenCounter) -> int:
    """The tokens that attaching it in full adds to a request."""
    message = WireMessage("alone", "user", (_BEFORE, artifact_segment(artifact)))
    return counter.total(counter.costs(message)[1])


_ANY = Artifact("any", "file", "any\n")


def first_place_tokens(counter: TokenCounter) -> int:
    """What is counted with whatever stands first in this turn's message: the message itself."""
    message = WireMessage("alone", "user", (artifact_segment(_ANY),))
    return counter.total(sum(counter.costs(message))) - artifact_tokens(_ANY, counter)


def opening_tokens(question: str, counter: TokenCounter) -> int:
    """What the first attachment costs beside its block: a question is labelled then, or there is a message at all."""
    if not question:
        return first_place_tokens(counter)
    asked = Segment(id="asked", layer="L5_USER", kind="user", text=question, content_digest="")
    bare = WireMessage("alone", "user", (asked,))
    both = WireMessage("alone", "user", (artifact_segment(_ANY), replace(asked, lead=QUESTION_LABEL)))
    more = counter.total(sum(counter.costs(both))) - counter.total(sum(counter.costs(bare)))
    return more - artifact_tokens(_ANY, counter)
