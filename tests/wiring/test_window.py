"""A window opens the history: made with a passphrase or the keyring, unlocked, refused, and its keys changed."""

from __future__ import annotations

import asyncio
import threading
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.keys import KeptInMemory
from tests.fakes.loop import in_loop
from workbench.domain.errors import StoreInUse, StoreLocked, WrongSecret
from workbench.domain.secrets import Secret
from workbench.ports.folder import HistoryAccess
from workbench.ports.keys import KeyKeeper, SecretPrompt
from workbench.storage.keys import keyring
from workbench.wiring.folder import has_keys
from workbench.wiring.window import FolderGiven, Typed, window_history, window_keys

WORDS, OTHER = Secret.of_text("correct horse battery"), Secret.of_text("entirely other words")


class Window:
    """A window that has typed something, and what it was told and given."""

    def __init__(self, folder: Path) -> None:
        self.arguments = Namespace(data_dir=str(folder))
        self.told: list[str] = []
        self.codes: list[Secret] = []

    def history(self, prompt: SecretPrompt | None) -> HistoryAccess:
        return window_history(self.arguments, prompt, self.told.append, self.codes.append)

    def keys(self, prompt: SecretPrompt | None) -> KeyKeeper:
        return window_keys(self.arguments, prompt, self.told.append, self.codes.append)

    async def opens(self, prompt: SecretPrompt | None) -> bool:
        try:
            store = await self.history(prompt).open(writable=True)
        except WrongSecret:
            return False
        await store.close()
        return True


@pytest.fixture
def window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Window:
    monkeypatch.delenv("WORKBENCH_PASSPHRASE", raising=False)
    return Window(tmp_path / "data")


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> KeptInMemory:
    """A system with a keyring."""
    made = KeptInMemory()

    def viable() -> Iterator[keyring.Backend]:
        yield made

    monkeypatch.setattr(keyring, "viable_backends", viable)
    return made


def test_the_window_knows_whether_a_secret_was_given_at_start(
    window: Window, monkeypatch: pytest.MonkeyPatch
):
    given = FolderGiven(window.arguments).given()
    assert not given.secret_given()
    assert FolderGiven(Namespace(data_dir="x", key_file="key")).given().secret_given()
    monkeypatch.setenv("WORKBENCH_PASSPHRASE", "correct horse battery")
    assert given.secret_given()


@in_loop
async def test_a_store_is_made_with_a_passphrase_and_its_code_is_handed_over(window: Window):
    assert not has_keys(window.arguments)
    assert await window.opens(Typed(WORDS))
    assert has_keys(window.arguments)
    (code,) = window.codes
    assert not any(code.reveal_text() in words for words in window.told)
    assert not await window.opens(Typed(OTHER))
    assert [await window.opens(Typed(secret)) for secret in (WORDS, code)] == [True, True]


@in_loop
async def test_without_a_prompt_the_keyring_opens_a_new_store(window: Window, backend: KeptInMemory):
    assert await window.opens(None)
    assert [one.kind for one in window.keys(None).status().protectors] == ["keyring", "recovery"]
    assert await window.opens(None)
    backend.kept.clear()
    with pytest.raises(StoreLocked):
        await window.opens(None)
    assert await window.opens(Typed(window.codes[0]))


@in_loop
async def test_keys_are_changed_beside_the_open_store(window: Window, backend: KeptInMemory):
    """A dialog of settings works while the window has its history open."""
    store = await window.history(Typed(WORDS)).open(writable=True)
    keys = window.keys(Typed(WORDS))
    await asyncio.to_thread(keys.change_passphrase, lambda: OTHER)
    keys = window.keys(Typed(OTHER))
    code = await asyncio.to_thread(keys.new_recovery_code)
    await asyncio.to_thread(keys.use_keyring, True)
    with pytest.raises(StoreInUse):
        await asyncio.to_thread(keys.rotate)
    await store.close()
    opening = (Typed(WORDS), Typed(OTHER), Typed(code), Typed(window.codes[0]))
    assert await window.opens(None)
    await asyncio.to_thread(keys.use_keyring, False)
    assert [await window.opens(prompt) for prompt in opening] == [False, True, True, False]


@in_loop
async def test_who_comes_second_is_told_who_has_it_open(window: Window):
    store = await window.history(Typed(WORDS)).open(writable=True)
    with pytest.raises(StoreInUse, match=r"\(process \d+\) has it open since"):
        await window.history(Typed(WORDS)).open(writable=True)
    reader = await window.history(Typed(WORDS)).open(writable=False)
    await reader.close()
    await store.close()


@in_loop
async def test_a_dialog_may_take_its_time(window: Window):
    """Asked in the loop's own thread, it could never be answered: the window would stand still."""
    loop, answered = asyncio.get_running_loop(), threading.Event()

    class Dialog(Typed):
        def ask_new(self) -> Secret:
            loop.call_soon_threadsafe(answered.set)
            assert answered.wait(20)
            return super().ask_new()

    assert await window.opens(Dialog(WORDS))
