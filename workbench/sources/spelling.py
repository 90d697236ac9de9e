"""Spelling by the dictionaries of this computer, which enchant finds: hunspell's, aspell's, the system's own."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

_log = logging.getLogger(__name__)
MOST = 5


class EnchantSpeller:
    """Words of one or more languages → Speller. A word is known if one of them has it."""

    def __init__(self, dictionaries: dict[str, Any], available: tuple[str, ...]) -> None:
        self._dictionaries = dictionaries
        self.languages, self.available = tuple(dictionaries), available

    def knows(self, word: str) -> bool:
        """Whether one of the dictionaries has this word; a typographic apostrophe is a plain one."""
        plain = word.replace("’", "'")
        return any(one.check(plain) for one in self._dictionaries.values())

    def suggest(self, word: str) -> tuple[str, ...]:
        """Returns the first suggestions of each dictionary in turn, each word once."""
        offered = [one.suggest(word.replace("’", "'"))[:MOST] for one in self._dictionaries.values()]
        in_turn = [words[place] for place in range(MOST) for words in offered if place < len(words)]
        return tuple(dict.fromkeys(in_turn))[:MOST]

    def learn(self, word: str) -> None:
        """Add a word to the person's own list of the first language."""
        if self._dictionaries:
            next(iter(self._dictionaries.values())).add(word.replace("’", "'"))


def open_speller(wanted: Iterable[str]) -> EnchantSpeller:
    """Open the dictionaries of these languages, `en_US`, `de`; takes a moment the first time.

    Of a language without its country the first dictionary there is; without enchant there are none.
    """
    try:
        import enchant  # type: ignore[import-untyped]
    except ImportError as problem:  # its C library is missing
        _log.info("no spelling: %s", problem)
        return EnchantSpeller({}, ())
    try:
        broker = enchant.Broker()
        available = tuple(sorted(broker.list_languages()))
        tags = dict.fromkeys(found for one in wanted if (found := _nearest(one, available)))
        return EnchantSpeller({tag: broker.request_dict(tag) for tag in tags}, available)
    except enchant.errors.Error as problem:  # a damaged dictionary, for example
        _log.info("no spelling: %s", problem)
        return EnchantSpeller({}, ())


def _nearest(tag: str, available: tuple[str, ...]) -> str:
    """The dictionary of a language: of the same country, of any country, of another one's kind of it."""
    wanted = tag.replace("-", "_")
    if wanted in available:
        return wanted
    language = wanted.partition("_")[0]
    home = f"{language}_{'US' if language == 'en' else language.upper()}"
    near = [one for one in available if one.partition("_")[0] == language]
    return next((one for one in (home, language) if one in near), near[0] if near else "")
