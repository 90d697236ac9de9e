"""The program with lines added to some of its modules, in a process of its own: what adding something takes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType
from typing import Any

Lines = Mapping[str, Mapping[str, str]]
"""By module, what takes the place of a passage that stands in it once."""


class _Edited(SourceFileLoader):
    """Compiles a module from its edited source, past the cache of compiled ones."""

    def __init__(self, name: str, path: str, edits: Mapping[str, str]) -> None:
        super().__init__(name, path)
        self._edits = edits

    def get_code(self, fullname: str) -> CodeType:
        source = self.get_data(self.path).decode()
        for passage, added in self._edits.items():
            assert source.count(passage) == 1, (
                f"{passage!r} stands {source.count(passage)} times in {fullname}"
            )
            source = source.replace(passage, added)
        return compile(source, self.path, "exec")


class AddedLines(MetaPathFinder):
    """Finds the modules that get lines before anybody else does."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname not in self._lines:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = _Edited(fullname, spec.origin, self._lines[fullname])
        return spec


def run_with_lines(lines: Lines, script: str) -> Any:
    """What a script prints as JSON, in the program with these lines."""
    hook = "import sys; from tests.fakes.added_lines import AddedLines"
    code = f"{hook}\nsys.meta_path.insert(0, AddedLines({lines!r}))\n{script}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
