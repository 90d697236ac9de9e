"""Text of an answer made safe to lay out: nothing hidden reorders it, and no word is too long to be broken."""

from __future__ import annotations

import re
from typing import NamedTuple

LONGEST_RUN = 120
BREAK = "\u200b"
"""A place where a line may be broken; it has no width."""

MARKS_KEPT = 4
MOST_WRITTEN_OUT = 60
SIGN = "·"
"""Stands for each hidden sign where there are more of them than can be written out."""
_MARK = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
# What reorders or hides text: overrides, embeddings, isolates, controls, separators, tags, lone surrogates.
# Left-to-right and right-to-left marks and joiners stay: languages and emoji need them.
_HIDDEN = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
_SPECIAL = re.compile(
    f"(?P<hidden>{_HIDDEN})|(?P<marks>{_MARK}{{{MARKS_KEPT + 1},}})|(?P<run>\\S{{{LONGEST_RUN + 1},}})"
)
_HIDDEN_SIGN = re.compile(_HIDDEN)
_WITHIN = re.compile(f"(?P<hidden>{_HIDDEN})|(?P<marks>{_MARK}{{{MARKS_KEPT + 1},}})")


class Shown(NamedTuple):
    """A piece of text as it is shown, and what it stands for; most pieces stand for themselves."""

    text: str
    original: str


def safe_pieces(text: str) -> list[Shown]:
    """A text in pieces that are safe to show; joined, their originals are the text."""
    if not text:
        return []
    if _hides_much(text):
        short = _HIDDEN_SIGN.sub(SIGN, text)
        return [Shown("".join(piece.text for piece in _pieces(short, _SPECIAL)), text)]
    return _pieces(text, _SPECIAL)


def safe(text: str) -> str:
    """A text as it is shown."""
    return "".join(piece.text for piece in safe_pieces(text))


def visible(text: str) -> str:
    """A text whose hidden signs are written out, but whose words are left whole: for code, which is not wrapped."""
    if _hides_much(text):
        text = _HIDDEN_SIGN.sub(SIGN, text)
    return "".join(piece.text for piece in _pieces(text, _WITHIN))


def written_part(text: str, start: int, end: int) -> str:
    """What a part of `visible(text)` stands for; of a sign that is written out, all of it or nothing."""
    if _hides_much(text):
        if len(_HIDDEN_SIGN.sub(SIGN, text)) == len(visible(text)):
            return text[start:end]
        return visible(text)[start:end]
    found, at = list[str](), 0
    for piece in _pieces(text, _WITHIN):
        after = at + len(piece.text)
        if piece.text == piece.original:
            found.append(piece.text[max(0, start - at) : max(0, end - at)])
        elif start < after and end > at:
            found.append(piece.original)
        at = after
    return "".join(found)


def _hides_much(text: str) -> bool:
    """Whether a text has more hidden signs than anyone would want to read one by one."""
    found = _HIDDEN_SIGN.finditer(text)
    return sum(1 for _ in zip(range(MOST_WRITTEN_OUT + 1), found, strict=False)) > MOST_WRITTEN_OUT


def _pieces(text: str, special: re.Pattern[str]) -> list[Shown]:
    pieces: list[Shown] = []
    done = 0
    for found in special.finditer(text):
        if found.start() > done:
            plain = text[done : found.start()]
            pieces.append(Shown(plain, plain))
        pieces.extend(_made_safe(found))
        done = found.end()
    if done < len(text):
        pieces.append(Shown(text[done:], text[done:]))
    return pieces


def _made_safe(found: re.Match[str]) -> list[Shown]:
    matched = found.group()
    match found.lastgroup:
        case "hidden":
            return [Shown(f"⟨U+{ord(matched):04X}⟩", matched)]
        case "marks":
            return [Shown(matched[:MARKS_KEPT], matched)]
        case _:
            return _broken(matched)


def _broken(run: str) -> list[Shown]:
    pieces: list[Shown] = []
    for start in range(0, len(run), LONGEST_RUN):
        if start:
            pieces.append(Shown(BREAK, ""))
        pieces.extend(_pieces(run[start : start + LONGEST_RUN], _WITHIN))
    return pieces
