"""Whether a server of models answers: asked once, for its list of models, and waited for briefly."""

from __future__ import annotations

import asyncio

from workbench.domain.answer import ModelFailed
from workbench.domain.models.model_listing import ServerLook
from workbench.domain.reading.loose_json import tables_in
from workbench.ports.models import ChatModel
from workbench.providers.served.servers import HeldByServers
from workbench.providers.table import ListsModels, model_at
from workbench.providers.wire.endpoint import Endpoint

WAIT_S = 2.0
# It answered, and has no such list.
_WITHOUT_A_LIST = ("request", "too_big")
_LISTS = ("data", "models")


async def look_at(name: str, endpoint: Endpoint, wait_s: float = WAIT_S) -> ServerLook:
    """Ask the server of an endpoint what it has; nothing of the answer is kept."""
    model = model_at(endpoint, {}, HeldByServers())
    try:
        return await _asked(name, endpoint.host, model, wait_s)
    except ModelFailed as problem:
        if problem.failure.kind in _WITHOUT_A_LIST:
            return ServerLook(name, True, f"{endpoint.host} answers")
        return ServerLook(name, False, f"{endpoint.host} cannot be used", problem.failure.message)
    except TimeoutError:
        advice = (
            f"Nothing came within {wait_s:g} s. Start the server, or correct its address in settings.toml."
        )
        return ServerLook(name, False, f"{endpoint.host} does not answer", advice)
    finally:
        await model.close()


async def _asked(name: str, host: str, model: ChatModel, wait_s: float) -> ServerLook:
    if not isinstance(model, ListsModels):
        return ServerLook(name, True, f"{host} has no list of models", asked=False)
    await model.ready(lambda what, fraction: None)  # loading the library is not the server's time
    async with asyncio.timeout(wait_s):
        said = await model.served_now()
    models = next((found for one in _LISTS if (found := tables_in(said, one))), ())
    return ServerLook(
        name, True, f"{host} answers ({len(models):,} {'model' if len(models) == 1 else 'models'})"
    )
