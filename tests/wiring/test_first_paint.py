"""Opening the window: what is loaded before the first paint, and what is not."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
from pathlib import Path
from workbench.ui.program.app import FirstPaint

first = FirstPaint(Path(sys.argv[1]), None)
print(first.window.isVisible(), *sorted({name.split(".")[0] for name in sys.modules}))
"""
HEAVY = {
    "asyncio",
    "qasync",
    "openai",
    "ollama",
    "sqlalchemy",
    "sqlcipher3",
    "cryptography",
    "tiktoken",
    "markdown_it",
    "pygments",
}


def test_the_first_paint_comes_before_everything_heavy():
    from tests.architecture.source_tree import ROOT

    command = [sys.executable, "-c", SCRIPT, str(ROOT / "resources")]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={"QT_QPA_PLATFORM": "offscreen"}
    )
    visible, *loaded = done.stdout.split()
    assert visible == "True"
    assert set(loaded) & HEAVY == set()
