"""`workbench keys provider`: keys go in unseen, origins come out, and no key is ever shown."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from tests.fakes.archives import full_archive
from tests.fakes.history_access import MemoryAccess
from tests.fakes.keys import BY_KEY_FILE, RAW_KEY, files_with, new_vault, unlocker_of
from tests.fakes.paper_keys import PaperKeys
from tests.fakes.parts import parts_with
from tests.fakes.provider_keys import MemoryProviderKeys
from workbench.cli.main import run
from workbench.domain.errors import InvalidInput
from workbench.domain.secrets import Secret
from workbench.engine.exchange.formats import FORMATS
from workbench.sources.exchange_files import FolderExchange
from workbench.storage.folder import DataFolder
from workbench.storage.keys.unlocking import GivenCredentials
from workbench.storage.opening import HistoryFolder
from workbench.storage.provider_keys import StoreProviderKeys

FULL = full_archive()
KEY = "sk-xanthocanary"
OPENAI = "https://api.openai.com:443"


class Kept:
    """A folder's history and provider keys in memory, and an environment."""

    def __init__(self, **environment: str) -> None:
        self.access, self.keys = MemoryAccess(), MemoryProviderKeys()
        self._environment = environment

    def run(self, *argv: str) -> int:
        parts = parts_with(
            history=lambda: self.access,
            provider_keys=lambda store: self.keys,
            origin_of=origin_of,
            addresses=dict,
            keys=PaperKeys,
            environment=self._environment.get,
        )
        return run(["keys", "provider", *argv], lambda arguments: parts)


def origin_of(address: str) -> str:
    if not address.startswith("https://"):
        raise InvalidInput("address", "it must begin with https://")
    return f"https://{address.removeprefix('https://').partition('/')[0]}:443"


@pytest.mark.parametrize(
    ("named", "origin"),
    [
        ("openai", OPENAI),
        ("OpenAI", OPENAI),
        ("anthropic", "https://api.anthropic.com:443"),
        ("https://models.example/v1", "https://models.example:443"),
    ],
)
def test_a_key_from_the_environment_is_kept_for_its_origin(
    named: str, origin: str, capsys: pytest.CaptureFixture[str]
):
    kept = Kept(MY_KEY=f" {KEY}\n")
    assert kept.run(named, "--key-env", "MY_KEY") == 0
    assert kept.keys.kept == {origin: Secret.of_text(KEY)}
    shown = capsys.readouterr()
    assert shown.out == f"The key for {origin} is kept; it is sent to no other server.\n"
    assert KEY not in shown.out + shown.err
    assert kept.access.opened == [True]
    assert kept.access.store.closed


def test_only_origins_are_listed(capsys: pytest.CaptureFixture[str]):
    kept = Kept()
    kept.keys.kept = {origin: Secret.of_text(KEY) for origin in ("https://b:443", "https://a:443")}
    assert kept.run() == 0
    assert capsys.readouterr().out == "https://a:443\nhttps://b:443\n"
    assert kept.run("--json") == 0
    assert json.loads(capsys.readouterr().out) == {"origins": ["https://a:443", "https://b:443"]}
    assert kept.access.opened == [False, False]


def test_without_keys_the_way_to_one_is_told(capsys: pytest.CaptureFixture[str]):
    assert Kept().run() == 0
    shown = capsys.readouterr()
    assert (shown.out, "keys provider openai" in shown.err) == ("", True)


def test_a_key_is_removed(capsys: pytest.CaptureFixture[str]):
    kept = Kept()
    kept.keys.kept = {OPENAI: Secret.of_text(KEY)}
    assert kept.run("openai", "--remove") == 0
    assert kept.keys.kept == {}
    shown = capsys.readouterr()
    assert (shown.out, "Revoke it at the provider" in shown.err) == (
        f"The key for {OPENAI} is removed.\n",
        True,
    )
    for argv, said in (
        (("openai", "--remove"), f"There was no key for {OPENAI}.\n"),
        (("openai", "--remove", "--json"), f'{{"origin": "{OPENAI}", "removed": false}}\n'),
    ):
        assert kept.run(*argv) == 0
        assert capsys.readouterr().out == said


