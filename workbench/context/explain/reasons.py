"""Why a row or a layer is as it is, as reason codes: derived from both requests, never guessed from text."""

from __future__ import annotations

from workbench.context.assembly.exchanges import TurnGroup
from workbench.context.explain.row_facts import RowFacts
from workbench.domain.envelope import Layer, Pruned
from workbench.domain.files.attachment import Artifact
from workbench.domain.on_demand import called_tool
from workbench.domain.segment import LayerName, Segment
from workbench.domain.shown.envelope_view import NO_REASON, Reason
from workbench.domain.translation import tr

_OVER_BUDGET = tr("over attachment budget")


def layer_reason(layer: Layer, around: RowFacts) -> Reason:
    """How a non-empty layer compares with that of the previous request; This turn is always new."""
    if layer.name == "L3_TURN":
        return NO_REASON if around.built.inputs.passed is not None else Reason("rebuilt")
    before = _previous_layer(around, layer.name)
    if around.previous is None or before is None:
        return NO_REASON
    # A watched request stands beside the one before it, whatever its number.
    turn = around.previous.inputs.turn if around.built.inputs.passed is None else 0
    if before.digest == layer.digest:
        return Reason("unchanged", number=turn)
    return Reason("grew" if _extends(before, layer) else "changed", number=turn)


def instruction_reason(segment: Segment, around: RowFacts) -> Reason:
    """Why a row of the System layer is there, or that it changed."""
    before = _previous_layer(around, "L1_SYSTEM")
    known = {} if before is None else {one.id: one.digest for one in before.segments}
    if segment.id in known and known[segment.id] != segment.digest:
        return Reason("changed", segment.id)
    # How a provider writes tools for its model is not published, so that their cost is a guess.
    return Reason("estimated") if segment.kind == "tool" else Reason("always_first")


def exchange_reason(exchange: TurnGroup, around: RowFacts) -> Reason:
    """Why turns of history are sent, shortened or not sent."""
    if around.unseen and exchange.sent and any(part.id in around.unseen for part, _ in exchange.parts):
        return cannot_see(around)
    if exchange.left_out:
        return Reason("left_out", number=exchange.left_out)
    return _summary_reason(exchange, around) if exchange.summary else _fate_reason(exchange, around)


def _fate_reason(exchange: TurnGroup, around: RowFacts) -> Reason:
    match exchange.fate:
        case "capped":
            return Reason("over_budget")
        case "filtered":
            return Reason("left_out")
        case "repaired":
            return Reason("repaired")
        case "shortened":
            return Reason("preview")
        case "left":
            return Reason("left", number=around.built.envelope.budget.threshold_tokens or 0)
        case "trimmed" if not all(segment.sent for segment, _ in exchange.parts):
            return Reason("over_budget")
        case "trimmed":
            return Reason("boundary", number=around.built.envelope.cuts.trim.boundary)
        case _:
            return _sent_exchange_reason(exchange, around)


def _summary_reason(exchange: TurnGroup, around: RowFacts) -> Reason:
    """The reason for summarised messages; for the summary itself, how many it replaces."""
    if not exchange.is_summary:
        return Reason("in_summary")
    summaries = around.built.inputs.tuning.summaries
    return Reason("summary", number=sum(len(one.replaces) for one in summaries if one.id == exchange.summary))


def artifact_reason(segment: Segment, artifact: Artifact | None, around: RowFacts) -> Reason:
    """Why an artifact is where it is, in the form it has."""
    if is_unseen(segment, around):
        return cannot_see(around)
    if around.disk.get(segment.id, ("",))[0] == "changed" and segment.form != "reference":
        return Reason("changed_on_disk", around.disk[segment.id][1])
    if (wanted := _shortened_reason(segment, artifact, around)) is not None:
        return wanted
    if segment.layer == "L2_PREVIOUS":
        turn = around.attached_in.get(segment.id, 0)
        if segment.id not in around.attached and around.built.envelope.layout == "append_only":
            return Reason("until_rebuild", segment.id)
        if not turn and not segment.superseded and not around.built.inputs.history:
            return Reason("in_every_chat", segment.id)  # nothing was asked yet: the workspace brought it
        return Reason("older_copy" if segment.superseded else "promoted", segment.id, turn)
    if segment.form == "reference":
        return Reason("in_library", segment.id)
    if artifact is not None and artifact.essential and not around.built.envelope.fits:
        return Reason("pinned", segment.id)
    if segment.form == "compacted":
        return Reason("shortened", segment.id)
    return Reason("newer_copy" if segment.override else "attached_now", segment.id)


def _shortened_reason(segment: Segment, artifact: Artifact | None, around: RowFacts) -> Reason | None:
    """The reason where the user, or only the cache, keeps it short; None where neither does."""
    if segment.form != "compacted":
        return None
    if _is_summary(segment, around):
        return Reason("as_summary", segment.id)
    if artifact is not None and _is_shortened_by_user(artifact, around):
        return Reason("shortened_by_you", segment.id, artifact.most_tokens or 0)
    held = segment.id in around.built.envelope.cuts.held and not segment.superseded
    return Reason("kept_short", segment.id) if held else None


def _is_summary(segment: Segment, around: RowFacts) -> bool:
    """Whether a summary is sent in place of an attached text."""
    summaries = around.built.inputs.tuning.summaries
    return any(
        one.of_artifact and segment.id in one.replaces and one.text in segment.text for one in summaries
    )


def _is_shortened_by_user(artifact: Artifact, around: RowFacts) -> bool:
    """Whether the user chose a shorter length, and nothing cut it further."""
    if artifact.most_tokens is None or artifact.key not in around.attached:
        return False
    return all(one.id != artifact.key for one in around.built.envelope.cuts.trim.fitted)


def is_unseen(segment: Segment, around: RowFacts) -> bool:
    """Whether only a picture's caption is sent, because the model has no vision."""
    return segment.kind == "image" and not around.built.inputs.model.images


def cannot_see(around: RowFacts) -> Reason:
    """The reason that the model has no vision."""
    return Reason("cannot_see", around.built.inputs.settings.model)


def said_reason(segment: Segment) -> Reason:
    """What a segment of this turn is: a call, its result, or a command's output."""
    if segment.tool_calls:
        return Reason("tool_call", called_tool(segment.tool_calls[0]).name)
    return Reason("tool_result") if segment.kind in ("tool", "environment") else NO_REASON


def pruned_reason(pruned: Pruned) -> Reason:
    """The limit that something was dropped for, and its priority."""
    over_budget = pruned.reason == _OVER_BUDGET
    return Reason("over_budget" if over_budget else "over_window", pruned.id, pruned.priority)


def _sent_exchange_reason(exchange: TurnGroup, around: RowFacts) -> Reason:
    pinned = around.built.inputs.tuning.pinned
    if pinned and any(segment.id in pinned for segment, _ in exchange.parts):
        return Reason("pinned")
    known = around.said_before
    if known is not None and exchange.parts[0][0].id not in known:
        return Reason("first_time", number=exchange.last_turn)
    return Reason("estimated") if exchange.guessed else NO_REASON


def _previous_layer(around: RowFacts, name: LayerName) -> Layer | None:
    return None if around.previous is None else around.previous.envelope.layer(name)


def _extends(before: Layer, after: Layer) -> bool:
    """Whether a layer begins with all of the earlier one."""
    old = [segment.digest for segment in before.segments if segment.sent]
    new = [segment.digest for segment in after.segments if segment.sent]
    return new[: len(old)] == old
