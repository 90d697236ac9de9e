"""A stored request as a table: layers, segments and what each of them cost."""

from __future__ import annotations

from typing import Any

from workbench.cli.plain_output import print_table, print_text, visible_line
from workbench.domain.envelope import Envelope
from workbench.domain.record import TurnRecord


def print_turn(turn: TurnRecord) -> None:
    """The request for people."""
    print_text(
        f"turn {turn.number}  {turn.state}  {visible_line(turn.built.envelope.model)}  "
        f"{visible_line(turn.started_utc)}"
    )
    print_envelope(turn.built.envelope)


def print_envelope(envelope: Envelope) -> None:
    """A request's layers and segments."""
    count = "exact" if envelope.exact else "estimated"
    print_text(f"{envelope.total_tokens} of {envelope.budget.window_tokens} tokens ({count})")
    print_text()
    rows = [("layer", "tokens", "form", "kind", "segment")]
    for layer in envelope.layers:
        rows.append((layer.name, str(layer.total_tokens), "", "", ""))
        for segment, tokens in zip(layer.segments, layer.tokens, strict=False):
            rows.append(("", str(tokens), segment.form, visible_line(segment.kind), visible_line(segment.id)))
    print_table(rows, right=frozenset({1}))
    for dropped in envelope.cuts.pruned:
        print_text(f"dropped: {visible_line(dropped.id)} ({visible_line(dropped.reason)})")


def turn_document(turn: TurnRecord) -> dict[str, Any]:
    """The request for machines, with the text of every segment as it was sent."""
    envelope = turn.built.envelope
    return {
        "chat": turn.chat,
        "turn": turn.number,
        "state": turn.state,
        "question": turn.question,
        "model": envelope.model,
        "started_utc": turn.started_utc,
        "finished_utc": turn.finished_utc,
        "usage": None if turn.usage is None else dict(turn.usage),
        "total_tokens": envelope.total_tokens,
        "window_tokens": envelope.budget.window_tokens,
        "count": "exact" if envelope.exact else "estimated",
        "layers": [
            {
                "name": layer.name,
                "tokens": layer.total_tokens,
                "segments": [
                    {"id": one.id, "kind": one.kind, "form": one.form, "tokens": tokens, "text": one.text}
                    for one, tokens in zip(layer.segments, layer.tokens, strict=False)
                ],
            }
            for layer in envelope.layers
        ],
        "pruned": [
            {"id": one.id, "tokens": one.tokens, "reason": one.reason} for one in envelope.cuts.pruned
        ],
    }
