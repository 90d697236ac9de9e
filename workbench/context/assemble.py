"""Assembles one turn's inputs into one envelope: the builder behind the inspector, `replay` and sending."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from workbench.context.assembly.cutting import CutToSize, cut_for_long, cut_to_size
from workbench.context.assembly.draft import Draft, LogDraft, WindowPricing
from workbench.context.assembly.history import History, is_seam, normalise
from workbench.context.assembly.leaving import LEFT
from workbench.context.assembly.log import (
    ExtendedLog,
    grow,
    history_since,
    is_same_turn,
    known_entries,
    more_rounds,
    why_broken,
    with_quotes,
)
from workbench.context.assembly.memory import BuildMemory, Shortener, shortener_for
from workbench.context.assembly.previews import cap_history, previews_in
from workbench.context.assembly.quotes import Quotes
from workbench.context.assembly.quoting import Quoted, quoted_after, quoted_in
from workbench.context.assembly.references import (
    Placement,
    Places,
    copies_in,
    freshness_of,
    held_copies,
    is_artifact,
    order_in,
)
from workbench.context.assembly.render import system_segments
from workbench.context.assembly.seal import compactions, new_compactions, seal, seal_log
from workbench.context.assembly.select import Admission, Placements
from workbench.context.assembly.summaries import (
    changed_summaries,
    usable_summaries,
    with_boundary,
    with_summaries,
)
from workbench.context.count.measure import segment_cost
from workbench.context.text.chunk_renderers import RendererRegistry
from workbench.domain.change import Built
from workbench.domain.envelope import (
    HEADROOM,
    LOG_HEADROOM,
    Budget,
    Compacted,
    Cuts,
    Envelope,
    RebuildReason,
    WireLayout,
    WireMessage,
    beyond_history,
    budget_for,
)
from workbench.domain.files.attachment import Artifact
from workbench.domain.model import ModelCard
from workbench.domain.recall import FOUND_KINDS
from workbench.domain.segment import Segment
from workbench.domain.settings.context_settings import ContextSettings, Freshness
from workbench.domain.turn import LibraryEntry, TurnInputs
from workbench.ports.counting import TokenCounter

Lap = Callable[[str], None]
_WORTH_SAYING = 20
"""Counts of a text that differ by more than 1/n were corrected; a label makes less of a difference."""


@dataclass(frozen=True, slots=True)
class Assembly:
    """What the builder needs besides the turn's inputs; it calls `lap` after each phase, for measuring.

    `unfit` is why a log cannot extend the previous request: that holds something that must no longer be sent.
    """

    counter: TokenCounter
    renderers: RendererRegistry
    memory: BuildMemory = field(default_factory=BuildMemory)
    lap: Lap = lambda phase: None
    unfit: RebuildReason | None = None


@dataclass(frozen=True, slots=True)
class CutsAhead:
    """Predicts how the next requests of a chat would be cut, without building them.

    Assumes the instructions, attachments and settings of the request that it was made from.
    """

    draft: Draft
    placements: Placements
    cutting: Callable[[Draft, Placements, History, Shortener], CutToSize]
    normalise: Callable[[TurnInputs], History]
    shortener: Shortener

    def cut(self, inputs: TurnInputs) -> tuple[CutToSize, int]:
        """How a turn's request would be cut, and how many tokens it would have then."""
        draft = self.draft.asking(inputs, self.placements)
        cut = self.cutting(draft, self.placements, self.normalise(inputs), self.shortener)
        return cut, WindowPricing(draft, cut.history.raw).together(cut.placements)


def cuts_ahead(inputs: TurnInputs, assembly: Assembly, before: Built) -> CutsAhead:
    """A predictor of the cuts of later requests, as long as none of them quotes; a log is rebuilt for it."""
    return _builder_for(inputs, assembly).ahead(before)


def assemble(inputs: TurnInputs, assembly: Assembly, before: Built | None = None) -> Envelope:
    """Build the request: place artifacts, shorten, trim and drop to its limits, in the layout of the settings.

    `before` is the previous request, which a log extends.
    """
    build = _builder_for(inputs, assembly)
    return with_summaries(build.build(before), build.inputs, assembly.counter)


def _builder_for(inputs: TurnInputs, assembly: Assembly) -> _LayeredBuild | _LogBuild:
    layered = layout_of(inputs.settings, inputs.model) == "layered"
    return (_LayeredBuild if layered else _LogBuild)(inputs, assembly)


