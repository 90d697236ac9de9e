"""A request while it is cut to its limits: everything is fixed but where and how artifacts are placed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

from workbench.context.assembly.history import normalise
from workbench.context.assembly.leaving import with_line
from workbench.context.assembly.previews import Capping
from workbench.context.assembly.quotes import Quotes
from workbench.context.assembly.references import Placement
from workbench.context.assembly.render import (
    QUESTION_LABEL,
    library_segments,
    question_segments,
    result_segments,
    system_message,
    turn_segments,
    user_message,
    without_pictures_of,
)
from workbench.context.assembly.select import Admission, Placements
from workbench.context.count.measure import pictures_cost, segment_cost
from workbench.context.text.at_commands import PlannedCall
from workbench.context.text.chunk_renderers import RendererRegistry
from workbench.context.text.fence import wrap
from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.envelope import Budget, WireMessage
from workbench.domain.message import Message
from workbench.domain.recall import FOUND_KINDS
from workbench.domain.segment import Segment
from workbench.domain.settings.context_settings import FilterSettings
from workbench.domain.text import repair_text
from workbench.domain.tool import ToolOutcome
from workbench.domain.turn import BEGINNING, Tuning, TurnInputs, beginning_in
from workbench.ports.counting import TokenCounter

# What was said within this very turn after its question: calls, results, the beginning of an answer.


# What tools gave back, as the model reads it: typed chunks before a question, and found text before it
# again.

_QUESTION_LABEL = "[User query]:\n"


def result_chunk(turn: int, number: int, call: PlannedCall, outcome: ToolOutcome) -> EnvironmentChunk:
    """The result of a question's command; its id derives from the turn, so that preview, send and reload are equal."""
    name = f"turn{turn}:command:{number}"
    return EnvironmentChunk(
        id=name, body=f"{call.name} {call.arguments}\n{outcome.text}", action="tool_result", name=call.name,
        call_id=name, success=not outcome.failed, error="true" if outcome.failed else None,
    )  # fmt: skip


def with_question(result_text: str, question: str) -> str:
    """A command's result followed by the question: models attend best to what they read last.

    The result is fenced, because a file may hold a line that looks like the question's label.
    """
    found = wrap("search_results", (), repair_text(result_text)).text
    return f"{found}\n{_QUESTION_LABEL}{repair_text(question)}"


def round_messages(rounds: tuple[Message, ...], renderers: RendererRegistry) -> tuple[WireMessage, ...]:
    """This turn's tool rounds as messages after the question; nothing trims them."""
    if not rounds:
        return ()
    said = normalise(rounds, Admission(FilterSettings()), Tuning(), renderers)
    begun = beginning_in(rounds)
    return tuple(
        replace(
            message,
            segments=tuple(
                _of_turn(segment, is_begun=begun is not None and segment.id == begun.id)
                for segment in message.segments
            ),
        )
        for message in said.messages
    )


def after_the_question(segments: Iterable[Segment], rounds: tuple[Message, ...]) -> list[Segment]:
    """The segments in wire order: those of tool rounds come last, though their layer does not.

    The beginning of the answer comes after them.
    """
    ids = {message.id for message in rounds}
    early: list[Segment] = []
    late: list[Segment] = []
    for segment in segments:
        said = segment.layer in ("L3_TURN", "L5_USER") and segment.id in ids
        (late if said else early).append(segment)
    return early + late


def _of_turn(segment: Segment, *, is_begun: bool) -> Segment:
    ours = replace(segment, layer="L3_TURN", essential=True, placeholder=None)
    return replace(ours, layer="L5_USER", kind=BEGINNING) if is_begun else ours


Ends = tuple[WireMessage | None, WireMessage | None]
"""The first and the last message: L1 with L2, and L3 with L5."""
_LibraryParts = tuple[tuple[Segment, ...], WireMessage | None, tuple[Segment, ...]]
"""The library, the message that it opens, and what this turn says of what is attached."""

_NO_QUESTION_ID = "turn"


