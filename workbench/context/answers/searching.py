"""Looks for one fact in one text of a request: quickly where it is not, exactly where it may be.

A request is a hundred times as long as an answer, so its facts are not found first: what the answer states is looked
for in the ways it may be written, and only the lines that have one of them are read.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from functools import cached_property
from itertools import islice
from string import digits
from typing import NamedTuple

from workbench.context.answers.said import TITLES, Said, SaidKind, quoted_parts
from workbench.context.shorten.facts import FOREIGN, Fact, cleaned, facts_between, is_word, words_at
from workbench.context.shorten.numerals import CALENDAR, MONTHS, SHORT_DAYS, UNITS, words_for

MOST_PLACES_IN_ONE = 24
"""Places in one text that are looked at: a number that stands in more of them is everywhere."""
WINDOW = 160
"""How much of a very long line is read on either side of a fact."""
Span = tuple[int, int]
Keys = frozenset[str]
_DIGITS = re.compile("[0-9]+")
_ASCII = bytes(range(128))
_NO_DIGITS = bytes(sign if chr(sign) in digits else 32 for sign in range(256))
_WORD = re.compile(r"[^\W_]+")
_SCALE_ZEROS = (3, 4, 6, 8, 9, 12)
_NAME_GAP = r"(?:[^\w,;]{1,4}|,|[^\w,;]{1,3}(?:\w{1,3}\.?|[A-Z]\w+)[^\w,;]{1,3})"
_NAMED_UNIT = re.compile(
    r"_(ms|s|sec|seconds?|min|minutes|h|hours|days|kb|mb|gb|g|kg|m|km|cm|mm)\b[^\d\n;]{1,24}$", re.IGNORECASE
)
"""A unit that a name ends in, before its value: `LOCK_TIMEOUT_MS = 15000`."""
_RANGE = re.compile(r"\s?(?:and|to|or|auf|bis|und|oder|[-–~至到])\s?\d[\d.,]*\s?([^\W\d_]+|[%€£$])")
"""After the first of two amounts with one unit: 48 and 54 percent."""
_SHORT_SIZE = re.compile(r"(\d+)([kmgt])", re.IGNORECASE)
"""A size as it stands in settings: 25m."""
_EXACT = re.compile(r"n:(?=\d{4})\d+[1-9]0* ")
_LONG = re.compile(r"\.\d{4}")
_SIGNS = ("", "一十", "二两兩", *"三四五六七八九")
"""What a Chinese number begins with, by its first digit."""
EQUAL_UNITS: tuple[Mapping[str, Decimal], ...] = (
    {"ms": Decimal("0.001"), "s": Decimal(1), "min": Decimal(60), "h": Decimal(3600), "day": Decimal(86400),
     "week": Decimal(604800)},
    {"month": Decimal(1), "year": Decimal(12)},
    {"KB": Decimal(1), "MB": Decimal(1024), "GB": Decimal(1024**2)},
    {"B": Decimal(1), "KiB": Decimal(1024), "MiB": Decimal(1024**2), "GiB": Decimal(1024**3)},
    {"Hz": Decimal(1), "kHz": Decimal(1000), "MHz": Decimal(10**6), "GHz": Decimal(10**9)},
    {"B": Decimal("0.001"), "KB": Decimal(1), "MB": Decimal(1000), "GB": Decimal(10**6), "TB": Decimal(10**9)},
    {"mm": Decimal("0.001"), "cm": Decimal("0.01"), "m": Decimal(1), "km": Decimal(1000)},
    {"mg": Decimal("0.001"), "g": Decimal(1), "kg": Decimal(1000)},
    {"ml": Decimal("0.001"), "l": Decimal(1)},
    {"W": Decimal(1), "kW": Decimal(1000)},
)  # fmt: skip


class Form(NamedTuple):
    """A way in which a fact may be written.

    `needs` are runs of digits or words that a text must have for it, a cheap test; `pattern` is how it looks then, or
    `literal` words: compiling a pattern for each number would take longer than all searching. With neither, the whole
    text is looked through in the way of its kind. `month` must be named, in any language, and right before `pattern`
    where it is `after_month`.
    """

    needs: tuple[str, ...]
    pattern: str = ""
    month: int = 0
    literal: str = ""
    after_month: bool = False

    @property
    def by_value(self) -> bool:
        return bool(self.pattern or self.literal)


class SearchedText:
    """A text in the forms it is searched in; `digits` are its runs of digits."""

    def __init__(self, text: str) -> None:
        self.text = text
        clean = self.clean = cleaned(text)
        # In bytes, what is done to each sign takes a fifth of the time (`bench facts`).
        raw = clean.encode("utf-8", "replace")
        others = raw.translate(None, _ASCII).decode()
        self.foreign = bool(others) and FOREIGN.search(others) is not None
        lowered = raw.lower().decode() if others.lower() == others else clean.lower()
        self.lowered = lowered if len(lowered) == len(clean) else clean
        self.digits = frozenset(raw.translate(_NO_DIGITS).decode().split())
        self._facts: dict[Span, tuple[Fact, ...]] = {}
        self._months: dict[int, list[int]] = {}

    @cached_property
    def line_starts(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer("\n", self.clean))]

    @cached_property
    def lines(self) -> Mapping[str, int]:
        """Its lines without indentation, and where each begins first."""
        found: dict[str, int] = {}
        for start, line in zip(self.line_starts, self.clean.split("\n"), strict=True):
            found.setdefault(line.strip(), start + len(line) - len(line.lstrip()))
        return found

    def has(self, form: Form) -> bool:
        """Whether the text may have a fact in this form."""
        for need in form.needs:
            if need not in (self.digits if need.isdecimal() else self.lowered):
                return False
        return not form.month or bool(self.after_month(form.month))

    def after_month(self, month: int) -> list[int]:
        """Where the names of a month end; asked often, and nearly always of the same few months."""
        found = self._months.get(month)
        if found is None:
            names = (name for name, number in MONTHS.items() if number == month)
            found = self._months[month] = [end for name in names for _, end in words_at(self.lowered, name)]
        return found

    def places(self, said: Said, forms: Iterable[Form]) -> tuple[Span, ...]:
        """Where a fact stands in one of these forms, in order; of a very common one only the first places."""
        return tuple(islice(_places(self, said, forms), MOST_PLACES_IN_ONE))

    def line_number(self, at: int) -> int:
        """The line of a place, counted from 1."""
        return bisect_right(self.line_starts, at)

    def line_of(self, at: int) -> Span:
        """The line that a place is in; of a very long one, the part around it."""
        number = self.line_number(at)
        start = self.line_starts[number - 1]
        end = self.line_starts[number] - 1 if number < len(self.line_starts) else len(self.clean)
        return max(start, at - WINDOW), min(end, at + WINDOW)

    def facts_near(self, at: int, language: str) -> tuple[Fact, ...]:
        """The numbers, dates and times in a place's line."""
        line = self.line_of(at)
        found = self._facts.get(line)
        if found is None:
            found = self._facts[line] = tuple(facts_between(self.clean, *line, language))
        return found

    def shared_words(self, span: Span, words: frozenset[str]) -> int:
        """How many of these words a place's line has."""
        return len(words.intersection(_WORD.findall(self.lowered, *self.line_of(span[0]))))


