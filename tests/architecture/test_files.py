"""What the tree must be like, so that a newcomer finds things where they are expected.

A rule is one test that lists every offence at once; an exception is listed with its reason, and taken off the list when
it is no longer one.
"""

from __future__ import annotations

import ast
import re

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
# What stands behind these is tested through them, as a person uses it.
FRONT_DOORS = (
    *(
        "workbench.cli.main",
        "workbench.cli.history.command",
        "workbench.tools.toolbox",
        "workbench.storage.history",
    ),
    *("workbench.engine.workbench", "workbench.engine.running_turns", "workbench.engine.open_chat.chat"),
    *("workbench.engine.open_chat.looks", "workbench.tools.write"),
    *("workbench.ui.window.actions", "workbench.wiring.command_line"),
)
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


def test_a_module_is_imported_by_a_test():
    tests = [path for path in (ROOT / "tests").rglob("*.py") if "__pycache__" not in path.parts]
    doors = [ROOT.joinpath(*name.split(".")).with_suffix(".py") for name in FRONT_DOORS]
    imported = {name for file in (*tests, *doors) for name in imported_modules(file)}
    offenders = [
        relative(path)
        for path in modules()
        if path.name not in ("__init__.py", "__main__.py")
        and not any(relative(path).startswith(listed) for listed in (*WITHOUT_A_TEST, *CHILDREN))
        and module_name(path) not in imported
    ]
    assert offenders == []


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
