"""Sentences that can be shown in another language: English wherever they are kept, sent, logged or compared."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Lookup = Callable[[str], str]
"""Finds the words of a catalogue for the English ones; where it has none, the English ones."""
Separators = Mapping[int, int]
"""What stands in a figure for the comma and the full stop of English, as `str.maketrans` writes it."""


class Translatable(str):
    """A sentence in English that remembers its words and values, so that they can be shown in another language."""

    __slots__ = ("values", "words")
    words: str
    values: Mapping[str, Any]

    def __new__(cls, words: str, values: Mapping[str, Any]) -> Translatable:
        """The words with their values filled in."""
        made = super().__new__(cls, words.format_map(values) if values else words)
        made.words, made.values = words, values
        return made

    def __str__(self) -> str:
        return self  # an error's text, and `str()` of it, stay translatable

    def format(self, *positional: Any, **values: Any) -> str:
        """The sentence with its values, as `tr` makes it at once."""
        return super().format(*positional, **values) if positional else tr(self.words, **values)

    def __reduce__(self) -> tuple[Any, ...]:
        return Translatable, (self.words, dict(self.values))


def N_(text: str) -> str:  # noqa: N802  # the name that tools for translation know
    """Mark a string for translation, as in gettext; it is translated where it is shown."""
    return text


def tr(words: str, /, **values: Any) -> str:
    """A sentence for people; `{name}` in its words stands for a value, which may be such a sentence itself."""
    return Translatable(words, {name: _kept(value) for name, value in values.items()})


def _kept(value: Any) -> Any:
    """An error's sentence in its place: an error would keep alive whatever it came through."""
    return str(value) if isinstance(value, BaseException) else value


def counted(number: int, one: str, more: str = "") -> str:
    """A number with its noun in singular or plural: `1 chat`, `2 chats`; both forms are in the catalogues."""
    words = f"{{number:,}} {one if number == 1 else more or one + 's'}"
    return Translatable(words, {"number": number})


def joined(parts: Iterable[str], between: str = " ") -> str:
    """Sentences one after the other, each still translatable."""
    values = {f"part_{number}": part for number, part in enumerate(parts)}
    return Translatable(between.join(f"{{{name}}}" for name in values), values)


def translated(text: str, lookup: Lookup, separators: Separators | None = None) -> str:
    """The text in the language of a catalogue; foreign text, and what has no translation, stays as it is."""
    if not text or not isinstance(text, Translatable):  # a catalogue's answer to no words is its head
        return text
    words = text.words if text.words.startswith("{part_0}") else lookup(text.words)
    if not text.values:
        return words
    inner = {
        name: translated(value, lookup, separators) if isinstance(value, str) else value
        for name, value in text.values.items()
    }
    made = _Figures(separators).vformat(words, (), inner)
    return made.replace("。 ", "。")  # Chinese has no space between sentences


# What is kept as JSON is English; beside it stands what its sentences were made of.

_SAID = "said"
_NAMED = re.compile(r"\{\{|\}\}|\{\w+(?:!r)?(?::[,.%\w]{0,4})?\}")
_DEEPEST = 6


def with_values_noted(note: Mapping[str, Any]) -> dict[str, Any]:
    """A note, and under `said` the words and values of its sentences, and of those in its lists."""
    said = {name: made for name, text in note.items() if (made := _made_of(text))}
    return {**note, _SAID: said} if said else dict(note)


def with_noted_values(note: Mapping[str, Any]) -> dict[str, Any]:
    """The note with its sentences as they were made; what does not make the noted text is ignored."""
    said = note.get(_SAID)
    known = said if isinstance(said, dict) else {}
    return {name: _as_made(text, known.get(name)) for name, text in note.items() if name != _SAID}


def _made_of(value: Any) -> Any:
    if isinstance(value, Translatable) and value:
        return [value.words, {name: _made_of(one) or _plain(one) for name, one in value.values.items()}]
    if isinstance(value, list | tuple):
        return {str(place): made for place, one in enumerate(value) if (made := _made_of(one))}
    return None


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float) else str(value)


def _as_made(text: Any, said: Any) -> Any:
    if isinstance(text, list) and isinstance(said, dict):
        return [_as_made(one, said.get(str(place))) for place, one in enumerate(text)]
    made = _remade(said) if isinstance(text, str) and isinstance(said, list) else text
    return made if made == text else text


def _remade(said: Any, depth: int = 0) -> Any:
    match said:
        case [str() as words, dict() as values] if depth < _DEEPEST and not re.search(
            "[{}]", _NAMED.sub("", words)
        ):
            try:
                return Translatable(words, {name: _remade(one, depth + 1) for name, one in values.items()})
            except (KeyError, ValueError):
                return None
    return said if isinstance(said, str | int | float) else None


class _Figures(string.Formatter):
    """Fills in values as `str.format` does; figures get the separators of the language."""

    def __init__(self, separators: Separators | None) -> None:
        self._separators = separators

    def format_field(self, value: Any, format_spec: str) -> Any:
        made = super().format_field(value, format_spec)
        figure = format_spec and self._separators and isinstance(value, (int, float))
        return made.translate(self._separators) if figure else made
