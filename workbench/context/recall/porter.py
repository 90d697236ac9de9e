"""Stemmers: English after Porter (An algorithm for suffix stripping, 1980); light ones for German, French, Spanish."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workbench.context.recall import irregular

_CONSONANT = "(?:[^aeiouy]|(?<=[aeiou])y|^y)"
_VOWEL = "(?:[aeiou]|(?<![aeiou])(?<!^)y)"
# A stem is [C](VC){m}[V]; m is its measure.
_ONE_OR_MORE = re.compile(f"^{_CONSONANT}*{_VOWEL}+{_CONSONANT}")
_EXACTLY_ONE = re.compile(f"^{_CONSONANT}*{_VOWEL}+{_CONSONANT}+{_VOWEL}*$")
_TWO_OR_MORE = re.compile(f"^{_CONSONANT}*{_VOWEL}+{_CONSONANT}+{_VOWEL}+{_CONSONANT}")
_HAS_VOWEL = re.compile(_VOWEL)
_SHORT_END = re.compile(f"^{_CONSONANT}+[aeiouy][^aeiouwxy]$")
_DOUBLE = re.compile(r"([^aeiouylsz])\1$")

_STEP_2 = {
    **{"ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "abli": "able"},
    **{
        "alli": "al",
        "entli": "ent",
        "eli": "e",
        "ousli": "ous",
        "ization": "ize",
        "ation": "ate",
        "ator": "ate",
    },
    **{"alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive"},
    **{"biliti": "ble", "logi": "log", "bli": "ble"},
}
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = {
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ou", "ism", "ate"),
    *("iti", "ous", "ive", "ize", "sion", "tion"),
}


def english_stem(word: str) -> str:
    """The stem of a lower-case word; words of one or two letters, and non-letters, are unchanged."""
    if len(word) < 3 or not word.isalpha():
        return word
    word = _without_ed_and_ing(_without_plural(word))
    if word.endswith("y") and _HAS_VOWEL.search(word[:-1]):
        word = f"{word[:-1]}i"
    word = _exchanged(word, _STEP_2)
    word = _exchanged(word, _STEP_3)
    return _without_last_e(_without_ending(word))


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_ed_and_ing(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _ONE_OR_MORE.match(word[:-3]) else word
    ending = next((each for each in ("ed", "ing") if word.endswith(each)), "")
    stem = word.removesuffix(ending)
    if not ending or not _HAS_VOWEL.search(stem):
        return word
    if stem.endswith(("at", "bl", "iz")):
        return f"{stem}e"
    if _DOUBLE.search(stem):
        return stem[:-1]
    return f"{stem}e" if _EXACTLY_ONE.match(stem) and _ends_short(stem) else stem


def _ends_short(stem: str) -> bool:
    """Whether it ends in consonant, vowel, consonant, the last of them not w, x or y (as in "hop")."""
    return len(stem) > 2 and bool(_SHORT_END.match(stem) or _SHORT_END.match(_last_sounds(stem)))


def _last_sounds(stem: str) -> str:
    last = stem[-3:]
    # A y after a vowel is a consonant; the three letters alone would not show it.
    return f"a{last}" if last[0] == "y" and len(stem) > 3 and stem[-4] not in "aeiou" else last


def _exchanged(word: str, endings: dict[str, str]) -> str:
    for length in (7, 6, 5, 4, 3):
        ending = word[-length:]
        if len(word) > length and ending in endings:
            stem = word[:-length]
            return stem + endings[ending] if _ONE_OR_MORE.match(stem) else word
    return word


def _without_ending(word: str) -> str:
    for length in (5, 4, 3, 2):
        ending = word[-length:]
        if len(word) > length and ending in _STEP_4:
            kept = 1 if ending in ("sion", "tion") else 0
            stem = word[: kept - length]
            return stem if _TWO_OR_MORE.match(stem) else word
    return word


def _without_last_e(word: str) -> str:
    if word.endswith("e"):
        stem = word[:-1]
        if _TWO_OR_MORE.match(stem) or (_EXACTLY_ONE.match(stem) and not _ends_short(stem)):
            word = stem
    return word[:-1] if word.endswith("ll") and _TWO_OR_MORE.match(word[:-1]) else word


Steps = tuple[tuple[str, ...], ...]


def _steps(lines: str) -> Steps:
    """Parse suffix rules, one step a line."""
    return tuple(tuple(line.split()) for line in lines.strip().splitlines())


# Each step takes the first of its endings that leaves enough of the word; longer ones come first.
_GERMAN = _steps(
    """
    ungen ung heiten heit keiten keit erinnen erin innen ern
    etest eten test tet ten est te em en er es st e
    lich isch ig er en t e
    """
)
_FRENCH = _steps(
    """
    iques ique issements issement ements ement ations ation itions ition euses euse eurs eur
    issaient issait issons aient erait eront erons assent iez ions ait ais ant
    ies ees ie es ee er ez ent ons era ir it is re x s e i
    eux if iv e i
    """
)
_SPANISH = _steps(
    """
    aciones acion iciones icion siones sion amientos amiento imiento mente idades idad
    ariamos eriamos abamos ieron iendo arian erian irian aremos ando aron adas ados idas idos aban aria eria iria aste
    iste amos emos imos ada ado ida ido aba ian ara era ira ar er ir io ia es an en as os is
    a o e i s
    """
)
_PARTICIPLE = re.compile(
    "^(ein|aus|an|auf|ab|mit|um|vor|zu|nach|weg|los|her|hin|zuruck|)ge(?=.{2,}(?:t|en)$)"
)
_LEAST = 3
_BEFORE_S = "bdfghklmnrtoa"  # an s after these is an ending (Autos), after others mostly not (Haus, Preis)


def german_stem(word: str) -> str:
    """The light stem of a German word without umlauts; a participle loses its ge- as well."""
    if word in irregular.GERMAN:
        return irregular.GERMAN[word]
    if len(word) > 4 and word[-1] == "s" and word[-2] in _BEFORE_S:
        word = word[:-1]
    return _cut(_PARTICIPLE.sub(r"\1", word), _GERMAN)


def french_stem(word: str) -> str:
    """The light stem of a French word without accents."""
    return _known_or_cut(word, irregular.FRENCH, _FRENCH)


def spanish_stem(word: str) -> str:
    """The light stem of a Spanish word without accents."""
    return _known_or_cut(word, irregular.SPANISH, _SPANISH)


def _known_or_cut(word: str, known: Mapping[str, str], steps: Steps) -> str:
    return known[word] if word in known else _cut(word, steps)


def _cut(word: str, steps: Steps) -> str:
    if not word.isalpha():
        return word
    for endings in steps:
        for ending in endings:
            if word.endswith(ending) and len(word) - len(ending) >= _LEAST:
                word = word[: -len(ending)]
                break
    return word
