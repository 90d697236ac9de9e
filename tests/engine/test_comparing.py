"""A sent request beside itself under other settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.engine.open_chat.test_layouts import BUILTIN, talk
from tests.fakes.chat_model import words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_calm_loop
from tests.fakes.turns import build, fake_builder, user
from workbench.domain.answer import Failure
from workbench.domain.change import Built
from workbench.domain.errors import InvalidInput
from workbench.domain.record import TurnRecord
from workbench.domain.settings.context_settings import ContextSettings, Layout
from workbench.domain.shown.comparison import Comparison
from workbench.domain.variant import Variant, parse_variant
from workbench.engine.comparing import column_of, compare_variants, read_branch
from workbench.engine.intents import SendMessage
from workbench.engine.rerun import Rerun

TIGHT = replace(SETTINGS, context_window=400, reserved_output_tokens=40)
SAME = Variant("same")


async def turn_of(bench: Bench, number: int) -> TurnRecord:
    return next(turn for turn in await bench.world.store.turns("talk") if turn.number == number)


async def compared(bench: Bench, number: int, variants: Sequence[Variant]) -> Comparison:
    branch = await read_branch(bench.world.store, "talk", await turn_of(bench, number))
    return compare_variants(branch, variants, bench.world.builder)


@pytest.mark.parametrize("layout", ["append_only", "layered"])
@pytest.mark.parametrize("settings", [SETTINGS, TIGHT], ids=["roomy", "tight"])
@in_calm_loop
async def test_with_nothing_changed_every_request_is_the_one_that_was_sent(
    settings: ContextSettings, layout: Layout
):
    bench = await talk(layout, 12, settings)
    for turn in await bench.world.store.turns("talk"):
        branch = await read_branch(bench.world.store, "talk", turn)
        again = Rerun(bench.world.builder, SAME).play(branch.turns, branch.times).built.envelope
        sent = turn.built.envelope
        assert [(one.role, one.content) for one in again.messages] == [
            (one.role, one.content) for one in sent.messages
        ]
        assert again.total_tokens == sent.total_tokens


@in_calm_loop
async def test_under_another_setting_it_is_what_would_have_been_sent_had_that_been_set_from_the_start():
    """The same chat held in both layouts and in both windows: what is worked out for one was sent in the other."""
    held = {
        ("append_only", 400): await talk("append_only", 12, TIGHT),
        ("layered", 400): await talk("layered", 12, TIGHT),
        ("append_only", None): await talk("append_only", 12),
    }
    log, layers, roomy = held.values()
    to_layers = Variant("layers", {"layout": "layered"})
    to_roomy = Variant("roomy", {"context_window": None, "reserved_output_tokens": None})
    found = await compared(log, 12, [to_layers, replace(to_roomy, settings=_roomy())])
    for column, other in zip(found.columns[1:], (layers, roomy), strict=True):
        sent = (await turn_of(other, 12)).built.envelope
        assert column.tokens == sent.total_tokens
        assert column.layers == tuple((one.name, one.total_tokens) for one in sent.layers)
        noted = ((await turn_of(other, 12)).usage or {})["cache"]
        assert column.cached_tokens == noted["predicted_read_tokens"]


def _roomy() -> dict[str, object]:
    return {
        "context_window": SETTINGS.context_window,
        "reserved_output_tokens": SETTINGS.reserved_output_tokens,
    }


@in_calm_loop
async def test_what_is_left_out_and_what_it_frees():
    bench = await talk("layered", 6)
    found = await compared(bench, 6, [parse_variant("Without=attach.f0.md=out"), SAME])
    sent, without, same = found.columns
    assert (found.turn, found.problems) == (6, ())
    assert sent.tokens == same.tokens
    assert without.left_out == ("f0.md",)
    assert without.tokens < sent.tokens
    assert without.patch == (("attach.f0.md", "out"),)
    assert sum(tokens for _, tokens in sent.layers) == sent.tokens


@in_calm_loop
async def test_a_priority_decides_what_is_dropped():
    tight = replace(SETTINGS, attachment_budget_tokens=60)
    bench = await talk("layered", 6, tight)
    first, last = (parse_variant(f"One=priority.f{n}.md=0,priority.f{1 - n}.md=10") for n in (0, 1))
    found = await compared(bench, 6, [first, last])
    assert [column.dropped for column in found.columns[1:]] == [("f1.md",), ("f0.md",)]


@in_calm_loop
async def test_a_switch_now_costs_more_than_having_been_so_all_along():
    bench = await talk("layered", 8)
    found = await compared(bench, 8, [Variant("log", {"layout": "append_only"})])
    (column,) = found.columns[1:]
    assert column.cached_tokens is not None
    assert column.switch_cached_tokens is not None
    assert column.switch_cached_tokens < column.cached_tokens


@pytest.mark.parametrize(("provider", "usd"), [("builtin", 0.0), ("openai", None)])
def test_what_runs_here_costs_nothing_whatever_is_cached(provider: str, usd: float | None):
    """A request of which nobody could foretell the cache had an unknown price here."""
    built = build(question=user("q", "One?"))
    card = replace(built.inputs.model, provider=provider)
    built = Built(replace(built.inputs, model=card), built.envelope)
    column = column_of(SAME, built, (None, None))
    assert (column.usd, column.switch_usd, column.cached_tokens) == (usd, usd, None)


@in_calm_loop
async def test_a_request_that_nobody_foretold_is_foretold_as_those_beside_it():
    """It said “unknown” beside a figure for the same request under a variant that changes nothing."""
    bench = await talk("append_only", 6)
    branch = await read_branch(bench.world.store, "talk", await turn_of(bench, 5))
    bare = replace(branch, sent=replace(branch.sent, usage={}))
    first, same = compare_variants(bare, [SAME], bench.world.builder).columns
    assert first.switch_cached_tokens is not None
    assert first.switch_cached_tokens == same.switch_cached_tokens


@in_calm_loop
async def test_a_variant_that_cannot_be_built_is_named_and_the_others_are_there():
    bench = await talk("layered", 2)
    found = await compared(bench, 2, [Variant("Nowhere", attached={"gone.md": False}), SAME])
    assert [column.name for column in found.columns] == ["As sent", "same"]
    ((name, why),) = found.problems
    assert name == "Nowhere"
    assert "gone.md: not attached in this chat; attached: f1.md" in why
    with pytest.raises(InvalidInput, match="at most 6"):
        await compared(bench, 2, [SAME] * 7)


@in_calm_loop
async def test_a_turn_that_failed_before_it_was_read_is_no_part_of_it():
    failed = [Failure("network", "gone")]
    bench = fake_bench(words("One."), failed, words("Three."), builder=fake_builder(BUILTIN))
    await bench.start()
    for question in ("First?", "This fails", "Third?"):
        await bench.do(SendMessage("talk", question))
    *_, last = await bench.world.store.turns("talk")
    branch = await read_branch(bench.world.store, "talk", last)
    assert [one.question.text for one in branch.turns if one.question] == ["First?", "Third?"]
    (sent, same) = compare_variants(branch, [SAME], bench.world.builder).columns
    assert sent.tokens == same.tokens
