"""The plain way to build a request, to compare ours with: all files first, then the newest messages that fit."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.context.assemble import Assembly
from workbench.context.assembly.draft import Draft
from workbench.context.assembly.filters import Admission
from workbench.context.assembly.history import History, is_seam, normalise
from workbench.context.assembly.references import Placement
from workbench.context.assembly.seal import seal
from workbench.context.assembly.select import Placements
from workbench.context.assembly.system import system_segments
from workbench.domain.budget import budget_for
from workbench.domain.envelope import Cuts, Envelope, WireMessage
from workbench.domain.turn import TurnInputs


def trim_last(inputs: TurnInputs, assembly: Assembly) -> Envelope:
    """The request as somebody makes it who knows nothing of caches; nothing is shortened, the oldest is left out."""
    settings = inputs.settings
    admission = Admission(settings.filters, inputs.tuning.excluded)
    instructions = system_segments(settings) if admission.admits_system() else ()
    budget = budget_for(settings, inputs.model.context_window_tokens)
    draft = Draft(inputs, budget, instructions, assembly.counter, assembly.renderers)
    placements = _all_files(inputs, admission)
    history = _history(inputs, admission, assembly)
    limit = budget.window_tokens if budget.threshold_tokens is None else budget.threshold_tokens
    room = min(limit, budget.window_tokens) - draft.tool_tokens
    kept = _newest(history.messages, draft, placements, room)
    return seal(draft.with_history(kept), placements, history, Cuts(repairs=history.repairs))


def _all_files(inputs: TurnInputs, admission: Admission) -> Placements:
    """Everything that is attached, in full, before the conversation."""
    return tuple(
        Placement(artifact, True, place, shelf=artifact, on_shelf="full")
        for place, artifact in enumerate(inputs.attached)
        if admission.admits_artifact(artifact)
    )


def _newest(
    messages: Sequence[WireMessage], draft: Draft, placements: Placements, room: int
) -> tuple[WireMessage, ...]:
    """The newest messages that fit beside the rest, from a question on."""
    counter, raw, first = draft.counter, draft.raw(placements), len(messages)
    while first:
        raw += sum(counter.costs(messages[first - 1]))
        if counter.total(raw) > room:
            break
        first -= 1
    while first < len(messages) and first and messages[first].role != "user":
        first += 1
    return tuple(messages[first:])


def _history(inputs: TurnInputs, admission: Admission, assembly: Assembly) -> History:
    tuning, renderers = inputs.tuning, assembly.renderers
    return assembly.memory.history(
        inputs.history,
        (admission, tuning, renderers),
        lambda some: normalise(some, admission, tuning, renderers),
        lambda before, after: is_seam(before, after, admission),
    )
