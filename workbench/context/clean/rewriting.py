"""A turn with other texts, part by part: of a turn like the last one only what changed is gone through again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from workbench.context.clean.redact import redacted
from workbench.domain.turn import Tuning, TurnInputs

# In the order of the request. What is the same object as last time is not looked through again.
_PARTS: dict[str, Any] = {
    "library": (), "history": (), "attached": (), "tool_results": (), "question": None, "rounds": (),
    "found": (),
    "tuning": Tuning(),
}  # fmt: skip
_SYSTEM = "system"


class Rewriter:
    """Remembers the last turn and what became of its parts."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Any, Any, tuple[str, ...]]] = {}

    def forget(self) -> None:
        """Texts are changed in another way from now on."""
        self._known = {}

    def apply(self, inputs: TurnInputs, change: Callable[[str], str]) -> tuple[TurnInputs, tuple[str, ...]]:
        """The turn with changed texts, and the ids of what changed; itself where nothing did."""
        self._learn(inputs, change)
        changed = [key for name in ("settings", *_PARTS) for key in self._known[name][2]]
        if not changed:
            return inputs, ()
        parts = {name: clean for name, (_, clean, _) in self._known.items()}
        return replace(inputs, **parts), tuple(dict.fromkeys(changed))

    def _learn(self, inputs: TurnInputs, change: Callable[[str], str]) -> None:
        """Look through the parts that are not those of last time."""
        same = {name for name in ("settings", *_PARTS) if self._is_known(name, getattr(inputs, name))}
        rest = replace(inputs, **{name: empty for name, empty in _PARTS.items() if name in same})
        walked = redacted(rest, change)
        for name in {"settings", *_PARTS} - same:
            before, after = getattr(inputs, name), getattr(walked, name)
            self._known[name] = (before, *_kept(name, before, after))

    def _is_known(self, name: str, value: Any) -> bool:
        return name in self._known and self._known[name][0] is value


def _kept(name: str, before: Any, after: Any) -> tuple[Any, tuple[str, ...]]:
    """The clean part, made of the old objects wherever nothing changed, and the ids of what did."""
    if after == before:
        return before, ()
    if name == "settings":
        return after, (_SYSTEM,)
    if name == "question":
        return after, (after.id,)
    if name == "tuning":
        texts = zip(before.summaries, after.summaries, strict=True)
        return after, tuple(new.id for old, new in texts if new != old)
    pairs = [(old, old if old == new else new) for old, new in zip(before, after, strict=True)]
    return tuple(new for _, new in pairs), tuple(_ids(new for old, new in pairs if new is not old))


def _ids(entries: Iterable[Any]) -> Iterator[str]:
    return (entry.key if hasattr(entry, "key") else entry.id for entry in entries)
