"""What requests are called where one is chosen among them."""

from __future__ import annotations

from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.shown.turn_view import TurnRow
from workbench.ui import formatting
from workbench.ui.translation import translator

_tr = translator("Request")

NEXT, IN_FLIGHT = "next", "in_flight"
MOST_LISTED = 200
"""So many turns are offered in a list; older ones are found on the page that lists all of them."""


def value_of(view: EnvelopeView) -> str:
    """A request as the value of an option."""
    return {"next": NEXT, "in_flight": IN_FLIGHT}.get(view.standing, str(view.turn))


def turn_options(turns: tuple[TurnRow, ...], also: int | None = None) -> tuple[tuple[str, str], ...]:
    """Turns to choose from, the newest first; `also` is one that must not be missing."""
    listed = [turn for turn in turns[::-1] if turn.state != "running"]
    kept = listed[:MOST_LISTED]
    kept += [turn for turn in listed[MOST_LISTED:] if turn.number == also]
    return tuple((str(turn.number), turn_name(turn.number, turn.sent_utc)) for turn in kept)


def turn_name(number: int, sent_utc: str) -> str:
    """A turn that was sent."""
    if not sent_utc:
        return _tr("Turn {n}").format(n=formatting.tokens(number))
    return _tr("Turn {n}, sent {time}").format(n=formatting.tokens(number), time=formatting.clock(sent_utc))


def limit_words(view: EnvelopeView) -> str:
    """What a request may cost, and that this is assumed where nobody told."""
    limit = formatting.tokens(view.limit_tokens)
    return _tr("{n} assumed").format(n=limit) if view.window_assumed else limit


def next_name() -> str:
    """The request that was not sent yet."""
    return _tr("Next request")


def in_flight_name(turn: int) -> str:
    """The request that is being answered."""
    return _tr("In flight, turn {n}").format(n=formatting.tokens(turn))
