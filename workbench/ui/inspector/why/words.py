"""What the card says: the words that a quote fits by, each with its share of the score, in figures that add up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from workbench.domain.recall import MatchedWord, WordKind
from workbench.domain.shown.envelope_view import SegmentRow
from workbench.domain.shown.why_view import Neighbour, WhyView
from workbench.ui import formatting
from workbench.ui.inspector.rows.row_words import said_name, speaker_word
from workbench.ui.translation import translator
from workbench.ui.widgets.plain import shown

_tr = translator("WhyCard")

MOST_LINES = 6
_PLACES, _STEPS = 2, 100


class WordLine(NamedTuple):
    """One word with its part: in letters, and as a share of the largest."""

    word: str
    part: str
    share: float
    note: str
    exact: bool


def word_lines(why: WhyView) -> tuple[WordLine, ...]:
    """The words, the most important first; those that have no line are one at the end, so that all add up."""
    words = list(why.words)
    steps = parts_that_add_up([word.part for word in words])
    largest = max((word.part for word in words), default=0.0)
    kept = len(words) if len(words) <= MOST_LINES else MOST_LINES - 1
    lines = [_line(word, step, largest) for word, step in zip(words[:kept], steps, strict=False)]
    if kept < len(words):
        rest = sum(steps[kept:])
        name = _tr("{n} more").format(n=formatting.tokens(len(words) - kept))
        share = min(1.0, rest / _STEPS / largest) if largest else 0.0
        lines.append(WordLine(name, _figure(rest), share, _tr("other words"), exact=False))
    return tuple(lines)


def score_figure(why: WhyView) -> str:
    """The score; what the words add up to, where there are any."""
    return _figure(sum(parts_that_add_up([word.part for word in why.words]))) if why.words else ""


def parts_that_add_up(parts: Sequence[float]) -> list[int]:
    """The parts in whole hundredths that add up to the rounded sum: what is left over goes to the largest rests."""
    floors = [int(part * _STEPS) for part in parts]
    missing = round(sum(parts) * _STEPS) - sum(floors)
    order = sorted(range(len(parts)), key=lambda at: floors[at] - parts[at] * _STEPS)
    for at in order[: max(0, missing)]:
        floors[at] += 1
    return floors


def place_words(why: WhyView) -> str:
    """Which of all messages it is."""
    if not why.messages or not why.place:
        return ""
    of = formatting.tokens(why.messages)
    if why.place == 1:
        return formatting.counted(why.messages, _tr("the only message"), _tr("best of {n} messages"))
    return _tr("number {n} of {all} messages").format(n=formatting.tokens(why.place), all=of)


def neighbour_words(one: Neighbour) -> str:
    """Who said what stands beside it, and how that begins."""
    name = said_name(one.turn, speaker_word(one.role)) if one.turn else speaker_word(one.role)
    text = shown(" ".join(one.text.split()), 240)
    return _tr("{name}: {text}").format(name=name[:1].upper() + name[1:], text=text)


def neighbour_note(one: Neighbour) -> str:
    """What it costs to take it along; or that it is there anyway."""
    match one.state:
        case "sent":
            return _tr("sent anyway")
        case "recalled":
            return _tr("recalled")
        case _:
            return formatting.signed_tokens(one.tokens)


def saved_words(row: SegmentRow) -> str:
    """What is saved where it never comes back."""
    return _tr("never: {n} tokens · cache not touched").format(n=formatting.signed_tokens(-row.tokens))


def _line(word: MatchedWord, step: int, largest: float) -> WordLine:
    share = word.part / largest if largest else 0.0
    return WordLine(shown(word.word, 40), _figure(step), share, _note(word), word.kind == "exact")


def _note(word: MatchedWord) -> str:
    notes: dict[WordKind, str] = {
        "exact": _tr("exact"),
        "near": _tr("near: {found}").format(found=shown(word.found, 40)),
        "neighbour": _tr("neighbour"),
        "speaker": _tr("who said it"),
        "date": _tr("when it was said"),
    }
    return notes[word.kind]


def _figure(steps: int) -> str:
    return formatting.score(steps / _STEPS, _PLACES)
