"""`workbench history show` and `search`: prints stored messages and search results, as text or JSON."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from workbench.cli.envelope_table import print_turn, turn_document
from workbench.cli.history.imports import effect_of
from workbench.cli.open_history import find_chat, opened, turn_on_branch
from workbench.cli.services import Services
from workbench.cli.terminal import print_json, print_text, tell, visible, visible_line
from workbench.context.text.chunk_renderers import role_of
from workbench.domain.chunk import command_of
from workbench.domain.message import Message
from workbench.domain.record import Chat, Hit, Record, TurnLine
from workbench.domain.spending import Spent
from workbench.domain.translation import tr
from workbench.domain.turn import Tuning

_FINE = ("complete", "running")


async def run_show(arguments: argparse.Namespace, services: Services) -> int:
    """Shows the messages of a chat's current branch, or the request of one turn."""
    async with opened(services, writable=False) as store:
        chat = await find_chat(store, arguments.chat)
        path = await store.path(chat.id)
        failed = _unanswered(await store.turn_lines(chat.id))
        tuning = await store.tuning(chat.id)
        spent = await services.spending(store).ledger.spent("", chat.id) if arguments.json else ()
        turn = None if arguments.turn is None else await turn_on_branch(store, chat, arguments.turn)
    if turn is not None:
        print_json(turn_document(turn)) if arguments.json else print_turn(turn)
    elif arguments.json:
        print_json(
            {
                **_chat_document(chat),
                "messages": [_record_document(record, failed) | _versions(record, tuning) for record in path],
                "refreshes": [_refresh_document(one) for one in spent if one.kind == "refresh"],
            }
        )
    else:
        _print_chat(chat, path, failed, tuning)
    return 0


def _refresh_document(spent: Spent) -> dict[str, Any]:
    """Returns a request that only kept the cache of the chat warm."""
    return {
        "at_utc": spent.at_utc,
        "model": spent.model,
        "input_tokens": spent.input_tokens,
        "cached_tokens": spent.cached_tokens,
        "usd": spent.usd,
    }


def _unanswered(lines: Sequence[TurnLine]) -> dict[str, TurnLine]:
    """Returns the turns that failed without an answer, by the ids of their questions."""
    return {line.question: line for line in lines if line.reply is None and line.state not in _FINE}


async def run_search(arguments: argparse.Namespace, services: Services) -> int:
    """Prints the messages that match, best or newest first."""
    async with opened(services, writable=False) as store:
        hits = await store.search(" ".join(arguments.words), arguments.newest, arguments.limit)
    if arguments.json:
        print_json([_hit_document(hit) for hit in hits])
        return 0
    for hit in hits:
        place = "" if hit.where == "title" else f"  {hit.where} {visible_line(hit.subject)}"
        print_text(f"{visible_line(hit.chat)}{place}  {visible_line(hit.created_utc)}")
        print_text(f"    {_highlighted(hit)}")
    if not hits:
        tell(tr("Nothing was found."))
    return 0


def _versions(record: Record, tuning: Tuning) -> dict[str, Any]:
    """Returns the versions of an edited message, what was said first; `text` is the one that is sent."""
    (entry,), known = tuning.edited((record.entry,)), tuning.versions(record.id)
    if not known or not isinstance(record.entry, Message) or not isinstance(entry, Message):
        return {}
    said = {"text": record.entry.text, "by": "model", "shown": entry is record.entry}
    edited = ({"text": one.text, "by": "you", "at": one.at, "shown": one.shown} for one in known)
    return {"text": entry.text, "versions": [said, *edited]}


