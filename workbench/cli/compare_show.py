"""What `workbench compare` shows: columns of figures, and how two requests differ."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

from workbench.cli.expected import LAYER_NAMES, check, column_case
from workbench.cli.inspect_show import show_difference
from workbench.cli.open_history import find_chat, opened, turn_on_branch
from workbench.cli.services import Services
from workbench.cli.terminal import print_json, print_table, print_text, tell, visible_line
from workbench.domain.errors import InvalidInput
from workbench.domain.record import TurnRecord
from workbench.domain.shown.comparison import Column, Comparison
from workbench.domain.variant import AS_SENT, NEXT, Variant, parse_variant
from workbench.engine.comparing import compare_variants, read_branch, refuse_many, sent_column
from workbench.engine.shown.inspection import Difference, difference
from workbench.ports.history import HistoryStore


async def compare(arguments: argparse.Namespace, services: Services) -> int:
    """Show what was asked for; the exit code."""
    refuse_unasked(arguments)
    if arguments.format in ("markdown", "csv"):
        raise InvalidInput("--format", f"{arguments.format} goes with --ask or --kept; use --json here")
    variants = read_variants(arguments)
    if arguments.other is None and not variants:
        raise InvalidInput("--variant", "name at least one, or a second CHAT[:TURN]")
    if arguments.other is not None and variants:
        raise InvalidInput("--variant", "is for one request; leave out the second CHAT[:TURN]")
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
        tell(f"workbench compare: {visible_line(name)} left out: {visible_line(problem)}")
    return code if arguments.check is None else check(cases, arguments, f"compare {turn.chat}") or code


def refuse_unasked(arguments: argparse.Namespace) -> None:
    """`InvalidInput` for an option that means something only where models are asked."""
    given = {
        "--models": arguments.models, "--repeats": arguments.repeats != 1, "--cap-usd": arguments.cap_usd is not None,
        "--expect": arguments.expect, "--judge": arguments.judge,
    }  # fmt: skip
    lost = next((name for name, value in given.items() if value), None)
    if lost is not None:
        raise InvalidInput(lost, "goes with --ask; without it no model is asked")


def read_variants(arguments: argparse.Namespace) -> tuple[Variant, ...]:
    """The variants that were named, each by a name of its own."""
    variants = tuple(parse_variant(text) for text in arguments.variants)
    refuse_many(variants)
    names = [AS_SENT, NEXT, *(one.name for one in variants)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice in (AS_SENT, NEXT):
        raise InvalidInput("--variant", f"{twice!r} is the request itself; give the variant another name")
    if twice is not None:
        raise InvalidInput("--variant", f"two are called {twice!r}; give each a name of its own")
    return variants


async def named_turn(store: HistoryStore, written: str) -> TurnRecord:
    """The turn that CHAT[:TURN] means."""
    name, colon, number = written.rpartition(":")
    if not colon:
        return await turn_on_branch(store, await find_chat(store, written), None)
    if not (number.isascii() and number.isdigit()):
        raise InvalidInput("CHAT[:TURN]", f"expected a turn's number after the colon, got {number!r}")
    return await turn_on_branch(store, await find_chat(store, name), int(number))


def _side_by_side(one: TurnRecord, other: TurnRecord, services: Services) -> Comparison:
    names = [f"turn {turn.number}" for turn in (one, other)]
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
    """The comparison for machines."""
    document: dict[str, Any] = {
        "chat": found.chat,
        "turn": found.turn,
        "columns": [_column(one, found.columns[0]) for one in found.columns],
        "problems": [{"name": name, "message": words} for name, words in found.problems],
    }
    if differs is not None:
        document["difference"] = differs.document
    return document


def _column(one: Column, first: Column) -> dict[str, Any]:
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


def _rows(columns: Sequence[Column]) -> Iterator[tuple[str, ...]]:
    first = columns[0]
    yield ("", *(visible_line(one.name) for one in columns))
    yield ("model", *(visible_line(one.model) for one in columns))
    if any(one.patch for one in columns):
        yield (
            "changes",
            *(visible_line(", ".join(map("=".join, one.patch))) or "nothing" for one in columns),
        )
    yield ("tokens", *(_against(one, first, one.tokens, first.tokens) for one in columns))
    for layer, tokens in first.layers:
        cells = (_against(one, first, one.tokens_of(layer), tokens) for one in columns)
        yield (f"  {LAYER_NAMES.get(layer, layer)}", *cells)
    for title, name in (("dropped", "dropped"), ("shortened", "shortened"), ("left out", "left_out")):
        lists = [getattr(one, name) for one in columns]
        if any(lists):
            yield (title, *(visible_line(", ".join(some)) or "nothing" for some in lists))
    yield ("fits", *(_fits(one) for one in columns))
    yield ("cached", *(_tokens(one.cached_tokens) for one in columns))
    yield ("price", *(_price(one.usd) for one in columns))
    if any(one.patch and one.switch_cached_tokens is not None for one in columns):
        yield ("at the switch", *(_switch(one) for one in columns))


def _switch(one: Column) -> str:
    return f"{_tokens(one.switch_cached_tokens)} cached, {_price(one.switch_usd)}"


def _against(one: Column, first: Column, tokens: int, base: int) -> str:
    """Tokens beside those of the first column; where one of both is an estimate, so is how they differ."""
    told = f"{tokens:,}" if one.exact or not tokens else f"≈ {tokens:,}"
    if one is first or tokens == base:
        return told
    about = "" if one.exact and first.exact else "≈ "
    return f"{told} ({about}{tokens - base:+,})"


def _fits(one: Column) -> str:
    return f"yes, {one.free_tokens:,} free" if one.fits else f"no, over by {one.over_tokens:,}"


def _tokens(tokens: int | None) -> str:
    return "unknown" if tokens is None else f"{tokens:,}"


def _price(usd: float | None) -> str:
    return "unknown" if usd is None else "no cost" if usd == 0 else f"${usd:.6f}"
