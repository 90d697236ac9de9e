"""`workbench inspect`: shows a request as it was sent, or how two differ; its JSON is the same as `replay`'s."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.cli.envelope_table import print_turn
from workbench.cli.expected import EXPECTED, existing_content, expected_document, turn_case, write_text
from workbench.cli.inspect_answer import show_answer
from workbench.cli.models import accuracy_words
from workbench.cli.open_history import find_chat, opened, turn_on_branch
from workbench.cli.replay.trajectory import TRAJECTORY_FORMAT, parse_trajectory
from workbench.cli.services import Services
from workbench.cli.settings import settings_document
from workbench.cli.terminal import print_json, print_table, print_text, tell, visible_line
from workbench.context.clean.guard import SecretGuard
from workbench.domain.change import PrefixChange
from workbench.domain.errors import InvalidInput, NotKept
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Entry, Message
from workbench.domain.model import ModelLearnt
from workbench.domain.record import TurnRecord, noted_count
from workbench.domain.translation import counted, tr
from workbench.domain.turn import TurnInputs, beginning_in
from workbench.engine.assembly.prepare import Builder
from workbench.engine.comparing import Branch, read_branch
from workbench.engine.replay import replay_turns
from workbench.engine.shown.inspection import Difference, difference, stored_report

# A stored turn as a case: the trajectory up to it without keys and passwords, and the figures that are expected.


Json = dict[str, Any]


def write_case(name: str, branch: Branch, builder: Builder) -> int:
    """Writes a stored turn as a case file for `replay --check`; returns how many turns it has."""
    if not name:
        raise InvalidInput("--case", tr("names no file"))
    there = existing_content(name)
    if there is not None and not (isinstance(there, dict) and EXPECTED in there):
        raise InvalidInput(name, tr("holds something else than a case; it stays as it is"))
    document = case_document(branch, builder)
    write_text(name, json.dumps(document, ensure_ascii=False, indent=1) + "\n")
    return len(document["turns"])


def case_document(branch: Branch, builder: Builder) -> Json:
    """Returns a branch as a trajectory without secrets, together with the figures that `replay` gives for it."""
    guard = SecretGuard("replace")
    turns = [guard.replaced(one)[0] for one in branch.turns]
    writer = _Writer()
    # An answer that was edited since is told as the turn's own request had it.
    told = [writer.turn(one, turns[-1].history, last=one is turns[-1]) for one in turns]
    first = turns[0].history
    document: Json = {"format": TRAJECTORY_FORMAT, "history": [_message(one) for one in first], "turns": told}
    reports = replay_turns(parse_trajectory(document), builder)
    cases = [turn_case(report) for report in reports]
    return {**document, EXPECTED: expected_document(cases)}


@dataclass(slots=True)
class _Writer:
    """Writes turns as a trajectory: each one states only what changed since the one before."""

    settings: Json | None = None
    attached: Mapping[str, Artifact] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    pinned: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()

    def turn(self, inputs: TurnInputs, after: Sequence[Entry], *, last: bool) -> Json:
        for one in inputs.history if not self.ids else ():
            self.ids.setdefault(one.id, one.id)
        settings = settings_document(inputs.settings)
        now = {one.name_for_model: one for one in inputs.attached}
        told: Json = {
            "settings": {} if settings == self.settings else settings,
            "attach": [_artifact(one) for key, one in now.items() if self.attached.get(key) != one],
            "detach": [key for key in self.attached if key not in now],
            **self._message_changes(inputs),
            "cold": inputs.cold,
            "rebuild": inputs.rebuild,
        }
        if inputs.now:
            told["now"] = inputs.now
        self.settings, self.attached = settings, now
        question = inputs.question
        if question is not None:
            self.ids[question.id] = self._next_id()
            told["user"] = _plain(question)
            begun = beginning_in(inputs.rounds)
            told["prefill"] = begun.text if begun is not None else {}
        if not last and question is not None:
            told["reply"] = [self._reply(one) for one in _answers_to(after, question.id)]
        return {name: value for name, value in told.items() if value not in ({}, [], False)}

    def _message_changes(self, inputs: TurnInputs) -> Json:
        pinned = frozenset(key for key in inputs.tuning.pinned if key in self.ids)
        excluded = frozenset(key for key in inputs.tuning.excluded if key in self.ids)
        found = {
            "pin_messages": pinned - self.pinned, "unpin_messages": self.pinned - pinned,
            "exclude_messages": excluded - self.excluded, "include_messages": self.excluded - excluded,
        }  # fmt: skip
        self.pinned, self.excluded = pinned, excluded
        return {name: sorted(self.ids[key] for key in keys) for name, keys in found.items()}

    def _reply(self, one: Entry) -> Json:
        message = _message(one)
        self.ids[one.id] = self._next_id()
        del message["id"]
        return message

    def _next_id(self) -> str:
        taken = set(self.ids.values())
        return next(name for number in range(1, 10**9) if (name := f"m{number}") not in taken)


def _answers_to(history: Sequence[Entry], question: str) -> Iterator[Entry]:
    """Yields what was answered to a question, up to the next question."""
    places = [place for place, one in enumerate(history) if one.id == question]
    for one in history[places[-1] + 1 :] if places else ():
        if isinstance(one, Message) and one.role == "user":
            return
        yield one


def _message(one: Entry) -> Json:
    if not isinstance(one, Message) or one.images:
        raise NotKept(tr("A turn with pictures or the results of commands can’t be written as a case."))
    told: Json = {"id": one.id, "role": one.role, "content": _plain(one)}
    if one.tool_calls:
        told["tool_calls"] = [
            {"id": call.id, "name": call.name, "arguments": call.arguments} for call in one.tool_calls
        ]
    if one.tool_call_id is not None:
        told["tool_call_id"] = one.tool_call_id
    return told


def _plain(one: Message) -> str:
    if one.images:
        raise NotKept(tr("A question with pictures can’t be written as a case."))
    return one.text


def _artifact(one: Artifact) -> Json:
    told: Json = {
        "id": one.name_for_model, "kind": one.kind, "title": one.title, "text": one.text, "priority": one.priority,
        "essential": one.essential, "recoverable": one.recoverable,
    }  # fmt: skip
    if one.most_tokens is not None:
        told["most_tokens"] = one.most_tokens
    if one.by_relevance:
        told["by_relevance"] = True
    if one.whole:
        told["whole"] = True
    return told


# What `workbench inspect` shows: a stored request with its report, or how two of them differ.


async def inspect(arguments: argparse.Namespace, services: Services) -> int:
    """Shows a stored request, how two differ, or writes a case; returns the exit code."""
    if arguments.case is not None and arguments.diff is not None:
        raise InvalidInput("--diff", tr("compares two turns, and --case writes one; leave one out"))
    of_answer = [one for one in ("facts", "probabilities") if getattr(arguments, one)]
    if of_answer and (arguments.case is not None or arguments.diff is not None or len(of_answer) > 1):
        raise InvalidInput(
            f"--{of_answer[0]}", tr("is about one answer; leave out --diff, --case and the other list")
        )
    # Late: `--help` answers without it.
    from workbench.engine.learning import read_learnt

    async with opened(services, writable=False) as store:
        chat = await find_chat(store, arguments.chat)
        turn = await turn_on_branch(store, chat, arguments.turn)
        if of_answer:
            return await show_answer(turn, store, arguments)
        number = turn.number - 1 if arguments.diff is None else arguments.diff
        other = await turn_on_branch(store, chat, number) if number > 0 else None
        branch = None if arguments.case is None else await read_branch(store, chat.id, turn)
        learnt = (await read_learnt(store)).get(turn.built.envelope.model, ModelLearnt())
    if branch is not None:
        turns = write_case(arguments.case, branch, services.builder)
        tell(
            tr(
                "{case}: {counted} written; keys and passwords are replaced",
                case=visible_line(arguments.case),
                counted=counted(turns, "turn"),
            )
        )
        return 0
    if arguments.diff is not None:
        if other is None:
            raise InvalidInput("--diff", tr("turns are counted from 1"))
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
        tr(
            "prefix: {prefix}, {counted} in common with the request before",
            prefix=prefix["change"],
            counted=counted(prefix["reused_tokens"], "token"),
        )
        + (tr("; because: {causes}", causes=causes) if causes else "")
    )
    usage = turn.usage or {}
    prompt, cached = (noted_count(usage, name) for name in ("prompt_tokens", "cached_tokens"))
    if prompt is not None:
        told = tr("cached not reported") if cached is None else tr("{cached:,} from the cache", cached=cached)
        requests = usage.get("requests")
        several = isinstance(requests, list) and len(requests) > 1
        of = (
            tr(" in {n} requests; shown is the last", n=len(requests))
            if several and isinstance(requests, list)
            else ""
        )
        print_text(f"reported: {counted(prompt, 'prompt token')} ({told}){of}")


def _show_learnt(learnt: ModelLearnt) -> None:
    """Prints how accurate this model's forecasts and counts were, where turns were judged."""
    if learnt.judged:
        print_text(tr("forecasts of this model: {accuracy_words}", accuracy_words=accuracy_words(learnt)))
    if learnt.calibration is not None:
        off = max(1, math.ceil(learnt.calibration.spread * 100))
        turns = counted(learnt.calibration.turns, "turn")
        print_text(tr("counts of this model: estimated ± {off} %, learnt from {turns}", off=off, turns=turns))


