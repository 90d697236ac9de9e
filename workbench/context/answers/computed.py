"""Numbers of an answer that follow from others: a sum, a difference, a product, a quotient, a share, a whole column."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from itertools import combinations, islice, permutations

from workbench.context.answers.said import Said, sentence_starts
from workbench.context.answers.searching import SearchedText
from workbench.context.shorten.facts import Fact, facts_between, values_of
from workbench.domain.answer_facts import AnswerFact, FactPlace

LEAST_COMPUTED = 13
"""Smaller whole numbers follow from nearly anything."""
_MOST_OPERANDS = 12
_MOST_ROWS = 2_000
_MOST_BESIDE = 24
_MOST_TABLE_PLACES = 400
_PRODUCT = re.compile(r"(\d[\d.,]*)\s?[×x*]\s?(\d[\d.,]*)\s?[^\d=\n]{0,8}[=|]\W*$")
"""A product as it is written out, right before its result."""
_SEPARATORS = "|\t;,"
Row = Callable[[FactPlace], tuple[SearchedText, int]]


@dataclass(frozen=True, slots=True)
class Operand:
    """A number with its unit, as it is written."""

    value: Decimal
    unit: str
    text: str


class Computing:
    """Explains absent numbers of an answer by the numbers around them."""

    def __init__(self, answer: str, looked: Sequence[tuple[Said, AnswerFact]], row: Row) -> None:
        self._answer, self._starts = answer, sentence_starts(answer)
        self._looked, self._row = looked, row
        self._there: dict[int, list[tuple[Said, AnswerFact]]] = {}
        for one, fact in looked:
            if fact.where:
                self._add(one, fact)

    def _add(self, said: Said, fact: AnswerFact) -> None:
        for sentence in {self._sentence(span[0]) for span in said.spans}:
            self._there.setdefault(sentence, []).append((said, fact))

    def how(self, said: Said) -> str:
        """How a number follows from others, such as "900 − 30"; empty where it does not."""
        wanted = _operand(said)
        if said.kind != "number" or wanted is None or _is_small(wanted):
            return ""
        written = _PRODUCT.search(self._answer, max(0, said.spans[0][0] - 60), said.spans[0][0])
        if written is not None:
            one, other = _value(written[1]), _value(written[2])
            if one is not None and other is not None and _equals(one * other, wanted):
                return f"{written[1]} × {written[2]}"
        beside = self._beside(said)
        figures = (one for one, _ in beside if one.kind == "number" and any(map(str.isdigit, one.text)))
        known = dict.fromkeys(one for one in map(_operand, figures) if one is not None)
        stated = [*known][:_MOST_OPERANDS]
        # With them those in the lines of the request that the sentence's facts are from.
        in_rows = (one for _, fact in beside if fact.where for one in _in_line(fact.where[0].text))
        operands = list(dict.fromkeys((*stated, *in_rows)))[:_MOST_OPERANDS]
        found = (*_sums(wanted, operands), *_products(wanted, stated), *_whole_rows(wanted, beside))
        how = found[0] if found else next((how for value, how in self._columns if _equals(value, wanted)), "")
        if how:  # what follows from it in turn is computed, too
            self._add(said, AnswerFact(said.text, "number", said.spans))
        return how

    def _beside(self, said: Said) -> list[tuple[Said, AnswerFact]]:
        """The facts of the same sentences that the request has."""
        sentences = {self._sentence(span[0]) for span in said.spans}
        return [
            pair
            for sentence in sorted(sentences)[:4]
            for pair in self._there.get(sentence, ())[:_MOST_BESIDE]
        ]

    def _sentence(self, at: int) -> int:
        return bisect_right(self._starts, at)

    @cached_property
    def _columns(self) -> list[tuple[Decimal, str]]:
        """Sums, means and lengths of the columns of tables that the answer has facts from."""
        seen: set[tuple[str, int]] = set()
        found: list[tuple[Decimal, str]] = []
        for place in islice((fact.where[0] for _, fact in self._looked if fact.where), _MOST_TABLE_PLACES):
            name, (text, line) = f"{place.layer} {place.key}", self._row(place)
            if (name, line) in seen:
                continue
            lines, first = _table(text, line)
            seen |= {(name, first + number) for number in range(len(lines))}
            for column in _numbers_by_column(lines):
                found += _column(column, place.segment)
            if lines:
                found.append((Decimal(len(lines)), f"the number of rows of {place.segment}"))
        return found


def _in_line(line: str) -> tuple[Operand, ...]:
    facts = (fact for fact in facts_between(line, 0, len(line), "en") if fact.kind == "number")
    found = (_operand_of(fact, fact.text) for fact in facts if any(map(str.isdigit, fact.text)))
    return tuple(one for one in found if one is not None)


def _whole_rows(wanted: Operand, beside: Sequence[tuple[Said, AnswerFact]]) -> Iterator[str]:
    """The sum of all numbers of one row of a table."""
    for place in dict.fromkeys(fact.where[0] for _, fact in beside if fact.where):
        values = [one.value for one in _in_line(place.text)]
        if len(values) > 2 and len(_cells(place.text)) > 2 and _equals(sum(values, Decimal()), wanted):
            yield f"the sum of a row of {place.segment}"


def _column(column: Sequence[Decimal], name: str) -> Iterator[tuple[Decimal, str]]:
    """A column's sum and mean; the first row may be its heading, which is a year at times."""
    for rows in (column, column[1:]):
        if len(rows) > 1:
            total = sum(rows, Decimal())
            yield total, f"the sum of {len(rows)} rows of {name}"
            yield total / len(rows), f"the mean of {len(rows)} rows of {name}"


