"""Extracts the facts of a text (numbers, dates, names, identifiers, addresses) in a form in which they compare.

Names are the hard part: a capital letter says little at the start of a sentence, nothing in a heading, and little in a
language that capitalises every noun. Only certain names count, so that a missing one is worth reporting.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from typing import Literal

from workbench.context.recall.terms import folded, stems_of
from workbench.context.shorten.numerals import (
    CALENDAR,
    MONTHS,
    NUMBER_WORDS,
    SCALES,
    SHORT_DAYS,
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
_HEADING = re.compile(
    r"^#{1,6}[ \t].*$|^[ \t]*\*\*[^*\n]+\*\*:?[ \t]*$|^(?:[A-Z]\w*[ \t]){0,5}[A-Z]\w*:[ \t]*$", re.MULTILINE
)
_OPENS = re.compile(r"(?:^|[.!?:;…。！？\n(\[\"'|>*]|\s[-–—])\s*$")
_NO_NAMES = frozenset(
    ["OK", "I", "AM", "PM", "TODO", "FIXME", "NB", "PS", "FYI", "USER", "ASSISTANT", "SYSTEM", "TOOL", "YES", "NO",
     "NOT", "AND", "OR", "THE", "A", "AN", "DR", "MR", "MRS", "MS", "PROF",
     "UTC", "GMT", "NR", "NO", "SIE", "IHNEN", "IHR", "IHRE", "IHREM", "IHREN", "IHRER", "IHRES"]
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
    "el los las una uno unos ella ellos ellas nosotros ustedes se su sus y pero en para por con sin no hay es son "
    "der die das den dem des ein eine einen und oder aber auch nur laut nach bei mit von für als wie wenn weil dass im "
    "am zum zur seit ab bis um wer was wo wann hier dort dann danach zuerst sie er es wir ihr ist hat wird alle jede"
)
NO_OPENING = frozenset(_USUAL.split())
"""What a sentence may begin with in anybody's words."""
_NO_NAME = re.compile(r".{3,}(?:ed|ing|ly|tion|sion|ment|ness|ity)")
_NOUNS_SHARE, _NOUNS_LEAST = 0.22, 12
"""The share of capitalised words within sentences from which on the language capitalises its nouns."""
_NAMES_SHARE = 0.5
"""The same in English: below it, there are just many names."""


class Names:
    """The names among words: capitalised ones within sentences; in a line of Chinese or Japanese, Latin words.

    `plain` is the number of other words: uncapitalised, and no fact of another kind.
    """

    def __init__(
        self, text: str, words: list[re.Match[str]], plain: int, known: frozenset[str], language: str = ""
    ) -> None:
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
        share = _NAMES_SHARE if language == "en" else _NOUNS_SHARE
        self._nouns = language == "de" or (rest >= _NOUNS_LEAST and len(within) > share * rest)
        told = {
            _word(one)
            for one in self._capital
            if one.start() in self._opening and _TELLS.match(text, one.end())
        }
        self._sure = {_word(one) for one in within} | known | (told - _NO_START)

    def found(self) -> Iterator[str]:
        """All names, word by word."""
        return (_word(one) for run in self.runs() for one in run)

    def runs(self) -> Iterator[list[re.Match[str]]]:
        """All names, each as its words: adjacent capitalised words form one name."""
        for run in _runs(self._text, self._capital):
            unsure = run[0].start() in self._opening and _word(run[0]) not in self._sure
            named = run[1:] if unsure or (self._nouns and self._counts(run[0])) else run
            if named and (not self._nouns or len(named) > 1 or self._is_known(named[0])):
                yield named
        yield from ([one] for one in self._latin)

    def _counts(self, found: re.Match[str]) -> bool:
        """Whether a noun is a unit, or counted: zehn Meter Abstand, drei Kisten Wasser."""
        before = self._text[max(0, found.start() - 24) : found.start()].lower().split()[-1:]
        return found[0].lower() in UNITS or any(one.isdecimal() or one in NUMBER_WORDS for one in before)

    def _is_known(self, found: re.Match[str]) -> bool:
        word = _word(found)
        return word in self._known or word.isupper()


