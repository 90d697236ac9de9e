"""`workbench compare`: two requests side by side, or one under other settings; no model is asked."""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from workbench.cli.expected import LAYER_NAMES, add_check_arguments, check, check_options, column_case
from workbench.cli.inspect import show_difference
from workbench.cli.open_history import find_chat, open_kept, opened, turn_on_branch
from workbench.cli.services import Services, WorldOptions
from workbench.cli.terminal import (
    STOPPED,
    confirm_spending,
    print_json,
    print_table,
    print_text,
    read_named,
    run_stoppable,
    show_progress,
    tell,
    visible,
    visible_line,
)
from workbench.context.answer_checks import shared_words
from workbench.context.request_cost import runs_here
from workbench.domain.errors import InvalidInput, NotKept, WorkbenchError
from workbench.domain.experiment import Cell, Check, Experiment, Plan, parse_check
from workbench.domain.record import TurnRecord
from workbench.domain.shown.comparison import Comparison, ComparisonColumn, ExperimentView
from workbench.domain.translation import counted, tr
from workbench.domain.turn import TurnInputs
from workbench.domain.variant import AS_SENT, NEXT, Variant, parse_variant
from workbench.engine.comparing import (
    Line,
    compare_variants,
    read_branch,
    read_next,
    refuse_many,
    sent_column,
)
from workbench.engine.events import EnvelopeBuilt, Event
from workbench.engine.experiment.taking import keep_experiment, last_experiment, send_with_answer, take_answer
from workbench.engine.experiment.trial import ExperimentRun, read_beside
from workbench.engine.intents import OpenChat, SendMessage
from workbench.engine.shown.inspection import Difference, difference
from workbench.engine.state import WorkbenchState
from workbench.engine.tasks import Stopper
from workbench.engine.workbench import Workbench
from workbench.engine.world import World
from workbench.ports.history import HistoryStore

# What `workbench compare` shows: columns of figures, and how two requests differ.


async def compare(arguments: argparse.Namespace, services: Services) -> int:
    """Shows two stored requests side by side, or one under other settings; returns the exit code."""
    refuse_unasked(arguments)
    if arguments.format in ("markdown", "csv"):
        raise InvalidInput(
            "--format", tr("{format} goes with --ask or --kept; use --json here", format=arguments.format)
        )
    variants = read_variants(arguments)
    if arguments.other is None and not variants:
        raise InvalidInput("--variant", tr("name at least one, or a second CHAT[:TURN]"))
    if arguments.other is not None and variants:
        raise InvalidInput("--variant", tr("is for one request; leave out the second CHAT[:TURN]"))
    async with opened(services, writable=False) as store:
        turn = await named_turn(store, arguments.request)
        if arguments.other is not None:
            other = await named_turn(store, arguments.other)
            found, differs = _side_by_side(turn, other, services), difference(turn, other, services.builder)
        else:
            branch = await read_branch(store, turn.chat, turn)
            found, differs = compare_variants(branch, variants, services.builder), None
    as_json = arguments.json or arguments.format == "json"
    if arguments.check is None or as_json:
        _show(found, differs, as_json)
    cases, code = [column_case(one) for one in found.columns], 1 if found.problems else 0
    if arguments.check is not None and not arguments.update:
        return check(cases, arguments, f"compare {turn.chat}", found.problems)
    for name, problem in found.problems:
        tell(
            tr(
                "workbench compare: {name} left out: {problem}",
                name=visible_line(name),
                problem=visible_line(problem),
            )
        )
    return code if arguments.check is None else check(cases, arguments, f"compare {turn.chat}") or code


def refuse_unasked(arguments: argparse.Namespace) -> None:
    """Raises `InvalidInput` for an option that means something only together with `--ask`."""
    given = {
        "--models": arguments.models, "--repeats": arguments.repeats != 1, "--cap-usd": arguments.cap_usd is not None,
        "--expect": arguments.expect, "--judge": arguments.judge,
    }  # fmt: skip
    lost = next((name for name, value in given.items() if value), None)
    if lost is not None:
        raise InvalidInput(lost, tr("goes with --ask; without it no model is asked"))


