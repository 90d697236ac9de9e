"""Checks an answer against what the user requires: words, a pattern, JSON, a JSON schema, or that it is grounded."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, assert_never

from workbench.domain.answer_facts import AnswerFact
from workbench.domain.change import Built
from workbench.domain.errors import InvalidInput
from workbench.domain.experiment import Cell, Check, pattern_problem
from workbench.domain.translation import tr

# Whether a value is as a JSON schema wants it: the part of the standard that schemas of answers use.
#
# What a schema says beyond that part is refused when it is read, so that nothing is checked by half.


Json = Any
Schema = Mapping[str, Any] | bool
Found = Callable[[str, str], bool]
"""Whether a pattern is found in a text. The user wrote it, and it may take for ever."""

_TYPES: Mapping[str, Callable[[Json], bool]] = {
    "null": lambda one: one is None,
    "boolean": lambda one: isinstance(one, bool),
    "object": lambda one: isinstance(one, dict),
    "array": lambda one: isinstance(one, list),
    "string": lambda one: isinstance(one, str),
    "number": lambda one: isinstance(one, int | float) and not isinstance(one, bool),
    "integer": lambda one: _is_number(one) and float(one).is_integer(),
}
_WORDS_ONLY = frozenset({
    "$schema", "$id", "$comment", "$defs", "definitions", "title", "description", "default", "examples", "format",
    "deprecated", "readOnly", "writeOnly",
})  # fmt: skip
_LISTS_OF_SCHEMAS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SCHEMAS = ("items", "not", "additionalProperties")
_TABLES_OF_SCHEMAS = ("properties", "$defs", "definitions")
_VALUES = frozenset({
    "type", "enum", "const", "required", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength",
    "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "$ref",
})  # fmt: skip
_KNOWN = _WORDS_ONLY | _VALUES | {*_LISTS_OF_SCHEMAS, *_SCHEMAS, *_TABLES_OF_SCHEMAS}
_UNITS = {
    "number": ("imum", ""),
    "string": ("Length", tr(" characters")),
    "array": ("Items", tr(" items")),
    "object": ("Properties", tr(" members")),
}
_NUMBERS = frozenset(f"{end}{name}" for end in ("min", "max") for name, _ in _UNITS.values())
_DEEPEST = 64


def read_schema(text: str) -> Schema:
    """Parse a JSON schema; `InvalidInput` says which part of it cannot be checked."""
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise InvalidInput("schema", tr("not JSON: {problem}", problem=problem)) from None
    _refuse_unknown(schema, "the schema", 0)
    _refuse_endless(schema)
    return schema if isinstance(schema, bool) else dict(schema)


def problem_in(value: Json, schema: Schema, found: Found) -> str:
    """The first place where a value violates a schema, in words; empty where it conforms."""
    return next(_Checker(schema, found).problems(value, schema, "", 0), "")


def _refuse_unknown(schema: Json, where: str, depth: int) -> None:
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict) or depth > _DEEPEST:
        raise InvalidInput("schema", tr("{where} is no schema", where=where))
    unknown = sorted(schema.keys() - _KNOWN)
    if unknown:
        raise InvalidInput(
            "schema",
            tr("{where} uses {unknown!r}, which is not checked here", where=where, unknown=unknown[0]),
        )
    _refuse_wrong(schema, where)
    parts = [(name, schema[name]) for name in _SCHEMAS if name in schema]
    parts += [(name, one) for name in _LISTS_OF_SCHEMAS for one in _list(schema, name, where)]
    parts += [
        (f"{name}.{key}", one) for name in _TABLES_OF_SCHEMAS for key, one in _table(schema, name, where)
    ]
    for name, one in parts:
        _refuse_unknown(one, name, depth + 1)


def _refuse_wrong(schema: Mapping[str, Json], where: str) -> None:
    """Refuse keywords whose own value is invalid."""
    kinds = schema.get("type", [])
    wrong = [one for one in (kinds if isinstance(kinds, list) else [kinds]) if one not in _TYPES]
    if wrong:
        raise InvalidInput(
            "schema", tr("{where} wants the unknown type {wrong!r}", where=where, wrong=wrong[0])
        )
    pattern = schema.get("pattern", "")
    if not isinstance(pattern, str):
        raise InvalidInput("schema", tr("{where}: “pattern” is a text", where=where))
    if problem := pattern_problem(pattern):
        raise InvalidInput(
            "schema", tr("{where} has a pattern that is none: {problem}", where=where, problem=problem)
        )
    reference = schema.get("$ref", "#")
    if not isinstance(reference, str) or not reference.startswith("#"):
        raise InvalidInput("schema", tr("{where} refers to another file; put it under $defs", where=where))
    for name in (*_NUMBERS, "exclusiveMinimum", "exclusiveMaximum"):
        if not _is_number(schema.get(name, 0)):
            raise InvalidInput("schema", tr("{where}: “{name}” is a number", where=where, name=name))
    if not isinstance(schema.get("required", []), list) or not isinstance(schema.get("enum", []), list):
        raise InvalidInput("schema", tr("{where}: “required” and “enum” are lists", where=where))


def _refuse_endless(schema: Schema) -> None:
    """Refuse a `$ref` that leads nowhere, or only to itself."""
    checker = _Checker(schema, lambda pattern, text: True)
    for one in _references(schema):
        checker.resolved(one, 0)


def _references(schema: Json) -> Iterator[str]:
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"]
        for one in schema.values():
            yield from _references(one)
    elif isinstance(schema, list):
        for one in schema:
            yield from _references(one)


def _list(schema: Mapping[str, Json], name: str, where: str) -> list[Json]:
    found = schema.get(name, [])
    if not isinstance(found, list):
        raise InvalidInput("schema", tr("{where}: “{name}” is a list of schemas", where=where, name=name))
    return found


def _table(schema: Mapping[str, Json], name: str, where: str) -> list[tuple[str, Json]]:
    found = schema.get(name, {})
    if not isinstance(found, dict):
        raise InvalidInput("schema", tr("{where}: “{name}” is a table of schemas", where=where, name=name))
    return list(found.items())


class _Checker:
    """Validates a value against a schema, recursively."""

    def __init__(self, root: Schema, found: Found) -> None:
        self._root, self._found = root, found

    def problems(self, value: Json, schema: Schema, where: str, depth: int) -> Iterator[str]:
        place = where or tr("the answer")
        if depth > _DEEPEST:
            yield tr("{place} is nested too deeply", place=place)
        elif schema is False:
            yield tr("{place} must not be there", place=place)
        elif not isinstance(schema, bool):
            if "$ref" in schema:
                yield from self.problems(value, self.resolved(schema["$ref"], 0), where, depth + 1)
            yield from _wrong_value(value, schema, place)
            if isinstance(value, str) and "pattern" in schema and not self._found(schema["pattern"], value):
                yield tr("{place} does not match {schema}", place=place, schema=schema["pattern"])
            yield from self._combined(value, schema, where, depth)
            if isinstance(value, dict):
                yield from self._members(value, schema, where, depth)
            if isinstance(value, list):
                yield from self._items(value, schema, where, depth)

    def resolved(self, reference: str, depth: int) -> Schema:
        found: Json = self._root
        for part in reference.removeprefix("#").split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, dict) or name not in found:
                raise InvalidInput("schema", tr("{reference} leads to nothing", reference=reference))
            found = found[name]
        if isinstance(found, dict) and set(found) == {"$ref"}:
            if depth > _DEEPEST:
                raise InvalidInput("schema", tr("{reference} leads to itself", reference=reference))
            return self.resolved(found["$ref"], depth + 1)
        return found if isinstance(found, bool) else dict(found)

    def _passes(self, value: Json, schema: Schema, depth: int) -> bool:
        return next(self.problems(value, schema, "", depth + 1), None) is None

    def _combined(self, value: Json, schema: Mapping[str, Json], where: str, depth: int) -> Iterator[str]:
        place = where or tr("the answer")
        for one in schema.get("allOf", ()):
            yield from self.problems(value, one, where, depth + 1)
        if "anyOf" in schema and not any(self._passes(value, one, depth) for one in schema["anyOf"]):
            yield tr("{place} is none of what is allowed", place=place)
        if "oneOf" in schema and sum(self._passes(value, one, depth) for one in schema["oneOf"]) != 1:
            yield tr("{place} is not exactly one of what is allowed", place=place)
        if "not" in schema and self._passes(value, schema["not"], depth):
            yield tr("{place} is what it must not be", place=place)

    def _members(
        self, value: dict[str, Json], schema: Mapping[str, Json], where: str, depth: int
    ) -> Iterator[str]:
        known = schema.get("properties", {})
        for name in schema.get("required", ()):
            if name not in value:
                yield tr("{name} is missing", name=_below(where, name))
        for name, one in value.items():
            if name in known:
                yield from self.problems(one, known[name], _below(where, name), depth + 1)
            elif "additionalProperties" in schema:
                yield from self.problems(one, schema["additionalProperties"], _below(where, name), depth + 1)

    def _items(self, value: list[Json], schema: Mapping[str, Json], where: str, depth: int) -> Iterator[str]:
        first = schema.get("prefixItems", ())
        for place, (one, wanted) in enumerate(zip(value, first, strict=False)):
            yield from self.problems(one, wanted, f"{where}[{place}]", depth + 1)
        if "items" in schema:
            for place, one in enumerate(value[len(first) :], start=len(first)):
                yield from self.problems(one, schema["items"], f"{where}[{place}]", depth + 1)


def _wrong_value(value: Json, schema: Mapping[str, Json], place: str) -> Iterator[str]:
    kinds = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_TYPES[kind](value) for kind in kinds):
        yield tr("{place} is not {kinds}", place=place, kinds=" or ".join(kinds))
        return
    if "enum" in schema and not any(_equal(value, one) for one in schema["enum"]):
        yield tr(
            "{place} is none of {schema}", place=place, schema=", ".join(map(_shown_value, schema["enum"]))
        )
    if "const" in schema and not _equal(value, schema["const"]):
        yield tr("{place} is not {schema}", place=place, schema=_shown_value(schema["const"]))
    yield from (words for words in _out_of_bounds(value, schema, place) if words)


def _out_of_bounds(value: Json, schema: Mapping[str, Json], place: str) -> Iterator[str]:
    if _is_number(value):
        yield from _bounds(value, schema, place, "number")
        if "exclusiveMinimum" in schema and not value > schema["exclusiveMinimum"]:
            yield tr("{place} is not above {schema}", place=place, schema=schema["exclusiveMinimum"])
        if "exclusiveMaximum" in schema and not value < schema["exclusiveMaximum"]:
            yield tr("{place} is not below {schema}", place=place, schema=schema["exclusiveMaximum"])
    elif isinstance(value, str):
        yield from _bounds(len(value), schema, place, "string")
    elif isinstance(value, list):
        yield from _bounds(len(value), schema, place, "array")
        if schema.get("uniqueItems") and any(
            _equal(one, other) for at, one in enumerate(value) for other in value[:at]
        ):
            yield tr("{place} has an item twice", place=place)
    elif isinstance(value, dict):
        yield from _bounds(len(value), schema, place, "object")


def _bounds(size: float, schema: Mapping[str, Json], place: str, kind: str) -> Iterator[str]:
    """Violations of the bounds on a number, or on the number of `kind`; `kind` is empty for a number itself."""
    name, unit = _UNITS[kind]
    least, most = schema.get(f"min{name}"), schema.get(f"max{name}")
    has = f"{place} has" if unit else f"{place} is"
    if least is not None and size < least:
        yield f"{has} under {least}{unit}"
    if most is not None and size > most:
        yield f"{has} over {most}{unit}"


def _below(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _equal(one: Json, other: Json) -> bool:
    """JSON equality: true is not 1, and 1 is 1.0."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(value, other[key]) for key, value in one.items())
    return bool(one == other)


