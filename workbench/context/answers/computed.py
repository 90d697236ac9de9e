"""Numbers of an answer that follow from others: a sum, a difference, a product, a quotient, a share, a whole column."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from itertools import combinations, islice, permutations

from workbench.context.answers.said import Said, sentence_starts
from workbench.context.answers.searching import EQUAL_UNITS, SearchedText
from workbench.context.shorten.facts import Fact, facts_between, values_of
from workbench.context.shorten.numerals import numerals
from workbench.domain.answer_facts import AnswerFact, FactPlace
from workbench.domain.translation import tr

LEAST_COMPUTED = 13
"""Smaller whole numbers follow from nearly anything."""
_MOST_OPERANDS = 12
_MOST_ROWS = 2_000
_MOST_BESIDE = 24
_MOST_TABLE_PLACES = 400
_LEAST_SCALED, _MOST_SCALED = 3, 40
_WRITTEN = re.compile(r"(\d[^=≈|\n]{2,70})(?:[=≈|]|等于|等於)\W*$")
"""What is written out right before its result."""
_TIMES = re.compile(r"\s?(?:[×*·]|(?<=\d)x(?=\d)|(?<=\s)x(?=\s)|乘以?|([÷/]|除以))\s?")
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
        # A small number may be how often something is taken, and is nobody's fact then.
        self._missing = {fact.text for _, fact in looked if not fact.where and len(fact.text) > 2}
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
        if said.kind != "number" or wanted is None:
            return ""
        how = next(self._ways(said, wanted), "")
        if how:  # what follows from it in turn is computed, too
            self._missing.discard(said.text)
            self._add(said, AnswerFact(said.text, "number", said.spans))
        return how

    def _ways(self, said: Said, wanted: Operand) -> Iterator[str]:
        beside = self._beside({self._sentence(span[0]) for span in said.spans})
        stated = _figures(beside)
        others = (one for one in stated if one.unit not in ("", wanted.unit))
        yield from (one.text for one in others if _equals_in(one, wanted))
        yield from self._written(said, wanted)
        yield from self._scaled(said, wanted)
        if _is_small(wanted):
            return
        # With them those in the lines of the request that the sentence's facts are from.
        in_rows = (one for _, fact in beside if fact.where for one in _in_line(fact.where[0].text))
        yield from _sums(wanted, list(dict.fromkeys((*stated, *in_rows)))[:_MOST_OPERANDS])
        # Small numbers in words count here: divided by three.
        words = numerals(", ".join(sorted(said.around)), said.language)
        factors = [
            Operand(Decimal(one.value), "", one.text) for one in words if 1 < one.value < LEAST_COMPUTED
        ]
        yield from _products(wanted, [*stated, *factors])
        yield from _whole_rows(wanted, beside)
        yield from (how for value, how in self._columns if _equals(value, wanted))
        yield from _sums_before(wanted, stated, _figures(self._beside(self._before(said))))

    def _beside(self, sentences: set[int]) -> list[tuple[Said, AnswerFact]]:
        """The facts of these sentences that the request has."""
        found = (self._there.get(sentence, ()) for sentence in sorted(sentences)[:4])
        return [pair for pairs in found for pair in pairs[:_MOST_BESIDE]]

    def _before(self, said: Said) -> set[int]:
        """The two sentences before it in its line."""
        at = said.spans[0][0]
        first = self._sentence(self._answer.rfind("\n", 0, at) + 1)
        return set(range(max(first, self._sentence(at) - 2), self._sentence(at)))

    def _written(self, said: Said, wanted: Operand) -> Iterator[str]:
        """A product that is written out before its result, and is right: 3 × 240 g = 720 g."""
        start = said.spans[0][0]
        written = _WRITTEN.search(self._answer, max(0, start - 80), start)
        first, *rest = _TIMES.split(written[1] if written else "")
        terms = [_in_line(first)[-1:], *map(_in_line, rest[1::2])]
        if rest and all(len(term) == 1 and term[0].text not in self._missing for term in terms):
            value, how = terms[0][0].value, terms[0][0].text
            for inverse, (term,) in zip(rest[::2], terms[1:], strict=True):
                value = value / (term.value or 1) if inverse else value * term.value
                how += f" {'÷' if inverse else '×'} {term.text}"
            if any(_equals_in(Operand(value, term.unit, ""), wanted) for (term,) in terms):
                yield how

    def _scaled(self, said: Said, wanted: Operand) -> Iterator[str]:
        """The number beside it in its row, times what it is in two other rows, too: three times a recipe."""
        for one, there in self._rows[self._sentence(said.spans[0][0])]:
            if there and one.value not in (0, wanted.value) and _alike(one, wanted, wanted):
                factor = wanted.value / one.value
                rows = islice(filter(None, self._rows), _MOST_SCALED)
                if sum(_has_factor(row, factor) for row in rows) >= _LEAST_SCALED:
                    yield f"{one.text} × {factor:.4g}"

    @cached_property
    def _rows(self) -> list[list[tuple[Operand, bool]]]:
        """The numbers of each row of the answer, and whether the request has them."""
        rows: list[list[tuple[Operand, bool]]] = [[] for _ in range(len(self._starts) + 1)]
        for one, fact in self._looked:
            if (operand := _operand(one)) is not None:
                for start, _ in one.spans:
                    rows[self._sentence(start)].append((operand, bool(fact.where)))
        return rows

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
                found.append(
                    (Decimal(len(lines)), tr("the number of rows of {segment}", segment=place.segment))
                )
        return found


def _has_factor(row: Sequence[tuple[Operand, bool]], factor: Decimal) -> bool:
    scaled = [Operand(one.value * factor, one.unit, "") for one, there in row if there]
    return any(_equals_in(one, other) for one in scaled for other, _ in row)


def _figures(facts: Iterable[tuple[Said, AnswerFact]]) -> list[Operand]:
    figures = (one for one, _ in facts if one.kind == "number" and any(map(str.isdigit, one.text)))
    return list(dict.fromkeys(one for one in map(_operand, figures) if one is not None))[:_MOST_OPERANDS]


def _in_line(line: str) -> tuple[Operand, ...]:
    facts = (fact for fact in facts_between(line, 0, len(line), "en") if fact.kind == "number")
    found = (_operand_of(fact, fact.text) for fact in facts if any(map(str.isdigit, fact.text)))
    return tuple(one for one in found if one is not None)


def _whole_rows(wanted: Operand, beside: Sequence[tuple[Said, AnswerFact]]) -> Iterator[str]:
    """The sum of all numbers of one row of a table."""
    for place in dict.fromkeys(fact.where[0] for _, fact in beside if fact.where):
        values = [one.value for one in _in_line(place.text)]
        if len(values) > 2 and len(_cells(place.text)) > 2 and _equals(sum(values, Decimal()), wanted):
            yield tr("the sum of a row of {segment}", segment=place.segment)


def _column(column: Sequence[Decimal], name: str) -> Iterator[tuple[Decimal, str]]:
    """A column's sum and mean; the first row may be its heading, which is a year at times."""
    for rows in (column, column[1:]):
        if len(rows) > 1:
            total = sum(rows, Decimal())
            yield total, tr("the sum of {rows} rows of {name}", rows=len(rows), name=name)
            yield total / len(rows), tr("the mean of {rows} rows of {name}", rows=len(rows), name=name)


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
                yield tr("from {text} to {text_2}", text=other.text, text_2=one.text)