def openings(text: str) -> Iterator[str]:
    """Words at the start of sentences that have the form of a name."""
    for found in _OPENING.finditer(text):
        word = found[1]
        if word.lower() not in NO_OPENING and not _NO_NAME.fullmatch(word):
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
    return _bare_word(found[0])


def _bare_word(word: str) -> str:
    return word.removesuffix("'s").rstrip(".'-")


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
_VARIANTS = "‘’‚“”„−‑"
_END = ".,;:!?'\"»*_"
_longest_first = partial(sorted, key=len, reverse=True)
_MONTH = "|".join(_longest_first(map(re.escape, MONTHS)))
_LATIN_SIGNS = "A-Za-z0-9_À-\u024f"
"""What an address in a text without spaces begins with."""
_LETTER = rf"[^\W{CJK}]"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?!\d)"
_SCALE = "|".join(_longest_first(SCALES))
_UNIT = "|".join(_longest_first(re.escape(unit) for unit in UNITS if not FOREIGN.match(unit)))
_SIGN_UNIT = "|".join(_longest_first(filter(FOREIGN.match, UNITS))).replace("年", r"(?<!\d{4})年")
"""Units behind which the next word begins without a space."""
_HALF_DAY = "凌晨|早上|上午|中午|下午|傍晚|晚上"
_HOURS = "(?:h|hrs?|hours?|std|stunden?|小时|小時)"
_MINUTES = "(?:m|mins?|minutes?|minuten?|分钟|分鐘|分)"
_SECONDS = "(?:s|secs?|seconds?|sekunden?|秒)"
_JOIN = r"\.?(?:,?\s(?:and|und)\s|,?\s?)"
_NUMBER = (
    r"(?<!/)\d{1,3}(?:[ '\u202f]\d{3})+(?:[.,]\d+)?(?!\d)|\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)"
    r"|\d{1,3}(?:\.\d{3})+(?:,\d+)?(?!\d)|\d+(?:[.,]\d+)?"
)
# What begins with a run of signs is looked for at the run's start only, and never longer than it can be: a ruler of
# dashes or dots would take time by the square of its length.
_FOUND = (
    # Nothing begins with these: without this, each space would be tried in all the ways below (`bench facts`).
    r"(?-i:(?=[^\s,;:!?()\"'\[\]{}*#|=<>]))(?:"
    r"(?P<hex>(?<![\w-])[a-f]{8,64}(?![\w@/:\\-]|\.\w))"
    r"|(?P<plain>(?-i:[a-zß-öø-ÿ]++(?![\w.@:/\\()'-])))"
    r"|(?P<url>(?:https?|ftp|file)://[^\s<>\"`]{1,2000}|\bwww\.[^\s<>\"`]{1,2000})"
    rf"|(?P<email>(?<![{_LATIN_SIGNS}.+-])[{_LATIN_SIGNS}.+-]{{1,64}}+@[\w-]++(?:\.[{_LATIN_SIGNS}-]++)+)"
    r"|`(?P<quoted>[^`\n]{1,160})`"
    r"|(?P<iso>(?<![A-Za-z0-9_.])(?:\d{4}-\d\d-\d\d|(?:19|20)\d\d-(?:0[1-9]|1[0-2])(?!-))(?!\d))(?:T(?=\d\d:))?"
    rf"|(?P<fromday>(?<![A-Za-z0-9_.]){_DAY}(?=\.?\s?(?:[-–]|to|and|bis|und)\s?{_DAY}\.?\s(?P<untilday>(?:{_MONTH})\b(?:\s+\d{{4}}\b)?)))"
    rf"|(?P<daymonth>(?<![A-Za-z0-9_.]){_DAY}(?:\.|st|nd|rd|th)?\s+(?:of\s+|de\s+)?(?:{_MONTH})\b(?:[.,]?\s+(?:de\s+)?\d{{4}}\b)?)"
    rf"|(?P<monthyear>\b(?:{_MONTH})\.?,?\s+(?:de\s+)?(?:19|20)\d\d\b)"
    # "In March 42 people came", and in March 12 as well: whoever names a day says "on".
    rf"|(?P<monthday>\b(?<!\bin\s)(?:{_MONTH})\.?\s+{_DAY}(?:st|nd|rd|th)?\b(?!:\d)(?:,?\s+\d{{4}}\b)?"
    rf"|\b(?:{_MONTH})\.?\s+{_DAY}(?:st|nd|rd|th)?,\s+\d{{4}}\b)"
    r"|(?P<signed>(?:(?:\d{4}|\d\d)\s?[年년]\s?)?\d{1,2}\s?[月월]\s?\d{1,2}(?:\s?[日号號일]|(?=\s?[-–~至到]\s?\d{1,2}[日号號]))|\d{4}\s?[年년]\s?\d{1,2}\s?[月월])"
    r"|(?P<numeric>(?<![A-Za-z0-9_./])(?:\d{1,2}\.\d{1,2}\.\d{2,4}|\d{1,4}/\d{1,2}/\d{1,4}|(?:0[1-9]|1[0-2])/(?:19|20)\d\d"
    r"|(?:0[1-9]|[12]\d|3[01])\.(?:0[1-9]|1[0-2])\.)(?![\w/]))"
    rf"|(?P<time>(?:(?:(?<![A-Za-z0-9_:.])|(?<=\D:))(?:{_HALF_DAY})?\s?|(?<=\dT))\d{{1,2}}:\d\d(?::\d\d(?:\.\d+)?)?(?:\s?[ap]\.?m\b\.?)?"
    r"|(?<![A-Za-z0-9_.])\d{1,2}(?:\.\d\d)?\s?[ap]\.?m\b|(?<![A-Za-z0-9_.])\d{1,2}(?:\.\d\d)?\s?Uhr\b"
    rf"|(?:{_HALF_DAY})\s?\d{{1,2}}\s?[点點时時](?:\s?\d{{1,2}}分?|半)?|(?<!\d)\d{{1,2}}[点點时時](?:\d{{1,2}}分?|半))"
    r"|(?P<path>(?<![\w/])(?:[A-Za-z]:\\|~/|\.{1,2}/|/(?=\w))[\w.@~+\\/-]+"
    rf"|(?<![{_LATIN_SIGNS}/.@+-])[{_LATIN_SIGNS}.@+-]++(?:/[\w.@+-]++){{2,}}/?"
    rf"|(?<![{_LATIN_SIGNS}/.@+-])[{_LATIN_SIGNS}@+-]++/[\w@+-]*+\.\w+)"
    rf"|(?P<phone>(?<![{_LATIN_SIGNS}.+-])\+?\d{{2,5}}(?:-\d{{2,6}}){{2,}}(?![{_LATIN_SIGNS}-]))"
    r"|(?P<flag>(?<![\w-])--?[A-Za-z][\w-]+|(?<![\w./@])@[A-Za-z][\w-]{2,}+(?!\w|[./@]\w))"
    r"|(?P<version>(?<![A-Za-z0-9_.])(?!\d{1,3}(?:\.\d{3}){2,}(?![\w.]))v?\d+(?:\.\d+){2,}(?:[-+][\w.]+)?|(?<![A-Za-z0-9_.])v\d+(?:\.\d+)*\b)"
    rf"|(?P<lasting>(?<![A-Za-z0-9_.])\d{{1,3}}\s?(?:{_HOURS}{_JOIN}\d{{1,2}}\s?{_MINUTES}(?:{_JOIN}\d{{1,2}}\s?{_SECONDS})?"
    rf"|{_MINUTES}{_JOIN}\d{{1,2}}\s?{_SECONDS})(?!{_LETTER}))"
    rf"|(?P<number>(?<![A-Za-z0-9_.])(?P<sign>(?:[$€£¥]|EUR|USD|GBP|CHF|JPY|CNY|RMB)\s?)?(?<![\d.])-?(?P<digits>{_NUMBER})"
    rf"(?:[ \u202f-]?(?P<scale>[千万萬만亿億억]|(?:{_SCALE})(?!{_LETTER})(?:\.(?=\s[$€£¥]))?))?"
    r"(?:(?:[ \u202f]|-(?=[^\W\d_]{3}))?"
    rf"(?P<unit>%|{_SIGN_UNIT}|(?:{_UNIT})(?!{_LETTER}))|(?P<nth>st|nd|rd|th)\b|x\b)?"
    r"(?:[LU]\b)?(?![A-Za-z_]))"
    rf"|(?P<word>[^\W_{CJK}](?:[^\W{CJK}]|[-.'](?=[^\W{CJK}]))*(?:\(\))?))"
)
_GROUPED = r"\d{1,3}(?:,\d{3})+"
_THOUSANDS = re.compile(rf"(?<![\d,]){_GROUPED}(?![\d,])")
_FIELD = re.compile(rf"((?<=[{CJK}]){_GROUPED}(?![\d,])|(?<![\d,]){_GROUPED}(?=\s?[{CJK}]))|,")
"""A comma of a row, or a number that is no field of its own: it stands in words without spaces."""
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
_UNIT_AFTER = re.compile(rf"({_SIGN_UNIT})|[ \u202f-]([^\W\d_]{{2,}})")
_MINUS = re.compile(r"(?:\bminus |零下|负)$", re.IGNORECASE)
_HOUR = re.compile(r"[点點时時]|\s?(?:bis|to|and|und|[-–])\s?\d{1,2}(?::\d\d)?\s?(?:Uhr|[ap]\.?m)\b")
_DAY_OF = re.compile(r"\b(?:am|vom|zum|bis|ab|den|dem|der) $")
_ZEROS = re.compile(r"0\d{2,}")
"""A number that begins with zeros is an identifier, a telephone's or a parcel's."""
_LATIN = re.compile(_LETTER)
_FIGURE = re.compile(r"(?:(?<=\w\w\w)|[.,])[.,]? \d")
_LETTERS = re.compile(r"[^\W\d_]")