def _places(text: SearchedText, said: Said, forms: Iterable[Form]) -> Iterator[Span]:
    for form in forms:
        yield from _by_value(text, said, form) if form.by_value else _LOOKS[said.kind](text, said)


def _name(text: SearchedText, said: Said) -> Iterator[Span]:
    words = [
        word
        for word in cleaned(said.text).removesuffix("'s").split()
        if word.lower().rstrip(".") not in TITLES
    ]
    places = list(islice(_words_in_row(text, words), MOST_PLACES_IN_ONE))
    # A list of people has the family name first: Berg, Anna.
    last_first = (f"{words[-1]},", *words[:-1]) if len(words) > 1 else ()
    places = places or list(islice(_words_in_row(text, last_first), MOST_PLACES_IN_ONE))
    # "Ihr Vater Lothar Berg": a noun before a name of two words.
    yield from places or _words_in_row(text, words[1:] if len(words) > 2 else ())


def _words_in_row(text: SearchedText, words: Sequence[str]) -> Iterator[Span]:
    """Where a text has words one after the other, with little between them."""
    if not words:
        return
    first = words[0].lower()
    rest = re.compile(
        "".join(_NAME_GAP + re.escape(word) for word in words[1:]) + r"(?:'s|s)?(?!\w)", re.IGNORECASE
    )
    at = text.lowered.find(first)
    while at >= 0:
        found = rest.match(text.clean, at + len(first))
        joined = (
            found is None
            and text.foreign
            and len(words) == 1
            and not is_word(text.clean[at + len(first) :][:1])
        )
        if (found or joined) and not (at and is_word(text.clean[at - 1])):
            yield at, found.end() if found else at + len(first)
        at = text.lowered.find(first, at + 1)


