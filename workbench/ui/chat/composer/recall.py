"""Going back through the questions of a chat with the arrow keys, and forward again to what was being written."""

from __future__ import annotations

from collections.abc import Sequence


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
        """This is being asked now."""
        if question and self._questions[-1:] != [question]:
            self._questions.append(question)
        self.leave()

    @property
    def is_browsing(self) -> bool:
        """Whether an earlier question is shown, as it was asked."""
        return self._at is not None

    def leave(self) -> None:
        """What is written now is a draft of its own."""
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
