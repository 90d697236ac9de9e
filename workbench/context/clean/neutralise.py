"""Neutralises control tokens and the program's own keys in texts before anything is sent."""

from __future__ import annotations

import re
from functools import lru_cache

from workbench.context.clean.redact import Rewriter
from workbench.context.text.changed_text import LONG_CHARS, edited_lines
from workbench.domain.turn import TurnInputs

_HIDDEN = "[a key was here]"
_SHORTEST_SECRET = 8  # shorter ones would be found in innocent words


def neutralised(text: str, control_tokens: tuple[str, ...]) -> str:
    """The text with a blank after the first character of every control token, overlapping ones included.

    Afterwards none without a blank is left, so that the function is idempotent.
    """
    pattern = _pattern(control_tokens)
    if pattern is None or pattern.search(text) is None:
        return text
    return pattern.sub(lambda found: f"{found[0]} ", text)


class Neutraliser:
    """Neutralises each turn; in a turn like the last one only what changed is searched."""

    def __init__(self) -> None:
        self.hidden: tuple[str, ...] = ()
        self._tokens: tuple[str, ...] = ()
        self._rewriter = Rewriter()
        self._harmless_text = ""

    def hide(self, secret: str) -> None:
        """Never send this text: one of the program's own keys, which may have got into a file or a question."""
        if len(secret) >= _SHORTEST_SECRET and secret not in self.hidden:
            self.hidden = (*self.hidden, secret)
            self._forget()

    def copy(self) -> Neutraliser:
        """A copy with the same hidden texts, for another thread; the cached last turn is not shared."""
        other = Neutraliser()
        other.hidden = self.hidden
        return other

    def apply(self, inputs: TurnInputs) -> tuple[TurnInputs, tuple[str, ...]]:
        """The turn without its model's control tokens, and the ids of what had some; itself where nothing had."""
        tokens = inputs.model.control_tokens
        if _pattern(tokens) is None and not self.hidden:
            return inputs, ()
        if tokens != self._tokens:
            self._tokens = tokens
            self._forget()
        return self._rewriter.apply(inputs, self._neutralise)

    def is_idle(self, control_tokens: tuple[str, ...]) -> bool:
        """Whether there is nothing to search for."""
        return not self.hidden and _pattern(control_tokens) is None

    def would_change(self, text: str, control_tokens: tuple[str, ...]) -> bool:
        """Whether a text contains something that must not be sent as it is."""
        if self.hidden and any(secret in text for secret in self.hidden):
            return True
        return neutralised(text, control_tokens) != text

    def _forget(self) -> None:
        self._rewriter.forget()
        self._harmless_text = ""

    def _neutralise(self, text: str) -> str:
        if len(text) >= LONG_CHARS:
            return self._neutralise_edit(text)
        return self._cleaned(text)

    def _neutralise_edit(self, text: str) -> str:
        """Clean a long text by its changed lines, if it is an edit of the last long text."""
        edit = edited_lines(self._harmless_text, text) if self._harmless_text else None
        if edit is not None and not any("\n" in secret for secret in self.hidden):
            lines = text[edit.start : edit.new_end]
            clean = text if self._cleaned(lines) == lines else self._cleaned(text)
        else:
            clean = self._cleaned(text)
        self._harmless_text = text if clean == text else ""
        return clean

    def _cleaned(self, text: str) -> str:
        for secret in self.hidden:
            text = text.replace(secret, _HIDDEN)
        return neutralised(text, self._tokens)


@lru_cache(maxsize=16)
def _pattern(control_tokens: tuple[str, ...]) -> re.Pattern[str] | None:
    """A pattern for the first characters of control tokens that are followed by the rest.

    Tokens that contain a blank are excluded: another blank would not change them.
    """
    rests: dict[str, list[str]] = {}
    for token in sorted(set(control_tokens)):
        if len(token) > 1 and not re.search(r"\s", token):
            rests.setdefault(token[0], []).append(re.escape(token[1:]))
    if not rests:
        return None
    return re.compile("|".join(f"{re.escape(first)}(?={'|'.join(rest)})" for first, rest in rests.items()))
