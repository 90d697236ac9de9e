"""A stored request as a table: layers, segments and what each of them costs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from workbench.cli.terminal import print_table, print_text, visible_line
from workbench.context.outgoing import parameters_report
from workbench.domain.change import Built
from workbench.domain.envelope import KEPT_SHORT, Envelope
from workbench.domain.record import TurnRecord
from workbench.domain.translation import tr


def print_turn(turn: TurnRecord) -> None:
    """Prints a stored request: its turn, layers, segments and parameters."""
    print_text(
        tr(
            "turn {number}  {state}  {model}  {started_utc}",
            number=turn.number,
            state=turn.state,
            model=visible_line(turn.built.envelope.model),
            started_utc=visible_line(turn.started_utc),
        )
    )
    print_envelope(turn.built.envelope)
    for line in parameter_lines(turn.built):
        print_text(line)


def parameter_lines(built: Built) -> Iterator[str]:
    """Yields the parameters that were sent, and those that were set but not sent."""
    given, rules = built.inputs.settings.parameters, built.inputs.model.parameters
    sent = rules.taken(given).given
    if sent:
        told = (f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in sent.items())
        yield tr("parameters: {told}", told=visible_line(", ".join(told)))
    for unsent in rules.unsent(given):
        yield tr("not sent: {name} ({reason})", name=unsent.name, reason=visible_line(unsent.reason))


def print_envelope(envelope: Envelope) -> None:
    """Prints a request's layers and segments as a table, and what was dropped or changed."""
    count = tr("exact") if envelope.exact else tr("estimated")
    print_text(
        tr(
            "{total_tokens} of {window_tokens} tokens ({count})",
            total_tokens=envelope.total_tokens,
            window_tokens=envelope.budget.window_tokens,
            count=count,
        )
    )
    print_text()
    rows = [(tr("layer"), tr("tokens"), tr("form"), tr("kind"), tr("segment"))]
    for layer in envelope.layers:
        rows.append((layer.name, str(layer.total_tokens), "", "", ""))
        for segment, tokens in zip(layer.segments, layer.tokens, strict=False):
            rows.append(("", str(tokens), segment.form, visible_line(segment.kind), visible_line(segment.id)))
    print_table(rows, right=frozenset({1}))
    for repair in envelope.cuts.repairs:
        print_text(
            tr(
                "changed before sending: {id} ({reason})",
                id=visible_line(repair.id),
                reason=visible_line(repair.reason),
            )
        )
    for held in sorted(envelope.cuts.held):
        print_text(f"{visible_line(held)}: {KEPT_SHORT}")
    for dropped in envelope.cuts.pruned:
        print_text(
            tr("dropped: {id} ({reason})", id=visible_line(dropped.id), reason=visible_line(dropped.reason))
        )


def turn_document(turn: TurnRecord) -> dict[str, Any]:
    """Returns the request as a JSON document, with the text of every segment as it was sent."""
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
        **parameters_report(turn.built),
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
        "repaired": [{"id": one.id, "reason": one.reason} for one in envelope.cuts.repairs],
    }
