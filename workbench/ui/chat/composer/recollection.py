"""What the composer's field remembers: earlier questions, and drafts it has sent to the engine."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

# Going back through the questions of a chat with the arrow keys, and forward again to what was being
# written.


class Recall:
    """Position among the earlier questions when going through them by arrow keys; keeps the draft to return to."""

    def __init__(self) -> None:
        self._questions: list[str] = []
        self._at: int | None = None
        self._draft = ""

    def learn(self, questions: Sequence[str]) -> None:
        """Set the questions asked, newest last; repeats in a row are offered once."""
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
        """Whether an earlier question is shown, unchanged."""
        return self._at is not None

    def leave(self) -> None:
        self._at = None

    def older(self, text: str) -> str | None:
        """The question before the one shown; None if there is none. `text` is kept as the draft."""
        place = len(self._questions) if self._at is None else self._at
        if place == 0:
            return None
        if self._at is None:
            self._draft = text
        self._at = place - 1
        return self._questions[self._at]

    def newer(self) -> str | None:
        """The question after the one shown, and finally the draft; None unless an earlier one is shown."""
        if self._at is None:
            return None
        if self._at + 1 < len(self._questions):
            self._at += 1
            return self._questions[self._at]
        self._at = None
        return self._draft


# Tells a draft that somebody else changed from the echo of what was typed here.

MOST_PENDING = 512
"""Upper limit of drafts sent but not yet seen in a state; so many keystrokes are never under way at once."""


class DraftEcho:
    """Recognises drafts in the engine's states that only echo what was typed here.

    Every keystroke is answered by a state with the draft, later, and sometimes only for the last of several. Taken for
    a change made elsewhere, such an echo would overwrite what was typed since. Only hashes are kept, since a long draft
    would otherwise be kept once per letter.
    """

    def __init__(self, draft: str = "") -> None:
        self._seen = draft
        self._pending: deque[int] = deque(maxlen=MOST_PENDING)

    def sent(self, text: str) -> None:
        self._pending.append(hash(text))

    def is_foreign(self, draft: str) -> bool:
        """Whether a draft in a state was changed elsewhere: neither an echo nor the one shown before."""
        if draft == self._seen:
            self._forget_up_to(hash(draft))
            return False
        self._seen = draft
        mark = hash(draft)
        if mark not in self._pending:
            self._pending.clear()
            return True
        self._forget_up_to(mark)
        return False

    def _forget_up_to(self, mark: int) -> None:
        """Forget this and all earlier sent drafts; some may have been skipped."""
        while mark in self._pending and self._pending.popleft() != mark:
            pass
