"""How the program starts parts of itself as processes: by Python and a path, or as a bundle."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
CHILD = "--child-process"
# What a bundle may be asked to run; whatever else stands after the word is refused.
CHILDREN = (
    "workbench.providers.builtin.child",
    "workbench.sources.extract.child",
    "workbench.tools.workspace.expression_child",
)


def is_bundle() -> bool:
    """Whether this program is a bundle: `sys.executable` is then the program itself and takes no options of Python."""
    return bool(getattr(sys, "frozen", False))


def own_child(script: Path, *options: str) -> tuple[str, ...]:
    """The command that runs one of our modules in a process of its own; the options are for Python alone."""
    if not is_bundle():
        return (sys.executable, *options, str(script))
    parts = script.with_suffix("").relative_to(PACKAGE).parts
    return (sys.executable, CHILD, ".".join((PACKAGE.name, *parts)))


def own_python(*options: str) -> tuple[str, ...] | None:
    """The Python that runs this; None in a bundle."""
    return None if is_bundle() else (sys.executable, *options)


def run_as_child(argv: Sequence[str]) -> bool:
    """In a bundle: be the child that was asked for, to its end; return whether one was."""
    if argv[1:2] != [CHILD] or len(argv) < 3 or argv[2] not in CHILDREN:
        return False
    sys.argv = list(argv[2:])
    runpy.run_module(argv[2], run_name="__main__", alter_sys=True)
    return True
