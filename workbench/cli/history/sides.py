"""`workbench history sides`: lists the side questions of a chat, and makes one of them a turn."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from workbench.cli.open_history import find_chat, open_kept
from workbench.cli.services import Services, WorldOptions
from workbench.cli.terminal import print_json, print_text, tell, visible, visible_line
from workbench.domain.errors import NotKept
from workbench.domain.side import KEPT_DAYS, SideQuestion
from workbench.domain.translation import tr


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `sides`: the chat, and the side question that becomes a turn."""
    parser.add_argument("chat", metavar="CHAT", help="a chat's id or its start")
    parser.add_argument(
        "--make-turn", metavar="ID", help="put this side question and its answer into the chat"
    )


async def run_sides(arguments: argparse.Namespace, services: Services) -> int:
    """Prints the side questions that are kept, the newest first."""
    # Late: `--help` answers without it.
    from workbench.engine.answers.side import is_old, make_turn

    lists = arguments.make_turn is None
    store = await (services.history().open(writable=False) if lists else open_kept(services))
    world = services.world(store, WorldOptions())
    try:
        chat = await find_chat(store, arguments.chat)
        now = world.utc.utc_now()
        sides = tuple(one for one in await store.sides(chat.id) if not is_old(one, now))
        made = None if lists else _find(sides, arguments.make_turn)
        if made is not None:
            await make_turn(chat.id, made.id, world)
    finally:
        await store.close()
    if made is not None:
        if arguments.json:
            print_json({"chat": chat.id, "made_turn": made.id})
        else:
            print_text(
                tr("{id} is the newest turn of {id_2}", id=visible_line(made.id), id_2=visible_line(chat.id))
            )
    elif arguments.json:
        print_json({"chat": chat.id, "kept_days": KEPT_DAYS, "sides": [asdict(one) for one in sides]})
    else:
        for one in sides:
            _print(one)
        tell("" if sides else tr("No side question was asked in this chat."))
    return 0


def _find(sides: tuple[SideQuestion, ...], name: str) -> SideQuestion:
    found = [one for one in sides if name and one.id.startswith(name)]
    if len(found) != 1:
        known = ", ".join(visible_line(one.id) for one in sides) or "none"
        raise NotKept(
            tr("There is no such side question here, or several. The chat has: {known}.", known=known)
        )
    return found[0]


def _print(side: SideQuestion) -> None:
    figures = [f"{side.prompt_tokens or 0:,} in", f"{side.cached_tokens or 0:,} cached"]
    if side.cost_usd:
        figures.append(f"${side.cost_usd:.4f}")
    print_text(f"{visible_line(side.asked_utc)}  {visible_line(side.id)}  {', '.join(figures)}")
    for line in visible(side.question).split("\n"):
        print_text(f"  > {line}")
    for line in visible(side.answer).split("\n") if side.answer else ():
        print_text(f"  {line}")
    if side.problem:
        print_text(f"  → {visible_line(side.problem)}")