@cache
def _finder() -> re.Pattern[str]:
    """The pattern for all facts, compiled on first use because that takes as long as importing a dozen modules."""
    return re.compile(_FOUND, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact as it is written, and the normalised forms that it is compared by.

    `keys` are several where a number is ambiguous (1,234 differs by country); `bare` are looser forms: a number without
    its unit, a date without its year. `span` is its place in the cleaned text.
    """

    kind: FactKind
    text: str
    keys: frozenset[str]
    bare: frozenset[str] = frozenset()
    span: tuple[int, int] = field(default=(0, 0), compare=False)


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
        return cleaned(self.text)

    @cached_property
    def found(self) -> tuple[Fact, ...]:
        facts: dict[tuple[FactKind, frozenset[str]], Fact] = {}
        for fact in self.placed:
            for one in _words_of(fact) if fact.kind == "name" else (fact,):
                facts.setdefault((one.kind, one.keys), one)
        return tuple(facts.values())

    @cached_property
    def placed(self) -> tuple[Fact, ...]:
        """Every mention of a fact with its place; a name of several words is one."""
        return (*_facts(self.clean, self.known, self.language), *self._spelled[0])

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
            fact = replace(_spelled_number(one, self.clean), span=(one.end - len(one.text), one.end))
            (sure if one.sure else unsure).append(fact)
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
            fact.kind in ("name", "code") and any(True for _ in words_at(self.clean, fact.text))
        )


def cleaned(text: str) -> str:
    """The text with characters normalised: variants of signs, quotes and widths do not make another fact."""
    if text.isascii():
        return text
    # A wide comma has its space within: without one, commas would part the fields of a row, and an address not end.
    clean = unicodedata.normalize("NFKC", text.replace("…", " ").replace("，", ", ").replace("；", "; "))
    # Translating a long text takes longer than all else here, and few have a variant.
    return clean.translate(_QUOTES) if any(sign in clean for sign in _VARIANTS) else clean


def facts_in(text: str) -> tuple[Fact, ...]:
    """Every fact of a text once, in order."""
    return FactsOf(text).found


def is_word(sign: str) -> bool:
    """Whether a sign belongs to a word of letters with spaces around it."""
    return bool(sign) and _LATIN.match(sign) is not None


def words_at(text: str, words: str, joins: Callable[[str], bool] = is_word) -> Iterator[tuple[int, int]]:
    """Where a text has words, at the boundaries of words."""
    at = text.find(words) if words else -1
    first, last = joins(words[:1]), joins(words[-1:])
    while at >= 0:
        end = at + len(words)
        torn = (at and first and joins(text[at - 1])) or (last and joins(text[end : end + 1]))
        if not torn:
            yield at, end
        at = text.find(words, at + 1)


def _facts(clean: str, known: frozenset[str], language: str) -> Iterator[Fact]:
    bare = _LIST_MARK.sub(lambda found: " " * len(found[0]), clean)
    words: list[re.Match[str]] = []
    plain, foreign = 0, FOREIGN.search(bare) is not None
    for found in _finder().finditer(bare):
        if found.lastgroup not in ("plain", "word"):
            yield from _by_notation(found, language)
        elif calendar := _calendar(found):
            yield Fact("date", found[0], frozenset({calendar}), span=found.span())
        elif found.lastgroup == "plain" and not foreign:
            plain += 1
        else:
            code = _identifier(found[0])
            if code is not None:
                yield replace(code, span=found.span())
            else:
                words.append(found)
    for run in Names(bare, words, plain, known, language).runs():
        start, end = run[0].start(), run[-1].start() + len(_word(run[-1]))
        name = bare[start:end]
        yield Fact("name", name, frozenset({f"w:{name}"}), span=(start, end))


def _words_of(name: Fact) -> Iterator[Fact]:
    """A name's words: another text may have one of them alone, or in another order."""
    return (Fact("name", word, frozenset({f"w:{word}"})) for word in map(_bare_word, name.text.split(" ")))


def facts_between(clean: str, start: int, end: int, language: str) -> Iterator[Fact]:
    """The numbers, dates and times in a line of a cleaned text, those in words among them, with their places."""
    line = clean[start:end]
    if _is_row(line):
        line = _FIELD.sub(lambda comma: comma[1] or ";", line)
    facts = [fact for found in _finder().finditer(line) for fact in _of_value(found, language)]
    facts += [
        replace(_spelled_number(one, line), span=(one.end - len(one.text), one.end))
        for one in numerals(line, language)
    ]
    return (replace(fact, span=(start + fact.span[0], start + fact.span[1])) for fact in facts)


def _of_value(found: re.Match[str], language: str) -> Iterable[Fact]:
    if found.lastgroup not in ("plain", "word"):
        return _by_notation(found, language)
    calendar = _calendar(found)
    return (Fact("date", found[0], frozenset({calendar}), span=found.span()),) if calendar else ()


def _calendar(found: re.Match[str]) -> str | None:
    """The key of a month or a weekday; a short one only before a figure, as in "Tue 9 June"."""
    short = SHORT_DAYS.get(found[0]) if _FIGURE.match(found.string, found.end()) else None
    return short or CALENDAR.get(found[0].lower())


def _is_row(line: str) -> bool:
    """Whether commas separate the fields of a row, and not the thousands of a number."""
    commas = line.count(",")
    if commas < 2 or line.count(" ") > commas or ", " in line or line.count(";") > 1:
        return False
    return "," in _THOUSANDS.sub("", line)


def _by_notation(found: re.Match[str], language: str) -> Iterator[Fact]:
    """The facts recognised by their notation alone."""
    text = found[0].rstrip(_END) if not found["quoted"] else found["quoted"].strip()
    at = found.start("quoted" if found["quoted"] else 0)
    for fact in _noted(found, text, language):
        yield replace(fact, span=(at, at + len(fact.text)))


def _noted(found: re.Match[str], text: str, language: str) -> Iterator[Fact]:
    kind = found.lastgroup or ""
    if kind == "url":
        url = _without_outer_bracket(text)
        yield Fact("url", url, frozenset({f"u:{url.rstrip('/')}"}))
    elif kind == "email":
        yield Fact("email", text, frozenset({f"u:{text.lower()}"}))
    elif kind == "quoted":
        yield from _quoted(text, language)
    elif kind in ("path", "flag", "hex", "phone"):
        yield _code(text)
    elif kind == "version":
        yield Fact("number", text, frozenset({f"v:{text.lower().lstrip('v')}"}))
    elif kind == "time":
        yield _time_of(found[0])
    elif kind == "lasting":
        yield _lasting(text)
    elif kind == "number":
        yield _code(text) if _ZEROS.fullmatch(found["digits"]) else _number(found, language)
    else:
        yield _date(found, language)


def _time_of(written: str) -> Fact:
    """A time; of one in words without its half of the day, that of either: 6点半."""
    key = _time(written.lower())
    either = written[0].isdecimal() and not written.isascii() and int(key[2:4]) < 12
    keys = {key, f"t:{int(key[2:4]) + 12}{key[4:]}"} if either else {key}
    return Fact("time", written, frozenset(keys), frozenset({key[:7], key[:10]} - keys))


def _lasting(text: str) -> Fact:
    """The time that something lasts, in seconds: 1m 48s are 108 s."""
    total = 0
    for part in re.findall(r"\d+", text):
        total = 60 * total + int(part)
    key = f"n:{total if re.search(rf'{_SECONDS}$', text.lower()) else 60 * total} s"
    return Fact("number", text, frozenset({key}), frozenset({key}))


def _time(written: str) -> str:
    """The key of a time of day: 3 pm is 15:00, and so is 下午3点."""
    hour, *rest = re.findall(r"\d+", written)
    if "半" in written:
        rest = ["30"]
    half = re.match(_HALF_DAY, written)
    second = (
        half is not None and half[0] in "中午|下午|傍晚|晚上" and not (half[0] == "中午" and int(hour) > 2)
    )
    after = ("p" in written or second) and int(hour) < 12
    midnight = ("a" in written or (half is not None and half[0] == "凌晨")) and int(hour) == 12
    rest = [one.rjust(2, "0") for one in rest]
    return ":".join([f"t:{int(hour) + 12 * after - 12 * midnight:02}", *(rest or ["00"])])


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
    after = _UNIT_AFTER.match(text, one.end, one.end + 24)
    unit = UNITS.get((after[1] or after[2]).lower()) if after and one.value < 1000 else None
    bare = frozenset({f"n:{one.value}"})
    return Fact("number", one.text, frozenset({f"n:{one.value} {unit}"}) if unit else bare, bare)


def _number(found: re.Match[str], language: str) -> Fact:
    sign, unit = (found["sign"] or "").strip(), found["unit"] or ""
    named = UNITS.get(unit) or UNITS.get(unit.lower()) or UNITS.get(unit.upper()) or ""
    named = UNITS.get(sign.upper(), named)
    signed = "-" in found[0][: found.start("digits") - found.start()]
    minus = "-" if signed or _MINUS.search(found.string, max(0, found.start() - 6), found.start()) else ""
    values = {minus + value for value in values_of(found["digits"])}
    zeros = zeros_of(found["scale"].rstrip("."), language) if found["scale"] else 0
    whole = {_scaled(value, zeros) for value in values}
    bare = frozenset(f"n:{value}" for value in values | whole)
    keys = frozenset(f"n:{value} {named}".rstrip() for value in whole)
    return Fact("number", found[0].strip(), keys.union(_calendar_keys(found, values)), bare)


def _calendar_keys(found: re.Match[str], values: Iterable[str]) -> Iterator[str]:
    """What a number may be in a calendar: a day (16日, the 16th, am 16.), or an hour (9点, from 9 to 5 pm)."""
    (value, *others), text, end = values, found.string, found.end()
    if others or found["unit"] or not value.isdecimal() or len(value) > 2:
        return
    ordinal = text[end : end + 1] == "." and _DAY_OF.search(text, max(0, found.start() - 5), found.start())
    if found["nth"] or ordinal or text[end : end + 1] in ("日", "号", "號"):
        yield f"dd:{int(value)}"
    elif _HOUR.match(text, end):
        yield from (f"t:{hour:02}:00" for hour in (int(value), int(value) + 12) if hour < 24)


def _scaled(value: str, zeros: int) -> str:
    """A decimal number with its point moved by `zeros` places, without a float's rounding."""
    if not zeros:
        return value
    whole, _, part = value.partition(".")
    part = part.ljust(zeros, "0")
    minus, whole = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
    return minus + _shortest(f"{whole}{part[:zeros]}.{part[zeros:]}")


def values_of(digits: str) -> set[str]:
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


def _date(found: re.Match[str], language: str) -> Fact:
    text = found[0].rstrip(_END + "T")
    written = f"{text} {found['untilday']}" if found["fromday"] else text
    numbers = re.findall(r"\d+", written)
    if found["iso"]:
        return _day_of(text, [numbers])
    if found["signed"]:
        day = [] if re.search("[월월月]$", text) else [numbers.pop()]
        return _day_of(text, [(*([""] * (2 - len(numbers))), *numbers, *day)])
    if found["numeric"] and len(numbers) == 2:
        if "." not in text:
            return _day_of(text, [(numbers[1], numbers[0])])
        dotted = _day_of(text, [("", numbers[1], numbers[0])])
        # Where nobody writes a day so, it is a number at the end of a sentence.
        return (
            dotted
            if language == "de"
            else replace(dotted, keys=dotted.keys | {f"n:{_shortest('.'.join(numbers))}"})
        )
    if found["numeric"]:
        return _day_of(text, _readings(numbers, "." in text))
    month = next(number for word in re.findall(r"[^\W\d_]+", written.lower()) if (number := MONTHS.get(word)))
    year = next((one for one in numbers if len(one) == 4), "")
    day = [one for one in numbers if one != year][:1]
    return _day_of(text, [(year, str(month), *day)])


def _readings(numbers: Sequence[str], dotted: bool) -> list[tuple[str, str, str]]:
    """What a date in figures may mean, as year, month, day: with slashes, countries differ."""
    one, two, three = numbers
    if len(one) > 2:
        return [(one, two, three)]
    year = three if len(three) > 2 else f"20{three}"
    both = [(year, two, one)] if dotted else [(year, two, one), (year, one, two)]
    return [reading for reading in both if int(reading[1]) <= 12] or both


def _day_of(text: str, readings: Iterable[Sequence[str]]) -> Fact:
    """A date by year, month and day: the day is missing of a month, the year where it is not said."""
    keys: set[str] = set()
    bare: set[str] = set()
    for year, month, *day in readings:
        rest = "-".join(f"{int(one):02}" for one in (month, *day))
        keys.add(f"d:{year}-{rest}" if year else f"d:{rest}")
        bare |= {f"m:{int(month)}", *(f"dd:{int(one)}" for one in day)}
        if year:
            bare |= {f"n:{int(year)}", f"d:{year}-{int(month):02}", f"d:{rest}"} - {f"d:{int(month):02}"}
    return Fact("date", text, frozenset(keys), frozenset(bare - keys))


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
