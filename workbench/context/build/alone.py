"""What an artifact costs by itself: its block in this turn's message, without what a message costs anyway."""

from __future__ import annotations

from workbench.context.build.render import artifact_segment
from workbench.domain.attachment import Artifact
from workbench.domain.envelope import WireMessage
from workbench.domain.segment import Segment
from workbench.ports.counting import TokenCounter

# What stands first carries what a message costs by itself, which is no attachment's.
_BEFORE = Segment(id="", layer="L3_TURN", kind="file", text="\n", content_digest="")


def artifact_tokens(artifact: Artifact, counter: TokenCounter) -> int:
    """The tokens that attaching it in full adds to a request."""
    message = WireMessage("alone", "user", (_BEFORE, artifact_segment(artifact)))
    return counter.total(counter.costs(message)[1])
