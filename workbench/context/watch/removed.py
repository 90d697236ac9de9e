"""What a compaction took out of a conversation, as a text that can be attached again."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.context.watch.pieces import SUMMARY
from workbench.domain.watch.request import WatchedPiece

_HEADS = {"question": "User", "answer": "Assistant", "thought": "Assistant, thinking"}


def removed_text(before: Sequence[WatchedPiece], after: Sequence[WatchedPiece]) -> str:
    """What of the messages before is gone, where a summary came in its place; empty where none did."""
    known, kept = ({one.digest for one in some} for some in (before, after))
    if not any(one.name == SUMMARY and one.digest not in known for one in after):
        return ""
    gone = [
        one for one in before if one.layer != "L1_SYSTEM" and one.kind != "picture" and one.digest not in kept
    ]
    return "\n\n".join(f"{_head(one)}:\n{one.text}" for one in gone if one.text.strip())


def _head(piece: WatchedPiece) -> str:
    match piece.kind:
        case "call":
            return f"Call of {piece.name}"
        case "result":
            return f"Result of {piece.name or 'a tool'}"
        case kind:
            return _HEADS.get(kind, "Context")
