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
    asking = parser.add_argument_group("asking models (only with --ask)")
    asking.add_argument("--ask", action="store_true", help="ask the question again, under every variant")
    asking.add_argument(
        "--question", metavar="TEXT", help="ask this after the chat's last turn; nothing of it is kept"
    )
    asking.add_argument("--models", metavar="A,B", help="of these models; default: each variant's own")
    asking.add_argument("--repeats", type=int, default=1, metavar="N", help="ask N times each; default: 1")
    asking.add_argument("--cap-usd", type=float, metavar="X", help="never spend more than X dollars")
    asking.add_argument("--yes", action="store_true", help="do not ask before requests that may cost")
    asking.add_argument(
        "--expect",
        metavar="CHECK",
        action="append",
        default=[],
        help="check every answer: contains:WORDS, lacks:WORDS, matches:PATTERN, json, schema:FILE (a JSON schema) or "
        "judged:CRITERION (by a model); exit code 1 if one fails",
    )
    asking.add_argument(
        "--judge", metavar="MODEL", default="", help="the model that judges; default: the turn's own"
    )
    asking.add_argument("--key-env", metavar="NAME", help="environment variable that holds the model's key")
    asking.add_argument("--kept", action="store_true", help="show what was asked last; no model is asked")
    asking.add_argument(
        "--take",
        metavar="VARIANT[,MODEL[,N]]",
        help="make this answer a branch of the chat, with the variant's settings; "
        "with --question, its next turn",
    )
    parser.add_argument(
        "--format",
        choices=("table", "json", "markdown", "csv"),
        default="table",
        help="with --ask: how it is printed",
    )
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON")
    add_check_arguments(parser)


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Compare stored requests; nothing is sent and nothing is changed."""
    # Late: `--help` answers without them.
    import asyncio

    refuse_half(arguments)
    services.check_catalogue()
    if arguments.ask or arguments.kept or arguments.take or arguments.question is not None:
        from workbench.cli.compare_ask import ask

        if arguments.ask:
            services.check_sending()
        return asyncio.run(ask(arguments, services))
    from workbench.cli.compare_show import compare

    return asyncio.run(compare(arguments, services))
