"""Parses JSON from other programs: the result is a value, or one line that says why not."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from math import isinf
from typing import Any

from workbench.domain.errors import InvalidInput
from workbench.domain.text import repair_text
from workbench.domain.translation import tr

_BLANKS = re.compile(r"[ \t\n\r]*")
_OUTER_LEVELS = 4
_PIECE = 1024 * 1024
_SHORT = 32 * 1024
"""So many characters the decoder may read in one go: a fraction of a millisecond."""


class PiecewiseReader:
    """Parses a JSON text level by level; raises what `json` raises for an invalid text.

    The outer levels, which hold the many things of a large file, are walked here; each thing in them that is short is
    left to the decoder, which is quicker and lets go of nothing while it reads.
    """

    def __init__(self, text: str, decoder: json.JSONDecoder) -> None:
        self._text, self._decoder = text, decoder

    def read(self) -> Any:
        value, at = self._value(self._next(0), 0)
        end = self._next(at)
        if end != len(self._text):
            raise self._decode_error("Extra data", end)
        return value

    def _value(self, at: int, depth: int) -> tuple[Any, int]:
        sign = self._text[at : at + 1]
        if depth >= _OUTER_LEVELS or sign not in ("{", "["):
            return self._decoder.raw_decode(self._text, at)
        try:
            # Whatever ends within a short piece is whole: its last sign is the bracket that closes it.
            value, length = self._decoder.raw_decode(self._text[at : at + _SHORT])
            return value, at + length
        except json.JSONDecodeError:
            walk = self._object if sign == "{" else self._array
            return walk(self._next(at + 1), depth)

    def _array(self, at: int, depth: int) -> tuple[Any, int]:
        found: list[Any] = []
        more = self._text[at : at + 1] != "]"
        while more:
            value, at = self._value(at, depth + 1)
            found.append(value)
            at, more = self._after(at, "]")
        return found, at + 1

    def _object(self, at: int, depth: int) -> tuple[Any, int]:
        found: dict[str, Any] = {}
        more = self._text[at : at + 1] != "}"
        while more:
            if self._text[at : at + 1] != '"':
                raise self._decode_error("Expecting property name enclosed in double quotes", at)
            name, at = self._decoder.raw_decode(self._text, at)
            at = self._next(at)
            if self._text[at : at + 1] != ":":
                raise self._decode_error("Expecting ':' delimiter", at)
            found[name], at = self._value(self._next(at + 1), depth + 1)
            at, more = self._after(at, "}")
        return found, at + 1

    def _after(self, at: int, closing: str) -> tuple[int, bool]:
        """Position of the next item or of the closing bracket, and whether there is a next item."""
        at = self._next(at)
        sign = self._text[at : at + 1]
        if sign not in (",", closing):
            raise self._decode_error("Expecting ',' delimiter", at)
        return (self._next(at + 1), True) if sign == "," else (at, False)

    def _next(self, at: int) -> int:
        blanks = _BLANKS.match(self._text, at)
        return at if blanks is None else blanks.end()

    def _decode_error(self, what: str, at: int) -> json.JSONDecodeError:
        return json.JSONDecodeError(what, self._text, at)


DEEPEST_NESTING = 200
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_TOO_DEEP = tr("nested more than {deepest_nesting} levels deep", deepest_nesting=DEEPEST_NESTING)


def read_text(raw: bytes) -> str:
    """Decodes UTF-8, with or without a byte order mark; in pieces, since each stops all threads."""
    start, pieces = len(codecs.BOM_UTF8) if raw.startswith(codecs.BOM_UTF8) else 0, []
    while start < len(raw):
        end = start + _PIECE
        # Between two characters: those of three bytes more are the longest.
        end = next((cut for cut in range(end, end + 4) if cut >= len(raw) or raw[cut] & 0xC0 != 0x80), end)
        try:
            pieces.append(raw[start:end].decode())
        except UnicodeDecodeError as error:
            raise InvalidInput(f"byte {start + error.start}", tr("not valid UTF-8")) from None
        start = end
    return "".join(pieces)


def parse(text: str) -> Any:
    """Parse JSON; lone surrogates, which JSON can carry, are left in the value."""
    try:
        decoder = json.JSONDecoder(parse_float=_number, parse_constant=_refuse)
        value = PiecewiseReader(text, decoder).read()
    except json.JSONDecodeError as error:
        place = tr("line {lineno} column {colno}", lineno=error.lineno, colno=error.colno)
        raise InvalidInput(place, tr("not valid JSON: {msg}", msg=error.msg)) from None
    except RecursionError:
        raise InvalidInput("", _TOO_DEEP) from None
    except ValueError:
        raise InvalidInput("", tr("a number in it is too large")) from None
    if not _holds_each_other(value):
        _check_depth(value)
    return value


def _holds_each_other(value: object) -> bool:
    """Whether messages are nested inside the ones they answer: such a document is as deep as the chat is long."""
    return isinstance(value, dict) and "conversationId" in value


def opens_list(raw: bytes) -> bool:
    """Whether a file begins with a list."""
    return raw[:200].removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["


def listed(raw: bytes, number: int) -> Iterator[tuple[list[Any], int]]:
    """The items of a long list in batches of `number`, each with the bytes read so far; only a batch is in memory."""
    reader = _ListReader(raw)
    some: list[Any] = []
    for thing in reader.things():
        some.append(thing)
        if len(some) == number:
            yield some, reader.read_bytes
            some = []
    if some:
        yield some, len(raw)


class _ListReader:
    """Decodes a list incrementally: decoding the whole file would take up to four times its size in memory."""

    def __init__(self, raw: bytes) -> None:
        self._raw, self.read_bytes = raw, 0
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._json = json.JSONDecoder(parse_float=_number, parse_constant=_refuse)
        self._text, self._at = "", 0

    def things(self) -> Iterator[Any]:
        """Each item; raises `InvalidInput` where the list is broken, after the items before."""
        self._next_char()
        self._at += 1
        while (sign := self._next_char()) != "]":
            if sign == ",":
                self._at += 1
            elif sign == "":
                raise InvalidInput("", tr("the file ends in the middle; what came before is there"))
            else:
                yield self._next_item()

    def _next_char(self) -> str:
        """The next character that is not whitespace; empty at the end."""
        while True:
            blanks = _BLANKS.match(self._text, self._at)
            self._at = self._at if blanks is None else blanks.end()
            if self._at < len(self._text) or not self._more(_PIECE):
                return self._text[self._at : self._at + 1]

    def _next_item(self) -> Any:
        wanted = _PIECE
        while True:
            try:
                thing, end = self._json.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._more(wanted):
                    reason = tr("not valid JSON: {msg}; what came before is there", msg=error.msg)
                    raise InvalidInput(f"byte {self.read_bytes}", reason) from None
                wanted *= 2
                continue
            except RecursionError:
                raise InvalidInput("", _TOO_DEEP) from None
            # Most chats have fewer brackets than that; looking into every value took as long as decoding.
            brackets = self._text.count("{", self._at, end) + self._text.count("[", self._at, end)
            if brackets > DEEPEST_NESTING:
                _check_depth(thing)
            thing = repaired(thing, self._text[self._at : end])
            self._at = end
            return thing

    def _more(self, number: int) -> bool:
        piece = self._raw[self.read_bytes : self.read_bytes + number]
        if not piece:
            return False
        self.read_bytes += len(piece)
        try:
            more = self._decoder.decode(piece, final=self.read_bytes >= len(self._raw))
        except UnicodeDecodeError:
            raise InvalidInput(
                f"byte {self.read_bytes - len(piece)}", tr("not valid UTF-8 after it")
            ) from None
        self._text, self._at = self._text[self._at :] + more, 0
        return True


def parse_repaired(text: str) -> Any:
    """Parse JSON, with lone surrogates replaced."""
    return repaired(parse(text), text)


def parse_lines(text: str) -> tuple[list[Any], list[str]]:
    """Parse JSON lines, and the numbers of the invalid ones; empty lines are skipped."""
    values, problems = [], []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                values.append(parse_repaired(line))
            except InvalidInput as problem:
                problems.append(tr("line {number}: {reason}; left out", number=number, reason=problem.reason))
    return values, problems


def _number(digits: str) -> float:
    number = float(digits)
    return _refuse(digits) if isinf(number) else number


def _refuse(name: str) -> float:
    raise InvalidInput("", tr("{name} is not a number that JSON knows", name=name[:20]))


def _check_depth(root: object) -> None:
    level: list[Any] = [root] if isinstance(root, dict | list) else []
    for _ in range(DEEPEST_NESTING + 1):
        if not level:
            return
        # The decoder makes these two types and no other; a call for every value took longer than reading it.
        level = [
            child
            for value in level
            for child in (value.values() if type(value) is dict else value)
            if type(child) is dict or type(child) is list
        ]
    raise InvalidInput("", _TOO_DEEP)


def repaired(value: Any, text: str) -> Any:
    """A parsed value with lone surrogates replaced."""
    # Most files have none: looking into their text once is much quicker than into every value.
    return _repaired(value) if _HALF.search(text) or repair_text(text) != text else value


def _repaired(value: Any) -> Any:
    if isinstance(value, str):
        return repair_text(value)
    if isinstance(value, list):
        return [_repaired(item) for item in value]
    if isinstance(value, dict):
        return {repair_text(key): _repaired(item) for key, item in value.items()}
    return value


# Times of other programs as ours: UTC, written `2026-01-01T12:00:00Z`, with a fraction where there is one.


_SLASHES = re.compile(r"(\d{4})/(\d\d)/(\d\d)")
_STAMP = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z", re.ASCII)
_LONGEST = 40
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_utc(time: object, per_second: int = 1) -> str | None:
    """A time given as text or counted since 1970, in ISO form; None if it is neither. No zone means UTC."""
    moment = parse_moment(time, per_second)
    return None if moment is None else written(moment)


def parse_moment(time: object, per_second: int = 1) -> datetime | None:
    """Parse a time to a UTC datetime; a number may be counted in parts of a second."""
    try:
        if isinstance(time, str) and len(time) <= _LONGEST:
            return _in_utc(datetime.fromisoformat(_SLASHES.sub(r"\1-\2-\3", time.strip())))
        if isinstance(time, int | float) and not isinstance(time, bool):
            return EPOCH + timedelta(seconds=time / per_second)
    except (ValueError, OverflowError):
        pass
    return None


def written(moment: datetime) -> str:
    """Format a UTC datetime as it is stored, with milliseconds if it has a fraction."""
    whole = moment.replace(tzinfo=None)
    return whole.isoformat(timespec="milliseconds" if whole.microsecond >= 1000 else "seconds") + "Z"


def to_stamp(moment: datetime) -> str:
    """Format a time as in the names of Elara's files: `20250824T163625123Z`."""
    return f"{moment:%Y%m%dT%H%M%S}".rjust(15, "0") + f"{moment.microsecond // 1000:03}Z"


def from_stamp(stamp: str) -> str | None:
    """Parses the time at the start of a name of Elara's files."""
    found = _STAMP.match(stamp)
    if found is None:
        return None
    year, month, day, hour, minute, second, thousandth = found.groups()
    return to_utc(f"{year}-{month}-{day}T{hour}:{minute}:{second}.{thousandth}+00:00")


def _in_utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
