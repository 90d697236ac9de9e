"""The pieces of a request that an answer's facts are looked for in: whose words each is, and what was cut of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from workbench.context.assembly.leaving import LEFT
from workbench.context.assembly.references import is_artifact
from workbench.context.influence.pieces import attached_texts
from workbench.context.text.names import short_name
from workbench.domain.change import Built
from workbench.domain.message import Entry, Message, is_steered
from workbench.domain.recall import FOUND_KINDS, parts_of, quoted_message
from workbench.domain.segment import LayerName, Segment
from workbench.domain.summary import OUTLINE
from workbench.domain.text import digest_text
from workbench.domain.translation import tr

Origin = Literal["source", "person", "model"]
"""Whose words they are: a file's, a tool's or the instructions'; a message of the person's; what a model wrote."""

_ORIGINS: Mapping[str, Origin] = {
    "user": "person", "question": "person",
    "assistant": "model", "answer": "model", "thought": "model", "call": "model",
}  # fmt: skip
"""Whose words a kind of segment is, in our requests and in watched ones; all others are sources."""
_NEAREST: tuple[LayerName, ...] = ("L5_USER", "L3_TURN", "L4_STRIP", "L2_PREVIOUS", "L1_SYSTEM")
_FENCE = re.compile(r' fence="[0-9a-f]+"(?=>\n)|</\w+ [0-9a-f]{6,64}>\n?$')
_OPENING = re.compile(r"<\w+[^\n]*>\n")


@dataclass(frozen=True, slots=True)
class SentPiece:
    """A text of the request, with what it is called.

    Attributes:
        digest: of the text, by which what was found in it is kept.
        whole: the text before it was shortened, by which its lines are counted; empty where it was not.
        skipped_lines: how many lines frame it before it begins.
        sent: whether it is in the request; else it was cut or left out.
    """

    key: str
    name: str
    layer: LayerName
    origin: Origin
    text: str
    digest: str
    whole: str = ""
    skipped_lines: int = 0
    sent: bool = True
    turn: int = 0


def request_pieces(built: Built) -> tuple[SentPiece, ...]:
    """The pieces of a request, the nearest to the answer first; then what it lacks of the conversation."""
    found = _Pieces(built)
    sent = [piece for piece in found.sent() if piece.text]
    sent.sort(key=lambda piece: _NEAREST.index(piece.layer))
    return (*sent, *found.cut())


class _Pieces:
    def __init__(self, built: Built) -> None:
        self._built = built
        self._names = {key: short_name(one) for key, one in attached_texts(built.inputs).items()}
        # A section of a followed folder is told by its file: its id has the whole path in it.
        self._names |= {one.id: one.title for one in built.inputs.found if one.folder}
        self._turns = _turns_of(built)
        self._roles = {one.id: one.role for one in built.inputs.history if isinstance(one, Message)}
        self._summaries = {
            key
            for one in built.inputs.tuning.summaries
            if one.made_by != OUTLINE or not one.of_artifact
            for key in (one.replaces if one.of_artifact else (one.id,))
        }
        self._speakers = {one.id: one.speaker for one in built.inputs.found}
        self._begun = _begun(built)

    def sent(self) -> Iterator[SentPiece]:
        for layer in self._built.envelope.layers:
            for segment in layer.segments:
                if segment.sent and segment.kind != LEFT and segment.id not in self._begun:
                    yield self._piece(segment, segment.text)
                    if segment.tool_calls:
                        said = "\n".join(f"{call.name} {call.arguments}" for call in segment.tool_calls)
                        yield SentPiece(
                            segment.id, self._name(segment), segment.layer, "model", said, digest_text(said),
                            turn=self._turns.get(segment.id, 0),
                        )  # fmt: skip

    def cut(self) -> Iterator[SentPiece]:
        """What was shortened, dropped or left out, in full."""
        listed: set[str] = set()
        for layer in self._built.envelope.layers:
            for segment in layer.segments:
                listed.add(segment.id)
                if segment.original and segment.form != "reference":
                    yield self._piece(segment, segment.original, sent=False)
        for key, artifact in attached_texts(self._built.inputs).items():
            if key not in listed:
                yield SentPiece(
                    key, self._names[key], "L3_TURN", "source", artifact.text, artifact.content_digest, sent=False
                )  # fmt: skip

    def _piece(self, segment: Segment, text: str, *, sent: bool = True) -> SentPiece:
        framed = is_artifact(segment) or segment.layer == "L1_SYSTEM" or segment.kind == "quoted"
        opening = _OPENING.match(text) if framed and segment.form != "reference" else None
        bare = _FENCE.sub("", text) if opening else text
        return SentPiece(
            segment.id, self._name(segment), segment.layer, self._origin(segment), bare,
            segment.digest if bare is text and sent else digest_text(bare),
            whole=segment.original or "" if sent else "", skipped_lines=1 if opening else 0, sent=sent,
            turn=self._turns.get(segment.id, 0),
        )  # fmt: skip

    def _name(self, segment: Segment) -> str:
        if segment.id in self._names:
            return self._names[segment.id]
        if segment.kind == "quoted":
            path = quoted_message(segment.id).rpartition("#")[0]
            return self._names.get(parts_of(quoted_message(segment.id))[0]) or path.rpartition("/")[2]
        turn = self._turns.get(segment.id, 0)
        if segment.layer == "L5_USER" and _ORIGINS.get(segment.kind) == "person":
            return tr("your message")
        return f"turn {turn}" if turn else segment.id

    def _origin(self, segment: Segment) -> Origin:
        kind = segment.kind
        if segment.id in self._summaries and (segment.form == "compacted" or not is_artifact(segment)):
            return "model"
        if kind in FOUND_KINDS:
            # A quote is what it quotes.
            said = quoted_message(segment.id)
            kind = self._roles.get(said) or self._speakers.get(said, "") if kind == "recalled" else kind
        return _ORIGINS.get(kind, "source")


def _turns_of(built: Built) -> Mapping[str, int]:
    """The turn that each message of the history belongs to; the newest is the one before this."""
    inputs = built.inputs
    asked = [_is_question(entry) for entry in inputs.history]
    turn = max(1, inputs.turn - sum(asked)) - 1
    turns: dict[str, int] = {}
    for entry, begins in zip(inputs.history, asked, strict=True):
        turn += begins
        turns[entry.id] = max(1, turn)
    return turns


def _is_question(entry: Entry) -> bool:
    return isinstance(entry, Message) and entry.role == "user" and not is_steered(entry.id)


def _begun(built: Built) -> frozenset[str]:
    """The beginning of an answer that was continued: it is no source of itself."""
    rounds = built.inputs.rounds
    return frozenset({rounds[-1].id} if rounds and rounds[-1].role == "assistant" else ())