def _code(text: SearchedText, said: Said) -> Iterator[Span]:
    words = cleaned(said.text).strip("`").removesuffix("()").removeprefix("./")
    if not words:
        return
    places = list(islice(words_at(text.clean, words), MOST_PLACES_IN_ONE))
    if not places and words.isalnum():  # kWh of Verbrauch_kWh, PostgreSQL of /var/lib/postgresql
        places = list(islice(words_at(text.lowered, words.lower(), str.isalnum), MOST_PLACES_IN_ONE))
    if places:
        yield from places
    elif len(words.split()) > 1:
        pattern = r"\s+".join(map(re.escape, words.split()))
        yield from (found.span() for found in re.finditer(pattern, text.clean))
    elif re.fullmatch(r"\w+(?:\.\w+)+", words):
        # A method is written with its class, or with what it is called on, in one of the two texts only.
        parts = [next(words_at(text.clean, part), None) for part in words.split(".")]
        ending = re.escape(words[words.rindex(".") :])
        is_file = re.search(rf"\w{ending}\b", text.clean) is not None and not said.text.endswith("()")
        if None not in parts and parts[-1] is not None and not is_file:
            yield parts[-1]


def _address(text: SearchedText, said: Said) -> Iterator[Span]:
    words = cleaned(said.text).lower().rstrip("/")
    for start, end in words_at(text.lowered, words):
        after = text.lowered[end : end + 2]
        longer = re.match(r"[/?#=&.-]\w", after) if said.kind == "url" else re.match(r"[-.]\w", after)
        before = said.kind == "email" and start and text.lowered[start - 1] in ".+-"
        if not (longer or before):
            yield start, end


def _quotation(text: SearchedText, said: Said) -> Iterator[Span]:
    at, places = 0, []
    for part in quoted_parts(said.text):
        words = _WORD.findall(cleaned(part).lower())
        found = re.compile(r"[\W_]{1,12}".join(map(re.escape, words))).search(text.lowered, at)
        if found is None:
            return
        places.append(found.span())
        at = found.end()
    yield from places[:1]


def _line(text: SearchedText, said: Said) -> Iterator[Span]:
    words = cleaned(said.text)
    at = text.lines.get(words)
    if at is not None:
        yield at, at + len(words)


def _by_value(text: SearchedText, said: Said, form: Form) -> Iterator[Span]:
    """A number, a date or a time in one form, where the line really has that value."""
    fact = said.fact
    assert fact is not None
    wanted = fact.keys | _converted(fact)
    # What is so exact is meant, even where no unit stands beside it: 3600 is an hour.
    plain = fact.bare.union(key.partition(" ")[0] for key in wanted if _EXACT.match(key))
    for start, end in islice(_spots(text, form), 4 * MOST_PLACES_IN_ONE):
        for near in text.facts_near(start, said.language):
            overlaps = near.span[0] < end and start < near.span[1]
            if overlaps and _is_same(text, near, fact, wanted, plain):
                yield near.span


def _spots(text: SearchedText, form: Form) -> Iterator[Span]:
    """Where a text has the signs of a form."""
    if form.literal:
        return words_at(text.lowered, form.literal, str.isdigit)
    pattern = re.compile(form.pattern)
    if form.after_month:
        found = (pattern.match(text.lowered, at) for at in text.after_month(form.month))
        return (one.span() for one in found if one is not None)
    return (one.span() for one in pattern.finditer(text.lowered))


