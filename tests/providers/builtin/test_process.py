"""One run of the server: handshake, last words, and that it never outlives whoever holds it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.llama_double import DOUBLE, double
from tests.fakes.processes import is_running
from workbench.providers.builtin.server import COMMAND, Launch, LlamaProcess

SETTINGS: dict[str, Any] = {
    "model": "m",
    "name": "builtin",
    "key": "sesame",
    "window_tokens": 64,
    "threads": 1,
}


@pytest.fixture
def start() -> Iterator[Any]:
    started: list[LlamaProcess] = []

    def begin(command: tuple[str, ...] = DOUBLE, **settings: Any) -> LlamaProcess:
        started.append(LlamaProcess(Launch(command, SETTINGS | settings)))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.wait_for_end(10)


def test_it_answers_with_its_address(start: Any):
    process = start()
    address = process.address()
    assert address is not None
    assert address.startswith("http://127.0.0.1:")
    assert process.alive


def test_the_key_stands_in_no_argument(start: Any):
    """Arguments of a process are readable by everyone on the machine."""
    assert "sesame" not in " ".join(str(part) for part in start()._process.args)
    assert SETTINGS["key"] not in " ".join(COMMAND)


def test_killed_it_is_gone(start: Any):
    process = start()
    process.address()
    process.kill()
    process.wait_for_end(10)
    assert not process.alive
    assert not is_running(process.pid)
    assert process.last_words() == "it was ended by signal 9"


def test_it_ends_when_its_input_does(start: Any):
    process = start()
    process.address()
    process._process.stdin.close()
    process.wait_for_end(10)
    assert not process.alive


@pytest.mark.skipif(sys.platform != "linux", reason="the signal is Linux's")
def test_it_ends_with_its_input_while_the_model_loads(tmp_path: Path):
    """llama.cpp holds Python's lock meanwhile, for many seconds on a busy machine."""
    (tmp_path / "xllamacpp.py").write_text(
        "import ctypes, os\n"
        "CommonParams = object\n"
        "os.write(2, b'loading\\n')\n"
        "ctypes.PyDLL(None).sleep(600)\n"
    )
    process = subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env={"PYTHONPATH": str(tmp_path)}
    )
    assert process.stdin is not None
    assert process.stderr is not None
    with process.stderr:
        try:
            process.stdin.write(json.dumps(SETTINGS).encode() + b"\n")
            process.stdin.flush()
            assert process.stderr.readline() == b"loading\n"
            process.stdin.close()
            process.wait(30)
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        ({"die_at_start": True}, "it ended with code 7"),
        ({"refuse": "RuntimeError: no memory"}, "RuntimeError: no memory"),
        (
            {"die_at_start": True, "words": "0.00.1 E load: error loading model: broken file"},
            "broken file",
        ),
        ({"die_at_start": True, "words": "0.00.063.976 E srv init: bad luck"}, "srv init: bad luck"),
    ],
)
def test_one_that_does_not_start_says_why(start: Any, behaviour: dict[str, Any], said: str):
    process = start(double(**behaviour))
    assert process.address() is None
    process.wait_for_end(10)
    assert process.last_words() == said


def test_only_the_last_of_what_it_says_is_kept(start: Any):
    """A server that logs for days must not fill our memory."""
    script = "import sys\nfor n in range(5000): print('x' * 5000, n, file=sys.stderr)"
    process = start((sys.executable, "-c", script))
    process.address()
    process.wait_for_end(20)
    assert sum(map(len, process._lines)) <= 40 * 300


def test_nonsense_instead_of_an_address_is_none(start: Any):
    assert start((sys.executable, "-c", "print('hello')")).address() is None
    assert start((sys.executable, "-c", "print('[]')")).address() is None


def test_the_environment_can_be_chosen(start: Any):
    script = (
        "import json, os, sys; sys.stdin.readline(); print(json.dumps({'address': ','.join(os.environ)}))"
    )
    process = LlamaProcess(Launch((sys.executable, "-c", script), SETTINGS, {"ONLY": "this"}))
    names = (process.address() or "").split(",")
    process.wait_for_end(10)
    assert "ONLY" in names
    assert "PATH" not in names
