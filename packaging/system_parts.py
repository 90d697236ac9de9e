"""What the operating system must bring before anything can be installed, and how to get it there.

Like dev.py this file must start on old Pythons, and uses the standard library only.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple


class SystemPart(NamedTuple):
    """Something the operating system must bring, and the Debian package it comes in."""

    kind: str  # "module": a Python module; "library": a shared library; "program": something on the PATH
    name: str
    package: str  # may contain {python}, e.g. 3.11
    purpose: str


# What nothing can be set up without.
SYSTEM_PARTS = (
    SystemPart("module", "venv", "python{python}-venv", "makes the private environment .venv"),
    SystemPart("module", "ensurepip", "python{python}-venv", "puts pip into it"),
)
# What Qt needs of a Linux desktop; the commands work without.
WINDOW_PARTS = (
    SystemPart("library", "libEGL.so.1", "libegl1", "draws the window"),
    SystemPart("library", "libGL.so.1", "libgl1", "draws the window"),
    SystemPart("library", "libfontconfig.so.1", "libfontconfig1", "finds fonts"),
    SystemPart("library", "libdbus-1.so.3", "libdbus-1-3", "talks to the desktop"),
    SystemPart("library", "libglib-2.0.so.0", "libglib2.0-0", "talks to the desktop"),
    SystemPart("library", "libxkbcommon.so.0", "libxkbcommon0", "reads the keyboard"),
    SystemPart("library", "libxkbcommon-x11.so.0", "libxkbcommon-x11-0", "reads the keyboard"),
    SystemPart("library", "libxcb-cursor.so.0", "libxcb-cursor0", "opens the window under X"),
    SystemPart("library", "libxcb-icccm.so.4", "libxcb-icccm4", "opens the window under X"),
    SystemPart("library", "libxcb-image.so.0", "libxcb-image0", "opens the window under X"),
    SystemPart("library", "libxcb-keysyms.so.1", "libxcb-keysyms1", "opens the window under X"),
    SystemPart("library", "libxcb-randr.so.0", "libxcb-randr0", "opens the window under X"),
    SystemPart("library", "libxcb-render-util.so.0", "libxcb-render-util0", "opens the window under X"),
    SystemPart("library", "libxcb-shape.so.0", "libxcb-shape0", "opens the window under X"),
    SystemPart("library", "libxcb-xkb.so.1", "libxcb-xkb1", "opens the window under X"),
)
# What the built-in model's library is linked with and does not bring.
MODEL_PARTS = (SystemPart("library", "libgomp.so.1", "libgomp1", "runs the built-in model"),)
# What the tests need besides: a display that nobody sees, and what finds dictionaries.
TEST_PARTS = (
    SystemPart("program", "Xvfb", "xvfb", "shows the window to the tests"),
    SystemPart("library", "libenchant-2.so.2", "libenchant-2-2", "checks spelling, where it is installed"),
)


def find_python(oldest: tuple[int, int], newest: tuple[int, int]) -> str | None:
    """A Python on the PATH that fits, newest first. Version managers leave stubs that do not start."""
    for minor in range(newest[1], oldest[1] - 1, -1):
        candidate = shutil.which(f"python3.{minor}")
        if candidate and subprocess.call([candidate, "-c", ""], stderr=subprocess.DEVNULL) == 0:
            return candidate
    return None


def is_present(part: SystemPart) -> bool:
    """Is this module or library on the machine?"""
    if part.kind == "module":
        importlib.invalidate_caches()
        return importlib.util.find_spec(part.name) is not None
    if part.kind == "program":
        return shutil.which(part.name) is not None
    try:
        ctypes.CDLL(part.name)
    except OSError:
        return False
    return True


def missing_parts(
    parts: Iterable[SystemPart], present: Callable[[SystemPart], bool] = is_present
) -> list[SystemPart]:
    """The parts that are not there, in the order of the table."""
    return [part for part in parts if not present(part)]


def debian_packages(parts: Iterable[SystemPart]) -> list[str]:
    """The packages to install for these parts, each once."""
    python = "{}.{}".format(*sys.version_info[:2])
    return sorted({part.package.format(python=python) for part in parts})


def describe_missing(parts: Sequence[SystemPart], on_debian: bool) -> str:
    """Say what is missing, what it is for, and how to get it."""
    lines = ["This machine lacks:"]
    lines += [f"  {part.name} ({part.purpose})" for part in parts]
    if on_debian:
        lines.append(f"Install it with:  sudo apt-get install {' '.join(debian_packages(parts))}")
    else:
        lines.append("Install it with your system's package manager, then run this command again.")
    return "\n".join(lines)


def install_debian_packages(packages: Sequence[str]) -> None:
    """Install as root; the package lists are fetched only when the first attempt fails."""
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    print(f"Installing system packages: {' '.join(packages)}", file=sys.stderr, flush=True)
    if subprocess.call(install, env=environment, stdout=sys.stderr) != 0:
        subprocess.call(["apt-get", "update", "-qq"], env=environment, stdout=sys.stderr)
        subprocess.call(install, env=environment, stdout=sys.stderr)


def parts_for(level: str) -> tuple[SystemPart, ...]:
    """What must be there before this level is installed: the window's parts only where a missing one stops it."""
    on_linux = sys.platform.startswith("linux")
    return (*SYSTEM_PARTS, *WINDOW_PARTS, *TEST_PARTS) if level == "dev" and on_linux else SYSTEM_PARTS


def has_display() -> bool:
    """Whether a window can be seen here; Qt may be told by its own variable to draw elsewhere."""
    if not sys.platform.startswith("linux"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def obstacle(parts: Sequence[SystemPart] = SYSTEM_PARTS) -> str | None:
    """None when the machine has everything (as root on Debian or Ubuntu: gets it there first), else what to do."""
    missing = missing_parts(parts)
    on_debian = shutil.which("apt-get") is not None
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if missing and on_debian and is_root:
        install_debian_packages(debian_packages(missing))
        missing = missing_parts(parts)
    return describe_missing(missing, on_debian) if missing else None