def test_the_result_for_machines(capsys: pytest.CaptureFixture[str]):
    assert Kept(K=KEY).run("openai", "--key-env", "K", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"origin": OPENAI, "kept": True}


@pytest.mark.parametrize("value", [None, "", "  ", f"{KEY} two", f"{KEY}\x1b[2J", f"{KEY}é", KEY * 1000])
def test_what_cannot_be_a_key_is_refused_unseen(value: str | None, capsys: pytest.CaptureFixture[str]):
    kept = Kept() if value is None else Kept(MY_KEY=value)
    assert kept.run("openai", "--key-env", "MY_KEY") == 1
    shown = capsys.readouterr()
    assert "The environment variable MY_KEY" in shown.err
    assert "xanthocanary" not in shown.out + shown.err
    assert (kept.keys.kept, kept.access.opened) == ({}, [])


@pytest.mark.parametrize("wrong", [KEY, f"sk-{KEY}", ""])
def test_a_key_given_in_place_of_the_origin_is_not_repeated(wrong: str, capsys: pytest.CaptureFixture[str]):
    kept = Kept(K="x")
    assert kept.run(wrong, "--key-env", "K") == 2
    shown = capsys.readouterr()
    assert "write openai, anthropic, gemini, or the server's address" in shown.err
    assert "xanthocanary" not in shown.out + shown.err


def test_an_address_that_cannot_be_used_is_refused(capsys: pytest.CaptureFixture[str]):
    assert Kept(K="x").run("http://models.example", "--key-env", "K") == 2
    assert "must begin with https" in capsys.readouterr().err


def test_without_a_terminal_the_other_way_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "stdin", None)
    assert Kept().run("openai") == 1
    assert "--key-env NAME" in capsys.readouterr().err


@pytest.mark.parametrize(
    "argv",
    [
        ("provider", "--remove"),
        ("provider", "--key-env", "K"),
        ("provider", "openai", "--remove", "--key-env", "K"),
        ("status", "openai"),
        ("status", "--remove"),
        ("rotate", "--key-env", "K"),
        ("provider", "openai", "--off"),
    ],
)
def test_wrong_usage(argv: tuple[str, ...], capsys: pytest.CaptureFixture[str]):
    assert run(["keys", *argv], lambda arguments: parts_with()) == 2
    assert "workbench keys: " in capsys.readouterr().err


def test_a_key_that_is_kept_is_in_no_file_and_in_no_export(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """Through the real store: what is handed out as the history of a chat never holds the key it was asked with."""
    new_vault(tmp_path / "data", BY_KEY_FILE)
    (tmp_path / "key").write_bytes(RAW_KEY)
    access = HistoryFolder(
        lambda folder: unlocker_of(folder.path, GivenCredentials(tmp_path / "key"))[0],
        DataFolder(tmp_path / "data"),
        lambda: "2026-01-01T12:00:00Z",
    )
    parts = parts_with(
        history=lambda: access,
        provider_keys=lambda store: StoreProviderKeys(store, None),
        origin_of=origin_of,
        addresses=dict,
        keys=PaperKeys,
        environment={"MY_KEY": KEY}.get,
        exchange=FolderExchange,
    )

    def workbench(*argv: str) -> int:
        return run(argv, lambda arguments: parts)

    assert workbench("keys", "provider", "openai", "--key-env", "MY_KEY") == 0
    asyncio.run(_adopt(access))
    for one in FORMATS:
        out = tmp_path / "out" / one.name
        plain = ["--plaintext"] if one.name == "elara" else []
        assert workbench("history", "export", "--format", one.name, "--out", str(out), *plain) == 0
    assert workbench("keys", "provider") == 0
    assert workbench("history", "backup", str(tmp_path / "backup")) == 0
    shown = capsys.readouterr()
    assert OPENAI in shown.out
    assert KEY not in shown.out + shown.err
    assert files_with(tmp_path, [KEY.encode()]) == []
    assert workbench("keys", "provider", "openai", "--remove") == 0
    assert workbench("keys", "provider", "--json") == 0
    assert capsys.readouterr().out.endswith('{"origins": []}\n')


async def _adopt(access: HistoryFolder) -> None:
    store = await access.open(writable=True)
    await store.adopt(FULL)
    await store.close()
