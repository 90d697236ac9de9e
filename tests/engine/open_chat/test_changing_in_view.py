"""A pin, an exclusion or a setting: shown from what is known of the chat, and written behind."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.fragile_history import FragileHistory
from tests.fakes.loop import in_calm_loop, until
from workbench.domain.errors import StoreFull
from workbench.domain.files.attachment import Artifact
from workbench.engine.events import ChatShown, Event
from workbench.engine.intents import (
    AttachArtifact,
    ChangeSettings,
    ChatChange,
    CloseChat,
    OpenChat,
    SendMessage,
)
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.tuning_intents import AttachedChange, TuneAttached, TuneMessages

OTHER = replace(SETTINGS, system_prompt="Be short.")
SETTING = ChangeSettings("talk", OTHER, before=SETTINGS)


async def asked() -> tuple[Bench, FragileHistory]:
    store = FragileHistory()
    bench = fake_bench(store=store)
    await bench.start()
    await bench.workbench.dispatch(AttachArtifact("talk", Artifact("notes.md", "file", "Some notes.")))
    await bench.do(SendMessage("talk", "Hello there"))
    # The request after a question is shown a moment later, which must not be while something is changed.
    running = bench.world.tasks._running
    await until(lambda: not any(task.get_name().startswith("the request after") for task in running))
    await bench.calm()
    store.calls.clear()
    return bench, store


def shown(bench: Bench) -> ChatState:
    return bench.workbench.state.open["talk"]


def settings(bench: Bench) -> str:
    return shown(bench).chat.settings.system_prompt


def change_of(name: str, bench: Bench) -> ChatChange:
    question = shown(bench).records[0].id
    changes: dict[str, ChatChange] = {
        "pin": TuneMessages("talk", pin=frozenset({question})),
        "exclusion": TuneMessages("talk", leave_out=frozenset({question})),
        "pinned file": TuneAttached("talk", (AttachedChange("notes.md", pinned=True),)),
        "setting": SETTING,
    }
    return changes[name]


@pytest.mark.parametrize(
    ("name", "calls"),
    [
        ("pin", ["tuning", "save_tuning"]),
        ("exclusion", ["tuning", "save_tuning"]),
        ("pinned file", ["attached", "save_attached"]),
        ("setting", ["change_chat"]),
    ],
)
@in_calm_loop
async def test_it_is_shown_before_anything_is_read_and_only_what_it_changes_is_read_and_written(
    name: str, calls: list[str]
):
    bench, store = await asked()
    read: list[list[str]] = []

    def note(event: Event, _state: WorkbenchState) -> None:
        if isinstance(event, ChatShown) and "view" in event.fields:
            read.append([*store.calls])

    bench.workbench.subscribe(note)
    await bench.workbench.dispatch(change_of(name, bench))
    await bench.calm()
    assert read == [[]]
    assert store.calls == calls
    before = shown(bench)
    await bench.workbench.dispatch(CloseChat("talk"), OpenChat("talk"))
    after = shown(bench)
    assert (after.chat, after.conversation) == (before.chat, before.conversation)


@in_calm_loop
async def test_what_cannot_be_written_is_shown_as_it_was():
    bench, store = await asked()
    store.refusing.add("change_chat")
    with pytest.raises(StoreFull):
        await bench.workbench.dispatch(SETTING)
    assert settings(bench) == SETTINGS.system_prompt


@pytest.mark.parametrize("slow", ["path", "change_chat"])
@in_calm_loop
async def test_a_reading_that_overlaps_does_not_bring_back_what_was_before(slow: str):
    """One that began before, and one that began between showing and writing."""
    bench, store = await asked()
    store.slow[slow] = 0.05
    opened = bench.workbench._open.at("talk")
    if slow == "path":
        reading = bench.world.tasks.start("reload", opened.reload())
        await until(lambda: "chat" in store.calls)
        await bench.workbench.dispatch(SETTING)
    else:
        writing = bench.world.tasks.start("change", bench.workbench.dispatch(SETTING))
        await until(lambda: settings(bench) == "Be short.")
        reading = bench.world.tasks.start("reload", opened.reload())
        await writing
    await reading
    assert settings(bench) == "Be short."
    assert (await store.chat("talk")).settings == OTHER


@in_calm_loop
async def test_what_decides_about_the_library_is_read_again():
    bench, store = await asked()
    frozen = replace(SETTINGS, freshness="freeze")
    await bench.workbench.dispatch(ChangeSettings("talk", frozen, before=SETTINGS))
    assert "path" in store.calls
