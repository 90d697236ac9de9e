"""Tries damaged inputs on everything that the program reads with code of its own.

The exit code is 0 where all were read or refused as they should be, 1 where one was not: it is then written into a
folder, to become a case in tests/fuzz/cases.
"""

from __future__ import annotations

import argparse
import hashlib
import logging
import sys
import time
from pathlib import Path

from tests.fuzz.targets import TARGETS
from tests.fuzz.trying import finds, slow_growth
from tests.promises import keep_run


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="dev.py fuzz", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="which readers, by a part of their names")
    parser.add_argument("--inputs", type=int, default=200, metavar="N", help="how many each (default 200)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="which ones (default 1)")
    parser.add_argument(
        "--out", type=Path, default=Path("fuzz-finds"), metavar="DIR", help="where finds are written"
    )
    parser.add_argument("--write", action="store_true", help="keep the figures for `dev.py promises`")
    options = parser.parse_args(argv)
    if options.write and options.names:
        parser.error("--write needs all readers")
    logging.disable()
    chosen = [one for one in TARGETS if not options.names or any(part in one.name for part in options.names)]
    found = 0
    for target in chosen:
        began = time.process_time()
        mine = [
            *finds(target, options.inputs, options.seed),
            *slow_growth(target, options.inputs // 100, options.seed),
        ]
        print(
            f"{target.name}: {options.inputs:,} inputs, {time.process_time() - began:.1f} s, {len(mine)} finds"
        )
        for find in mine:
            options.out.mkdir(exist_ok=True)
            name = f"{target.name.replace(' ', '-')}-{hashlib.sha256(find.content).hexdigest()[:8]}"
            (options.out / name).write_bytes(find.content)
            print(f"  {find.what} ({len(find.content):,} bytes, {name})", flush=True)
        found += len(mine)
    print(f"{len(chosen)} readers, {len(chosen) * options.inputs:,} inputs, {found} finds")
    if options.write:
        keep_run("fuzz", {"inputs": len(chosen) * options.inputs, "readers": len(chosen), "finds": found})
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
