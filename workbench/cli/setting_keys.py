"""`workbench settings keys`: everything that `--set` takes, with what a new chat has for it."""

from __future__ import annotations

import argparse
import json

from workbench.cli.services import Services
from workbench.cli.settings import setting_keys, settings_document, under
from workbench.cli.terminal import print_json, print_table, visible_line
from workbench.domain.settings.preferences import ContextSettings

_LONGEST = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "action", nargs="?", choices=("keys",), default="keys", metavar="ACTION",
        help="keys (everything that --set takes, with what a new chat has for it)",
    )  # fmt: skip
    parser.add_argument(
        "--json", action="store_true", help="print the result as JSON, with a file's default too"
    )


def run(arguments: argparse.Namespace, services: Services) -> int:
    """List the settings of a request."""
    now = settings_document(services.new_chat_settings(False))
    default = settings_document(ContextSettings())
    found = [
        {"key": ".".join(place), "new_chat": under(now, place), "trajectory": under(default, place)}
        for place in setting_keys()
    ]
    if arguments.json:
        print_json(found)
    else:
        print_table([(str(one["key"]), _short(one["new_chat"])) for one in found])
    return 0


def _short(value: object) -> str:
    """A value on one line, as `--set` takes it where all of it is there."""
    text = visible_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
