"""What caches hold of chats that are not in view, from their last turns."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.engine.workspaces.test_changing import AUTH, OWN, bench
from tests.fakes.engine import SETTINGS
from tests.fakes.loop import in_loop
from workbench.domain.caching import CacheRules
from workbench.domain.model import ModelCard
from workbench.domain.usage import Price
from workbench.domain.workspace import Filed, template_of
from workbench.engine.intents import ChangeSettings, CloseChat, ListChats, SendMessage, StartChat
from workbench.engine.shown.inspection import reach_of
from workbench.engine.workspace_intents import FileChats, LookAtReach, StartWorkspace


class FiveMinutes:
    """A cache that holds everything for five minutes → CacheRulebook."""

    def rules(self, card: ModelCard) -> CacheRules | None:
        """The same for all."""
        return CacheRules("five", "prefix", "2026-01-01", "a test", lifetime_s=300)


class TwoDollars:
    """A million tokens for two dollars, cached for one → PriceList."""

    def price(self, card: ModelCard) -> Price | None:
        """The same for all."""
        return Price(card.name, 2.0, 8.0, "2026-01-01", cached=1.0)


@in_loop
async def test_a_chat_out_of_view_says_how_long_it_is_warm_and_what_a_change_costs():
    one = bench()
    world = replace(
        one.world, builder=replace(one.world.builder, rulebook=FiveMinutes()), prices=TwoDollars()
    )
    await one.workbench.dispatch(StartChat("talk", SETTINGS))
    await one.do(SendMessage("talk", "Go?"))
    await one.workbench.dispatch(CloseChat("talk"))
    seen = await reach_of("talk", world)
    assert seen.known
    assert seen.until_utc
    assert seen.cached_tokens > 0
    assert seen.reread_usd == pytest.approx(seen.cached_tokens / 1_000_000)


@in_loop
async def test_what_nobody_can_say_is_not_said():
    one = bench()
    await one.workbench.dispatch(StartChat("talk", SETTINGS), StartChat("new", SETTINGS))
    await one.do(SendMessage("talk", "Go?"))
    await one.workbench.dispatch(LookAtReach(("talk", "new")))
    assert {key: seen.known for key, seen in one.workbench.state.reach.items()} == {
        "talk": False,
        "new": False,
    }


@in_loop
async def test_a_new_chat_is_set_as_its_workspace_says_and_can_be_filed_before_it_is_written_in():
    one = bench()
    await one.workbench.dispatch(StartWorkspace(AUTH, OWN))
    await one.workbench.dispatch(ChangeSettings(template_of("w1"), replace(OWN, context_window=5000)))
    await one.workbench.dispatch(
        StartChat("talk", SETTINGS, filed=Filed("w1"), unwritten=True, as_there=True)
    )
    assert one.workbench.state.open["talk"].chat.settings.context_window == 5000
    await one.workbench.dispatch(StartChat("other", SETTINGS, unwritten=True))
    await one.workbench.dispatch(FileChats(("other",), workspace="w1"), ListChats())
    kept = {chat.id: chat.filed.workspace for chat in one.workbench.state.chats}
    assert kept == {"other": "w1"}
    assert one.workbench.state.open["other"].chat.filed.workspace == "w1"
