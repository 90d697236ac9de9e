"""What a field remembers besides its text: earlier questions, and what it has told of itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

# Going back through the questions of a chat with the arrow keys, and forward again to what was being
# written.


class Recall:
    """Where somebody is among the earlier questions; the draft they began with is kept until they come back to it."""

    def __init__(self) -> None:
        self._questions: list[str] = []
        self._at: int | None = None
        self._draft = ""

    def learn(self, questions: Sequence[str]) -> None:
        """These were asked, the newest last; the same one twice in a row is offered once."""
        self._questions = [
            text for before, text in zip(["", *questions], questions, strict=False) if text and text != before
        ]
        self.leave()

    def add(self, question: str) -> None:
        if question and self._questions[-1:] != [question]:
            self._questions.append(question)
        self.leave()

    @property
    def is_browsing(self) -> bool:
        """Whether an earlier question is shown, as it was asked."""
        return self._at is not None

    def leave(self) -> None:
        self._at = None

    def older(self, text: str) -> str | None:
        """The question before the one shown; None where there is none."""
        place = len(self._questions) if self._at is None else self._at
        if place == 0:
            return None
        if self._at is None:
            self._draft = text
        self._at = place - 1
        return self._questions[self._at]

    def newer(self) -> str | None:
        """The question after the one shown, and at last the draft; None where nobody went back."""
        if self._at is None:
            return None
        if self._at + 1 < len(self._questions):
            self._at += 1
            return self._questions[self._at]
        self._at = None
        return self._draft


# Tells a draft that somebody else changed from the echo of what was typed here.

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
        self._pending.append(hash(text))

    def is_foreign(self, draft: str) -> bool:
        """Whether a draft that the engine shows is neither an echo nor what it showed before."""
        if draft == self._seen:
            self._pass(hash(draft))
            return False
        self._seen = draft
        mark = hash(draft)
        if mark not in self._pending:
            self._pending.clear()
            return True
        self._pass(mark)
        return False

    def _pass(self, mark: int) -> None:
        """What was sent up to this one is seen; it may have been skipped with others."""
        while mark in self._pending and self._pending.popleft() != mark:
            pass
