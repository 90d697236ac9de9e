"""Handles keys and passwords in a request as the user has set it: ignore, mark, or replace."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from workbench.context.clean.redact import Rewriter
from workbench.context.clean.secrets import find_again, find_secrets
from workbench.context.text.changed_text import LONG_CHARS
from workbench.domain.chunk import command_of
from workbench.domain.message import Message
from workbench.domain.secrets import FoundSecret
from workbench.domain.settings.app_preferences import Redaction
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.turn import TurnInputs

Marks = Mapping[str, tuple[FoundSecret, ...]]
"""Findings by the id of the artifact, message or part of the instructions that contains them."""

_SHORTEST_CHARS = 8
_MOST_TEXTS, _MOST_CHARS = 20_000, 100_000_000
_PARTS = ("settings", "library", "history", "attached", "tool_results", "question", "rounds", "found")


class SecretFinder:
    """Finds secrets and caches the findings by text, so that only new text is searched."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[FoundSecret, ...]] = OrderedDict()
        self._chars = 0
        self._written = ""

    def find(self, text: str) -> tuple[FoundSecret, ...]:
        if len(text) < _SHORTEST_CHARS:
            return ()
        known = self._known.get(text)
        if known is None:
            known = self._find_in_edit(text) if len(text) >= LONG_CHARS else find_secrets(text)
            self._note(text, known)
        return known

    def _find_in_edit(self, text: str) -> tuple[FoundSecret, ...]:
        """Search a long text by its changed lines, if it is an edit of the last long text, which is forgotten then."""
        before, self._written = self._written, text
        found = self._known.get(before)
        again = None if found is None else find_again(before, found, text)
        if again is None:
            return find_secrets(text)
        del self._known[before]
        self._chars -= len(before)
        return again

    def copy(self) -> SecretFinder:
        other = SecretFinder()
        other._known, other._chars = self._known.copy(), self._chars
        return other

    def merge(self, other: SecretFinder) -> None:
        for text, found in other._known.items():
            if text not in self._known:
                self._note(text, found)

    def _note(self, text: str, found: tuple[FoundSecret, ...]) -> None:
        self._known[text] = found
        self._chars += len(text)
        while len(self._known) > _MOST_TEXTS or (self._chars > _MOST_CHARS and len(self._known) > 1):
            gone, _ = self._known.popitem(last=False)
            self._chars -= len(gone)


