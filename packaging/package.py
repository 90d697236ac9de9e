"""Make packages of the program and try them: the table behind `dev.py package`.

A kind is a module in `kinds` with `build(out)`, which makes its files in a folder and names them, and `try_it(files)`,
which installs them into a clean place, starts the program there, asks it one question and removes it again;
`require_for_trial()` says before anything is made what is missing for that.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, cast

from failure import Failure, say

ROOT = Path(__file__).resolve().parent.parent

USAGE = """\
usage: python3 packaging/dev.py package KIND [--try] [--out DIR]

  wheel   a wheel and an sdist for pip and pipx, with the built-in model as a wheel beside them
  deb     a Debian package with everything inside
  bundle  a folder that needs no Python, as tar.gz
  parts   the list of everything in them: a CycloneDX SBOM and the licences

  --try   install what was made into a clean place, start it, ask it one question, and remove it again
  --out   where the files go (default: dist in the checkout)
"""


class Kind(Protocol):
    """What a module in `kinds` holds."""

    def build(self, out: Path) -> list[Path]:
        """Make the package's files in this folder; Failure says why not."""

    def require_for_trial(self) -> None:
        """Failure where something is missing that trying it needs."""

    def try_it(self, files: list[Path]) -> None:
        """Install, start, ask and remove; Failure says what did not work."""


KINDS = {"wheel": "kinds.wheel", "deb": "kinds.deb", "bundle": "kinds.bundle", "parts": "kinds.parts"}


class Order(NamedTuple):
    """What was asked for."""

    kind: str
    out: Path
    tried: bool


def read_order(arguments: Sequence[str]) -> Order | None:
    """The order in these arguments; None for wrong usage."""
    rest, out, tried, kinds = list(arguments), ROOT / "dist", False, []
    while rest:
        word = rest.pop(0)
        if word == "--try":
            tried = True
        elif word == "--out" and rest:
            out = Path(rest.pop(0)).resolve()
        elif word in KINDS:
            kinds.append(word)
        else:
            return None
    return Order(kinds[0], out, tried) if len(kinds) == 1 else None


def load(kind: str) -> Kind:
    """The module that makes this kind."""
    return cast(Kind, importlib.import_module(KINDS[kind]))


def size_of(path: Path) -> str:
    """A file's size in words."""
    return f"{path.stat().st_size / 1e6:,.1f} MB"


def run(arguments: Sequence[str]) -> int:
    """Make one kind of package, and try it where that was asked for; the exit code."""
    order = read_order(arguments)
    if order is None:
        say(USAGE)
        return 2
    kind, began = load(order.kind), time.monotonic()
    try:
        order.out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise Failure(f"{order.out} cannot be made ({problem.strerror}). Name another with --out.") from None
    if order.tried:
        # Making a package takes minutes: what trying it needs is looked for before.
        kind.require_for_trial()
    files = kind.build(order.out)
    say(f"Made in {time.monotonic() - began:.0f} s:")
    for path in files:
        print(f"{path}  {size_of(path)}", flush=True)
    if order.tried:
        began = time.monotonic()
        kind.try_it(files)
        say(f"Tried and removed in {time.monotonic() - began:.0f} s.")
    return 0
