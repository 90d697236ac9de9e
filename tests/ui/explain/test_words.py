"""Every figure that a card says is one of the request that is shown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.sample_envelope import over_view, sample_view
from tests.fakes.sample_state import CHAT, sample_state, sample_trial
from workbench.domain.segment import LayerName
from workbench.domain.shown.envelope_view import (
    DropCard,
    DropOrder,
    EnvelopeView,
    LayerRow,
    RowKey,
    RowState,
    SegmentRow,
)
from workbench.domain.workspace import template_of
from workbench.engine.state import ChatState, Trial
from workbench.ui import formatting
from workbench.ui.explain.cards import PAGES, CardText, Part, Topic
from workbench.ui.explain.words import card_text
from workbench.ui.inspector.layers.cells import Scale
from workbench.ui.inspector.rows.row_words import row_name
from workbench.ui.look.tones import WIRE_ORDER, layer_word

TOPICS: tuple[Topic, ...] = get_args(Topic)
FIGURE = re.compile(r"\d[\d,.]*\d|\d")
KEYS = ("+", "−", "Space")


def chat_with(
    view: EnvelopeView | None, trial: Trial | None = None, opened: EnvelopeView | None = None
) -> ChatState:
    return replace(sample_state().open[CHAT], view=view, trial=trial, opened=opened)


def every_card(chat: ChatState | None) -> list[CardText]:
    parts = [Part(topic) for topic in TOPICS if topic != "layer"]
    cards = (card_text(part, chat) for part in (*parts, *(Part("layer", layer) for layer in WIRE_ORDER)))
    return [card for card in cards if card is not None]


def said(part: Part, chat: ChatState) -> str:
    card = card_text(part, chat)
    return "" if card is None else card.text


def numbers_in(value: object) -> Iterator[int]:
    """Every whole number that a frozen value holds."""
    if isinstance(value, bool) or callable(value):
        return
    if isinstance(value, int):
        yield value
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from numbers_in(getattr(value, field.name))
    elif isinstance(value, tuple):
        for each in value:
            yield from numbers_in(each)


def known_figures(chat: ChatState, view: EnvelopeView) -> set[str]:
    rows = [row for layer in view.layers for row in layer.rows]
    sums = [view.over_tokens, view.free_tokens, len(chat.turns), len(chat.attachments), len(rows)]
    sums += [sum(row.tokens for row in chat.attachments), sum(len(layer.pinned) for layer in view.layers)]
    sums += [sum(row.counted for row in layer.rows) for layer in view.layers]
    sums += Counter(row.state for row in rows).values()
    turns = {turn for row in rows if row.counted for turn in range(row.first_turn, row.last_turn + 1)} - {0}
    held = (view, chat.turns, chat.trial.view if chat.trial else ())
    figures = {formatting.tokens(n) for n in (*numbers_in(held), *sums, len(turns))}
    shares = [formatting.share(Scale(view.limit_tokens).of_limit(layer.tokens)) for layer in view.layers]
    figures |= {formatting.percent(view.cached_share), *(f"{share} %" for share in shares)}
    return figures | ({formatting.usd(view.cost_usd)} if view.cost_usd is not None else set())


def names_in(view: EnvelopeView) -> set[str]:
    return {row_name(row) for layer in view.layers for row in layer.rows} | {
        card.name for card in view.drop_order.cards
    }


def wrong_figures(chat: ChatState, view: EnvelopeView) -> list[str]:
    """Figures of cards that are not of the request, and figures that are typed into a sentence."""
    known = known_figures(chat, view) | names_in(view) | {*KEYS, *map(layer_word, WIRE_ORDER)}
    cards = every_card(chat)
    strong = [
        piece.text for card in cards for piece in card.pieces if piece.strong and FIGURE.search(piece.text)
    ]
    plain = [piece.text for card in cards for piece in card.pieces if not piece.strong]
    return [text for text in strong if text not in known] + [text for text in plain if FIGURE.search(text)]


tokens = st.integers(0, 60_000)


@st.composite
def rows_of(draw: st.DrawFn, layer: LayerName, number: int) -> SegmentRow:
    state = draw(st.sampled_from(get_args(RowState)))
    turn = draw(st.integers(1, 30)) if layer == "L4_STRIP" else 0
    last = turn + draw(st.integers(0, 3)) if turn else 0
    return SegmentRow(
        RowKey(layer, f"{layer} {number}"), (), "file", "" if turn else f"file-{number}.md", draw(tokens), state,
        priority=draw(st.none() | st.integers(0, 10)), pinned=draw(st.booleans()), tunable=draw(st.booleans()),
        counted=state not in ("dropped", "excluded"), first_turn=turn, last_turn=last,
    )  # fmt: skip


@st.composite
def views(draw: st.DrawFn) -> EnvelopeView:
    layers = []
    for name in WIRE_ORDER:
        rows = tuple(draw(rows_of(name, number)) for number in range(draw(st.integers(0, 3))))
        layers.append(LayerRow(name, sum(row.tokens for row in rows if row.counted), rows))
    total = sum(layer.tokens for layer in layers)
    cards = tuple(
        DropCard(
            RowKey("L3_TURN", f"card {n}"), f"card-{n}.md", draw(tokens), 5, draw(st.booleans()), draw(tokens)
        )
        for n in range(draw(st.integers(0, 3)))
    )
    return EnvelopeView(
        turn=draw(st.integers(1, 99)), model="m", layers=tuple(layers), total_tokens=total,
        limit_tokens=draw(st.integers(1, 90_000)), reserve_tokens=draw(tokens),
        threshold_tokens=draw(st.none() | tokens), exact=draw(st.booleans()), reported=draw(st.booleans()),
        cached_tokens=draw(st.none() | st.integers(0, max(total, 1))), cost_usd=draw(st.none() | st.floats(0, 9)),
        local=draw(st.booleans()), standing=draw(st.sampled_from(("next", "in_flight", "sent"))),
        breaks=draw(st.integers(0, 3)), drop_order=DropOrder(cards, draw(st.integers(0, 9)), draw(tokens)),
    )  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(views())
def test_every_figure_in_a_card_is_one_of_the_request(qapp, view: EnvelopeView):
    assert wrong_figures(chat_with(view), view) == []


def test_while_other_settings_are_tried_out_their_figures_are_said(qapp):
    chat = chat_with(sample_view(), trial=sample_trial())
    assert "10,206 tokens instead of 11,686" in said(Part("what_if"), chat)
    assert wrong_figures(chat, sample_view()) == []


def test_the_cards_of_the_sample_read_as_sentences(qapp):
    chat = sample_state().open[CHAT]
    assert said(Part("budget"), chat) == (
        "Your next request is 11,686 tokens of 16,000, so 4,314 are free. Each colour is one layer, in the order "
        "in which it is sent. The dotted end, 2,000 tokens, is kept for the reply."
    )
    assert said(Part("layer"), chat) == (
        "Your 8 earlier turns take 3,680 tokens, 23.0 % of the window. Use the rows below it to pin a turn or "
        "leave it out."
    )
    assert said(Part("cached"), chat) == (
        "4,205 of 11,686 tokens, 36 %, are as the model last read them, so it need not read them again. "
        "They are hatched in the bar."
    )


def test_over_the_limit_it_is_said_by_how_much_and_that_it_cannot_be_sent(qapp):
    words = said(Part("budget"), chat_with(over_view()))
    assert "30,486 tokens of 16,000: over by 14,486, so it can’t be sent yet" in words


@pytest.mark.parametrize("standing", ["in_flight", "sent"])
def test_a_request_that_was_sent_is_not_called_the_next_one(qapp, standing):
    cards = every_card(chat_with(replace(sample_view(), standing=standing)))
    assert "next request is" not in " ".join(card.text for card in cards)


def test_the_price_is_said_to_be_that_of_the_request_alone(qapp):
    """It said that a reply of usual length is part of it; no answer is."""
    assert said(Part("figures"), sample_state().open[CHAT]).endswith(
        "Sending it costs about $0.0041, with cached tokens at their own price; the reply is extra."
    )


def test_a_workspace_has_no_next_request_but_what_new_chats_begin_with(qapp):
    chat = chat_with(sample_view())
    template = replace(chat, chat=replace(chat.chat, id=template_of("w1")))
    assert said(Part("budget"), template).startswith("A new chat here begins with 11,686 tokens of 16,000.")


def test_without_a_request_only_what_needs_none_is_explained(qapp):
    for chat in (None, chat_with(None)):
        assert [card.topic for card in every_card(chat)] == ["message", "attachments", "empty", "inspector"]


def test_the_strip_speaks_of_the_newest_request_while_an_older_one_is_looked_at(qapp):
    old = replace(sample_view(), standing="sent", total_tokens=777, cached_tokens=7)
    chat = chat_with(sample_view(), opened=old)
    assert "11,686" in said(Part("cached", newest=True), chat)
    assert "777" in said(Part("cached"), chat)


def test_every_card_names_a_page_of_the_guide(qapp):
    assert set(PAGES) == set(TOPICS)
