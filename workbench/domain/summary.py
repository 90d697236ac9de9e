"""A summary: a short text sent in place of messages or of an attached text, which are kept."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.domain.chunk import WorkingFlowChunk
from workbench.domain.translation import counted, tr

OUTLINE = "outline"
"""Who made a summary that no model wrote: pieces of what was said, chosen by rule."""


@dataclass(frozen=True, slots=True)
class SummaryWish:
    """A request for a summary: of what, and by whom (a model's name, or `OUTLINE`).

    Turns are counted from 1; 0 leaves the choice to the program: everything before the last few answers. With
    `artifact` it is an attached text and no turns.
    """

    by: str = OUTLINE
    first_turn: int = 0
    last_turn: int = 0
    artifact: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """An accepted summary.

    Attributes:
        replaces: the messages it replaces, in order; of an attached text its key.
        made_by: the model that wrote it, or `OUTLINE`.
        compacted_at: when, in ISO form.
        first_turn, last_turn: which turns the messages are of.
        content_digest: of the attached text it is of; with other content it is not used. Empty for messages.
        preferred: whether it replaces the attached text even where the whole one would fit.
    """

    id: str
    text: str
    replaces: tuple[str, ...]
    made_by: str = OUTLINE
    compacted_at: str = ""
    first_turn: int = 0
    last_turn: int = 0
    content_digest: str = ""
    preferred: bool = False

    @property
    def of_artifact(self) -> bool:
        """Whether it replaces an attached text, not messages."""
        return bool(self.content_digest)

    @property
    def what(self) -> str:
        """What it replaces, in words."""
        number = len(self.replaces)
        messages = counted(number, "message")
        if not self.first_turn:
            return messages
        one = self.first_turn == self.last_turn
        return tr(
            "turn {first:,}, {messages}" if one else "turns {first:,}–{last:,}, {messages}",
            first=self.first_turn,
            last=self.last_turn,
            messages=messages,
        )

    @property
    def chunk(self) -> WorkingFlowChunk:
        """The summary as a chunk of history, which renderers put a tag around."""
        body = f"[{self.what}, in short]\n{self.text}"
        return WorkingFlowChunk(
            self.id, body, "progress_summary", self.compacted_at or None, len(self.replaces)
        )
