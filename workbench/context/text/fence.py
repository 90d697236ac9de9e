"""Wrapper tags that no content can close or forge: each carries a fence derived from what it encloses."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from workbench.domain.text import digest_text

_SHORTEST_FENCE = 6
_REMEMBERED_CHARS = 500_000
_UNICODE = unicodedata.ucd_3_2_0
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_LATER_INVISIBLE = frozenset({0x061C, 0x115F, 0x1160, 0x180E, 0x3164, 0xFFA0})
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}


@dataclass(frozen=True, slots=True)
class Wrapped:
    """A body between its tags; the body is verbatim, and the closing line never occurs in it."""

    opening: str
    body: str
    closing: str

    @property
    def text(self) -> str:
        return self.around(self.body)

    def around(self, body: str) -> str:
        """The same tags around another body, such as a placeholder."""
        return f"{self.opening}{body}\n{self.closing}" if body else f"{self.opening}{self.closing}"


def wrap(tag: str, attributes: Iterable[tuple[str, str]], body: str, digest: str = "") -> Wrapped:
    """Put a body between fenced tags; byte-stable, because the fence comes from the body's own digest.

    `digest` is that digest where it is known already.
    """
    fence = fence_for(body, digest)
    shown = "".join(f' {name}="{escape_attribute(value)}"' for name, value in attributes)
    return Wrapped(f'<{tag}{shown} fence="{fence}">\n', body, f"</{tag} {fence}>\n")


def fence_for(body: str, digest: str = "") -> str:
    """The shortest prefix of the body's digest that does not occur in the body."""
    return (_known_fence if len(body) <= _REMEMBERED_CHARS else _fence)(body, digest)


@lru_cache(maxsize=64)
def _known_fence(body: str, digest: str) -> str:
    """A cached fence: while a question is typed, the same files are wrapped at every keystroke."""
    return _fence(body, digest)


def _fence(body: str, digest: str) -> str:
    digest = digest or digest_text(body)
    length = _SHORTEST_FENCE
    while digest[:length] in body:
        if length == len(digest):
            # Only text that holds its own SHA-256 comes here; hashing on ends all the same.
            digest, length = digest_text(digest), _SHORTEST_FENCE
            continue
        length += 1
    return digest[:length]


@lru_cache(maxsize=1024)
def escape_attribute(value: str) -> str:
    """A value that stays inside its quotes and on its line, without invisible characters."""
    if value.isascii() and value.isalnum():
        return value
    return "".join(_escape(character) for character in value)


def _escape(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    return f"&#{ord(character)};" if _is_invisible(character) else character


def _is_invisible(character: str) -> bool:
    """Whether a character is a control, a line separator, or changes direction or joining invisibly.

    By one fixed version of Unicode and a list of later additions: a request's bytes must not depend on the Python
    version.
    """
    if _UNICODE.category(character) in _INVISIBLE:
        return True
    code = ord(character)
    return code in _LATER_INVISIBLE or 0x2060 <= code <= 0x206F or 0xE0000 <= code <= 0xE0FFF
