"""The reader and writer of documents people edit: a dataclass declares which fields a table may have.

Field names are the keys, types and marks say what each may hold, and a field with a default is optional. A mark may
give a field another key, or place it in the table around it (`reading/marks.py`). A `ClassVar` is a key that is known
and checked, but has no value yet.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from functools import cache
from itertools import chain
from typing import Annotated, Any, Generic, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from workbench.domain.reading.constraints import (
    Above,
    AsJson,
    Between,
    Called,
    Inline,
    NotEmpty,
    OneOf,
    Sound,
    Unique,
    Within,
    WordOrJson,
)
from workbench.domain.reading.node import Fields, Node, show
from workbench.domain.text import repair_text
from workbench.domain.translation import tr

T = TypeVar("T")
M = TypeVar("M")
Marks = tuple[object, ...]
_ABSENT = object()


def form_of(made: type[T]) -> Form[T]:
    """The form of a dataclass."""
    form: Form[T] = _form(made)  # type: ignore[arg-type]  # a class is hashable
    return form


@dataclass(frozen=True, slots=True)
class Kind:
    """How values of one type are read from and written to a document.

    Attributes:
        read: makes the value of what was found, and of the value in effect, which tables merge with.
        write: converts a value to its form in a document.
        is_text: whether any words are a value.
        may_be_none: whether null is a value.
        form: of what stands inside, where this is a table. each: of every value, where it is a table of tables.
    """

    read: Callable[[Node, Any], Any]
    write: Callable[[Any], Any] = lambda value: value
    is_text: bool = False
    may_be_none: bool = False
    form: Form[Any] | None = None
    each: Form[Any] | None = None

    def unknown(self, inside: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
        """Paths of keys in a table of this kind that mean nothing there."""
        if self.form is not None:
            yield from self.form.unknown(inside)
        elif self.each is not None:
            for name, one in inside.items():
                if isinstance(one, Mapping):
                    yield from ((name, *place) for place in self.each.unknown(one))


@dataclass(frozen=True, slots=True)
class Entry:
    """A field of the value and its key in a document."""

    name: str
    attribute: str
    kind: Kind
    required: bool = False
    inline: bool = False

    def find(self, given: Fields, before: Any) -> Any:
        """The value that a table gives for this field, or `_ABSENT`."""
        if self.inline and self.kind.form is not None:
            return self.kind.form._merged(given, before)
        node = given.get(self.name)
        if node is None:
            return _ABSENT
        return self.kind.read(node, before)


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """The schema of a table that a value is made from; entries are read in the order of declaration.

    Attributes:
        names: all keys that the table itself may have.
    """

    made: type[T]
    entries: tuple[Entry, ...]
    names: tuple[str, ...]

    def places(self) -> Iterator[tuple[tuple[str, ...], Kind]]:
        """Paths of everything that can be set, with its kind: the entries, and those of nested tables."""
        for entry in self.entries:
            inner = () if entry.kind.form is None else entry.kind.form.places()
            if entry.inline:
                yield from inner
            else:
                yield (entry.name,), entry.kind
                yield from (((entry.name, *place), kind) for place, kind in inner)

    def read(self, node: Node, base: T | None = None) -> T:
        """The value read from a table, merged into `base`; without one, into the defaults."""
        return self._merged(node.fields(self.names), base)

    def write(self, value: T) -> dict[str, Any]:
        """The whole value as a table; reading it back gives an equal value."""
        written: dict[str, Any] = {}
        for entry in self.entries:
            one = entry.kind.write(getattr(value, entry.attribute))
            written.update(one if entry.inline else {entry.name: one})
        return written

    def unknown(self, document: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
        """Paths of keys in a document that mean nothing there: of the table itself, then of nested ones."""
        yield from ((name,) for name in document if name not in self.names)
        for entry in self.entries:
            inside = None if entry.inline else document.get(entry.name)
            if isinstance(inside, Mapping):
                yield from ((entry.name, *place) for place in entry.kind.unknown(inside))

    def _merged(self, given: Fields, base: Any) -> T:
        values: dict[str, Any] = {}
        for entry in self.entries:
            found = entry.find(given, None if base is None else getattr(base, entry.attribute, None))
            if found is not _ABSENT:
                values[entry.attribute] = found
            elif entry.required and base is None:
                given.require(entry.name)
        merged: T = self.made(**values) if base is None else replace(base, **values)
        return merged


@cache
def _form(made: Any) -> Form[Any]:
    stored = {field.name: field for field in fields(made)}
    hints = get_type_hints(made, include_extras=True)
    entries = tuple(_entry(attribute, hint, stored[attribute]) for attribute, hint in hints.items())
    names = (one.kind.form.names if one.inline and one.kind.form else (one.name,) for one in entries)
    return Form(made, entries, tuple(chain.from_iterable(names)))


def _entry(attribute: str, hint: Any, field: Field[Any]) -> Entry:
    marks: Marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    called = _mark(marks, Called)
    return Entry(
        name=attribute if called is None else called.name,
        attribute=attribute,
        kind=_kind(hint),
        required=field.default is MISSING and field.default_factory is MISSING,
        inline=_mark(marks, Inline) is not None,
    )


# The kind of a type.


def _kind(hint: Any, marks: Marks = ()) -> Kind:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _kind(arguments[0], arguments[1:])
    if origin in (Union, types.UnionType):
        return _optional(hint)
    if origin is Literal:
        return Kind(lambda node, _: node.choice(arguments))
    if origin is frozenset:
        return _set(_kind(arguments[0]))
    if origin is tuple:
        return _list(_kind(arguments[0]), _mark(marks, Unique))
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(_kind(arguments[0]), _kind(arguments[1]))
    return _table(hint) if is_dataclass(hint) else _plain(hint, marks)


def _plain(hint: Any, marks: Marks) -> Kind:
    if hint is str:
        return _text(marks)
    if hint is bool:
        return Kind(lambda node, _: node.flag())
    if hint is Any:
        return Kind(lambda node, _: _json_value(node), _json_written)
    whole, number = _mark(marks, Between), _mark(marks, Above)
    if hint is int and whole is not None:
        return Kind(lambda node, _: node.integer(whole.low, whole.high))
    if hint is float and number is not None:
        return Kind(lambda node, _: node.number(number.above, number.most, number.what))
    span = _mark(marks, Within)
    if hint is float and span is not None:
        return Kind(lambda node, _: node.number_within(span.low, span.high))
    raise TypeError(f"{hint} has no form in a document; a number needs its bounds")


def _text(marks: Marks) -> Kind:
    words = _mark(marks, OneOf)
    if words is not None:
        return Kind(lambda node, _: node.choice(words.words))
    either = _mark(marks, WordOrJson)
    if either is not None:
        return _word_or_json(either.word)
    if _mark(marks, AsJson):
        return Kind(lambda node, _: _json_object(node), json.loads)
    sound = _mark(marks, Sound)
    if sound is not None:
        return _sound(sound.problem)
    if _mark(marks, NotEmpty):
        return Kind(lambda node, _: node.name(), repair_text, is_text=True)
    return Kind(lambda node, _: node.text(), repair_text, is_text=True)


def _sound(problem: Callable[[str], str]) -> Kind:
    def read(node: Node, _: Any) -> str:
        text = node.name()
        wrong = problem(text)
        if wrong:
            raise node.error(wrong)
        return text

    return Kind(read, repair_text, is_text=True)


def _word_or_json(word: str) -> Kind:
    def read(node: Node, _: Any) -> str:
        if node.value == word:
            return word
        if not isinstance(node.value, dict):
            raise node.expected(tr("{show} or an object", show=show(word)))
        return node.json()

    return Kind(read, lambda value: value if value == word else json.loads(value))


def _optional(hint: Any) -> Kind:
    (inner,) = (_kind(one) for one in get_args(hint) if one is not type(None))
    return Kind(
        lambda node, before: None if node.value is None else inner.read(node, before),
        lambda value: None if value is None else inner.write(value),
        may_be_none=True,
    )


def _set(item: Kind) -> Kind:
    return Kind(
        lambda node, _: frozenset(item.read(one, None) for one in node.items()),
        lambda value: sorted(item.write(one) for one in value),
    )


def _list(item: Kind, unique: Unique | None) -> Kind:
    def read(node: Node, _: Any) -> tuple[Any, ...]:
        places: dict[object, str] = {}
        found = []
        for one in node.items():
            found.append(item.read(one, None))
            if unique is not None:
                _refuse_again(one, unique.name, getattr(found[-1], unique.name), places)
        return tuple(found)

    return Kind(read, lambda value: [item.write(one) for one in value])


def _refuse_again(node: Node, name: str, value: object, places: dict[object, str]) -> None:
    if value in places:
        raise node.at(name, value).error(
            tr("{show} is already the {name} of {places}", show=show(value), name=name, places=places[value])
        )
    places[value] = node.path


def _mapping(key: Kind, item: Kind) -> Kind:
    def read(node: Node, _: Any) -> dict[str, Any]:
        found = {}
        for name, value in node.table().items():
            place = node.at(name, value)
            found[key.read(place._replace(value=name), None)] = item.read(place, None)
        return found

    return Kind(
        read,
        lambda value: {key.write(str(name)): item.write(one) for name, one in value.items()},
        each=item.form,
    )


def _table(made: Any) -> Kind:
    form = _form(made)
    return Kind(form.read, form.write, form=form)


def _json_object(node: Node) -> str:
    node.table()
    return node.json()


def _json_value(node: Node) -> Any:
    match node.value:
        case str():
            return node.text()
        case None | bool() | int() | float():
            return node.value
        case dict() as table:
            return {str(name): _json_value(node.at(str(name), one)) for name, one in table.items()}
        case list() | tuple():
            return [_json_value(one) for one in node.items()]
    raise node.expected(tr("text, a number, true, false, a list or an object"))


def _json_written(value: Any) -> Any:
    if isinstance(value, str):
        return repair_text(value)
    if isinstance(value, Mapping):
        return {repair_text(str(name)): _json_written(one) for name, one in value.items()}
    return [_json_written(one) for one in value] if isinstance(value, list | tuple) else value


def _mark(marks: Marks, of: type[M]) -> M | None:
    return next((mark for mark in marks if isinstance(mark, of)), None)
