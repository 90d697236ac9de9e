"""The core (domain, context, ports) runs on the bare standard library and touches nothing outside itself.

The import contracts in pyproject.toml say which modules it may import; these tests cover what needs no import.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys

from tests.architecture.source_tree import PACKAGE, ROOT, module_name, modules, parse, relative

CORE = [path for path in modules() if path.relative_to(PACKAGE).parts[0] in ("domain", "context", "ports")]
BUILTINS_THAT_REACH_OUT = {
    *("open", "print", "input", "breakpoint", "eval", "exec", "compile", "__import__"),
    *("id", "hash"),  # differ from run to run: what is built from them is not repeatable
}


def test_the_core_calls_no_builtin_that_reaches_out():
    offenders = [
        f"{relative(module)}: {node.func.id}"
        for module in CORE
        for node in ast.walk(parse(module))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in BUILTINS_THAT_REACH_OUT
    ]
    assert offenders == []


def test_the_core_keeps_no_global_state():
    offenders = [
        f"{relative(module)}: {ast.unparse(node)}"
        for module in CORE
        for node in ast.walk(parse(module))
        if isinstance(node, ast.Global)
    ]
    assert offenders == []


def test_the_core_imports_without_any_installed_package():
    """-I -S: no site-packages, no environment, no user folder. Qt or a vendor anywhere below would fail."""
    names = [module_name(path) for path in CORE]
    script = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n" + "\n".join(
        f"import {name}" for name in names
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


BLOCKED = ("PySide6", "shiboken6", "qasync", "openai", "anthropic", "ollama", "sqlalchemy", "cryptography")
RUN_BLOCKED = f"""
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {BLOCKED!r}:
            raise AssertionError(f"the command line imported {{name}}")

sys.meta_path.insert(0, Blocker())
from workbench.__main__ import main
sys.exit(main(["replay", "-"]))
"""
TRAJECTORY = (
    '{"format": "workbench-trajectory/1", "turns": [{"user": "Hello", "reply": "Hi"}, {"user": "Bye"}]}'
)


def test_a_conversation_is_replayed_with_qt_and_vendors_blocked():
    command = [sys.executable, "-c", RUN_BLOCKED]
    done = subprocess.run(command, input=TRAJECTORY, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert [turn["turn"] for turn in json.loads(done.stdout)["turns"]] == [1, 2]
