"""Texts about influence: figures, how far to trust them, what a measurement takes and what it found."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from workbench.domain.influence import (
    CHANGED,
    FROM_CACHE,
    NOISE,
    NOTHING_CARRIED,
    NOTHING_SO_FAR,
    REQUESTS_DONE,
    THEN_SENTENCES,
    Influence,
    InfluenceMethod,
)
from workbench.domain.shown.envelope_view import LayerRow, RowGroup, RowPart, SegmentRow
from workbench.domain.shown.influence_view import InfluenceView
from workbench.ui import formatting
from workbench.ui.influence_figures import Figures
from workbench.ui.look.tones import Tone
from workbench.ui.translation import N_, sentences, tr
from workbench.ui.widgets.badge import source_word

NONE = "—"
MOST_NAMED = 3
_METHODS: Mapping[InfluenceMethod, str] = {
    "leave_one_out": N_("leave-one-out"),
    "masks": N_("random masks"),
    "asking": N_("by asking again, rougher"),
}


def value_text(value: float) -> str:
    """A figure with two decimals: `0.41`, `−0.01`."""
    sign = "−" if round(value, 2) < 0 else ""
    return f"{sign}{formatting.score(abs(value), 2)}"


def cell_words(item: LayerRow | SegmentRow | RowPart | RowGroup, figures: Figures) -> str:
    """Text of a cell in the Influence column; empty for a layer."""
    if isinstance(item, RowPart):
        return "" if item.influence is None else value_text(item.influence)
    if not isinstance(item, SegmentRow):
        return ""
    found = figures.rows.get(item.key)
    if found is None:
        return NONE
    return value_text(found.value) if found.first else tr("together")


def cell_tip(item: LayerRow | SegmentRow | RowPart | RowGroup, figures: Figures) -> str:
    """Tooltip of a cell in the Influence column: what its figure means."""
    found = figures.rows.get(item.key) if isinstance(item, SegmentRow) else None
    if isinstance(item, SegmentRow) and found is None:
        return tr("Not measured: the question is never left out.")
    if found is not None and not found.first:
        return tr("Left out together with the rows above it; the first of them has the figure.")
    if found is not None and found.pieces[0].nats is None:
        return tr("The share of the answer that is gone when it is asked again without this.")
    return tr("How much less likely each token of the answer is without this, in nats.")


def part_name(part: RowPart) -> str:
    """Name of a part: the line of a sentence, how many other sentences, or how many tools were called or unused."""
    if part.source in ("called", "unused"):
        return f"{source_word(part.source)} {formatting.tokens(part.number)}"
    if part.source in ("sentence", "facts"):
        return tr("line {n}").format(n=formatting.tokens(part.number))
    return formatting.counted(part.number, tr("1 more sentence"), tr("{n} more sentences"))


def part_text(part: RowPart) -> str:
    """Text of a part: a sentence in quotation marks, the names of tools, or `together`."""
    if part.source in ("called", "unused", "facts"):
        return part.text
    return f"“{' '.join(part.text.split())}”" if part.source == "sentence" else tr("together")


def title(turn: int) -> str:
    """Title of the strip that shows the influence on an answer."""
    return tr("Influence on the answer of turn {n}").format(n=formatting.tokens(turn))


def trust_words(result: Influence) -> tuple[Tone, str, str]:
    """Tone, icon and word of the badge that says how far to trust a result."""
    rank = result.reliability
    match rank.trust:
        case "reliable":
            return "ok", "check", _reliable_words(result)
        case "not_reliable":
            return "warn", "warn", tr("not reliable here")
        case _ if rank.complete:
            return "neutral", "info", tr("every combination was scored")
        case _:
            held = formatting.counted(rank.held_out, tr("1 unseen mask"), tr("{n} unseen masks"))
            return "neutral", "info", tr("reliability unknown, {masks}").format(masks=held)


def _reliable_words(result: Influence) -> str:
    noise = _noise_words(result)
    return tr("reliable; {noise}").format(noise=noise) if noise else tr("reliable")


def _noise_words(result: Influence) -> str:
    """How far two scores of the same whole answer differed; empty where no difference was measured."""
    drift = result.drift_per_token
    if not drift:
        return ""
    least = math.ceil(drift * 100) / 100
    words = formatting.percent(least) if result.method == "asking" else formatting.score(least, 2)
    return tr(NOISE).format(n=words)


def trust_tip(result: Influence) -> str:
    """Tooltip of the trust badge: how reliability is measured, and what was measured here."""
    rank, drift = result.reliability.spearman, result.drift_per_token
    told = tr(
        "Rank correlation of predicted and measured likelihood on combinations that the figures were not made from. "
        "Under 0.4 they are not reliable."
    )
    measured = "" if rank is None else tr("Here: ρ {rank}.").format(rank=value_text(rank))
    drifted = tr("Scored twice, the whole answer was off by {n}.")
    off = "" if drift is None else drifted.format(n=_drift_words(result.method, drift))
    return sentences(told, measured, off)


def result_words(result: Influence, stale: bool) -> str:
    """How a result was measured: method, requests, cached share, price, and noise unless the badge says it."""
    parts = [
        tr("the request changed since") if stale else "",
        tr(_METHODS[result.method]),
        tr(REQUESTS_DONE).format(n=formatting.tokens(result.requests), all=formatting.tokens(result.planned)),
        ""
        if result.cached_share is None
        else tr(FROM_CACHE).format(share=formatting.percent(result.cached_share)),
        "" if result.reliability.trust == "reliable" else _noise_words(result),
        "" if not result.cost_usd else formatting.usd(result.cost_usd),
    ]
    return " · ".join(part for part in parts if part)


def _drift_words(method: InfluenceMethod, drift: float) -> str:
    return formatting.percent(drift) if method == "asking" else formatting.score(drift, 3)


def nothing_words(result: Influence) -> str:
    """Shown instead of a ranking if no piece had influence; says so if the measurement is not complete."""
    if not result.complete:
        return tr(NOTHING_SO_FAR)
    return tr(NOTHING_CARRIED)


def offer_words(view: InfluenceView) -> str:
    """What a measurement would take, before it starts: requests, price and time."""
    requests = formatting.counted(view.planned, tr("1 request"), tr("{n} requests"))
    if view.open_end:
        requests = tr(THEN_SENTENCES).format(requests=requests)
    if view.cost_usd is None:
        cost = tr("price unknown")
    elif view.cost_usd:
        cost = tr("at most {price}").format(price=formatting.usd(view.cost_usd))
    else:
        cost = tr("no cost")
    time = (
        "" if view.left_s is None else tr("up to {time}").format(time=formatting.about_seconds(view.left_s))
    )
    checked = tr("one without each piece, the others check the figures")
    what = "" if view.wish.sentences or view.planned < 2 else checked
    return " · ".join(part for part in (requests, cost, time, what) if part)


def progress_words(view: InfluenceView) -> str:
    """How many requests are done, and how much time is left."""
    if not view.planned:
        return tr("Getting the model ready…")
    words = tr(REQUESTS_DONE).format(n=formatting.tokens(view.done), all=formatting.tokens(view.planned))
    if view.left_s is None or view.done >= view.planned:
        return words
    return tr("{words} · about {time} left").format(words=words, time=formatting.about_seconds(view.left_s))


def notes_words(result: Influence) -> str:
    """What limits a result, and what it would take to measure every piece alone."""
    told = list(result.notes)
    if result.finer is not None:
        words = tr("Scored in groups. Each of {n} pieces alone takes {requests} requests, {tokens} tokens.")
        finer = result.finer
        told.append(
            words.format(
                n=formatting.tokens(finer.pieces),
                requests=formatting.tokens(finer.requests),
                tokens=formatting.short_tokens(finer.prompt_tokens),
            )
        )
    return sentences(*told)


def changed_words(names: Sequence[str]) -> str:
    """Names of the pieces whose text changed since the measured request was sent."""
    told = ", ".join(names[:MOST_NAMED])
    if len(names) > MOST_NAMED:
        told = tr("{names} and {n} more").format(names=told, n=formatting.tokens(len(names) - MOST_NAMED))
    return tr(CHANGED).format(names=told)


def spoken_words(item: SegmentRow | RowPart, figures: Figures) -> str:
    """A row's influence for a screen reader."""
    words = cell_words(item, figures)
    if words == NONE:
        return tr("influence not measured")
    return tr("influence {figure}").format(figure=words)