def _sums_before(wanted: Operand, stated: Sequence[Operand], before: Sequence[Operand]) -> Iterator[str]:
    """The same from the sentences before: of numbers that say enough, since there are more of them."""
    if wanted.unit == "%":
        yield from _sums(wanted, before[: 0 if len(before) > 2 else 2])
        return
    least = 0 if wanted.unit else 100
    alike = [one for one in (*stated, *before) if one.unit == wanted.unit and one.value >= least]
    yield from _sums(wanted, alike) if wanted.value >= least else ()


def _products(wanted: Operand, operands: Sequence[Operand]) -> Iterator[str]:
    """The two operands that a number is the product or the quotient of; small ones give nearly anything."""
    known = [one for one in operands if one.value not in (0, 1) and one.value != wanted.value]
    for one, other in permutations(known, 2) if wanted.unit != "%" else ():
        if max(abs(one.value), abs(other.value)) < LEAST_COMPUTED and max(_digits(one), _digits(other)) < 3:
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


def _equals_in(one: Operand, wanted: Operand) -> bool:
    """Whether an amount is the wanted one, in its unit or in another of the same kind."""
    if one.unit in ("", wanted.unit):
        return _equals(one.value, wanted)
    sizes = next((units for units in EQUAL_UNITS if one.unit in units and wanted.unit in units), None)
    return sizes is not None and _equals(one.value * sizes[one.unit] / sizes[wanted.unit], wanted)


def _digits(one: Operand) -> int:
    """How many digits a number has that say something: 7.25 has three, 1,200 two."""
    return len("".join(map(str, one.value.as_tuple().digits)).rstrip("0"))


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
