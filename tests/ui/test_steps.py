"""Tuning steps: each does what its name says, and its undo puts back exactly what was there."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.engine import SETTINGS, Bench, FilesInMemory, fake_bench
from tests.fakes.fragile_history import FragileHistory
from tests.fakes.loop import in_calm_loop, in_loop
from tests.fakes.sample_state import CHAT, sample_state
from tests.fakes.turns import build, user
from workbench.domain.files.attachment import Artifact
from workbench.domain.secrets import FoundSecret, Secret
from workbench.domain.shown.envelope_view import RowKey
from workbench.domain.shown.parts_view import PartsView, Picked
from workbench.domain.summary import Summary
from workbench.domain.turn import Tuning
from workbench.engine.conversation import reattach
from workbench.engine.intents import (
    AttachFiles,
    ChangeSettings,
    DetachArtifacts,
    RefreshArtifacts,
)
from workbench.engine.open_chat.prices import after_step, settings_after
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import (
    AttachedChange,
    PutBackAttached,
    TuneAttached,
    TuneLog,
    TuneMessages,
    TuneSummaries,
)
from workbench.sources.attach import FileAttachments
from workbench.sources.extract.process import ChildExtractor
from workbench.ui import steps, undo
from workbench.ui.steps import Step
from workbench.ui.undo import newest, read, still_holds, written


@pytest.fixture
def chat() -> ChatState:
    return sample_state().open[CHAT]


def test_a_step_names_a_file_as_the_pane_does_and_not_where_it_lies(chat: ChatState):
    """A toast said “Undone: Detach /home/me/work/…/auth.py”."""
    lying = replace(chat.conversation.attached[0], key="/home/me/work/src/auth.py", title="")
    row = replace(chat.attachments[0], key=lying.key, name="auth.py")
    held = replace(chat, conversation=replace(chat.conversation, attached=(lying,)), attachments=(row,))
    step = steps.detach(held, (lying.key,))
    assert step is not None
    assert step.title == "Detach auth.py"


def test_files_are_attached_in_one_step_that_takes_off_only_what_it_attached(chat: ChatState):
    held = chat.conversation.attached[0].key
    step = steps.attach_files(chat, (held, "/p/a.py", "/p/b.py"), 3, "/p")
    assert step is not None
    assert step.do == (AttachFiles(CHAT, ("/p/a.py", "/p/b.py"), 3, "/p"),)
    assert step.undo == (DetachArtifacts(CHAT, ("/p/a.py", "/p/b.py")),)
    assert steps.attach_files(chat, (held,)) is None


def changed(attached: tuple[Artifact, ...], changes: tuple[steps.StepIntent, ...]) -> tuple[Artifact, ...]:
    """What the engine makes of what is attached."""
    (change,) = changes
    if isinstance(change, DetachArtifacts):
        return reattach(attached, change.keys, ())
    assert isinstance(change, TuneAttached | PutBackAttached)
    return change.of(attached)


def tuned(tuning: Tuning, changes: tuple[steps.StepIntent, ...]) -> Tuning:
    (change,) = changes
    assert isinstance(change, TuneMessages)
    return change.of(tuning)


def attached_after(chat: ChatState, step: steps.Step | None) -> dict[str, tuple[int, bool]]:
    assert step is not None
    after = changed(chat.conversation.attached, step.do)
    return {artifact.key: (artifact.priority, artifact.essential) for artifact in after}


def test_a_length_is_chosen_and_taken_back(chat: ChatState):
    step = steps.shorten(chat, ("src/auth.py",), 400)
    assert step is not None
    assert step.title == "Shorten src/auth.py to 400 tokens"
    attached = chat.conversation.attached
    shorter = changed(attached, step.do)
    assert {one.key: one.most_tokens for one in shorter if one.most_tokens} == {"src/auth.py": 400}
    assert changed(shorter, step.undo) == attached
    again = replace(chat, conversation=replace(chat.conversation, attached=shorter))
    assert steps.shorten(again, ("src/auth.py",), 400) is None
    whole = steps.shorten(again, ("src/auth.py",), 0)
    assert whole is not None
    assert whole.title == "Send src/auth.py whole again"
    assert changed(shorter, whole.do) == attached


def test_all_of_a_text_is_wanted_where_only_a_cache_keeps_it_short(chat: ChatState):
    assert steps.send_whole(chat, ("src/auth.py",)) is None
    rows = tuple(replace(row, held=row.key == "src/auth.py") for row in chat.attachments)
    step = steps.send_whole(replace(chat, attachments=rows), ("src/auth.py", "notes.md"))
    assert step is not None
    assert step.title == "Send src/auth.py whole"
    attached = chat.conversation.attached
    whole = changed(attached, step.do)
    assert [one.key for one in whole if one.whole] == ["src/auth.py"]
    assert changed(whole, step.undo) == attached


def test_a_file_whose_parts_were_chosen_comes_back_by_relevance_where_it_was(chat: ChatState):
    fitting = tuple(replace(one, by_relevance=True) for one in chat.conversation.attached)
    held = replace(chat, conversation=replace(chat.conversation, attached=fitting))
    view = PartsView("src/auth.py", "src/auth.py", "auth.py")
    step = steps.choose_parts(held, view, Picked(("L1-9",)), Picked((), whole=True))
    (back,) = [intent for intent in step.undo if isinstance(intent, TuneAttached)]
    assert [change.by_relevance for change in back.changes] == [True]


def test_a_priority_is_set_for_the_named_ones_only(chat: ChatState):
    after = attached_after(chat, steps.set_priority(chat, ("src/auth.py",), 7))
    assert after["src/auth.py"] == (7, False)
    assert after["docs/api.md"] == (5, False)


def test_every_step_on_attachments_is_taken_back_and_what_was_attached_meanwhile_stays(chat: ChatState):
    for step in (
        steps.set_priority(chat, ("src/auth.py",), 7),
        steps.nudge_priority(chat, ("docs/api.md",), 1),
        steps.pin(chat, ("logs/big.log",), True),
        steps.detach(chat, ("logs/big.log", "src/auth.py")),
        steps.reorder(chat, "project-spec.md", "logs/big.log"),
    ):
        assert step is not None
        before, other = chat.conversation.attached, Artifact("new.md", "file", "New.", priority=1)
        done = changed(before, step.do)
        assert done != before
        assert changed((*done, other), step.undo) == (*before, other)


def test_priorities_stay_between_zero_and_ten(chat: ChatState):
    assert attached_after(chat, steps.set_priority(chat, ("src/auth.py",), 99))["src/auth.py"] == (10, False)
    assert steps.nudge_priority(chat, ("logs/big.log",), 1) is None


def test_priority_zero_pins_in_the_menus_too_and_unpinned_it_is_another(chat: ChatState):
    step = steps.set_priority(chat, ("src/auth.py",), 0)
    assert attached_after(chat, step)["src/auth.py"] == (0, True)
    assert step is not None
    before = chat.conversation.attached
    there = replace(chat, conversation=replace(chat.conversation, attached=changed(before, step.do)))
    assert changed(there.conversation.attached, step.undo) == before
    loose = steps.pin(there, ("src/auth.py",), False)
    assert attached_after(there, loose)["src/auth.py"] == (1, False)
    assert loose is not None
    after = changed(there.conversation.attached, loose.do)
    assert changed(after, loose.undo) == there.conversation.attached
    pinned = tuple(replace(one, essential=one.key == "src/auth.py") for one in before)
    held = replace(chat, conversation=replace(chat.conversation, attached=pinned))
    step = steps.set_priority(held, ("src/auth.py",), 0)
    assert step is not None
    assert changed(changed(pinned, step.do), step.undo) == pinned, "pinned by hand before"


def test_a_turn_is_pinned_by_its_messages_and_unpinned_again(chat: ChatState):
    assert chat.view is not None
    row = chat.view.layers[2].rows[1]
    step = steps.toggle_pin(chat, row)
    assert step is not None
    before = chat.conversation.tuning
    after = tuned(before, step.do)
    assert after.pinned == {"m13", "m14"}
    pinned = replace(chat, conversation=replace(chat.conversation, tuning=after))
    back = steps.toggle_pin(pinned, replace(row, pinned=True))
    assert back is not None
    assert tuned(after, back.do) == tuned(after, step.undo) == before
    assert tuned(before, back.undo) == after


def test_what_is_left_out_can_be_put_back(chat: ChatState):
    assert chat.view is not None
    row = chat.view.layers[2].rows[1]
    out = steps.leave_out(chat, row)
    assert out is not None
    before = chat.conversation.tuning
    after = tuned(before, out.do)
    assert after.excluded == before.excluded | {"m13", "m14"}
    without = replace(chat, conversation=replace(chat.conversation, tuning=after))
    back = steps.leave_out(without, replace(row, state="excluded"))
    assert back is not None
    assert tuned(after, back.do) == tuned(after, out.undo) == before
    assert tuned(before, back.undo) == after


def test_undoing_a_step_on_messages_leaves_those_alone_that_were_so_before(chat: ChatState):
    held = replace(chat, conversation=replace(chat.conversation, tuning=Tuning(frozenset({"m13"}))))
    step = steps.pin_members(held, ("m13", "m14"), True)
    assert step is not None
    assert step.undo == (TuneMessages(CHAT, unpin=frozenset({"m14"})),)


def test_nothing_to_change_is_no_step(chat: ChatState):
    assert steps.set_priority(chat, ("src/auth.py",), 5) is None
    assert steps.apply_settings(chat, chat.chat.settings) is None
    assert steps.detach(chat, ("never.md",)) is None
    assert steps.pin(chat, ("never.md",), True) is None


def test_settings_are_undone_by_the_old_ones(chat: ChatState):
    other = replace(chat.chat.settings, context_window=9_000)
    step = steps.apply_settings(chat, other)
    assert step is not None
    assert (step.do, step.undo) == (
        (ChangeSettings(CHAT, other, chat.chat.settings),),
        (ChangeSettings(CHAT, chat.chat.settings, other),),
    )


def test_a_refresh_is_undone_by_the_old_copies(chat: ChatState):
    step = steps.refresh(chat, ("docs/api.md",))
    assert step.do == (RefreshArtifacts(CHAT, ("docs/api.md",)),)
    attached = chat.conversation.attached
    old = tuple(artifact for artifact in attached if artifact.key == "docs/api.md")
    assert step.undo == (PutBackAttached(CHAT, old, tuple(artifact.key for artifact in attached)),)


def test_a_card_dragged_to_the_front_falls_first(chat: ChatState):
    after = attached_after(chat, steps.reorder(chat, "project-spec.md", "logs/big.log"))
    assert after["project-spec.md"][0] >= after["logs/big.log"][0]
    ranked = sorted(after, key=lambda key: -after[key][0])
    assert ranked[0] == "project-spec.md"


KEYS = tuple("abcdef")


@given(
    st.permutations(KEYS),
    st.lists(st.integers(0, 10), min_size=6, max_size=6),
    st.lists(st.integers(1, 50), min_size=6, max_size=6, unique=True),
    st.sampled_from(KEYS),
)
def test_priorities_make_things_fall_in_the_order_of_the_rail(order, priorities, sizes, moved):
    """Of two with one priority the larger falls first; where ten steps are too few, the order is only kept weakly."""
    held = dict(zip(KEYS, priorities, strict=True))
    tokens = dict(zip(KEYS, sizes, strict=True))
    found = steps.priorities_for(list(order), held, tokens, moved)
    assert all(0 <= found[key] <= 10 for key in KEYS)
    falling = [found[key] for key in order]
    assert falling == sorted(falling, reverse=True)


def test_single_messages_are_pinned_and_unpinned(chat: ChatState):
    step = steps.pin_members(chat, ("m13",), True)
    assert step is not None
    assert step.do == (TuneMessages(CHAT, pin=frozenset({"m13"})),)
    assert steps.pin_members(chat, ("m13",), False) is None


async def opened(*names: str, files: FilesInMemory | None = None) -> Bench:
    """A chat with files attached, in a real workbench."""
    there = files or FilesInMemory(**{name: f"Words of {name}." for name in ("one", "two", "three", "four")})
    bench = fake_bench(attachments=there, store=FragileHistory())
    await bench.start()
    await bench.workbench.dispatch(AttachFiles("talk", names))
    return bench


def shown(bench: Bench) -> ChatState:
    return bench.workbench.state.open["talk"]


def figures(bench: Bench) -> list[tuple[str, int, bool]]:
    return [(one.key, one.priority, one.essential) for one in shown(bench).conversation.attached]


def texts(bench: Bench) -> list[str]:
    return [one.text for one in shown(bench).conversation.attached]


async def send(bench: Bench, changes: tuple[steps.StepIntent, ...]) -> None:
    for change in changes:
        await bench.workbench.dispatch(change)


@in_calm_loop
async def test_undoing_a_pin_keeps_what_was_attached_after_it():
    bench = await opened("one")
    step = steps.pin(shown(bench), ("one",), True)
    assert step is not None
    await send(bench, step.do)
    await bench.workbench.dispatch(AttachFiles("talk", ("two",)))
    assert figures(bench) == [("one", 5, True), ("two", 5, False)]
    await send(bench, step.undo)
    assert figures(bench) == [("one", 5, False), ("two", 5, False)]


@pytest.mark.parametrize("pin_first", [True, False])
def test_a_pin_that_is_pressed_while_files_are_read_keeps_them(pin_first: bool):
    """The step is made from what is drawn, which does not have the files yet, whichever is kept first."""

    @in_calm_loop
    async def pressed() -> None:
        bench = await opened("one")
        step = steps.pin(shown(bench), ("one",), True)
        assert step is not None
        work = [send(bench, step.do), send(bench, (AttachFiles("talk", ("two", "three")),))]
        await asyncio.gather(*(work if pin_first else reversed(work)))
        assert figures(bench) == [("one", 5, True), ("two", 5, False), ("three", 5, False)]

    pressed()


@in_calm_loop
async def test_two_priorities_from_one_drawn_state_both_hold():
    bench = await opened("one", "two")
    drawn = shown(bench)
    first, second = steps.set_priority(drawn, ("one",), 8), steps.nudge_priority(drawn, ("two",), -1)
    assert first is not None
    assert second is not None
    await asyncio.gather(send(bench, first.do), send(bench, second.do))
    assert figures(bench) == [("one", 8, False), ("two", 4, False)]
    await send(bench, first.undo)
    assert figures(bench) == [("one", 5, False), ("two", 4, False)]


@in_calm_loop
async def test_what_was_detached_comes_back_to_its_place():
    bench = await opened("one", "two", "three")
    step = steps.detach(shown(bench), ("two",))
    assert step is not None
    await send(bench, step.do)
    await bench.workbench.dispatch(AttachFiles("talk", ("four",)))
    assert [key for key, _, _ in figures(bench)] == ["one", "three", "four"]
    await send(bench, step.undo)
    assert texts(bench) == ["Words of one.", "Words of two.", "Words of three.", "Words of four."]


@in_loop
async def test_parts_that_the_whole_file_replaced_are_back_as_they_were_when_it_is_undone(tmp_path: Path):
    notes = tmp_path / "n.md"
    notes.write_text("# A\naaa\n# B\nbbb\n", encoding="utf-8")
    (tmp_path / "other.txt").write_text("Other.", encoding="utf-8")
    bench = fake_bench(attachments=FileAttachments(ChildExtractor()))
    await bench.start()
    part, other = f"{notes}#A", str(tmp_path / "other.txt")
    await bench.workbench.dispatch(AttachFiles("talk", (part, other)))
    await bench.workbench.dispatch(TuneAttached("talk", (AttachedChange(part, priority=2, pinned=True),)))
    before = shown(bench).conversation.attached
    step = steps.attach_files(shown(bench), (str(notes),))
    assert step is not None
    await send(bench, step.do)
    assert figures(bench) == [(other, 5, False), (str(notes), 2, True)]
    await send(bench, step.undo)
    assert shown(bench).conversation.attached == before
    await bench.workbench.close()


def test_undoing_a_file_beside_a_part_of_the_same_name_leaves_that_alone(chat: ChatState):
    part = replace(chat.conversation.attached[0], key="/p/a.md#One")
    there = replace(chat, conversation=replace(chat.conversation, attached=(part,)))
    step = steps.attach_files(there, ("/q/a.md",))
    assert step is not None
    back = step.undo[-1]
    assert isinstance(back, PutBackAttached)
    newer = replace(part, text="Read anew since.")
    assert back.of((newer,)) == (newer,)
    assert back.of(()) == (part,)
    apart = steps.attach_files(there, ("/q/b.md",))
    assert apart is not None
    assert apart.undo == (DetachArtifacts(CHAT, ("/q/b.md",)),)


@in_calm_loop
async def test_undoing_a_refresh_brings_the_old_text_back_and_keeps_the_rest():
    files = FilesInMemory(one="Old.", two="Other.")
    bench = await opened("one", files=files)
    files.texts["one"] = "New."
    step = steps.refresh(shown(bench), ("one",))
    await send(bench, step.do)
    await bench.workbench.dispatch(AttachFiles("talk", ("two",)))
    assert texts(bench) == ["New.", "Other."]
    await send(bench, step.undo)
    assert texts(bench) == ["Old.", "Other."]


def log_of(chat: ChatState, secrets: bool = False) -> ChatState:
    """The chat as a log that has sent its first attachment, with a key marked in it or none."""
    assert chat.view is not None
    found = (FoundSecret("github", 1, 0, 4),) if secrets else ()
    rows = tuple(replace(row, secrets=found) for row in chat.attachments[:1])
    sent = replace(chat.view.layers[3].rows[0], key=RowKey("L2_PREVIOUS", rows[0].key), counted=True)
    library = replace(chat.view.layers[1], rows=(sent,))
    layers = (chat.view.layers[0], library, *chat.view.layers[2:])
    attached = tuple(one for one in chat.conversation.attached if one.key == rows[0].key)
    last = build(replace(SETTINGS, layout="append_only"), attached=attached, question=user("q"))
    view = replace(chat.view, layout="append_only", layers=layers)
    conversation = replace(chat.conversation, previous=last)
    return replace(chat, view=view, attachments=rows, conversation=conversation)


def test_a_detached_file_stays_in_a_log_unless_a_key_is_marked_in_it(chat: ChatState):
    key = chat.attachments[0].key
    plain, marked = log_of(chat), log_of(chat, secrets=True)
    assert steps.stays_in_log(plain, (key, "other")) == (key,)
    assert steps.stays_in_log(chat, (key,)) == (), "by layers nothing stays because of a log"
    step = steps.detach(plain, (key,))
    assert step is not None
    assert step.do == (DetachArtifacts(CHAT, (key,)),)
    purged = steps.detach(marked, (key,))
    assert purged is not None
    assert purged.do[1:] == (TuneLog(CHAT, purge=frozenset({key})),)
    assert purged.undo[1:] == (TuneLog(CHAT, leave=frozenset({key})),)


def test_a_key_is_purged_though_a_rebuild_is_due_because_that_may_be_taken_back(chat: ChatState):
    """The rebuild would have left it out, so no purge was noted; it fell away, and the key was sent."""
    key = chat.attachments[0].key
    marked = log_of(chat, secrets=True)
    assert marked.view is not None
    due = replace(marked, view=replace(marked.view, rebuilt="asked"))
    layered = replace(marked, view=replace(marked.view, layout="layered"))
    for one in (due, layered):
        assert steps.stays_in_log(one, (key,)) == ()
        step = steps.detach(one, (key,))
        assert step is not None
        assert steps.purges(step)
        assert step.do[1:] == (TuneLog(CHAT, purge=frozenset({key})),)


def test_what_was_purged_and_attached_again_may_stay_the_next_time(chat: ChatState):
    key = chat.attachments[0].key
    log = log_of(chat)
    again = replace(log, conversation=replace(log.conversation, tuning=Tuning(purged=frozenset({key}))))
    step = steps.detach(again, (key,))
    assert step is not None
    assert step.do[1:] == (TuneLog(CHAT, leave=frozenset({key})),)
    assert steps.purge(again, (key,), "it") is None, "that is wanted already"
    made = steps.purge(log, (key,), "it")
    assert made is not None
    assert (made.do, made.undo) == (
        (TuneLog(CHAT, purge=frozenset({key})),),
        (TuneLog(CHAT, leave=frozenset({key})),),
    )


def test_a_rebuild_is_asked_for_once_and_can_be_taken_back(chat: ChatState):
    assert steps.rebuild(chat) is None, "only a log can be begun anew"
    log = replace(log_of(chat), conversation=replace(chat.conversation, history=(user("m1"),)))
    step = steps.rebuild(log)
    assert step is not None
    assert step.do == (TuneLog(CHAT, rebuild=True),)
    asked = replace(log, conversation=replace(log.conversation, tuning=Tuning(rebuild_after="m1")))
    back = steps.rebuild(asked)
    assert back is not None
    assert back.do == (TuneLog(CHAT, rebuild=False),)
    assert not steps.can_rebuild(None)


def test_a_summary_is_applied_and_undone_in_one_step_and_gives_an_older_one_back():
    chat = sample_state().open[CHAT]
    older, newer = (Summary(key, "Short.", ("a.md",), content_digest="d") for key in ("o", "n"))
    held = replace(chat, conversation=replace(chat.conversation, tuning=Tuning(summaries=(older,))))
    step = steps.apply_summary(held, newer)
    assert step.do == (TuneSummaries(CHAT, (newer,)),)
    assert step.undo == (TuneSummaries(CHAT, (older,), frozenset({"n"})),)
    undone = steps.undo_summary(held, "a.md")
    assert undone is not None
    assert (undone.do, undone.undo) == (
        (TuneSummaries(CHAT, remove=frozenset({"o"})),), (TuneSummaries(CHAT, (older,)),),
    )  # fmt: skip
    assert steps.undo_summary(held, "nothing") is None


OPEN = sample_state().open[CHAT]
KEY = OPEN.conversation.attached[0].key
TAKEN = {
    "pin": steps.pin(OPEN, (KEY,), not OPEN.conversation.attached[0].essential),
    "priority": steps.set_priority(OPEN, (KEY,), 9),
    "shorten": steps.shorten(OPEN, (KEY,), 400),
    "detach": steps.detach(OPEN, (KEY,)),
    "leave out": steps.leave_out_members(OPEN, ("m1",), True),
    "summary": steps.apply_summary(OPEN, Summary("s", "In short.", ("m1",), compacted_at="2026-01-01")),
    "settings": steps.apply_settings(OPEN, replace(OPEN.chat.settings, layout="append_only")),
}


def after(chat: ChatState, step: Step) -> ChatState:
    settings = settings_after(chat.chat.settings, step.do)
    return replace(
        chat,
        conversation=after_step(chat.conversation, step.do),
        chat=replace(chat.chat, settings=settings),
    )


@pytest.mark.parametrize("name", TAKEN)
def test_a_step_comes_back_as_it_was_and_holds_until_something_else_changes_it(name: str):
    step = TAKEN[name]
    assert step is not None
    kept = read(CHAT, written(step))
    assert kept == step
    done = after(OPEN, step)
    assert still_holds(step, done)
    assert not still_holds(step, OPEN), "it was taken back elsewhere"


def test_nothing_is_kept_of_what_is_about_keys_or_cannot_be_checked():
    purging = Step(CHAT, "Detach", (DetachArtifacts(CHAT, (KEY,)), TuneLog(CHAT, purge=frozenset({KEY}))), ())
    locked = Step(CHAT, "Add", (AttachFiles(CHAT, ("a.pdf",), passwords=(Secret.of_text("x"),)),), ())
    other = Step(CHAT, "Refresh", (RefreshArtifacts(CHAT, (KEY,)),), ())
    assert [written(one) for one in (purging, locked, other)] == ["", "", ""]


def test_no_copy_is_kept_of_what_was_purged_from_a_log_later():
    detach, pin = TAKEN["detach"], TAKEN["pin"]
    assert detach is not None
    assert pin is not None
    purge = Step(CHAT, "Remove", (TuneLog(CHAT, purge=frozenset({KEY})),), ())
    taken = [(one, written(one)) for one in (pin, detach, purge)]
    assert newest(taken[:2]) == (written(pin), written(detach))
    assert newest(taken) == (written(pin),)


def test_the_newest_are_kept_within_limits(monkeypatch: pytest.MonkeyPatch):
    step = Step(CHAT, "x", (), ())
    many = [(step, f"{number:03}") for number in range(60)]
    assert newest(many) == tuple(text for _, text in many[-50:])
    monkeypatch.setattr(undo, "MOST_CHARS", 10)
    assert newest(many) == ("057", "058", "059")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"type":"_KeptStep","title":1}', "[purged]"])
def test_what_cannot_be_read_is_no_step(text: str):
    assert read(CHAT, text) is None
