"""What a provider says of its own cache, in words."""

from __future__ import annotations

import pytest

from workbench.domain.caching import ProviderSays
from workbench.ui.price_words import provider_words


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (None, ""),
        (
            ProviderSays("tools_changed", 1_234),
            "The provider says: the tools changed since the last request. About 1,234 tokens could "
            "have been read from its cache.",
        ),
        (
            ProviderSays("unchanged"),
            "The provider says: this request continues the previous one unchanged.",
        ),
        (ProviderSays("a_newer_reason"), "The provider says: a newer reason."),
    ],
)
def test_a_reason_is_a_sentence(said: ProviderSays | None, words: str):
    assert provider_words(said) == words