class _Build:
    """The common part of both layouts; `inputs` have the current trim boundary."""

    def __init__(self, inputs: TurnInputs, assembly: Assembly) -> None:
        self._assembly = assembly
        self._admission = Admission(inputs.settings.filters, inputs.tuning.excluded)
        self.inputs = with_boundary(inputs, self._admission)
        self._shortener = shortener_for(inputs.settings, assembly.memory, assembly.counter, inputs.tuning)
        admitted = self._admission.admits_system()
        self._instructions = system_segments(inputs.settings) if admitted else ()
        recalls = inputs.question is not None and bool(inputs.found or inputs.always_recalled)
        self._quotes = Quotes(inputs, assembly.counter) if recalls else None
        self._growing = assembly.memory.growing

    def _draft(self, headroom: float) -> Draft:
        assembly = self._assembly
        return Draft(
            self.inputs, self._budget(headroom), self._instructions, assembly.counter, assembly.renderers,
            quotes=self._quotes, spares_cache=self.inputs.model.has_cache,
        )  # fmt: skip

    def _history(self, inputs: TurnInputs, before: Built | None = None) -> History:
        """The normalised history; what is not in memory, as after opening a chat, is taken from the request before."""
        entries, tuning, renderers = inputs.history, inputs.tuning, self._assembly.renderers
        admission, summarised = self._admission, tuning.summarised
        key = (admission, tuning, renderers, usable_summaries(entries, tuning, admission))
        return self._assembly.memory.history(
            entries,
            key,
            lambda some: normalise(
                some,
                admission,
                tuning,
                renderers,
                before.envelope.messages if before is not None and some is entries else (),
            ),
            lambda one, other: one.id not in summarised and is_seam(one, other, admission),
        )

    def _placed(self, library: Sequence[LibraryEntry], freshness: Freshness) -> Placements:
        places = Places(self._shortener, freshness, self._admission.admits_artifact)
        return places.place(library, self.inputs.attached)

    def _budget(self, headroom: float) -> Budget:
        inputs = self.inputs
        return budget_for(inputs.settings, inputs.model.context_window_tokens, headroom)


class _LayeredBuild(_Build):
    """Builds a request by layers."""

    def build(self, before: Built | None) -> Envelope:
        """The request by layers, independent of the previous one."""
        inputs, assembly = self.inputs, self._assembly
        placements = self._placed(inputs.library, freshness_of(inputs.settings, inputs.model))
        assembly.lap("library")
        history = self._history(inputs, before)
        draft = self._draft(HEADROOM)
        assembly.lap("process")
        cut = cut_to_size(draft, placements, history, self._shortener)
        assembly.lap("compact")
        draft = draft.with_history(cut.history.sent, cut.history.left)
        quoted = quoted_in(draft, cut.placements)
        cuts = _cuts(cut, history, quoted)
        envelope = seal(draft.quoting(quoted.segments), cut.placements, history, cuts, self._growing)
        assembly.lap("render")
        return envelope

    def ahead(self, before: Built) -> CutsAhead:
        inputs = self.inputs
        placements = self._placed(inputs.library, freshness_of(inputs.settings, inputs.model))
        return CutsAhead(self._draft(HEADROOM), placements, cut_to_size, self._history, self._shortener)