def show_difference(found: Difference, as_json: bool) -> None:
    """Prints how two requests differ, as text or JSON."""
    if as_json:
        print_json(found.document)
        return
    change = found.change
    print_text(
        tr(
            "turn {before} → turn {after}: {change}",
            before=found.before,
            after=found.after,
            change=change.change,
        )
    )
    print_text(tr("{counted} in common from the start", counted=counted(change.reused_tokens, "token")))
    if change.diverges_at is not None:
        at = change.diverges_at
        print_text(
            tr(
                "first difference: {segment} in {layer}, after token {token:,}",
                segment=visible_line(at.segment),
                layer=at.layer,
                token=at.token,
            )
        )
    if found.recounted is not None:
        was, now = found.recounted
        print_text(
            tr(
                "counts were corrected by what the server reported: what both send, {was:,} → {now:,} tokens",
                was=was,
                now=now,
            )
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("chat", metavar="CHAT", help="a chat's id or its start")
    parser.add_argument("--turn", type=int, metavar="N", help="the N-th turn; default: the last")
    parser.add_argument("--diff", type=int, metavar="M", help="compare with the M-th turn")
    parser.add_argument(
        "--case",
        metavar="FILE",
        help="write the turn as a case: `workbench replay FILE --check FILE` checks it",
    )
    parser.add_argument(
        "--probabilities",
        action="store_true",
        help="show how likely each word of the answer was, and what else could have stood there",
    )
    parser.add_argument(
        "--facts",
        action="store_true",
        help="check the answer: which of its numbers, dates, names and quotations stand in the request, and where",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Shows a stored request; builds nothing and changes nothing."""
    # Late: `--help` answers without them.
    import asyncio

    services.check_catalogue()
    return asyncio.run(inspect(arguments, services))
