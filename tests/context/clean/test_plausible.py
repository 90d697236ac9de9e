"""What stands where a secret would: real ones, and what people write in their place."""

from __future__ import annotations

from tests.fakes.secret_texts import token
from workbench.context.clean.secrets import looks_random, looks_real, looks_secret


def test_placeholders_and_rows_of_characters_are_not_real():
    for rest in ("xxxxxxxxxxxx", "your-key-here", "abcdefghijklmnop", "aaaaaaaaaaaa", "<your token>", "…"):
        assert not looks_real(rest), rest
    assert looks_real(token(36))


def test_a_random_token_has_digits_and_no_words():
    assert looks_random(token(40))
    assert not looks_random("application/x-www-form-urlencoded")


def test_hashes_and_ids_are_no_secrets_unless_their_name_says_key():
    digest = token(32, "0123456789abcdef")
    assert not looks_secret(digest, literal=True, key=False)
    assert looks_secret(digest, literal=True, key=True)
    assert not looks_secret("3f2504e0-4f89-11d3-9a0c-0305e82c3301", literal=True, key=True)


def test_a_bare_name_is_a_variable_and_a_quoted_one_may_be_a_password():
    assert not looks_secret("my_variable2", literal=False, key=False)
    assert not looks_secret("config.password2", literal=True, key=False)
    assert looks_secret("Sommer2024", literal=True, key=False)
