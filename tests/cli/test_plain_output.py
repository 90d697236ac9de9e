"""Nothing that is shown can act on the terminal; everything else is shown as it is."""

from __future__ import annotations

import io
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.cli.terminal import print_json, print_table, print_text, visible, visible_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Grüße, 漢字 😀", "Grüße, 漢字 😀"),
        ("\x1b[31mred\x07", "\\u001b[31mred\\u0007"),
        ("a\u202eb\u2066c\u200b", "a\\u202eb\\u2066c\\u200b"),
        ("tag \U000e0041", "tag \\udb40\\udc41"),
        ("\ud800\x7f\x9b", "\\ud800\\u007f\\u009b"),
        ("a\r\nb\tc\u2028d", "a\\r\nb\tc\\u2028d"),
    ],
)
def test_what_acts_is_written_out(text: str, shown: str):
    assert visible(text) == shown


def test_a_line_stays_one():
    assert visible_line("a\nb\tc") == "a\\nb\\tc"


@given(st.text(st.characters()))
def test_nothing_that_acts_is_left(text: str):
    shown = visible(text).replace("\n", "").replace("\t", "")
    assert {unicodedata.category(c) for c in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"} == set()


def test_columns_are_aligned(capsys: pytest.CaptureFixture[str]):
    print_table([("a", "1", "x"), ("bbb", "22", "")], right=frozenset({1}))
    print_table([])
    assert capsys.readouterr().out == "a     1  x\nbbb  22\n"


def test_output_is_utf_8_whatever_the_terminal_speaks(monkeypatch: pytest.MonkeyPatch):
    shown = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(shown, encoding="ascii"))
    print_text("漢 \ud800")
    print_json({"a": "漢\ud800"})
    assert shown.getvalue() == "漢 \\ud800\n".encode() + b'{"a": "\\u6f22\\ud800"}\n'
