"""Imports a vendor's library without its hundreds of types, until one of them is used."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any


class _LateModule(ModuleType):
    """A placeholder for a package: its submodules can be imported, and any other attribute loads the real package."""

    def __getattr__(self, name: str) -> Any:
        spec = self.__spec__
        if (name.startswith("__") and name.endswith("__")) or spec is None or spec.loader is None:
            raise AttributeError(name)
        part = f"{self.__name__}.{name}"
        if find_spec(part) is not None:
            return import_module(part)
        # From here on it is the real one, while its own lines run already.
        self.__class__ = ModuleType  # type: ignore[assignment]
        spec.loader.exec_module(self)
        return getattr(self, name)


def defer(package: str, *names: str) -> None:
    """Defers subpackages of a package before its first import; we read and write bytes without them.

    They took four fifths of the time and memory of the import.
    """
    found = None if package in sys.modules else find_spec(package)
    if found is None or not found.submodule_search_locations:
        return
    for name in names:
        _install_placeholder(f"{package}.{name}", Path(found.submodule_search_locations[0], *name.split(".")))


def _install_placeholder(name: str, folder: Path) -> None:
    # Asked for beside its package, which would be loaded otherwise. A bundle has it without such a folder.
    spec = PathFinder.find_spec(name, [str(folder.parent)])
    if spec is None or spec.submodule_search_locations is None:
        return
    module = _LateModule(name)
    module.__spec__, module.__package__ = spec, name
    module.__file__, module.__path__ = spec.origin, [str(folder)]
    sys.modules[name] = module
