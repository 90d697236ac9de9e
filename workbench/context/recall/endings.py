"""German, French and Spanish words to light stems: endings off, a little less than a dictionary would say."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workbench.context.recall import irregular

Steps = tuple[tuple[str, ...], ...]


def _steps(lines: str) -> Steps:
    """A step a line."""
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
