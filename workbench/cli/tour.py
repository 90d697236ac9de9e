"""`workbench tour`: shows what the program is for without a window, using the sample chat."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from workbench.cli.services import Services
from workbench.cli.terminal import tell
from workbench.domain.translation import tr

if TYPE_CHECKING:  # `--help` answers without the engine
    from workbench.engine.workbench import Workbench

ANSWER_TOKENS = 96
HOW_TO_OPEN = tr(
    "\nTo open the window, run the same command on a computer with a "
    'display, or over `ssh -X`. Without one:\n  workbench ask "a question" '
    "--attach FILE     one turn with a file, answered by the built-in "
    "model\n  workbench inspect CHAT                       the request as "
    "it was sent\n  workbench --screenshot FILE --scene main     the window "
    "as a picture"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the option that names the file for a picture."""
    parser.add_argument("--picture", metavar="FILE", help="also write a picture of the window to this file")


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Show the sample chat's next request, send it to the built-in model, and say how to go on."""
    import asyncio

    services.check_sending()
    code = asyncio.run(_show(services))
    if arguments.picture:
        services.picture(arguments.picture)
        tell(tr("\nA picture of the window: {picture}", picture=arguments.picture))
    tell(HOW_TO_OPEN)
    return code


async def _show(services: Services) -> int:
    from workbench.cli.services import WorldOptions
    from workbench.engine.workbench import Workbench

    with services.scratch() as scratch:
        store = await scratch.open()
        sample = services.sample(ANSWER_TOKENS)
        await store.adopt(sample)
        workbench = Workbench(services.world(store, WorldOptions()))
        try:
            return await _tell(workbench, sample.chat.id)
        finally:
            await workbench.close()


async def _tell(workbench: Workbench, chat: str) -> int:
    from workbench.cli.ask.asking import Asking, Text
    from workbench.cli.envelope_table import print_envelope
    from workbench.engine.intents import OpenChat

    await workbench.dispatch(OpenChat(chat))
    opened = workbench.state.open[chat]
    assert opened.prepared is not None
    tell(tr("The next request of the sample chat, before it is sent:\n"))
    print_envelope(opened.prepared.built.envelope)
    tell(tr("\nIt is sent now. You: {draft}\n", draft=opened.draft))
    return await Asking(json=False, allow=False).all([Text(opened.draft)], chat, workbench)