class SecretGuard:
    """Searches each turn for secrets; in a turn like the last one only what changed.

    Attributes:
        finder: what has been found so far.
    """

    def __init__(self, mode: Redaction = "off") -> None:
        self.mode: Redaction = mode
        self.finder = SecretFinder()
        self._rewriter = Rewriter()
        self._seen: dict[
            str, tuple[tuple[object, ...], tuple[str, ...], dict[str, tuple[FoundSecret, ...]]]
        ] = {}
        self._last: tuple[list[object], Marks] = ([], {})

    def prefer(self, mode: Redaction) -> None:
        self.mode = mode
        self._seen = {}

    def copy(self) -> SecretGuard:
        other = SecretGuard(self.mode)
        other.finder = self.finder.copy()
        return other

    def replaced(self, inputs: TurnInputs) -> tuple[TurnInputs, tuple[str, ...]]:
        """The turn with secrets replaced, and the ids of what had some; the same object where nothing changed."""
        return self._rewriter.apply(inputs, self._masked) if self.mode == "replace" else (inputs, ())

    @property
    def is_idle(self) -> bool:
        """Whether it never replaces anything."""
        return self.mode != "replace"

    def would_change(self, text: str) -> bool:
        """Whether a text has a secret that would be replaced before sending."""
        return not self.is_idle and self._masked(text) != text

    def values(self, text: str, hidden: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The secrets in a text that are marked but sent."""
        found = self._not_hidden(text, hidden) if self.mode == "warn" else ()
        return tuple(text[one.start : one.end] for one in found)

    def values_in(self, piece: str, whole: str, hidden: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The marked secrets that overlap a piece of a text, each as in the whole text."""
        found = self._overlapping(piece, whole, hidden) if self.mode == "warn" else []
        return tuple(whole[one.start : one.end] for one in found)

    def marks(self, inputs: TurnInputs, hidden: tuple[str, ...] = ()) -> Marks:
        """The secrets found in a turn, by part, without those `hidden` anyway."""
        if self.mode == "off":
            return {}
        parts = [self._marks_in(name, inputs, hidden) for name in _PARTS]
        if len(parts) == len(self._last[0]) and all(
            a is b for a, b in zip(parts, self._last[0], strict=True)
        ):
            return self._last[1]
        found = {key: some for part in parts for key, some in part.items()}
        self._last = (list(parts), found)
        return found

    def _marks_in(
        self, name: str, inputs: TurnInputs, hidden: tuple[str, ...]
    ) -> dict[str, tuple[FoundSecret, ...]]:
        # What is in a section depends on all of the text that it is cut from.
        value = (getattr(inputs, name), *((inputs.attached,) if name == "found" else ()))
        known = self._seen.get(name)
        if (
            known is not None
            and known[1] == hidden
            and all(a is b for a, b in zip(known[0], value, strict=True))
        ):
            return known[2]
        texts: dict[str, list[FoundSecret]] = {}
        if name == "found":
            texts = {key: found for key, found in self._in_sections(inputs, hidden) if found}
        for key, text in _texts(name, value[0]):
            found = self._not_hidden(text, hidden)
            if found:
                texts.setdefault(key, []).extend(found)
        made = {key: tuple(found) for key, found in texts.items()}
        self._seen[name] = (value, hidden, made)
        return made

    def _in_sections(
        self, inputs: TurnInputs, hidden: tuple[str, ...]
    ) -> Iterator[tuple[str, list[FoundSecret]]]:
        """The secrets in sections of attachments, by the sections' own lines; one across two sections is in both."""
        attached = {one.key: one.text for one in inputs.attached}
        for one in inputs.found:
            if one.artifact:
                whole = attached.get(one.artifact, "")
                whole = whole if one.text in whole else one.text
                start = whole.find(one.text)
                found = self._overlapping(one.text, whole, hidden)
                yield one.id, [_moved(some, start, one.text) for some in found]

    def _overlapping(self, piece: str, whole: str, hidden: tuple[str, ...]) -> list[FoundSecret]:
        """The secrets of a text that overlap a piece of it; none where it is not a piece of it."""
        found = self._not_hidden(whole, hidden)
        start = whole.find(piece) if found else -1
        end = start + len(piece)
        return [one for one in found if start >= 0 and one.start < end and one.end > start]

    def _not_hidden(self, text: str, hidden: tuple[str, ...]) -> list[FoundSecret]:
        shown = []
        for found in self.finder.find(text):
            value = text[found.start : found.end]
            if not any(own in value or value in own for own in hidden):
                shown.append(replace(found, replaced=True) if self.mode == "replace" else found)
        return shown

    def _masked(self, text: str) -> str:
        return masked(text, self.finder.find(text))


def _moved(found: FoundSecret, start: int, piece: str) -> FoundSecret:
    """A finding of the whole text with positions relative to a piece that begins at `start`."""
    first, last = max(0, found.start - start), min(len(piece), found.end - start)
    return replace(found, line=1 + piece.count("\n", 0, first), start=first, end=last)


def masked(text: str, found: Iterable[FoundSecret]) -> str:
    """The text with a placeholder for each secret; unchanged where there is none."""
    pieces, at = [], 0
    for one in found:
        pieces += [text[at : one.start], one.replacement]
        at = one.end
    return "".join([*pieces, text[at:]]) if pieces else text


def _texts(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Every text of a part of a turn, with the id of its owner."""
    if isinstance(value, ContextSettings):
        yield from _instructions(value)
        return
    entries: tuple[Any, ...] = () if value is None else (value,) if isinstance(value, Message) else value
    for entry in entries:
        if name == "library":
            yield entry.key, entry.latest.text
            if entry.shelved.text != entry.latest.text:
                yield entry.key, entry.shelved.text
        elif name == "attached":
            yield entry.key, entry.text
        elif name == "found":
            if not entry.artifact:
                yield entry.id, entry.text
        elif isinstance(entry, Message):
            yield from ((entry.id, text) for text in entry.texts)
            yield from ((entry.id, call.arguments) for call in entry.tool_calls)
        else:
            command = command_of(entry)
            body = entry.body if command is None else command.result  # lines are those of what was read
            given = (body, getattr(entry, "error", None), getattr(entry, "reason", None))
            yield from ((entry.id, text) for text in given if text is not None)


def _instructions(settings: ContextSettings) -> Iterator[tuple[str, str]]:
    yield "persona", settings.persona_text
    yield "system", settings.system_prompt
    yield "tool_guidelines", settings.tool_guidelines
    yield "project", settings.project_instructions
    yield "memory", settings.user_memory
    for tool in settings.tools:
        yield f"tool:{tool.name}", f"{tool.description}\n{tool.schema_json}"
