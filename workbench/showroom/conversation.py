"""The scripted conversation at the moments that scenes show: a real engine, store, adapters and files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

from workbench.domain.workspace import template_of
from workbench.showroom.moment import Moment
from workbench.showroom.player import SAMPLE, Player
from workbench.showroom.setup import Setup, set_up

PLACED = "placed"
IN_VIEW = {SAMPLE: SAMPLE, PLACED: template_of("w0")}
"""What is in view at moments that are not about the chat."""

Step = Callable[[Player], Awaitable[None]]

ACTS: Mapping[str, tuple[tuple[str, tuple[Step, ...]], ...]] = {
    "local": (
        ("tried", (Player.talk, Player.write, Player.try_out)),
        ("looked back", (Player.apply_nothing, Player.open_turn, Player.compare)),
        ("written", (Player.close_turn,)),
        ("choosing", (Player.choose_parts,)),
    ),
    "default": (("greeting", (Player.talk, Player.write)),),
    "tools": (("waiting", (Player.talk, Player.want, Player.write)),),
    "hosted": (
        ("over", (Player.talk, Player.write, Player.pin_all)),
        ("arriving", (Player.unpin_all, Player.arrive)),
    ),
    "auto": (
        ("compared", (Player.talk, Player.compare, Player.write)),
        ("varied", (Player.vary,)),
        ("adding", (Player.add_folder,)),
        (PLACED, (Player.settle_in,)),
    ),
    "served": (
        ("recalled", (Player.talk, Player.recall)),
        ("served", (Player.ask_nothing, Player.serve)),
    ),
    "words": (("instructing", (Player.furnish, Player.talk, Player.instruct)),),
    "watched": (("watched", (Player.talk, Player.watch)),),
    "new": ((SAMPLE, (Player.adopt_sample,)),),
}
"""The moments of each conversation in their order, with the steps that lead to them."""


async def moments(wanted: Collection[str]) -> dict[str, Moment]:
    """Play the conversations as far as needed, and take the engine's state at each wanted moment."""
    found: dict[str, Moment] = {}
    for kind, acts in ACTS.items():
        last = max((place for place, (name, _) in enumerate(acts) if name in wanted), default=-1)
        if last >= 0:
            async with set_up() as setup:
                found |= await _played(setup, kind, acts[: last + 1])
    return {name: found[name] for name in wanted}


async def _played(setup: Setup, kind: str, acts: Sequence[tuple[str, tuple[Step, ...]]]) -> dict[str, Moment]:
    found, player = {}, Player(setup, kind)
    try:
        for name, steps in acts:
            for step in steps:
                await step(player)
            await player.settle()
            found[name] = player.moment(IN_VIEW.get(name, player.in_view))
    finally:
        await player.close()
    return found