@dataclass
class Draft:
    """The parts of a request that cuts to artifacts do not touch; the last library and ends built are cached.

    `quotes` is what may be quoted, `quoted` what is; `left` is the line about exchanges that left, where no message of
    history carries it. `spares_cache`: what was sent stays byte for byte, so that a provider's cache holds.
    """

    inputs: TurnInputs
    budget: Budget
    instructions: tuple[Segment, ...]
    counter: TokenCounter
    renderers: RendererRegistry
    history: tuple[WireMessage, ...] = ()
    quotes: Quotes | None = None
    quoted: tuple[Segment, ...] = ()
    left: Segment | None = None
    spares_cache: bool = True
    _library: tuple[Placements, _LibraryParts] | None = field(
        default=None, init=False, repr=False, compare=False
    )
    # Without it 1,000 counted turns whose oldest leave are played again in 48 ms instead of 46 (`bench variants`).
    _raw: tuple[Placements, int] | None = field(default=None, init=False, repr=False, compare=False)
    # Without it 1,000 turns whose oldest leave are played again in 195 ms instead of 120 (`bench variants`).
    _ends: tuple[Placements, Ends] | None = field(default=None, init=False, repr=False, compare=False)

    @cached_property
    def tool_tokens(self) -> int:
        return sum(self.counter.tool_tokens(tool) for tool in self.inputs.settings.tools)

    @cached_property
    def rounds(self) -> tuple[WireMessage, ...]:
        return round_messages(self.inputs.rounds, self.renderers) if self.inputs.rounds else ()

    def with_history(self, messages: tuple[WireMessage, ...], left: Segment | None = None) -> Draft:
        made = replace(self, history=messages, left=left)
        # Library and ends know nothing of history but the line about what left.
        made._library = self._library
        made._ends = self._ends if left is self.left else None
        return made

    def asking(self, inputs: TurnInputs, placements: Placements) -> Draft:
        """The draft for another turn with the same instructions and attachments."""
        made = replace(self, inputs=inputs)
        made._library = placements, self._library_parts(placements)
        return made

    def quoting(self, quoted: tuple[Segment, ...]) -> Draft:
        return replace(self, quoted=quoted) if quoted else self

    @property
    def capping(self) -> Capping:
        inputs, quotes = self.inputs, self.quotes
        quoting = None if quotes is None else quotes.costs
        return Capping(inputs.settings.history, inputs.tuning.kept, self.counter, quoting)

    def ends(self, placements: Placements) -> Ends:
        """The first and the last message."""
        if self._ends is None or self._ends[0] is not placements:
            self._ends = placements, self._build_ends(placements)
        return self._ends[1]

    def _build_ends(self, placements: Placements) -> Ends:
        return self._system(placements), self._last_message(placements)

    def messages(self, placements: Placements) -> tuple[WireMessage, ...]:
        system, user = self.ends(placements)
        first, last = (() if end is None else (end,) for end in (system, user))
        return (*first, *self.history, *last, *self.rounds)

    def carriers(self, placements: Placements) -> tuple[WireMessage, ...]:
        return tuple(end for end in self.ends(placements) if end is not None)

    def raw(self, placements: Placements) -> int:
        """Raw cost of everything but history."""
        if self._raw is None or self._raw[0] is not placements:
            self._raw = placements, self._price(placements)
        return self._raw[1]

    def _price(self, placements: Placements) -> int:
        there = [end for end in self.ends(placements) if end is not None]
        return self.counter.raw_cost([*there, *self.rounds]) + self.counter.reply_cost

    def _library_parts(self, placements: Placements) -> _LibraryParts:
        if self._library is None or self._library[0] is not placements:
            self._library = placements, self._build_library_parts(placements)
        return self._library[1]

    def _build_library_parts(self, placements: Placements) -> _LibraryParts:
        library_part = library_segments(placements)
        return library_part, system_message(self.instructions, library_part), turn_segments(placements)

    def _system(self, placements: Placements) -> WireMessage | None:
        return self._library_parts(placements)[1]

    def _last_message(self, placements: Placements, before: tuple[Segment, ...] = ()) -> WireMessage | None:
        """This turn's message: tool results, attachments, quotes, and the question."""
        results = self.inputs.tool_results if self.inputs.settings.filters.include_environment else ()
        given = result_segments(results, self.renderers)
        turn = (*before, *given, *self._library_parts(placements)[2], *self.quoted)
        asked = self._question_with_pictures(placements)
        question = question_segments(asked, self.inputs.now, something_before=bool(turn))
        message_id = asked.id if asked is not None else _NO_QUESTION_ID
        return self._with_left_line(user_message(turn, question, message_id))

    def _question_with_pictures(self, placements: Placements) -> Message | None:
        """The question with the pictures of those attachments that are sent."""
        shown = {placement.artifact.key for placement in placements if placement.shown}
        return without_pictures_of(
            self.inputs.question, (one.key for one in self.inputs.attached if one.key not in shown)
        )

    def _with_left_line(self, message: WireMessage | None) -> WireMessage | None:
        return message if self.left is None or message is None else with_line(message, self.left)


