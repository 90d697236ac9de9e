"""A key is known by its name or by how it begins; ordinary words are not."""

from __future__ import annotations

import pytest

from workbench.domain.secrets import KEY_NAME, KEY_VALUE


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "apikey", "db.password", "access-token"])
def test_a_key_is_known_by_its_name(name: str):
    assert KEY_NAME.search(name)


@pytest.mark.parametrize("name", ["keyboard", "tokens_used", "author"])
def test_other_names_are_no_keys(name: str):
    assert not KEY_NAME.search(name)


def test_a_key_is_known_by_how_it_begins():
    assert KEY_VALUE.search("sk-proj-1234567890")
    assert KEY_VALUE.search("postgres://user:secret@host/db")
    assert not KEY_VALUE.search("sk-is-a-prefix-of-words")
