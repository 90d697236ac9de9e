"""Extracts the facts of a text (numbers, dates, names, identifiers, addresses) in a form in which they compare.

Names are the hard part: a capital letter says little at the start of a sentence, nothing in a heading, and little in a
language that capitalises every noun. Only certain names count, so that a missing one is worth reporting.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal

from workbench.context.recall.terms import folded, stems_of
from workbench.context.shorten.numerals import (
    CALENDAR,
    MONTHS,
    SCALES,
    UNITS,
    Numeral,
    language_of,
    numerals,
    zeros_of,
)

# Names among the words of a text: capital letters that are not a sentence's, a heading's or every noun's.


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
"""The share of capitalised words within sentences from which on the language capitalises its nouns."""


class Names:
    """The names among words: capitalised ones within sentences; in a line of Chinese or Japanese, Latin words.

    `plain` is the number of other words: uncapitalised, and no fact of another kind.
    """

    def __init__(self, text: str, words: list[re.Match[str]], plain: int, known: frozenset[str]) -> None:
        headings = [found.span() for found in _HEADING.finditer(text)]
        starts = [start for start, _ in headings]

        def is_heading(place: int) -> bool:
            number = bisect_right(starts, place) - 1
            return number >= 0 and place < headings[number][1]

        self._text, self._known = text, known
        self._foreign = set(_in_foreign_script(text, words))
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
        """All names; adjacent capitalised words form one name."""
        for run in _runs(self._text, self._capital):
            unsure = run[0].start() in self._opening and _word(run[0]) not in self._sure
            named = run[1:] if unsure else run
            if named and (not self._nouns or len(named) > 1 or self._is_known(_word(named[0]))):
                yield from map(_word, named)
        yield from map(_word, self._latin)

    def _is_known(self, word: str) -> bool:
        return word in self._known or word.isupper()


def openings(text: str) -> Iterator[str]:
    """Words at the start of sentences that have the form of a name."""
    for found in _OPENING.finditer(text):
        word = found[1]
        if word.lower() not in _NO_OPENING and not _NO_NAME.fullmatch(word):
            yield word


def _opens(text: str, place: int) -> bool:
    return _OPENS.search(text[max(0, place - 12) : place] or "\n") is not None


def _in_foreign_script(text: str, words: Iterable[re.Match[str]]) -> Iterator[int]:
    """Positions of words in lines mostly written in non-Latin script."""
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
    """A word without a possessive ending."""
    return found[0].removesuffix("'s").rstrip(".'-")


def _runs(text: str, words: list[re.Match[str]]) -> Iterator[list[re.Match[str]]]:
    """Groups of adjacent words."""
    run: list[re.Match[str]] = []
    for one in words:
        if run and text[run[-1].end() : one.start()] != " ":
            yield run
            run = []
        run.append(one)
    if run:
        yield run


FactKind = Literal["number", "date", "time", "name", "code", "url", "email"]

_QUOTES = str.maketrans({"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "−": "-", "‑": "-"})
_END = ".,;:!?'\"»*_"
_MONTH = "|".join(sorted((re.escape(name) for name in MONTHS), key=len, reverse=True))
_SCALE = "|".join(sorted(SCALES, key=len, reverse=True))
_UNIT = "|".join(sorted((re.escape(unit) for unit in UNITS), key=len, reverse=True))
_NUMBER = (
    r"\d{1,3}(?:[ '\u202f]\d{3})+(?:[.,]\d+)?(?!\d)|\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)"
    r"|\d{1,3}(?:\.\d{3})+(?:,\d+)?(?!\d)|\d+(?:[.,]\d+)?"
)
# What begins with a run of signs is looked for at the run's start only, and never longer than it can be: a ruler of
# dashes or dots would take time by the square of its length.
_FOUND = (
    r"(?P<hex>(?<![\w-])[a-f]{8,64}(?![\w@/:\\-]|\.\w))"
    r"|(?P<plain>(?-i:[a-zß-öø-ÿ]++(?![\w.@:/\\()'-])))"
    r"|(?P<url>(?:https?|ftp|file)://[^\s<>\"`]{1,2000}|\bwww\.[^\s<>\"`]{1,2000})"
    r"|(?P<email>(?<![\w.+-])[\w.+-]{1,64}+@[\w-]++(?:\.[\w-]++)+)"
    r"|`(?P<quoted>[^`\n]{1,160})`"
    r"|(?P<iso>(?<![A-Za-z0-9_.])\d{4}-\d\d-\d\d(?!\d))"
    rf"|(?P<daymonth>(?<![A-Za-z0-9_.])\d{{1,2}}(?:\.|st|nd|rd|th)?\s+(?:of\s+|de\s+)?(?:{_MONTH})\b(?:[.,]?\s+(?:de\s+)?\d{{4}}\b)?)"
    rf"|(?P<monthday>\b(?:{_MONTH})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?!:)(?:,?\s+\d{{4}}\b)?)"
    r"|(?P<numeric>(?<![A-Za-z0-9_./])(?:\d{1,2}\.\d{1,2}\.\d{2,4}|\d{1,4}/\d{1,2}/\d{1,4})(?![\w/]))"
    r"|(?P<time>(?<![A-Za-z0-9_:.])\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?:\s?[ap]\.?m\b\.?)?|(?<![A-Za-z0-9_.])\d{1,2}\s?[ap]\.?m\b)"
    r"|(?P<path>(?<![\w/])(?:[A-Za-z]:\\|~/|\.{1,2}/|/(?=\w))[\w.@~+\\/-]+|(?<![\w/.@+-])[\w.@+-]++(?:/[\w.@+-]++){2,}/?"
    r"|(?<![\w/.@+-])[\w@+-]++/[\w@+-]*+\.\w+)"
    r"|(?P<flag>(?<![\w-])--?[A-Za-z][\w-]+)"
    r"|(?P<version>(?<![A-Za-z0-9_.])v?\d+(?:\.\d+){2,}(?:[-+][\w.]+)?|(?<![A-Za-z0-9_.])v\d+(?:\.\d+)*\b)"
    rf"|(?P<number>(?<![A-Za-z0-9_.])(?P<sign>[$€£¥]\s?)?(?<![\d.])-?(?P<digits>{_NUMBER})"
    rf"(?:[ \u202f-]?(?P<scale>[千万萬만亿億억]|(?:{_SCALE})(?!\w)))?"
    rf"(?:(?:[ \u202f]|-(?=[^\W\d_]{{3}}))?(?P<unit>%|(?:{_UNIT})(?![\w]))|(?:st|nd|rd|th)\b)?(?![A-Za-z_]))"
    rf"|(?P<word>[^\W_{CJK}](?:[^\W{CJK}]|[-.'](?=[^\W{CJK}]))*(?:\(\))?)"
)
_LIST_MARK = re.compile(
    r"^[ \t]*(?:(?:User|Assistant|Tool|System):[ \t]*)?(?:(?:\d{1,3}[.)]|[-*+•>])[ \t]+)*", re.MULTILINE
)
"""Who speaks, and what opens a line of a list: no words of the text."""
_CAMEL = re.compile(r"[a-zß-ÿ0-9][A-Z]")
_KEBAB = re.compile(r"[a-z][a-z0-9]+(?:-[a-z0-9]{2,}){2,}")
_PROSE = (
    "of the to and in by on up or at as for out off old hand year time term ever with all day two three four five six "
    "based free non well self style de la le et est ce que vous elle il on und zu"
)
_WITHIN = frozenset(_PROSE.split())
"""What words of prose have between their hyphens: they are no name in code."""
_LATIN = re.compile(rf"[^\W{CJK}]")
_LETTERS = re.compile(r"[^\W\d_]")


@cache
def _finder() -> re.Pattern[str]:
    """The pattern for all facts, compiled on first use because that takes as long as importing a dozen modules."""
    return re.compile(_FOUND, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact as it is written, and the normalised forms that it is compared by.

    `keys` are several where a number is ambiguous (1,234 differs by country); `bare` are looser forms: a number without
    its unit, a date without its year.
    """

    kind: FactKind
    text: str
    keys: frozenset[str]
    bare: frozenset[str] = frozenset()


