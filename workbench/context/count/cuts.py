"""Where text may be cut without changing its token count, and exact counting of edits with such cuts.

A cut is safe directly after a line feed, if the line it starts is not empty and does not start with "/". It may
be indented. This holds for cl100k_base and o200k_base: both split text by a pattern first, and merge only inside
a piece. A piece that holds a line feed is either punctuation with line ends (and "/", in o200k_base) after it, or
whitespace up to the last line end of its run; so a piece ends at the cut. Nothing left of the cut depends on what
follows: a run of whitespace that ends in a line feed is one piece, whether or not it ends the text. A line of
blanks only is no line to cut at: with the line feed that follows it is one run with the line feed before it.

Python's whitespace is a superset of the patterns' own, so the rule errs on the safe side. Every search is linear
in the text: a greedy `.*` steps back from the end once, and never restarts.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from workbench.context.text.edits import common_length, common_tail
from workbench.ports.counting import Tokenizer

_LINE = r"(?:[^\s/]|[^\S\r\n]++\S)"
_STARTS_A_LINE = re.compile(_LINE)
_CUT = re.compile(rf"\n(?={_LINE})")
_UP_TO_LAST_CUT = re.compile(rf".*\n(?={_LINE})", re.DOTALL)


def is_safe_cut(left: str, right: str) -> bool:
    """Whether, by the rule, the count of left + right is the sum of their counts.

    False where one of them is empty: neighbours on both sides of an empty text would otherwise be judged against
    it, and never against each other.
    """
    return left.endswith("\n") and _STARTS_A_LINE.match(right) is not None


def last_safe_cut(text: str) -> int:
    """Index of the last safe cut inside the text; 0 if there is none."""
    found = _UP_TO_LAST_CUT.match(text)
    return found.end() if found else 0


def first_safe_cut(text: str, start: int = 0) -> int:
    """Index of the first safe cut whose line feed stands at `start` or later; the length if there is none."""
    found = _CUT.search(text, start)
    return found.end() if found else len(text)


def delta_count(old_text: str, old_count: int, new_text: str, count: Callable[[str], int]) -> int:
    """The exact count of the new text: the old one's, corrected by what changed between safe cuts."""
    head = common_length(old_text, new_text)
    tail = common_tail(old_text, new_text, min(len(old_text), len(new_text)) - head)
    start = last_safe_cut(new_text[:head])
    kept = len(new_text) - first_safe_cut(new_text, len(new_text) - tail)
    old_middle = old_text[start : len(old_text) - kept]
    new_middle = new_text[start : len(new_text) - kept]
    if len(old_middle) + len(new_middle) >= len(new_text):
        return count(new_text)
    return old_count - count(old_middle) + count(new_middle)


def common_tokens(left: str, right: str, tokenizer: Tokenizer) -> int:
    """How many tokens both texts start with, encoding only the neighbourhood of their first difference.

    Equal to `tokenizer.common_prefix(left, right)` for every text.
    """
    head = common_length(left, right)
    start = last_safe_cut(left[:head])
    shared = tokenizer.count(left[:start]) if start else 0
    near = tuple(text[start : first_safe_cut(text, head)] for text in (left, right))
    found = tokenizer.common_prefix(*near)
    for part, whole in zip(near, (left, right), strict=True):
        if start + len(part) < len(whole) and found == tokenizer.count(part):
            # Equal up to where we cut: different characters with equal tokens, as a lone surrogate and U+FFFD.
            return shared + tokenizer.common_prefix(left[start:], right[start:])
    return shared + found
