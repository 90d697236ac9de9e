"""Finding something by a few of its letters: how well they fit, and where they stand."""

from __future__ import annotations

WORD_START, IN_A_ROW, ANYWHERE = 8, 5, 1
TITLE_FIRST = 20


def letters_in(typed: str, text: str) -> tuple[int, tuple[int, ...]] | None:
    """How well the letters stand in the text in their order, and where; None where they do not."""
    wanted, within = typed.casefold(), text.casefold()
    if len(within) != len(text):
        within = text.lower() if len(text.lower()) == len(text) else text
    whole = within.find(wanted)
    if whole >= 0:
        at_start = whole == 0 or not within[whole - 1].isalnum()
        score = len(wanted) * IN_A_ROW + (WORD_START if at_start else 0) + (TITLE_FIRST if whole == 0 else 0)
        return score, tuple(range(whole, whole + len(wanted)))
    places: list[int] = []
    score, start = 0, 0
    for letter in wanted:
        if letter.isspace():
            continue
        place = within.find(letter, start)
        if place < 0:
            return None
        first = place == 0 or not within[place - 1].isalnum()
        score += WORD_START if first else IN_A_ROW if places and place == places[-1] + 1 else ANYWHERE
        places.append(place)
        start = place + 1
    # Letters strewn over a long title are not what somebody meant.
    return (score, tuple(places)) if score >= 3 * len(places) else None
