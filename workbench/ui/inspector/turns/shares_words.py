"""What the chart of cached shares says: what a layout has spared, what a line is, why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP

from workbench.domain.settings.preferences import Layout
from workbench.domain.shown.shares_view import LayoutShares, LineName, Saving, ShareLine
from workbench.ui import formatting
from workbench.ui.inspector.turns.columns import layout_word, model_name
from workbench.ui.inspector.turns.shares_layout import TurnMark
from workbench.ui.translation import translator

_tr = translator("Shares")

_NAMES: Mapping[LineName, str] = {
    "sent": str(QT_TRANSLATE_NOOP("Shares", "as sent")),
    "append_only": str(QT_TRANSLATE_NOOP("Shares", "append-only")),
    "layered": str(QT_TRANSLATE_NOOP("Shares", "layered")),
    "trim_last": str(QT_TRANSLATE_NOOP("Shares", "trim-last")),
}


class SavingWords(NamedTuple):
    """What was spared: what stands out, what follows it, and whether it is good news."""

    lead: str
    rest: str
    good: bool


def line_name(line: ShareLine) -> str:
    """What a line is called."""
    return layout_word(line.layout) if line.layout is not None else _tr(_NAMES[line.name])


def line_told(line: ShareLine) -> str:
    """What a line is, and its share of all turns."""
    if line.total_share is None:
        return _tr("not known")
    share = formatting.percent(line.total_share)
    words = _tr("as sent, {share}") if line.name == "sent" else _tr("forecast, {share}")
    return words.format(share=share)


def saving_words(shares: LayoutShares, layout: Layout) -> SavingWords:
    """What the layout has spared against another, and what it cost where it has not."""
    saving = shares.saving
    if saving is None:
        return SavingWords("", "", good=False)
    who = _who(shares, layout)
    against = _tr(_NAMES[saving.against])
    lead, rest = _spared(saving, who, against) if saving.tokens >= 0 else _lost(saving, who, against)
    automatic = layout == "auto" and shares.lines[0].layout == "append_only"
    why = _tr("Append-only until a rebuild is due, or free.") if automatic else ""
    return SavingWords(lead, " ".join(part for part in (rest, why) if part), good=saving.tokens > 0)


def _who(shares: LayoutShares, layout: Layout) -> str:
    sent = shares.lines[0].layout
    if sent is None:
        return _tr("What was sent")
    return layout_word("auto" if layout == "auto" and sent == "append_only" else sent)


def _spared(saving: Saving, who: str, against: str) -> tuple[str, str]:
    if not saving.tokens:
        return _tr("{who} saved nothing").format(who=who), _tr("against {other}.").format(other=against)
    tokens, usd = formatting.token_words(saving.tokens), saving.usd
    if not usd:
        return _tr("{who} saved {n}").format(who=who, n=tokens), _tr("against {other}.").format(other=against)
    if usd > 0:
        lead = _tr("{who} saved {n}, {usd}").format(who=who, n=tokens, usd=formatting.usd(usd))
        return lead, _tr("against {other}.").format(other=against)
    lead = _tr("{who} saved {n}").format(who=who, n=tokens)
    return lead, _tr("against {other}, but cost {usd} more, since writing to the cache is paid for.").format(
        other=against, usd=formatting.usd(-usd)
    )


def _lost(saving: Saving, who: str, against: str) -> tuple[str, str]:
    tokens, usd = formatting.tokens(-saving.tokens), saving.usd
    lead = _tr("{who} saved nothing:").format(who=who)
    if not usd:
        return lead, _tr("it read {n} tokens more anew than {other} would have.").format(
            n=tokens, other=against
        )
    if usd < 0:
        words = _tr("it read {n} tokens more anew than {other} would have, {usd}.")
        return lead, words.format(n=tokens, other=against, usd=formatting.usd(-usd))
    words = _tr("it read {n} tokens more anew than {other} would have, and still cost {usd} less.")
    return lead, words.format(n=tokens, other=against, usd=formatting.usd(usd))


def why_none(shares: LayoutShares | None, model: str) -> str:
    """Why there is no chart; empty where there is one."""
    if shares is None or (not shares.turns and shares.waiting):
        return _tr("Being worked out from what is kept of the turns. Nothing is sent for it.")
    if not shares.turns:
        return _tr("No request was answered yet. The lines begin with the second answer.")
    if not shares.known:
        words = _tr(
            "Nothing is known of a cache of {model}: there are no rules for it here, and its answers do not say what "
            "came from one. So there is nothing to compare."
        )
        return words.format(model=model_name(model) or _tr("this model"))
    if len(shares.turns) == 1:
        return _tr("One answer so far: there was nothing to reuse yet. The lines begin with the second.")
    return ""


def turn_told(shares: LayoutShares, place: int, marks: tuple[TurnMark, ...]) -> str:
    """A turn of the chart in a sentence, for those who hear it and for a tooltip."""
    parts = []
    for line in shares.lines:
        share = line.shares[place]
        told = _tr("not known") if share is None else formatting.percent(share)
        words = _tr("{name}, as sent, {share}") if line.name == "sent" else _tr("{name} {share}")
        if line.name == "sent" and line.layout is None:
            words = _tr("{name} {share}")
        parts.append(words.format(name=line_name(line), share=told))
    number = shares.turns[place]
    mark = next((mark for mark in marks if mark.turn == number), None)
    told = _tr("Turn {n}: {shares}.").format(n=formatting.tokens(number), shares=", ".join(parts))
    return told if mark is None else f"{told} {mark_told(mark)}."


def mark_told(mark: TurnMark) -> str:
    """What happened in a turn."""
    return mark.word[:1].upper() + mark.word[1:]


def waiting_words(shares: LayoutShares | None) -> str:
    """How much is still to be worked out."""
    if shares is None or not shares.turns:
        return ""
    if shares.waiting:
        return formatting.counted(shares.waiting, _tr("1 turn to go"), _tr("{n} turns to go"))
    newest = formatting.counted(len(shares.turns), _tr("the newest turn"), _tr("the newest {n} turns"))
    return newest if shares.older else ""
