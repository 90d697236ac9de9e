"""`workbench history warm`: refreshes what a provider's cache holds of a chat."""

from __future__ import annotations

import argparse

from workbench.cli.open_history import find_chat
from workbench.cli.services import Services, WorldOptions
from workbench.cli.terminal import print_json, print_text, visible_line
from workbench.domain.spending import dollars
from workbench.domain.translation import counted, tr


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `warm`: the chat, and whether only the price is wanted."""
    parser.add_argument("chat", metavar="CHAT", help="a chat's id or its start")
    parser.add_argument(
        "--key-env", metavar="NAME", help="take the provider's key from this environment variable"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what it would cost, and send nothing")


async def run_warm(arguments: argparse.Namespace, services: Services) -> int:
    """Refreshes the cache once, where that costs less than reading the chat again."""
    # Late: `--help` answers without it.
    from workbench.domain.answer import ModelFailed
    from workbench.domain.errors import NotKept
    from workbench.engine.warming import plan_refresh, send_refresh

    services.keys().status()
    # A window may have it open: it is what keeps the other chats warm.
    store = await services.history().open(writable=True, beside=True)
    try:
        chat = await find_chat(store, arguments.chat)
        world = services.world(store, WorldOptions(model=chat.settings.model, key_env=arguments.key_env))
    except BaseException:
        await store.close()
        raise
    try:
        await world.workspaces.ready()
        refresh = await plan_refresh(chat.id, world)
        kept = refresh.offer(services.preferences().load().keep_warm_most)
        told = {
            "chat": chat.id,
            "model": refresh.request.model,
            "cached_tokens": kept.tokens,
            "refresh_usd": kept.refresh_usd,
            "reread_usd": kept.reread_usd,
            "refreshes": kept.done,
            "most": kept.most,
            "warm_until_utc": kept.until_utc,
        }
        if not arguments.dry_run:
            if kept.done >= kept.most:
                times = counted(kept.done, "time")
                raise NotKept(
                    tr("It was kept warm {times}; once more does not pay. Nothing was sent.", times=times)
                )
            try:
                usage = await send_refresh(refresh, world)
            except ModelFailed as failed:
                raise NotKept(
                    tr("{message} The cache was not refreshed.", message=failed.failure.message)
                ) from None
            after = (await plan_refresh(chat.id, world)).offer(kept.most)
            told |= {
                "reported_tokens": usage.cached_tokens,
                "refreshes": after.done,
                "warm_until_utc": after.until_utc,
            }
    finally:
        await world.models.close()
        await store.close()
    if arguments.json:
        print_json(told)
        return 0
    price = tr(
        "{dollars} each time, {dollars_2} to read it again",
        dollars=dollars(kept.refresh_usd),
        dollars_2=dollars(kept.reread_usd),
    )
    print_text(
        tr(
            "{id}: {tokens:,} tokens cached; {words}",
            id=visible_line(chat.id),
            tokens=kept.tokens,
            words=price if kept.reread_usd else "no cost",
        )
    )
    print_text(
        tr(
            "warm until {told}; {told_2} of {most} refreshes",
            told=told["warm_until_utc"],
            told_2=told["refreshes"],
            most=kept.most,
        )
    )
    return 0
