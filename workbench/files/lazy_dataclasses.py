"""Compiles the methods of our dataclasses when they are first called, not when their classes are made."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

# WORKAROUND(Python 3.12): `dataclass` compiles five or six methods of every class, each by an `exec` of its own, and
# most are never called. Our 740 classes took a third of the time that the window needs to open, and of a command's.
# From 3.13 on there is one `exec` for a class, and this does nothing.
_COMPILER = "_create_fn"
# For every field it looks up names, three times, for what few fields are.
_LOOKS = "_is_type"
_SPECIAL = re.compile("ClassVar|InitVar|KW_ONLY")
_look_closely: Callable[..., bool] | None = dataclasses.__dict__.get(_LOOKS)
_compile_now: Callable[..., FunctionType] | None = dataclasses.__dict__.get(_COMPILER)
_OURS = __name__.partition(".")[0]


def compile_methods_on_first_call() -> bool:
    """Let `dataclass` make the methods of our classes late; returns whether this version of Python can."""
    if _compile_now is None:
        return False
    setattr(dataclasses, _COMPILER, _method)
    if _look_closely is not None:
        setattr(dataclasses, _LOOKS, _is_type)
    return True


def _is_type(annotation: str, *given: Any) -> bool:
    """As the function of that name in `dataclasses`."""
    assert _look_closely is not None
    return _SPECIAL.search(annotation) is not None and _look_closely(annotation, *given)


def _first_call(*given: Any, **named: Any) -> Any:
    return __compiled__(*__source__)(*given, **named)  # type: ignore[name-defined]  # noqa: F821 - see `_method`


def _compiled(method: FunctionType, args: Iterable[str], body: Iterable[str], returns: str) -> FunctionType:
    """Give a method the code that it was to have."""
    lines = "\n".join(f"  {line}" for line in body)
    made: dict[str, FunctionType] = {}
    exec(f"def {method.__name__}({','.join(args)}){returns}:\n{lines}", method.__globals__, made)
    ready = made[method.__name__]
    method.__defaults__, method.__kwdefaults__ = ready.__defaults__, ready.__kwdefaults__
    method.__annotations__ = ready.__annotations__
    # Last: another thread that calls it meanwhile finds either everything or nothing.
    method.__code__ = ready.__code__
    return method


def _method(
    name: str,
    args: Iterable[str],
    body: Iterable[str],
    *,
    globals: dict[str, Any] | None = None,  # noqa: A002 - its names are those of `dataclasses`
    locals: dict[str, Any] | None = None,  # noqa: A002
    return_type: Any = dataclasses.MISSING,
) -> FunctionType:
    """As the function of the same parameters in `dataclasses`; the result compiles itself when it is called."""
    module = (globals or {}).get("__name__", "")
    if module.partition(".")[0] != _OURS:
        assert _compile_now is not None
        return _compile_now(name, args, body, globals=globals, locals=locals, return_type=return_type)
    names = {"__name__": module, "__compiled__": _compiled, "_return_type": return_type, **(locals or {})}
    method = FunctionType(_first_call.__code__, names, name)
    names["__source__"] = method, args, body, "" if return_type is dataclasses.MISSING else " -> _return_type"
    return method
