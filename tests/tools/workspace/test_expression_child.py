"""The child that matches expressions, called in this process."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from workbench.tools.workspace import expression_child
from workbench.tools.workspace.expression_child import main, match, search


def order(pattern: str, *texts: str, ignore_case: bool = False) -> dict[str, Any]:
    return {"pattern": pattern, "ignore_case": ignore_case, "texts": list(texts), "line_chars": 10}


def test_matching_lines_are_numbered_from_zero():
    assert search(order(r"^b\d", "a\nb1\nxb2", "b3")) == {"hits": [[0, 1], [1, 0]]}
    assert search(order("B", "b")) == {"hits": []}
    assert search(order("B", "b", ignore_case=True)) == {"hits": [[0, 0]]}


def test_only_the_beginning_of_a_long_line_is_looked_at():
    assert search(order("x", "a" * 10 + "x")) == {"hits": []}


@pytest.mark.parametrize("pattern", ["(", "*", "(?P<a>x)(?P<a>y)", "x{99999999999}"])
def test_what_is_no_expression_is_said(pattern: str):
    assert "error" in search(order(pattern, "x"))


def test_a_pattern_is_found_anywhere_in_its_text():
    pairs = [("^b", "a\nb"), ("(?m)^b$", "a\nb"), ("a", "b")]
    assert match({"pairs": pairs}) == {"found": [False, True, False]}


@pytest.mark.parametrize(
    ("asked", "answer"),
    [(order("x", "x"), {"hits": [[0, 0]]}), ({"pairs": [["x", "ax"]]}, {"found": [True]})],
)
def test_it_answers_one_order(monkeypatch: pytest.MonkeyPatch, asked: object, answer: object):
    monkeypatch.setattr(expression_child, "limit_itself", lambda: None)
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(asked)))
    monkeypatch.setattr(sys, "stdout", answered := io.StringIO())
    main()
    assert json.loads(answered.getvalue()) == answer