class _LogBuild(_Build):
    """Builds a request as an append-only log: everything stays where it was first sent."""

    def build(self, before: Built | None) -> Envelope:
        """The previous request with what is new appended, or a rebuilt log."""
        inputs, assembly = self.inputs, self._assembly
        assembly.lap("library")
        history = self._history(inputs, before)
        draft = self._draft(LOG_HEADROOM)
        assembly.lap("process")
        if before is not None and is_same_turn(inputs, before):
            return self._next_round(draft, before, history)
        known = known_entries(before, history, self._growing)
        reason = why_broken(inputs, before, known, self._instructions) or assembly.unfit
        if reason is None and before is not None and self._wants_shorter_text(before):
            reason = "asked"
        if reason is None and before is not None and self._is_outgrown(draft, before, (history, known or 0)):
            reason = "over_threshold"
        if reason is None and before is not None:
            envelope = self._extended_with_full_texts(draft, before, (history, known or 0))
            over = over_limits(envelope, inputs.settings, self._most_tokens(before))
            if over is None:
                assembly.lap("render")
                return envelope
            reason = over
        return self._rebuilt(history, reason or "first", before)

    def _wants_shorter_text(self, before: Built) -> bool:
        """Whether the user wants something shorter than the log has it."""
        held = {one.key: one for one in before.inputs.attached}
        known = copies_in(before.envelope)
        if changed_summaries(self.inputs, before.inputs) & known.keys():
            return True
        for one in self.inputs.attached:
            old = held.get(one.key)
            if old is not None and one.by_relevance and not old.by_relevance and one.key in known:
                return True
            if (
                old is None
                or one.most_tokens is None
                or one.most_tokens == old.most_tokens
                or one.key not in known
            ):
                continue
            less = old.most_tokens is None or one.most_tokens < old.most_tokens
            if less and self._shortener.wanted(one) is not None:
                return True
        return False

    def _next_round(self, draft: Draft, before: Built, history: History) -> Envelope:
        """The request of a later tool round: the previous one with the tools' results."""
        grown = more_rounds(self.inputs, before, self._assembly.renderers)
        unfit = self._assembly.unfit
        if grown is None or unfit:
            return self._rebuilt(history, before.envelope.rebuilt or unfit or "history_edited", before)
        envelope = seal_log(draft, grown, before.envelope.cuts, before.envelope.rebuilt, self._growing)
        over = over_limits(envelope, self.inputs.settings, self._most_tokens(before))
        return envelope if over is None else self._rebuilt(history, over, before)

    def _is_outgrown(self, draft: Draft, before: Built, since: tuple[History, int]) -> bool:
        """Whether the previous request and what was said since exceed the limit, whatever the question is."""
        counter, said = draft.counter, history_since(self.inputs, before, *since)
        if said is None or not counter.additive:
            return False
        raw = counter.raw_cost(before.envelope.messages) + counter.raw_cost(said.messages)
        return counter.total(raw) + draft.tool_tokens > self._most_tokens(before)

    def _most_tokens(self, before: Built) -> int:
        """The most tokens a log may have; counts corrected since it began are no reason to rebuild it."""
        corrected = before.envelope.cuts.trim.corrected(
            self.inputs.settings.model, self._assembly.counter.ratio
        )
        return self._budget(LOG_HEADROOM).tolerated_tokens(corrected)

    def _extended_with_full_texts(self, draft: Draft, before: Built, since: tuple[History, int]) -> Envelope:
        """The log with what is new, and with a cut text in full where the user wants that and it fits.

        The full text is appended if it fits, else it replaces the cut copy in a rebuilt log.
        """
        envelope = self._extend_log(draft, before, since)
        held: set[str] = set()
        for one in self._cut_in_log(before, envelope):
            longer = self._extend_log(draft, before, since, frozenset({one.key}))
            if over_limits(longer, self.inputs.settings, longer.budget.limit_tokens) is not None:
                longer = self._rebuilt_with(replace(one, whole=True), since[0], before)
            if not self._holds_whole(longer, one, envelope):
                continue
            if one.whole:
                return longer
            held.add(one.key)
        if not held:
            return envelope
        return replace(envelope, cuts=replace(envelope.cuts, forced=True, held=frozenset(held)))

    def _cut_in_log(self, before: Built, grown: Envelope) -> Iterator[Artifact]:
        """Attached texts that the log has cut and that may fit now, those the user wants whole first."""
        fitted = {(one.id, one.content_digest) for one in before.envelope.cuts.trim.fitted if one.chars}
        known = copies_in(before.envelope) if fitted else {}
        saved = {one.id: one.from_tokens - one.to_tokens for one in before.envelope.cuts.compacted}
        now, library = {one.key for one in self.inputs.attached}, grown.layer("L2_PREVIOUS")
        copies = zip(library.segments, library.tokens, strict=True)
        old = sum(tokens for one, tokens in copies if one.superseded or one.id not in now)
        for one in sorted(self.inputs.attached, key=lambda one: not one.whole) if fitted else ():
            content, copy = one.content_digest, known.get(one.key)
            cut = copy is not None and copy.content_digest == content and not copy.whole
            if not cut or (one.key, content) not in fitted or self._shortener.wanted(one) is not None:
                continue
            if grown.total_tokens - old + saved.get(one.key, 0) <= grown.budget.limit_tokens:
                yield one

    def _rebuilt_with(self, artifact: Artifact, history: History, before: Built) -> Envelope:
        attached = tuple(artifact if one.key == artifact.key else one for one in self.inputs.attached)
        build = _LogBuild(replace(self.inputs, attached=attached), self._assembly)
        return build._rebuilt(history, "asked", before)

    def _holds_whole(self, envelope: Envelope, artifact: Artifact, instead_of: Envelope) -> bool:
        """Whether a request within its limit has all of a text, and nothing else was cut for it."""
        fallen = {one.id for one in envelope.cuts.pruned} - {one.id for one in instead_of.cuts.pruned}
        trimmed = set(envelope.cuts.trimmed_messages).difference(instead_of.cuts.trimmed_messages)
        copy = copies_in(envelope).get(artifact.key)
        whole = copy is not None and copy.whole and not (fallen or trimmed)
        return whole and over_limits(envelope, self.inputs.settings, envelope.budget.limit_tokens) is None

    def _extend_log(
        self, draft: Draft, before: Built, since: tuple[History, int], whole: frozenset[str] = frozenset()
    ) -> Envelope:
        inputs = self.inputs
        grown = grow(inputs, before, since, self._assembly.renderers, self._shortener.wanted, whole)
        grown = replace(grown, messages=(*grown.messages, *draft.rounds))
        old = before.envelope.cuts
        strip = before.envelope.layer("L4_STRIP").segments
        left = [one.id for one in strip if one.form == "trimmed" and not one.sent]
        trimmed = [s.id for message in grown.messages for s in message.segments if s.form == "trimmed"]
        cuts = Cuts(
            pruned=tuple(one for one in old.pruned if one.id in grown.kept_out),
            compacted=self._recounted(old, before),
            repairs=since[0].repairs,
            trim=old.trim,
            trimmed_messages=(*left, *trimmed),
        )
        envelope = seal_log(draft, grown, cuts, None, self._growing)
        quoted = quoted_after(draft, grown, envelope)
        if quoted.forced:
            cuts = replace(cuts, forced=True)
        if quoted.segments and inputs.question is not None:
            grown = with_quotes(grown, quoted.segments, inputs.question.id)
            envelope = seal_log(draft, grown, cuts, None, self._growing)
        turn = envelope.layer("L3_TURN")
        new = new_compactions(zip(turn.segments, turn.tokens, strict=True), inputs, draft.counter)
        return replace(envelope, cuts=replace(cuts, compacted=(*cuts.compacted, *new))) if new else envelope

    def _recounted(self, cuts: Cuts, before: Built) -> tuple[Compacted, ...]:
        """What was shortened in a log, with current counts of the sent and of the full text."""
        counter = self._assembly.counter
        if counter.ratio is None or not cuts.compacted:
            return cuts.compacted
        held = {one.id: one for one in held_copies(before.envelope) if one.form == "compacted"}
        found = []
        for one in cuts.compacted:
            tokens = counter.total(segment_cost(held[one.id], counter)) if one.id in held else one.to_tokens
            whole = one.from_tokens * tokens // max(1, one.to_tokens)
            corrected = abs(tokens - one.to_tokens) * _WORTH_SAYING > one.to_tokens
            found.append(replace(one, from_tokens=whole, to_tokens=tokens) if corrected else one)
        return tuple(found)

    def _rebuilt(self, history: History, reason: RebuildReason, before: Built | None) -> Envelope:
        """A rebuilt log: it begins with attachments that were sent before, and omits everything outdated.

        What has been unchanged longest comes first, so that a cache may still hold that prefix.
        """
        assembly = self._assembly
        inputs = self.inputs
        if reason == "over_budget":
            inputs = replace(inputs, settings=with_headroom(inputs.settings))
        placements = self._opening_placements(before)
        draft = self._opening_draft(inputs, history)
        cutting = cut_for_long if reason == "over_threshold" else cut_to_size
        cut = cutting(draft, placements, history, self._shortener)
        assembly.lap("compact")
        settled = draft.with_history(cut.history.sent, cut.history.left)
        quoted = quoted_in(settled, cut.placements)
        messages = settled.quoting(quoted.segments).messages(cut.placements)
        log, cuts = ExtendedLog(self._with_turn_numbers(messages), history.said), _cuts(cut, history, quoted)
        envelope = seal_log(draft, log, cuts, reason, self._growing)
        rows = [
            row
            for name in ("L2_PREVIOUS", "L3_TURN")
            for layer in envelope.layers
            if layer.name == name
            for row in zip(layer.segments, layer.tokens, strict=True)
        ]
        shortened = compactions(rows, cut.placements, inputs, assembly.counter)
        said = envelope.layer("L4_STRIP")
        shortened = (
            *shortened,
            *previews_in(said, history.messages, inputs, assembly.counter, self._growing),
        )
        assembly.lap("render")
        return replace(envelope, cuts=replace(envelope.cuts, compacted=shortened))

    def _opening_placements(self, before: Built | None) -> Placements:
        """The placements at the start of a rebuilt log, in the order of the previous log."""
        inputs = self.inputs
        held = {artifact.key for artifact in inputs.attached}
        library = tuple(entry for entry in inputs.library if entry.key in held)
        if before is not None and before.envelope.layout == "append_only":
            known = order_in(before.envelope)
            library = tuple(sorted(library, key=lambda entry: known.get(entry.key, len(known) + 10**6)))
        return tuple(_opening(one) for one in self._placed(library, "refresh"))

    def _opening_draft(self, inputs: TurnInputs, history: History) -> LogDraft:
        assembly = self._assembly
        draft = LogDraft(
            inputs, self._budget(LOG_HEADROOM), self._instructions, assembly.counter, assembly.renderers,
            quotes=self._quotes,
        )  # fmt: skip
        capped = cap_history(history.messages, draft.capping)
        return replace(
            draft, opening=next((one for one in capped if one.role == "user" and one.segments), None)
        )

    def _with_turn_numbers(self, messages: tuple[WireMessage, ...]) -> tuple[WireMessage, ...]:
        """The log's messages, with the turn noted in which each artifact was sent."""
        dated, turn = list(messages), self.inputs.turn
        for place, message in beyond_history(messages):
            segments = (
                replace(one, sent_in=turn) if _is_new_in_turn(one) else one for one in message.segments
            )
            if any(map(_is_new_in_turn, message.segments)):
                dated[place] = replace(message, segments=tuple(segments))
        return tuple(dated)

    def ahead(self, before: Built) -> CutsAhead:
        draft = self._opening_draft(self.inputs, self._history(self.inputs))
        placements = self._opening_placements(before)
        return CutsAhead(draft, placements, cut_for_long, self._history, self._shortener)


