"""`workbench ask`: asks a model questions in one chat, one turn each; the answers stream to standard output."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from workbench.domain.translation import tr

if TYPE_CHECKING:  # late: its methods are to be compiled when they are called
    from workbench.cli.services import Services

_LIST: dict[str, Any] = {"action": "append", "default": []}
_SWITCH: dict[str, Any] = {"action": "store_true"}
_ARGUMENTS: dict[str, dict[str, Any]] = {
    "texts": {
        "nargs": "+",
        "metavar": "TEXT",
        "help": "a question, one turn each; - takes one from standard input (up to 16 MiB)",
    },
    "--chat": {
        "metavar": "ID",
        "help": "continue this chat (id or its start); default: a new one",
    },
    "--attach": {
        **_LIST,
        "metavar": "PATH",
        "help": "a file, a part of one (spec.pdf#p3-5, notes.md#Heading, log.txt#L10-90), a folder, a pattern "
        "(src/**/*.py) or a page's address (may be given more than once)",
    },
    "--search": {
        "metavar": "WORDS",
        "default": "",
        "help": "search the web (settings: search) and attach the first pages that can be read, as many as --take says",
    },
    "--take": {"metavar": "N", "type": int, "default": 0, "help": "how many pages of --search to attach"},
    "--follow": {
        **_LIST,
        "metavar": "DIR",
        "help": "search this folder for every question of the chat, and quote what fits (see `workbench folders`)",
    },
    "--priority": {**_LIST, "metavar": "PATH=N", "help": "0 (never dropped) to 10 (dropped first)"},
    "--shorten": {
        **_LIST,
        "metavar": "PATH=N",
        "help": "send up to N tokens of an attachment, its key parts; 0 sends it whole again",
    },
    "--by-relevance": {
        **_LIST,
        "metavar": "PATH",
        "help": "send an attachment as its outline and the sections that fit each question; --shorten PATH=0 sends it "
        "whole again",
    },
    "--allow-drop": {
        **_SWITCH,
        "help": "send also where not everything attached fits, or can be read; what stays out is listed. Without it "
        "nothing is sent where a file cannot be read, nor, without --set attachment_budget_tokens=N, where one does "
        "not fit",
    },
    "--pages-as-pictures": {
        **_SWITCH,
        "help": "attach PDFs without text, such as scans, as pictures of their pages, up to 20 of each",
    },
    "--password-file": {
        "metavar": "FILE",
        "help": "passwords of locked PDFs, one per line; none is saved; default: asks on a terminal",
    },
    "--model": {"metavar": "NAME", "help": "builtin, ollama:llama3.2, openai:gpt-4o, server:URL#model …"},
    "--set": {
        **_LIST,
        "dest": "overrides",
        "metavar": "KEY=VALUE",
        "help": "a setting by its dotted path, such as history.threshold=0.5; kept with the chat, except "
        "timeouts.connect_s, timeouts.first_token_s and timeouts.idle_s, which are for this call",
    },
    "--preset": {
        "metavar": "NAME",
        "help": "start a new chat with these named settings; empty: none, even if the settings file names "
        "one",
    },
    "--save-preset": {
        "metavar": "NAME",
        "help": "save the settings of this chat under this name, without tools",
    },
    "--tools": {**_SWITCH, "help": "let the model read the workspace, and ask to change it"},
    "--answer": {
        "metavar": "FILE",
        "help": 'answers to questions of tool servers, as JSON: {"SERVER": {"FIELD": VALUE}}, or "accept", "decline" '
        'or "cancel" for a server; without it they are declined, and their text is printed',
    },
    "--yes": {
        **_SWITCH,
        "help": "allow all changes by tools, and attach many files without asking; default: deny",
    },
    "--workspace": {
        "metavar": "NAME|DIR",
        "help": "the workspace of a new chat, by its name; else the folder the tools may use (without it: that of the "
        "settings file, or the current one)",
    },
    "--prefill": {
        "metavar": "TEXT",
        "default": "",
        "help": "begin each answer with this text, which the model continues; one that does not is not asked",
    },
    "--dry-run": {
        **_SWITCH,
        "help": "show the request and send nothing; nothing is saved, not even --attach and --set",
    },
    "--side": {
        **_SWITCH,
        "help": "with --chat: ask with everything of that chat, as no part of it; kept for 30 days (`history sides`)",
    },
    "--temporary": {
        **_SWITCH,
        "help": "ask in a chat that is only in memory: nothing of it is saved but what it cost, and it cannot be "
        "continued",
    },
    "--over-cap": {
        **_SWITCH,
        "help": "send even where that passes a cap on spending (spend.day_usd, spend.month_usd, spend.chat_usd)",
    },
    "--payload": {
        **_SWITCH,
        "help": "with --dry-run: print the request as its provider would get it, byte for byte",
    },
    "--wait": {
        "metavar": "S",
        "type": float,
        "default": 30.0,
        "help": "how many seconds to wait for another program that writes to the history, or asks in the same chat "
        "(30)",
    },
    "--key-env": {"metavar": "NAME", "help": "take the provider's key from this environment variable"},
    "--json": {**_SWITCH, "help": "print one JSON line per turn"},
    "--stream": {
        **_SWITCH,
        "help": "print a JSON line for everything that happens while a turn runs (prefill, text, thinking, "
        "tool_asked, tool_progress, question, tool_ran, retry, notice), and last the line of --json as the event turn",
    },
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    for flags, what in _ARGUMENTS.items():
        parser.add_argument(*flags.split(), **what)


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Asks one question after the other, up to the first that fails; returns the exit code."""
    # Late: `--help` answers without them.
    import asyncio

    from workbench.cli.ask.asking import Asking
    from workbench.cli.ask.chat import ask
    from workbench.cli.ask.question import read_question

    arguments.json = arguments.json or arguments.stream
    question = read_question(arguments)
    asking = Asking(
        arguments.json,
        arguments.yes,
        arguments.allow_drop,
        question.dry,
        arguments.payload,
        arguments.stream,
        arguments.prefill,
        side=arguments.side,
        over_cap=arguments.over_cap,
        temporary=arguments.temporary,
        answers=_prepared_answers(arguments.answer),
    )
    return asyncio.run(ask(question, services, asking))


def _prepared_answers(path: str | None) -> dict[str, Any]:
    """Returns the answers of `--answer`; `InvalidInput` where the file cannot be used."""
    if path is None:
        return {}
    # Late, as above.
    from workbench.cli.terminal import MEBIBYTE, visible_line
    from workbench.domain.errors import InvalidInput
    from workbench.domain.mcp_question import read_answers
    from workbench.files.reading import user_file

    try:
        with user_file(path) as opened:
            return dict(read_answers(opened.read(MEBIBYTE).decode()))
    except OSError as problem:
        raise InvalidInput("--answer", f"{visible_line(path)}: {problem.strerror or problem}") from None
    except UnicodeDecodeError:
        raise InvalidInput("--answer", tr("{path} is not UTF-8 text", path=visible_line(path))) from None
