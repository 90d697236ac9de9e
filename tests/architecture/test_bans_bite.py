"""The linter refuses what pyproject.toml bans, and says why; it does so with the shipped configuration."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

from tests.architecture.source_tree import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BANNED: dict[str, dict[str, str]] = PYPROJECT["tool"]["ruff"]["lint"]["flake8-tidy-imports"]["banned-api"]


def ruff(folder: Path, sources: Mapping[str, str]) -> dict[str, str]:
    """What ruff says of each source if it lay at its path, in one run over all of them."""
    shutil.copy(ROOT / "pyproject.toml", folder)
    for name, source in sources.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format", "concise", "."]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout.splitlines()
    return {name: "\n".join(line for line in said if line.startswith(f"{name}:")) for name in sources}


def use_of(api: str) -> str:
    """A file that uses it."""
    module, _, name = api.rpartition(".")
    use = f"import {api}" if not module else f"import {module.split('.')[0]}\n\n{api}"
    if api == "unittest.mock":
        use = f"from {module} import {name}"
    return f'"""."""\n\n{use}\n'


def test_every_banned_api_is_refused_with_its_reason(tmp_path: Path):
    places = {api: f"workbench/context/{api.replace('.', '_')}.py" for api in BANNED}
    said = ruff(tmp_path, {places[api]: use_of(api) for api in BANNED})
    assert [api for api in BANNED if BANNED[api]["msg"] not in said[places[api]]] == []


def test_what_is_refused_depends_on_the_place(tmp_path: Path):
    task, printing = '"""."""\n\nimport asyncio\n\nasyncio.create_task\n', "print(1)\n"
    given = ", ".join(f"{name}: int" for name in "abcdefgh")
    eight = f'"""."""\n\n\ndef send({given}) -> None:\n    """Send."""\n'
    said = ruff(
        tmp_path,
        {
            "workbench/engine/turn/run.py": task,
            "workbench/engine/tasks.py": task,
            "workbench/context/planted.py": eight,
            "workbench/engine/planted.py": printing,
            "workbench/cli/planted.py": printing,
        },
    )
    assert "TID251" in said["workbench/engine/turn/run.py"]
    assert "TID251" not in said["workbench/engine/tasks.py"]
    assert "PLR0913" in said["workbench/context/planted.py"]
    assert "T201" in said["workbench/engine/planted.py"]
    assert "T201" not in said["workbench/cli/planted.py"]
