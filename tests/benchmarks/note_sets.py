"""Sets of ten short notes, a question about one of them, and which note an answer quotes, told by its words alone."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

_NAMES = (
    "Alma", "Boris", "Clara", "Dmitri", "Edith", "Felix", "Greta", "Hugo", "Irene", "Jonas", "Karin", "Leon",
    "Marta", "Nils", "Olga", "Pavel", "Ruth", "Stefan", "Tilda", "Viktor",
)  # fmt: skip
_THINGS = (
    "bicycle", "piano", "canoe", "telescope", "tractor", "sewing machine", "camera", "tent", "kiln", "loom",
    "accordion", "microscope", "sledge", "radio",
)  # fmt: skip
_PLACES = (
    "attic", "cellar", "barn", "garage", "shed", "greenhouse", "chapel", "lighthouse", "mill", "stable",
    "library", "boathouse", "tower", "kitchen",
)  # fmt: skip
_TOWNS = (
    "Lisbon", "Turin", "Ghent", "Malmö", "Riga", "Porto", "Bergen", "Basel", "Cork", "Split", "Bruges", "Graz",
    "Oulu", "Trieste",
)  # fmt: skip
_COLOURS = (
    "crimson", "turquoise", "ivory", "amber", "violet", "olive", "silver", "scarlet", "indigo", "copper",
    "lavender", "beige", "golden", "maroon",
)  # fmt: skip
_QUESTION = "Tell me in one sentence what {name} bought, in which town, and where it is kept."
"""It asks for a whole sentence: a shorter answer has too few words to tell which note they are from."""
_WORD = re.compile(r"[^\W_]+")
NOTES = 10


@dataclass(frozen=True, slots=True)
class NoteSet:
    """Ten notes and a question about the one at `asked`."""

    notes: tuple[str, ...]
    question: str
    asked: int

    def quoted(self, answer: str) -> int | None:
        """The one note that an answer quotes: with at least two words that no other note has, where no other has any.

        Words of the question do not count, since an answer repeats them. None where no note is quoted, or several are:
        so small a model often puts one thing together from two notes.
        """
        told = set(_words(answer)) - set(_words(self.question))
        known = Counter(word for note in self.notes for word in set(_words(note)))
        own = [sum(known[word] == 1 for word in told.intersection(_words(note))) for note in self.notes]
        quoted = [place for place, words in enumerate(own) if words]
        return quoted[0] if len(quoted) == 1 and own[quoted[0]] >= 2 else None


def note_sets(seed: int) -> Iterator[NoteSet]:
    """One set after the other, the same ones for the same seed."""
    draw = random.Random(seed)
    while True:
        columns = [draw.sample(pool, NOTES) for pool in (_NAMES, _THINGS, _PLACES, _TOWNS, _COLOURS)]
        amounts = draw.sample(range(21, 990), NOTES)
        rows = list(zip(*columns, amounts, strict=True))
        notes = tuple(
            f"{name} bought a {colour} {thing} in {town} for {amount} euros and keeps it in the old {place}."
            for name, thing, place, town, colour, amount in rows
        )
        asked = draw.randrange(NOTES)
        yield NoteSet(notes, _QUESTION.format(name=rows[asked][0]), asked)


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
