"""What is about no single chat: done, kept, and seen in the state; no key ever is."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from functools import reduce as fold
from typing import Any

import pytest

from tests.fakes.archives import plain_archive
from tests.fakes.engine import SETTINGS, fake_bench
from tests.fakes.fragile_history import FragileHistory
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.preferences import MemoryPreferences
from tests.fakes.provider_keys import MemoryProviderKeys
from tests.fakes.turns import user
from workbench.domain.errors import (
    InvalidInput,
    KeyLingers,
    NotKept,
    StoreFull,
    UnusableSecret,
    WorkbenchError,
)
from workbench.domain.record import ChatArchive
from workbench.domain.request import Timeouts
from workbench.domain.secrets import Secret
from workbench.domain.settings.app_preferences import Preferences, SavingOff, SettingsProblem
from workbench.engine.events import NoticeGiven, PreferencesChanged
from workbench.engine.program_intents import (
    ChangePreferences,
    KeepProviderKey,
    ReadPreferences,
    SavePreset,
    SearchHistory,
)
from workbench.engine.state import WorkbenchState
from workbench.engine.store import reduce
from workbench.engine.tasks import Tasks

CANARY = "sk-canary-0123456789abcdef"
KEY = Secret.of_text(CANARY)


@in_calm_loop
async def test_at_the_start_everything_is_listed():
    store, keys = MemoryHistory(), MemoryProviderKeys()
    await store.adopt(plain_archive(user("q"), chat="c"))
    await store.save_preset("terse", SETTINGS)
    await keys.keep("https://a", KEY)
    odd = SettingsProblem("settings.toml", "odd is not a setting", 1, 1, blocks=False)
    kept = MemoryPreferences(Preferences(model="word-1"), odd)
    bench = fake_bench(store=store, keys=keys, preferences=kept)
    await bench.workbench.begin()
    state = bench.workbench.state
    assert ([chat.id for chat in state.chats], dict(state.presets)) == (["c"], {"terse": SETTINGS})
    assert (state.key_origins, state.preferences.model) == (("https://a",), "word-1")
    assert [notice.text for notice in state.notices] == ["settings.toml:1:1: odd is not a setting."]
    assert state.sending_off is None


@in_calm_loop
async def test_what_blocks_is_known_until_the_corrected_preferences_are_read_again():
    wrong = SettingsProblem("settings.toml", "this is not valid TOML", 3, 8)
    kept = MemoryPreferences(Preferences(), wrong)
    preferred: list[Preferences] = []
    bench = fake_bench(preferences=kept, keys=MemoryProviderKeys(), prefer=preferred.append)
    await bench.workbench.begin()
    assert (bench.workbench.state.sending_off, bench.workbench.state.notices) == (wrong, ())
    for intent in (ChangePreferences(Preferences(model="x")), KeepProviderKey("openai", KEY)):
        with pytest.raises(
            SavingOff, match=r"settings\.toml:3:8: this is not valid TOML\. Nothing was saved"
        ):
            await bench.workbench.dispatch(intent)
    kept.planted, kept.kept = (), Preferences(openai_url="https://gateway.example")
    await bench.workbench.dispatch(ReadPreferences())
    assert (bench.workbench.state.sending_off, preferred[-1]) == (None, kept.kept)


@in_calm_loop
async def test_what_cannot_be_listed_keeps_nothing_else_from_being():
    bench = fake_bench(store=FragileHistory("chats"), preferences=MemoryPreferences(Preferences(model="m")))
    await bench.workbench.begin()
    assert bench.workbench.state.preferences.model == "m"
    assert [event.text for event in bench.told(NoticeGiven)] == [str(StoreFull("test"))]


@in_calm_loop
async def test_a_front_end_without_settings_begins_too():
    bench = fake_bench()
    await bench.workbench.begin()
    assert (bench.workbench.state.preferences, bench.told(PreferencesChanged)) == (Preferences(), [])


@in_calm_loop
async def test_preferences_are_kept_beside_the_loop_and_hold_at_once():
    threads: list[threading.Thread] = []

    class Noting(MemoryPreferences):
        def save(self, preferences: Preferences) -> None:
            threads.append(threading.current_thread())
            super().save(preferences)

    preferred: list[Preferences] = []
    bench = fake_bench(preferences=Noting(), prefer=preferred.append)
    new = Preferences(model="word-1", timeouts=Timeouts(1, 2, 3), max_tool_rounds=2)
    await bench.workbench.dispatch(ChangePreferences(new))
    assert (bench.workbench.state.preferences, preferred) == (new, [new])
    limits = bench.world.limits
    assert (limits.timeouts, limits.tool_rounds) == (Timeouts(1, 2, 3), 2)
    assert threads
    assert threading.main_thread() not in threads


@pytest.mark.parametrize("change", [{"offline": True}, {"proxy": "system"}, {"plain_http": ("http://nas",)}])
@in_calm_loop
async def test_models_are_looked_for_again_where_others_can_be_reached(change: dict[str, Any]):
    bench = fake_bench(preferences=MemoryPreferences())
    await bench.workbench.dispatch(ChangePreferences(Preferences(max_tool_rounds=3)))
    assert bench.workbench.state.models is None
    await bench.workbench.dispatch(ChangePreferences(replace(Preferences(max_tool_rounds=3), **change)))
    await until(lambda: bench.workbench.state.models is not None)


@in_calm_loop
async def test_preferences_that_are_refused_do_not_hold():
    class Refusing(MemoryPreferences):
        def save(self, preferences: Preferences) -> None:
            raise InvalidInput("servers", "looks like a key, and was not saved")

    bench = fake_bench(preferences=Refusing())
    with pytest.raises(InvalidInput):
        await bench.workbench.dispatch(ChangePreferences(Preferences(max_tool_rounds=1)))
    assert (bench.world.limits.tool_rounds, bench.told(PreferencesChanged)) == (8, [])


@in_calm_loop
async def test_the_last_of_several_changes_is_the_one_that_stays():
    """The first one is the slowest: without waiting for it, it would be written last."""

    class Slow(MemoryPreferences):
        def save(self, preferences: Preferences) -> None:
            threading.Event().wait(0.05 / preferences.max_tool_rounds)
            super().save(preferences)

    kept = Slow()
    bench = fake_bench(preferences=kept)
    changes = [ChangePreferences(Preferences(max_tool_rounds=rounds)) for rounds in (1, 20, 50)]
    await asyncio.gather(*(bench.workbench.dispatch(change) for change in changes))
    assert kept.kept.max_tool_rounds == bench.workbench.state.preferences.max_tool_rounds == 50


@in_calm_loop
async def test_changes_from_the_same_preferences_are_all_kept():
    """Each was a copy of all preferences as the window had drawn them, and took the others back."""
    bench = fake_bench(preferences=MemoryPreferences())
    held = bench.workbench.state.preferences
    wanted: dict[str, Any] = {"max_tool_rounds": 3, "redaction": "replace", "servers": {"lab": "http://lab"}}
    changes = [ChangePreferences(replace(held, **{name: value}), held) for name, value in wanted.items()]
    await asyncio.gather(*(bench.workbench.dispatch(change) for change in changes))
    assert bench.workbench.state.preferences == replace(held, **wanted)


@in_calm_loop
async def test_a_key_is_kept_for_its_origin_and_forgotten():
    keys = MemoryProviderKeys()
    bench = fake_bench(keys=keys, origin_of=lambda address: f"{address}:443")
    await bench.workbench.dispatch(KeepProviderKey("openai", Secret.of_text(f" {CANARY}\n")))
    await bench.workbench.dispatch(KeepProviderKey("https://lab.example", KEY))
    assert bench.workbench.state.key_origins == ("https://api.openai.com:443", "https://lab.example:443")
    assert await keys.find("https://api.openai.com:443") == KEY
    await bench.workbench.dispatch(KeepProviderKey("openai", None))
    assert bench.shows("key_origins")[-1] == ("https://lab.example:443",)


@in_calm_loop
async def test_no_key_is_seen_in_state_events_errors_or_reports():
    said: list[str] = []
    tasks = Tasks(lambda name, error: said.append(f"{name} {error!r}"))
    bench = fake_bench(keys=MemoryProviderKeys(), tasks=tasks)
    wrong = (KeepProviderKey("https://a", Secret.of_text(f"{CANARY} x")), KeepProviderKey(CANARY, KEY))
    for intent, refusal in zip(wrong, (UnusableSecret, InvalidInput), strict=True):
        with pytest.raises(refusal) as error:
            await bench.workbench.dispatch(intent)
        said.append(f"{error.value} {intent if intent.origin != CANARY else ''}")
    await bench.workbench.dispatch(KeepProviderKey("https://a", KEY))
    assert CANARY not in f"{bench.events}{bench.workbench.state}{said}"


@in_calm_loop
async def test_an_old_key_that_lingers_is_said_and_no_longer_listed():
    class Clinging(MemoryProviderKeys):
        async def keep(self, origin: str, key: Secret | None) -> None:
            await super().keep(origin, key)
            if key is None:
                raise KeyLingers(origin)

    bench = fake_bench(keys=Clinging())
    await bench.workbench.dispatch(KeepProviderKey("https://a", KEY))
    with pytest.raises(KeyLingers):
        await bench.workbench.dispatch(KeepProviderKey("https://a", None))
    assert bench.shows("key_origins") == [("https://a",), ()]


@in_calm_loop
async def test_where_there_is_no_place_for_keys_that_is_said():
    with pytest.raises(WorkbenchError, match="Nothing was kept"):
        await fake_bench().workbench.dispatch(KeepProviderKey("openai", KEY))


@in_calm_loop
async def test_a_chat_that_the_program_brings_is_taken_over_as_often_as_wanted():
    bench = fake_bench()
    sample = plain_archive(user("q"), chat="sample")
    assert [await bench.workbench.adopt(sample) for _ in range(2)] == ["sample", "id1"]
    assert {chat.id for chat in bench.workbench.state.chats} == {"sample", "id1"}


@in_calm_loop
async def test_a_chat_that_does_not_fit_is_refused():
    class Refusing(MemoryHistory):
        async def adopt(self, archive: ChatArchive, *, own: bool = False) -> None:
            raise NotKept("It does not fit.")

    with pytest.raises(NotKept, match="It does not fit"):
        await fake_bench(store=Refusing()).workbench.adopt(plain_archive(user("q")))


@in_calm_loop
async def test_presets_are_kept_replaced_and_removed():
    bench = fake_bench()
    for name in ("terse", " terse "):
        await bench.workbench.dispatch(SavePreset(name, SETTINGS))
    assert dict(bench.workbench.state.presets) == {"terse": SETTINGS}
    with pytest.raises(InvalidInput):
        await bench.workbench.dispatch(SavePreset(" ", SETTINGS))
    await bench.workbench.dispatch(SavePreset("terse", None))
    assert dict(bench.workbench.state.presets) == {}


@in_calm_loop
async def test_the_state_is_what_the_events_make_of_it():
    bench = fake_bench(keys=MemoryProviderKeys(), preferences=MemoryPreferences())
    await bench.workbench.begin()
    for intent in (
        SavePreset("terse", SETTINGS),
        KeepProviderKey("https://a", KEY),
        ChangePreferences(Preferences(model="word-1")),
        SearchHistory("words"),
    ):
        await bench.workbench.dispatch(intent)
    assert fold(reduce, bench.events, WorkbenchState()) == bench.workbench.state
