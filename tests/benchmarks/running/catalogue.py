"""Which benchmarks there are: every file `bench_*.py`, by what it says about itself, without loading it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
ROOT = HERE.parents[1]
PREFIX = "bench_"


@dataclass(frozen=True)
class Benchmark:
    """A benchmark.

    Attributes:
        name, sentence: what it is called, and what it measures. module: what is loaded to run it.
        opt_in: why it is not in the usual run; nothing where it is. needs_peers: whether it runs other libraries.
    """

    name: str
    sentence: str
    module: str
    opt_in: str = ""
    needs_peers: bool = False


class UnknownName(Exception):
    """Nothing is called so."""


def find_benchmarks(folder: Path = HERE, root: Path = ROOT) -> tuple[Benchmark, ...]:
    """All of them, by their names."""
    found = (_read(path, root) for path in folder.rglob(f"{PREFIX}*.py"))
    return tuple(sorted(found, key=lambda each: each.name))


def _read(path: Path, root: Path) -> Benchmark:
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    sentence = (ast.get_docstring(tree) or "").partition("\n\n")[0].replace("\n", " ")
    return Benchmark(
        path.stem.removeprefix(PREFIX).replace("_", "-"),
        sentence,
        ".".join(path.relative_to(root).with_suffix("").parts),
        str(constants.get("OPT_IN", "")),
        bool(constants.get("NEEDS_PEERS", False)),
    )


def chosen(names: Sequence[str], there: Iterable[Benchmark]) -> tuple[Benchmark, ...]:
    """Those that were named; without names, all that are in the usual run."""
    by_name = {each.name: each for each in there}
    if not names:
        return tuple(each for each in by_name.values() if not each.opt_in)
    wrong = [name for name in names if name.replace("_", "-") not in by_name]
    if wrong:
        raise UnknownName(f"No benchmark is called {', '.join(wrong)}. There are: {', '.join(by_name)}.")
    return tuple(dict.fromkeys(by_name[name.replace("_", "-")] for name in names))
