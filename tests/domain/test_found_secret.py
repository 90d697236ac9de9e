"""What is said about a secret: its kind in words, and never a part of it."""

from __future__ import annotations

from workbench.domain.secrets import SECRET_KINDS, FoundSecret


def test_every_kind_has_words_and_a_replacement_that_fits_into_json():
    for kind in SECRET_KINDS:
        found = FoundSecret(kind, 1, 0, 9)
        assert found.words.partition(" ")[0] in ("a", "an")
        assert not set(found.replacement) & set("\"'\\`\n")


def test_the_replacement_says_what_was_there():
    assert FoundSecret("github", 3, 0, 40).replacement == "[GitHub key was here]"
