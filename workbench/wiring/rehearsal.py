"""The conversation behind the pictures, really held: the engine, an encrypted store, our adapters, real files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

from workbench.domain.workspace import template_of
from workbench.ui.scenes.script import Moment
from workbench.wiring.player import CHAT, SAMPLE, Player
from workbench.wiring.troupe import Troupe, engaged

PLACED = "placed"
IN_VIEW = {SAMPLE: SAMPLE, PLACED: template_of("w0")}
"""What is in view at moments that are not about the chat."""

# The moments that scenes are made of, in the order in which they come in a conversation with each kind of model.


Step = Callable[[Player], Awaitable[None]]


ACTS: Mapping[str, tuple[tuple[str, tuple[Step, ...]], ...]] = {
    "local": (
        ("tried", (Player.talk, Player.write, Player.try_out)),
        ("looked back", (Player.apply_nothing, Player.open_turn, Player.compare)),
        ("written", (Player.close_turn,)),
        ("choosing", (Player.choose_parts,)),
    ),
    "tools": (("waiting", (Player.talk, Player.want, Player.write)),),
    "hosted": (
        ("over", (Player.talk, Player.write, Player.pin_all)),
        ("arriving", (Player.unpin_all, Player.arrive)),
    ),
    "auto": (
        ("compared", (Player.talk, Player.compare, Player.write)),
        ("adding", (Player.add_folder,)),
        (PLACED, (Player.settle_in,)),
    ),
    "served": (
        ("recalled", (Player.talk, Player.recall)),
        ("served", (Player.ask_nothing, Player.serve)),
    ),
    "words": (("instructing", (Player.furnish, Player.talk, Player.instruct)),),
    "new": ((SAMPLE, (Player.adopt_sample,)),),
}


async def moments(wanted: Collection[str]) -> dict[str, Moment]:
    """The states of the program at moments of the script, as the engine published them."""
    found: dict[str, Moment] = {}
    for kind, acts in ACTS.items():
        last = max((place for place, (name, _) in enumerate(acts) if name in wanted), default=-1)
        if last >= 0:
            async with engaged() as troupe:
                found |= await _played(troupe, kind, acts[: last + 1])
    return {name: found[name] for name in wanted}


async def _played(
    troupe: Troupe, kind: str, acts: Sequence[tuple[str, tuple[Step, ...]]]
) -> dict[str, Moment]:
    found, player = {}, Player(troupe, kind)
    try:
        for name, steps in acts:
            for step in steps:
                await step(player)
            await player.settle()
            found[name] = player.moment(IN_VIEW.get(name, CHAT))
    finally:
        await player.close()
    return found
