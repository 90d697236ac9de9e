"""The linter refuses what pyproject.toml bans, and says why; it does so with the shipped configuration."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest

from tests.architecture.source_tree import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BANNED: dict[str, dict[str, str]] = PYPROJECT["tool"]["ruff"]["lint"]["flake8-tidy-imports"]["banned-api"]


def ruff(source: str, pretend_path: str) -> str:
    """What ruff says of the source if it lay at that path."""
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format", "concise"]
    command += ["--stdin-filename", pretend_path, "-"]
    return subprocess.run(command, input=source, cwd=ROOT, capture_output=True, text=True).stdout


@pytest.mark.parametrize("api", BANNED)
def test_a_banned_api_is_refused_with_its_reason(api: str):
    module, _, name = api.rpartition(".")
    use = f"import {api}" if not module else f"import {module.split('.')[0]}\n\n{api}"
    if api == "unittest.mock":
        use = f"from {module} import {name}"
    assert BANNED[api]["msg"] in ruff(f'"""."""\n\n{use}\n', "workbench/context/planted.py")


def test_tasks_are_created_in_one_file():
    source = '"""."""\n\nimport asyncio\n\nasyncio.create_task\n'
    assert "TID251" in ruff(source, "workbench/engine/turn/run.py")
    assert "TID251" not in ruff(source, "workbench/engine/tasks.py")


def test_a_function_with_six_parameters_is_refused():
    source = (
        '"""."""\n\n\ndef send(a: int, b: int, c: int, d: int, e: int, f: int) -> None:\n    """Send."""\n'
    )
    assert "PLR0913" in ruff(source, "workbench/context/planted.py")


def test_printing_is_refused_outside_the_command_line():
    assert "T201" in ruff("print(1)\n", "workbench/engine/planted.py")
    assert "T201" not in ruff("print(1)\n", "workbench/cli/planted.py")
