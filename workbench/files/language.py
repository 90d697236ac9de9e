"""The language in which everything is shown: its catalogue is loaded at the start, English without one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from workbench.domain.translation import Lookup, Separators, Translatable, translated

LANGUAGES: Mapping[str, str] = {"en": "English", "de": "Deutsch", "zh_CN": "简体中文"}
"""Those that are complete, under their own names."""
PSEUDO = "en_XA"
"""English with accents and forty percent longer, by which one sees what was never marked, and what is cut."""
_COMMA: Mapping[str, Separators] = {"de": str.maketrans(",.", ".,")}


class _Shown:
    """What is shown now; one for the process, as a person reads one language."""

    tag = "en"
    lookup: Lookup | None = None
    separators: Separators | None = None


_SHOWN = _Shown()


def use_language(tag: str, resources: Path) -> None:
    """Show everything in a language from now on."""
    _SHOWN.tag, _SHOWN.separators, _SHOWN.lookup = tag, _COMMA.get(tag), None
    if tag == PSEUDO:
        _SHOWN.lookup = pseudo
    elif tag != "en":
        import gettext  # in English nothing of it is needed

        with (resources / "languages" / f"{tag}.mo").open("rb") as catalogue:
            _SHOWN.lookup = gettext.GNUTranslations(catalogue).gettext


def shown_language() -> str:
    """The language that is shown now, by its tag."""
    return _SHOWN.tag


def in_language(text: str) -> str:
    """A sentence in the language that is shown; any other text as it is."""
    if _SHOWN.lookup is None:
        return text
    return translated(text, _SHOWN.lookup, _SHOWN.separators)


def words_in_language(words: str) -> str:
    """Marked words in the language that is shown, and a sentence that has its values already."""
    if _SHOWN.lookup is None or not words:
        return words
    return in_language(words) if isinstance(words, Translatable) else _SHOWN.lookup(words)


def language_of(environment: Mapping[str, str]) -> str:
    """The first language that the environment asks for and there is a catalogue of; English without any."""
    told = next(filter(None, map(environment.get, ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"))), None)
    if told is None:
        import locale

        told = locale.getlocale()[0] or ""
    for one in told.split(":"):
        if found := supported(one, ""):
            return found
    return "en"


def supported(tag: str, otherwise: str = "en") -> str:
    """The catalogue for a tag such as de_AT.UTF-8 or zh-Hans; traditional Chinese is a language of its own."""
    plain = re.split(r"[.@]", tag.replace("-", "_"))[0]
    if plain.lower() == PSEUDO.lower():
        return PSEUDO
    first, _, rest = plain.partition("_")
    if first.lower() == "zh":
        return otherwise if re.search("hant|tw|hk|mo", rest.lower()) else "zh_CN"
    return first.lower() if first.lower() in LANGUAGES else otherwise


_KEPT = re.compile(r"(\{[^{}]*\}|%\(\w+\)[rs]|%[\dns]|`[^`]*`|--[\w-]+)")
_ACCENTS = str.maketrans("aceinouyAEIOUY", "åçéîñöûýÅÉÎÖÛÝ")


def pseudo(words: str) -> str:
    """Words of the pseudo-language: readable, longer, between brackets; placeholders and commands stay."""
    kept = "".join(
        one if number % 2 else one.translate(_ACCENTS) for number, one in enumerate(_KEPT.split(words))
    )
    return f"[{kept}{'~' * (len(words) * 2 // 5)}]"