def _shown_value(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


Matches = Callable[[Sequence[tuple[str, str]]], Sequence[bool]]
"""Whether each pattern is found in its text. The user wrote them, and they may take for ever."""


def search_here(pairs: Sequence[tuple[str, str]]) -> Sequence[bool]:
    """Whether each pattern is found in its text; without a timeout for patterns that take for ever."""
    return [re.search(pattern, text) is not None for pattern, text in pairs]


def holds(check: Check, answer: str, matches: Matches, request: Built | None = None) -> bool | None:
    """Whether an answer passes a check; None where a model has to judge it. `request` is what it was made from."""
    match check.kind:
        case "contains":
            return check.wanted in answer
        case "lacks":
            return check.wanted not in answer
        case "matches":
            return matches(((check.wanted, answer),))[0]
        case "json":
            return _value(answer) is not None
        case "schema":
            value = _value(answer)
            return value is not None and _conforms(value[0], read_schema(check.wanted), matches)
        case "grounded":
            return request is not None and sum(
                fact.state == "absent" for fact in answer_facts(answer, request)
            ) <= int(check.wanted or 0)
        case "judged":
            return None
        case _:
            assert_never(check.kind)


def answer_facts(answer: str, request: Built) -> tuple[AnswerFact, ...]:
    """The facts of an answer, held against its request."""
    # Late: the patterns of facts take 20 ms of a start.
    from workbench.context.answers.facts import check_facts
    from workbench.context.answers.pieces import request_pieces

    return check_facts(answer, request_pieces(request))


def refuse_unusable(check: Check) -> None:
    """Raise `InvalidInput` for a check that can never be made."""
    if check.kind != "schema":
        return
    try:
        read_schema(check.wanted)
    except InvalidInput as problem:
        raise InvalidInput(check.name or problem.path, problem.reason) from None


def shared_words(cells: Sequence[Cell]) -> float | None:
    """The mean share of words that repeats of one request have in common, over all pairs; None below two."""
    answers = [cell.answer for cell in cells if cell.state == "complete"]
    pairs = [word_overlap(one, other) for one, other in combinations(answers, 2)]
    return sum(pairs) / len(pairs) if pairs else None


def word_overlap(one: str, other: str) -> float:
    """The share of words that two answers have in common, from 0 to 1, counting repetitions."""
    ours, theirs = Counter(_words(one)), Counter(_words(other))
    whole = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / whole if whole else 1.0


def _conforms(value: Json, schema: Schema, matches: Matches) -> bool:
    """Whether a value conforms; the patterns it needs are found by a dry run and searched in batches."""
    known: dict[tuple[str, str], bool] = {}
    while True:
        unknown: dict[tuple[str, str], bool] = {}

        def found(pattern: str, text: str, unknown: dict[tuple[str, str], bool] = unknown) -> bool:
            pair = (pattern, text)
            return known[pair] if pair in known else unknown.setdefault(pair, True)

        problem = problem_in(value, schema, found)
        if not unknown:
            return not problem
        known.update(zip(unknown, matches(tuple(unknown)), strict=True))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _value(answer: str) -> tuple[object] | None:
    """The JSON value of an answer, with or without a fenced block around it; None where there is none."""
    text = answer.strip()
    fenced = re.fullmatch(r"```(?:json)?[^\S\n]*\n(.*?)\n?```", text, re.DOTALL)
    try:
        return (json.loads(fenced.group(1) if fenced else text),)
    except (ValueError, RecursionError):
        return None
