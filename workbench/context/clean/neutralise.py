"""Control tokens and our own keys in what people, files and models wrote: made harmless before anything is sent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from workbench.context.clean.redact import redacted
from workbench.domain.turn import TurnInputs

# In the order of the request. What is the same object as last time is not looked through again.
_PARTS: dict[str, Any] = {
    "library": (), "history": (), "attached": (), "tool_results": (), "question": None, "rounds": (),
}  # fmt: skip
_SYSTEM = "system"
_HIDDEN = "[a key was here]"
_SHORTEST_SECRET = 8  # shorter ones would be found in innocent words


def neutralised(text: str, control_tokens: tuple[str, ...]) -> str:
    """The text with a blank after the first character of every control token in it, overlapping ones too.

    None that is written without blanks is left, so that doing it again changes nothing.
    """
    pattern = _pattern(control_tokens)
    if pattern is None or pattern.search(text) is None:
        return text
    return pattern.sub(lambda found: f"{found[0]} ", text)


class Neutraliser:
    """Makes turn after turn harmless; of a turn like the last one only what changed is looked through."""

    def __init__(self) -> None:
        self._secrets: tuple[str, ...] = ()
        self._tokens: tuple[str, ...] = ()
        self._known: dict[str, tuple[Any, Any, tuple[str, ...]]] = {}

    def hide(self, secret: str) -> None:
        """Never send this text again: a key of ours that found its way into a file or a question."""
        if len(secret) >= _SHORTEST_SECRET and secret not in self._secrets:
            self._secrets, self._known = (*self._secrets, secret), {}

    def apart(self) -> Neutraliser:
        """Another one that hides the same: this one remembers the last turn, so that two threads cannot share it."""
        other = Neutraliser()
        other._secrets = self._secrets
        return other

    def apply(self, inputs: TurnInputs) -> tuple[TurnInputs, tuple[str, ...]]:
        """The turn without its model's control tokens, and the ids of what had some; itself where nothing had."""
        tokens = inputs.model.control_tokens
        if _pattern(tokens) is None and not self._secrets:
            return inputs, ()
        if tokens != self._tokens:
            self._tokens, self._known = tokens, {}
        self._learn(inputs)
        changed = [key for name in ("settings", *_PARTS) for key in self._known[name][2]]
        if not changed:
            return inputs, ()
        parts = {name: clean for name, (_, clean, _) in self._known.items()}
        return replace(inputs, **parts), tuple(dict.fromkeys(changed))

    def _learn(self, inputs: TurnInputs) -> None:
        """Look through the parts that are not those of last time."""
        same = {name for name in ("settings", *_PARTS) if self._is_known(name, getattr(inputs, name))}
        rest = replace(inputs, **{name: empty for name, empty in _PARTS.items() if name in same})
        walked = redacted(rest, self._harmless)
        for name in {"settings", *_PARTS} - same:
            before, after = getattr(inputs, name), getattr(walked, name)
            self._known[name] = (before, *_kept(name, before, after))

    def _harmless(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, _HIDDEN)
        return neutralised(text, self._tokens)

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
    pairs = [(old, old if old == new else new) for old, new in zip(before, after, strict=True)]
    return tuple(new for _, new in pairs), tuple(_ids(new for old, new in pairs if new is not old))


def _ids(entries: Iterable[Any]) -> Iterator[str]:
    return (entry.key if hasattr(entry, "key") else entry.id for entry in entries)


@lru_cache(maxsize=16)
def _pattern(control_tokens: tuple[str, ...]) -> re.Pattern[str] | None:
    """The first characters of control tokens, where the rest follows.

    One with a blank in it is not among them: a blank more would not make it another text.
    """
    rests: dict[str, list[str]] = {}
    for token in sorted(set(control_tokens)):
        if len(token) > 1 and not re.search(r"\s", token):
            rests.setdefault(token[0], []).append(re.escape(token[1:]))
    if not rests:
        return None
    return re.compile("|".join(f"{re.escape(first)}(?={'|'.join(rest)})" for first, rest in rests.items()))
