"""What is piped in is read up to a limit, and what is longer is refused with a word."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from tests.fakes.parts import parts_with
from workbench.cli.main import run
from workbench.cli.terminal import MEBIBYTE, read_standard_input, read_up_to
from workbench.domain.errors import InvalidInput


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
