"""What a chat is called until someone names it: the beginning of its first question."""

from __future__ import annotations

_LONGEST = 60


def title_from(question: str) -> str:
    """The first line of a question, cut at a word where it is long."""
    line = next((stripped for stripped in map(str.strip, question.splitlines()) if stripped), "")
    if len(line) <= _LONGEST:
        return line
    cut = line[: _LONGEST - 1]
    at_word = cut.rpartition(" ")[0] if " " in cut[_LONGEST // 2 :] else cut
    return f"{at_word}…"
