"""Tells a draft that somebody else changed from the echo of what was typed here."""

from __future__ import annotations

from collections import deque

MOST_PENDING = 512
"""More keystrokes than that are never on their way to the engine and back."""


class DraftEcho:
    """Remembers what was sent and not yet seen again.

    The engine answers every keystroke with a state that holds the draft, later and sometimes only the last of several.
    Were such an echo taken for a change, it would take back what was typed since. Texts are kept as their hashes: a
    long draft would else be kept once a letter.
    """

    def __init__(self, draft: str = "") -> None:
        self._seen = draft
        self._pending: deque[int] = deque(maxlen=MOST_PENDING)

    def sent(self, text: str) -> None:
        """This was typed here and told to the engine."""
        self._pending.append(hash(text))

    def is_foreign(self, draft: str) -> bool:
        """Whether a draft that the engine shows is neither an echo nor what it showed before."""
        if draft == self._seen:
            return False
        self._seen = draft
        mark = hash(draft)
        if mark not in self._pending:
            self._pending.clear()
            return True
        while self._pending.popleft() != mark:
            pass
        return False
