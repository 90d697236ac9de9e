"""The recovery code survives paper: however it is typed it is read, and a typing error is noticed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.errors import UnusableSecret
from workbench.domain.secrets import Secret
from workbench.storage.keys.vault import (
    ALPHABET,
    RANDOM_BYTES,
    looks_mistyped,
    make_code,
    print_code,
    read_code,
    require_code,
)

MATERIAL = bytes(range(100, 120))
CODE = print_code(MATERIAL).reveal_text()


def secret(text: str) -> Secret:
    return Secret.of_text(text)


def test_a_code_has_160_random_bits_in_nine_groups():
    first, second = make_code(), make_code()
    assert first != second
    assert RANDOM_BYTES * 8 >= 160
    assert re.fullmatch(rf"(?:[{ALPHABET}]{{4}}-){{8}}[{ALPHABET}]{{4}}", first.reveal_text())


@given(st.binary(min_size=RANDOM_BYTES, max_size=RANDOM_BYTES))
def test_what_is_printed_is_read(material: bytes):
    assert read_code(print_code(material)) == Secret(material)


@pytest.mark.parametrize(
    "typed",
    [
        CODE.lower(),
        CODE.replace("-", ""),
        CODE.replace("-", " "),
        CODE.replace("-", "–"),
        f"  {CODE}\n",
        " ".join(CODE),
        CODE.replace("0", "O").replace("1", "l"),
        CODE.replace("0", "o").replace("1", "I"),
    ],
)
def test_case_spaces_dashes_and_lookalikes_do_not_matter(typed: str):
    assert read_code(secret(typed)) == Secret(MATERIAL)


def test_every_single_wrong_letter_is_noticed():
    letters = CODE.replace("-", "")
    for place, right in enumerate(letters):
        for wrong in ALPHABET.replace(right, ""):
            typed = secret(letters[:place] + wrong + letters[place + 1 :])
            assert read_code(typed) is None
            assert looks_mistyped(typed)


def test_every_swap_of_neighbours_is_noticed():
    letters = CODE.replace("-", "")
    for place in range(len(letters) - 1):
        swapped = letters[:place] + letters[place + 1] + letters[place] + letters[place + 2 :]
        assert swapped == letters or read_code(secret(swapped)) is None


@pytest.mark.parametrize("typed", [CODE[:-1], CODE + "A", CODE[:-1] + "U", CODE[:-1] + "!"])
def test_missing_added_and_impossible_letters_are_noticed(typed: str):
    assert read_code(secret(typed)) is None
    assert looks_mistyped(secret(typed))
    with pytest.raises(UnusableSecret, match="36 letters") as refusal:
        require_code(secret(typed))
    assert typed not in str(refusal.value)


@pytest.mark.parametrize("typed", ["", "correct horse battery staple", "x" * 100, "\0", "日本語の長い合言葉"])
def test_a_passphrase_is_not_taken_for_a_code(typed: str):
    assert read_code(secret(typed)) is None
    assert not looks_mistyped(secret(typed))


def test_a_right_code_is_not_mistyped():
    assert not looks_mistyped(secret(CODE))
    assert require_code(secret(CODE)) == Secret(MATERIAL)
