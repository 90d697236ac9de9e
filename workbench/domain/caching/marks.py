"""Where in a request a provider is told to keep what stands before: the ends of its stable parts."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.domain.request import RequestMessage

Mark = tuple[int, int]
"""A message's place in the request, and how many characters of its text stand before the mark."""


def stable_marks(messages: Sequence[RequestMessage]) -> tuple[Mark, ...]:
    """The marks that messages carry, in order."""
    return tuple((place, mark) for place, one in enumerate(messages) for mark in sorted(one.cache_marks))


def marks_off_answers(messages: Sequence[RequestMessage]) -> tuple[Mark, ...]:
    """The same where an answer cannot carry one: then the message before it does; the newest message carries none.

    The provider marks the newest message by itself.
    """
    moved = (_off_answer(messages, mark) for mark in stable_marks(messages))
    return tuple(dict.fromkeys((at, end) for at, end in moved if end and at < len(messages) - 1))


def _off_answer(messages: Sequence[RequestMessage], mark: Mark) -> Mark:
    place, end = mark
    while place >= 0 and messages[place].role == "assistant":
        place -= 1
        end = len(messages[place].text) if place >= 0 else 0
    return place, end
