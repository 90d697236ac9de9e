"""Past into a request: its bytes, and how it differs from the last one."""

from __future__ import annotations

from tests.fakes.engine import SETTINGS, fake_bench
from tests.fakes.loop import in_calm_loop
from workbench.engine.intents import EditDraft, SendMessage, StartChat
from workbench.engine.shown.request_view import KeptLenses


@in_calm_loop
async def test_the_next_request_can_be_looked_into():
    bench = fake_bench()
    await bench.workbench.dispatch(StartChat("talk", SETTINGS, parameters={"top_p": 0.5}))
    view = bench.workbench.state.open["talk"].view
    assert view is not None
    assert view.diff() is None
    await bench.do(SendMessage("talk", "Well?"))
    await bench.workbench.dispatch(EditDraft("talk", "And now?"))
    state = bench.workbench.state.open["talk"]
    assert state.view is not None
    form, difference = state.view.wire(), state.view.diff()
    assert form is not None
    assert difference is not None
    assert (form.body["top_p"], form.messages[-1].pieces[-1].text) == (0.5, "And now?")
    assert (difference.before.turn, difference.before.sent_utc) == (1, state.turns[0].sent_utc)
    assert (difference.after.turn, difference.after.sent_utc, difference.change) == (2, "", "extended")


@in_calm_loop
async def test_looking_twice_writes_once_until_something_changes():
    bench = fake_bench()
    await bench.start()
    await bench.workbench.dispatch(EditDraft("talk", "One"))
    view = bench.workbench.state.open["talk"].view
    assert view is not None
    assert view.wire() is view.wire()
    await bench.workbench.dispatch(EditDraft("talk", "Two"))
    other = bench.workbench.state.open["talk"].view
    assert other is not None
    assert other.wire() is not view.wire()


@in_calm_loop
async def test_no_secret_is_in_what_is_shown():
    bench = fake_bench()
    await bench.start()
    view = bench.workbench.state.open["talk"].view
    assert view is not None
    form = view.wire()
    assert form is not None
    assert dict(form.headers) == {"authorization": "Bearer •••"}


@in_calm_loop
async def test_a_kept_request_is_looked_at_with_the_parameters_it_had():
    bench = fake_bench()
    await bench.start()
    await bench.workbench.dispatch(EditDraft("talk", "One"))
    prepared = bench.workbench.state.open["talk"].prepared
    assert prepared is not None
    lenses = KeptLenses(bench.world, {"seed": 3}, "then")
    form = lenses.wire(prepared)
    assert form is not None
    assert form.body["seed"] == 3
    assert lenses.diff(prepared) is None