def _table(text: SearchedText, line: int) -> tuple[list[str], int]:
    """The rows of the table that a line belongs to, and the first of them."""
    starts = text.line_starts

    def row(number: int) -> str:
        end = starts[number] if number < len(starts) else len(text.clean)
        return text.clean[starts[number - 1] : end].strip()

    if not 1 <= line <= len(starts):
        return [], line
    cells = len(_cells(row(line)))
    if cells < 2:
        return [], line
    first = last = line
    while first > 1 and line - first < _MOST_ROWS and len(_cells(row(first - 1))) == cells:
        first -= 1
    while last < len(starts) and last - line < _MOST_ROWS and len(_cells(row(last + 1))) == cells:
        last += 1
    return [row(number) for number in range(first, last + 1)], first


def _cells(line: str) -> list[str]:
    bare = line.strip("| \t")
    separator = next((sign for sign in _SEPARATORS if sign in bare), "|")
    return [cell.strip() for cell in bare.split(separator)]


def _numbers_by_column(lines: Sequence[str]) -> Iterator[list[Decimal]]:
    for column in zip(*map(_cells, lines), strict=True):
        values = [_value(re.sub(r"^[€$£¥]\s?|\s?[^\d\s]{1,4}$", "", cell)) for cell in column]
        yield [value for value in values if value is not None]


def _sums(wanted: Operand, operands: Sequence[Operand]) -> Iterator[str]:
    """The two operands that a number is the sum, the difference or the share of."""
    known = [one for one in operands if one.value not in (0, 1) and one.value != wanted.value]
    for one, other in combinations(known, 2):
        if _alike(one, other, wanted) and _equals(one.value + other.value, wanted):
            yield f"{one.text} + {other.text}"
    for one, other in permutations(known, 2):
        if _alike(one, other, wanted) and _equals(one.value - other.value, wanted):
            yield f"{one.text} − {other.text}"
        if wanted.unit == "%" and one.unit == other.unit:
            if _equals(100 * one.value / other.value, wanted):
                yield f"{one.text} of {other.text}"
            if _equals(abs(100 * (one.value - other.value) / other.value), wanted):
                yield f"from {other.text} to {one.text}"


def _products(wanted: Operand, operands: Sequence[Operand]) -> Iterator[str]:
    """The two operands that a number is the product or the quotient of; small ones give nearly anything."""
    known = [one for one in operands if one.value not in (0, 1) and one.value != wanted.value]
    for one, other in permutations(known, 2) if wanted.unit != "%" else ():
        if max(abs(one.value), abs(other.value)) < LEAST_COMPUTED:
            continue
        if (
            one.value <= other.value
            and (
                not (one.unit and other.unit)
                or (wanted.unit in (one.unit, other.unit) and one.unit != other.unit)
            )
            and _equals(one.value * other.value, wanted)
        ):
            yield f"{one.text} × {other.text}"
        if _equals(one.value / other.value, wanted):
            yield f"{one.text} ÷ {other.text}"
        share = one.unit == "%" and other.unit in ("", wanted.unit)
        if share and _equals(one.value * other.value / 100, wanted):
            yield f"{one.text} of {other.text}"


def _alike(one: Operand, other: Operand, wanted: Operand) -> bool:
    """Whether amounts can be added: units that are written agree, and a share is no amount."""
    units = {unit for unit in (one.unit, other.unit, wanted.unit) if unit}
    return len(units) < 2 and (wanted.unit != "%" or one.unit == other.unit == "%")


def _equals(value: Decimal, wanted: Operand) -> bool:
    """Whether a value is the wanted one at the precision that this is written in."""
    step = Decimal(1).scaleb(int(wanted.value.as_tuple().exponent)) if wanted.value else Decimal(1)
    step = min(step, Decimal(1))
    return abs(value - wanted.value) * 2 <= step if step < 1 or wanted.unit == "%" else value == wanted.value


def _is_small(wanted: Operand) -> bool:
    whole = wanted.value == wanted.value.to_integral_value()
    return whole and abs(wanted.value) < LEAST_COMPUTED and wanted.unit != "%"


def _operand(said: Said) -> Operand | None:
    return None if said.fact is None else _operand_of(said.fact, said.text)


def _operand_of(fact: Fact, text: str) -> Operand | None:
    # The largest reading of 1,234: in a row of a table nobody says which it is.
    found = [key.removeprefix("n:").partition(" ") for key in fact.keys if key.startswith("n:")]
    try:
        value, _, unit = max(found, key=lambda one: Decimal(one[0]), default=("", "", ""))
        return Operand(_printed(Decimal(value), text), unit, text)
    except InvalidOperation:
        return None


def _printed(value: Decimal, text: str) -> Decimal:
    """A value with the decimals that it is written with: 5.0 is more precise than 5."""
    found = re.search(r"\d[.,](\d+)(?!.*\d)", text)
    decimals = len(found[1]) if found and value != value.to_integral_value() else 0
    if found and set(found[1]) == {"0"} and len(found[1]) != 3:
        decimals = len(found[1])
    return value.quantize(Decimal(1).scaleb(-decimals)) if decimals else value


def _value(written: str) -> Decimal | None:
    """The value of a figure in a table or a line; None where it is none, or may be two."""
    bare = written.strip().replace(" ", "").replace("\u202f", "").replace("'", "")
    if not re.fullmatch(r"-?\d[\d.,]*", bare):
        return None
    minus, bare = bare.startswith("-"), bare.lstrip("-").rstrip(".,")
    try:
        value = max(map(Decimal, values_of(bare)))
    except InvalidOperation:
        return None
    return -value if minus else value
