"""The benchmarks: `python3 packaging/dev.py bench`."""

from __future__ import annotations

import sys

from tests.benchmarks.running.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
