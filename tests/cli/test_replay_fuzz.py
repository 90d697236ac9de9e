"""Whatever bytes `workbench replay` is given: a report or one line that says what is wrong, and never a traceback."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from workbench import __main__ as entry
from workbench.__main__ import load_parts, main
from workbench.cli.services import Services

ROOT = Path(__file__).resolve().parents[2]
CASES = sorted(
    (ROOT / "tests" / "trajectories" / "cases").glob("*.json"), key=lambda path: path.stat().st_size
)
SMALL = [path.read_bytes() for path in CASES[:12]]
FORMAT = "workbench-trajectory/1"
# One capture for all examples of a test: what one of them printed is read before the next one starts.
fuzz = settings(max_examples=tries(150), suppress_health_check=[HealthCheck.function_scoped_fixture])


class Program:
    """`workbench replay -` in this process."""

    def __init__(self, capture: pytest.CaptureFixture[bytes], patch: pytest.MonkeyPatch) -> None:
        self._capture, self._patch = capture, patch

    def run(self, raw: bytes, *arguments: str) -> tuple[int, bytes, bytes]:
        """Exit code, standard output and standard error."""
        self._patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        code = main(["replay", "-", *arguments])
        return code, *self._capture.readouterr()

    def check(self, raw: bytes, *arguments: str) -> int:
        """Hold the command to its contract; its exit code."""
        code, out, error = self.run(raw, *arguments)
        assert_kept(code, out, error)
        return code


def assert_kept(code: int, out: bytes, error: bytes) -> None:
    """0: a report and nothing else. 2: one line on standard error and nothing else."""
    assert code in (0, 2)
    if code == 0:
        assert (json.loads(out)["format"], error) == ("workbench-report/1", b"")
    else:
        assert out == b""
        assert error.endswith(b"\n")
        assert error.decode().splitlines() == [error.decode()[:-1]]
        assert len(error) < 1_000


@pytest.fixture(scope="module")
def parts() -> Services:
    return load_parts(Namespace())


@pytest.fixture
def program(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, parts: Services
) -> Program:
    """The parts are the real ones, made once: loading a tokenizer for every input would take minutes."""
    monkeypatch.setattr(entry, "load_parts", lambda arguments: parts)
    return Program(capsysbinary, monkeypatch)


def document(**fields: Any) -> bytes:
    return json.dumps({"format": FORMAT, **fields}).encode()


def test_the_cases_themselves_are_good_input(program: Program):
    """Or everything below would only ever see refusals."""
    assert [program.check(raw) for raw in SMALL] == [0] * 12


@fuzz
@given(st.sampled_from(SMALL), st.floats(0, 1))
def test_a_truncated_file(program: Program, raw: bytes, share: float):
    code = program.check(raw[: int(len(raw) * share)])
    assert code == (0 if int(len(raw) * share) >= len(raw.rstrip()) else 2)


@fuzz
@given(
    st.sampled_from(SMALL),
    st.lists(st.tuples(st.floats(0, 0.9999), st.binary(max_size=3)), min_size=1, max_size=4),
)
def test_mutated_bytes(program: Program, raw: bytes, changes: list[tuple[float, bytes]]):
    for place, piece in changes:
        at = int(len(raw) * place)
        raw = raw[:at] + piece + raw[at + len(piece) :]
    program.check(raw)


@fuzz
@given(st.binary(max_size=200))
def test_random_bytes(program: Program, raw: bytes):
    assert program.check(raw) == 2


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters(codec=None), max_size=8)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
_PLACES = (
    "settings", "settings.model", "settings.counter", "settings.context_window", "settings.history",
    "settings.history.threshold", "settings.history.headroom", "settings.tools", "settings.tools.0.input_schema",
    "settings.compaction.section_chars", "settings.exclude_kinds", "settings.persona", "history", "history.0",
    "history.0.content", "history.0.role", "history.1", "history.1.tool_calls", "history.1.tool_calls.0.arguments",
    "history.2.tool_call_id", "history.3.chunk", "history.3.action", "history.3.content", "trim_state",
    "trim_state.boundary", "turns", "turns.0", "turns.0.user", "turns.0.now", "turns.0.attach", "turns.0.attach.0",
    "turns.0.attach.0.text", "turns.0.attach.0.id", "turns.0.attach.0.priority", "turns.0.reply", "turns.0.detach",
    "turns.1.settings", "turns.1.detach", "turns.1.exclude_messages", "turns.1.pin_messages", "conversation",
)  # fmt: skip


def good() -> dict[str, Any]:
    """A small trajectory that has every part."""
    call = {"id": "c", "name": "read", "arguments": "{}"}
    return {
        "format": FORMAT,
        "conversation": "fuzz",
        "settings": {
            "history": {}, "tools": [{"name": "read", "input_schema": {}}], "compaction": {}, "persona": {},
        },
        "history": [
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "b"},
            {"chunk": "workflow", "action": "tool_call", "content": "x"},
        ],
        "trim_state": {"boundary": 0},
        "turns": [
            {
                "attach": [{"id": "f", "kind": "file", "text": "t"}], "user": "q",
                "reply": [{"role": "assistant", "content": "r"}],
            },
            {"settings": {}, "detach": ["f"]},
        ],
    }  # fmt: skip


def put(root: Any, path: str, value: object) -> None:
    *steps, last = (int(step) if step.isdigit() else step for step in path.split("."))
    for step in steps:
        root = root[step]
    root[last] = value


@settings(fuzz, max_examples=tries(400))
@given(st.sampled_from(_PLACES), values)
def test_any_value_in_any_place(program: Program, place: str, value: object):
    changed = good()
    put(changed, place, value)
    program.check(json.dumps(changed).encode())


def test_the_good_one_is_good(program: Program):
    assert program.check(json.dumps(good()).encode()) == 0


@pytest.mark.parametrize(
    "number", ["1e999", "-1e999", "9" * 5_000, "1e308", "NaN", "-Infinity", "0.1e-999", "1" + "0" * 400]
)
def test_huge_numbers_in_any_place(program: Program, number: str):
    for place in _PLACES:
        changed = good()
        put(changed, place, "@number@")
        program.check(json.dumps(changed).replace('"@number@"', number).encode())


@pytest.mark.parametrize("depth", [100, 199, 201, 1_000, 20_000, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_deep_nesting(program: Program, depth: int, opening: str, closing: str):
    """Also unclosed, and where anything is allowed: a tool's schema, a chunk's content."""
    deep = opening * depth + "1" + closing * depth
    for raw in (deep, opening * depth, deep.replace("1", "")):
        assert program.check(raw.encode()) == 2
    tool = '{"format": "%s", "settings": {"tools": [{"name": "t", "input_schema": {"x": %s}}]}}'
    chunk = '{"format": "%s", "history": [{"chunk": "system", "content": %s}], "turns": [{}]}'
    assert {program.check((form % (FORMAT, deep)).encode()) for form in (tool, chunk)} == {
        0 if depth < 190 else 2
    }


@pytest.mark.parametrize(
    "raw",
    [
        b"", b" ", b"\xef\xbb\xbf", b"null", b"[]", b'"x"', b"{}", b"\xff\xfe{\x00}\x00", b"{\x00}", b'{"format": 1}',
        b'{"format": "workbench-trajectory/1",}', b'{"format": "workbench-trajectory/2"}', b"{'format': 1}",
        b'{"format": "workbench-trajectory/1", "format": "workbench-trajectory/1"}', b'{"a\\n\\u2028b\\u0000": 1}',
        b'{"format": "workbench-trajectory/1", "\xe2\x80\xa8": 1}', b'{"format": "\xf0\x9f\x98"}', b"0" * 70_000,
    ],
)  # fmt: skip
def test_what_is_no_trajectory(program: Program, raw: bytes):
    assert program.check(raw) == 2


@pytest.mark.parametrize(
    "override",
    ["", "=", "model", "model=", "nothing=1", "history.threshold=2", "history=1", "tools={", "a\nb=1", "history.x.y=1",
     "context_window=1e400", "counter=\u2028", "\ud800=1", "model=\ud800", "system_prompt=" + "[" * 5_000],
)  # fmt: skip
def test_broken_overrides(program: Program, override: str):
    program.check(document(turns=[{"user": "x"}]), "--set", override)


def test_a_byte_order_mark_is_fine(program: Program):
    assert program.check(b"\xef\xbb\xbf" + document()) == 0


def start(*arguments: str, raw: bytes = b"", seed: str = "0") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "workbench", "replay", *arguments]
    # Only what is needed to run: nothing of the machine that the tests run on reaches the program.
    environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, input=raw, capture_output=True, env=environment, cwd=ROOT)


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"\xff\x00", b"[" * 50_000, b'{"format": "workbench-trajectory/1", "turns": 7}']
)
def test_the_real_program_says_one_line(raw: bytes):
    done = start("-", raw=raw)
    assert_kept(done.returncode, done.stdout, done.stderr)
    assert done.returncode == 2


@pytest.mark.parametrize("name", ["no-such-file.json", "."])
def test_a_file_that_cannot_be_read(name: str):
    done = start(name)
    assert_kept(done.returncode, done.stdout, done.stderr)
    assert done.returncode == 2


@pytest.mark.parametrize("name", ["three_turns", "attachment_budget", "chunks"])
def test_the_output_is_the_same_bytes_whatever_the_hash_seed(name: str):
    """Sets and dictionaries by hash would put things in another order on another run."""
    path = ROOT / "tests" / "trajectories" / "cases" / f"{name}.json"
    reports = [start(str(path), seed=seed).stdout for seed in ("1", "4242")]
    assert without_times(reports[0]) == without_times(reports[1])


def without_times(raw: bytes) -> bytes:
    """The report's own bytes, without how long building took."""
    report = json.loads(raw)
    phases = {phase for turn in report["turns"] for phase in turn["metrics"]["build_ms"]}
    assert phases == {"library", "process", "compact", "render"}
    return re.sub(rb'"build_ms": {[^}]*}', b"", raw)
