"""OpenAI's encodings as a Tokenizer: offline, from rank files that are verified before tiktoken gets them.

tiktoken's own loader deletes a damaged rank file and downloads a new one, so it is never called: the files are read and
checked here, and the patterns are written out below (a test compares them with tiktoken's).
"""

from __future__ import annotations

import hashlib
import io
from binascii import a2b_base64
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.text import repair_text

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
_REMEDY = (
    "Reinstall the program, or copy the file of this name from another installation; nothing is fetched."
)


class TiktokenTokenizer:
    """Counts tokens as OpenAI's models do; control tokens such as <|endoftext|> count as plain text.

    The ranks are loaded at the first count (about 0.3 s), once for all tokenizers of the same name and folder; two
    threads may both load them, which is harmless.
    """

    def __init__(self, name: str, encodings: Path) -> None:
        if name not in RANK_FILES:
            raise InvalidInput("tokenizer", f"expected one of {', '.join(RANK_FILES)}, got {name!r}")
        self._name = name
        self._encodings = encodings

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
        encode = self._encoding.encode_ordinary
        text = _sendable(text)
        if len(text) < _PANICKING_RUN:
            return encode(text)
        ends = pairwise((0, *_cuts_in_long_blank_runs(text), len(text)))
        return [token for start, end in ends for token in encode(text[start:end])]

    @cached_property
    def _encoding(self) -> Encoding:
        return _load(self._name, self._encodings)


@cache
def _load(name: str, encodings: Path) -> Encoding:
    """Loads an encoding, once for all who count with it: its two hundred thousand ranks never change."""
    from tiktoken import Encoding  # slow to import: only when something is counted

    known = RANK_FILES[name]
    ranks = _read_ranks(encodings / known.file_name, known.sha256)
    encoding = Encoding(name, pat_str=known.pattern, mergeable_ranks=ranks, special_tokens={})
    # It has copied them into tables of its own, which count; what it would give away of them is 26 MB.
    encoding._mergeable_ranks = {}
    return encoding


def _read_ranks(path: Path, expected: str) -> dict[bytes, int]:
    try:
        content = path.read_bytes()
    except OSError as error:
        reason = f"the token ranks cannot be read ({error.strerror})"
        raise WorkbenchError(f"{path}: {reason}. {_REMEDY}") from error
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        raise WorkbenchError(
            f"{path}: the token ranks are damaged: expected SHA-256 {expected}, found {found}. "
            f"The file was left as it is. {_REMEDY}"
        )
    # Some at a time: one by one takes much longer, and all lines at once are as large as the ranks themselves.
    ranks: dict[bytes, int] = {}
    source = io.BytesIO(content)
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
