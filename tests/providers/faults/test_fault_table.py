"""Every fault of the table, against both adapters: how the answer ends, which text is kept, and that nothing leaks."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import traceback
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.fakes.fault_acts import TEXT
from tests.fakes.fault_run import Run, play_table
from tests.fakes.fault_table import CANARY, Row, rows_for
from tests.fakes.wires import WIRES, Wire
from workbench.domain.answer import FAILURE_KINDS

ROOT = Path(__file__).resolve().parents[3]
LARGEST_GROWTH_MB = 32
# What of the key must nowhere be seen: any eight characters of it in a row would do.
TRACES = [CANARY[start : start + 8] for start in range(len(CANARY) - 7)]

every_wire = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)
every_fault = pytest.mark.parametrize(
    ("wire", "row"),
    [(wire, row) for wire in WIRES for row in rows_for(wire)],
    ids=[f"{wire.name}-{row.name}" for wire in WIRES for row in rows_for(wire)],
)


class _Records(logging.Handler):
    """Everything that is logged, as it would be written."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.written: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.written.append(self.format(record))


@cache
def played(name: str) -> tuple[Run, list[str]]:
    """The whole table of one wire, once for all tests, with the root logger at its most talkative."""
    records, root = _Records(), logging.getLogger()
    level = root.level
    root.addHandler(records)
    root.setLevel(logging.DEBUG)
    try:
        run = asyncio.run(play_table(next(wire for wire in WIRES if wire.name == name)))
    finally:
        root.removeHandler(records)
        root.setLevel(level)
    return run, records.written


@every_wire
def test_the_table_is_long_enough_and_each_row_has_a_name_of_its_own(wire: Wire):
    names = [row.name for row in rows_for(wire)]
    assert len(names) == len(set(names)) >= 43
    assert {row.kind for row in rows_for(wire)} <= {None, *FAILURE_KINDS}


@every_fault
def test_a_fault_ends_as_the_table_says(wire: Wire, row: Row):
    one = played(wire.name)[0].played[row.name]
    after_s = None if one.kept.failure is None else one.kept.failure.retry_after_s
    assert (one.kept.state, one.kept.kind, one.kept.text) == (row.state, row.kind, row.text)
    assert (one.asked, after_s) == (row.asked, row.retry_after_s)


@every_wire
def test_librechat_cve_2026_31949_a_missing_field_ends_nothing(wire: Wire):
    """There one request without a field ended the whole server."""
    kept = played(wire.name)[0].played["missing-fields"].kept
    assert (kept.state, kept.text) == ("complete", TEXT)


@every_fault
def test_every_retry_is_announced(wire: Wire, row: Row):
    one = played(wire.name)[0].played[row.name]
    assert [retry.attempt for retry in one.kept.retries] == [*range(1, one.asked)]


@every_wire
def test_nothing_is_sent_where_a_redirect_points(wire: Wire):
    """A 307 followed would carry the whole prompt, and with it the key, to whoever the server names."""
    assert played(wire.name)[0].elsewhere == 0


@every_wire
def test_a_key_is_in_no_message_log_record_or_traceback(wire: Wire):
    run, logged = played(wire.name)
    errors = [one.kept.error for one in run.played.values() if one.kept.error is not None]
    seen = [
        *logged,
        *(error.failure.message for error in errors),
        *(text for e in errors for text in chain(e)),
    ]
    assert [text for text in seen if any(trace in text for trace in TRACES)] == []


@every_wire
def test_a_failure_holds_on_to_no_error_of_a_library(wire: Wire):
    """A crash report walks the chain of causes; a library's error there may hold the request and its headers."""
    errors = [one.kept.error for one in played(wire.name)[0].played.values() if one.kept.error is not None]
    assert [error for error in errors if error.__cause__ or error.__context__] == []


@every_wire
def test_a_message_is_short_and_shows_nothing_invisible(wire: Wire):
    messages = [one.kept.failure.message for one in played(wire.name)[0].played.values() if one.kept.failure]
    assert [text for text in messages if len(text) > 480 or not text.isprintable()] == []


@every_wire
@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="the memory of a process is read from /proc"
)
def test_the_whole_table_leaves_memory_as_it_was(wire: Wire):
    """A 0.3 MB gzip body once grew the process to 1.26 GB."""
    command = [sys.executable, "-m", "tests.providers.faults.memory_of_faults", wire.name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) <= LARGEST_GROWTH_MB


def chain(error: BaseException) -> Iterator[str]:
    """The error and what led to it, in every form somebody may print."""
    yield from traceback.format_exception(error)
    following: BaseException | None = error
    while following is not None:
        yield from (str(following), repr(following), repr(vars(following)))
        following = following.__cause__ or following.__context__
