"""Three-way merge of values: apply one change to a value that may have changed in the meantime."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

T = TypeVar("T")


def with_change(current: T, before: T, after: T) -> T:
    """The current value with the change from `before` to `after` applied, field by field, entry by entry."""
    return _with_change(current, before, after)  # type: ignore[no-any-return]


def changed_fields(before: Any, after: Any) -> dict[str, Any]:
    """The fields in which two values of a class differ, with their new values."""
    pairs = {one.name: (getattr(before, one.name), getattr(after, one.name)) for one in fields(after)}
    return {name: new for name, (old, new) in pairs.items() if old != new}


def merged_entries(
    current: tuple[Any, ...],
    before: tuple[Any, ...],
    after: tuple[Any, ...],
    key: Callable[[Any], Hashable] = lambda one: one,
) -> tuple[Any, ...]:
    """The current entries with the change applied, matched by key; entries added meanwhile stay."""
    if current == before:
        return after
    old, new = ({key(one): one for one in entries} for entries in (before, after))

    def now(one: Any) -> Any:
        was, then = old.get(key(one)), new.get(key(one))
        if then is None or then == one:
            return one
        return then if was is None else replace(one, **changed_fields(was, then))

    kept = [now(one) for one in current if key(one) in new or key(one) not in old]
    there = {key(one) for one in kept}
    for place, one in enumerate(after):
        if key(one) not in old and key(one) not in there:
            kept.insert(min(place, len(kept)), one)
    if [one for one in old if one in new] == [one for one in new if one in old]:
        return tuple(kept)
    # Moved: the first rule that fits decides. What came meanwhile stays where it is, the others go round it.
    order = list(new)
    moved = iter(sorted((one for one in kept if key(one) in new), key=lambda one: order.index(key(one))))
    return tuple(next(moved) if key(one) in new else one for one in kept)


def _with_change(current: Any, before: Any, after: Any) -> Any:
    values = (current, before, after)
    if before == after:
        return current
    alike = type(current) is type(before) is type(after)
    if alike and is_dataclass(type(after)):
        return replace(
            current,
            **{
                name: _with_change(getattr(current, name), getattr(before, name), new)
                for name, new in changed_fields(before, after).items()
            },
        )
    if all(isinstance(one, Mapping) for one in values):
        return _with_changed_keys(current, before, after)
    return merged_entries(*values) if all(isinstance(one, tuple) for one in values) else after


def _with_changed_keys(
    current: Mapping[Any, Any], before: Mapping[Any, Any], after: Mapping[Any, Any]
) -> dict[Any, Any]:
    found = {key: value for key, value in current.items() if key in after or key not in before}
    for key, new in after.items():
        if key not in before or before[key] != new:
            found[key] = _with_change(found.get(key), before.get(key), new)
    return found
