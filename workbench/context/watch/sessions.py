"""Sessions that programs leave on disk, as the requests that they must have sent."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from workbench.context.watch.pieces import compact
from workbench.context.watch.reading import body_of, read_request
from workbench.domain.reading.loose_json import text_in
from workbench.domain.watch.exchange import Exchange, WatchedFormat

_FOREIGN_NAMED = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """A request and its answer, as a session has them; bodies are written only when they are looked at.

    Attributes:
        said: the messages before it, each as JSON. body: its other fields. answer: as its interface gives one.
    """

    at: float
    said: Sequence[str]
    body: Mapping[str, Any]
    answer: Mapping[str, Any]
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Session:
    """One session: its requests, and what of its file could not be used, in sentences."""

    format: WatchedFormat
    id: str = ""
    title: str = ""
    folder: str = ""
    asked: tuple[Asked, ...] = ()
    notes: tuple[str, ...] = ()

    def exchanges(self) -> Iterator[Exchange]:
        """The requests, one after the other: a long session does not fit into the memory many times over."""
        for n, one in enumerate(self.asked, 1):
            yield _exchange(n, self.format, one)


def first_question(session: Session) -> str:
    """What a person asked first, as far as the session has it."""
    for exchange in session.exchanges():
        pieces = read_request(exchange, body_of(exchange)).pieces
        return next((one.text for one in pieces if one.kind == "question" and one.text.strip()), "")
    return ""


def _exchange(n: int, name: WatchedFormat, one: Asked) -> Exchange:
    path, field_name = ("/v1/messages", "messages") if name == "anthropic" else ("/v1/responses", "input")
    head = compact(dict(one.body))[:-1]
    joined = f"{head}{',' if one.body else ''}{json.dumps(field_name)}:[{','.join(one.said)}]}}"
    request = joined.encode("utf-8", "replace")
    answer = compact(dict(one.answer)).encode("utf-8", "replace")
    return Exchange(
        n, name, "POST", path, one.at, one.headers, request, len(request), 200, answer, len(answer)
    )  # fmt: skip


@dataclass(slots=True)
class Lines:
    """The lines of a file that are JSON objects; those that are not are counted."""

    broken: int = 0
    foreign: Counter[str] = field(default_factory=Counter)

    def objects(self, lines: Iterable[str]) -> Iterator[dict[str, Any]]:
        for line in lines:
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                value = None
            if isinstance(value, dict):
                yield value
            else:
                self.broken += 1

    def notes(self) -> tuple[str, ...]:
        """What could not be used, in sentences."""
        found = []
        if self.broken:
            found.append("1 line is damaged." if self.broken == 1 else f"{self.broken:,} lines are damaged.")
        if count := self.foreign.total():
            named = ", ".join(f"“{kind[:40]}”" for kind, _ in self.foreign.most_common(_FOREIGN_NAMED))
            found.append(
                f"1 line of an unknown kind was left out: {named}." if count == 1
                else f"{count:,} lines of unknown kinds were left out: {named}."
            )  # fmt: skip
        return tuple(found)


def time_in(line: Mapping[str, Any]) -> float:
    """When a line was written, in seconds since 1970; 0 where it does not say."""
    try:
        return datetime.fromisoformat(text_in(line, "timestamp")).astimezone(UTC).timestamp()
    except (ValueError, OverflowError):
        return 0.0