def read_variants(arguments: argparse.Namespace) -> tuple[Variant, ...]:
    """Reads the variants of `--variant`; two with the same name are an error."""
    variants = tuple(parse_variant(text) for text in arguments.variants)
    refuse_many(variants)
    names = [AS_SENT, NEXT, *(one.name for one in variants)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice in (AS_SENT, NEXT):
        raise InvalidInput(
            "--variant", tr("{twice!r} is the request itself; give the variant another name", twice=twice)
        )
    if twice is not None:
        raise InvalidInput(
            "--variant", tr("two are called {twice!r}; give each a name of its own", twice=twice)
        )
    return variants


async def named_turn(store: HistoryStore, written: str) -> TurnRecord:
    """Returns the turn that CHAT[:TURN] names; without a number, the chat's last one."""
    name, colon, number = written.rpartition(":")
    if not colon:
        return await turn_on_branch(store, await find_chat(store, written), None)
    if not (number.isascii() and number.isdigit()):
        raise InvalidInput(
            "CHAT[:TURN]", tr("expected a turn's number after the colon, got {number!r}", number=number)
        )
    return await turn_on_branch(store, await find_chat(store, name), int(number))


def _side_by_side(one: TurnRecord, other: TurnRecord, services: Services) -> Comparison:
    names = [tr("turn {number}", number=turn.number) for turn in (one, other)]
    if one.chat != other.chat or one.number == other.number:
        names = [f"{turn.chat[:8]} {name}" for turn, name in zip((one, other), names, strict=True)]
    columns = [
        sent_column(turn, None, services.builder, name)
        for turn, name in zip((one, other), names, strict=True)
    ]
    return Comparison(one.chat, one.number, tuple(columns))


def _show(found: Comparison, differs: Difference | None, as_json: bool) -> None:
    if as_json:
        print_json(comparison_document(found, differs))
        return
    rows = list(_rows(found.columns))
    print_table(rows)
    if differs is not None:
        print_text()
        show_difference(differs, as_json=False)


def comparison_document(found: Comparison, differs: Difference | None = None) -> dict[str, Any]:
    """Returns the comparison as a JSON document."""
    document: dict[str, Any] = {
        "chat": found.chat,
        "turn": found.turn,
        "columns": [_column(one, found.columns[0]) for one in found.columns],
        "problems": [{"name": name, "message": words} for name, words in found.problems],
    }
    if differs is not None:
        document["difference"] = differs.document
    return document


def _column(one: ComparisonColumn, first: ComparisonColumn) -> dict[str, Any]:
    return {
        "name": one.name,
        "patch": dict(one.patch),
        "model": one.model,
        "layout": one.layout,
        "count": "exact" if one.exact else "estimated",
        "total_tokens": one.tokens,
        "window_tokens": one.limit_tokens,
        "fits": one.fits,
        "over_by_tokens": one.over_tokens,
        "layers": dict(one.layers),
        "dropped": list(one.dropped),
        "shortened": list(one.shortened),
        "left_out": list(one.left_out),
        "cached_tokens": one.cached_tokens,
        "price_usd": one.usd,
        "switch": {"cached_tokens": one.switch_cached_tokens, "price_usd": one.switch_usd},
        "more_tokens": one.tokens - first.tokens,
    }


def _rows(columns: Sequence[ComparisonColumn]) -> Iterator[tuple[str, ...]]:
    first = columns[0]
    yield ("", *(visible_line(one.name) for one in columns))
    yield (tr("model"), *(visible_line(one.model) for one in columns))
    if any(one.patch for one in columns):
        yield (
            tr("changes"),
            *(visible_line(", ".join(map("=".join, one.patch))) or tr("nothing") for one in columns),
        )
    yield (tr("tokens"), *(_with_difference(one, first, one.tokens, first.tokens) for one in columns))
    for layer, tokens in first.layers:
        cells = (_with_difference(one, first, one.tokens_of(layer), tokens) for one in columns)
        yield (f"  {LAYER_NAMES.get(layer, layer)}", *cells)
    for title, name in (
        (tr("dropped"), "dropped"),
        (tr("shortened"), "shortened"),
        (tr("left out"), "left_out"),
    ):
        lists = [getattr(one, name) for one in columns]
        if any(lists):
            yield (title, *(visible_line(", ".join(some)) or tr("nothing") for some in lists))
    yield (tr("fits"), *(_fits(one) for one in columns))
    yield (tr("cached"), *(_tokens(one.cached_tokens) for one in columns))
    yield (tr("price"), *(_price(one.usd) for one in columns))
    if any(one.patch and one.switch_cached_tokens is not None for one in columns):
        yield ("at the switch", *(_switch(one) for one in columns))


def _switch(one: ComparisonColumn) -> str:
    return tr(
        "{tokens} cached, {price}", tokens=_tokens(one.switch_cached_tokens), price=_price(one.switch_usd)
    )


def _with_difference(one: ComparisonColumn, first: ComparisonColumn, tokens: int, base: int) -> str:
    """Formats a token count with its difference from the first column, with ≈ where one of the two is an estimate."""
    told = f"{tokens:,}" if one.exact or not tokens else f"≈ {tokens:,}"
    if one is first or tokens == base:
        return told
    about = "" if one.exact and first.exact else "≈ "
    return f"{told} ({about}{tokens - base:+,})"


def _fits(one: ComparisonColumn) -> str:
    return (
        tr("yes, {free_tokens:,} free", free_tokens=one.free_tokens)
        if one.fits
        else tr("no, over by {over_tokens:,}", over_tokens=one.over_tokens)
    )


def _tokens(tokens: int | None) -> str:
    return tr("unknown") if tokens is None else f"{tokens:,}"


def _price(usd: float | None) -> str:
    return tr("unknown") if usd is None else tr("no cost") if usd == 0 else f"${usd:.6f}"


# `workbench compare --ask`: one question over variants, models and repeats, with its price before.


_COLUMNS = (
    "variant", "model", "repeat", "state", "passed", "prompt_tokens", "cached_tokens", "completion_tokens",
    "first_ms", "total_ms", "usd", "answer", "problem",
)  # fmt: skip


async def ask(arguments: argparse.Namespace, services: Services) -> int:
    """Asks models, or shows the stored answers; returns 1 where an answer failed or did not pass, 130 after Ctrl-C."""
    plan = _plan(arguments)
    _refuse_conflicts(arguments)
    asks = arguments.ask and not arguments.kept
    store = await (open_kept(services) if asks or arguments.take else services.history().open(writable=False))
    close, code, not_added = store.close, 0, ""
    try:
        turn = await named_turn(store, arguments.request) if arguments.question is None else None
        chat = await find_chat(store, arguments.request if turn is None else turn.chat)
        if not asks and not arguments.take:
            found = await _stored_experiment(turn, store)
        else:
            model = chat.settings.model if turn is None else turn.built.inputs.settings.model
            world = services.world(store, _options(arguments.key_env, plan, model, services))
            workbench = Workbench(world)
            close = workbench.close
            asked: TurnRecord | ExperimentView | None = turn
            if not asks:
                found = await _stored_experiment(turn, store)
            else:
                line = await (
                    _build_next(workbench, chat.id, arguments.question, world)
                    if turn is None
                    else read_branch(store, chat.id, turn)
                )
                trial = ExperimentRun(line, plan, world, await read_beside(line, world))
                if not _confirm_cost(trial, plan, arguments):
                    tell(tr("No model was asked, and nothing was changed."))
                    return 1
                found, code = await _ask_models(trial, world)
                asked = asked or ExperimentView(chat.id, "", "", plan, found=found, unsent=trial.asked)
                if turn is not None:
                    await keep_experiment(found, turn, store)
            if arguments.take:
                not_added = await _add_answer(asked, _find_answer(found, arguments.take, plan), world)
    finally:
        await close()
    if not_added and not asks:
        raise NotKept(not_added)
    _print(found, "json" if arguments.json else arguments.format)
    if not_added:  # the answers are shown all the same
        tell(tr("workbench: {not_added}", not_added=not_added))
    return code or int(bool(not_added)) or (_exit_code(found) if asks or not arguments.take else 0)


def _options(key_env: str | None, plan: Plan, own: str, services: Services) -> WorldOptions:
    """Returns the world's options; `--key-env` holds the key of the first model of the plan that does not run here."""
    if key_env is None:
        return WorldOptions(model=own)
    variants = [str(one.settings.get("model", own)) for one in plan.variants]
    asked = [*(plan.models or (own, *variants)), plan.judge or own]
    find = services.builder.catalogue.find
    hosted = next((name for name in asked if not runs_here(find(name))), own)
    return WorldOptions(model=hosted, key_env=key_env)


async def _ask_models(trial: ExperimentRun, world: World) -> tuple[Experiment, int]:
    """Asks the models; returns their answers, and the exit code of a stop or 0."""
    stopper = Stopper(world.tasks)
    found = await run_stoppable(trial.run(stopper, show_progress), stopper)
    return found, STOPPED if stopper.stopped() else 0


def _exit_code(found: Experiment) -> int:
    """Returns the exit code 1 where an answer is missing, failed or did not pass its checks."""
    failed = any(
        cell.state == "failed" or (cell.state == "complete" and not cell.passed) for cell in found.cells
    )
    return 1 if failed or found.asked < len(found.cells) else 0


def _refuse_conflicts(arguments: argparse.Namespace) -> None:
    """Raises `InvalidInput` for options that do not go together."""
    if arguments.other is not None:
        raise InvalidInput("--ask", tr("is for one request; leave out the second CHAT[:TURN]"))
    if not arguments.ask or arguments.kept:
        refuse_unasked(arguments)
    if arguments.check is not None:
        raise InvalidInput("--check", tr("compares requests, not answers; --expect checks those"))
    if arguments.question is None:
        return
    if not arguments.ask or arguments.kept:
        raise InvalidInput("--question", tr("goes with --ask: it was not asked before"))
    if not arguments.question.strip():
        raise InvalidInput("--question", tr("it is empty"))


async def _build_next(workbench: Workbench, chat: str, words: str, world: World) -> Line:
    """Builds the request that would send this question after the chat's last turn."""
    built: list[TurnInputs] = []

    def hear(event: Event, _state: WorkbenchState) -> None:
        if isinstance(event, EnvelopeBuilt):
            built.append(event.prepared.built.inputs)

    forget = workbench.subscribe(hear)
    await workbench.dispatch(OpenChat(chat))
    await workbench.dispatch(SendMessage(chat, words, dry=True))
    outcome = await workbench.until_ended(chat)
    forget()
    if outcome is None or outcome.failure is not None or not built:
        why = None if outcome is None else outcome.failure
        raise WorkbenchError(tr("The request could not be built.") if why is None else why.message)
    return await read_next(world.store, built[-1], world.utc.utc_now())


def _find_answer(found: Experiment, wanted: str, plan: Plan) -> tuple[Variant, Cell]:
    """Returns the answer that `--take` names, with its variant; `InvalidInput` lists those there are."""
    name, model, repeat = (*(part.strip() for part in wanted.split(",")), "", "")[:3]
    fits = [
        cell
        for cell in found.cells
        if cell.variant == name and model in ("", cell.model) and repeat in ("", str(cell.repeat))
    ]
    known = (Variant(AS_SENT), Variant(NEXT), *found.variants, *plan.variants)
    variant = next((one for one in known if one.name == name), None)
    if not fits:
        there = ", ".join(
            dict.fromkeys(
                tr("“{variant},{model}”", variant=cell.variant, model=cell.model) for cell in found.cells
            )
        )
        raise InvalidInput("--take", tr("there is no such answer; there are {there}", there=there))
    if variant is None:
        raise InvalidInput(
            "--take", tr("give --variant {name}=… too, so that its settings are taken along", name=name)
        )
    return variant, next((cell for cell in fits if cell.state == "complete"), fits[0])


async def _add_answer(
    asked: TurnRecord | ExperimentView | None, chosen: tuple[Variant, Cell], world: World
) -> str:
    """Adds the chosen answer to the chat: as another answer of its turn, or as a new turn; returns why not, or ""."""
    which = tr("{variant} with {model}", variant=chosen[1].variant, model=chosen[1].model)
    try:
        if isinstance(asked, TurnRecord):
            await take_answer(asked, *chosen, world)
            tell(tr("The answer of {which} is now a branch of the chat, with its settings.", which=which))
        elif asked is not None:
            await send_with_answer(asked, *chosen, world)
            tell(
                tr(
                    "The question is now a turn of the chat, with the answer of {which} and its settings.",
                    which=which,
                )
            )
    except NotKept as problem:
        return str(problem)
    return ""


def _check(text: str) -> Check:
    """Parses a check of `--expect`; a JSON schema is read from its file."""
    kind, _, name = text.partition(":")
    if kind != "schema" or not name:
        return parse_check(text)
    try:
        return Check("schema", read_named(name).decode("utf-8-sig"), Path(name).name)
    except UnicodeDecodeError:
        raise InvalidInput(name, tr("not valid UTF-8; save the file as UTF-8")) from None


def _plan(arguments: argparse.Namespace) -> Plan:
    models = tuple(one.strip() for one in (arguments.models or "").split(",") if one.strip())
    if arguments.models is not None and not models:
        raise InvalidInput("--models", tr("names no model"))
    return Plan(
        read_variants(arguments), models, arguments.repeats,
        arguments.cap_usd, tuple(map(_check, arguments.expect)), judge=arguments.judge,
    )  # fmt: skip


async def _stored_experiment(turn: TurnRecord | None, store: HistoryStore) -> Experiment:
    found = None if turn is None else await last_experiment(turn, store)
    if found is None:
        number = "" if turn is None else f" {turn.number}"
        raise NotKept(tr("Nothing was asked for turn{number} yet; run this with --ask.", number=number))
    return found


def _confirm_cost(trial: ExperimentRun, plan: Plan, arguments: argparse.Namespace) -> bool:
    """Refuses what could not be asked or taken, prints the price, and asks for consent unless it is free or capped."""
    trial.open_models()
    if arguments.take:
        _find_answer(trial.empty, arguments.take, plan)
    for problem in trial.problems:
        tell(visible_line(problem))
    expected, most = (_usd(one) for one in (trial.expected_usd, trial.most_usd))
    cost = (
        most
        if most == expected
        else tr("about {expected} with what is cached, at most {most}", expected=expected, most=most)
    )
    judged = (
        tr(" and {counted} to judge the answers", counted=counted(trial.judgements, "request"))
        if trial.judgements
        else ""
    )
    tell(
        tr(
            "{counted}{judged}, {tokens:,} tokens in, {cost}.",
            counted=counted(trial.requests, "request"),
            judged=judged,
            tokens=trial.tokens,
            cost=cost,
        )
    )
    if trial.most_usd == 0.0 or plan.cap_usd is not None:
        return True
    return confirm_spending(yes=arguments.yes, priced=trial.most_usd is not None)


def _usd(cost: float | None) -> str:
    return tr("price unknown") if cost is None else "no cost" if cost == 0 else f"${cost:.4f}"


def _print(found: Experiment, form: str) -> None:
    if form == "json":
        print_json(experiment_document(found))
    elif form == "csv":
        print_text(csv_text(found.cells).rstrip("\n"))
    elif form == "markdown":
        for line in _markdown(found):
            print_text(line)
    else:
        for line in _lines(found):
            print_text(line)
    for note in found.notes:
        tell(note)


def experiment_document(found: Experiment) -> dict[str, Any]:
    """Returns the experiment as a JSON document."""
    cells = [
        {
            **asdict(cell),
            "facts": list(cell.facts),
            "absent": None if cell.absent is None else list(cell.absent),
            "checks": [{"check": words, "passed": holds} for words, holds in cell.checks],
        }
        for cell in found.cells
    ]
    pairs = dict.fromkeys((cell.variant, cell.model) for cell in found.cells)
    spread = [
        {"variant": variant, "model": model, "shared_words": shared_words(found.of(variant, model))}
        for variant, model in pairs
    ]
    variants = [{"name": one.name, "patch": dict(one.patch)} for one in found.variants]
    told = {
        "cells": cells, "spread": spread, "asked": found.asked, "notes": list(found.notes), "variants": variants,
    }  # fmt: skip
    return {**asdict(found), **told}


def csv_text(cells: Sequence[Cell]) -> str:
    """Returns the answers as a table for spreadsheets, which take none of them for a formula."""
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(_COLUMNS)
    for cell in cells:
        rows.writerow([_plain(getattr(cell, name)) for name in _COLUMNS])
    return written.getvalue()


def _plain(value: object) -> object:
    """Rounds a float for CSV; None becomes an empty cell; an apostrophe marks what a spreadsheet would calculate."""
    if isinstance(value, str):
        return ("'" if value.startswith(("=", "+", "-", "@", "\t", "\r")) else "") + visible(value)
    return "" if value is None else round(value, 8) if isinstance(value, float) else value


def _markdown(found: Experiment) -> Iterator[str]:
    yield tr("# Turn {turn}: {asked} of {n} answers", turn=found.turn, asked=found.asked, n=len(found.cells))
    for cell in found.cells:
        yield f"\n## {visible_line(_title(cell))}\n"
        yield visible(cell.answer or cell.problem or tr("not asked"))
        yield from (f"\n{line}" for line in _lines_below(cell))
        yield from (f"- {'✓' if holds else '✗'} {visible_line(words)}" for words, holds in cell.checks)


def _lines(found: Experiment) -> Iterator[str]:
    for cell in found.cells:
        yield visible_line(_title(cell))
        yield f"  {visible(cell.answer or cell.problem or 'not asked').strip()}".replace("\n", "\n  ")
        yield from (f"  {line}" for line in _lines_below(cell))
        yield from (
            f"  {'passed' if holds else 'FAILED'}: {visible_line(words)}" for words, holds in cell.checks
        )
    yield from _spread(found)
    spent = tr("spent {usd}", usd=_usd(found.spent_usd)) if found.spent_usd else _usd(found.spent_usd)
    yield tr("{asked} of {n} asked, {spent}", asked=found.asked, n=len(found.cells), spent=spent)


def _lines_below(cell: Cell) -> Iterator[str]:
    """Yields the lines under an answer: its figures and problem, or that it failed."""
    if cell.state == "complete":
        yield _figures(cell)
        if cell.absent:
            yield tr("not in the request: {absent}", absent=visible_line(", ".join(cell.absent)))
        if cell.problem:
            yield visible_line(cell.problem)
    elif cell.state == "failed":
        yield "failed"


def _spread(found: Experiment) -> Iterator[str]:
    """Yields for each variant and model how many words its repeated answers share."""
    for variant, model in dict.fromkeys((cell.variant, cell.model) for cell in found.cells):
        share = shared_words(found.of(variant, model))
        if share is not None:
            yield tr(
                "{variant} · {model}: answers share {share:.0%} of their words",
                variant=visible_line(variant),
                model=visible_line(model),
                share=share,
            )


def _title(cell: Cell) -> str:
    return tr("{variant} · {model} · {repeat}", variant=cell.variant, model=cell.model, repeat=cell.repeat)


def _figures(cell: Cell) -> str:
    told = [
        tr("{prompt_tokens:,} in", prompt_tokens=cell.prompt_tokens)
        if cell.prompt_tokens is not None
        else tr("tokens not reported")
    ]
    if cell.cached_tokens is not None:
        told.append(tr("{cached_tokens:,} cached", cached_tokens=cell.cached_tokens))
    if cell.completion_tokens is not None:
        told.append(tr("{completion_tokens:,} out", completion_tokens=cell.completion_tokens))
    told.append(f"{(cell.total_ms or 0.0) / 1000:.1f} s")
    return ", ".join([*told, _usd(cell.usd)])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `workbench compare`."""
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
    asking = parser.add_argument_group(tr("asking models (only with --ask)"))
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
        help="check every answer: contains:WORDS, lacks:WORDS, matches:PATTERN, json, schema:FILE (a JSON schema), "
        "grounded (each fact stands in the request; grounded:2: all but two) or judged:CRITERION (by a model); "
        "exit code 1 if one fails",
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
    """Compares stored requests, or asks models about them; without `--ask` nothing is sent."""
    # Late: `--help` answers without them.
    import asyncio

    check_options(arguments)
    services.check_catalogue()
    if arguments.ask or arguments.kept or arguments.take or arguments.question is not None:
        if arguments.ask:
            services.check_sending()
        return asyncio.run(ask(arguments, services))

    return asyncio.run(compare(arguments, services))
