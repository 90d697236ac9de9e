"""`--help` and `--version` answer at once: they load neither Qt, nor a provider, nor a database."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = (
    "PySide6",
    "qasync",
    "tiktoken",
    "openai",
    "anthropic",
    "ollama",
    "sqlalchemy",
    "cryptography",
    "asyncio",
)
SCRIPT = """
import sys
from workbench.__main__ import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print("LOADED", *sorted({name.split(".")[0] for name in sys.modules}))
"""


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["replay", "--help"], []], ids=" ".join)
def test_asking_for_help_loads_nothing_heavy(arguments: list[str], monkeypatch: pytest.MonkeyPatch):
    """Without arguments there is no help: where no display is, that is said just as quickly."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "workbench" in loaded
    assert loaded & set(HEAVY) == set()
