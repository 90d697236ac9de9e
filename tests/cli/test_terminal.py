"""The person at the terminal: asked unseen, twice for what is new, and never where nobody sits."""

from __future__ import annotations

import asyncio
import getpass
import io
import os
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.fakes.engine import fake_world
from tests.fakes.loop import until
from tests.fakes.parts import parts_with
from workbench.cli.main import run
from workbench.cli.terminal import (
    MEBIBYTE,
    Terminal,
    confirm_spending,
    find_terminal,
    read_standard_input,
    read_up_to,
    run_stoppable,
    show_progress,
    tell,
    tell_progress,
)
from workbench.domain.errors import InvalidInput, StoreLocked, UnusableSecret
from workbench.domain.secrets import Secret
from workbench.engine.tasks import Stopper


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What will be typed; `getpass` reads the terminal device, which tests have none of."""
    lines: list[str] = []

    def typed(prompt: str, stream: object) -> str:
        if not lines:
            raise EOFError
        return lines.pop(0)

    monkeypatch.setattr(getpass, "getpass", typed)
    return lines


def test_what_is_typed_is_a_secret(types: list[str]):
    types.append("word")
    assert Terminal().ask("Passphrase") == Secret.of_text("word")


def test_the_end_of_input_is_told(types: list[str]):
    with pytest.raises(StoreLocked, match="Nothing was typed"):
        Terminal().ask("Passphrase")


def test_a_new_one_is_typed_twice_alike(types: list[str], capsys: pytest.CaptureFixture[str]):
    types.extend(["one", "two", "", "three", "three"])
    assert Terminal().ask_new() == Secret.of_text("three")
    assert "do not match" in capsys.readouterr().err


def test_after_three_tries_none_is_chosen(types: list[str]):
    types.extend(["a", "b"] * 3)
    with pytest.raises(UnusableSecret, match="No passphrase was chosen"):
        Terminal().ask_new()


def test_a_pipe_is_no_terminal(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert find_terminal() is None


def test_ctrl_c_at_the_price_says_that_nothing_happened(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def left() -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True, readline=left))
    with pytest.raises(KeyboardInterrupt):
        confirm_spending(yes=False, priced=True)
    assert "\nStopped. No model was asked, and nothing was changed.\n" in capsys.readouterr().err


def test_where_nobody_can_agree_an_option_that_helps_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "stdin", None)
    assert confirm_spending(yes=True, priced=False)
    for priced, named in ((True, "use --cap-usd or --yes."), (False, "use --yes.")):
        assert not confirm_spending(yes=False, priced=priced)
        assert named in capsys.readouterr().err


def test_words_for_people_go_beside_the_results(capsys: pytest.CaptureFixture[str]):
    tell("hello")
    assert capsys.readouterr() == ("", "hello\n")


def test_only_who_watches_is_told_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    tell_progress("half")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    tell_progress("half")
    tell_progress("")
    assert capsys.readouterr() == ("", "\r\x1b[Khalf\r\x1b[K")


# What is piped in is read up to a limit, and what is longer is refused with a word.


class Endless(io.RawIOBase):
    """`yes |`: gives as much as is asked for, and never ends."""

    def __init__(self) -> None:
        self.given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        self.given += len(buffer)
        buffer[:] = b"y" * len(buffer)
        return len(buffer)


def pipe_in(monkeypatch: pytest.MonkeyPatch) -> Endless:
    endless = Endless()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(endless)))
    return endless


@pytest.mark.parametrize(("command", "mebibytes"), [("ask", 16), ("replay", 256)])
def test_a_pipe_without_an_end_is_refused_with_its_limit(
    command: str, mebibytes: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """`yes | workbench ask -` held 6.3 GB after 12 seconds."""
    endless = pipe_in(monkeypatch)
    assert run([command, "-"], lambda arguments: parts_with()) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert f"-: more than {mebibytes} MiB: the rest was not read, and nothing was done;" in said.err
    assert endless.given < (mebibytes + 1) * MEBIBYTE


def test_a_pipe_that_is_named_is_no_way_around_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    if not os.path.exists("/dev/zero"):
        pytest.skip("no device that never ends")
    assert run(["replay", "/dev/zero"], lambda arguments: parts_with()) == 2
    assert "/dev/zero: more than 256 MiB" in capsys.readouterr().err


def test_up_to_the_limit_all_of_it_is_read():
    assert read_up_to(io.BytesIO(b"abc"), 3, "") == b"abc"
    with pytest.raises(InvalidInput, match=r"f: more than 0 MiB.*; do that"):
        read_up_to(io.BytesIO(b"abcd"), 3, "do that", "f")


def test_a_closed_standard_input_is_said(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InvalidInput, match="standard input is closed"):
        read_standard_input(MEBIBYTE, "")


# Work that asks request by request can be stopped with what there is.


@pytest.mark.skipif(sys.platform == "win32", reason="no signal handlers in a loop there")
def test_ctrl_c_ends_it_with_what_there_is_and_works_as_usual_afterwards():
    async def work(stopper: Stopper) -> str:
        os.kill(os.getpid(), signal.SIGINT)
        await until(stopper.stopped)
        return "half"

    async def run() -> str:
        stopper = Stopper(fake_world().tasks)
        return await run_stoppable(work(stopper), stopper)

    # A shell that starts the tests in the background has them ignore it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert asyncio.run(run()) == "half"
        assert signal.getsignal(signal.SIGINT) == signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_without_a_terminal_nothing_is_told(capsys: pytest.CaptureFixture[str]):
    show_progress(1, 4, 12.0)
    assert capsys.readouterr().out == ""
