"""An answer put together from its stream, before it is a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.context.watch.pieces import Pieces, compact
from workbench.domain.reading.loose_json import table_in, text_in
from workbench.domain.usage import Usage
from workbench.domain.watch.request import WatchedAnswer

_LONGEST_ERROR = 500


@dataclass(slots=True)
class Folded:
    """What a stream has brought so far; `ended` says whether its own last event came."""

    pieces: Pieces = field(default_factory=Pieces)
    usage: Usage = field(default_factory=Usage)
    finish_reason: str = ""
    error: str = ""
    id: str = ""
    ended: bool = False

    def say_error(self, document: Mapping[str, Any]) -> None:
        """Take what a server says in place of an answer."""
        error = document.get("error")
        said = text_in(table_in(document, "error"), "message") or text_in(document, "message")
        self.error = (said or (error if isinstance(error, str) else compact(document)))[:_LONGEST_ERROR]

    def answer(self) -> WatchedAnswer:
        """The answer as a value."""
        cut = not self.ended and not self.error
        return WatchedAnswer(
            self.pieces.as_answer(), self.usage, self.finish_reason, self.error, self.id, cut
        )
