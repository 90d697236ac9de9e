"""The real program in a process of its own, started as people start it, with somebody in it who answers (`answers`)."""

from __future__ import annotations

import json
import os
import sys
import time
from argparse import Namespace
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

STARTED = time.perf_counter()

if TYPE_CHECKING:
    from tests.benchmarks.window.answers import Asked


def main(folder: str) -> int:
    """Open the window on a data folder, and stay until it is closed."""
    with suppress(ImportError):  # an earlier version, which is measured beside this one
        from workbench.files.lazy_dataclasses import compile_methods_on_first_call

        compile_methods_on_first_call()
    from workbench.wiring import first_paint

    before_qt()
    from workbench.ui.program import app

    held: list[Asked] = []

    class Watched(app.FirstPaint):
        """The same, with somebody who answers."""

        def __init__(self, resources: Path, memory: Path | None) -> None:
            super().__init__(resources, memory)
            told = {"pid": os.getpid(), "painted_ms": (time.perf_counter() - STARTED) * 1000}
            from tests.benchmarks.window.answers import Asked

            held.append(Asked(self))
            print(json.dumps(told), flush=True)

    app.FirstPaint = Watched  # type: ignore[misc]
    asked = Namespace(screenshot=None, demo=False, open=[], data_dir=folder, key_file=None)
    return first_paint.run_window(asked)


def before_qt() -> None:
    """What the program does before it loads Qt, where it does anything."""
    try:
        from workbench.ui.program.quick_imports import leave_sources_alone
    except ImportError:
        return  # an earlier version, which is measured beside this one
    leave_sources_alone()


if __name__ == "__main__":
    code = main(sys.argv[1])
    sys.stdout.flush()
    os._exit(code)  # the thread that reads may still wait
