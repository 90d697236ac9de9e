"""The guide: its pages, their order, and their search."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from workbench.domain.search_words import words_of

GuidePage = Literal[
    "", "shortcuts", "request", "budget", "priorities", "cache", "money", "recall", "folders", "compare", "checking",
    "changing", "influence", "windows",
    "attachments", "watch", "rules", "agents", "workspaces", "servers", "keys", "headless", "install", "promises",
    "attackers",
]  # fmt: skip
"""Pages by name, in the order of their list; the empty name is the page that was open last, else `FIRST_PAGE`."""
FIRST_PAGE: GuidePage = "request"

_HEADING = re.compile(r"#{1,6} +(.+)")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"[*`]")
_IN_TITLE, _IN_HEADING = 100, 20


@dataclass(frozen=True, slots=True)
class GuideText:
    """A page: its name, its first heading, and its Markdown."""

    name: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class GuideMatch:
    """A page with every word of a search, and its line with the most of them."""

    page: GuideText
    line: str


def guide_pages(texts: Mapping[str, str]) -> tuple[GuideText, ...]:
    """The pages in the order of the list; others come last, by name."""
    order = get_args(GuidePage)
    names = sorted(texts, key=lambda name: (order.index(name) if name in order else len(order), name))
    return tuple(GuideText(name, _title(texts[name]) or name, texts[name]) for name in names)


def search_guide(pages: tuple[GuideText, ...], query: str) -> tuple[GuideMatch, ...]:
    """Pages with a word that starts with each word of the query, best first; all pages without a query."""
    wanted = words_of(query)
    ranked = [
        (-score, number, page)
        for number, page in enumerate(pages)
        if (score := _score(page, wanted)) or not wanted
    ]
    return tuple(
        GuideMatch(page, _line(page, wanted)) for _, _, page in sorted(ranked, key=lambda one: one[:2])
    )


def _title(text: str) -> str:
    found = _HEADING.match(text)
    return found[1].strip() if found else ""


def _score(page: GuideText, wanted: list[str]) -> int:
    """A page's score: hits in the title weigh most, then in headings; 0 where a word is missing."""
    headings = [words_of(line) for line in page.text.split("\n") if _HEADING.match(line)]
    title, below = words_of(page.title), [word for line in headings[1:] for word in line]
    total, words = 0, words_of(_LINK.sub(r"\1", page.text))
    for each in wanted:
        hits = _hits(words, each)
        if not hits:
            return 0
        total += (
            min(hits, _IN_HEADING - 1)
            + _IN_TITLE * bool(_hits(title, each))
            + _IN_HEADING * bool(_hits(below, each))
        )
    return total


def _hits(words: list[str], begun: str) -> int:
    return sum(word.startswith(begun) for word in words)


def _line(page: GuideText, wanted: list[str]) -> str:
    lines = [_MARKS.sub("", _LINK.sub(r"\1", line)).strip("#|- ") for line in page.text.split("\n")[1:]]
    counts = [sum(bool(_hits(words_of(line), each)) for each in wanted) for line in lines]
    best = max(counts, default=0)
    return lines[counts.index(best)] if best else ""
