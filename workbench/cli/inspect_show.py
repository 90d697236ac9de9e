"""What `workbench inspect` shows: a stored request with its report, or how two of them differ."""

from __future__ import annotations

import argparse
import math
from typing import Any

from workbench.cli.case import write_case
from workbench.cli.envelope_table import print_turn
from workbench.cli.models import accuracy_words
from workbench.cli.open_history import find_chat, opened, turn_on_branch
from workbench.cli.services import Services
from workbench.cli.terminal import counted, print_json, print_table, print_text, tell, visible_line
from workbench.domain.change import PrefixChange
from workbench.domain.errors import InvalidInput
from workbench.domain.models.learnt import ModelLearnt
from workbench.domain.record import TurnRecord, noted_count
from workbench.engine.comparing import read_branch
from workbench.engine.shown.inspection import Difference, difference, stored_report


async def inspect(arguments: argparse.Namespace, services: Services) -> int:
    """Show what was asked for; the exit code."""
    if arguments.case is not None and arguments.diff is not None:
        raise InvalidInput("--diff", "compares two turns, and --case writes one; leave one out")
    # Late: `--help` answers without it.
    from workbench.engine.learning import read_learnt

    async with opened(services, writable=False) as store:
        chat = await find_chat(store, arguments.chat)
        turn = await turn_on_branch(store, chat, arguments.turn)
        number = turn.number - 1 if arguments.diff is None else arguments.diff
        other = await turn_on_branch(store, chat, number) if number > 0 else None
        branch = None if arguments.case is None else await read_branch(store, chat.id, turn)
        learnt = (await read_learnt(store)).get(turn.built.envelope.model, ModelLearnt())
    if branch is not None:
        turns = write_case(arguments.case, branch, services.builder)
        tell(
            f"{visible_line(arguments.case)}: {counted(turns, 'turn')} written; keys and passwords are replaced"
        )
        return 0
    if arguments.diff is not None:
        if other is None:
            raise InvalidInput("--diff", "turns are counted from 1")
        show_difference(difference(other, turn, services.builder), arguments.json)
    elif arguments.json:
        print_json(stored_report(turn, other, services.builder))
    else:
        _show_turn(turn, stored_report(turn, other, services.builder))
        _show_learnt(learnt)
    return 0


def _show_turn(turn: TurnRecord, report: dict[str, Any]) -> None:
    print_turn(turn)
    prefix = report["prefix"]
    causes = ", ".join(_cause(cause) for cause in prefix["causes"])
    print_text(
        f"prefix: {prefix['change']}, {counted(prefix['reused_tokens'], 'token')} in common with the request before"
        + (f"; because: {causes}" if causes else "")
    )
    usage = turn.usage or {}
    prompt, cached = (noted_count(usage, name) for name in ("prompt_tokens", "cached_tokens"))
    if prompt is not None:
        told = "cached not reported" if cached is None else f"{cached:,} from the cache"
        requests = usage.get("requests")
        several = isinstance(requests, list) and len(requests) > 1
        of = (
            f" in {len(requests)} requests; shown is the last"
            if several and isinstance(requests, list)
            else ""
        )
        print_text(f"reported: {counted(prompt, 'prompt token')} ({told}){of}")


def _show_learnt(learnt: ModelLearnt) -> None:
    """How far this model's forecasts and counts can be trusted, where turns have taught that."""
    if learnt.judged:
        print_text(f"forecasts of this model: {accuracy_words(learnt)}")
    if learnt.calibration is not None:
        off = max(1, math.ceil(learnt.calibration.spread * 100))
        turns = counted(learnt.calibration.turns, "turn")
        print_text(f"counts of this model: estimated ± {off} %, learnt from {turns}")


def show_difference(found: Difference, as_json: bool) -> None:
    """How two requests differ, for people or machines."""
    if as_json:
        print_json(found.document)
        return
    change = found.change
    print_text(f"turn {found.before} → turn {found.after}: {change.change}")
    print_text(f"{counted(change.reused_tokens, 'token')} in common from the start")
    if change.diverges_at is not None:
        at = change.diverges_at
        print_text(f"first difference: {visible_line(at.segment)} in {at.layer}, after token {at.token:,}")
    if found.recounted is not None:
        was, now = found.recounted
        print_text(
            f"counts were corrected by what the server reported: what both send, {was:,} → {now:,} tokens"
        )
    for line in _causes(change):
        print_text(line)
    rows = [(mark, layer, visible_line(key), words) for mark, layer, key, words in found.rows]
    if rows:
        print_text()
        print_table([("", "layer", "segment", "tokens"), *rows])


def _causes(change: PrefixChange) -> list[str]:
    return [f"because: {_cause({'cause': c.cause, 'subject': c.subject})}" for c in change.causes]


def _cause(cause: dict[str, Any]) -> str:
    subject = cause["subject"]
    name = str(cause["cause"]).replace("_", " ")
    return name if subject is None else f"{name} ({visible_line(subject)})"
