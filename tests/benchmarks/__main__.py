"""The benchmarks: `python3 packaging/dev.py bench`."""

from __future__ import annotations

import signal
import sys

from tests.benchmarks.running.command import main

if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # nobody reads on (`| head`): no words about that
    sys.exit(main(sys.argv[1:]))
