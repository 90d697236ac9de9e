"""What the tree must be like, so that a newcomer finds things where they are expected.

A rule is one test that lists every offence at once; an exception is listed with its reason, and taken off the list when
it is no longer one.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from tests.architecture.source_tree import (
    GENERATED,
    PACKAGE,
    ROOT,
    imported_modules,
    module_name,
    modules,
    parse,
    relative,
)

MOST_LINES = 700
WORKAROUND = re.compile(r"WORKAROUND\([a-zA-Z0-9_.-]+ [0-9][0-9a-z.]*\): ")
NAMES_THAT_SAY_NOTHING = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
TOP_LEVEL = {
    *("pyproject.toml", "workbench", "resources", "tests", "packaging"),
    *("README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md"),
}
# What is tested through these, as a person uses it, need not be imported by its test.
FRONT_DOORS = {
    *("workbench.cli.main", "workbench.cli.history.command", "workbench.cli.inspect"),
    *("workbench.cli.ask.command", "workbench.cli.ask.chat", "workbench.sources.attach"),
    *("workbench.engine.workbench", "workbench.engine.running_turns", "workbench.engine.turn.run"),
    *(
        "workbench.engine.program.actions",
        "workbench.engine.program.jobs",
        "workbench.engine.open_chat.chat",
        "workbench.engine.open_chat.chats",
        "workbench.engine.open_chat.looks",
    ),
    *(
        "workbench.tools.toolbox",
        "workbench.tools.edit",
        "workbench.storage.history",
        "workbench.storage.opening",
    ),
    *("workbench.ui.window.working", "workbench.ui.window.actions", "workbench.ui.look.appearance"),
    *("workbench.ui.look.proxy_style", "workbench.ui.chat.composer.text", "workbench.wiring.command_line"),
}
CHILDREN = {
    "workbench/sources/extract/child.py": "a program of its own: the tests of `process` run it",
    "workbench/providers/builtin/child.py": "a program of its own: the tests of `process` and `server` run it",
}
# Protocols and records without behaviour: their users' tests are theirs.
WITHOUT_A_TEST = {
    "workbench/ports": "protocols: tests/contracts runs every implementation",
    "workbench/cli/services.py": "a record that wiring fills: tests/wiring",
    "workbench/ui/given.py": "a record that wiring fills: tests/wiring",
    "workbench/wiring/first_paint.py": "opens the real window: tests/ui/whole does, and a child of tests/wiring",
}


def test_the_walk_sees_the_program():
    """If the walk went to the wrong place, every test below would pass by having nothing to do."""
    assert PACKAGE / "__main__.py" in modules()
    assert len(modules()) > 500


def test_a_file_is_one_idea_of_at_most_700_lines():
    lengths = {relative(path): len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}
    assert {path: lines for path, lines in lengths.items() if lines > MOST_LINES} == {}


def test_a_module_is_imported_by_a_test_in_the_mirrored_folder():
    """Directly, through what tests share, or through a front door, which loads what stands behind it in its room."""
    offenders = [
        relative(path)
        for path in modules()
        if path.name not in ("__init__.py", "__main__.py")
        and not any(relative(path).startswith(listed) for listed in (*WITHOUT_A_TEST, *CHILDREN))
        and module_name(path) not in reached_by_tests(path.parent.relative_to(PACKAGE))
    ]
    assert offenders == []


@cache
def reached_by_tests(folder: Path) -> frozenset[str]:
    """The modules that the tests of a folder import."""
    found: set[str] = set()
    waiting = [module_name(test) for test in (ROOT / "tests" / folder).glob("test_*.py")]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += behind(name)
    return frozenset(found)


@cache
def behind(name: str) -> frozenset[str]:
    """What is imported with a module: all of it for a test, what is in its own room for a front door."""
    file = ROOT.joinpath(*name.split(".")).with_suffix(".py")
    if name.startswith("tests."):
        return imported_modules(file, ("workbench", "tests")) if file.is_file() else frozenset()
    if name not in FRONT_DOORS:
        return frozenset()
    room = ".".join(name.split(".")[:2])
    return frozenset(one for one in imported_modules(file) if one.startswith(f"{room}."))


def test_a_name_says_something():
    names = {relative(path): {part.removesuffix(".py") for part in path.parts} for path in modules()}
    assert [path for path, parts in names.items() if parts & NAMES_THAT_SAY_NOTHING] == []


def test_no_folder_is_called_what_tools_skip():
    folders = {folder for path in PACKAGE.rglob("*.py") for folder in path.relative_to(PACKAGE).parts[:-1]}
    assert folders & {"build", "dist", "env"} == set()


def test_an_init_has_no_logic():
    """Logic there runs on every import of anything below it, in an order nobody chose."""
    offenders = [
        f"{relative(path)}: {ast.unparse(node)}"
        for path in modules()
        if path.name == "__init__.py"
        for node in parse(path).body
        if not is_declaration(node)
    ]
    assert offenders == []


def is_declaration(node: ast.stmt) -> bool:
    """A docstring, or a constant such as the version."""
    return isinstance(node, ast.Expr | ast.Assign) and isinstance(node.value, ast.Constant)


def test_a_workaround_names_the_library_and_its_version():
    """So that it can be found, and taken out, when that library is mended."""
    offenders = [
        f"{relative(path)}:{number}"
        for path in modules()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if "workaround" in line.lower() and not WORKAROUND.search(line)
    ]
    assert offenders == []


def test_nothing_else_lies_at_the_top():
    found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert found - GENERATED - TOP_LEVEL == set()
