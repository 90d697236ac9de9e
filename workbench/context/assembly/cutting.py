"""Cutting a request to size, least harm first: texts are shortened, then history trimmed, and at last things dropped.

Every decision looks at the request as it would go out. What was cut once stays as it was sent until that is over its
limit again: bytes that move break the prefix that a provider has cached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

from workbench.context.assembly.caps import cap_history
from workbench.context.assembly.draft import AttachmentPricing, Draft, WindowPricing
from workbench.context.assembly.history import History
from workbench.context.assembly.memory import Shortener
from workbench.context.assembly.previews import Previews, kept_previews
from workbench.context.assembly.references import Placement
from workbench.context.assembly.select import (
    Limit,
    Placements,
    compact_for_limit,
    drop_for_limit,
    drop_rank,
    optimize_for_limit,
)
from workbench.context.assembly.trim import (
    Trimmed,
    TrimRequest,
    newest_exchange,
    resolve_boundary,
    retrim_history,
    trim_history,
)
from workbench.context.shorten.fair_shares import chars_for, fair_shares
from workbench.domain.envelope import Pruned, TrimState, WireMessage

_OVER_WINDOW, _OVER_BUDGET = "over the window", "over attachment budget"
_TRIES = 8


@dataclass(frozen=True, slots=True)
class CutToSize:
    """What is left of a request, and what was done to it; `forced` says that this depends on its every part."""

    placements: Placements
    messages: tuple[WireMessage, ...]
    trim: TrimState
    trimmed_ids: tuple[str, ...] = ()
    pruned: tuple[Pruned, ...] = ()
    forced: bool = False


def cut_to_size(draft: Draft, placements: Placements, history: History, shortener: Shortener) -> CutToSize:
    """The request within its limits, with what is attached in full wherever that is possible."""
    return _Cutting(draft, history, shortener).cut(placements)


def cut_for_long(draft: Draft, placements: Placements, history: History, shortener: Shortener) -> CutToSize:
    """The same, with history trimmed until there is headroom: for a request that others will go on from."""
    cutting = _Cutting(draft, history, shortener)
    return cutting.trimmed_down(cutting.cut(placements))


@dataclass
class _Cutting:
    draft: Draft
    history: History
    shortener: Shortener
    attachments: AttachmentPricing = field(init=False)

    def __post_init__(self) -> None:
        inputs, budget = self.draft.inputs, self.draft.budget
        self.attachments = AttachmentPricing(self.draft)
        self._attachment_limit = inputs.settings.attachment_budget_tokens
        threshold = budget.threshold_tokens
        window = budget.window_tokens
        self._limit = window if threshold is None else min(threshold, window)
        self._target = window if threshold is None else min(budget.trim_target_tokens, window)
        capped = cap_history(self.history.messages, self.draft.capping)
        self._newest = newest_exchange(capped, inputs.question is not None)
        self._previews = Previews(capped, self.shortener.how, self.shortener.memory)
        wanted = inputs.settings.compaction.tool_results == "preview"
        self._said = self._previews.kept(inputs.trim.fitted) if wanted else capped

    def cut(self, placements: Placements) -> CutToSize:
        frozen = retrim_history(self._trim_request(0), self.draft.counter)
        request = WindowPricing(self.draft, _sent(frozen))
        kept = self._kept(placements)
        settled = self._whole_again(kept, placements, request)
        over = request.together(settled) > self._limit
        if not over and self._within_budget(settled):
            out = self._still_out(settled, placements, request)
            return self._done(settled, frozen, out, forced=kept is not placements)
        return self._cut_anew(placements, {} if over else _by_key(settled), request)

    def trimmed_down(self, cut: CutToSize) -> CutToSize:
        """With less history, where there is no headroom yet; what is attached stays as it is."""
        raw = self.draft.raw(cut.placements)
        request = self._trim_request(raw)
        budget = replace(request.budget, threshold_tokens=self._target)
        state = replace(cut.trim, fitted=())
        trimmed = trim_history(replace(request, budget=budget, state=state), self.draft.counter)
        artifacts = {one.artifact.key for one in cut.placements}
        old = kept_previews(trimmed.messages, self._previews.chars)
        kept = (*(one for one in cut.trim.fitted if one.id in artifacts), *old)
        state = replace(trimmed.state, fitted=kept)
        return replace(cut, messages=_sent(trimmed), trim=state, trimmed_ids=trimmed.trimmed_ids)

    def _cut_anew(
        self, placements: Placements, settled: Mapping[str, Placement], request: WindowPricing
    ) -> CutToSize:
        """Choose all cuts again; `settled` are placements that stay as they are where that is possible."""
        pruned: tuple[Pruned, ...] = ()
        remaining = placements
        if self._attachment_limit is not None:
            budget = Limit(self._attachment_limit, _OVER_BUDGET)
            within = optimize_for_limit(placements, self.attachments, budget)
            remaining, pruned = within.placements, within.pruned
        over = request.together(remaining) > self._limit
        if over:
            request = self._with_previews(remaining, request)
        if request.together(remaining) > self._limit:
            remaining = compact_for_limit(remaining, request, self._target)
        # What has no room even beside the least history falls first: history must not be trimmed for it.
        remaining, fallen = self._dropped(remaining, WindowPricing(self.draft, _sent(self._least_history())))
        trimmed = trim_history(self._trim_request(self.draft.raw(remaining)), self.draft.counter)
        request = WindowPricing(self.draft, _sent(trimmed))
        remaining, late = self._dropped(remaining, request)
        pruned = (*pruned, *fallen, *late)
        filled = self._filled(remaining, _by_key(placements), request)
        filled = self._as_before(filled, settled, request)
        cut = any(placement.fitted for placement in filled)
        return self._done(filled, trimmed, pruned, forced=over or cut)

    def _with_previews(self, placements: Placements, request: WindowPricing) -> WindowPricing:
        """Old results of tools in short, the longest first, until there is headroom: they can be had again."""
        if self.draft.inputs.settings.compaction.tool_results != "preview":
            return request
        counter, total = self.draft.counter, request.together(placements)
        first = resolve_boundary(self._said, self.draft.inputs.trim)
        for where in self._previews.largest(self._said, first, self._newest):
            if total <= self._target:
                break
            shorter = self._previews.with_preview(self._said, where)
            if shorter is not None:
                costs = (sum(counter.costs(messages[where[0]])) for messages in (self._said, shorter))
                before, after = (counter.total(raw) for raw in costs)
                self._said, total = shorter, total - before + after
        frozen = retrim_history(self._trim_request(0), counter)
        return WindowPricing(self.draft, _sent(frozen))

    def _dropped(
        self, placements: Placements, request: WindowPricing
    ) -> tuple[Placements, tuple[Pruned, ...]]:
        window = Limit(self.draft.budget.window_tokens, _OVER_WINDOW)
        if request.together(placements) <= window.tokens:
            return placements, ()
        dropped = drop_for_limit(placements, request, window)
        return dropped.placements, dropped.pruned

    def _least_history(self) -> Trimmed:
        """History with everything trimmed that may be."""
        request = self._trim_request(0)
        if request.budget.threshold_tokens is None:
            return retrim_history(request, self.draft.counter)
        nothing = replace(request.budget, threshold_tokens=0, trim_target_tokens=0)
        return trim_history(replace(request, budget=nothing), self.draft.counter)

    def _still_out(
        self, settled: Placements, whole: Placements, request: WindowPricing
    ) -> tuple[Pruned, ...]:
        """What fell before and has no room yet, with the limit that it fell to."""
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

    def _done(
        self, placements: Placements, trimmed: Trimmed, pruned: tuple[Pruned, ...], forced: bool
    ) -> CutToSize:
        cuts = (cut for one in placements for cut in (one.fitted, one.left_out))
        old = kept_previews(trimmed.messages, self._previews.chars)
        fitted = (*(cut for cut in cuts if cut is not None), *old)
        state = replace(trimmed.state, fitted=fitted) if fitted else trimmed.state
        return CutToSize(placements, _sent(trimmed), state, trimmed.trimmed_ids, pruned, forced)

    def _trim_request(self, other_raw: int) -> TrimRequest:
        inputs = self.draft.inputs
        return TrimRequest(
            messages=self._said,
            state=inputs.trim,
            budget=self.draft.budget,
            other_raw=other_raw,
            fixed_tokens=self.draft.tool_tokens,
            keep_last_n=inputs.settings.history.keep_last_n_assistant,
            newest_exchange=self._newest,
            asked=None if inputs.question is None else inputs.question.id,
        )

    def _within_budget(self, placements: Placements) -> bool:
        limit = self._attachment_limit
        return limit is None or self.attachments.together(placements) <= limit

    def _kept(self, placements: Placements) -> Placements:
        """The placements with the cuts that were sent, where their texts are still the same."""
        cuts = {(one.id, one.content_digest): one.chars for one in self.draft.inputs.trim.fitted}
        if not cuts:
            return placements
        kept = tuple(self._as_sent(one, cuts) for one in placements)
        return placements if kept == placements else kept

    def _as_sent(self, placement: Placement, cuts: Mapping[tuple[str, str], int]) -> Placement:
        artifact, shelf = placement.artifact, placement.shelf
        if not placement.attached or artifact.essential:
            return placement
        older = None if shelf is None else cuts.get((artifact.key, shelf.content_digest))
        newest = cuts.get((artifact.key, artifact.content_digest))
        if newest == 0 and not placement.superseded:
            return replace(placement, on_shelf=None, in_turn=None)
        if older == 0 and placement.superseded:
            placement = replace(placement, on_shelf=None)
        if older and shelf is not None and placement.on_shelf == "full":
            text = _unless_wanted(self.shortener.fitted(shelf, older), placement.shelf_wanted)
            in_turn = None if placement.in_turn == "reference" else placement.in_turn
            short = replace(
                placement, on_shelf="compacted", shelf_short=text, shelf_cut=older, in_turn=in_turn
            )
            return placement if text is None else short
        if newest and placement.in_turn == "full":
            text = _unless_wanted(self.shortener.fitted(artifact, newest), placement.wanted)
            return (
                placement if text is None else replace(placement, in_turn="compacted", short=text, cut=newest)
            )
        return placement

    def _whole_again(self, kept: Placements, whole: Placements, request: WindowPricing) -> Placements:
        """Texts that were cut go out whole again where even then there is headroom, the most important first.

        What fell is back as soon as it has room at all.
        """
        if kept is whole:
            return kept
        found, originals = _by_key(kept), _by_key(whole)
        cut = [one for one in kept if one != originals[one.artifact.key]]
        for one in sorted(cut, key=lambda p: drop_rank(p, request.alone(p)), reverse=True):
            attempt = {**found, one.artifact.key: originals[one.artifact.key]}
            most = self._target if one.shown else self._limit
            if self._has_room(tuple(attempt.values()), request, most):
                found = attempt
        return tuple(found.values())

    def _has_room(self, placements: Placements, request: WindowPricing, most: int) -> bool:
        return request.together(placements) <= most and self._within_budget(placements)

    def _filled(
        self, placements: Placements, whole: Mapping[str, Placement], request: WindowPricing
    ) -> Placements:
        """Texts that were cut get the room that is left, shared fairly."""
        cut = [placement for placement in placements if placement.fitted is not None]
        room = self._room(placements, request) if cut else 0
        if room <= 0:
            return placements
        least = {one.artifact.key: request.alone(one) for one in cut}
        wishes = {
            one.artifact.key: request.alone(_whole(one, whole[one.artifact.key])) - least[one.artifact.key]
            for one in cut
        }
        for _ in range(_TRIES):
            shares = fair_shares(room, wishes)
            longer = {
                key: self._fit(one, whole[key], least[key] + shares[key], request)
                for one in cut
                for key in (one.artifact.key,)
            }
            filled = tuple(longer.get(one.artifact.key, one) for one in placements)
            over = -self._room(filled, request)
            if over <= 0:
                return filled
            room -= over  # headings and labels that came back with a text
            if room <= 0:
                break
        return placements

    def _room(self, placements: Placements, request: WindowPricing) -> int:
        room = self._target - request.together(placements)
        if self._attachment_limit is None:
            return room
        return min(room, self._attachment_limit - self.attachments.together(placements))

    def _fit(self, least: Placement, whole: Placement, share: int, request: WindowPricing) -> Placement:
        """As much of one text as its share of the room pays for."""
        full = _whole(least, whole)
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
            placement.on_shelf == "compacted"
            and placement.shelf_cut is not None
            and placement.shelf is not None
        ):
            text = self.shortener.fitted(placement.shelf, chars)
            return None if text is None else replace(placement, shelf_short=text, shelf_cut=chars)
        text = self.shortener.fitted(placement.artifact, chars)
        return None if text is None else replace(placement, short=text, cut=chars)

    def _as_before(
        self, placements: Placements, settled: Mapping[str, Placement], request: WindowPricing
    ) -> Placements:
        """Where only the attachment budget was over, cuts stay as they were sent, as long as they have room."""
        before = tuple(
            settled.get(one.artifact.key, one) if one.fitted is not None else one for one in placements
        )
        if before == placements:
            return placements
        roomy = request.together(before) <= self._limit and self._within_budget(before)
        return before if roomy else placements


def _sent(trimmed: Trimmed) -> tuple[WireMessage, ...]:
    return tuple(filter(attrgetter("segments"), trimmed.messages))


def _by_key(placements: Sequence[Placement]) -> dict[str, Placement]:
    return {placement.artifact.key: placement for placement in placements}


def _unless_wanted(cut: str | None, wanted: str | None) -> str | None:
    """A cut as it was sent, where it is shorter than what is wanted by now."""
    return None if cut is not None and wanted is not None and len(wanted) <= len(cut) else cut


def _whole(cut: Placement, original: Placement) -> Placement:
    """The artifact in full where it was cut; an older copy beside it that went stays away."""
    return replace(cut, in_turn="full") if cut.in_turn == "compacted" else original


def _text(placement: Placement) -> str:
    on_shelf = placement.on_shelf == "compacted" and placement.shelf_cut is not None
    return placement.shelf.text if on_shelf and placement.shelf is not None else placement.artifact.text
