"""Which providers there are keys for, looked up without asking anybody and without making a store."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from tests.fakes.loop import in_loop
from workbench.cli import terminal
from workbench.cli.terminal import Terminal
from workbench.domain.errors import StoreLocked, WrongSecret
from workbench.domain.secrets import Secret
from workbench.wiring.building import UnaskedKeys
from workbench.wiring.folder import history, provider_keys

PLACE = "https://api.openai.com:443"


@pytest.fixture(autouse=True)
def somebody_at_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is asked all the same makes the test fail, not wait."""

    def refuse(self: Terminal, prompt: str) -> Secret:
        raise AssertionError("nobody may be asked")

    monkeypatch.setattr(Terminal, "ask", refuse)
    monkeypatch.setattr(terminal, "find_terminal", Terminal)
    monkeypatch.delenv("WORKBENCH_PASSPHRASE", raising=False)


async def kept(tmp_path: Path) -> Namespace:
    """A store that a key file opens, with the key of one provider."""
    key_file = tmp_path / "key"
    key_file.write_bytes(bytes(range(32)))
    arguments = Namespace(data_dir=str(tmp_path / "data"), key_file=str(key_file))
    store = await history(arguments).open(writable=True)
    await provider_keys(store).keep(PLACE, Secret.of_text("k"))
    await store.close()
    return arguments


@in_loop
async def test_where_there_is_no_store_none_is_made(tmp_path: Path):
    arguments = Namespace(data_dir=str(tmp_path / "data"))
    assert await UnaskedKeys(arguments).origins() == ()
    assert not (tmp_path / "data").exists()


@in_loop
async def test_what_was_given_opens_the_store_and_lets_it_go_again(tmp_path: Path):
    arguments = await kept(tmp_path)
    keys = UnaskedKeys(arguments)
    assert await keys.origins() == (PLACE,)
    key = await keys.find(PLACE)
    assert key is not None
    assert key.reveal_text() == "k"
    assert await keys.find("https://other.example:443") is None
    store = await history(arguments).open(writable=True)
    await store.close()


@in_loop
async def test_without_a_secret_the_store_stays_locked_and_nobody_is_asked(tmp_path: Path):
    arguments = await kept(tmp_path)
    with pytest.raises(StoreLocked):
        await UnaskedKeys(Namespace(data_dir=arguments.data_dir)).origins()


@in_loop
async def test_a_wrong_secret_opens_nothing(tmp_path: Path):
    arguments = await kept(tmp_path)
    other = tmp_path / "other"
    other.write_bytes(bytes(range(200, 232)))
    with pytest.raises(WrongSecret):
        await UnaskedKeys(Namespace(data_dir=arguments.data_dir, key_file=str(other))).origins()
