"""Panes get values: what the builder works with is reached from none of them."""

from __future__ import annotations

import ast

from tests.architecture.source_tree import PACKAGE, modules, parse, relative

BUILDERS_OWN = {"prepared", "proposal", "built"}
"""Fields that lead from the state into the core."""


def test_no_pane_reaches_through_the_state_into_the_core():
    offenders = [
        f"{relative(path)}:{node.lineno} .{node.attr}"
        for path in modules()
        if path.is_relative_to(PACKAGE / "ui")
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Attribute) and node.attr in BUILDERS_OWN
    ]
    assert offenders == []


def test_wishes_are_emitted_by_one_object_only():
    """A widget with a signal of its own for them has to be relayed by everyone above it."""
    offenders = [
        f"{relative(path)}:{node.lineno}"
        for path in modules()
        if path.is_relative_to(PACKAGE / "ui") and path.name != "wishes.py"
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Assign)
        and any(isinstance(name, ast.Name) and name.id in ("intent", "step", "wish") for name in node.targets)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "Signal"
    ]
    assert offenders == []
