"""The printed recovery code: 160 random bits in letters that survive paper, with a check for typing errors."""

from __future__ import annotations

import hashlib
import secrets

from workbench.domain.errors import UnusableSecret
from workbench.domain.keys.secret import Secret

# Crockford's alphabet: no I, L, O or U, so that what is read as one of them can only be 1, 1, 0.
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
RANDOM_BYTES = 20
CHECK_BITS = 20
GROUP_LETTERS = 4
CODE_LETTERS = (RANDOM_BYTES * 8 + CHECK_BITS) // 5
_READ_AS = str.maketrans({"I": "1", "L": "1", "O": "0"})


def make_code() -> Secret:
    """A new code, as it is printed."""
    return print_code(secrets.token_bytes(RANDOM_BYTES))


def print_code(material: bytes) -> Secret:
    """The code of these random bytes: nine groups of four letters."""
    number = int.from_bytes(material) << CHECK_BITS | _check(material)
    letters = "".join(ALPHABET[number >> shift & 31] for shift in reversed(range(0, CODE_LETTERS * 5, 5)))
    groups = [letters[start : start + GROUP_LETTERS] for start in range(0, CODE_LETTERS, GROUP_LETTERS)]
    return Secret.of_text("-".join(groups))


def read_code(text: Secret) -> Secret | None:
    """The random bytes of a typed code; None where the text is something else, such as a passphrase."""
    letters = _letters(text)
    if len(letters) != CODE_LETTERS or not set(letters) <= set(ALPHABET):
        return None
    number = 0
    for letter in letters:
        number = number << 5 | ALPHABET.index(letter)
    material = (number >> CHECK_BITS).to_bytes(RANDOM_BYTES)
    return Secret(material) if number & ((1 << CHECK_BITS) - 1) == _check(material) else None


def looks_mistyped(text: Secret) -> bool:
    """Whether the text was meant to be a code: nearly as many letters, nearly all of them possible ones."""
    letters = _letters(text)
    impossible = sum(letter not in ALPHABET for letter in letters)
    return abs(len(letters) - CODE_LETTERS) <= 2 and impossible <= 2 and read_code(text) is None


def require_code(text: Secret) -> Secret:
    """The random bytes of a typed code, or the reason why it is none."""
    material = read_code(text)
    if material is None:
        raise UnusableSecret(
            "This is not a recovery code, or it has a typing error.",
            f"It has {CODE_LETTERS} letters and digits in groups of {GROUP_LETTERS}; compare each with the paper.",
        )
    return material


def _letters(text: Secret) -> str:
    kept = [letter for letter in text.reveal_text().upper() if not letter.isspace() and letter not in "-–—_."]
    return "".join(kept).translate(_READ_AS)


def _check(material: bytes) -> int:
    digest = hashlib.sha256(b"workbench-recovery/1" + material).digest()
    return int.from_bytes(digest) >> (len(digest) * 8 - CHECK_BITS)
