"""Estimates that reports correct: figures change, cuts stay, and a difference is told by its true cause."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from tests.trajectories.support import Json, builder, trajectory
from tests.trajectories.test_what_fits import WINDOW, full_chats, written
from workbench.cli.replay.trajectory import parse_trajectory
from workbench.context.explain.diff_causes import diff_causes
from workbench.domain.change import Built
from workbench.domain.files.attachment import Artifact
from workbench.domain.model import Calibration
from workbench.engine.assembly.counters import counted_alike
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.conversation import after_turn
from workbench.engine.replay import play_turn, start

CORRECTIONS = st.sampled_from((0.6, 0.9, 1.0, 1.0, 1.1, 1.2, 1.5))
MODELS = st.sampled_from(("nobody-knows-it", "claude-sonnet-4-5"))
NAMED = ("file_changed", "history_edited", "settings", "model", "priority", "resized", "renamed", "excluded")
"""Causes that say that somebody changed something."""


def correct(model: str, ratio: float) -> None:
    made = builder("corrected")
    made.counters.calibrate(counted_alike(made.catalogue.find(model)), Calibration(ratio, 0.02, 5))


def played(
    turns: list[Json], ratios: list[float], model: str, layout: str
) -> list[tuple[Prepared, Prepared]]:
    """Every request with the counts of its turn, beside what it would be with those of the turn before."""
    history = {"when_full": "exchanges", "keep_last_n_assistant": 2}
    limits: Json = {"context_window": WINDOW, "reserved_output_tokens": 0, "history": history}
    document = parse_trajectory(trajectory(*written(turns), model=model, layout=layout, **limits))
    conversation, made, before = start(document), [], 1.0
    for turn, ratio in zip(document.turns, ratios, strict=False):
        correct(model, before)
        _, as_before = play_turn(conversation, turn, builder("corrected"))
        correct(model, ratio)
        conversation, prepared = play_turn(conversation, turn, builder("corrected"))
        made.append((prepared, as_before))
        conversation = after_turn(conversation, prepared.built, turn.reply)
        before = ratio
    return made


def wire(prepared: Prepared) -> list[tuple[str, str]]:
    return [(one.role, one.content) for one in prepared.built.envelope.messages]


def attached(built: Built) -> dict[str, Artifact]:
    return {one.key: one for one in built.inputs.attached}


def shortened(built: Built, key: str) -> set[tuple[str, str]]:
    """The parts of a text that are sent, each with the digest of the whole."""
    found = (one for layer in built.envelope.layers for one in layer.segments if one.id == key and one.sent)
    return {(one.content_digest, one.text) for one in found if one.form in ("full", "compacted")}


runs = given(
    full_chats(),
    st.lists(CORRECTIONS, min_size=7, max_size=7),
    MODELS,
    st.sampled_from(("layered", "append_only")),
)


@settings(max_examples=tries(100))
@runs
def test_corrected_counts_cut_nothing_that_still_fits(
    turns: list[Json], ratios: list[float], model: str, layout: str
):
    """A request moved, and with it what was cached, because a figure had become more exact."""
    for (last, _), (now, as_before) in pairwise(played(turns, ratios, model, layout)):
        kept, unlike = last.built.envelope.cuts.trim, as_before.built.envelope
        budget, bare = unlike.budget, unlike.total_tokens / (as_before.ratio or 1.0)
        counts = [(kept.counted or ("", 1.0))[1], as_before.ratio or 1.0]
        goes_on = unlike.cuts.trim == kept and unlike.rebuilt is None
        fitted = all(bare * ratio < 0.98 * budget.limit_tokens for ratio in counts)
        fits = bare * (now.ratio or 1.0) < 0.98 * budget.window_tokens
        spares = now.built.inputs.model.has_cache or layout == "append_only"
        more = (now.ratio or 1.0) >= max(counts)
        if goes_on and fitted and fits and (spares or more):
            assert wire(now) == wire(as_before)


@settings(max_examples=tries(100))
@runs
def test_a_difference_is_told_by_what_really_changed(
    turns: list[Json], ratios: list[float], model: str, layout: str
):
    """Files were "changed on disk" and messages "edited" that a corrected estimate had cut at another place."""
    for (last, _), (now, _) in pairwise(played(turns, ratios, model, layout)):
        told = [(one.cause, one.subject) for one in now.change.causes]
        shown = diff_causes(last.built, now.built, now.change, 0)
        told += [(one.cause, one.subject) for one in shown if one.cause is not None]
        old, new = attached(last.built), attached(now.built)
        for cause, subject in told:
            key = subject or ""
            if cause == "file_changed":
                assert old[key].text != new[key].text
            elif cause == "priority":
                assert old[key].priority != new[key].priority
            elif cause == "recut":
                parts = shortened(last.built, key), shortened(now.built, key)
                assert parts[0] != parts[1]
                assert {digest for digest, _ in parts[0]} & {digest for digest, _ in parts[1]}
            else:
                assert cause not in NAMED, (cause, subject)


@settings(max_examples=tries(60))
@runs
def test_how_much_of_a_file_is_sent_is_told_by_one_count(
    turns: list[Json], ratios: list[float], model: str, layout: str
):
    """Of a log the part was counted anew and the whole was not: 4.7 % was told for 2.1 %."""
    for prepared, _ in played(turns, ratios, model, layout):
        envelope = prepared.built.envelope
        rows = [row for one in envelope.layers for row in zip(one.segments, one.tokens, strict=True)]
        for cut in envelope.cuts.compacted:
            sent = [tokens for one, tokens in rows if one.id == cut.id and one.form == "compacted"]
            assert (
                not sent or min(abs(tokens - cut.to_tokens) for tokens in sent) <= 0.06 * cut.to_tokens + 30
            )
