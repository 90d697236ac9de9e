"""Loads a vendor's library without the hundreds of types that it brings along, until somebody asks for one."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any


class _LateModule(ModuleType):
    """Stands where the real package will: its modules can be imported, and whatever else is asked of it loads it."""

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
    """Before the first import of a package: these packages in it wait. We write and read bytes ourselves, without them.

    They took four fifths of the time and of the memory that loading took.
    """
    found = None if package in sys.modules else find_spec(package)
    if found is None or not found.submodule_search_locations:
        return
    for name in names:
        _stand_in(f"{package}.{name}", Path(found.submodule_search_locations[0], *name.split(".")))


def _stand_in(name: str, folder: Path) -> None:
    # Asked for beside its package, which would be loaded otherwise. A bundle has it without such a folder.
    spec = PathFinder.find_spec(name, [str(folder.parent)])
    if spec is None or spec.submodule_search_locations is None:
        return
    module = _LateModule(name)
    module.__spec__, module.__package__ = spec, name
    module.__file__, module.__path__ = spec.origin, [str(folder)]
    sys.modules[name] = module
