"""What every file of the program must be like, so that a newcomer finds things where they are expected."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.architecture.source_tree import GENERATED, PACKAGE, ROOT, modules, parse, relative

LONGEST_FILE_LINES = 300
NAMES_THAT_SAY_NOTHING = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
TOP_LEVEL = {
    *("pyproject.toml", "workbench", "resources", "tests", "packaging"),
    *("README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md"),
}
# Protocols without behaviour: each implementation has its tests.
PORTS = PACKAGE / "ports"
# Module → why it has no test file of its own.
WITHOUT_OWN_TEST = {
    "workbench/cli/parts.py": "a record without behaviour: test_wiring.py fills it",
    "workbench/ui/desk.py": "a record without behaviour: tests/wiring/test_desk.py fills it",
}

every_module = pytest.mark.parametrize("module", modules(), ids=relative)


def test_the_walk_sees_the_program():
    """If the walk went to the wrong place, every test below would pass by having nothing to do."""
    assert PACKAGE / "__main__.py" in modules()


@every_module
def test_a_file_is_short(module: Path):
    lines = len(module.read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST_FILE_LINES, f"{relative(module)} has {lines} lines: split it by idea"


@every_module
def test_a_module_says_what_it_is_for(module: Path):
    assert ast.get_docstring(parse(module)), f"{relative(module)}: the first line says what the module is for"


@every_module
def test_a_name_says_something(module: Path):
    parts = {part.removesuffix(".py") for part in module.relative_to(PACKAGE).parts}
    assert parts & NAMES_THAT_SAY_NOTHING == set()


@every_module
def test_a_module_has_its_test(module: Path):
    if module.name == "__init__.py" or relative(module) in WITHOUT_OWN_TEST or module.parent == PORTS:
        return
    test = mirrored_test(module)
    assert test.is_file(), f"{relative(module)} is tested in {relative(test)}, which is missing"


def mirrored_test(module: Path) -> Path:
    folder = ROOT / "tests" / module.parent.relative_to(PACKAGE)
    return folder / f"test_{module.stem.strip('_')}.py"


@pytest.mark.parametrize("module", WITHOUT_OWN_TEST)
def test_an_exception_is_still_needed(module: str):
    assert not mirrored_test(ROOT / module).exists(), "it has a test now: take it off the list"


@pytest.mark.parametrize("module", [path for path in modules() if path.name == "__init__.py"], ids=relative)
def test_an_init_has_no_logic(module: Path):
    """Logic there runs on every import of anything below it, in an order nobody chose."""
    assert [ast.unparse(node) for node in parse(module).body if not is_declaration(node)] == []


def is_declaration(node: ast.stmt) -> bool:
    """A docstring, or a constant such as the version."""
    return isinstance(node, ast.Expr | ast.Assign) and isinstance(node.value, ast.Constant)


def test_nothing_else_lies_at_the_top():
    found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert found - GENERATED - TOP_LEVEL == set()
