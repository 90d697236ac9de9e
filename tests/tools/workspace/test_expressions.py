"""Expressions are matched, and never for ever."""

from __future__ import annotations

import sys

import pytest

from workbench.domain.errors import WorkbenchError
from workbench.tools.workspace.expressions import ExpressionSearch, search_command
from workbench.tools.workspace.paths import Refused

SEARCH = ExpressionSearch(search_command(), limit_s=20)


def test_lines_are_found_in_a_child_of_its_own():
    assert SEARCH.find(r"w\w+s", False, ["some\nwords", "none", "Words"]) == ((0, 1),)
    assert SEARCH.find(r"ünï", True, ["ÜNÏ"]) == ((0, 0),)


def test_an_expression_that_would_never_end_is_ended():
    """`(a+)+$` on a long line takes longer than the universe has; nothing in this process could stop it."""
    with pytest.raises(Refused, match="took longer than 1 s"):
        ExpressionSearch(search_command(), limit_s=1).find("(a+)+$", False, ["a" * 3000 + "b"])


def test_patterns_of_checks_are_matched_and_never_for_ever():
    """A check of an answer hung the command and the window: nothing in a process ends a pattern that does not end."""
    assert SEARCH.matches([("^a.c$", "abc"), ("ü$", "ü"), ("x", "")]) == [True, True, False]
    with pytest.raises(
        WorkbenchError, match=r"took longer than 0\.5 s and was ended, so this counts as failed"
    ):
        ExpressionSearch(search_command(), limit_s=0.5).matches([("a", "a"), ("(a+)+$", "a" * 3000 + "b")])
    with pytest.raises(WorkbenchError, match="cannot be checked here"):
        ExpressionSearch(None).matches([("x", "x")])
    with pytest.raises(WorkbenchError, match="broke off"):
        ExpressionSearch((sys.executable, "-S", "-c", "raise SystemExit(3)")).matches([("x", "x")])


def test_what_cannot_be_used_is_refused():
    with pytest.raises(Refused, match="not a regular expression"):
        SEARCH.find("(", False, ["x"])
    with pytest.raises(Refused, match="500 characters"):
        SEARCH.find("x" * 501, False, ["x"])
    with pytest.raises(Refused, match="cannot be used here"):
        ExpressionSearch(None).find("x", False, ["x"])
    with pytest.raises(Refused, match="broke off"):
        ExpressionSearch((sys.executable, "-c", "raise SystemExit(3)")).find("x", False, ["x"])


def test_where_nobody_knows_what_runs_us_there_is_no_search(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "executable", "")
    assert search_command() is None
