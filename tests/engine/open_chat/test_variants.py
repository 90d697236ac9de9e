"""A request of an open chat under other settings, worked out beside the loop."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.engine.open_chat.test_layouts import talk
from tests.fakes.engine import Bench
from tests.fakes.loop import in_calm_loop, until
from workbench.domain.errors import InvalidInput, NotKept
from workbench.domain.shown.comparison import Comparison
from workbench.domain.variant import Variant
from workbench.engine.comparing import compare_variants, read_branch
from workbench.engine.events import Event
from workbench.engine.intents import EditDraft, SendMessage
from workbench.engine.open_chat import variants
from workbench.engine.rerun import Rerun
from workbench.engine.state import WorkbenchState
from workbench.engine.tuning_intents import CompareVariants, DiffVariant

LOG = Variant("Log", {"layout": "append_only"})
WITHOUT = Variant("Without", attached={"f1.md": False})
NOWHERE = Variant("Nowhere", attached={"gone.md": False})


async def compared(bench: Bench, turn: int | None, *wanted: Variant) -> Comparison:
    await bench.workbench.dispatch(CompareVariants("talk", turn, wanted))
    await until(lambda: not bench.world.tasks.is_at("compare", "build"))
    found = bench.workbench.state.open["talk"].comparison
    assert found is not None
    return found


class Played:
    """How many turns were played for variants, the last of each included."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.turns = 0
        for name in ("take", "ask"):
            monkeypatch.setattr(Rerun, name, self._counted(getattr(Rerun, name)))

    def _counted(self, plain: Callable[..., object]) -> Callable[..., object]:
        def counted(rerun: Rerun, *asked: object) -> object:
            self.turns += 1
            return plain(rerun, *asked)

        return counted


@in_calm_loop
async def test_in_the_window_a_sent_turn_is_compared_as_the_command_does():
    bench = await talk("layered", 6)
    turn = next(one for one in await bench.world.store.turns("talk") if one.number == 5)
    branch = await read_branch(bench.world.store, "talk", turn)
    told = compare_variants(branch, [LOG, WITHOUT, NOWHERE], bench.world.builder)
    found = await compared(bench, 5, LOG, WITHOUT, NOWHERE)
    assert (found.columns, found.problems) == (told.columns, told.problems)
    assert [one.name for one in found.variants] == ["Log", "Without", "Nowhere"]
    assert found.asked is not None
    assert (found.asked.turn, found.asked.settings) == (5, turn.built.inputs.settings)
    assert found.problem("Nowhere").startswith("gone.md: not attached in this chat")
    assert found.played == found.turns == 3 * 5


@in_calm_loop
async def test_the_next_request_is_the_first_column_and_the_others_follow_from_all_turns():
    bench = await talk("layered", 6)
    await bench.workbench.dispatch(EditDraft("talk", "And what of it?"))
    found = await compared(bench, None, LOG, Variant("Same"))
    shown = bench.workbench.state.open["talk"].prepared
    assert shown is not None
    first, log, same = found.columns
    assert first.tokens == shown.built.envelope.total_tokens == same.tokens
    assert first.switch_cached_tokens == same.switch_cached_tokens
    assert (found.turn, log.layout) == (None, "append_only")
    assert sum(tokens for _, tokens in log.parts) == log.tokens


@in_calm_loop
async def test_a_chat_without_a_turn_is_compared_by_its_next_request():
    bench = await talk("layered", 0)
    await bench.workbench.dispatch(EditDraft("talk", "What is this?"))
    small = Variant("Small", {"context_window": 60, "reserved_output_tokens": 59})
    found = await compared(bench, None, small)
    (first, tight) = found.columns
    assert first.fits
    assert not tight.fits
    assert tight.over_tokens > 0


@in_calm_loop
async def test_what_was_played_stays_played_and_a_turn_more_costs_one(monkeypatch: pytest.MonkeyPatch):
    bench = await talk("layered", 6)
    built = Played(monkeypatch)
    await compared(bench, None, LOG)
    assert built.turns == 7
    await compared(bench, None, LOG)
    assert built.turns == 8
    await bench.do(SendMessage("talk", "One more?"))
    await compared(bench, None, LOG)
    assert built.turns == 10  # the new turn, and the next request
    await compared(bench, None, LOG, WITHOUT)
    assert built.turns == 11 + 8


@in_calm_loop
async def test_while_it_works_what_is_there_is_shown(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(variants, "PIECE", 2)
    bench = await talk("layered", 6)
    seen: list[Comparison] = []

    def see(_event: Event, state: WorkbenchState) -> None:
        if (found := state.open["talk"].comparison) is not None:
            seen.append(found)

    bench.workbench.subscribe(see)
    await bench.workbench.dispatch(CompareVariants("talk", 6, (LOG, WITHOUT)))
    await until(lambda: not bench.world.tasks.is_at("compare", "build"))
    names = [[one.name for one in found.columns] for found in seen]
    assert names[0] == ["As sent"]
    assert ["As sent", "Log"] in names
    assert names[-1] == ["As sent", "Log", "Without"]
    assert any(0 < found.played < found.turns for found in seen)


@in_calm_loop
async def test_no_more_than_six_and_without_any_those_there_are():
    bench = await talk("layered", 2)
    await compared(bench, 2, LOG)
    with pytest.raises(InvalidInput, match="at most 6"):
        await bench.workbench.dispatch(CompareVariants("talk", 2, (LOG,) * 7))
    await bench.workbench.dispatch(CompareVariants("talk", 1))
    await until(lambda: not bench.world.tasks.is_at("compare", "build"))
    found = bench.workbench.state.open["talk"].comparison
    assert found is not None
    assert (found.turn, found.variants, len(found.columns)) == (1, (LOG,), 2)


@in_calm_loop
async def test_a_turn_that_is_not_there_is_said_of_every_variant():
    bench = await talk("layered", 2)
    found = await compared(bench, 9, LOG)
    assert found.columns == ()
    assert found.problem("Log") == "Turn 9 was not sent on the branch in view."


@in_calm_loop
async def test_the_difference_with_the_first_is_shown_as_any_other():
    bench = await talk("layered", 6)
    found = await compared(bench, 6, LOG, WITHOUT, NOWHERE)
    await bench.workbench.dispatch(DiffVariant("talk", "Log"))
    diff = bench.workbench.state.open["talk"].compared
    assert diff is not None
    assert (diff.before.turn, diff.before.name, diff.after.name) == (6, "", "Log")
    assert (diff.before.total_tokens, diff.after.total_tokens) == tuple(
        one.tokens for one in found.columns[:2]
    )
    await bench.workbench.dispatch(DiffVariant("talk", "Without", against="Log"))
    diff = bench.workbench.state.open["talk"].compared
    assert diff is not None
    assert (diff.before.name, diff.after.name) == ("Log", "Without")
    assert (diff.before.total_tokens, diff.after.total_tokens) == tuple(
        one.tokens for one in found.columns[1:]
    )
    await bench.workbench.dispatch(DiffVariant("talk", "", against="Log"))
    diff = bench.workbench.state.open["talk"].compared
    assert diff is not None
    assert (diff.before.name, diff.after.name, diff.after.turn) == ("Log", "", 6)
    with pytest.raises(NotKept, match="Nowhere"):
        await bench.workbench.dispatch(DiffVariant("talk", "Nowhere"))
