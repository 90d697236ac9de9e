"""Compiles the methods of our dataclasses when they are first called, and makes frozen ones as fast as others."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

# WORKAROUND(Python 3.12): `dataclass` compiles five or six methods of every class, each by an `exec` of its own, and
# most are never called. Our 740 classes took a third of the time that the window needs to open, and of a command's.
# From 3.13 on there is one `exec` for a class, and this does nothing.
# A frozen value assigns each field past its own `__setattr__`, which takes four to ten times as long as assigning it:
# a fifth of opening a long chat. That ours are frozen is checked by mypy, and by the tests, which run without this.
_COMPILER, _FREEZER, _KINDS = "_create_fn", "_frozen_get_del_attr", "_is_type"
_compile_now: Callable[..., FunctionType] | None = dataclasses.__dict__.get(_COMPILER)
_freeze: Callable[..., tuple[FunctionType, ...]] | None = dataclasses.__dict__.get(_FREEZER)
_is_kind: Callable[..., bool] | None = dataclasses.__dict__.get(_KINDS)
_ASSIGNED = re.compile(r"__dataclass_builtins_object__\.__setattr__\((\w+),'(\w+)',(.*)\)$", re.MULTILINE)
_OURS = __name__.partition(".")[0]


def compile_methods_on_first_call() -> bool:
    """Let `dataclass` make the methods of our classes late; returns whether this version of Python can."""
    if _compile_now is None:
        return False
    setattr(dataclasses, _COMPILER, _method)
    setattr(dataclasses, _FREEZER, _guards)
    if _is_kind is not None:
        setattr(dataclasses, _KINDS, _names_kind)
    return True


def _names_kind(annotation: str, cls: type, *more: Any) -> bool:
    """Whether a field is a `ClassVar`, an `InitVar` or a `KW_ONLY`; as ours are called so, most need no search."""
    if "Var" not in annotation and "KW_ONLY" not in annotation and cls.__module__.partition(".")[0] == _OURS:
        return False
    assert _is_kind is not None
    return _is_kind(annotation, cls, *more)


def _guards(cls: type, fields: Iterable[object], names: dict[str, Any]) -> tuple[FunctionType, ...]:
    """What refuses to assign and to delete a field of a frozen class; ours go without."""
    assert _freeze is not None
    return () if cls.__module__.partition(".")[0] == _OURS else _freeze(cls, fields, names)


def _first_call(*given: Any, **named: Any) -> Any:
    return __compiled__(*__source__)(*given, **named)  # type: ignore[name-defined]  # noqa: F821 - see `_method`


def _compiled(method: FunctionType, args: Iterable[str], body: Iterable[str], returns: str) -> FunctionType:
    """Give a method the code that it was to have."""
    lines = _ASSIGNED.sub(r"\1.\2=\3", "\n".join(f"  {line}" for line in body))
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
