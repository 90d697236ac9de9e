"""`workbench influence`: how much less likely an answer becomes without each piece of its request."""

from __future__ import annotations

import argparse

from workbench.cli.services import Services


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("chat", metavar="CHAT", help="a chat's id or its start")
    parser.add_argument("--turn", type=int, metavar="N", help="the N-th turn; default: the last")
    parser.add_argument(
        "--masks",
        type=int,
        default=0,
        metavar="N",
        help="fit N random masks; default: leave pieces out one by one",
    )
    parser.add_argument("--sentences", action="store_true", help="look inside the pieces that carried most")
    parser.add_argument(
        "--pieces", type=int, default=32, metavar="N", help="group neighbours beyond N pieces; default: 32"
    )
    parser.add_argument(
        "--asking", action="store_true", help="ask again and compare words, even where the server can score"
    )
    parser.add_argument("--repeats", type=int, default=1, metavar="K", help="ask K times each; default: 1")
    parser.add_argument(
        "--cap-usd", type=float, metavar="X", help="never spend more than X dollars on asking"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask before requests that may cost")
    parser.add_argument("--key-env", metavar="NAME", help="environment variable that holds the model's key")
    parser.add_argument(
        "--kept", action="store_true", help="show what was measured before; no model is asked"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Measure, print and keep the influence of every piece of a stored request."""
    # Late: `--help` answers without them.
    import asyncio

    from workbench.cli.influence_show import measure

    services.check_catalogue()
    if not arguments.kept:
        services.check_sending()
    return asyncio.run(measure(arguments, services))
