"""Finds keys and passwords in texts by their form, in one linear pass for each kind.

A pattern runs only where its literal prefix occurs. No pattern can backtrack over a stretch of text twice: each starts
at the beginning of a word and only moves on.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from workbench.context.text.changed_text import Edit, edited_lines
from workbench.domain.secrets import FoundSecret, SecretKind

# Whether something that stands where a secret would is one: placeholders, names of variables and hashes are not.


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
    """Whether what follows a key's prefix is random enough: varied characters, no placeholder, no sequence."""
    head = rest[:_LONGEST_WEIGHED]
    return len(set(head)) >= few and _PLACEHOLDER.search(head) is None and not _is_sequence(head)


def looks_random(value: str) -> bool:
    """Whether a value is a long random token rather than words."""
    return looks_real(value, few=10) and _digits(value) > 0 and _bits(value) >= 60


def looks_secret(value: str, *, literal: bool, key: bool) -> bool:
    """Whether a value named as a secret is one; `literal`: it is no identifier; `key`: hashes are not named so."""
    if not looks_real(value, few=5) or _UUID.fullmatch(value) or _PATH.fullmatch(value):
        return False
    if _VARIABLE.fullmatch(value) and _letter_digit_changes(value) < 3:
        return False
    if _HEX.fullmatch(value) and (len(value.rpartition(":")[2]) in _HASH_DIGITS or value.isdigit()):
        return key and not value.isdigit() and "-" not in value and ":" not in value
    if _DOTTED_NAME.fullmatch(value) and not (literal and _digits(value)):
        # Only letters: a word, a name, or a phrase. A random one of that length has letters of both sizes all over.
        return literal and _sizes_change(value) >= 4 and _bits(value) >= 40
    if not literal and re.fullmatch(r"[\w.-]+", value) and _letter_digit_changes(value) < 3:
        return False
    return _classes(value) >= 2 and _bits(value) >= (24 if _classes(value) >= 3 else 26)


def looks_typed(value: str, *, literal: bool) -> bool:
    """Whether a value looks like a typed password: letters with digits, or with a digit and a sign."""
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
    """Shannon entropy of the value's characters, in bits for the whole value."""
    head = value[:_LONGEST_WEIGHED]
    counts = Counter(head).values()
    return -sum(count * math.log2(count / len(head)) for count in counts)


def _classes(value: str) -> int:
    """How many of lower case, upper case, digits and signs occur; characters that join words are no signs."""
    found = (
        any(char.islower() for char in value),
        any(char.isupper() for char in value),
        any(char.isdigit() for char in value),
        any(not char.isalnum() and char not in "_-." for char in value),
    )
    return sum(found)


def _digits(value: str) -> int:
    return sum(char.isdigit() for char in value)


def _letter_digit_changes(value: str) -> int:
    """How often a letter and a digit are adjacent."""
    pairs = pairwise(value)
    return sum((a.isdigit() and b.isalpha()) or (a.isalpha() and b.isdigit()) for a, b in pairs)


def _sizes_change(value: str) -> int:
    pairs = pairwise(value)
    return sum(a.islower() and b.isupper() for a, b in pairs)


def _is_sequence(value: str) -> bool:
    """Whether most characters follow the one before them, as in abcdef or 123456."""
    steps = sum(ord(b) - ord(a) == 1 for a, b in pairwise(value))
    return steps * 2 > len(value)


class _Rule(NamedTuple):
    """Keys with a common prefix; the first `shown` characters may be shown, because all of them begin so."""

    kind: SecretKind
    begins: str
    goes_on: str
    shown: int = -1


