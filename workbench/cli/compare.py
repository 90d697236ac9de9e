"""`workbench compare`: two requests side by side, or one under other settings; no model is asked."""

from __future__ import annotations

import argparse

from workbench.cli.expected import add_check_arguments, refuse_half
from workbench.cli.services import Services


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "request", metavar="CHAT[:TURN]", help="a chat's id or its start, and a turn; default: the last"
    )
    parser.add_argument("other", metavar="CHAT[:TURN]", nargs="?", help="a second request to compare with")
    parser.add_argument(
        "--variant",
        dest="variants",
        metavar="NAME=KEY=VALUE,…",
        action="append",
        default=[],
        help="the same request under other settings: those of --set, priority.ID=N, attach.ID=in or out, "
        "instructions=TEXT (up to six)",
    )
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON")
    add_check_arguments(parser)


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Compare stored requests; nothing is sent and nothing is changed."""
    # Late: `--help` answers without them.
    import asyncio

    from workbench.cli.compare_show import compare

    refuse_half(arguments)
    services.check_catalogue()
    return asyncio.run(compare(arguments, services))
