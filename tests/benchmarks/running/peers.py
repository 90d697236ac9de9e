"""The environment of the peers: other libraries, in pinned versions, where neither the program nor a test sees them."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.running.catalogue import ROOT
from tests.benchmarks.running.measure import Say

VENV = ROOT / ".venv-bench"
PINS = ROOT / "packaging" / "constraints-bench.txt"
# A program of its own with libraries of its own, some in other versions than those of the peers.
LLM_VENV, LLM_PINS = ROOT / ".venv-llm", ROOT / "packaging" / "constraints-llm.txt"
STAMP = "installed"


def peers_python(say: Say, venv: Path = VENV, pins: Path = PINS) -> tuple[str, str]:
    """The Python that has the peers, made where there is none; or nothing, and why."""
    python = venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = hashlib.sha256(pins.read_bytes() + sys.version.encode()).hexdigest()
    if python.exists() and _read(venv / STAMP) == stamp:
        return str(python), ""
    say(f"Making {venv.name} with the libraries that are compared with …")
    problem = _make(venv) or _fill(python, pins, venv / "pip.log", say)
    if problem:
        return "", problem
    (venv / STAMP).write_text(stamp, encoding="utf-8")
    return str(python), ""


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def _make(venv: Path) -> str:
    made = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", str(venv)], capture_output=True, text=True
    )
    return "" if made.returncode == 0 else f"{venv.name} could not be made"


def _fill(python: Path, pins: Path, log: Path, say: Say) -> str:
    sys.path.append(str(ROOT / "packaging"))
    import pip_client

    last_words = pip_client.install(str(python), log, ["-r", str(pins)], say)
    return (
        ""
        if last_words is None
        else f"the peers could not be installed (pip's words are in {log.parent.name})"
    )
