"""What is asked of a spelling checker."""

from __future__ import annotations

from typing import Protocol


class Speller(Protocol):
    """Knows the words of some languages.

    Attributes:
        languages: the tags of those whose words it knows, `en_US`; the first one learns new words.
        available: the tags of all dictionaries on this computer.
    """

    @property
    def languages(self) -> tuple[str, ...]: ...

    @property
    def available(self) -> tuple[str, ...]: ...

    def knows(self, word: str) -> bool:
        """Whether one of the languages has this word."""

    def suggest(self, word: str) -> tuple[str, ...]:
        """Returns words that may have been meant, the likeliest first."""

    def learn(self, word: str) -> None:
        """Know this word from now on, in other programs too."""