@dataclass
class LogDraft(Draft):
    """A log being rebuilt: the library precedes the first user message, instead of being in the system message.

    `opening` is that message where it is history; None where the question itself is the first.
    """

    opening: WireMessage | None = None

    def messages(self, placements: Placements) -> tuple[WireMessage, ...]:
        first = next((place for place, one in enumerate(self.history) if one.role == "user"), None)
        if self.opening is None:
            return super().messages(placements)
        if first is None:
            # All of history left: the question is the first message of a person, and the library opens that.
            return replace(self, opening=None).messages(placements)
        # Trimmed or not, it is the message that the library opens.
        opened = _with_library_before(self.history[first], self._library_parts(placements)[0])
        history = (*self.history[:first], opened, *self.history[first + 1 :])
        system, user = self.ends(placements)
        ahead, last = (() if end is None else (end,) for end in (system, user))
        return (*ahead, *history, *last, *self.rounds)

    def carriers(self, placements: Placements) -> tuple[WireMessage, ...]:
        opened = self._library_parts(placements)[1]
        return super().carriers(placements) if opened is None else (*super().carriers(placements), opened)

    def _price(self, placements: Placements) -> int:
        opened = self._library_parts(placements)[1]
        if self.opening is None or opened is None:
            return super()._price(placements)
        added = self.counter.raw_cost([opened]) - self.counter.raw_cost([self.opening])
        return super()._price(placements) + added

    def _build_library_parts(self, placements: Placements) -> _LibraryParts:
        library_part = library_segments(placements)
        opened = None if self.opening is None else _with_library_before(self.opening, library_part)
        return library_part, opened, turn_segments(placements)

    def _system(self, placements: Placements) -> WireMessage | None:
        return system_message(self.instructions, ())

    def _build_ends(self, placements: Placements) -> Ends:
        library_part = () if self.opening is not None else self._library_parts(placements)[0]
        return self._system(placements), self._last_message(placements, library_part)


def _with_library_before(message: WireMessage, library_part: tuple[Segment, ...]) -> WireMessage:
    """The first user message with the library before it."""
    if not library_part:
        return message
    first, *others = message.segments
    labelled = replace(first, lead=QUESTION_LABEL + first.lead)
    return replace(message, segments=(*library_part, labelled, *others))


class _ArtifactPricing:
    """Base of both pricings: prices single artifacts, each once."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._known: dict[Placement, int] = {}

    def alone(self, placement: Placement) -> int:
        if placement not in self._known:
            segments = (
                *library_segments([placement]),
                *turn_segments([placement]),
            )
            raw = sum(segment_cost(segment, self._draft.counter) for segment in segments)
            asked = self._draft.inputs.question
            if segments and asked is not None:
                raw += pictures_cost(asked, placement.artifact.key, self._draft.counter)
            self._known[placement] = self._draft.counter.total(raw)
        return self._known[placement]


class AttachmentPricing(_ArtifactPricing):
    """Prices the artifacts alone, as rendered in Library and This turn."""

    def together(self, placements: Placements) -> int:
        counter = self._draft.counter
        raw = 0
        for message in self._draft.carriers(placements):
            costs = zip(message.segments, counter.costs(message), strict=True)
            raw += sum(cost for segment, cost in costs if _is_artifact(segment))
        return counter.total(raw)


class WindowPricing(_ArtifactPricing):
    """Prices the whole request, history and tools included."""

    def __init__(self, draft: Draft, history_raw: int) -> None:
        super().__init__(draft)
        self._history_raw = history_raw

    def together(self, placements: Placements) -> int:
        raw = self._draft.raw(placements) + self._history_raw
        return self._draft.counter.total(raw) + self._draft.tool_tokens


def _is_artifact(segment: Segment) -> bool:
    beside = ("environment", *FOUND_KINDS)
    return segment.layer == "L2_PREVIOUS" or (segment.layer == "L3_TURN" and segment.kind not in beside)
