"""On what was measured: processor, memory, versions; nothing by which a machine could be recognised."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path

BARE_WINDOW_MS = 159
"""What an empty PySide6 window took of the processor on the machine where the goals in milliseconds were set."""
LIBRARIES = ("pyside6-essentials", "tiktoken", "sqlcipher3", "sqlalchemy", "openai")


def machine(peers: str = "") -> dict[str, str]:
    """What a reader must know to compare figures."""
    found = {
        "processor": f"{cores()} cores, {processor()}, {platform.machine()}",
        "memory": f"{memory_gb():.0f} GB",
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "Python": platform.python_version(),
        **{name: metadata.version(name) for name in LIBRARIES if _is_installed(name)},
    }
    return {**found, **peer_versions(peers)}


def _is_installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def slowness() -> float:
    """How many times as long as there an empty window takes here and now; 0 where there is no display."""
    from tests.benchmarks.window.bench_first_paint import BARE, painted
    from tests.benchmarks.window.display import display, why_no_display

    if why_no_display():
        return 0.0
    with display() as shown:
        place = {"DISPLAY": shown.name, "QT_QPA_PLATFORM": "xcb"}
        worked = [float(painted(BARE, place, "")[1]["worked_s"]) for _ in range(2)]
        return min(worked) * 1000 / BARE_WINDOW_MS


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processor() -> str:
    """The model's name, where the machine tells it."""
    told = _told("lscpu")
    for line in told.splitlines():
        if line.strip().startswith("Model name:") and line.partition(":")[2].strip() not in ("", "-"):
            return line.partition(":")[2].strip()
    return platform.processor() or "processor of an unknown kind"


def memory_gb() -> float:
    """What is built in."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    except (AttributeError, ValueError, OSError):
        return 0.0


def peer_versions(python: str) -> dict[str, str]:
    """Which versions of the peers were measured."""
    if not python:
        return {}
    names = ("langchain-core", "llama-index-core")
    asked = f"from importlib.metadata import version\nfor name in {names!r}: print(version(name))"
    told = _told(python, "-c", asked).split()
    return dict(zip(names, told, strict=False))


def _told(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=30).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def commit(root: Path) -> str:
    """Which version of the program, and whether anything was changed since."""
    told = _told("git", "-C", str(root), "rev-parse", "--short", "HEAD").strip()
    changed = _told("git", "-C", str(root), "status", "--porcelain", "--", "workbench", "resources").strip()
    return f"{told}{' and changes' if changed else ''}" if told else "unknown"
