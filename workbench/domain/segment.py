"""Segments: the pieces of a request that are counted, digested, tuned and explained one by one."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Literal

from workbench.domain.memo import made_once, make_all_once
from workbench.domain.message import Image, ToolCall
from workbench.domain.text import digest_text

LayerName = Literal["L1_SYSTEM", "L2_PREVIOUS", "L4_STRIP", "L3_TURN", "L5_USER"]
Form = Literal["full", "reference", "compacted", "trimmed", "excluded", "changes"]


@dataclass(frozen=True)
class Segment:
    """One piece of one layer, with its text exactly as sent.

    Attributes:
        text: what stands on the wire for it; empty when it is not sent.
        lead: the separator, heading or label before the text. Counted with this segment, but left out of its
            digest: it depends on the neighbours, and a segment must not change because one of them did.
        content_digest: digest of the artifact's or message's own text, before rendering and cuts.
        placeholder: what remains when the segment is trimmed; None where it may not be.
        original: the text before compaction or trimming, which is what it would cost to bring it back.
        image_places: after how many characters of the text each picture stands; none where all stand after it.
        superseded: an older copy than the one the user has; override: full although the library knows the id.
        sent_in: in a log, the turn in which this copy was first sent; 0 for the library.
    """

    id: str
    layer: LayerName
    kind: str
    text: str
    content_digest: str
    lead: str = ""
    form: Form = "full"
    priority: int = 0
    essential: bool = True
    recoverable: bool = True
    superseded: bool = False
    override: bool = False
    placeholder: str | None = None
    original: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    images: tuple[Image, ...] = ()
    image_places: tuple[int, ...] = ()
    sent_in: int = 0

    @made_once
    def digest(self) -> str:
        """Digest of what is sent: of the text alone, where there is nothing beside it."""
        if not (self.tool_calls or self.tool_call_id or self.images):
            return digest_text(self.text)
        native: list[object] = [
            [[call.id, call.name, call.arguments] for call in self.tool_calls],
            self.tool_call_id,
            [image.digest for image in self.images],
        ]
        places = [list(self.image_places)] if self.image_places else []
        return digest_text(f"{self.text}\n{json.dumps(native + places)}")

    def reuse_content_digest(self) -> Segment:
        """This segment, whose text is its content and all there is, so that nobody digests it a second time."""
        object.__setattr__(self, "digest", self.content_digest)
        return self

    @made_once
    def left_out(self) -> Segment:
        """The segment as its layer lists it when it is left out: at no cost, with its text kept for putting it back.

        Cached, as is `gone`: every build leaves out most of a long history.
        """
        return replace(
            self,
            text="",
            lead="",
            form="excluded",
            original=self.text,
            tool_calls=(),
            images=(),
            image_places=(),
        )

    @made_once
    def gone(self) -> Segment:
        """The segment as its layer lists it when it left with its exchange."""
        if self.form == "trimmed" and not self.text:
            return self
        return replace(self.left_out if self.sent else self, form="trimmed")

    @property
    def in_short(self) -> Segment:
        """The segment with its placeholder; unchanged where it has none, or is not sent or trimmed already."""
        if self.placeholder is None or self.form not in ("full", "compacted"):
            return self
        whole = self.text if self.original is None else self.original
        return replace(self, text=self.placeholder, form="trimmed", original=whole)

    @made_once
    def sent(self) -> bool:
        """Whether any of the segment is sent: a trimmed one's placeholder is, unless its exchange left."""
        return self.form != "excluded" and (self.form != "trimmed" or bool(self.text))


make_all_once(Segment("", "L5_USER", "", "", ""))
