"""One turn's inputs become one envelope: the builder that feeds the inspector, `replay` and the wire (seed 001)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter

from workbench.context.build.caps import cap_history
from workbench.context.build.draft import AttachmentPricing, Draft, WindowPricing
from workbench.context.build.filters import Admission
from workbench.context.build.history import History, is_seam, normalise
from workbench.context.build.memory import BuildMemory
from workbench.context.build.references import Places
from workbench.context.build.seal import seal
from workbench.context.build.select import Limit, Placements, Selection, optimize_for_limit
from workbench.context.build.system import system_segments
from workbench.context.build.trim import Trimmed, TrimRequest, newest_exchange, trim_history
from workbench.context.text.chunk_renderers import RendererRegistry
from workbench.domain.budget import budget_for
from workbench.domain.envelope import Cuts, Envelope
from workbench.domain.turn import TurnInputs
from workbench.ports.counting import TokenCounter

Lap = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Assembly:
    """What the builder works with besides the turn itself; `lap` is told when a phase has ended."""

    counter: TokenCounter
    renderers: RendererRegistry
    memory: BuildMemory = field(default_factory=BuildMemory)
    lap: Lap = lambda phase: None


def assemble(inputs: TurnInputs, assembly: Assembly) -> Envelope:
    """Build the request: place artifacts, keep them in their budget, trim history, and fit the sum into the window."""
    budget = budget_for(inputs.settings, inputs.model.context_window_tokens)
    admission = Admission(inputs.settings.filters, inputs.tuning.excluded)
    short = partial(assembly.memory.short, settings=inputs.settings.compaction)
    places = Places(short, inputs.settings.freshness, admission.admits_artifact)
    placements = places.place(inputs.library, inputs.attached)
    assembly.lap("library")
    history = _history(inputs, admission, assembly)
    instructions = system_segments(inputs.settings) if admission.admits_system() else ()
    draft = Draft(inputs, budget, instructions, assembly.counter, assembly.renderers)
    assembly.lap("process")
    within = _within_attachment_budget(placements, draft, inputs.settings.attachment_budget_tokens)
    trimmed = _trim(draft, within.placements, history)
    messages = tuple(filter(attrgetter("segments"), trimmed.messages))
    window = Limit(budget.window_tokens, "over the window")
    fitted = optimize_for_limit(within.placements, WindowPricing(draft, messages), window)
    assembly.lap("compact")
    cuts = Cuts(
        pruned=(*within.pruned, *fitted.pruned),
        repairs=history.repairs,
        trim=trimmed.state,
        trimmed_messages=trimmed.trimmed_ids,
        forced=trimmed.advanced or fitted.placements is not within.placements,
    )
    envelope = seal(draft.with_history(messages), fitted.placements, history, cuts)
    assembly.lap("render")
    return envelope


def _history(inputs: TurnInputs, admission: Admission, assembly: Assembly) -> History:
    entries, tuning, renderers = inputs.history, inputs.tuning, assembly.renderers
    key = (admission, tuning, renderers)
    return assembly.memory.history(
        entries,
        key,
        lambda some: normalise(some, admission, tuning, renderers),
        lambda before, after: is_seam(before, after, admission),
    )


def _within_attachment_budget(placements: Placements, draft: Draft, tokens: int | None) -> Selection:
    if tokens is None:
        return Selection(placements)
    return optimize_for_limit(placements, AttachmentPricing(draft), Limit(tokens, "over attachment budget"))


def _trim(draft: Draft, placements: Placements, history: History) -> Trimmed:
    inputs, counter = draft.inputs, draft.counter
    settings = inputs.settings.history
    capped = cap_history(history.messages, settings, inputs.tuning.pinned, counter)
    request = TrimRequest(
        messages=capped,
        state=inputs.trim,
        budget=draft.budget,
        other_raw=draft.raw(placements),
        fixed_tokens=draft.tool_tokens,
        keep_last_n=settings.keep_last_n_assistant,
        newest_exchange=newest_exchange(capped, inputs.question is not None),
        asked=None if inputs.question is None else inputs.question.id,
    )
    return trim_history(request, counter)