_RULES = (
    _Rule("anthropic", "sk-ant-", r"[A-Za-z0-9_-]{20,}"),
    _Rule("openrouter", "sk-or-", r"[A-Za-z0-9_-]{20,}"),
    _Rule("openai", "sk-proj-", r"[A-Za-z0-9_-]{20,}"),
    _Rule("openai", "sk-svcacct-", r"[A-Za-z0-9_-]{20,}"),
    _Rule("openai", "sk-admin-", r"[A-Za-z0-9_-]{20,}"),
    _Rule("openai", "sk-", r"[A-Za-z0-9]{32,}"),
    *(_Rule("github", f"gh{kind}_", r"[A-Za-z0-9]{36,}") for kind in "pousr"),
    _Rule("github", "github_pat_", r"[A-Za-z0-9_]{22,}"),
    _Rule("gitlab", "glpat-", r"[A-Za-z0-9_-]{20,}"),
    _Rule("aws", "AKIA", r"[A-Z2-7]{16}"),
    _Rule("aws", "ASIA", r"[A-Z2-7]{16}"),
    _Rule("google", "AIza", r"[A-Za-z0-9_-]{35}"),
    _Rule("google", "GOCSPX-", r"[A-Za-z0-9_-]{24,}"),
    _Rule("slack", "xox", r"[abeoprs]-(?:\d-)?[A-Za-z0-9-]{16,}", 5),
    _Rule("stripe", "sk_live_", r"[A-Za-z0-9]{16,}"),
    _Rule("stripe", "rk_live_", r"[A-Za-z0-9]{16,}"),
    _Rule("jwt", "eyJ", r"[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}"),
    _Rule("npm", "npm_", r"[A-Za-z0-9]{36,}"),
    _Rule("pypi", "pypi-", r"[A-Za-z0-9_-]{60,}"),
    _Rule("hugging_face", "hf_", r"[A-Za-z0-9]{30,}"),
    _Rule("groq", "gsk_", r"[A-Za-z0-9]{40,}"),
    _Rule("twilio", "AC", r"[0-9a-f]{32}"),
    _Rule("twilio", "SK", r"[0-9a-f]{32}"),
    _Rule("sendgrid", "SG.", r"[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{32,}"),
)
# A key begins where no word goes on; a line end written as \n, or an escape in an address, ends the word before it.
_BEFORE = r"(?:(?<![A-Za-z0-9_-]{begins})|(?<=\\[nrt]{begins})|(?<=%[0-9A-Fa-f]{{2}}{begins}))"
_AFTER = r"(?![A-Za-z0-9_-])"


@cache  # most texts hold what few of the rules begin with, and compiling all took 20 ms of a start
def _compiled(rule: _Rule) -> re.Pattern[str]:
    # What a pattern begins with stands first, so that it is looked for as quickly as a plain text.
    begins = re.escape(rule.begins)
    return re.compile(f"{begins}{_BEFORE.format(begins=begins)}(?P<rest>{rule.goes_on}){_AFTER}")


