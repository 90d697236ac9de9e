"""The texts of the explanation's cards, with the figures of the request that is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from workbench.domain.segment import LayerName
from workbench.domain.shown.envelope_view import DropCard, EnvelopeView, LayerRow, RowState, SegmentRow
from workbench.domain.workspace import is_template
from workbench.engine.state import ChatState
from workbench.ui import formatting
from workbench.ui.explain.cards import CardText, Part, Piece, Sentence, Topic, card_of, say
from workbench.ui.inspector.layers.cells import Scale, state_sentence
from workbench.ui.inspector.rows.row_words import card_name, row_name
from workbench.ui.look.tones import STATE_LOOK, layer_word, state_word
from workbench.ui.translation import tr

MOST_STATES = 2
"""How many states besides the usual ones are explained."""
USUAL: tuple[RowState, ...] = ("sent", "locked")


def card_text(part: Part, chat: ChatState | None) -> CardText | None:
    """The card about a part of the window; None if that shows nothing yet."""
    if part.topic in _WITHOUT_REQUEST:
        return card_of(part.topic, _WITHOUT_REQUEST[part.topic](chat))
    view = None if chat is None else chat.newest if part.newest else chat.shown
    if chat is None or view is None:
        return None
    if part.topic == "layer":
        return card_of(part.topic, _layer(view, part.layer))
    return card_of(part.topic, _OF_REQUEST[part.topic](view, chat))


def _budget(view: EnvelopeView, chat: ChatState) -> list[Sentence]:
    n = formatting.tokens
    colours = say(tr("Each colour is one layer, in the order in which it is sent."))
    reply = say(
        tr("The dotted end, {reserve} tokens, is kept for the reply."), reserve=n(view.reserve_tokens)
    )
    size = {"total": n(view.total_tokens), "limit": n(view.limit_tokens)}
    begun = say(tr("A new chat here begins with {total} tokens of {limit}."), **size)
    first = begun if is_template(chat.chat.id) else _size_sentence(view, size)
    return [first, colours, *([reply] if view.reserve_tokens else [])]


def _size_sentence(view: EnvelopeView, size: Mapping[str, str]) -> Sentence:
    if view.standing == "in_flight":
        return say(tr("The request being answered is {total} tokens of {limit}."), **size)
    if view.standing == "sent":
        words = tr("The request of turn {turn} was {total} tokens of {limit}.")
        return say(words, turn=formatting.tokens(view.turn), **size)
    if view.over_tokens:
        words = tr("Your next request is {total} tokens of {limit}: over by {over}, so it can’t be sent yet.")
        return say(words, over=formatting.tokens(view.over_tokens), **size)
    if not view.free_tokens:
        return say(tr("Your next request is {total} tokens of {limit}, so nothing is free."), **size)
    words = (
        tr("Your next request is {total} tokens of {limit}, so {free} are free.")
        if view.exact
        else tr("Your next request is about {total} tokens of {limit}, so about {free} are free.")
    )
    return say(words, free=formatting.tokens(view.free_tokens), **size)


def _layer(view: EnvelopeView, name: LayerName) -> list[Sentence]:
    layer = next((one for one in view.layers if one.name == name), LayerRow(name, 0, ()))
    share = formatting.share(Scale(view.limit_tokens).of_limit(layer.tokens))
    values = {"n": formatting.tokens(_number(layer)), "tokens": formatting.tokens(layer.tokens)}
    values |= {"share": tr("{n} %").format(n=share), "layer": layer_word(name)}
    if view.watched:
        words = tr(
            "{layer} takes {tokens} tokens, {share} of the window. Each row is a piece that the program sent."
        )
        return [say(words, **values)]
    words = _layer_words()[name]
    if name == "L4_STRIP" and _number(layer) == 1:
        words = tr("Your {n} earlier turn takes {tokens} tokens, {share} of the window.")
    more = {
        "L2_PREVIOUS": tr("They keep their place so that they stay cached."),
        "L4_STRIP": tr("Use the rows below it to pin a turn or leave it out."),
        "L3_TURN": tr("Use the rows below it to pin a file or leave it out."),
    }
    return [say(words, **values), *([say(more[name])] if name in more and layer.rows else [])]


def _layer_words() -> Mapping[LayerName, str]:
    return {
        "L1_SYSTEM": tr(
            "{layer} is instructions, memory and tools: {tokens} tokens, {share} of the window, always sent first."
        ),
        "L2_PREVIOUS": tr(
            "{layer} is files from earlier turns: {n} of them, {tokens} tokens, {share} of the window."
        ),
        "L4_STRIP": tr("Your {n} earlier turns take {tokens} tokens, {share} of the window."),
        "L3_TURN": tr("{layer} is what comes with your message: {tokens} tokens, {share} of the window."),
        "L5_USER": tr("The text you’re about to send takes {tokens} tokens, {share} of the window."),
    }


def _findings(view: EnvelopeView, _chat: ChatState) -> list[Sentence]:
    largest = max((one.tokens for one in view.findings), default=0)
    words = tr("What is worth knowing of this request, {n} in all; the largest is about {tokens} tokens.")
    figures = {"n": formatting.tokens(len(view.findings)), "tokens": formatting.tokens(largest)}
    return [say(words, **figures), say(tr("The button leads to what shows it."))]


def _number(layer: LayerRow) -> int:
    """How many turns or segments of a layer are sent."""
    sent = [row for row in layer.rows if row.counted]
    if layer.name != "L4_STRIP":
        return len(sent)
    return len({turn for row in sent if row.first_turn for turn in range(row.first_turn, row.last_turn + 1)})


def _drop(view: EnvelopeView, _chat: ChatState) -> list[Sentence]:
    order, said = view.drop_order, []
    first = next((card for card in order.cards if not card.out), None)
    if first is not None:
        words = tr("If the request outgrows {limit} tokens, {name} is dropped first and frees {tokens}.")
        said.append(say(words, limit=formatting.tokens(view.limit_tokens), **_name_and_tokens(first)))
    out = [card for card in order.cards if card.out]
    if out:
        said.append(_dropped_sentence(out))
    if not order.cards:
        said.append(say(tr("Nothing can be dropped: attached files that aren’t pinned are listed here.")))
    if order.pinned:
        words = (
            tr("The {n} pinned segment, {tokens} tokens, is never dropped.")
            if order.pinned == 1
            else tr("The {n} pinned segments, {tokens} tokens, are never dropped.")
        )
        tokens = formatting.tokens(order.pinned_tokens)
        said.append(say(words, n=formatting.tokens(order.pinned), tokens=tokens))
    return said


def _dropped_sentence(out: Sequence[DropCard]) -> Sentence:
    nearest = min(out, key=lambda card: card.back_with_tokens)
    if nearest.back_with_tokens <= 0:
        return say(tr("{name} isn’t sent: there was no room."), name=card_name(nearest))
    words = tr("{name} isn’t sent: it needs {more} more tokens.")
    return say(words, name=card_name(nearest), more=formatting.tokens(nearest.back_with_tokens))


def _name_and_tokens(card: DropCard) -> dict[str, str]:
    return {"name": card_name(card), "tokens": formatting.tokens(card.tokens)}


def _cached(view: EnvelopeView, _chat: ChatState) -> list[Sentence]:
    total = formatting.tokens(view.total_tokens)
    hatched = say(tr("They are hatched in the bar."))
    if view.cached_tokens is None:
        unknown = tr("How many of the {total} tokens this provider has cached is unknown.")
        start = say(tr("Only the unchanged start of a request can be cached."))
        return [say(unknown, total=total), start]
    if not view.cached_tokens:
        nothing = tr("None of the {total} tokens is cached: the model reads all of them.")
        later = say(tr("After this turn, the start that stays unchanged is cached, and hatched in the bar."))
        return [say(nothing, total=total), *([later] if view.standing != "sent" else [])]
    words = tr(
        "{n} of {total} tokens, {share}, are as the model last read them, so it need not read them again."
    )
    n, share = formatting.tokens(view.cached_tokens), formatting.percent(view.cached_share)
    return [say(words, n=n, total=total, share=share), hatched]


def _priority(view: EnvelopeView, _chat: ChatState) -> list[Sentence]:
    ranked = [row for row in _rows(view) if row.tunable and row.priority is not None and not row.pinned]
    pinned = sum(len(layer.pinned) for layer in view.layers)
    said = [say(tr("Segments with a higher priority are dropped first."))]
    if ranked:
        first = max(ranked, key=lambda row: row.priority or 0)
        priority = formatting.tokens(first.priority or 0)
        said.append(say(tr("{name} has {priority}."), name=row_name(first), priority=priority))
    words = tr("A pin keeps a segment from being trimmed or dropped; {n} have one.")
    if pinned == 1:
        words = tr("A pin keeps a segment from being trimmed or dropped; {n} has one.")
    keys = tr("On a row, press {less} or {more} for the priority and {space} for the pin.")
    keyed = say(keys, less="+", more="−", space=tr("Space"))
    return [*said, say(words, n=formatting.tokens(pinned)), *([keyed] if view.standing == "next" else [])]


def _state(view: EnvelopeView, _chat: ChatState) -> list[Sentence]:
    rows = _rows(view)
    counts = Counter(row.state for row in rows)
    known = [state for state in STATE_LOOK if counts[state]]
    said = [say(tr("How each of the {n} segments is sent:"), n=formatting.tokens(len(rows)))]
    listed: list[Piece] = []
    for state in known:
        listed += [Piece(", ")] if listed else []
        listed += say(tr("{n} {word}"), n=formatting.tokens(counts[state]), word=state_word(state))
    said.append((*listed, Piece(".")))
    unusual = [state for state in known if state not in USUAL][:MOST_STATES]
    said += [(Piece(state_word(state), True), Piece(f": {state_sentence(state)}")) for state in unusual]
    if not unusual:
        said.append(say(tr("Other badges mean that a segment is shortened, trimmed or not sent.")))
    return said


def _rows(view: EnvelopeView) -> list[SegmentRow]:
    return [row for layer in view.layers for row in layer.rows]


def _turns(_view: EnvelopeView, chat: ChatState) -> list[Sentence]:
    shown = say(tr("Hatched was cached, solid was read, the outline is the answer."))
    if not chat.turns:
        return [say(tr("Each answer adds a bar.")), shown]
    last = chat.turns[-1]
    words = (
        tr("One bar for each of {n} turns.") if len(chat.turns) > 1 else tr("One bar for {n} turn so far.")
    )
    said = [say(words, n=formatting.tokens(len(chat.turns))), shown]
    predicted, reported = last.predicted_tokens, last.reported_tokens
    if predicted is not None and reported is not None:
        told = tr("In turn {turn}, {predicted} cached tokens were predicted and {reported} reported.")
        number, n = formatting.tokens(last.number), formatting.tokens
        said.append(say(told, turn=number, predicted=n(predicted), reported=n(reported)))
    return said


def _what_if(view: EnvelopeView, chat: ChatState) -> list[Sentence]:
    n = formatting.tokens
    trial = chat.trial
    if trial is not None:
        words = tr("You are trying settings that make it {tried} tokens instead of {total}.")
        said = [say(words, tried=n(trial.view.total_tokens), total=n(view.total_tokens))]
    elif view.threshold_tokens is not None:
        words = tr("Now the budget is {limit} tokens, and old messages are trimmed above {trim}.")
        said = [say(words, limit=n(view.limit_tokens), trim=n(view.threshold_tokens))]
    else:
        said = [say(tr("Now the budget is {limit} tokens."), limit=n(view.limit_tokens))]
    return [
        *said,
        say(tr("Move a control to see its result as a second bar, with its price.")),
        say(tr("Nothing changes until you press Apply.")),
    ]


def _figures(view: EnvelopeView, _chat: ChatState) -> list[Sentence]:
    total = formatting.tokens(view.total_tokens)
    if view.exact:
        counted = tr("{total} is the sum of all rows, counted with the model’s own tokeniser.")
    elif view.reported:
        counted = tr("{total} is the sum of all rows, as the provider counted it.")
    else:
        counted = tr("{total} is the sum of all rows, and an estimate.")
    return [say(counted, total=total), _cost(view)]


def _cost(view: EnvelopeView) -> Sentence:
    if view.local:
        return say(tr("It costs nothing: the model runs on this computer."))
    if view.cost_usd is None:
        return say(tr("No price is known for this model."))
    words = tr("Sending it costs about {price}, with cached tokens at their own price; the reply is extra.")
    return say(words, price=formatting.usd(view.cost_usd))


def _pages(view: EnvelopeView, _chat: ChatState) -> list[Sentence]:
    said = [
        say(tr("Layers lists what is sent, and Payload shows it exactly as it is sent.")),
        say(tr("Diff compares it with the last request, and Turns lists the requests sent before.")),
    ]
    if view.breaks:
        words = (
            tr("{n} change since then breaks what was cached.")
            if view.breaks == 1
            else tr("{n} changes since then break what was cached.")
        )
        said.append(say(words, n=formatting.tokens(view.breaks)))
    return said


def _message(chat: ChatState | None) -> list[Sentence]:
    view = None if chat is None else chat.newest
    if chat is None or view is None:
        return [say(tr("Write a message or drop files here. Your first message starts a chat."))]
    tokens = sum(layer.tokens for layer in view.layers if layer.name == "L5_USER")
    same = say(tr("The figures below it are those of the request, and follow as you type."))
    if not tokens or view.standing != "next":
        return [say(tr("Write a message or drop files here.")), same]
    return [say(tr("Your message takes {tokens} tokens so far."), tokens=formatting.tokens(tokens)), same]


def _attachments(chat: ChatState | None) -> list[Sentence]:
    rows = () if chat is None else chat.attachments
    if not rows:
        return [say(tr("Files, folders and pages that you attach are listed here."))]
    words = (
        tr("{n} attachment, {tokens} tokens.") if len(rows) == 1 else tr("{n} attachments, {tokens} tokens.")
    )
    tokens = formatting.tokens(sum(row.tokens for row in rows))
    told = tr(
        "The bar shows how much of a file is sent, the box is its priority, the pin keeps it from being dropped."
    )
    return [say(words, n=formatting.tokens(len(rows)), tokens=tokens), say(told)]


def _empty(_chat: ChatState | None) -> list[Sentence]:
    return [
        say(tr("Here you see your next request before you send it.")),
        say(
            tr(
                "Every file and earlier turn is a row: what it costs, whether it’s cached, and what’s dropped first."
            )
        ),
    ]


def _inspector(chat: ChatState | None) -> list[Sentence]:
    view = None if chat is None else chat.newest
    opens = say(tr("Opens your next request, row by row, before you send it."))
    if view is None:
        return [opens]
    size = {"total": formatting.tokens(view.total_tokens), "limit": formatting.tokens(view.limit_tokens)}
    return [opens, _size_sentence(view, size)]


_OF_REQUEST: Mapping[Topic, Callable[[EnvelopeView, ChatState], list[Sentence]]] = {
    "budget": _budget,
    "findings": _findings,
    "drop": _drop,
    "cached": _cached,
    "priority": _priority,
    "state": _state,
    "turns": _turns,
    "what_if": _what_if,
    "figures": _figures,
    "pages": _pages,
}
_WITHOUT_REQUEST: Mapping[Topic, Callable[[ChatState | None], list[Sentence]]] = {
    "message": _message,
    "attachments": _attachments,
    "empty": _empty,
    "inspector": _inspector,
}
