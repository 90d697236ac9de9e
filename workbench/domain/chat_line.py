"""A chat as a list shows it, without loading anything else."""

from __future__ import annotations

import re
from dataclasses import dataclass

TEMPLATE = "workspace:"
"""How the id of a hidden chat begins that others are made like; no list shows it."""


@dataclass(frozen=True, slots=True)
class ChatLine:
    """One chat.

    Attributes:
        used_utc: when it was last written in.
        last_turn: how the last turn of the branch in view ended; None where nothing was asked yet.
    """

    id: str
    title: str
    created_utc: str
    used_utc: str
    model: str
    last_turn: str | None


# The title of a chat that has none: the first words of its first question, without markup.


_LONGEST_TITLE = 60
_MOST_CLEANED, _MOST_SEARCHED = 500, 200_000
_FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,}).*$", re.MULTILINE)
_LINE_MARKS = re.compile(
    r"^(?:#{1,6}[ \t]+|>[ \t]*|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,3}[.)][ \t]+|\|[ \t]*)+"
)
_RULE = re.compile(r"[-*_=|: \t]{3,}")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")
_STARS = re.compile(r"(?<![\w*])(\*{1,3}|~~)(?=\S)([^*~]+?)(?<=\S)\1(?![\w*])")
_CODE = re.compile(r"(`+)(.+?)\1")
_TAG = re.compile(
    r"</?(?:a|b|br|code|div|em|h[1-6]|i|img|li|ol|p|pre|span|strong|u|ul)(?:\s[^<>]*)?/?>", re.IGNORECASE
)


def title_from(question: str) -> str:
    """A chat's title: the question's first line with words, cut at a word; a line of code only as a last resort."""
    question = question[:_MOST_SEARCHED]
    for text in (_FENCED.sub("", question), _FENCE.sub("", question)):
        line = next((bare for bare in map(_without_markup, text.splitlines()) if bare), "")
        if line:
            return _cut_at_word(line)
    return _cut_at_word(next((bare for bare in map(str.strip, question.splitlines()) if bare), ""))


def _without_markup(line: str) -> str:
    line = line.strip()[:_MOST_CLEANED]
    if _RULE.fullmatch(line):
        return ""
    line = _TAG.sub("", _LINK.sub(r"\1", _LINE_MARKS.sub("", line)))
    return " ".join(_CODE.sub(r"\2", _STARS.sub(r"\2", line)).split())


def _cut_at_word(line: str) -> str:
    if len(line) <= _LONGEST_TITLE:
        return line
    cut = line[: _LONGEST_TITLE - 1]
    # One word longer than half a title, or a script without blanks, is cut where it must be.
    if line[_LONGEST_TITLE - 1] != " " and " " in cut[_LONGEST_TITLE // 2 :]:
        cut = cut.rpartition(" ")[0]
    return f"{cut.rstrip()}…"
