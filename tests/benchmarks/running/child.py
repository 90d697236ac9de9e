"""One benchmark in a process of its own: its figures go out as lines of JSON, as soon as each is there."""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from contextlib import suppress

from tests.benchmarks.running.figures import Means


def main(module: str, means: str) -> int:
    """Measure; whatever else is printed goes to standard error."""
    # Whoever ends it ends what it started, too: displays, windows, other libraries at work.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with suppress(ImportError):  # an earlier version, which is measured beside this one
        from workbench.files.lazy_dataclasses import compile_methods_on_first_call

        compile_methods_on_first_call()  # as the program does
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for figure in importlib.import_module(module).figures(Means(**json.loads(means))):
        print(json.dumps(figure.as_json()), file=told, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
