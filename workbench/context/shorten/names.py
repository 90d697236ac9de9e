"""Names among the words of a text: capital letters that are not a sentence's, a heading's or every noun's."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Letters of languages that have no capital ones and put no spaces between words."""
FOREIGN = re.compile(f"[{CJK}]")
_HEADING = re.compile(r"^#{1,6}[ \t].*$|^[ \t]*\*\*[^*\n]+\*\*:?[ \t]*$", re.MULTILINE)
_OPENS = re.compile(r"(?:^|[.!?:;…。！？\n(\[\"'|>*]|\s[-–—])\s*$")
_NO_NAMES = frozenset(
    ["OK", "I", "AM", "PM", "TODO", "FIXME", "NB", "PS", "FYI", "USER", "ASSISTANT", "SYSTEM", "TOOL", "YES", "NO",
     "NOT", "AND", "OR", "THE", "A", "AN"]
)  # fmt: skip
_TELLS = re.compile(
    r" (?:(?:says|tells|asks|wants|thinks|likes|prefers|needs|writes|agrees|knows)\b|and [A-Z])"
    r"|(?<!s) (?:said|told|asked|wanted|thought|wrote|agreed|lives)\b"
)
"""What follows a name at the start of a sentence."""
_NO_START = frozenset(
    ["I", "You", "He", "She", "It", "We", "They", "This", "That", "These", "Those", "Who", "What", "Which", "There",
     "Here", "Everyone", "Everybody", "Everything", "Something", "Nothing", "Someone", "Nobody", "One", "User",
     "Assistant", "And", "But", "Or", "So", "Then"]
)  # fmt: skip
_OPENING = re.compile(r"(?:^|[.!?…][ \t]+)([A-ZÀ-ÖØ-Þ][^\W\d_]+)(?![\w.@:/\\()-])", re.MULTILINE)
_USUAL = (
    "the this that these those there here they their them then than thus therefore though through to we our you your "
    "he his she her it its who what when where which while why how and but or so as at by for from in into of on off "
    "over under up with without within about above after all also although among an another any anyone because before "
    "below besides between both can could did do does during each either else even every everyone everything except "
    "few finally first second third last later less let like many may maybe meanwhile might more moreover most much "
    "must my neither never next no nobody none nor not nothing now often once one only other others otherwise overall "
    "perhaps please rather same several shall should since some someone something sometimes soon still such today "
    "tomorrow yesterday together too unless until upon us use used user users assistant system tool very was were will "
    "would yes yet is are be been has have had if instead just however hence yours again ask asks answer answers "
    "summary note notes question questions message messages plan plans decision decisions result results open next "
    "le la les un une des il elle ils elles on nous vous ce cette ces et ou mais donc puis dans pour par sur avec sans "
    "el los las una uno unos ella ellos ellas nosotros ustedes se su sus y pero en para por con sin no hay es son"
)
_NO_OPENING = frozenset(_USUAL.split())
"""What a sentence may begin with in anybody's words."""
_NO_NAME = re.compile(r".{3,}(?:ed|ing|ly|tion|sion|ment|ness|ity)")
_NOUNS_SHARE, _NOUNS_LEAST = 0.22, 12
"""Where so many of the words within sentences begin with a capital letter, it is a language's way with nouns."""


class Names:
    """The names among words: capitalised ones within sentences; in a line of Chinese or Japanese, Latin words.

    `plain` is how many words there are besides that have no capital letter and nothing else to tell.
    """

    def __init__(self, text: str, words: list[re.Match[str]], plain: int, known: frozenset[str]) -> None:
        headings = [found.span() for found in _HEADING.finditer(text)]
        starts = [start for start, _ in headings]

        def is_heading(place: int) -> bool:
            number = bisect_right(starts, place) - 1
            return number >= 0 and place < headings[number][1]

        self._text, self._known = text, known
        self._foreign = set(_among_foreign(text, words))
        inside = [one for one in words if not is_heading(one.start())]
        self._latin = [one for one in inside if one.start() in self._foreign and len(_word(one)) > 1]
        self._capital = [one for one in inside if _is_capital(one) and one.start() not in self._foreign]
        self._opening = {one.start() for one in self._capital if _opens(text, one.start())}
        within = [one for one in self._capital if one.start() not in self._opening]
        rest = plain + len(inside) - len(self._opening)
        self._nouns = rest >= _NOUNS_LEAST and len(within) > _NOUNS_SHARE * rest
        told = {
            _word(one)
            for one in self._capital
            if one.start() in self._opening and _TELLS.match(text, one.end())
        }
        self._sure = {_word(one) for one in within} | known | (told - _NO_START)

    def found(self) -> Iterator[str]:
        """All of them; neighbours stand together, which is what makes a name of two nouns."""
        for run in _runs(self._text, self._capital):
            unsure = run[0].start() in self._opening and _word(run[0]) not in self._sure
            named = run[1:] if unsure else run
            if named and (not self._nouns or len(named) > 1 or self._is_known(_word(named[0]))):
                yield from map(_word, named)
        yield from map(_word, self._latin)

    def _is_known(self, word: str) -> bool:
        return word in self._known or word.isupper()


def openings(text: str) -> Iterator[str]:
    """Words at the start of sentences that may be names, as far as their form tells."""
    for found in _OPENING.finditer(text):
        word = found[1]
        if word.lower() not in _NO_OPENING and not _NO_NAME.fullmatch(word):
            yield word


def _opens(text: str, place: int) -> bool:
    return _OPENS.search(text[max(0, place - 12) : place] or "\n") is not None


def _among_foreign(text: str, words: Iterable[re.Match[str]]) -> Iterator[int]:
    """Where words stand in lines that are mostly written in other letters."""
    if FOREIGN.search(text) is None:
        return
    starts, mostly = [0], []
    for line in text.split("\n"):
        mostly.append(len(FOREIGN.findall(line)) > len(line.split()))
        starts.append(starts[-1] + len(line) + 1)
    for one in words:
        if mostly[bisect_right(starts, one.start()) - 1]:
            yield one.start()


def _is_capital(word: re.Match[str]) -> bool:
    return word[0][0].isupper() and _word(word).upper() not in _NO_NAMES and len(_word(word)) > 1


def _word(found: re.Match[str]) -> str:
    """A word without the ending of who owns it."""
    return found[0].removesuffix("'s").rstrip(".'-")


def _runs(text: str, words: list[re.Match[str]]) -> Iterator[list[re.Match[str]]]:
    """Words that stand side by side."""
    run: list[re.Match[str]] = []
    for one in words:
        if run and text[run[-1].end() : one.start()] != " ":
            yield run
            run = []
        run.append(one)
    if run:
        yield run