def _is_same(text: SearchedText, near: Fact, fact: Fact, wanted: Keys, plain: Keys) -> bool:
    if not wanted.isdisjoint(near.keys | near.bare):
        return True
    if fact.kind == "number":
        named = _NAMED_UNIT.search(text.clean, max(0, near.span[0] - WINDOW), near.span[0])
        short = _SHORT_SIZE.fullmatch(near.text)
        days = text.clean[near.span[1] :].lstrip(" ")[:1] == "日"
        on = _RANGE.match(text.clean, near.span[1])
        units = [_unit_of(named[1]) if named else "", "day" if days else "", _unit_of(on[1]) if on else ""]
        amounts = {f"{key} {unit}" for key in near.keys for unit in units}
        if short is not None:
            amounts.add(f"n:{short[1]} {short[2].upper()}B")
        if not wanted.isdisjoint(amounts):
            return True
        # A figure in code or in a table has its unit elsewhere, if anywhere; a word behind it would be another one.
        bare = not near.bare.isdisjoint(near.keys) and not near.keys.isdisjoint(plain)
        return bare and not re.compile(r" ?[^\W\d_]").match(text.clean, near.span[1])
    # A date without its year, in a text that names the year elsewhere.
    return any(key[7:] and f"d:{key[7:]}" in near.keys and key[2:6] in text.digits for key in fact.keys)


def _converted(fact: Fact) -> frozenset[str]:
    """The same amount in other units: 5 s are 5,000 ms."""
    found: set[str] = set()
    for key in fact.keys:
        value, _, unit = key.removeprefix("n:").partition(" ")
        for units in EQUAL_UNITS:
            if unit in units:
                base = Decimal(value) * units[unit]
                amounts = ((_plain(base / size), other) for other, size in units.items() if other != unit)
                # Nobody writes five milliseconds as a part of a week.
                found |= {f"n:{amount} {other}" for amount, other in amounts if not _LONG.search(amount)}
    return frozenset(found)


def _unit_of(name: str) -> str:
    return UNITS.get(name) or UNITS.get(name.lower()) or UNITS.get(name.upper()) or ""


def _plain(value: Decimal) -> str:
    written = f"{value:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def forms_of(said: Said) -> tuple[Form, ...]:
    """The ways in which a fact may be written in figures or words of its own."""
    if said.fact is not None and said.kind in _BY_VALUE:
        keys = sorted(said.fact.keys | _converted(said.fact))
        found = (
            form for kind, _, value in (key.partition(":") for key in keys) for form in _FORMS[kind](value)
        )
        return tuple(dict.fromkeys(found))
    words = _WORD.findall(cleaned(said.text).lower())
    if said.kind == "name":
        words = [word for word in words if word not in TITLES]
    # Figures first: few texts have them, and which is known.
    figures = [run for word in words for run in _DIGITS.findall(word) if len(run) > 1]
    if said.kind != "name" or len(words) > 2:
        words = [max(words, key=len, default="")]
    return (Form((*figures[:1], *words) if said.kind != "line" else ()),)


def spelled_forms(said: Said) -> tuple[Form, ...]:
    """The ways in which a number may be written in words."""
    if said.fact is None or said.kind != "number":
        return ()
    keys = said.fact.keys | _converted(said.fact)
    values = {key.removeprefix("n:").partition(" ")[0] for key in keys}
    whole = [value for value in sorted(values) if value.isdecimal() and value != "0"]
    words = {word for value in whole for word in words_for(int(value[:18]))}
    signs = {sign for value in whole for sign in _SIGNS[int(value[0])]}
    return (
        *(Form((word,), rf"{word}\w*") for word in sorted(words)),
        *(Form((sign,), literal=sign) for sign in sorted(signs)),
    )


