"""Facts of every ProviderKeys: in the encrypted store, in a keyring, and the fake that tests use instead."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.keys import KeptInMemory, NoService
from tests.fakes.loop import in_loop
from tests.fakes.provider_keys import MemoryProviderKeys
from tests.fakes.stores import open_store
from workbench.domain.errors import UnusableSecret
from workbench.domain.secrets import Secret
from workbench.ports.keys import ProviderKeys
from workbench.storage.keys.keyring import OsKeyring
from workbench.storage.provider_keys import StoreProviderKeys

OPENAI, OTHER = "https://api.openai.com:443", "https://api.openai.com:8443"
KEYRINGS = {
    "in the store": None,
    "without a keyring": OsKeyring(NoService()),
    "in a keyring": OsKeyring(KeptInMemory()),
}


@pytest.fixture(params=[*KEYRINGS, "in memory"])
def keys(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ProviderKeys]:
    if request.param == "in memory":
        yield MemoryProviderKeys()
        return
    store = open_store(tmp_path / "history.db")
    yield StoreProviderKeys(store, KEYRINGS[request.param])
    asyncio.run(store.close())


@in_loop
async def test_a_key_is_found_for_its_origin_and_no_other(keys: ProviderKeys):
    assert (await keys.find(OPENAI), await keys.origins()) == (None, ())
    await keys.keep(OPENAI, Secret.of_text("sk-one"))
    assert await keys.find(OPENAI) == Secret.of_text("sk-one")
    for origin in (
        OTHER,
        "http://api.openai.com:443",
        "https://api.openai.com",
        "https://API.openai.com:443",
        "",
    ):
        assert await keys.find(origin) is None
    assert await keys.origins() == (OPENAI,)


@in_loop
async def test_a_new_key_takes_the_place_of_the_old_one(keys: ProviderKeys):
    for key in ("sk-one", "sk-two", "sk-two"):
        await keys.keep(OPENAI, Secret.of_text(key))
        assert await keys.find(OPENAI) == Secret.of_text(key)
    assert await keys.origins() == (OPENAI,)


@in_loop
async def test_a_revoked_key_is_not_used_any_more(keys: ProviderKeys):
    """AnythingLLM CVE-2026-32717: a key that was taken back still opened the door."""
    await keys.keep(OPENAI, Secret.of_text("sk-one"))
    await keys.keep(OTHER, Secret.of_text("sk-two"))
    for _ in range(2):
        await keys.keep(OPENAI, None)
        assert (await keys.find(OPENAI), await keys.origins()) == (None, (OTHER,))
    assert await keys.find(OTHER) == Secret.of_text("sk-two")


@in_loop
async def test_an_empty_key_is_refused_and_the_old_one_stays(keys: ProviderKeys):
    await keys.keep(OPENAI, Secret.of_text("sk-one"))
    with pytest.raises(UnusableSecret):
        await keys.keep(OPENAI, Secret(b""))
    assert await keys.find(OPENAI) == Secret.of_text("sk-one")


@in_loop
async def test_origins_come_in_order(keys: ProviderKeys):
    for origin in ("https://b:443", "https://a:443", "http://127.0.0.1:8080"):
        await keys.keep(origin, Secret.of_text("k"))
    assert await keys.origins() == ("http://127.0.0.1:8080", "https://a:443", "https://b:443")
