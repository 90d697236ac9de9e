"""Memory is given back."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import os
from pathlib import Path
from workbench.wiring.engine import give_back_large_blocks

def resident_mb():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1_000_000

said = give_back_large_blocks()
bytes(20_000_000)  # freed, it teaches the C library to keep blocks of this size
held = [(b"x" * 16_000_000, b"y" * 100_000) for _ in range(5)]
before, small = resident_mb(), [one for _, one in held]
del held
print(said, before - resident_mb() >= 75)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a setting of Linux's usual C library")
def test_large_blocks_go_back_though_small_ones_stand_behind_them():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout in ("True True\n", "False False\n")
