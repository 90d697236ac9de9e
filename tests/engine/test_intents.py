"""Intents: what a person wants, as values."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import get_args

from workbench.engine import (
    attaching_intents,
    intents,
    program_intents,
    tuning_intents,
    workspace_intents,
)
from workbench.engine.attaching_intents import CountFiles, LeaveFolder, StopScan
from workbench.engine.intents import Intent, ListChats
from workbench.engine.program_intents import (
    AskVariants,
    ForkChat,
    GoOnFromWatched,
    LookAtSpending,
    MakeSummary,
    MeasureInfluence,
    OfferSummary,
    OfferTitle,
    ProgramIntent,
    WatchIntent,
    WriteTitle,
)
from workbench.engine.tuning_intents import AttachedChange
from workbench.engine.workspace_intents import (
    AttachResource,
    OfferFacts,
    SuggestFacts,
    WorkspaceIntent,
    WritePrompt,
)


def test_an_intent_is_a_frozen_value_about_a_chat_unless_it_is_about_the_program():
    kinds = get_args(Intent)
    assert [kind for kind in kinds if not is_dataclass(kind)] == []
    assert [kind for kind in kinds if not kind.__dataclass_params__.frozen] == []
    about_no_chat = {kind for kind in kinds if [field.name for field in fields(kind)][:1] != ["chat"]}
    # One folder is looked through at a time, by whoever opened it; some things are done for a chat that stays as it is.
    for_a_chat = {
        ForkChat, OfferTitle, WriteTitle, OfferSummary, MakeSummary, AttachResource, WritePrompt, OfferFacts,
        SuggestFacts, MeasureInfluence, AskVariants, GoOnFromWatched,
    }  # fmt: skip
    programs = {*get_args(ProgramIntent), *get_args(WatchIntent), *get_args(WorkspaceIntent)}
    others = programs - for_a_chat
    assert about_no_chat == {ListChats, CountFiles, StopScan, LeaveFolder, LookAtSpending, *others}


def test_every_intent_can_be_dispatched():
    """An intent that is not in the union is one that nobody has to answer."""
    written = {
        kind
        for module in (
            intents,
            program_intents,
            tuning_intents,
            attaching_intents,
            workspace_intents,
        )
        for kind in vars(module).values()
        if isinstance(kind, type) and kind.__module__ == module.__name__
    }
    assert written - {AttachedChange} == set(get_args(Intent))
