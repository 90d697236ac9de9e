"""Cards of the explanation: topic, title, and sentences in pieces, so that figures and names can be emphasised."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from workbench.domain.guide import GuidePage
from workbench.domain.segment import LayerName
from workbench.ui.translation import tr

_PLACE = re.compile(r"\{(\w+)\}")

Topic = Literal[
    "budget", "findings", "layer", "drop", "cached", "priority", "state", "turns", "what_if", "figures", "pages",
    "message", "attachments", "empty", "inspector",
]  # fmt: skip
"""Parts of the window that are explained, in the order of explanation."""

PAGES: Mapping[Topic, GuidePage] = {
    "budget": "budget",
    "findings": "watch",
    "layer": "request",
    "drop": "priorities",
    "cached": "cache",
    "priority": "priorities",
    "state": "budget",
    "turns": "cache",
    "what_if": "budget",
    "figures": "cache",
    "pages": "request",
    "message": "request",
    "attachments": "attachments",
    "empty": "request",
    "inspector": "request",
}
"""The guide page about each topic."""


class Part(NamedTuple):
    """A visible part of the window; for "layer", which layer; `newest` if it shows the newest request."""

    topic: Topic
    layer: LayerName = "L4_STRIP"
    newest: bool = False


class Piece(NamedTuple):
    """Some words; figures and names are `strong`."""

    text: str
    strong: bool = False


Sentence = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class CardText:
    """A title, and the sentences under it in pieces."""

    topic: Topic
    title: str
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """All sentences as plain text, for a screen reader."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def page(self) -> GuidePage:
        """The guide page about the topic."""
        return PAGES[self.topic]


def card_of(topic: Topic, sentences: Sequence[Sentence]) -> CardText:
    """A card with these sentences and its topic's title."""
    pieces: list[Piece] = []
    for place, sentence in enumerate(sentences):
        between = "" if not place or pieces[-1].text.endswith("。") else " "
        pieces += (Piece(between), *sentence)
    return CardText(topic, _title(topic), tuple(pieces))


def _title(topic: Topic) -> str:
    return {
        "budget": tr("Budget bar"),
        "findings": tr("Findings"),
        "layer": tr("A layer row"),
        "drop": tr("Drop order"),
        "cached": tr("Cached"),
        "priority": tr("Priority and pin"),
        "state": tr("State"),
        "turns": tr("Turns"),
        "what_if": tr("What if"),
        "figures": tr("Count and cost"),
        "pages": tr("Four views of one request"),
        "message": tr("Your message"),
        "attachments": tr("Attachments"),
        "empty": tr("The next request"),
        "inspector": tr("Request"),
    }[topic]


def say(words: str, **values: str) -> Sentence:
    """A sentence whose placeholders are filled with emphasised values."""
    parts = _PLACE.split(words)
    return tuple(
        Piece(values[part], True) if place % 2 else Piece(part) for place, part in enumerate(parts) if part
    )
