"""Manual pages and completion for a package, printed by the program that is in it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from package_tools import run_program

SCRIPT = """
import json, sys
import workbench
from workbench.cli.main import COMMANDS, build_parser
from workbench.cli.shell import SHELLS, SUMMARY, describe_parser, pages

root = describe_parser(build_parser(COMMANDS))
written = {"pages": pages(root, workbench.__version__, SUMMARY)}
written["shells"] = {name: write(root) for name, write in SHELLS.items()}
json.dump(written, sys.stdout)
"""
# Where each shell looks for what packages bring.
PLACES = {
    "bash": "usr/share/bash-completion/completions/workbench",
    "zsh": "usr/share/zsh/vendor-completions/_workbench",
    "fish": "usr/share/fish/vendor_completions.d/workbench.fish",
}


def shell_files(python: str) -> dict[str, str]:
    """Texts by their places in a package, as the program in this environment writes them."""
    # -B: what is compiled on the way would hold the place it was built in.
    return dict(_placed(json.loads(run_program([python, "-I", "-B", "-c", SCRIPT]))))


def _placed(written: dict[str, dict[str, str]]) -> Iterator[tuple[str, str]]:
    yield from ((f"usr/share/man/man1/{name}", text) for name, text in written["pages"].items())
    yield from ((PLACES[name], text) for name, text in written["shells"].items())
