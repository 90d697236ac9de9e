"""Words of the window in the language that is shown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from workbench.domain.translation import N_, joined
from workbench.files.language import in_language, words_in_language

__all__ = ("N_", "in_language", "key_words", "listed", "sentences", "tr")


class _Words(str):
    """Words whose values are translated, too, when they are filled in."""

    __slots__ = ()

    def format(self, *values: Any, **named: Any) -> str:
        """As `str.format`; sentences of the engine among the values come in the language that is shown."""
        inner = [in_language(value) if isinstance(value, str) else value for value in values]
        return super().format(
            *inner,
            **{
                name: in_language(value) if isinstance(value, str) else value for name, value in named.items()
            },
        )


_KEYS = frozenset(
    (
        N_("Ctrl"),
        N_("Shift"),
        N_("Del"),
        N_("Delete"),
        N_("Space"),
        N_("Enter"),
        N_("Return"),
        N_("PgUp"),
        N_("PgDown"),
    )
)
_KEY = re.compile("|".join(sorted(_KEYS, key=len, reverse=True)))


def key_words(keys: str) -> str:
    """Keys as they are named on a keyboard of the language: `Ctrl+Del`, `Strg+Entf`."""
    return _KEY.sub(lambda found: tr(found[0]), keys)


def tr(words: str) -> str:
    """Marked words, as they are shown."""
    found = words_in_language(words)
    return found if found is words else _Words(found)


def sentences(*parts: str) -> str:
    """Those that are not empty, one after the other as the language puts them."""
    return in_language(joined(filter(None, parts)))


def listed(parts: Iterable[str]) -> str:
    """Several short statements in one line."""
    return tr("; ").join(map(in_language, parts))