@dataclass(frozen=True)
class FactsOf:
    """A text with its facts; `known` are certain names, which also count at the start of a sentence.

    `of_language` is the language of the text that it is compared with.
    """

    text: str
    known: frozenset[str] = frozenset()
    of_language: str = ""

    @cached_property
    def language(self) -> str:
        """The language to read numbers in: that of the text it is compared with, else its own."""
        return self.of_language or language_of(self.clean)

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(word.lower() for word in re.findall(r"[^\W\d_]+", self.clean))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its words, by which any inflected form is found."""
        return frozenset(stem for word in self.words for stem in stems_of(folded(word), self.language))

    @cached_property
    def clean(self) -> str:
        """The text with characters normalised: variants of signs, quotes and widths do not make another fact."""
        return unicodedata.normalize("NFKC", self.text.replace("…", " ")).translate(_QUOTES)

    @cached_property
    def found(self) -> tuple[Fact, ...]:
        facts: dict[tuple[FactKind, frozenset[str]], Fact] = {}
        for fact in (*_facts(self.clean, self.known, self.language), *self._spelled[0]):
            facts.setdefault((fact.kind, fact.keys), fact)
        return tuple(facts.values())

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(word for fact in self.found if fact.kind == "name" for word in fact.text.split())

    @cached_property
    def _keys(self) -> frozenset[str]:
        return frozenset(key for fact in (*self.found, *self._spelled[1]) for key in fact.keys)

    @cached_property
    def _spelled(self) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
        """Numbers in words: certain ones, and those that may be an article or another word."""
        sure: list[Fact] = []
        unsure: list[Fact] = []
        for one in numerals(self.clean, self.language):
            (sure if one.sure else unsure).append(_spelled_number(one, self.clean))
        return tuple(sure), tuple(unsure)

    @cached_property
    def _bare_keys(self) -> frozenset[str]:
        return self._keys.union(key for fact in (*self.found, *self._spelled[1]) for key in fact.bare)

    @cached_property
    def openings(self) -> tuple[str, ...]:
        """Words at the start of its sentences that may be names, judged by their capital letter alone."""
        return tuple(openings(_LIST_MARK.sub("", self.clean))) if self.language != "de" else ()

    def holds(self, fact: Fact) -> bool:
        """Whether this text has another text's fact, at least as precisely."""
        return not self._bare_keys.isdisjoint(fact.keys) or self.holds_exactly(fact)

    def holds_exactly(self, fact: Fact) -> bool:
        """Whether this text has another text's fact with its unit or year."""
        return not self._keys.isdisjoint(fact.keys) or (
            fact.kind in ("name", "code") and self._contains_literally(fact.text)
        )

    def _contains_literally(self, words: str) -> bool:
        """Whether this text has these words literally, at word boundaries."""
        at = self.clean.find(words)
        while at >= 0:
            end = at + len(words)
            before, after = self.clean[at - 1 : at], self.clean[end : end + 1]
            if not (_joins(before, words[:1]) or _joins(after, words[-1:])):
                return True
            at = self.clean.find(words, at + 1)
        return False


