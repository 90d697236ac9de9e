"""Someone who writes: everything they do, shown by one preview and built anew beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.fakes.turns import assistant, user
from workbench.domain.envelope import TrimState
from workbench.domain.message import Message
from workbench.domain.recall import Found
from workbench.domain.settings.context_settings import ContextSettings, HistorySettings
from workbench.domain.turn import Tuning
from workbench.engine.assembly.building import Preview
from workbench.engine.assembly.prepare import Ask, Builder, Prepared, prepare_turn
from workbench.engine.conversation import Conversation, after_turn, reattach

SETTINGS = ContextSettings(model="word-1", system_prompt="Be kind.", reserved_output_tokens=0)
# How history may be kept: in whole, trimmed early, capped by number and by tokens, with recall.
RULES = (
    HistorySettings(),
    HistorySettings(threshold=None),
    HistorySettings(headroom=1.0, keep_last_n_assistant=1),
    HistorySettings(last_n_messages=2),
    HistorySettings(max_tokens=60),
    HistorySettings(last_n_messages=1, recall_tokens=25),
    HistorySettings(max_tokens=40, recall=True),
    HistorySettings(when_full="exchanges", keep_last_n_assistant=1),
)


class Writing:
    """Someone who writes: everything they do, shown by one preview and built anew beside it."""

    def __init__(self, builder: Builder, fresh: Callable[[], Builder]) -> None:
        self._builder, self._fresh = builder, fresh
        self._preview = Preview(builder)
        self._conversation = Conversation("talk")
        self._ask = Ask(SETTINGS)
        self._number = 0

    def do(self, action: str, what: Any) -> None:
        match action:
            case "type":
                self._ask = replace(self._ask, question=None if what is None else self._question(what))
            case "attach":
                self._change(attached=reattach(self._conversation.attached, (), [what]))
            case "detach":
                self._change(attached=reattach(self._conversation.attached, [what], ()))
            case "settings":
                self._ask = replace(self._ask, settings=what)
            case "now":
                self._ask = replace(self._ask, now=what)
            case "exclude":
                self._change(tuning=Tuning(excluded=self._conversation.tuning.excluded ^ {what}))
            case "trim":
                self._change(trim=TrimState(what))
            case "recall":
                found = tuple(Found(key, float(9 - place)) for place, key in enumerate(what))
                self._ask = replace(self._ask, found=found)
            case "send":
                self._send(what)

    def shown_and_built(self) -> tuple[Prepared, Prepared]:
        shown = self._preview.prepare(self._conversation, self._ask)
        return shown, prepare_turn(self._conversation, self._ask, self._fresh())

    def look_further(self, words: int) -> bool:
        """Build the request with a longer question, as is done while nobody types."""
        ask = self._ask
        if ask.question is None:
            return False
        longer = replace(ask, question=replace(ask.question, texts=(*ask.question.texts, " x" * words)))
        built = prepare_turn(self._conversation, longer, self._fresh())
        return self._preview.widen(self._conversation, longer, built)

    def expect(self, text: str) -> None:
        """Build the request with a question that nobody has typed, as is done while the draft is empty."""
        ask = replace(self._ask, question=self._question(text))
        self._preview.expect(self._conversation, ask, prepare_turn(self._conversation, ask, self._fresh()))

    def _question(self, text: str) -> Message:
        return user(f"m{self._number}", text)

    def _change(self, **changes: Any) -> None:
        self._conversation = replace(self._conversation, **changes)

    def _send(self, answer: str) -> None:
        prepared = self._preview.prepare(self._conversation, self._ask)
        reply = [assistant(f"m{self._number + 1}", answer)]
        self._conversation = after_turn(self._conversation, prepared.built, reply)
        self._number += 2
        self._ask = replace(self._ask, question=None)
