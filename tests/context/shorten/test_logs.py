"""A log in short: the two ends, and every kind of trouble between them."""

from __future__ import annotations

import re

import pytest

from tests.fakes.long_texts import long_log
from workbench.context.shorten.fit import plan_log

QUIET = [f"10:{n // 60 % 60:02d}:{n % 60:02d} INFO served request {n}" for n in range(900)]


def log(**planted: str) -> str:
    lines = list(QUIET)
    for place, words in planted.items():
        lines[int(place[1:])] = f"10:{int(place[1:]) // 60:02d}:00 {words}"
    return "\n".join(lines) + "\n"


def test_head_and_tail_stay_and_the_middle_is_told_by_its_lines_and_times():
    short = plan_log(log()).cut(3_000)
    assert short.startswith(QUIET[0])
    assert short.endswith(QUIET[-1])
    said = re.search(r"\[… lines (\d+) to (\d+) of 900 are left out here, from ([\d:]+) to ([\d:]+)\]", short)
    assert said is not None
    first, last = int(said[1]), int(said[2])
    assert (said[3], said[4]) == (QUIET[first - 1][:8], QUIET[last - 1][:8])
    assert (QUIET[first - 2] in short, QUIET[last] in short) == (True, True)
    assert not any(f"{line}\n" in short for line in QUIET[first - 1 : last])


def test_an_error_in_the_middle_is_named_with_its_line():
    short = plan_log(log(n450="ERROR disk full on /data")).cut(2_000)
    assert "\nline 451: 10:07:00 ERROR disk full on /data\n" in short


def test_the_same_trouble_is_named_once_with_its_count():
    planted = {f"n{n}": f"WARNING slow answer after {n} ms" for n in range(300, 500, 10)}
    short = plan_log(log(**planted)).cut(2_000)
    told = "line 301: 10:05:00 WARNING slow answer after 300 ms (20 like it, the last in line 491)"
    assert told in short
    assert short.count("WARNING") == 1


def test_errors_come_before_warnings_where_there_is_no_room_for_all():
    planted = {
        f"n{n}": f"WARNING odd thing {chr(97 + n % 26)}{chr(97 + n // 26 % 26)}"
        for n in (*range(200, 450), *range(451, 700))
    }
    short = plan_log(log(**planted, n450="java.io.IOException: broken pipe")).cut(2_000)
    assert "broken pipe" in short
    assert "more kinds of trouble" in short


def test_a_long_line_of_trouble_is_clipped():
    short = plan_log(log(n450="ERROR " + "x" * 5_000)).cut(2_000)
    assert "line 451: 10:07:00 ERROR xxx" in short
    assert len(short) <= 2_000


def test_a_log_looked_through_once_is_cut_to_any_length():
    text = long_log(7, 2_000, "no route to host")
    plan = plan_log(text)
    for chars in range(1_000, 30_000, 2_500):
        short = plan.cut(chars)
        assert 0.9 * chars <= len(short) <= chars
        assert "no route to host" in short


@pytest.mark.parametrize("chars", [0, 1, 10, 60, 200, 1_000, 1_001, 5_000])
def test_a_log_of_one_line_is_never_cut_to_more_than_was_asked_for(chars: int):
    assert len(plan_log("2026-01-01 10:00:00 INFO same\n" * 200_000).cut(chars)) <= chars
