"""Counts of what is not in a text, by kind."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.domain.translation import N_, tr

_FORMS = (
    (N_("{number:,} attached file"), N_("{number:,} attached files")),
    (N_("{number:,} attached file that cannot be read"), N_("{number:,} attached files that cannot be read")),
    (N_("{number:,} attached message"), N_("{number:,} attached messages")),
    (N_("{number:,} attached picture"), N_("{number:,} attached pictures")),
    (N_("{number:,} chart"), N_("{number:,} charts")),
    (N_("{number:,} diagram"), N_("{number:,} diagrams")),
    (N_("{number:,} drawing"), N_("{number:,} drawings")),
    (N_("{number:,} drawn mark"), N_("{number:,} drawn marks")),
    (N_("{number:,} embedded document"), N_("{number:,} embedded documents")),
    (N_("{number:,} embedded object"), N_("{number:,} embedded objects")),
    (N_("{number:,} empty form field"), N_("{number:,} empty form fields")),
    (N_("{number:,} film"), N_("{number:,} films")),
    (N_("{number:,} HTML alternative"), N_("{number:,} HTML alternatives")),
    (N_("{number:,} HTML part"), N_("{number:,} HTML parts")),
    (N_("{number:,} picture"), N_("{number:,} pictures")),
    (N_("{number:,} picture or drawing"), N_("{number:,} pictures or drawings")),
    (
        N_("{number:,} pivot table's copy of its data"),
        N_("{number:,} pivot tables' copies of their data"),
    ),
    (N_("{number:,} plain alternative"), N_("{number:,} plain alternatives")),
    (N_("{number:,} repeated cell"), N_("{number:,} repeated cells")),
    (N_("{number:,} repeated row"), N_("{number:,} repeated rows")),
    (N_("{number:,} sheet's comments"), N_("{number:,} sheets' comments")),
    (N_("{number:,} signature"), N_("{number:,} signatures")),
    (N_("{number:,} signature field"), N_("{number:,} signature fields")),
    (N_("{number:,} sound recording"), N_("{number:,} sound recordings")),
)
_BY_KIND: Mapping[str, tuple[str, str]] = {
    one.removeprefix("{number:,} "): (one, more) for one, more in _FORMS
}

MACROS = tr("macros left out")


def number_of(kind: str, number: int) -> str:
    """A number with its kind: `2 pictures`."""
    return tr(_BY_KIND[kind][number != 1], number=number)


def left_out(counts: Mapping[str, int]) -> list[str]:
    """A note about each kind that there is any of."""
    return [
        tr("{counted} left out", counted=number_of(kind, number))
        for kind, number in counts.items()
        if number > 0
    ]
