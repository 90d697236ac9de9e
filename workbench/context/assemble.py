"""One turn's inputs become one envelope: the builder that feeds the inspector, `replay` and the wire (seed 001)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from workbench.context.build.cutting import cut_to_size
from workbench.context.build.draft import Draft
from workbench.context.build.filters import Admission
from workbench.context.build.history import History, is_seam, normalise
from workbench.context.build.memory import BuildMemory, shortener_for
from workbench.context.build.references import Places
from workbench.context.build.seal import seal
from workbench.context.build.system import system_segments
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
    shortener = shortener_for(inputs.settings, assembly.memory)
    places = Places(shortener, inputs.settings.freshness, admission.admits_artifact)
    placements = places.place(inputs.library, inputs.attached)
    assembly.lap("library")
    history = _history(inputs, admission, assembly)
    instructions = system_segments(inputs.settings) if admission.admits_system() else ()
    draft = Draft(inputs, budget, instructions, assembly.counter, assembly.renderers)
    assembly.lap("process")
    cut = cut_to_size(draft, placements, history, shortener)
    assembly.lap("compact")
    cuts = Cuts(
        pruned=cut.pruned,
        repairs=history.repairs,
        trim=cut.trim,
        trimmed_messages=cut.trimmed_ids,
        forced=cut.forced,
    )
    envelope = seal(draft.with_history(cut.messages), cut.placements, history, cuts)
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
