"""Variables: what they become, and which of them make a cached beginning change."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.workspace import RATES, filled, moment_values, used

NOW = {
    "workspace": "Auth",
    "files": "api.md, spec.md",
    **moment_values(datetime(2026, 11, 16, 14, 5, tzinfo=UTC)),
}


def test_variables_become_what_they_stand_for():
    text = "It is {{weekday}}, {{ date }}, {{TIME}}. In {{workspace}}: {{files}}."
    assert filled(text, NOW) == "It is Monday, 2026-11-16, 14:05. In Auth: api.md, spec.md."


def test_what_nobody_knows_stays_as_it_is_written():
    text = "{{topic}} {date} {{}} {{ two\nlines }} {{date"
    assert filled(text, NOW) == text


def test_each_one_is_found_where_it_stands_with_its_rate():
    text = "a {{date}} b {{topic}} {{time}}"
    found = used(text, NOW)
    assert [(one.name, one.value, one.rate) for one in found] == [
        ("date", "2026-11-16", "day"),
        ("topic", None, "never"),
        ("time", "14:05", "turn"),
    ]
    assert [text[one.start : one.end] for one in found] == ["{{date}}", "{{topic}}", "{{time}}"]


@given(st.text(alphabet="{} datefils\n", max_size=60))
def test_filling_again_changes_nothing(text: str):
    once = filled(text, NOW)
    assert filled(once, NOW) == once


def test_everything_the_program_fills_has_a_rate():
    assert set(NOW) <= set(RATES)
