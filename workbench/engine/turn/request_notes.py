"""What is noted with a turn about its request, so that a list of turns need not read every request again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.context.explain.costs import runs_here
from workbench.domain.record import TurnRecord
from workbench.engine.build.prepare import Prepared
from workbench.engine.turn.answering import Answering


def request_note(prepared: Prepared, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What a list shows of a request, and the parameters that went along."""
    envelope, change = prepared.built.envelope, prepared.change
    note: dict[str, Any] = {
        "model": envelope.model,
        "local": runs_here(prepared.built.inputs.model),
        "total_tokens": envelope.total_tokens,
        "layers": {layer.name: layer.total_tokens for layer in envelope.layers},
        "change": change.change,
        "causes": [[cause.cause, cause.subject] for cause in change.causes],
        "trimmed_up_to": envelope.cuts.trim.boundary,
    }
    return note | ({"parameters": dict(parameters)} if parameters else {})


def last_request_note(turn: TurnRecord, answering: Answering) -> dict[str, Any]:
    """The note of the request that was sent last, with the digests of its bytes; as it began where none was sent."""
    begun: dict[str, Any] = dict((turn.usage or {}).get("request", {}))
    if answering.sent is None:
        return begun
    note = request_note(answering.sent, begun.get("parameters", {}))
    digests = {"shown_digest": answering.shown_digest, "sent_digest": answering.sent_digest}
    return note | {name: digest for name, digest in digests.items() if digest}
