"""`workbench settings`: everything that `--set` takes, and what is set for the whole program."""

from __future__ import annotations

import argparse
import json

from workbench.cli.services import Services
from workbench.cli.settings import setting_keys, settings_document, under
from workbench.cli.terminal import print_json, print_table, visible_line
from workbench.domain.errors import InvalidInput
from workbench.domain.settings.preferences import ContextSettings

_LONGEST = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "action", nargs="?", choices=("keys", "show", "set"), default="keys", metavar="ACTION",
        help="keys (everything that --set takes, with what a new chat has for it; the default), show (what is set for "
        "the whole program), set (KEY=VALUE…, kept in settings.toml)",
    )  # fmt: skip
    parser.add_argument(
        "values", nargs="*", metavar="KEY=VALUE",
        help="for set: such as servers.lab=https://lab.example/v1, sessions.lab=X-Session-ID or "
        "models.NAME.cache_lifetime=1h; null takes one back",
    )  # fmt: skip
    parser.add_argument(
        "--json", action="store_true", help="print the result as JSON, with a file's default too"
    )


def run(arguments: argparse.Namespace, services: Services) -> int:
    """List the settings of a request, or show or change those of the program."""
    if (arguments.action == "set") != bool(arguments.values):
        raise InvalidInput("settings", "set takes KEY=VALUE, one or more; keys and show take none")
    if arguments.action != "keys":
        from workbench.cli.program_settings import set_settings, show_settings

        store = services.preferences()
        if arguments.action == "show":
            return show_settings(store, as_json=arguments.json)
        return set_settings(store, arguments.values, as_json=arguments.json)
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
