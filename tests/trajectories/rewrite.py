"""Writes the snapshots anew: `python -m tests.trajectories.rewrite [NAME …]`; read the difference before keeping it."""

from __future__ import annotations

import sys

from tests.trajectories.cases import case_names, snapshot_of, snapshot_path


def main(names: list[str]) -> None:
    """Rewrite the named snapshots, or all of them, and say which changed."""
    for name in names or case_names():
        path, text = snapshot_path(name), snapshot_of(name)
        if not path.exists() or path.read_bytes() != text.encode():
            path.write_bytes(text.encode())
            print(f"rewritten: {path.name}")


if __name__ == "__main__":
    main(sys.argv[1:])