def facts_in(text: str) -> tuple[Fact, ...]:
    """Every fact of a text once, in order."""
    return FactsOf(text).found


def _joins(one: str, other: str) -> bool:
    """Whether two adjacent characters belong to one word."""
    return bool(one and other and _LATIN.match(one) and _LATIN.match(other))


def _facts(clean: str, known: frozenset[str], language: str) -> Iterator[Fact]:
    bare = _LIST_MARK.sub(lambda found: " " * len(found[0]), clean)
    words: list[re.Match[str]] = []
    plain, foreign = 0, FOREIGN.search(bare) is not None
    for found in _finder().finditer(bare):
        calendar = (found["plain"] or found["word"]) and CALENDAR.get(found[0].lower())
        if calendar:
            yield Fact("date", found[0], frozenset({calendar}))
        elif found["plain"] and not foreign:
            plain += 1
        elif found["plain"] or found["word"]:
            code = _identifier(found[0])
            if code is not None:
                yield code
            else:
                words.append(found)
        else:
            yield from _by_notation(found, language)
    names = Names(bare, words, plain, known).found()
    yield from (Fact("name", word, frozenset({f"w:{word}"})) for word in names)


def _by_notation(found: re.Match[str], language: str) -> Iterator[Fact]:
    """The facts recognised by their notation alone."""
    text = found[0].rstrip(_END) if not found["quoted"] else found["quoted"].strip()
    if found["url"]:
        yield Fact(
            "url", _without_outer_bracket(text), frozenset({f"u:{_without_outer_bracket(text).rstrip('/')}"})
        )
    elif found["email"]:
        yield Fact("email", text, frozenset({f"u:{text.lower()}"}))
    elif found["quoted"]:
        yield from _quoted(text, language)
    elif found["path"] or found["flag"] or found["hex"]:
        yield _code(text)
    elif found["version"]:
        yield Fact("number", text, frozenset({f"v:{text.lower().lstrip('v')}"}))
    elif found["time"]:
        yield Fact("time", found[0], frozenset({"t:" + re.sub(r"[\s.]", "", found[0].lower())}))
    elif found["number"]:
        yield _number(found, language)
    else:
        yield _date(found)


def _quoted(text: str, language: str) -> Iterator[Fact]:
    """Quoted code as one fact; a quoted number is a number."""
    inner = _finder().fullmatch(text)
    if inner is not None and inner["number"]:
        yield _number(inner, language)
    elif text:
        yield _code(text)


