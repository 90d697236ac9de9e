"""`workbench history summarise`: summarises earlier turns; the summary is shown and checked before it is used."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from workbench.cli.open_history import find_chat, open_kept
from workbench.cli.services import Services, WorldOptions
from workbench.cli.terminal import find_terminal, print_json, print_text, tell, visible, visible_line
from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.spending import dollars
from workbench.domain.summary import OUTLINE, Summary, SummaryWish
from workbench.domain.translation import tr

if TYPE_CHECKING:  # loads what `--help` does not need
    from workbench.domain.shown.summary_view import SummaryView
    from workbench.engine.summaries import Plan
    from workbench.engine.workbench import Workbench
    from workbench.engine.world import World


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments: the chat, the turns, and what writes the summary."""
    parser.add_argument("chat", metavar="CHAT", help="a chat's id or its start")
    parser.add_argument(
        "--turns", metavar="A-B", help="turns to summarise; default: all before the last few answers"
    )
    parser.add_argument(
        "--with", dest="by", default=OUTLINE, metavar="WHO",
        help="outline (no model, the default), chat (its own model), builtin, or a model's name",
    )  # fmt: skip
    parser.add_argument("--apply", action="store_true", help="use it from now on; default: only show it")
    parser.add_argument("--yes", action="store_true", help="do not ask before using a model")
    parser.add_argument("--undo", metavar="ID", help="stop using a summary (id or its start)")


async def run_summarise(arguments: argparse.Namespace, services: Services) -> int:
    """Makes a summary, prints it with its check, and applies it with `--apply`."""
    # Late: `--help` answers without it.
    from workbench.engine.workbench import Workbench

    first, last = _turns(arguments.turns)
    if arguments.by != OUTLINE and arguments.undo is None:
        services.check_sending()
    store = await open_kept(services)
    world = services.world(store, WorldOptions())
    workbench = Workbench(world)
    try:
        chat = await find_chat(store, arguments.chat)
        if arguments.undo is not None:
            return await _undo(arguments, chat.id, (workbench, world))
        by = chat.settings.model if arguments.by == "chat" else arguments.by
        view = await _make_summary(arguments, chat.id, SummaryWish(by, first, last), world)
        if view is not None and view.summary is not None and arguments.apply:
            await _apply(chat.id, view.summary, workbench)
    finally:
        await workbench.close()
    if view is None:
        return 1
    _print(arguments, view)
    return 0 if view.summary is not None else 1


def _turns(given: str | None) -> tuple[int, int]:
    if given is None:
        return 0, 0
    first, dash, last = given.partition("-")
    last = last if dash else first
    if not (first.isdecimal() and last.isdecimal() and 0 < int(first) <= int(last)):
        raise InvalidInput("--turns", tr("expected A-B, such as 1-12, got {given!r}", given=given))
    return int(first), int(last)


async def _make_summary(
    arguments: argparse.Namespace, chat: str, wish: SummaryWish, world: World
) -> SummaryView | None:
    from workbench.engine.stored_conversation import load_conversation
    from workbench.engine.summaries import make_summary, material_of, offered, plan_summary, result

    settings = (await world.store.chat(chat)).settings
    conversation = await load_conversation(world.store, chat)
    plan = await plan_summary(material_of(conversation, settings, wish, world), chat, world)
    view = offered(chat, wish, plan)
    tell(
        tr(
            "{what}: {original_tokens:,} tokens",
            what=visible_line(view.what),
            original_tokens=view.original_tokens,
        )
    )
    if plan.parts and not _confirm_cost(arguments, plan):
        tell(tr("No model was asked, and nothing was changed."))
        return None
    many = len(plan.parts)
    made = await make_summary(
        plan,
        chat,
        world,
        lambda part: tell(tr("part {part} of {many}", part=part, many=many)) if many > 1 else None,
    )
    return result(view, plan, made, (settings, world))


def _confirm_cost(arguments: argparse.Namespace, plan: Plan) -> bool:
    price = tr("price unknown") if plan.cost_usd is None else tr("about {cost}", cost=dollars(plan.cost_usd))
    model, many = visible_line(plan.material.summary.made_by), len(plan.parts)
    requests = tr("1 request") if many == 1 else tr("{many} requests", many=many)
    tell(
        tr(
            "Asking {model}: {requests}, {tokens:,} tokens, {price}, and its answers.",
            model=model,
            requests=requests,
            tokens=plan.tokens,
            price=price,
        )
    )
    terminal = find_terminal()
    if not arguments.yes and terminal is None:
        tell(tr("No terminal to confirm on; use --yes."))
    return arguments.yes or (terminal is not None and terminal.agrees("Ask?"))


async def _apply(chat: str, summary: Summary, workbench: Workbench) -> None:
    from workbench.engine.tuning_intents import TuneSummaries

    await workbench.dispatch(TuneSummaries(chat, (summary,)))


async def _undo(arguments: argparse.Namespace, chat: str, around: tuple[Workbench, World]) -> int:
    from workbench.engine.tuning_intents import TuneSummaries

    workbench, world = around
    kept = (await world.store.tuning(chat)).summaries
    found = [one for one in kept if one.id.startswith(arguments.undo)] if arguments.undo else []
    if len(found) != 1:
        known = ", ".join(visible_line(one.id) for one in kept) or "none"
        raise WorkbenchError(
            tr("There is no such summary here, or several. The chat has: {known}.", known=known)
        )
    await workbench.dispatch(TuneSummaries(chat, remove=frozenset({found[0].id})))
    if arguments.json:
        print_json({"chat": chat, "undone": found[0].id})
    else:
        print_text(
            tr(
                "undone: {id} ({what}); the messages are sent again",
                id=visible_line(found[0].id),
                what=found[0].what,
            )
        )
    return 0


def _print(arguments: argparse.Namespace, view: SummaryView) -> None:
    applied = view.summary is not None and arguments.apply
    if arguments.json:
        print_json(_document(view, applied))
        return
    if view.text:
        print_text(visible(view.text))
    if view.summary is None:
        tell(tr("Refused; nothing was changed. {problem}", problem=visible_line(view.problem)))
        return
    tell(
        tr(
            "{original_tokens:,} → {text_tokens:,} tokens; every number, name and address was checked.",
            original_tokens=view.original_tokens,
            text_tokens=view.text_tokens,
        )
    )
    undo = f"`workbench history summarise {visible_line(view.chat)} --undo {visible_line(view.summary.id)}`"
    tell(
        tr("It is used from now on; {undo} takes it back.", undo=undo)
        if applied
        else tr("Nothing was changed; --apply uses it.")
    )


def _document(view: SummaryView, applied: bool) -> dict[str, Any]:
    return {
        "chat": view.chat,
        "id": None if view.summary is None else view.summary.id,
        "replaces": view.what,
        "turns": [view.first_turn, view.last_turn],
        "made_by": view.wish.by,
        "from_tokens": view.original_tokens,
        "to_tokens": view.text_tokens,
        "asked_tokens": view.ask_tokens,
        "cost_usd": view.cost_usd,
        "text": view.text,
        "refused": view.problem,
        "applied": applied,
    }
