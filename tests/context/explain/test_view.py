"""A request made visible in one pass: a memo changes no value, and what did not change is the same object."""

from __future__ import annotations

from typing import Any

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.turns import artifact, build, fake_builder, shelved
from tests.fakes.views import around, check_sums, prepared_turns
from workbench.context.explain.view import ViewedRequest, attachments_in, envelope_view
from workbench.domain.change import Cause, PrefixChange
from workbench.domain.memo import Memo
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.turn import Tuning
from workbench.engine.assembly.prepare import Prepared

STORY: dict[str, Any] = {
    "format": "workbench-trajectory/1",
    "settings": {"model": WORD_MODEL.name, "system_prompt": "Be kind."},
    "turns": [
        {"user": "One?", "reply": "Yes.", "attach": [{"id": "a.md", "kind": "file", "text": "alpha beta"}]},
        {"user": "Two?", "reply": "No."},
        {"user": "Three?"},
    ],
}


def looked(request: Prepared, **changes: Any) -> ViewedRequest:
    return ViewedRequest(around(request.built, request.previous), request.change, **changes)


def requests() -> list[Prepared]:
    return list(prepared_turns(STORY, fake_builder(WORD_MODEL)))


def test_a_memo_changes_no_value():
    memo = Memo()
    for request in requests():
        with_memo, without = (envelope_view(looked(request), each) for each in (memo, Memo()))
        assert with_memo == without
        check_sums(with_memo)


def test_a_file_that_leaves_the_library_has_a_row_in_the_turn_at_once():
    """Nothing stood there before and nothing stands there now, so the rows of before were taken: it had none."""
    memo, file = Memo(), artifact("a.md", "alpha beta")
    shelf = (shelved(file, attached=True),)
    log = ContextSettings(model=WORD_MODEL.name, layout="append_only")
    before = build(log, attached=(file,), library=shelf)
    after = build(log, attached=(file,), library=shelf, tuning=Tuning(excluded=frozenset({"a.md"})))
    states = []
    for built in (before, after):
        request = ViewedRequest(around(built), PrefixChange())
        states += [row.state for row in attachments_in(envelope_view(request, memo), request, memo)]
    assert states == ["sent", "excluded"]


def test_what_did_not_change_is_the_same_object():
    memo, request = Memo(), requests()[-1]
    first, again = (envelope_view(looked(request), memo) for _ in range(2))
    assert all(one is other for one, other in zip(first.layers, again.layers, strict=True))
    assert attachments_in(first, looked(request), memo) is attachments_in(again, looked(request), memo)


def test_another_layer_leaves_its_neighbours_alone():
    memo = Memo()
    _, second, third = (envelope_view(looked(request), memo) for request in requests())
    assert third.layers[0].rows[0] is second.layers[0].rows[0]
    assert third.layers[-1] is not second.layers[-1]


def test_changes_that_break_the_prefix_are_counted():
    request = requests()[0]
    for change, breaks in (
        (PrefixChange("extended"), 0),
        (PrefixChange("diverged"), 1),
        (PrefixChange("diverged", causes=(Cause("file_changed", "a.md"), Cause("settings", ""))), 2),
    ):
        assert envelope_view(ViewedRequest(around(request.built), change), Memo()).breaks == breaks