def _without_outer_bracket(url: str) -> str:
    """A URL, cut before a bracket that closes one opened outside it."""
    waiting: list[str] = []
    for place, sign in enumerate(url):
        if sign in "([{":
            waiting.append(sign)
        elif sign in ")]}" and not waiting:
            return url[:place].rstrip(_END)
        elif sign in ")]}":
            waiting.pop()
    return url


def _code(text: str) -> Fact:
    plain = text.removesuffix("()")
    return Fact("code", text, frozenset({f"c:{' '.join(plain.split())}"}))


def _spelled_number(one: Numeral, text: str) -> Fact:
    """The fact of a number in words, with the unit after it."""
    after = re.match(r"[ \u202f-]([^\W\d_]{2,})", text[one.end : one.end + 24])
    unit = UNITS.get(after[1].lower()) if after else None
    bare = frozenset({f"n:{one.value}"})
    return Fact("number", one.text, frozenset({f"n:{one.value} {unit}"}) if unit else bare, bare)


def _number(found: re.Match[str], language: str) -> Fact:
    sign, unit = (found["sign"] or "").strip(), found["unit"] or ""
    named = UNITS.get(unit) or UNITS.get(unit.lower()) or UNITS.get(unit.upper()) or ""
    named = UNITS.get(sign, named)
    minus = "-" if "-" in found[0][: found.start("digits") - found.start()] else ""
    values = {minus + value for value in _values(found["digits"])}
    zeros = zeros_of(found["scale"], language) if found["scale"] else 0
    whole = {_scaled(value, zeros) for value in values}
    bare = frozenset(f"n:{value}" for value in values | whole)
    keys = frozenset(f"n:{value} {named}".rstrip() for value in whole)
    return Fact("number", found[0].strip(), keys, bare)


def _scaled(value: str, zeros: int) -> str:
    """A decimal number with its point moved by `zeros` places, without a float's rounding."""
    if not zeros:
        return value
    whole, _, part = value.partition(".")
    part = part.ljust(zeros, "0")
    minus, whole = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
    return minus + _shortest(f"{whole}{part[:zeros]}.{part[zeros:]}")


def _values(digits: str) -> set[str]:
    """The possible values of a number: one for `1,234.5`, two for `1,234`."""
    joined = re.sub(r"[ '\u202f]", "", digits)
    marks = [mark for mark in joined if mark in ".,"]
    if not marks:
        return {_shortest(joined)}
    if len(set(marks)) == 2:
        whole, part = joined.rsplit(marks[-1], 1)
        return {_shortest(f"{re.sub('[.,]', '', whole)}.{part}")}
    groups = re.split(r"[.,]", joined)
    thousands = all(len(group) == 3 for group in groups[1:]) and len(groups[0]) <= 3
    readings = {_shortest("".join(groups))} if thousands else set()
    if len(marks) == 1 and groups[1] != "000":
        readings.add(_shortest(".".join(groups)))
    return readings or {joined}


def _shortest(value: str) -> str:
    whole, dot, part = value.partition(".")
    part = part.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{part}" if dot and part else "")


def _date(found: re.Match[str]) -> Fact:
    text = found[0].rstrip(_END)
    if found["iso"]:
        return Fact(
            "date",
            text,
            frozenset({f"d:{text}"}),
            frozenset({f"d:{text[5:]}", f"n:{int(text[:4])}", f"m:{int(text[5:7])}"}),
        )
    if found["numeric"]:
        return Fact("date", text, frozenset({f"d:{text}"}))
    month = next(number for word in re.findall(r"[^\W\d_]+", text.lower()) if (number := MONTHS.get(word)))
    numbers = re.findall(r"\d+", text)
    year = next((one for one in numbers if len(one) == 4), "")
    day = f"{month:02}-{int(numbers[0] if numbers[0] != year else numbers[-1]):02}"
    if not year:
        return Fact("date", text, frozenset({f"d:{day}"}), frozenset({f"m:{month}"}))
    bare = frozenset({f"d:{day}", f"n:{int(year)}", f"m:{month}"})
    return Fact("date", text, frozenset({f"d:{year}-{day}"}), bare)


def _identifier(word: str) -> Fact | None:
    """A word that only code has: with an underscore, dot, capital or digit inside, or followed by brackets."""
    if word.endswith("()") or "_" in word.strip("_"):
        return _code(word)
    parts = word.split(".")
    dotted = len(parts) > 1 and all(len(part) > 1 for part in parts) and not parts[1][:1].isupper()
    if dotted or _CAMEL.search(word.removesuffix("'s")):
        return _code(word)
    if _KEBAB.fullmatch(word) and _WITHIN.isdisjoint(word.split("-")):
        return _code(word)
    mixed = any(c.isdigit() for c in word) and bool(_LETTERS.search(word))
    return _code(word) if mixed else None
