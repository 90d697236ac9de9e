"""Keeps what a watch saw with the chats: beside an open window, and leaving the first place to who comes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from workbench.cli.services import Services
from workbench.cli.terminal import tell
from workbench.domain.errors import WorkbenchError
from workbench.engine.watch.keeping import Keeper
from workbench.engine.watch.limits import keep_within_limits


@asynccontextmanager
async def keeping(services: Services, wanted: bool) -> AsyncIterator[Keeper | None]:
    """What keeps requests; None where nothing is to be kept, or can be, which is said."""
    if not wanted:
        yield None
        return
    try:
        store = await services.history().open(writable=True, yielding=True)
    except WorkbenchError as problem:
        tell(f"workbench watch: nothing is kept: {problem}")
        yield None
        return
    try:
        limits = services.preferences().load().watch
        _, done = await keep_within_limits(store, limits, services.utc_now())
        if done:
            tell(f"workbench watch: {done}")
        yield Keeper(store, services.builder.catalogue)
    finally:
        await store.close()
