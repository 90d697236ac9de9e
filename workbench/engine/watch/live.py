"""Watched answers while they pass: what came since is read a few times a second, and shown as our own answers are."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from workbench.context.watch.arriving import ArrivingAnswer
from workbench.domain.outcome import EndState, TurnOutcome
from workbench.engine.events import AnswerGrew, ModelProgressed, ThoughtGrew, TurnBegan, TurnEnded
from workbench.engine.store import StateStore
from workbench.engine.watch.keeping import Begun
from workbench.ports.watching import CopiedRequest

FRAME_S = 0.05


@dataclass(slots=True)
class _Passing:
    """An answer that is shown while it passes; `soon` is the next look at it."""

    copied: CopiedRequest
    begun: Begun
    reading: ArrivingAnswer
    soon: asyncio.TimerHandle | None = None


class Live:
    """One answer a conversation at a time; others of the same one are shown when they are complete."""

    def __init__(self, states: StateStore) -> None:
        self._states = states
        self._passing: dict[int, _Passing] = {}

    def begin(self, copied: CopiedRequest, begun: Begun) -> None:
        """A request was kept, and its answer is waited for."""
        known = copied.begun().format
        if known is None or any(one.begun.chat.id == begun.chat.id for one in self._passing.values()):
            return
        self._passing[copied.n] = _Passing(copied, begun, ArrivingAnswer(known))
        self._states.emit(TurnBegan(begun.chat.id, begun.number, begun.question))
        self.grew(copied.n)

    def grew(self, n: int) -> None:
        """More of an answer passed: it is looked at soon."""
        one = self._passing.get(n)
        if one is not None and one.soon is None:
            one.soon = asyncio.get_running_loop().call_later(FRAME_S, self._read, one)

    def end(self, n: int, state: EndState) -> None:
        """A request is over, and shown from what is kept."""
        one = self._passing.pop(n, None)
        if one is None:
            return
        if one.soon is not None:
            one.soon.cancel()
        self._states.emit(TurnEnded(one.begun.chat.id, one.begun.number, TurnOutcome(state)))

    def _read(self, one: _Passing) -> None:
        one.soon = None
        piece = one.copied.more()
        chat = one.begun.chat.id
        for grown in one.reading.take(piece):
            match grown.kind:
                case "answer":
                    self._states.emit(AnswerGrew(chat, grown.text))
                case "thought":
                    self._states.emit(ThoughtGrew(chat, grown.text))
                case "call":
                    self._states.emit(ModelProgressed(chat, f"calling {grown.text}"))
        if piece:
            one.soon = asyncio.get_running_loop().call_later(FRAME_S, self._read, one)