def _number_forms(value: str) -> Iterator[Form]:
    written, _, unit = value.partition(" ")
    yield from _figures(written)
    lasts = int(written) if unit == "s" and written.isdecimal() and len(written) < 9 else 0
    for more, less in ((lasts // 3600, lasts // 60 % 60), (lasts // 60, lasts % 60)):
        if more and less:
            yield Form((f"{more}", f"{less}"), rf"{more}[^\d\n]{{1,12}}{less}\s?[^\W\d]")
    digits = written.lstrip("-").replace(".", "").strip("0")
    if len(digits) > 4 or len(written.partition(".")[0]) < 4 or "E" in written:
        return
    for zeros in _SCALE_ZEROS:
        short = _plain(Decimal(written).scaleb(-zeros))
        if Decimal(short) >= 1 or digits == "5":
            yield from _figures(short)


def _figures(written: str) -> Iterator[Form]:
    try:
        whole, _, part = _plain(abs(Decimal(written))).partition(".")
    except InvalidOperation:
        return
    groups = [whole[: len(whole) % 3], *(whole[at : at + 3] for at in range(len(whole) % 3, len(whole), 3))]
    groups = [group for group in groups if group]
    parts = [f"{part}{'0' * more}" for more in range(3)] if part else [""]
    for end in parts:
        tail = (end,) if end else ()
        for figure in (f"{whole}.{end}", f"{whole},{end}") if end else (whole,):
            yield Form((whole, *tail), literal=figure)
        if len(groups) > 1:
            after = rf"[.,]{end}(?!\d)" if end else r"(?!\d)"
            yield Form((*groups, *tail), r"[,.' \u202f]".join(groups) + after)


def _date_forms(value: str) -> Iterator[Form]:
    parts = value.split("-")
    year = parts.pop(0) if len(parts[0]) == 4 else ""
    month, day = int(parts[0]), int(parts[1]) if len(parts) > 1 else 0
    names = "|".join(re.escape(name) for name, number in MONTHS.items() if number == month)
    for short in (f"{month}", f"{month:02}") if year else ():
        after = rf"\s?[-/.月월]\s?0?{day}(?!\d)" if day else r"(?!\d)"
        yield Form((year, short), rf"{year}\s?[-/.年년]\s?{short}" + after)
    if not day:
        yield Form((year,), rf"\.?,?\s+(?:de\s+)?{year}", month, after_month=True)
        yield Form((year, f"{month:02}"), literal=f"{month:02}/{year}")
        return
    for shown in dict.fromkeys((f"{day}", f"{day:02}")):
        for other in dict.fromkeys((f"{month}", f"{month:02}")):
            yield Form((shown, other), rf"{shown}[./-]{other}(?!\d)")
            yield Form((shown, other), rf"{other}\s?[./月월-]\s?{shown}(?!\d)")
        yield Form((shown,), rf"{shown}(?:\.|st|nd|rd|th)?\s+(?:of\s+|de\s+)?(?:{names})", month)
        until = r"\.?\s?(?:[-–]|to|and|bis|und)\s?\d{1,2}"
        yield Form((shown,), rf"{shown}{until}\.?\s(?:{names})", month)
        yield Form((shown,), rf"\.?\s+{shown}(?!\d)", month, after_month=True)


def _time_forms(value: str) -> Iterator[Form]:
    hour, *rest = value.split(":")
    for one in sorted({str(int(hour)), hour, str(int(hour) % 12 or 12)}):
        yield Form((one, *rest), literal=":".join([one, *rest]))
        yield Form((one, *rest, "uhr"), rf"{one}\.{rest[0]}\s?uhr")
        if rest == ["00"]:
            yield Form((one,), one + r"\s?[ap]\.?m")
            yield Form((one, "uhr"), one + r"\s?uhr")
        after = {"00": "", "30": "(?:半|30)"}.get(rest[0], rest[0])
        yield from (Form((one, sign), rf"{one}\s?{sign}\s?{after}") for sign in "点點时時")


def _month_forms(value: str) -> Iterator[Form]:
    yield from (
        Form((word,), literal=word)
        for word, number in MONTHS.items()
        if str(number) == value and len(word) > 2
    )
    yield from (Form((form,), rf"{form}\s?[-月월]") for form in (value, f"{int(value):02}"))
    yield Form((f"{int(value):02}",), rf"\d{{4}}-{int(value):02}(?![\d-])")


def _weekday_forms(value: str) -> Iterator[Form]:
    named = {word.lower(): key for word, key in SHORT_DAYS.items()} | CALENDAR
    return (Form((word,), literal=word) for word, key in named.items() if key == f"wd:{value}")


_BY_VALUE = ("number", "date", "time")
_FORMS: Mapping[str, Callable[[str], Iterator[Form]]] = {
    "n": _number_forms,
    "d": _date_forms,
    "t": _time_forms,
    "m": _month_forms,
    "wd": _weekday_forms,
    "dd": lambda value: (Form((one,), literal=one) for one in (value, f"{int(value):02}")),
    "v": lambda value: iter([Form(tuple(_DIGITS.findall(value)), literal=value)]),
}
_LOOKS: Mapping[SaidKind, Callable[[SearchedText, Said], Iterator[Span]]] = {
    "name": _name,
    "code": _code,
    "path": _code,
    "url": _address,
    "email": _address,
    "quotation": _quotation,
    "line": _line,
}


def fitting(text: SearchedText, places: Sequence[Span], around: frozenset[str]) -> Span:
    """The place whose line shares most words with the answer's sentence."""
    return places[0] if len(places) == 1 else max(places, key=lambda span: text.shared_words(span, around))
