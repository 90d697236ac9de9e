"""Cuts a request to its limits in the way that costs the least: shorten texts, trim history, then drop.

A text that is new, or is given more, fills the room there is, and history stays. Where the talk alone has outgrown the
limit, old messages are trimmed first, and then texts are shortened so far that the next turns have room. At last
artifacts are dropped. Every decision counts the request as it would be sent. A cut stays as it was sent until that
is over its limit again: bytes that move break the prefix that a provider has cached. Where no cache is known, whatever
fits is whole again in every turn. Counts that were corrected since cut nothing that still fits the window.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from workbench.context.assembly.draft import AttachmentPricing, Draft, WindowPricing
from workbench.context.assembly.history import History
from workbench.context.assembly.leaving import Leaving
from workbench.context.assembly.memory import Shortener
from workbench.context.assembly.previews import Previews, cap_history
from workbench.context.assembly.references import Placement
from workbench.context.assembly.select import (
    Limit,
    Placements,
    compact_for_limit,
    drop_for_limit,
    drop_rank,
    optimize_for_limit,
    shortest,
    shrink,
)
from workbench.context.assembly.trim import (
    Trimmed,
    TrimRequest,
    newest_exchange,
    newest_exchanges,
    resolve_boundary,
    retrim_history,
    trim_history,
)
from workbench.context.shorten.fair_shares import chars_for, fair_shares
from workbench.domain.envelope import Fitted, Pruned, TrimState
from workbench.domain.text import digest_text
from workbench.domain.turn import TurnInputs

# Texts that do not fit get the room there is, shared fairly; what each was cut by is remembered with its cut.


_TRIES = 8
_NEARLY_EQUAL = 0.8
"""A share of an equal one: cuts that are as fair as that stay as they are."""
_WORTH_MOVING = 50
"""A text gets more where that is a fiftieth of the limit at least: to move its bytes costs the cached prefix."""


class Filling:
    """Shortens attached texts to the tokens available, and notices when a shortened text may have more.

    Attributes:
        corrected: the factor by which counts were corrected since the cuts were chosen; 1 once they are chosen again.
    """

    def __init__(
        self,
        inputs: TurnInputs,
        pricing: AttachmentPricing,
        shortener: Shortener,
        limit: int,
        fill: int,
        counted: tuple[str, float] | None = None,
    ) -> None:
        self._limit, self._fill = limit, fill
        self._then = inputs.trim.fitted
        self._most_attached = inputs.settings.attachment_budget_tokens
        self._pricing, self._shortener = pricing, shortener
        self.corrected = 1.0 if counted is None else inputs.trim.corrected(*counted)

    def with_more_room(self, kept: Placements) -> frozenset[str]:
        """Keys of shortened texts that other attachments now leave noticeably more room than when they were cut."""
        worth = max(1, self._limit // _WORTH_MOVING)
        return frozenset(
            one.artifact.key
            for one, then in self._previous_cuts(kept)
            if then.room_tokens is not None and self._room_left_for(one, kept) - then.room_tokens >= worth
        )

    def has_raised_priority(self, kept: Placements) -> bool:
        """Whether the user raised the priority of a shortened text, so that other texts may have to shrink for it."""
        return any(
            then.priority is not None and one.artifact.priority < then.priority
            for one, then in self._previous_cuts(kept)
        )

    def _previous_cuts(self, kept: Placements) -> Iterator[tuple[Placement, Fitted]]:
        """The shortened texts whose content is still what it was, each with the cut recorded for it."""
        then = {(one.id, one.content_digest): one for one in self._then}
        for one in kept:
            cut = one.fitted
            if cut is not None and (cut.id, cut.content_digest) in then:
                yield one, then[cut.id, cut.content_digest]

    def _room_left_for(self, placement: Placement, placements: Placements) -> int:
        """Tokens that the other attachments leave for this text, without regard to the history."""
        most = self._fill if self._most_attached is None else min(self._fill, self._most_attached)
        others = (one for one in placements if one.shown and one.artifact.key != placement.artifact.key)
        return max(0, most - int(sum(map(self._pricing.alone, others)) / self.corrected))

    def recorded_cut(self, placement: Placement, placements: Placements) -> Fitted | None:
        """The cut as it is stored for the next turn, with the priority and the room that it was chosen for."""
        cut = placement.fitted
        if cut is None:
            return None
        room = self._room_left_for(placement, placements)
        return replace(cut, priority=placement.artifact.priority, room_tokens=room)

    def filled(
        self,
        placements: Placements,
        whole: Mapping[str, Placement],
        request: WindowPricing,
        most: int,
        only: Set[str] | None = None,
    ) -> Placements:
        """Lengthen shortened texts (all, or `only` some) until the request has `most` tokens, shared fairly."""
        cut = [one for one in placements if one.fitted and (only is None or one.artifact.key in only)]
        return self._share_room(placements, cut, whole, request, most) if cut else placements

    def balance(
        self, placements: Placements, whole: Mapping[str, Placement], request: WindowPricing
    ) -> Placements:
        """Redistribute tokens among texts of one priority where one of them has far less than an equal share."""
        for priority in sorted({one.artifact.priority for one in placements if one.attached and one.fitted}):
            alike = [
                (one, shortest(whole[one.artifact.key]))
                for one in placements
                if one.attached and one.shown and one.artifact.priority == priority
            ]
            least = {one.artifact.key: one for _, one in alike if one.fitted}
            tokens = [request.alone(one) for one, shorter in alike if shorter.fitted]
            least_cut = min(request.alone(one) for one, _ in alike if one.fitted)
            if least_cut * len(tokens) >= _NEARLY_EQUAL * sum(tokens):
                continue
            base = tuple(least.get(one.artifact.key, one) for one in placements)
            shared = self._share_room(
                base, tuple(least.values()), whole, request, request.together(placements)
            )
            placements = placements if shared is base else shared
        return placements

    def _share_room(
        self,
        placements: Placements,
        cut: Sequence[Placement],
        whole: Mapping[str, Placement],
        request: WindowPricing,
        most: int,
    ) -> Placements:
        room = self._room(placements, request, most)
        if room <= 0:
            return placements
        least = {one.artifact.key: request.alone(one) for one in cut}
        wishes = {
            one.artifact.key: request.alone(_in_full(one, whole[one.artifact.key])) - least[one.artifact.key]
            for one in cut
        }
        for _ in range(_TRIES):
            shares = fair_shares(room, wishes)
            longer = {
                key: self._longest_cut(one, whole[key], least[key] + shares[key], request)
                for one in cut
                for key in (one.artifact.key,)
            }
            filled = tuple(longer.get(one.artifact.key, one) for one in placements)
            over = -self._room(filled, request, most)
            if over <= 0:
                return filled
            room -= over  # headings and labels that came back with a text
            if room <= 0:
                break
        return placements

    def _room(self, placements: Placements, request: WindowPricing, most: int) -> int:
        room = most - request.together(placements)
        if self._most_attached is None:
            return room
        return min(room, self._most_attached - self._pricing.together(placements))

    def _longest_cut(
        self, least: Placement, whole: Placement, share: int, request: WindowPricing
    ) -> Placement:
        """The longest cut of a text that costs at most `share` tokens."""
        full = _in_full(least, whole)
        cost = request.alone(full)
        if cost <= share:
            return full
        made: dict[int, Placement] = {}

        def price(chars: int) -> int | None:
            candidate = self._cut_at(least, chars)
            if candidate is None:
                return None
            made[chars] = candidate
            return request.alone(candidate)

        chars = chars_for(share, price, len(_text(least)), cost)
        return least if chars is None or request.alone(made[chars]) <= request.alone(least) else made[chars]

    def _cut_at(self, placement: Placement, chars: int) -> Placement | None:
        if (
            placement.library_form == "compacted"
            and placement.library_cut is not None
            and placement.library_copy is not None
        ):
            text = self._shortener.fitted(placement.library_copy, chars)
            return None if text is None else replace(placement, library_short=text, library_cut=chars)
        text = self._shortener.fitted(placement.artifact, chars)
        return None if text is None else replace(placement, short=text, cut=chars)


def _in_full(cut: Placement, original: Placement) -> Placement:
    """The artifact in full where it was cut; an older library copy that was dropped stays dropped."""
    return replace(cut, in_turn="full") if cut.in_turn == "compacted" else original


def _text(placement: Placement) -> str:
    in_library = placement.library_form == "compacted" and placement.library_cut is not None
    return (
        placement.library_copy.text
        if in_library and placement.library_copy is not None
        else placement.artifact.text
    )


_OVER_WINDOW, _OVER_BUDGET = "over the window", "over attachment budget"
_TOLD_TOKENS = 32
"""Tokens reserved for the line about exchanges that left, while its exact cost is unknown."""
_SPARED_EXCHANGES = 3
"""The newest exchanges that are trimmed only after attached texts: a question is mostly about what was said last."""


@dataclass(frozen=True, slots=True)
class CutToSize:
    """The placements and history that remain of a request, and how they were cut.

    `forced`: a limit was reached, so the result depends on the length of every part. `filled`: a text was lengthened
    into free room just now. `held`: keys of texts that stay cut only to keep the prefix cached.
    """

    placements: Placements
    history: Trimmed
    trim: TrimState
    pruned: tuple[Pruned, ...] = ()
    forced: bool = False
    filled: bool = False
    held: frozenset[str] = frozenset()


def cut_to_size(draft: Draft, placements: Placements, history: History, shortener: Shortener) -> CutToSize:
    """Cut a request to its limits, keeping attachments in full wherever possible."""
    return _Cutter(draft, history, shortener).cut(placements)


def cut_for_long(draft: Draft, placements: Placements, history: History, shortener: Shortener) -> CutToSize:
    """Cut a request to its limits and trim history until there is headroom: for a log that later turns extend."""
    cutting = _Cutter(draft, history, shortener)
    cut = replace(cutting.cut(placements), held=frozenset())  # whole, it would take history for its headroom
    # A text that has just filled the room leaves none to be had by trimming.
    return cut if cut.filled else cutting.trim_for_headroom(cut)


@dataclass
class _Cutter:
    draft: Draft
    history: History
    shortener: Shortener
    attachments: AttachmentPricing = field(init=False)

    def __post_init__(self) -> None:
        inputs, budget = self.draft.inputs, self.draft.budget
        self.attachments = AttachmentPricing(self.draft)
        self._attachment_limit = inputs.settings.attachment_budget_tokens
        window = budget.window_tokens
        self._limit = budget.limit_tokens
        # Texts that are shortened leave room for the next turns, so that they are not cut in each of them.
        self._headroom_target = (
            window if budget.threshold_tokens is None else min(budget.trim_target_tokens, window)
        )
        self._anew = not self.draft.spares_cache and inputs.settings.history.when_full == "exchanges"
        self._target = self._limit if self._anew else self._headroom_target
        self._fill = budget.fill_tokens
        counter, model = self.draft.counter, inputs.settings.model
        self._counted = None if counter.ratio is None else (model, counter.ratio)
        self._filling = Filling(
            inputs, self.attachments, self.shortener, self._limit, self._fill, self._counted
        )
        capped = self._capped = cap_history(self.history.messages, self.draft.capping)
        self._newest = newest_exchange(capped, inputs.question is not None)
        self._spared = newest_exchanges(capped, self._newest, _SPARED_EXCHANGES)
        self._previews = Previews(capped, self.shortener.how, self.shortener.memory)
        self._leaving = self._leaving_policy()
        by_exchange = self._leaving is not None
        wanted = by_exchange or inputs.settings.compaction.tool_results == "preview"
        if self._leaving is not None and inputs.trim.basis not in (None, self._leaving.basis):
            wanted = False  # found anew, so that what fits again is back
        self._said = self._previews.kept(inputs.trim.fitted) if wanted else capped

    def _leaving_policy(self) -> Leaving | None:
        inputs, budget = self.draft.inputs, self.draft.budget
        rules = inputs.settings.history
        if rules.when_full != "exchanges":
            return None
        found_by = (inputs.settings.model, budget, rules.keep_last_n_assistant)
        basis = digest_text(repr(found_by))[:16]
        told = (0, (0, 0))
        if inputs.trim.basis == basis:
            told = (resolve_boundary(self._capped, inputs.trim), inputs.trim.left)
        return Leaving(inputs.tuning.kept, basis, self._previews.with_short_answers, self._anew, told)

    def cut(self, placements: Placements) -> CutToSize:
        return self._with_held_texts(self._cut(placements), placements)

    def _cut(self, placements: Placements) -> CutToSize:
        if self._anew and (whole := self._uncut_if_it_fits(placements)) is not None:
            return whole
        frozen = retrim_history(self._trim_request(0), self.draft.counter)
        request = WindowPricing(self.draft, frozen.raw)
        kept = self._with_previous_cuts(placements)
        more = frozenset() if kept is placements else self._filling.with_more_room(kept)
        if kept is not placements and self._filling.has_raised_priority(kept):
            return self._choose_cuts(placements, {}, request, self._fill)
        if self._is_tolerated(request.together(kept)) and self._within_budget(kept):
            return self._result(kept, frozen, self._still_dropped(kept, placements, request), forced=True)
        settled = self._restore_whole(kept, placements, request, more)
        over = request.together(settled) > self._limit
        if not over and self._within_budget(settled):
            if more:
                settled = self._filling.filled(settled, _by_key(placements), request, self._fill, more)
            out = self._still_dropped(settled, placements, request)
            return self._result(settled, frozen, out, forced=kept is not placements, filled=bool(more))
        if over and not more and not any(map(self._is_new_text, settled)):
            return self._cut_outgrown_history(settled, placements, request)
        return self._choose_cuts(placements, {} if over else _by_key(settled), request, self._fill)

    def _uncut_if_it_fits(self, placements: Placements) -> CutToSize | None:
        """Everything uncut, if that fits; else None."""
        whole = replace(self._trim_request(0), messages=self._capped, state=TrimState())
        history = retrim_history(whole, self.draft.counter)
        request = WindowPricing(self.draft, history.raw)
        if not self._has_room(placements, request, self._limit):
            return None
        return CutToSize(placements, history, TrimState(counted=self._counted))

    def _is_tolerated(self, tokens: int) -> bool:
        """Whether a request is over its limit only because its counts were corrected since it was cut."""
        return self._limit < tokens <= self.draft.budget.tolerated_tokens(self._filling.corrected)

    def trim_for_headroom(self, cut: CutToSize) -> CutToSize:
        """Trim more of the old history where there is no headroom yet; attachments stay as they are."""
        total = WindowPricing(self.draft, cut.history.raw).together(cut.placements)
        if total <= self._target - _TOLD_TOKENS and not cut.trim.fitted:
            return cut
        raw = self.draft.raw(cut.placements)
        request = replace(self._trim_request(raw), newest_exchange=self._spared)
        budget = replace(request.budget, threshold_tokens=self._target)
        state = replace(cut.trim, fitted=())
        trimmed = trim_history(replace(request, budget=budget, state=state), self.draft.counter)
        artifacts = {one.artifact.key for one in cut.placements}
        old = self._previews.sent_in(trimmed)
        kept = (*(one for one in cut.trim.fitted if one.id in artifacts), *old)
        state = replace(trimmed.state, fitted=kept, counted=cut.trim.counted)
        return replace(cut, history=trimmed, trim=state)

    def _is_new_text(self, placement: Placement) -> bool:
        """Whether a text that can be shortened is new in this request, or has changed."""
        new = placement.in_turn == "full" or not self.history.messages
        return placement.attached and new and shrink(placement) != placement

    def _cut_outgrown_history(
        self, settled: Placements, whole: Placements, request: WindowPricing
    ) -> CutToSize:
        """Make room where history has outgrown the limit: trim old messages first, then shorten texts."""
        self._filling.corrected = 1.0
        if not any(shrink(one) != one or one.fitted is not None for one in settled):
            return self._choose_cuts(whole, {}, request, self._headroom_target)
        self._with_previews(settled, request)
        older = replace(self._trim_request(self.draft.raw(settled)), newest_exchange=self._spared)
        trimmed = trim_history(older, self.draft.counter)
        rest = WindowPricing(self.draft, trimmed.raw)
        if rest.together(settled) <= self._target:
            settled = self._restore_whole_unless_cached(settled, whole, rest)
            return self._result(settled, trimmed, self._still_dropped(settled, whole, rest), forced=True)
        return self._choose_cuts(whole, {}, request, self._headroom_target, trimmed)

    def _choose_cuts(
        self,
        placements: Placements,
        settled: Mapping[str, Placement],
        request: WindowPricing,
        most: int,
        older: Trimmed | None = None,
    ) -> CutToSize:
        """Choose all cuts again, with shortened texts filling the request up to `most` tokens.

        `settled` are placements that stay as they are where that is possible, `older` is history whose old messages
        are trimmed already.
        """
        self._filling.corrected = 1.0
        pruned: tuple[Pruned, ...] = ()
        remaining = placements
        if self._attachment_limit is not None:
            budget = Limit(self._attachment_limit, _OVER_BUDGET)
            within = optimize_for_limit(placements, self.attachments, budget)
            remaining, pruned = within.placements, within.pruned
        over = request.together(remaining) > self._limit
        if older is not None:
            request = WindowPricing(self.draft, older.raw)
        elif over:
            request = self._with_previews(remaining, request)
        if request.together(remaining) > self._limit:
            remaining = compact_for_limit(remaining, request, most)
        # What has no room even beside the least history falls first: history must not be trimmed for it.
        fallen: tuple[Pruned, ...] = ()
        if request.together(remaining) > self.draft.budget.window_tokens:
            least = WindowPricing(self.draft, self._fully_trimmed_history().raw)
            remaining, fallen = self._drop_over_window(remaining, least)
        trimmed = older
        if trimmed is None or request.together(remaining) > self._limit:
            trimmed = trim_history(self._trim_request(self.draft.raw(remaining)), self.draft.counter)
            request = WindowPricing(self.draft, trimmed.raw)
        remaining, late = self._drop_over_window(remaining, request)
        pruned = (*pruned, *fallen, *late)
        whole = _by_key(placements)
        filled = self._filling.filled(remaining, whole, request, most)
        filled = self._filling.balance(filled, whole, request)
        filled = self._keep_previous_cuts(filled, settled, request)
        filled = self._restore_whole_unless_cached(filled, placements, request)
        if not self.draft.spares_cache:
            out = {one.artifact.key for one in filled if not one.shown}
            pruned = tuple(one for one in pruned if one.id in out)
        cut = any(placement.fitted for placement in filled)
        return self._result(filled, trimmed, pruned, forced=over or cut, filled=cut and most == self._fill)

    def _with_previews(self, placements: Placements, request: WindowPricing) -> WindowPricing:
        """Replace old tool results by previews, the longest first, until there is headroom."""
        by_exchange = self._leaving is not None
        if not by_exchange and self.draft.inputs.settings.compaction.tool_results != "preview":
            return request
        counter, total, said = self.draft.counter, request.together(placements), self._said
        first = self._trim_request(0).boundary
        keep = self.draft.inputs.settings.history.keep_last_n_assistant
        end = newest_exchanges(self._said, self._newest, keep) if by_exchange and keep else self._newest
        for where in self._previews.largest(self._said, first, end):
            if total <= self._target:
                break
            shorter = self._previews.with_preview(self._said, where)
            if shorter is not None:
                costs = (sum(counter.costs(messages[where[0]])) for messages in (self._said, shorter))
                before, after = (counter.total(raw) for raw in costs)
                self._said, total = shorter, total - before + after
        if self._said is said:
            return request
        frozen = retrim_history(self._trim_request(0), counter)
        return WindowPricing(self.draft, frozen.raw)

    def _drop_over_window(
        self, placements: Placements, request: WindowPricing
    ) -> tuple[Placements, tuple[Pruned, ...]]:
        window = Limit(self.draft.budget.window_tokens, _OVER_WINDOW)
        if request.together(placements) <= window.tokens:
            return placements, ()
        dropped = drop_for_limit(placements, request, window)
        return dropped.placements, dropped.pruned

    def _fully_trimmed_history(self) -> Trimmed:
        """History trimmed as far as it can be."""
        request = self._trim_request(0)
        if request.budget.threshold_tokens is None:
            return retrim_history(request, self.draft.counter)
        nothing = replace(request.budget, threshold_tokens=0, trim_target_tokens=0)
        return trim_history(replace(request, budget=nothing), self.draft.counter)

    def _still_dropped(
        self, settled: Placements, whole: Placements, request: WindowPricing
    ) -> tuple[Pruned, ...]:
        """Attachments that were dropped earlier and still have no room, each with the limit that dropped it."""
        out = [one for one in settled if one.attached and not one.shown]
        originals, found = _by_key(whole), _by_key(settled)
        pruned = []
        for one in out:
            original = originals[one.artifact.key]
            back = tuple({**found, one.artifact.key: original}.values())
            reason = _OVER_WINDOW if self._within_budget(back) else _OVER_BUDGET
            tokens = request.alone(original)
            pruned.append(
                (drop_rank(original, tokens), Pruned(one.artifact.key, tokens, one.artifact.priority, reason))
            )
        return tuple(fallen for _, fallen in sorted(pruned, key=lambda ranked: ranked[0]))

    def _result(
        self,
        placements: Placements,
        trimmed: Trimmed,
        pruned: tuple[Pruned, ...],
        forced: bool,
        filled: bool = False,
    ) -> CutToSize:
        if self._anew and not self._is_tolerated(WindowPricing(self.draft, trimmed.raw).together(placements)):
            trimmed = self._restore_exchanges(placements, trimmed)
        cuts = (
            cut for one in placements for cut in (self._filling.recorded_cut(one, placements), one.left_out)
        )
        old = self._previews.sent_in(trimmed)
        fitted = (*(cut for cut in cuts if cut is not None), *old)
        state = replace(trimmed.state, fitted=fitted) if fitted else trimmed.state
        if fitted and self._leaving is not None:
            state = replace(state, basis=self._leaving.basis)
        kept = self.draft.inputs.trim.counted
        counted = self._counted if kept is None or self._filling.corrected == 1.0 else kept
        state = replace(state, counted=counted) if state.counted != counted else state
        return CutToSize(placements, trimmed, state, pruned, forced, filled)

    def _with_held_texts(self, cut: CutToSize, whole: Placements) -> CutToSize:
        """Set `held` to the texts that would fit whole and stay cut only to keep the prefix cached."""
        short = [one for one in cut.placements if one.attached and one.fitted and not one.artifact.whole]
        if not short or not self.draft.spares_cache:
            return cut
        request, found, originals = (
            WindowPricing(self.draft, cut.history.raw),
            _by_key(cut.placements),
            _by_key(whole),
        )
        held = frozenset(
            key
            for key in (one.artifact.key for one in short)
            if self._fits(tuple({**found, key: originals[key]}.values()), request)
        )
        return replace(cut, held=held) if held else cut

    def _fits(self, placements: Placements, request: WindowPricing) -> bool:
        return request.together(placements) <= self._limit and self._within_budget(placements)

    def _restore_exchanges(self, placements: Placements, trimmed: Trimmed) -> Trimmed:
        """History with as many of the exchanges that left as fit again, the newest first."""
        counter, raw = self.draft.counter, self.draft.raw(placements)
        back = trim_history(replace(self._trim_request(raw), state=TrimState()), counter)
        if back.state.boundary > trimmed.state.boundary:
            back = trimmed
        free = self._limit - WindowPricing(self.draft, back.raw).together(placements)
        said = list(self._said)
        for place in reversed(range(back.state.boundary, len(said))):
            whole = self._capped[place]
            more = 0 if said[place] is whole else sum(counter.costs(whole)) - sum(counter.costs(said[place]))
            if 0 < more <= free:
                said[place], free = whole, free - more
        if said == list(self._said):
            return back
        again = replace(self._trim_request(raw), state=TrimState(), messages=tuple(said))
        return trim_history(again, counter)

    def _trim_request(self, other_raw: int) -> TrimRequest:
        inputs, budget = self.draft.inputs, self.draft.budget
        return TrimRequest(
            messages=self._said,
            state=inputs.trim,
            budget=replace(budget, trim_target_tokens=self._limit) if self._anew else budget,
            other_raw=other_raw,
            fixed_tokens=self.draft.tool_tokens,
            keep_last_n=inputs.settings.history.keep_last_n_assistant,
            newest_exchange=self._newest,
            asked=None if inputs.question is None else inputs.question.id,
            leaving=self._leaving,
            growing=self.shortener.memory.growing,
        )

    def _within_budget(self, placements: Placements) -> bool:
        limit = self._attachment_limit
        return limit is None or self.attachments.together(placements) <= limit

    def _with_previous_cuts(self, placements: Placements) -> Placements:
        """The placements with the cuts of the request before, where their content is unchanged."""
        cuts = {(one.id, one.content_digest): one.chars for one in self.draft.inputs.trim.fitted}
        if not cuts:
            return placements
        kept = tuple(self._with_previous_cut(one, cuts) for one in placements)
        return placements if kept == placements else kept

    def _with_previous_cut(self, placement: Placement, cuts: Mapping[tuple[str, str], int]) -> Placement:
        artifact, library_copy = placement.artifact, placement.library_copy
        if not placement.attached or artifact.essential:
            return placement
        older = None if library_copy is None else cuts.get((artifact.key, library_copy.content_digest))
        newest = cuts.get((artifact.key, artifact.content_digest))
        if newest == 0 and not placement.superseded:
            return replace(placement, library_form=None, in_turn=None)
        if older == 0 and placement.superseded:
            placement = replace(placement, library_form=None)
        if older and library_copy is not None and placement.library_form == "full":
            text = _unless_chosen_is_shorter(
                self.shortener.fitted(library_copy, older), placement.library_wanted
            )
            in_turn = None if placement.in_turn == "reference" else placement.in_turn
            short = replace(
                placement, library_form="compacted", library_short=text, library_cut=older, in_turn=in_turn
            )
            return placement if text is None else short
        if newest and placement.in_turn == "full":
            text = _unless_chosen_is_shorter(self.shortener.fitted(artifact, newest), placement.wanted)
            return (
                placement if text is None else replace(placement, in_turn="compacted", short=text, cut=newest)
            )
        return placement

    def _restore_whole(
        self, kept: Placements, whole: Placements, request: WindowPricing, more: Set[str]
    ) -> Placements:
        """Restore shortened texts to full length where headroom remains, the most important first.

        Texts in `more` need no headroom, and dropped ones come back as soon as they fit at all.
        """
        if kept is whole:
            return kept
        found, originals = _by_key(kept), _by_key(whole)
        cut = [one for one in kept if one != originals[one.artifact.key]]
        for one in sorted(cut, key=lambda p: drop_rank(p, request.alone(p)), reverse=True):
            attempt = {**found, one.artifact.key: originals[one.artifact.key]}
            most = self._target if one.shown and self.draft.spares_cache else self._limit
            if one.artifact.key in more:
                most = max(most, self._fill)
            together = tuple(attempt.values())
            if self._has_room(together, request, most) or (
                one.artifact.whole and self._fits(together, request)
            ):
                found = attempt
        return tuple(found.values())

    def _restore_whole_unless_cached(
        self, cut: Placements, whole: Placements, request: WindowPricing
    ) -> Placements:
        """Restore shortened texts where no cache is at stake, else only those that the user wants whole."""
        if not self.draft.spares_cache:
            return self._restore_whole(cut, whole, request, frozenset())
        originals = _by_key(whole)
        wanted = tuple(originals[one.artifact.key] if one.artifact.whole else one for one in cut)
        return cut if wanted == cut else self._restore_whole(cut, wanted, request, frozenset())

    def _has_room(self, placements: Placements, request: WindowPricing, most: int) -> bool:
        """Whether the request has at most `most` tokens; to spare a cache, lower corrected counts alone do not help."""
        tokens = request.together(placements)
        if self.draft.spares_cache:
            tokens = max(tokens, int(tokens / self._filling.corrected))
        return tokens <= most and self._within_budget(placements)

    def _keep_previous_cuts(
        self, placements: Placements, settled: Mapping[str, Placement], request: WindowPricing
    ) -> Placements:
        """Keep the previous cuts where only the attachment budget was exceeded and they still fit."""
        before = tuple(
            settled.get(one.artifact.key, one) if one.fitted is not None else one for one in placements
        )
        if before == placements:
            return placements
        roomy = request.together(before) <= self._limit and self._within_budget(before)
        return before if roomy else placements


def _by_key(placements: Sequence[Placement]) -> dict[str, Placement]:
    return {placement.artifact.key: placement for placement in placements}


def _unless_chosen_is_shorter(cut: str | None, wanted: str | None) -> str | None:
    """The cut text, or None where the length that the user chose is no longer than it."""
    return None if cut is not None and wanted is not None and len(wanted) <= len(cut) else cut
