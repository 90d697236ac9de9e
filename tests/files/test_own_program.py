"""The program starts parts of itself: from a checkout by Python, as a bundle by itself."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys

import pytest

from tests.architecture.source_tree import modules
from workbench.files.own_program import CHILD, CHILDREN, PACKAGE, own_child, own_python, run_as_child

SCRIPT = PACKAGE / "tools" / "workspace" / "expression_child.py"
BUNDLE = (
    "import sys; from workbench.files.own_program import run_as_child; sys.exit(not run_as_child(sys.argv))"
)


def test_python_runs_a_child_by_its_path():
    assert own_child(SCRIPT, "-I") == (sys.executable, "-I", str(SCRIPT))
    assert own_python("-m", "pip") == (sys.executable, "-m", "pip")


def test_a_bundle_runs_it_by_its_name(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert own_child(SCRIPT, "-I") == (sys.executable, CHILD, "workbench.tools.workspace.expression_child")
    assert own_python("-m", "pip") is None


def test_a_bundle_asked_so_is_that_child_and_nothing_else():
    order = {"pattern": "b+", "ignore_case": False, "texts": ["a\nbb"], "line_chars": 100}
    command = [sys.executable, "-c", BUNDLE, CHILD, "workbench.tools.workspace.expression_child"]
    done = subprocess.run(command, input=json.dumps(order), capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {"hits": [[0, 1]]}
    for others in ([CHILD, "http.server"], [CHILD], ["ask", "hello"], []):
        assert not run_as_child(["workbench", *others])


def test_every_part_that_is_started_so_can_be():
    for name in CHILDREN:
        assert importlib.util.find_spec(name) is not None


def test_nobody_else_starts_python():
    """A bundle is not Python: started with its options it would open a second window."""
    told = [
        str(path.relative_to(PACKAGE)) for path in modules() if "sys.executable" in path.read_text("utf-8")
    ]
    # The second asks whether it is a bundle, the third whether there is anything to start.
    assert sorted(told) == ["files/own_program.py", "sources/desktop.py", "tools/workspace/expressions.py"]
