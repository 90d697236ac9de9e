"""`workbench history list`: prints a line for each chat; a module of its own, so that it starts fast."""

from __future__ import annotations

import argparse

from workbench.cli.services import Services
from workbench.cli.terminal import print_json, print_table, tell, visible_line
from workbench.domain.chat_line import ChatLine
from workbench.domain.translation import tr


def run_list(arguments: argparse.Namespace, services: Services) -> int:
    """Lists all chats, the most recently used first."""
    chats = services.listed()
    if arguments.json:
        print_json([_document(chat) for chat in chats])
        return 0
    print_table([_line(chat) for chat in chats])
    if not chats:
        tell(tr("There are no chats yet."))
    return 0


def _document(chat: ChatLine) -> dict[str, str | None]:
    return {
        "id": chat.id,
        "title": chat.title,
        "created_utc": chat.created_utc,
        "model": chat.model,
        "used_utc": chat.used_utc,
        "last_turn": chat.last_turn,
    }


def _line(chat: ChatLine) -> tuple[str, ...]:
    mark = "" if chat.last_turn in (None, "complete") else f"({chat.last_turn}) "
    return visible_line(chat.id), visible_line(chat.used_utc), f"{mark}{visible_line(chat.title)}"