def _print_chat(chat: Chat, path: tuple[Record, ...], failed: Mapping[str, TurnLine], tuning: Tuning) -> None:
    print_text(f"{visible_line(chat.title) or '(no title)'}  {visible_line(chat.id)}")
    for record in path:
        state = failed[record.id].state if record.id in failed else record.state
        ended = "" if state == "complete" else f"  ({state})"
        print_text(
            tr(
                "\n{role}  {created_utc}{ended}{effect}",
                role=_role(record),
                created_utc=visible_line(record.created_utc),
                ended=ended,
                effect=_effect(record),
            )
        )
        if record.attached:
            print_text(tr("  attached: {map}", map=", ".join(map(visible_line, record.attached))))
        for command in filter(None, map(command_of, record.commands)):
            print_text(
                tr(
                    "  {words}  ({n:,} characters found)",
                    words=visible_line(command.words),
                    n=len(command.result),
                )
            )
        (entry,) = tuning.edited((record.entry,))
        if entry is not record.entry:
            print_text(tr("  edited by you; `history show --json` has what was said, too"))
        for line in _indented_lines(replace(record, entry=entry)):
            print_text(f"  {line}" if line else "")
        if reason := _reason(failed.get(record.id)):
            print_text(f"  → {visible_line(reason)}")


def _reason(turn: TurnLine | None) -> str:
    """Returns the stored reason why a turn got no answer; empty where there is none."""
    error = None if turn is None or turn.usage is None else turn.usage.get("error")
    message = error.get("message") if isinstance(error, dict) else None
    return message if isinstance(message, str) else ""


def _role(record: Record) -> str:
    return record.entry.role if isinstance(record.entry, Message) else role_of(record.entry)


def _effect(record: Record) -> str:
    """Says whether `history undo` can undo a message, with its id; or when it was undone."""
    match effect_of(record):
        case "undoable":
            return tr("  (undoable: {id})", id=visible_line(record.id))
        case "undone":
            return tr("  (undone {metadata})", metadata=visible_line(str(record.metadata["undone"])))
        case None:
            return ""


def _indented_lines(record: Record) -> list[str]:
    """Returns a message's lines, which are printed indented so that no text can pass for the next speaker."""
    if not isinstance(record.entry, Message):
        return visible(record.entry.body).split("\n")
    calls = [
        f"→ {visible_line(call.name)}({visible_line(call.arguments)})  {visible_line(call.id)}"
        for call in record.entry.tool_calls
    ]
    return [*visible(record.entry.text).split("\n"), *calls] if record.entry.texts else calls


def _highlighted(hit: Hit) -> str:
    """Returns the snippet with its matches in brackets."""
    shown, last = "", 0
    for start, end in hit.marks:
        shown += f"{visible_line(hit.snippet[last:start])}[{visible_line(hit.snippet[start:end])}]"
        last = end
    return shown + visible_line(hit.snippet[last:])


def _chat_document(chat: Chat) -> dict[str, Any]:
    return {"id": chat.id, "title": chat.title, "created_utc": chat.created_utc, "model": chat.settings.model}


def _record_document(record: Record, failed: Mapping[str, TurnLine]) -> dict[str, Any]:
    entry = record.entry
    document: dict[str, Any] = {
        "id": record.id,
        "role": _role(record),
        "text": entry.text if isinstance(entry, Message) else entry.body,
        "created_utc": record.created_utc,
        "state": record.state,
        "attached": list(record.attached),
        "commands": [
            {"command": command.words, "result": command.result}
            for command in filter(None, map(command_of, record.commands))
        ],
        "metadata": dict(record.metadata),
    }
    if record.id in failed:
        document["turn"] = {"state": failed[record.id].state, "reason": _reason(failed[record.id])}
    if effect := effect_of(record):
        document["effect"] = effect
    if isinstance(entry, Message):
        calls = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in entry.tool_calls]
        return {**document, "tool_calls": calls, "tool_call_id": entry.tool_call_id}
    return {**document, "chunk": entry.kind}


def _hit_document(hit: Hit) -> dict[str, Any]:
    return {
        "chat": hit.chat,
        "title": hit.chat_title,
        "where": hit.where,
        "subject": hit.subject,
        "snippet": hit.snippet,
        "marks": [list(mark) for mark in hit.marks],
        "created_utc": hit.created_utc,
    }
