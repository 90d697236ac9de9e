"""pip in .venv: what it is told, what is shown of what it says, and where all of it is kept.

Like dev.py this file must start on old Pythons, and uses the standard library only.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

PATIENCE = {"PIP_DEFAULT_TIMEOUT": "60", "PIP_RETRIES": "5", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
LAST_LINES = 12


def progress_line(line: str) -> str | None:
    """What to show of a line that pip printed: which package it is at, and little else."""
    collecting = re.match(r"Collecting ([\w.-]+)", line)
    if collecting:
        return f"  {collecting.group(1)}"
    if line.startswith("Installing collected packages:"):
        return f"  installing {line.count(',') + 1} packages"
    return None


def install(python: str, log: Path, arguments: Sequence[str], say: Callable[[str], None]) -> str | None:
    """Install with this Python's pip, showing progress; None when it is done, else pip's last words."""
    lines = []
    with subprocess.Popen(
        # What is never imported need not be compiled, and the rest is when it is.
        [python, "-m", "pip", "install", "--no-input", "--no-compile", *arguments],
        env={**PATIENCE, **os.environ},
        text=True,
        errors="replace",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as pip:
        for line in pip.stdout or ():
            lines.append(line)
            shown = progress_line(line)
            if shown:
                say(shown)
    log.write_text("".join(lines), encoding="utf-8")
    return None if pip.returncode == 0 else "".join(lines[-LAST_LINES:])
