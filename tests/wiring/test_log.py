"""The log: only where it was asked for, and never with a secret in it."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.loop import in_loop
from tests.fakes.provider_keys import MemoryProviderKeys
from workbench.domain.errors import InvalidInput
from workbench.domain.secrets import Secret
from workbench.wiring.log import VARIABLE, Log

CANARY = "sk-canary-0123456789abcdef"


@pytest.fixture(autouse=True)
def clean_loggers() -> Iterator[None]:
    """What a test adds to the loggers is gone after it."""
    names = (None, "workbench")
    before = {name: list(logging.getLogger(name).handlers) for name in names}
    yield
    for name in names:
        for handler in set(logging.getLogger(name).handlers) - set(before[name]):
            logging.getLogger(name).removeHandler(handler)
            handler.close()


def test_without_being_asked_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    Log().open()
    logging.getLogger("workbench").error("something happened")
    assert list(tmp_path.iterdir()) == []


def test_a_log_is_for_its_owner_and_holds_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    place = tmp_path / "log.txt"
    monkeypatch.setenv(VARIABLE, str(place))
    log, keys = Log(), MemoryProviderKeys()
    hidden: list[str] = []
    log.open()

    @in_loop
    async def look_for_the_key() -> None:
        await keys.keep("https://a.example:443", Secret.of_text(CANARY))
        watched = log.masking(keys, hidden.append)
        assert await watched.find("https://a.example:443") == Secret.of_text(CANARY)
        assert await watched.origins() == ("https://a.example:443",)

    look_for_the_key()
    try:
        raise RuntimeError(f"the header was Bearer {CANARY}")
    except RuntimeError:
        logging.getLogger("workbench").exception("asking with %s failed", CANARY)
    written = place.read_text(encoding="utf-8")
    assert "failed" in written
    assert hidden == [CANARY]
    assert CANARY not in written
    if os.name != "nt":
        assert stat.S_IMODE(place.stat().st_mode) == 0o600


@in_loop
async def test_a_key_is_hidden_from_the_moment_it_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    place = tmp_path / "log"
    monkeypatch.setenv(VARIABLE, str(place))
    log, hidden = Log(), list[str]()
    log.open()
    keys = log.masking(MemoryProviderKeys(), hidden.append)
    await keys.keep("https://a", Secret.of_text(CANARY))
    await keys.keep("https://a", None)
    logging.getLogger("workbench").error("kept %s", CANARY)
    assert (hidden, CANARY in place.read_text(encoding="utf-8")) == ([CANARY], False)


def test_without_a_log_a_window_says_aloud_what_it_does_not_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.delenv(VARIABLE, raising=False)
    log = Log()
    assert not log.open(aloud=True)
    logger = logging.getLogger("workbench.ui")
    logger.error("asking with %s failed", f"Bearer {CANARY}", extra={"shown": False})
    logger.error("this is in a dialog", extra={"shown": True})
    logger.warning("this is no error")
    log.close()
    assert capsys.readouterr().err.splitlines() == ["asking with [key] failed"]


def test_an_error_that_nobody_saw_leaves_no_words_of_a_chat_in_the_system_s_journal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """A desktop writes to disk what programs print, and an error's message may quote what it failed at."""
    monkeypatch.delenv(VARIABLE, raising=False)
    log = Log()
    log.open(aloud=True)
    try:
        raise ValueError("my secret diary")
    except ValueError as error:
        logging.getLogger("workbench").error("drafts failed", exc_info=error, extra={"shown": False})
    log.close()
    said = capsys.readouterr().err
    assert "secret diary" not in said
    assert "drafts failed" in said
    assert "builtins.ValueError" in said
    assert "test_log.py" in said


def test_a_closed_log_takes_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    place = tmp_path / "log"
    monkeypatch.setenv(VARIABLE, str(place))
    log = Log()
    assert log.open(aloud=True)
    logging.getLogger("workbench").error("one", extra={"shown": True})
    log.close()
    log.close()
    logging.getLogger("workbench").error("two")
    assert [line.split()[-1] for line in place.read_text().splitlines()] == ["one"]


def test_a_log_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "no" / "such" / "folder"))
    with pytest.raises(InvalidInput, match=VARIABLE):
        Log().open()
