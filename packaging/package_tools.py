"""The tools that make packages: in an environment of their own, in pinned versions, made when first needed."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pip_client
from failure import Failure, say

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv-package"
PINS = ROOT / "packaging" / "constraints-package.txt"


def program(venv: Path, name: str) -> Path:
    """Where a program of an environment lies."""
    return venv / ("Scripts" if os.name == "nt" else "bin") / (f"{name}.exe" if os.name == "nt" else name)


def make_venv(venv: Path) -> Path:
    """An empty environment in this place; its Python."""
    made = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", str(venv)], stdout=sys.stderr, check=False
    )
    if made.returncode != 0:
        raise Failure(
            f"Python could not make {venv} (its words are above). Is the folder writable, the disk full?"
        )
    return program(venv, "python")


def pip_install(venv: Path, *arguments: str) -> None:
    """Install into an environment; all of pip's words are kept beside it."""
    last_words = pip_client.install(str(program(venv, "python")), venv / "pip.log", arguments, lambda _: None)
    if last_words is not None:
        raise Failure(f"{last_words}pip could not install into {venv} (its last words are above).")


def tools() -> Path:
    """The environment with every tool of constraints-package.txt, made where there is none."""
    stamp = hashlib.sha256(PINS.read_bytes() + f"{sys.version}{VENV}".encode()).hexdigest()
    mark = VENV / "installed"
    if mark.is_file() and mark.read_text(encoding="utf-8") == stamp:
        return VENV
    say(f"Making {VENV.name} with the tools that make packages …")
    make_venv(VENV)
    pip_install(VENV, "-r", str(PINS))
    mark.write_text(stamp, encoding="utf-8")
    return VENV


def run_tool(name: str, *arguments: str, cwd: Path = ROOT, env: dict[str, str] | None = None) -> str:
    """Run one of the tools; what it said, or a Failure with its words."""
    return run_program([str(program(tools(), name)), *arguments], cwd, env)


def run_program(command: list[str], cwd: Path = ROOT, env: dict[str, str] | None = None) -> str:
    """Run a program to its end; what it said, or a Failure with its words."""
    ended = subprocess.run(
        command,
        cwd=cwd,
        env=None if env is None else {**os.environ, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if ended.returncode != 0:
        raise Failure(
            f"{ended.stdout}\n{Path(command[0]).name} failed (exit {ended.returncode}); its words are above."
        )
    return ended.stdout
