"""Characters that hide or act, made visible; and the way between what is shown and what stands there.

Qt counts UTF-16 units of what is shown, we count characters of what is sent.
"""

from __future__ import annotations

import re

from workbench.ui.widgets.plain import utf16_units

# Controls except tab and line end, separators that Qt would break lines at, marks that reorder or join, letters
# that are invisible, lone surrogates, characters that Qt keeps for itself, tags. A variation selector is left alone
# only where it belongs: behind something that can be an emoji.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff\ud800-\udfff"
    "\U000e0000-\U000e0fff]|(?<![\xa9\xae0-9#*\u203c-\u3299\U0001f000-\U0001faff])[\ufe0e\ufe0f]"
)
_NAMES = {
    "\x00": "NUL", "\x07": "BEL", "\x08": "BS", "\x0b": "VT", "\x0c": "FF", "\r": "CR", "\x1b": "ESC",
    "\x7f": "DEL", "\u00ad": "SHY", "\u061c": "ALM", "\u200b": "ZWSP", "\u200c": "ZWNJ", "\u200d": "ZWJ",
    "\u200e": "LRM", "\u200f": "RLM", "\u2028": "LS", "\u2029": "PS", "\u202a": "LRE", "\u202b": "RLE",
    "\u202c": "PDF", "\u202d": "LRO", "\u202e": "RLO", "\u2060": "WJ", "\u2066": "LRI", "\u2067": "RLI",
    "\u2068": "FSI", "\u2069": "PDI", "\ufeff": "BOM",
}  # fmt: skip


def visible(text: str) -> str:
    """The text as it is shown: what would hide or act is written out as ⟨RLO⟩."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(lambda found: mark(found.group()), text)


def mark(letter: str) -> str:
    """What stands for a hidden character."""
    return f"⟨{_NAMES.get(letter) or f'U+{ord(letter):04X}'}⟩"


def marked_ranges(text: str) -> list[tuple[int, int]]:
    """Where marks stand in what is shown, in UTF-16 units: start and length."""
    found, at, end = [], 0, 0
    for hit in _HIDDEN.finditer(text):
        at += utf16_units(text[end : hit.start()])
        length = utf16_units(mark(hit.group()))
        found.append((at, length))
        at += length
        end = hit.end()
    return found


def shown_offset(text: str, place: int) -> int:
    """Where a character of the text begins in what is shown, in UTF-16 units."""
    # Cut after showing would cut marks; cut before it, a selector at the cut could lose what it belongs to.
    whole = [hit for hit in _HIDDEN.finditer(text) if hit.start() < place]
    return utf16_units(text[:place]) + sum(
        utf16_units(mark(hit.group())) - utf16_units(hit.group()) for hit in whole
    )


def source_offset(text: str, shown_units: int) -> int:
    """Which character of the text is shown there; within a mark it is the character that the mark stands for."""
    at, place = 0, 0
    for hit in _HIDDEN.finditer(text):
        plain = text[place : hit.start()]
        step = utf16_units(plain)
        if at + step > shown_units:
            break
        at, place = at + step, hit.start()
        length = utf16_units(mark(hit.group()))
        if at + length > shown_units:
            return place
        at, place = at + length, hit.end()
    return place + _characters(text[place:], shown_units - at)


def _characters(text: str, wanted_units: int) -> int:
    """How many characters the first units of a text are; a unit within a pair belongs to the pair's beginning."""
    if text.isascii():
        return min(wanted_units, len(text))
    at = 0
    for number, letter in enumerate(text):
        at += 2 if letter > "\uffff" else 1
        if at > wanted_units:
            return number
    return len(text)
