"""Which files of a folder come ticked where not all of them fit: those the message names, else the newest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from workbench.domain.search_words import words_of
from workbench.ui.dialogs.folder.nodes import Node

SHORTEST = 3
_COMMON = frozenset({
    "about", "all", "and", "any", "are", "can", "code", "could", "does", "file", "files", "folder", "for",
    "from", "had", "has", "have", "how", "into", "its", "let", "make", "not", "our", "please", "should",
    "than", "that", "the", "their", "them", "then", "there", "they", "this", "use", "was", "what", "when",
    "where", "which", "who", "why", "will", "with", "would", "you", "your",
})  # fmt: skip


def best_first(files: Sequence[Node], draft: str) -> list[Node]:
    """The files whose names have words of the message, best match first; where none has, all, the newest first."""
    asked = {word for word in words_of(draft) if len(word) >= SHORTEST and word not in _COMMON}
    scores = {node.path: _score(node.path, asked) for node in files} if asked else {}
    named = [node for node in files if scores.get(node.path)]
    return sorted(named or files, key=lambda node: (-scores.get(node.path, 0), -node.stamp))


def _score(path: str, asked: set[str]) -> int:
    """How many words of the message stand in a path; those in the name itself count twice."""
    place = PurePosixPath(path)
    name = set(words_of(place.stem.replace("_", " ")))
    around = set(words_of(str(place.parent).replace("_", " "))) - name
    return 2 * sum(_is_in(word, name) for word in asked) + sum(_is_in(word, around) for word in asked)


def _is_in(word: str, words: set[str]) -> bool:
    """Whether a word is there, or one that differs only in its ending: token, tokens."""
    return word in words or any(
        min(len(word), len(one)) > SHORTEST and (one.startswith(word) or word.startswith(one))
        for one in words
    )