def _is_new_in_turn(segment: Segment) -> bool:
    return segment.layer == "L3_TURN" and is_artifact(segment)


def layout_of(settings: ContextSettings, card: ModelCard) -> WireLayout:
    """The layout in effect: `auto` is a log where the model has a known cache, else by layers."""
    if settings.layout == "auto":
        return "append_only" if card.has_cache else "layered"
    return settings.layout


def over_limits(envelope: Envelope, settings: ContextSettings, most_tokens: int) -> RebuildReason | None:
    """The limit that a grown log exceeds, as a reason to rebuild it; None where it is within all of them."""
    caps = settings.history
    if envelope.total_tokens > most_tokens:
        return "over_threshold"
    if (settings.attachment_budget_tokens, caps.last_n_messages, caps.max_tokens) == (None, None, None):
        return None
    artifacts = sum(
        tokens
        for layer in envelope.layers
        for segment, tokens in zip(layer.segments, layer.tokens, strict=True)
        if is_artifact(segment)
    )
    strip = envelope.layer("L4_STRIP")
    beside = ("time", LEFT, *FOUND_KINDS)
    said = sum(segment.sent and segment.kind not in beside for segment in strip.segments)
    turn = envelope.layer("L3_TURN")
    recalled = sum(t for s, t in zip(turn.segments, turn.tokens, strict=True) if s.kind == "recalled")
    limits = (
        (artifacts, settings.attachment_budget_tokens),
        (said, caps.last_n_messages),
        (strip.total_tokens + recalled, caps.max_tokens),
    )
    return "over_budget" if any(most is not None and there > most for there, most in limits) else None


def with_headroom(settings: ContextSettings) -> ContextSettings:
    """The settings with lower caps on history: filled completely, a log would have to be rebuilt every turn."""
    caps = settings.history
    share = LOG_HEADROOM if caps.headroom is None else caps.headroom
    last_n, tokens = (
        None if most is None else max(min(1, most), int(most * share))
        for most in (caps.last_n_messages, caps.max_tokens)
    )
    return replace(settings, history=replace(caps, last_n_messages=last_n, max_tokens=tokens))


def _opening(placement: Placement) -> Placement:
    """How an artifact is placed in a rebuilt log: in full in the library, or else once in the turn."""
    if placement.library_form == "full" and placement.in_turn == "reference":
        return replace(placement, in_turn=None)
    return placement if placement.in_turn is None else replace(placement, library_form=None)


def _cuts(cut: CutToSize, history: History, quoted: Quoted) -> Cuts:
    return Cuts(
        pruned=cut.pruned,
        repairs=history.repairs,
        trim=cut.trim,
        trimmed_messages=cut.history.trimmed_ids,
        forced=cut.forced or quoted.forced,
        held=cut.held,
    )
