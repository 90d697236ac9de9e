"""A budget bar in words: the sentence that is read aloud, the flags above it, the tooltip of a segment."""

from __future__ import annotations

from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.ui.formatting import percent, tokens
from workbench.ui.look.layers import TAGS, layer_word
from workbench.ui.translation import translator
from workbench.ui.widgets.budget_bar.layout import FlagName
from workbench.ui.widgets.budget_bar.model import BarModel, BarSegment
from workbench.ui.widgets.plain import shown

_tr = translator("BudgetBar")


def sentence(bar: BarModel) -> str:
    """The bar as a sentence, for those who do not see it."""
    parts = [_used(bar), _room(bar)]
    if bar.cached_tokens is not None:
        parts.append(_tr("%1 expected from the cache").replace("%1", tokens(bar.cached_tokens)))
    if bar.threshold_tokens is not None:
        parts.append(_tr("trimming begins at %1").replace("%1", tokens(bar.threshold_tokens)))
    if bar.assumed:
        parts.append(_tr("the limit is assumed"))
    parts.append(_tr("%1 kept for the reply").replace("%1", tokens(bar.reserve_tokens)))
    parts.extend(f"{layer_word(layer)} {tokens(cost)}" for layer, cost in bar.layer_tokens().items())
    return "; ".join(parts)


def flag_words(bar: BarModel) -> dict[FlagName, str]:
    """What stands above the bar."""
    limit = _tr("assumed limit %1") if bar.assumed else _tr("limit %1")
    words: dict[FlagName, str] = {"limit": limit.replace("%1", tokens(bar.limit_tokens))}
    if bar.cached_tokens:
        words["cached"] = _tr("cached %1").replace("%1", tokens(bar.cached_tokens))
    if bar.threshold_tokens is not None:
        words["trim"] = _tr("trim at %1").replace("%1", tokens(bar.threshold_tokens))
    if bar.over_tokens:
        words["over"] = _tr("over by %1").replace("%1", tokens(bar.over_tokens))
    if bar.reserve_tokens:
        words["reply"] = _tr("reply %1").replace("%1", tokens(bar.reserve_tokens))
    return words


def ghost_words(bar: BarModel) -> str:
    """What stands under the ghost."""
    if bar.cached_tokens is None:
        return _tr("what if: %1 tokens").replace("%1", tokens(bar.total_tokens))
    text = _tr("what if: %1 tokens, %2 cached")
    return text.replace("%1", tokens(bar.total_tokens)).replace("%2", tokens(bar.cached_tokens))


def segment_name(segment: BarSegment) -> str:
    """What a segment is called; parts of the history by their turns."""
    if segment.name:
        return shown(segment.name)
    if segment.first_turn and segment.first_turn != segment.last_turn:
        text = _tr("turns %1–%2")
        return text.replace("%1", tokens(segment.first_turn)).replace("%2", tokens(segment.last_turn))
    if segment.first_turn:
        return _tr("turn %1").replace("%1", tokens(segment.first_turn))
    return layer_word(segment.layer)


def segment_words(bar: BarModel, index: int) -> str:
    """The tooltip of a segment: what it is, what it costs, how much of it is cached."""
    segment = bar.segments[index]
    text = _tr("%1\n%2 %3, %4 tokens, %5 of the limit")
    text = text.replace("%2", TAGS[segment.layer]).replace("%3", layer_word(segment.layer))
    share = percent(segment.tokens / bar.limit_tokens) if bar.limit_tokens else percent(0)
    text = text.replace("%4", tokens(segment.tokens)).replace("%5", share)
    cached = _cached_of(bar, index)
    if cached:
        text += "\n" + _tr("%1 expected from the cache").replace("%1", tokens(cached))
    return text.replace("%1", segment_name(segment))


def _cached_of(bar: BarModel, index: int) -> int:
    before = sum(segment.tokens for segment in bar.segments[:index])
    return min(max((bar.cached_tokens or 0) - before, 0), bar.segments[index].tokens)


def _used(bar: BarModel) -> str:
    text = _tr("%1 of %2 tokens") if bar.exact else _tr("about %1 of %2 tokens")
    return text.replace("%1", tokens(bar.total_tokens)).replace("%2", tokens(bar.limit_tokens))


def _room(bar: BarModel) -> str:
    if bar.over_tokens:
        return _tr("over by %1").replace("%1", tokens(bar.over_tokens))
    return _tr("%1 free").replace("%1", tokens(bar.limit_tokens - bar.total_tokens))


def window_note(view: EnvelopeView) -> str:
    """Where the model's window is from, where it can be set; empty where it is simply the model's own."""
    window = tokens(view.limit_tokens + view.reserve_tokens)
    if view.window_assumed:
        return _tr("How large the model’s window is was not told: the limit is assumed.")
    if view.window_from == "modelfile":
        return _tr("The window of {n} tokens is from the model’s Modelfile.").format(n=window)
    if view.window_from == "default" and view.largest_window_tokens is not None:
        words = _tr("The window is {n} tokens by default; the model could take {most}.")
        return words.format(n=window, most=tokens(view.largest_window_tokens))
    if view.window_from == "default":
        return _tr("The window is {n} tokens by default.").format(n=window)
    return ""
