"""Which request the inspector shows, and how its head speaks of it."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.engine.state import ChatState
from workbench.ui import formatting
from workbench.ui.look.tones import Tone

DIGEST_LETTERS = 8


class BadgeWords(NamedTuple):
    """A badge, and the sentence behind it."""

    tone: Tone
    icon: str
    word: str
    told: str


def request_in_view(chat: ChatState | None, ahead: bool = False) -> EnvelopeView | None:
    """The request that is being answered, until something else is written, tried out or tuned; then the next one.

    `ahead` says that somebody has begun to tune: what they change is the next request.
    """
    if chat is None:
        return None
    answered = chat.in_flight is not None and not chat.draft and chat.trial is None and not ahead
    return chat.in_flight if answered else chat.view


def subtitle(view: EnvelopeView, sample: bool = False) -> str:
    """Which request it is."""
    turn = formatting.tokens(view.turn)
    if view.standing != "next":
        words = _tr("turn {turn}, sent {time}") if view.sent_utc else _tr("turn {turn}, sent")
        return words.format(turn=turn, time=formatting.clock(view.sent_utc))
    return (_tr("sample chat, turn {turn}") if sample else _tr("next request, turn {turn}")).format(turn=turn)


def standing_badge(view: EnvelopeView, matches: bool) -> BadgeWords | None:
    """How it stands with the request, where that must be said."""
    if view.standing == "in_flight":
        if matches:
            told = _tr("The bytes that were sent are the bytes that were shown.")
            return BadgeWords("accent", "play", _tr("in flight, bytes match"), told)
        return BadgeWords("accent", "play", _tr("in flight"), _tr("This request is being answered."))
    if view.standing == "next" and view.over_tokens:
        told = _tr("The request is {n} tokens over its limit. Nothing is cut without you: choose a fix.")
        words = told.format(n=formatting.tokens(view.over_tokens))
        return BadgeWords("err", "lock", _tr("sending blocked"), words)
    return None


def digest_words(digest: str, narrow: bool) -> str:
    """The beginning of a digest, with its kind where there is room."""
    if not digest:
        return ""
    words = "{digest}…" if narrow else _tr("sha256 {digest}…")
    return words.format(digest=digest[:DIGEST_LETTERS])


def _tr(words: str) -> str:
    return QCoreApplication.translate("EnvelopeHead", words)
