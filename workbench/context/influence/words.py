"""The words of an answer that a piece carried: differences of log-probability by token, put together to words."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Sequence

from workbench.context.influence.weighing import LEAST_NATS
from workbench.domain.influence import AnswerTokens, CarriedWords

_WORD = re.compile(r"\S+")
_LEAST_NATS = 0.3
_LEAST_SHARE = 0.05
_MOST = 12

Span = tuple[int, int]


def token_words(text: str, answer: AnswerTokens) -> tuple[int, ...]:
    """For each token, the word that it writes or ends in; −1 where it writes white space only after the last one."""
    words = [found.span() for found in _WORD.finditer(text)]
    decoder = getincrementaldecoder("utf-8")("replace")
    found: list[int] = []
    at = place = 0
    for piece in answer.pieces:
        written = decoder.decode(piece)
        at += len(written)
        # Its last character that is no space decides: a token begins with the space before its word.
        end = at - (len(written) - len(written.rstrip()))
        last = max(end - 1, 0)
        while place + 1 < len(words) and last >= words[place + 1][0]:
            place += 1
        found.append(place if words else -1)
    return tuple(found)


def word_spans(text: str) -> tuple[Span, ...]:
    """Where the words of an answer stand."""
    return tuple(found.span() for found in _WORD.finditer(text))


def carried_words(
    text: str, words: Sequence[int], full: Sequence[float], without: Sequence[float]
) -> tuple[CarriedWords, ...]:
    """The runs of words that are less likely without a piece, the strongest first; none where that may be noise."""
    spans = word_spans(text)
    nats = [0.0] * len(spans)
    for word, kept, gone in zip(words, full, without, strict=True):
        if 0 <= word < len(nats):
            nats[word] += kept - gone
    least = max(_LEAST_NATS, _LEAST_SHARE * sum(value for value in nats if value > 0))
    runs: list[CarriedWords] = []
    open_run = False
    for span, value in zip(spans, nats, strict=True):
        if value < least:
            open_run = False
            continue
        if open_run:
            last = runs.pop()
            runs.append(CarriedWords(last.start, span[1], last.nats + value))
        else:
            runs.append(CarriedWords(*span, value))
        open_run = True
    # Taking any text out moves some words a little: a piece that carried nothing carried none of them.
    if max((run.nats for run in runs), default=0.0) < LEAST_NATS and sum(nats) < LEAST_NATS:
        return ()
    return tuple(sorted(runs, key=lambda run: -run.nats)[:_MOST])
