"""A log is begun anew when a person asks for it, once; what they want purged goes out in no later request."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.chat_model import words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_calm_loop
from tests.fakes.turns import artifact
from workbench.domain.envelope import RebuildReason
from workbench.engine.intents import (
    AttachArtifact,
    ChangeSettings,
    CloseChat,
    DetachArtifacts,
    EditQuestion,
    OpenChat,
    RegenerateAnswer,
    SendMessage,
)
from workbench.engine.tuning_intents import TuneLog, TuneMessages

LOG = replace(SETTINGS, layout="append_only")
SECRET = artifact("keys.env", "token = abc")


async def talked() -> Bench:
    bench = fake_bench(*(words(text) for text in ("One.", "Two.", "Three.", "Four.", "Five.")))
    await bench.start(settings=LOG)
    await bench.workbench.dispatch(AttachArtifact("talk", SECRET))
    await bench.do(SendMessage("talk", "First?"))
    await bench.do(SendMessage("talk", "Second?"))
    return bench


def rebuilt(bench: Bench) -> RebuildReason | None:
    view = bench.workbench.state.open["talk"].view
    assert view is not None
    assert view.layout == "append_only"
    return view.rebuilt


def sent(bench: Bench) -> str:
    return "\n".join(message.text for message in bench.model.requests[-1].messages)


@in_calm_loop
async def test_a_rebuild_is_shown_at_once_and_done_with_the_next_question_only():
    bench = await talked()
    assert rebuilt(bench) is None
    await bench.workbench.dispatch(TuneLog("talk", rebuild=True))
    assert rebuilt(bench) == "asked"
    await bench.do(SendMessage("talk", "Third?"))
    last = await bench.world.store.last_turn("talk")
    assert last is not None
    assert last.built.envelope.rebuilt == "asked"
    assert rebuilt(bench) is None, "the wish is gone with the question"
    asked = bench.model.requests[-1]
    await bench.do(RegenerateAnswer("talk", last.question or ""))
    assert bench.model.requests[-1].messages == asked.messages, "asked again as it was"


@in_calm_loop
async def test_a_rebuild_can_be_taken_back_and_survives_a_restart():
    bench = await talked()
    await bench.workbench.dispatch(TuneLog("talk", rebuild=True))
    await bench.workbench.dispatch(CloseChat("talk"), OpenChat("talk"))
    assert rebuilt(bench) == "asked"
    await bench.workbench.dispatch(TuneLog("talk", rebuild=False))
    assert rebuilt(bench) is None


@in_calm_loop
async def test_a_detached_file_stays_in_a_log_until_it_is_purged():
    bench = await talked()
    await bench.workbench.dispatch(DetachArtifacts("talk", ("keys.env",)))
    assert rebuilt(bench) is None
    await bench.do(SendMessage("talk", "Third?"))
    assert "token = abc" in sent(bench)
    await bench.workbench.dispatch(TuneLog("talk", purge=frozenset({"keys.env"})))
    assert rebuilt(bench) == "asked"
    await bench.do(SendMessage("talk", "Fourth?"))
    assert "token = abc" not in sent(bench)
    assert rebuilt(bench) is None, "it is out of the log: nothing is left to be done"


@in_calm_loop
async def test_what_is_purged_goes_out_on_no_other_branch_either():
    """Tied to the next question alone, a purge was lost when an earlier question was edited, and a key went out."""
    bench = await talked()
    second = bench.workbench.state.open["talk"].turns[1].question
    await bench.workbench.dispatch(
        DetachArtifacts("talk", ("keys.env",)), TuneLog("talk", purge=frozenset({"keys.env"}))
    )
    await bench.do(EditQuestion("talk", second, "Something else?"))
    assert "token = abc" not in sent(bench)


@in_calm_loop
async def test_what_is_attached_again_is_sent_again():
    bench = await talked()
    purge = TuneLog("talk", purge=frozenset({"keys.env"}))
    await bench.workbench.dispatch(DetachArtifacts("talk", ("keys.env",)), purge)
    await bench.do(SendMessage("talk", "Third?"))
    await bench.workbench.dispatch(AttachArtifact("talk", SECRET))
    assert rebuilt(bench) is None
    await bench.do(SendMessage("talk", "Fourth?"))
    assert "token = abc" in sent(bench)
    await bench.workbench.dispatch(
        DetachArtifacts("talk", ("keys.env",)), TuneLog("talk", leave=frozenset({"keys.env"}))
    )
    assert rebuilt(bench) is None, "it may stay this time"


@in_calm_loop
async def test_a_chat_in_which_nothing_was_said_has_nothing_to_rebuild():
    bench = fake_bench(words("One."))
    await bench.start(settings=LOG)
    await bench.workbench.dispatch(TuneLog("talk", rebuild=True))
    assert rebuilt(bench) == "first"


@in_calm_loop
async def test_a_trimmed_answer_comes_back_into_a_log_when_it_is_pinned():
    """A log goes on from what was sent, so a pin alone left the placeholder where it was."""
    bench = fake_bench(*(words(f"Answer {n}. " + "So it is. " * 20) for n in range(1, 9)))
    small = replace(LOG, context_window=420, reserved_output_tokens=0)
    await bench.start(settings=replace(small, history=replace(LOG.history, keep_last_n_assistant=1)))
    trimmed: tuple[str, ...] = ()
    while not trimmed:
        await bench.do(SendMessage("talk", "And then?"))
        last = await bench.world.store.last_turn("talk")
        assert last is not None
        trimmed = last.built.envelope.cuts.trimmed_messages
    assert rebuilt(bench) is None
    await bench.workbench.dispatch(TuneMessages("talk", pin=frozenset(trimmed[-1:])))
    view = bench.workbench.state.open["talk"].view
    assert view is not None
    assert view.rebuilt == "history_edited"
    assert trimmed[-1] not in view.trimmed
    await bench.do(SendMessage("talk", "Once more?"))
    assert rebuilt(bench) in (None, "over_threshold"), "it is whole now: nothing is left to be done"


@in_calm_loop
async def test_what_was_purged_does_not_come_back_with_another_layout():
    """A log forgot it, but the library did not: by layers it was sent again."""
    bench = await talked()
    purge = TuneLog("talk", purge=frozenset({"keys.env"}))
    await bench.workbench.dispatch(DetachArtifacts("talk", ("keys.env",)), purge)
    await bench.workbench.dispatch(ChangeSettings("talk", replace(LOG, layout="layered")))
    await bench.do(SendMessage("talk", "Third?"))
    assert "token = abc" not in sent(bench)
    last = await bench.world.store.last_turn("talk")
    assert last is not None
    assert last.after.library == (), "nor with any later one"
    await bench.workbench.dispatch(ChangeSettings("talk", LOG))
    await bench.do(SendMessage("talk", "Fourth?"))
    assert "token = abc" not in sent(bench)


@in_calm_loop
async def test_a_purged_file_that_is_attached_with_another_text_leaves_no_older_copy():
    """Attached again before the next question, its old copy counted as wanted, and stayed in the log."""
    bench = await talked()
    purge = TuneLog("talk", purge=frozenset({"keys.env"}))
    await bench.workbench.dispatch(DetachArtifacts("talk", ("keys.env",)), purge)
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("keys.env", "token = none")))
    assert rebuilt(bench) == "asked"
    await bench.do(SendMessage("talk", "Third?"))
    assert "token = none" in sent(bench)
    assert "token = abc" not in sent(bench)
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("keys.env", "token = other")))
    assert rebuilt(bench) is None, "copies from after the purge are edited as any other"


@in_calm_loop
async def test_by_layers_it_leaves_no_older_copy_either():
    bench = await talked()
    frozen = replace(LOG, layout="layered", freshness="freeze")
    purge = TuneLog("talk", purge=frozenset({"keys.env"}))
    await bench.workbench.dispatch(DetachArtifacts("talk", ("keys.env",)), purge)
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("keys.env", "token = none")))
    await bench.workbench.dispatch(ChangeSettings("talk", frozen))
    await bench.do(SendMessage("talk", "Third?"))
    assert "token = none" in sent(bench)
    assert "token = abc" not in sent(bench)
