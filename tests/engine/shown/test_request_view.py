"""A request as it is drawn: every sum holds, what is cached is one run, and what did not change is the same object."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import NoPrices
from tests.fakes.effort import tries
from tests.fakes.turns import artifact, assistant, fake_builder, user
from tests.fakes.views import OnePrice, check_sums, prepared_turns, row_ids
from tests.trajectories.strategies import trajectories
from tests.trajectories.support import builder as real_builder
from workbench.context.explain.view import request_digest
from workbench.context.outgoing import payload_messages
from workbench.domain.caching import CacheForecast
from workbench.domain.request import WireForm
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.shown.diff_view import DiffSide, DiffView
from workbench.domain.shown.envelope_view import DropOrder, EnvelopeView, RowKey
from workbench.domain.turn import Tuning
from workbench.engine.assembly.building import Preview
from workbench.engine.assembly.prepare import Ask, Builder, Prepared, prepare_turn
from workbench.engine.conversation import Conversation, after_turn
from workbench.engine.shown.inspection import counter_of
from workbench.engine.shown.request_view import Lenses, RequestViewer, Scene

SETTINGS = ContextSettings(model="word-1", system_prompt="Be kind.", reserved_output_tokens=0)
LOCAL = replace(WORD_MODEL, provider="builtin", cache_rules="llamacpp")


def talk(turns: int = 3, builder: Builder | None = None, **changes: Any) -> Conversation:
    """A conversation with two files, one of them sent before, and some turns behind it."""
    made = builder or fake_builder()
    conversation = Conversation("talk", attached=(artifact("a.md", "Alpha text."),))
    for number in range(1, turns + 1):
        ask = Ask(SETTINGS, user(f"u{number}", "why is that so"))
        built = prepare_turn(conversation, ask, made).built
        conversation = after_turn(conversation, built, [assistant(f"m{number}", "because it is")])
    attached = (*conversation.attached, artifact("b.md", "Beta text.", priority=9))
    return replace(conversation, attached=attached, **changes)


def prepared(conversation: Conversation, text: str = "and now", card: Any = WORD_MODEL) -> Prepared:
    return prepare_turn(conversation, Ask(SETTINGS, user("draft", text)), fake_builder(card))


def shown(request: Prepared, scene: Scene | None = None) -> EnvelopeView:
    return RequestViewer(fake_builder(), NoPrices()).view(request, scene or Scene())


def test_a_view_has_the_figures_of_its_envelope():
    request = prepared(talk())
    view, envelope = shown(request), request.built.envelope
    check_sums(view)
    assert (view.turn, view.model, view.total_tokens) == (4, "word-1", envelope.total_tokens)
    assert (view.limit_tokens, view.reserve_tokens, view.threshold_tokens) == (1000, 0, 800)
    assert (view.exact, view.standing, view.sent_utc) == (True, "next", "")
    assert (view.cached_tokens, view.cost_usd, view.local) == (None, None, False)
    assert view.digest == request_digest(request.built)
    assert row_ids(view) == {
        "L1": [("system", "locked")],
        "L2": [("a.md", "sent")],
        "L4": [("u1", "sent"), ("u2", "sent"), ("u3", "sent")],
        "L3": [("a.md", "reference"), ("b.md", "sent")],
        "L5": [("draft", "locked")],
    }
    assert view.row(RowKey("L3_TURN", "b.md")) is view.layers[3].rows[1]
    assert [card.name for card in view.drop_order.cards] == ["b.md", "a.md"]


def test_what_is_known_around_it_goes_into_the_view():
    scene = Scene({"a.md": 1}, {"a.md": ("changed", "14:02")}, "in_flight", "2026-01-01T00:00:00Z")
    view = shown(prepared(talk()), scene)
    assert (view.standing, view.sent_utc) == ("in_flight", "2026-01-01T00:00:00Z")
    assert view.layers[1].rows[0].state == "stale"
    promoted = shown(prepared(talk()), Scene({"a.md": 1})).layers[1].rows[0]
    assert (promoted.reason.code, promoted.reason.number) == ("promoted", 1)


def test_the_cost_is_that_of_the_request_with_its_cached_part_cheaper():
    request = prepared(talk())
    view = RequestViewer(fake_builder(), OnePrice()).view(request, Scene())
    assert view.cost_usd == view.total_tokens
    forecast = CacheForecast("fake", 20, view.total_tokens - 20)
    cached = RequestViewer(fake_builder(), OnePrice()).view(replace(request, forecast=forecast), Scene())
    assert (cached.cached_tokens, cached.cost_usd) == (20, view.total_tokens - 15)
    check_sums(cached)


def test_a_model_that_runs_here_costs_nothing_and_its_cache_is_foretold():
    builder = fake_builder(LOCAL)
    conversation = talk(builder=builder)
    request = prepare_turn(conversation, Ask(SETTINGS, user("draft")), builder)
    view = RequestViewer(builder, NoPrices()).view(request, Scene())
    assert (view.cost_usd, view.local) == (0.0, True)
    assert request.forecast is not None
    assert view.cached_tokens == request.forecast.predicted_read_tokens > 0
    assert view.layers[0].rows[0].cache == "hit"
    check_sums(view)


def test_bytes_and_difference_are_made_only_when_someone_looks():
    asked: list[Prepared] = []
    form = WireForm(tuple, {})
    side = DiffSide(1, "", 0, ())
    diff = DiffView(side, side, "first", None, 0, 0)

    class Looked(Lenses):
        def wire(self, request: Prepared) -> WireForm:
            asked.append(request)
            return form

        def diff(self, request: Prepared) -> DiffView:
            return diff

    request = prepared(talk())
    view = RequestViewer(fake_builder(), NoPrices(), Looked()).view(request, Scene())
    assert asked == []
    assert (view.wire(), view.diff(), asked) == (form, diff, [request])
    assert (shown(request).wire(), shown(request).diff()) == (None, None)


def test_a_keystroke_makes_only_the_rows_of_the_question_anew():
    """Or a front end would draw thousands of rows again for every letter."""
    builder = fake_builder()
    preview, showing, scene = Preview(builder), RequestViewer(builder, NoPrices()), Scene()
    conversation = talk()
    views = []
    for text in ("a", "ab", "ab c"):
        request = preview.prepare(conversation, Ask(SETTINGS, user("draft", text)))
        views.append(showing.view_with_attachments(request, scene))
    for (before, files_before), (after, files_after) in pairwise(views):
        kept = [old is new for old, new in zip(before.layers, after.layers, strict=True)]
        assert kept == [True, True, True, True, False]
        assert after.drop_order.cards is before.drop_order.cards
        assert files_after is files_before
        assert after.digest != before.digest


def test_rows_that_are_equal_after_a_full_build_are_the_old_ones():
    builder = fake_builder()
    showing = RequestViewer(builder, NoPrices())
    ask = Ask(SETTINGS, user("draft"))
    conversation = talk()
    before = showing.view(prepare_turn(conversation, ask, builder), Scene())
    same = showing.view(prepare_turn(replace(conversation), ask, fake_builder()), Scene())
    assert [old is new for old, new in zip(before.layers, same.layers, strict=True)] == [True] * 5
    elsewhere = showing.view(prepare_turn(conversation, ask, builder), Scene({"unknown.md": 7}))
    assert [old is new for old, new in zip(before.layers, elsewhere.layers, strict=True)] == [True] * 5
    left_out = replace(conversation, tuning=Tuning(excluded=frozenset({"u2", "m2"})))
    after = showing.view(prepare_turn(left_out, ask, builder), Scene())
    rows = zip(before.layers[2].rows, after.layers[2].rows, strict=True)
    assert [old is new for old, new in rows] == [True, False, True]


def test_what_is_attached_is_listed_beside_the_view():
    request = prepared(talk())
    showing = RequestViewer(fake_builder(), NoPrices())
    _, rows = showing.view_with_attachments(request, Scene(disk={"b.md": ("gone", "")}))
    assert [(row.key, row.state, row.disk) for row in rows] == [
        ("a.md", "sent", "unknown"),
        ("b.md", "sent", "gone"),
    ]


def test_an_empty_request_is_a_view_too():
    request = prepare_turn(Conversation("talk"), Ask(ContextSettings(model="word-1")), fake_builder())
    view = shown(request)
    check_sums(view)
    assert [layer.rows for layer in view.layers] == [()] * 5
    assert view.drop_order == DropOrder()


shares = st.floats(0, 1, allow_nan=False)


@settings(max_examples=tries(150))
@given(
    trajectories() | trajectories(layout="append_only") | trajectories(layout="append_only", edits="changes"),
    st.lists(shares, min_size=5, max_size=5),
)
def test_whatever_happens_every_sum_holds_and_nothing_is_missing(
    document: dict[str, Any], cached: list[float]
):
    """Rows sum to layers and layers to the total; a view made from memory is the one made from nothing."""
    builder = real_builder()
    showing = RequestViewer(builder, OnePrice())
    for request, share in zip(prepared_turns(document, builder), cached, strict=False):
        inputs, total = request.built.inputs, request.built.envelope.total_tokens
        read = max(0, min(int(share * total), total))
        told = replace(request, forecast=CacheForecast("x", read, total - read))
        view = showing.view(told, Scene())
        check_sums(view)
        assert view == RequestViewer(builder, OnePrice()).view(told, Scene())
        listed = {member for layer in view.layers for row in layer.rows for member in row.members}
        grows = request.built.envelope.layout == "append_only"
        # What a log no longer holds is gone, and not left out.
        artifacts = {entry.key for entry in inputs.library if not grows} | {
            one.key for one in inputs.attached
        }
        assert listed >= artifacts | {entry.id for entry in inputs.history}
        _, attached = showing.view_with_attachments(told, Scene())
        assert attached == RequestViewer(builder, OnePrice()).view_with_attachments(told, Scene())[1]
        assert [row.key for row in attached] == [one.key for one in inputs.attached]
        in_order = [row for layer in view.layers for row in layer.rows if row.counted]
        marks = [row.cache for row in in_order if row.tokens]
        assert grows or marks == sorted(marks, key=["hit", "part", "new"].index)
        counter = counter_of(request.built, builder)
        tools = sum(counter.tool_tokens(tool) for tool in inputs.settings.tools)
        assert sum(row.tokens for row in payload_messages(request.built)) == total - tools


def test_a_server_that_still_serves_counts_no_time_for_what_is_cold():
    """ "92 % cached" stood beside "cold". That it was begun so stays, since it is sent so."""
    request = prepared(talk())
    request = replace(request, built=replace(request.built, inputs=replace(request.built.inputs, cold=True)))
    total, scene = request.built.envelope.total_tokens, Scene(warm_until_utc="2026-01-01T12:05:00+00:00")
    for read, until in ((0, scene.warm_until_utc), (total - 1, None)):
        view = shown(replace(request, forecast=CacheForecast("x", read, total - read)), scene)
        assert (view.cold, view.warm_until_utc, view.cached_tokens) == (True, until, read)
