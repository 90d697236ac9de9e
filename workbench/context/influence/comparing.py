"""Two answers compared by what they say: how much of the first one is still in the second."""

from __future__ import annotations

import re

from workbench.context.shorten.facts import facts_in

_WORD = re.compile(r"[^\W_]+")


def kept_share(first: str, second: str) -> float:
    """The share of an answer's facts and of its words that another one has, each counting half."""
    words = _share(_words(first), _words(second))
    facts = facts_in(first)
    if not facts:
        return words
    other = {key for fact in facts_in(second) for key in fact.keys | fact.bare}
    return (words + sum(bool(fact.keys & other) for fact in facts) / len(facts)) / 2


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


def _share(first: set[str], second: set[str]) -> float:
    return len(first & second) / len(first) if first else 1.0
