"""Events about what is shown and what is listed, into state: each replaces one part of it."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from workbench.domain.job import Job
from workbench.engine.events import (
    DiskChecked,
    ErrandEvent,
    HistorySearched,
    JobDismissed,
    JobMoved,
    LookEvent,
    ModelReadied,
    ModelsListed,
    PreferencesChanged,
    PresetsListed,
    ProviderKeysListed,
    RequestSent,
    RequestShown,
    TrialShown,
    TurnOpened,
    TurnsCompared,
    TurnsListed,
)
from workbench.engine.state import ChatState, WorkbenchState


def look(kept: ChatState, event: LookEvent) -> ChatState:
    """An open chat after something about it is shown otherwise."""
    match event:
        case RequestShown(_, view, attachments, fixes):
            return replace(kept, view=view, attachments=attachments, fixes=fixes)
        case RequestSent(_, view):
            return replace(kept, in_flight=view)
        case TrialShown(_, trial):
            return replace(kept, trial=trial)
        case TurnsListed(_, turns, versions):
            return replace(kept, turns=turns, versions=versions)
        case TurnOpened(_, view):
            return replace(kept, opened=view)
        case TurnsCompared(_, difference):
            return replace(kept, compared=difference)
        case DiskChecked(_, disk):
            return replace(kept, disk=disk)
        case _:
            assert_never(event)


def run_errand(state: WorkbenchState, event: ErrandEvent) -> WorkbenchState:
    """The state after something that is about no single chat."""
    match event:
        case HistorySearched(found):
            return replace(state, found=found)
        case ModelsListed(models):
            return replace(state, models=models)
        case ModelReadied(name, readiness):
            return replace(state, readiness={**state.readiness, name: readiness})
        case PreferencesChanged(preferences):
            return replace(state, preferences=preferences)
        case ProviderKeysListed(origins):
            return replace(state, key_origins=origins)
        case PresetsListed(presets):
            return replace(state, presets=presets)
        case JobMoved(job):
            return replace(state, jobs=_moved(state.jobs, job))
        case JobDismissed(job):
            return replace(state, jobs=tuple(known for known in state.jobs if known.id != job))
        case _:
            assert_never(event)


def _moved(jobs: tuple[Job, ...], job: Job) -> tuple[Job, ...]:
    if all(known.id != job.id for known in jobs):
        return (*jobs, job)
    return tuple(job if known.id == job.id else known for known in jobs)