_PEM = re.compile(r"-----BEGIN (?=[A-Z])(?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BEGINS, _PEM_ENDS = "-----BEGIN ", "-----END "
_PEM_BODY = re.compile(r"[A-Za-z0-9+/=]{16}")
_PEM_HEAD_CHARS, _PEM_MOST_CHARS = 1_000, 20_000

_SIGNATURE = re.compile(r"sig=(?<=[?&;]sig=)(?P<secret>[A-Za-z0-9%+/=]{40,200})")
_ACCOUNT_KEY = re.compile(r"AccountKey=(?P<secret>[A-Za-z0-9+/]{60,100}={0,2})")
_ADDRESS = re.compile(
    r"""://(?P<user>[^\s/:@"'`<>\\?#]{0,100}):(?P<secret>[^\s/:@"'`<>\\]{4,200})@[A-Za-z0-9\[]"""
)
_BEARER = re.compile(r"bearer[ \t]{1,4}(?P<secret>[A-Za-z0-9._~+/=-]{20,8000})")

# What a value is called, and what it is then; a name may have more before it (DB_PASSWORD, x-api-key).
_NAMES: tuple[tuple[SecretKind, tuple[str, ...]], ...] = (
    ("aws_secret", ("secret_access_key", "secretaccesskey")),
    ("api_key", ("api_key", "apikey", "api-key", "access_key", "accesskey", "secret_key", "secretkey", "private_key")),
    ("password", ("password", "passwd", "passphrase", "pwd")),
    ("token", ("token",)),
    ("secret", ("secret",)),
)  # fmt: skip
_VALUE = (
    r"""\d{0,2}(?P<open>\\?["'`])?\]?[ \t]{0,8}(?P<by>:=|=>|=|:)[ \t]{0,8}"""
    r"""(?:(?P<quote>\\?["'`])(?P<quoted>[^\s"'`\\]{8,300})(?=\\?["'`])|(?P<bare>[^\s"'`\\,;<>(){}\[\]|&]{8,300})(?![("'`\[{\\]))"""
)
# People's passwords are shorter; a bare one is taken whole, so that the beginning of a call is none.
_TYPED_VALUE = _VALUE.replace("{8,300}", "{6,300}+")
_ORDER = tuple(kind for kind, _ in _NAMES)


@cache
def _named(kind: SecretKind, name: str) -> re.Pattern[str]:
    return re.compile(re.escape(name) + (_TYPED_VALUE if kind == "password" else _VALUE))


_ENV_NAME = re.compile(r"(?:^|\n)[ \t]*(?:export[ \t]+)?[A-Z0-9_]{0,60}$")
_LONGEST_NAME = 80


def find_secrets(text: str) -> tuple[FoundSecret, ...]:
    """The keys and passwords in a text, in order; where several kinds match, the most specific."""
    spans = [*_prefixed(text), *_private_keys(text), *_by_name(text)]
    return tuple(_with_line_numbers(text, _without_overlaps(spans)))


def find_again(old: str, found: tuple[FoundSecret, ...], new: str) -> tuple[FoundSecret, ...] | None:
    """The findings for an edited text by searching only its changed lines; None where that is not enough.

    Every finding and its context lie within one line, except private keys.
    """
    edit = edited_lines(old, new)
    if edit is None or _PEM_BEGINS in new or any(one.kind == "private_key" for one in found):
        return None
    near = find_secrets(new[edit.start : edit.new_end])
    line = new.count("\n", 0, edit.start) if near else 0
    lines, chars = _shift_after(old, new, edit)
    return (
        *(one for one in found if one.end <= edit.start),
        *(_moved(one, line, edit.start) for one in near),
        *(_moved(one, lines, chars) for one in found if one.start >= edit.old_end),
    )


def _shift_after(old: str, new: str, edit: Edit) -> tuple[int, int]:
    """By how many lines and characters the text after the edit has moved."""
    before = old.count("\n", edit.start, edit.old_end)
    return new.count("\n", edit.start, edit.new_end) - before, edit.new_end - edit.old_end


def _moved(one: FoundSecret, lines: int, chars: int) -> FoundSecret:
    return replace(one, line=one.line + lines, start=one.start + chars, end=one.end + chars)


class _Span(NamedTuple):
    """A finding before its line is known; the lower the rank, the more specific."""

    start: int
    rank: int
    end: int
    kind: SecretKind
    hint: str = ""


def _prefixed(text: str) -> Iterator[_Span]:
    for rule in _RULES:
        first = text.find(rule.begins)
        if first < 0:
            continue
        shown = len(rule.begins) if rule.shown < 0 else rule.shown
        for found in _compiled(rule).finditer(text, first):
            if looks_real(found["rest"]):
                yield _Span(found.start(), 0, found.end(), rule.kind, f"{found[0][:shown]}…")


def _private_keys(text: str) -> Iterator[_Span]:
    at, end = text.find(_PEM_BEGINS), 0
    while at >= 0:
        found = _PEM.match(text, at)
        behind = at + len(_PEM_BEGINS)
        if found is not None:
            # Looked for once and kept: many beginnings before one end must not each look for it.
            if 0 <= end < found.end():
                end = text.find(_PEM_ENDS, found.end())
            behind = _end_of_key(text, found.end(), end)
            if _PEM_BODY.search(text, found.end(), min(behind, found.end() + _PEM_HEAD_CHARS)):
                yield _Span(at, 0, behind, "private_key", "-----BEGIN …")
        at = text.find(_PEM_BEGINS, behind)


def _end_of_key(text: str, start: int, end: int) -> int:
    """The end of a private key block; a truncated one ends with the text, or at the longest length known."""
    if end < 0 or end - start > _PEM_MOST_CHARS:
        following = text.find(_PEM_BEGINS, start, start + _PEM_MOST_CHARS)
        return following if following >= 0 else min(len(text), start + _PEM_MOST_CHARS)
    last = text.find("-----", end + len(_PEM_ENDS), end + 100)
    return end + len(_PEM_ENDS) if last < 0 else last + 5


def _by_name(text: str) -> Iterator[_Span]:
    """Values that the name before them says are secret."""
    yield from _plain(text, "azure", "sig=", _SIGNATURE)
    yield from _plain(text, "azure", "AccountKey=", _ACCOUNT_KEY)
    yield from _in_addresses(text)
    low = _lowered(text)
    for found in _BEARER.finditer(low) if "bearer" in low else ():
        if looks_random(text[slice(*found.span("secret"))]):
            yield _Span(found.start("secret"), 1, found.end("secret"), "bearer")
    for kind, names in _NAMES:
        for name in names:
            if name in low:
                yield from _assigned(text, low, kind, _named(kind, name))


def _plain(text: str, kind: SecretKind, begins: str, pattern: re.Pattern[str]) -> Iterator[_Span]:
    for found in pattern.finditer(text) if begins in text else ():
        if looks_random(found["secret"]):
            yield _Span(found.start("secret"), 0, found.end("secret"), kind)


def _in_addresses(text: str) -> Iterator[_Span]:
    for found in _ADDRESS.finditer(text) if "://" in text else ():
        secret = found["secret"]
        if secret != found["user"] and looks_real(secret, few=3):
            yield _Span(found.start("secret"), 1, found.end("secret"), "url_password")


def _assigned(text: str, low: str, kind: SecretKind, pattern: re.Pattern[str]) -> Iterator[_Span]:
    for found in pattern.finditer(low):
        which = "quoted" if found["quoted"] is not None else "bare"
        start, end = found.span(which)
        literal = which == "quoted" or _is_data(text, found)
        value = text[start:end]
        known = looks_secret(value, literal=literal, key=kind in ("api_key", "aws_secret"))
        if known or (kind == "password" and looks_typed(value, literal=literal)):
            yield _Span(start, 2 + _ORDER.index(kind), end, kind)


def _is_data(text: str, found: re.Match[str]) -> bool:
    """Whether an unquoted value must be data: in a line NAME=value, as in shells and .env files, or in JSON."""
    if found["open"]:
        return True
    if found.end("by") != found.start("bare") or found["by"] != "=":
        return False
    return _ENV_NAME.search(text[max(0, found.start() - _LONGEST_NAME) : found.start()]) is not None or (
        found.start() < _LONGEST_NAME and _ENV_NAME.search("\n" + text[: found.start()]) is not None
    )


def _lowered(text: str) -> str:
    """The text in lower case at unchanged length (one letter would grow)."""
    low = text.lower()
    return low if len(low) == len(text) else text.replace("İ", "I").lower()


def _without_overlaps(spans: Iterable[_Span]) -> Iterator[_Span]:
    """The spans without overlaps, keeping the more specific of two."""
    kept: list[_Span] = []
    for span in sorted(spans):
        if kept and span.start < kept[-1].end:
            if (span.rank, -span.end) < (kept[-1].rank, -kept[-1].end):
                kept[-1] = span
        else:
            kept.append(span)
    return iter(kept)


def _with_line_numbers(text: str, spans: Iterable[_Span]) -> Iterator[FoundSecret]:
    line, at = 1, 0
    for span in spans:
        line += text.count("\n", at, span.start)
        at = span.start
        yield FoundSecret(span.kind, line, span.start, span.end, span.hint)
