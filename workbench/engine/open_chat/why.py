"""Why something of the past is in a request: worked out when somebody looks, and again while the request changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from workbench.context.assembly.quotes import Quotes, turns_said
from workbench.context.recall.rank import marks as marks_of
from workbench.domain.message import Entry, Message
from workbench.domain.recall import Found, MatchedWord, Wanted
from workbench.domain.shown.why_view import MarkedWord, Neighbour, NeighbourState, WhyView
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.events import ChatShown
from workbench.engine.open_chat.recall import SETTLE_S
from workbench.engine.open_chat.scope import ChatScope
from workbench.engine.recall.finding import asked_words, words_of
from workbench.engine.recall.providers import in_slices
from workbench.engine.shown.inspection import counter_of
from workbench.engine.state import ChatState
from workbench.engine.tasks import Debounced

_ROLES = ("user", "assistant")


class QuoteLook:
    """Shows one quote with its reasons; it is gone when the quote is."""

    def __init__(self, scope: ChatScope) -> None:
        self._scope, self._builder = scope, scope.world.builder
        self._wait_s = 0.0
        self._placing = Debounced(scope, lambda: self._wait_s, self._place)

    def look(self, wanted: str) -> None:
        if (state := self._scope.state) is not None:
            self._show(state, wanted)

    def follow(self) -> None:
        state = self._scope.state
        if state is not None and state.why is not None:
            self._show(state, state.why.id)

    def _show(self, opened: ChatState, wanted: str) -> None:
        self._placing.cancel()
        rows = () if opened.shown is None or not wanted else opened.shown.quotes
        row = next((one for one in rows if one.members == (wanted,)), None)
        if row is None or row.found is None:
            self._tell(None)
            return
        known = opened.why if opened.why is not None and opened.why.id == wanted else None
        now = opened.prepared if opened.shown is opened.view else None
        view = _why(opened, row.found)
        if now is not None and not row.found.text:
            before, after = self._beside(opened, now, wanted)
            view = replace(view, before=before, after=after)
        if known is not None:
            # Where it stands is worked out anew in a moment; until then it stands where it stood.
            view = replace(view, place=known.place, messages=known.messages)
        self._tell(view)
        if now is not None and not row.found.text:
            # While somebody types, it waits as what is looked for does: never in the frame of a keystroke.
            self._wait_s = 0.0 if known is None else SETTLE_S
            self._placing.call(f"why in {opened.chat.id}", (_wanted(opened, now), view))

    async def _place(self, asked: tuple[Wanted, WhyView]) -> None:
        wanted, view = asked
        found = await in_slices(self._builder.recall.placing(wanted, view.id))
        if not self._placing.is_wanted(asked):
            return
        score, words = view.score, view.words
        if not words and found.match.words:
            score, words = found.match.score, _ordered(found.match.words)
        marks = _marked(view.text, words)
        self._tell(
            replace(view, score=score, words=words, marks=marks, place=found.place, messages=found.messages)
        )

    def _tell(self, view: WhyView | None) -> None:
        state = self._scope.state
        if state is not None and state.why != view:
            self._scope.emit(ChatShown(state.chat.id, {"why": view}))

    def _beside(self, opened: ChatState, now: Prepared, wanted: str) -> Iterator[Neighbour | None]:
        """What was said right before a message and right after it, with what quoting it costs."""
        quotes = Quotes(now.built.inputs, counter_of(now.built, self._builder))
        turns = turns_said(now.built.inputs)
        for entry in _next_to(opened.conversation.history, wanted):
            if entry is None:
                yield None
                continue
            tokens = quotes.cost(Found(entry.id, 0.0))
            text, role = words_of(entry)
            yield Neighbour(entry.id, role, turns.get(entry.id, 0), text, tokens, _state(entry, opened, now))


def _wanted(opened: ChatState, now: Prepared) -> Wanted:
    inputs, talk = now.built.inputs, opened.conversation
    question = "" if inputs.question is None else inputs.question.text
    return Wanted(opened.chat.id, asked_words(question), inputs.settings, talk.history, times=talk.times)


def _why(opened: ChatState, found: Found) -> WhyView:
    said = next((one for one in opened.conversation.history if one.id == found.id), None)
    text = found.text or ("" if said is None else words_of(said)[0])
    words = _ordered(found.words)
    return WhyView(found.id, text, found.score, words, _marked(text, words))


def _next_to(history: Sequence[Entry], wanted: str) -> tuple[Entry | None, Entry | None]:
    """What people read before and after a message: what tools gave back is none of it."""
    said = [one for one in history if one.id == wanted or _is_read(one)]
    place = next((number for number, one in enumerate(said) if one.id == wanted), None)
    if place is None:
        return None, None
    return (said[place - 1] if place else None), (said[place + 1] if place + 1 < len(said) else None)


def _is_read(entry: Entry) -> bool:
    return isinstance(entry, Message) and entry.role in _ROLES and bool(entry.text.strip())


def _state(entry: Entry, opened: ChatState, now: Prepared) -> NeighbourState:
    strip = now.built.envelope.layer("L4_STRIP").segments
    if any(one.id == entry.id and one.sent and one.form == "full" for one in strip):
        return "sent"
    if entry.id in opened.conversation.tuning.recalled:
        return "along"
    quoted = (one.id for one in now.built.inputs.found if not one.reserved)
    return "recalled" if entry.id in quoted else "cut"


def _ordered(words: Sequence[MatchedWord]) -> tuple[MatchedWord, ...]:
    return tuple(sorted(words, key=lambda word: -word.part))


def _marked(text: str, words: Sequence[MatchedWord]) -> tuple[MarkedWord, ...]:
    return tuple(MarkedWord(one.start, one.end, one.kind) for one in marks_of(text, words))
