"""OpenAI's encodings as a Tokenizer: offline, from rank files that are verified before tiktoken gets them.

tiktoken's own loader deletes a damaged rank file and downloads a new one, so it is never called: the files are read and
checked here, and the patterns are written out below (a test compares them with tiktoken's).
"""

from __future__ import annotations

import hashlib
import io
import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.text import repair_text
from workbench.domain.translation import tr

if TYPE_CHECKING:
    from tiktoken import Encoding


@dataclass(frozen=True, slots=True)
class _RankFile:
    """One encoding: its file (named as in tiktoken's cache), that file's digest, and the splitting pattern."""

    file_name: str
    sha256: str
    pattern: str


_LETTERS_O200K = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
_CAPITALS_O200K = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
_CONTRACTION_O200K = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"

RANK_FILES = {
    "cl100k_base": _RankFile(
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    ),
    "o200k_base": _RankFile(
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        rf"[^\r\n\p{{L}}\p{{N}}]?{_LETTERS_O200K}{_CONTRACTION_O200K}"
        rf"|[^\r\n\p{{L}}\p{{N}}]?{_CAPITALS_O200K}{_CONTRACTION_O200K}"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    ),
}

# The patterns' whitespace without line ends. About a million of these in a row, with no line end after them,
# overrun the backtracking limit of tiktoken's regex engine, which then panics with a BaseException.
_BLANKS = "\t\v\f \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_PANICKING_RUN = 999_999
# A multiple of the longest tokens of spaces (128) and of tabs and the like (16): cutting there keeps the count.
_LONGEST_RUN = 999_936

_BYTES_AT_ONCE = 100_000
_REMEDY = tr(
    "Reinstall the program, or copy the file of this name from another installation; nothing is fetched."
)


class TiktokenTokenizer:
    """Counts tokens as OpenAI's models do; control tokens such as <|endoftext|> count as plain text.

    The ranks are loaded at the first count (about 0.3 s), once for all tokenizers of the same name and folder; two
    threads may both load them, which is harmless. Where only a `few_texts` are to be counted, each is counted by the
    ranks that occur in it, which is the same count; all are loaded when the texts become many.
    """

    def __init__(self, name: str, encodings: Path, *, few_texts: bool = False) -> None:
        if name not in RANK_FILES:
            raise InvalidInput(
                "tokenizer",
                tr("expected one of {rank_files}, got {name!r}", rank_files=", ".join(RANK_FILES), name=name),
            )
        self._name = name
        self._encodings = encodings
        self._lookups_left = _FEW_LOOKUPS if few_texts else 0

    @property
    def name(self) -> str:
        """The encoding's name, such as o200k_base."""
        return self._name

    def count(self, text: str) -> int:
        """Counts the tokens of a text."""
        return len(self._encode(text))

    def common_prefix(self, left: str, right: str) -> int:
        """Counts the tokens that both texts start with."""
        pairs = zip(self._encode(left), self._encode(right), strict=False)
        length = 0
        for length, (one, other) in enumerate(pairs, start=1):
            if one != other:
                return length - 1
        return length

    def tokens(self, text: str) -> list[tuple[int, bytes]]:
        """Returns the tokens of a text: their ids and bytes."""
        piece = self._encoding.decode_single_token_bytes
        return [(number, piece(number)) for number in self._encode(text)]

    def _encode(self, text: str) -> list[int]:
        text = _sendable(text)
        encode = (self._small_encoding(text) or self._encoding).encode_ordinary
        if len(text) < _PANICKING_RUN:
            return encode(text)
        ends = pairwise((0, *_cuts_in_long_blank_runs(text), len(text)))
        return [token for start, end in ends for token in encode(text[start:end])]

    def _small_encoding(self, text: str) -> Encoding | None:
        """The encoding of this text alone; None where that would take longer than loading all of it."""
        stretches = _stretches(text) if len(text) < self._lookups_left else set()
        lookups = sum(len(each) * min(len(each), _LONGEST_TOKEN) for each in stretches)
        if not stretches or lookups > self._lookups_left:
            self._lookups_left = 0
            return None
        self._lookups_left -= lookups
        return _load_some(self._name, self._encodings, stretches)

    @cached_property
    def _encoding(self) -> Encoding:
        _rank_words.cache_clear()
        return _load(self._name, self._encodings)


