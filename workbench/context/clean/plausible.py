"""Whether something that stands where a secret would is one: placeholders, names of variables and hashes are not."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

# What people write where a secret belongs; none of it occurs in a random one by chance.
_PLACEHOLDER = re.compile(
    r"(?i)xxxx|\*\*\*|\.\.\.|…|••|[<>{}]|\$\(|%\(|example|placeholder|changeme|change_me|change-me|replace|redacted|"
    r"dummy|(?:^|[^a-z])(?:your|my|some|fake|test|none|null|true|false|todo|undefined|insert|sample)(?:[^a-z]|$)|"
    r"your[_-]?|api[_-]?key|[_-]here|password|passwort|passwd|secret|hunter2|correcthorse|abcdefgh|12345678|deadbeef"
)
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HASH_DIGITS = frozenset({32, 40, 48, 56, 64, 96, 128})
_HEX = re.compile(r"(?:sha\d{1,3}[:-]|md5[:-])?[0-9a-fA-F]+", re.ASCII)
_DOTTED_NAME = re.compile(r"[$@!]?[A-Za-z_][A-Za-z_-]*\d?(?:(?:\.|::|->)[A-Za-z_]\w*)*")
_VARIABLE = re.compile(r"\$\w+|%\w+%|(?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*", re.ASCII)
_PATH = re.compile(r"(?:~|\.{0,2}|[A-Za-z]:)?/[\w.~/-]*|https?://\S*")
_METHOD = re.compile(
    r"(?i)(?:sha|md|bcrypt|scrypt|argon|pbkdf|hmac|base|utf|aes|rsa|oauth|pkcs|latin)[-_]?\d.*"
)
_LONGEST_WEIGHED = 120


def looks_real(rest: str, few: int = 6) -> bool:
    """Whether what follows the beginning of a key is one: different characters, no placeholder, no row of them."""
    head = rest[:_LONGEST_WEIGHED]
    return len(set(head)) >= few and _PLACEHOLDER.search(head) is None and not _is_counted_up(head)


def looks_random(value: str) -> bool:
    """Whether it is a long token and no words."""
    return looks_real(value, few=10) and _digits(value) > 0 and _bits(value) >= 60


def looks_secret(value: str, *, literal: bool, key: bool) -> bool:
    """Whether it is what its name says; `literal`: it cannot be a name of something; `key`: nobody calls a hash so."""
    if not looks_real(value, few=5) or _UUID.fullmatch(value) or _PATH.fullmatch(value):
        return False
    if _VARIABLE.fullmatch(value) and _turns(value) < 3:
        return False
    if _HEX.fullmatch(value) and (len(value.rpartition(":")[2]) in _HASH_DIGITS or value.isdigit()):
        return key and not value.isdigit() and "-" not in value and ":" not in value
    if _DOTTED_NAME.fullmatch(value) and not (literal and _digits(value)):
        # Only letters: a word, a name, or a phrase. A random one of that length has letters of both sizes all over.
        return literal and _sizes_change(value) >= 4 and _bits(value) >= 40
    if not literal and re.fullmatch(r"[\w.-]+", value) and _turns(value) < 3:
        return False
    return _classes(value) >= 2 and _bits(value) >= (24 if _classes(value) >= 3 else 26)


def looks_typed(value: str, *, literal: bool) -> bool:
    """Whether it is what a person takes for a password: letters with digits, or with a digit and a sign."""
    if not looks_real(value, few=4) or any(
        other.fullmatch(value) for other in (_UUID, _PATH, _HEX, _VARIABLE, _METHOD)
    ):
        return False
    if not literal and (_DOTTED_NAME.fullmatch(value) or re.search(r"[_/]", value)):
        return False
    signs = sum(not char.isalnum() and char not in "_-./:" for char in value)
    return (
        any(char.isalpha() for char in value) and _digits(value) + min(signs, 1) >= 2 and _digits(value) > 0
    )


def _bits(value: str) -> float:
    """How much there is to guess, were its characters drawn as often as they occur in it."""
    head = value[:_LONGEST_WEIGHED]
    counts = Counter(head).values()
    return -sum(count * math.log2(count / len(head)) for count in counts)


def _classes(value: str) -> int:
    """How many of small letters, capitals, digits and signs it has; what joins words is no sign."""
    found = (
        any(char.islower() for char in value),
        any(char.isupper() for char in value),
        any(char.isdigit() for char in value),
        any(not char.isalnum() and char not in "_-." for char in value),
    )
    return sum(found)


def _digits(value: str) -> int:
    return sum(char.isdigit() for char in value)


def _turns(value: str) -> int:
    """How often a letter and a digit stand side by side."""
    pairs = pairwise(value)
    return sum((a.isdigit() and b.isalpha()) or (a.isalpha() and b.isdigit()) for a, b in pairs)


def _sizes_change(value: str) -> int:
    pairs = pairwise(value)
    return sum(a.islower() and b.isupper() for a, b in pairs)


def _is_counted_up(value: str) -> bool:
    """abcdef…, 123456…: most characters are the one after the last."""
    steps = sum(ord(b) - ord(a) == 1 for a, b in pairwise(value))
    return steps * 2 > len(value)
