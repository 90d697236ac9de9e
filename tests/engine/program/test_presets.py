"""Presets through the engine: renamed, written to a file, taken over from one, and the models that were asked last."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.chat_model import words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.exchange_files import MemoryExchange
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.preferences import MemoryPreferences
from workbench.domain.errors import WorkbenchError
from workbench.domain.parameters import Parameters
from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.settings.preset import read_presets
from workbench.engine.intents import SendMessage, TrySettings
from workbench.engine.program.presets import save_preset
from workbench.engine.program_intents import ExportPresets, ImportPresets, RenamePreset, SavePreset


async def with_presets(preferences: Preferences | None = None) -> tuple[Bench, MemoryExchange]:
    files = MemoryExchange()
    kept = MemoryPreferences(preferences or Preferences())
    bench = fake_bench(words("Yes."), words("Yes."), exchange=files, preferences=kept)
    await save_preset("terse", SETTINGS, bench.world.store)
    await bench.workbench.begin()
    return bench, files


@in_calm_loop
async def test_new_chats_go_on_with_a_preset_that_is_called_otherwise():
    bench, _ = await with_presets(Preferences(persona="terse"))
    await bench.workbench.dispatch(RenamePreset("terse", "short"))
    assert list(bench.workbench.state.presets) == ["short"]
    assert bench.workbench.state.preferences.persona == "short"
    await bench.workbench.dispatch(SavePreset("other", SETTINGS))
    with pytest.raises(WorkbenchError, match="already"):
        await bench.workbench.dispatch(RenamePreset("short", "other"))
    assert list(bench.workbench.state.presets) == ["other", "short"]


@in_calm_loop
async def test_presets_go_out_and_come_back_and_nothing_is_written_over():
    bench, files = await with_presets()
    await bench.workbench.dispatch(ExportPresets((), "all.json"))
    assert read_presets(files.files["all.json"]) == dict(bench.workbench.state.presets)
    await bench.workbench.dispatch(ImportPresets("all.json"))
    assert list(bench.workbench.state.presets) == ["terse", "terse 2"]
    with pytest.raises(WorkbenchError):
        await bench.workbench.dispatch(ImportPresets("missing.json"))


@in_calm_loop
async def test_a_turn_that_is_sent_once_with_other_settings_is_shown_before_and_leaves_the_chat_s_own():
    """The settings that a turn had are kept with it: it is shown as it was, and the next one is the chat's again."""
    bench, _ = await with_presets()
    await bench.start()
    once = replace(SETTINGS, parameters=Parameters(temperature=0.0), system_prompt="Only now.")
    await bench.workbench.dispatch(TrySettings("talk", once))
    state = bench.workbench.state.open["talk"]
    assert state.trial is not None
    shown = state.trial.view.wire()
    assert shown is not None
    await bench.workbench.dispatch(TrySettings("talk", None), SendMessage("talk", "Well?", once=once))
    await bench.workbench.until_ended("talk")
    (turn,) = await bench.world.store.turns("talk")
    assert turn.built.inputs.settings == once
    assert (await bench.world.store.chat("talk")).settings == SETTINGS
    await bench.workbench.dispatch(SendMessage("talk", "And now?"))
    await bench.workbench.until_ended("talk")
    assert (await bench.world.store.turns("talk"))[-1].built.inputs.settings == SETTINGS


@in_calm_loop
async def test_the_models_that_were_asked_last_are_kept_the_newest_first():
    bench, _ = await with_presets(Preferences(recent_models=("b", SETTINGS.model, "c"), model="mine"))
    await bench.start()
    await bench.workbench.dispatch(SendMessage("talk", "Well?"))
    await bench.workbench.until_ended("talk")
    await until(lambda: bench.workbench.state.preferences.recent_models[0] == SETTINGS.model)
    assert bench.workbench.state.preferences == Preferences(
        recent_models=(SETTINGS.model, "b", "c"), model="mine"
    )


@in_calm_loop
async def test_where_nobody_read_the_preferences_none_are_written():
    """A command that asks has not loaded them: keeping what it holds would forget everything that was set."""
    kept = MemoryPreferences(Preferences(model="mine"))
    bench = fake_bench(words("Yes."), preferences=kept)
    await bench.start()
    await bench.workbench.dispatch(SendMessage("talk", "Well?"))
    await bench.workbench.until_ended("talk")
    await bench.workbench.close()
    assert kept.load() == Preferences(model="mine")