# What a merge of bytes looks up are pieces of the text: the ranks of all others change nothing.

_FEW_LOOKUPS = 60_000
_LONGEST_TOKEN = 128
_WORD_BETWEEN_BLANKS = re.compile(rb"\s*\S+(?=(\s*))")


def _stretches(text: str) -> set[bytes]:
    """The words of a text with the blanks around them: no token reaches from one word into another."""
    content = text.encode()
    found = {word[0] + word[1] for word in _WORD_BETWEEN_BLANKS.finditer(content)}
    return found or {content or b" "}


def _load_some(name: str, encodings: Path, stretches: Iterable[bytes]) -> Encoding:
    known, words = RANK_FILES[name], _rank_words(name, encodings)
    ranks: dict[bytes, int] = {}
    for stretch in stretches:
        for start in range(len(stretch)):
            for end in range(start + 1, min(len(stretch), start + _LONGEST_TOKEN) + 1):
                piece = stretch[start:end]
                if (rank := words.get(b2a_base64(piece, newline=False))) is not None:
                    ranks[piece] = int(rank)
    return _encoding_of(name, ranks, known.pattern)


@cache
def _rank_words(name: str, encodings: Path) -> dict[bytes, bytes]:
    """The ranks as they stand in the file, which is read five times faster so than into tiktoken's tables."""
    known = RANK_FILES[name]
    words = iter(_read_file(encodings / known.file_name, known.sha256).split())
    return dict(zip(words, words, strict=True))


@cache
def _load(name: str, encodings: Path) -> Encoding:
    """Loads an encoding, once for all who count with it: its two hundred thousand ranks never change."""
    known = RANK_FILES[name]
    encoding = _encoding_of(name, _read_ranks(encodings / known.file_name, known.sha256), known.pattern)
    # It has copied them into tables of its own, which count; what it would give away of them is 26 MB.
    encoding._mergeable_ranks = {}
    return encoding


def _encoding_of(name: str, ranks: dict[bytes, int], pattern: str) -> Encoding:
    from tiktoken import Encoding  # slow to import: only when something is counted

    return Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


def _read_file(path: Path, expected: str) -> bytes:
    """The content of a rank file, if it is what it should be."""
    try:
        content = path.read_bytes()
    except OSError as error:
        reason = tr("the token ranks cannot be read ({strerror})", strerror=error.strerror)
        raise WorkbenchError(f"{path}: {reason}. {_REMEDY}") from error
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        raise WorkbenchError(
            tr(
                "{path}: the token ranks are damaged: expected SHA-256 {expected}, "
                "found {found}. The file was left as it is. {remedy}",
                path=path,
                expected=expected,
                found=found,
                remedy=_REMEDY,
            )
        )
    return content


def _read_ranks(path: Path, expected: str) -> dict[bytes, int]:
    # Some at a time: one by one takes much longer, and all lines at once are as large as the ranks themselves.
    ranks: dict[bytes, int] = {}
    source = io.BytesIO(_read_file(path, expected))
    while lines := source.readlines(_BYTES_AT_ONCE):
        words = b"".join(lines).split()
        ranks.update(zip(map(a2b_base64, words[::2]), map(int, words[1::2]), strict=True))
    return ranks


def _sendable(text: str) -> str:
    """Replaces lone surrogates, as in what is sent; trying to encode is 10 times faster than searching for them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return repair_text(text)
    return text


def _cuts_in_long_blank_runs(text: str) -> list[int]:
    """Returns where to cut runs of blanks that would make tiktoken panic.

    A run of n blanks covers an index that is a multiple of n, so only those are checked. A run before a line end stays
    whole, since the patterns match it without backtracking.
    """
    cuts: list[int] = []
    end = 0
    for probe in range(0, len(text), _PANICKING_RUN):
        if probe < end or text[probe] not in _BLANKS:
            continue
        start = end + len(text[end:probe].rstrip(_BLANKS))
        end = len(text) - len(text[probe:].lstrip(_BLANKS))
        if end - start >= _PANICKING_RUN and not text.startswith(("\r", "\n"), end):
            cuts.extend(range(start + _LONGEST_RUN, end, _LONGEST_RUN))
    return cuts
