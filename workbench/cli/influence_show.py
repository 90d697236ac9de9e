"""What `workbench influence` does and prints: a table for people, one document for programs."""

from __future__ import annotations

import argparse
from typing import Any

from workbench.cli.open_history import find_chat, open_kept, turn_on_branch
from workbench.cli.services import Services, WorldOptions
from workbench.cli.terminal import print_json, print_table, print_text, tell, tell_progress, visible_line
from workbench.domain.influence import Influence, InfluenceWish, PieceInfluence
from workbench.engine.influence.running import measure_influence
from workbench.engine.influence.target import find_target, keep
from workbench.engine.tasks import Stopper


async def measure(arguments: argparse.Namespace, services: Services) -> int:
    """Measure it; the exit code."""
    from workbench.engine.workbench import Workbench

    store = await open_kept(services)
    world = services.world(store, WorldOptions())
    workbench = Workbench(world)
    try:
        chat = await find_chat(store, arguments.chat)
        target = await find_target(await turn_on_branch(store, chat, arguments.turn), store)
        wish = InfluenceWish(
            masks=arguments.masks, sentences=arguments.sentences, most_pieces=arguments.pieces,
            asking=arguments.asking, repeats=arguments.repeats, cap_usd=arguments.cap_usd,
        )  # fmt: skip
        found = await measure_influence(target, wish, world, Stopper(world.tasks), _moved)
        await keep(found, target, world)
    finally:
        await workbench.close()
    if arguments.json:
        print_json(document(found))
    else:
        _print(found)
    return 0


def _moved(done: int, planned: int, left_s: float | None) -> None:
    left = "" if left_s is None or done == planned else f", about {max(1, round(left_s))} s left"
    tell_progress(f"request {done} of {planned}{left}")
    if done == planned:
        tell_progress("")


def document(found: Influence) -> dict[str, Any]:
    """The result as JSON."""
    rank = found.reliability
    return {
        "model": found.model,
        "turn": found.turn,
        "answer_tokens": found.answer_tokens,
        "full_logprob": found.full_logprob,
        "drift": found.drift,
        "method": found.method,
        "requests": found.requests,
        "planned": found.planned,
        "prompt_tokens": found.prompt_tokens,
        "cached_tokens": found.cached_tokens,
        "seconds": round(found.seconds, 3),
        "cost_usd": found.cost_usd,
        "carried": found.carried,
        "segments": [_segment(piece) for piece in found.pieces],
        "reliability": {"spearman": rank.spearman, "held_out": rank.held_out, "trust": rank.trust},
        "could_go": None if found.could_go is None else _fields(found.could_go),
        "finer": None if found.finer is None else _fields(found.finer),
        "notes": list(found.notes),
    }


def _segment(piece: PieceInfluence) -> dict[str, Any]:
    return {
        "id": piece.id,
        "name": piece.name,
        "layer": piece.layer,
        "kind": piece.kind,
        "members": list(piece.members),
        "tokens": piece.tokens,
        "nats": piece.nats,
        "per_answer_token": piece.per_answer_token,
        "lost": piece.lost,
        "carried": [_fields(one) for one in piece.carried],
        "sentences": [_fields(one) for one in piece.sentences],
        "more_sentences": piece.more_sentences,
        "more_nats": piece.more_nats,
        "grouped": piece.grouped,
    }


def _fields(value: Any) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(value)


def _print(found: Influence) -> None:
    for note in found.notes:
        tell(note)
    print_text(_headline(found))
    if not found.carried:
        print_text("Nothing here carried the answer.")
    rows = [(visible_line(one.name), f"{one.tokens:,}", _figure(one)) for one in found.pieces]
    print_table([("segment", "tokens", "influence"), *rows])
    if found.could_go is not None:
        print_text(
            f"could go: {found.could_go.tokens:,} tokens, influence {found.could_go.per_answer_token:.2f}"
        )


def _headline(found: Influence) -> str:
    share = "not reported" if found.cached_share is None else f"{found.cached_share:.0%}"
    return f"{found.method}, {found.requests} of {found.planned} requests, {share} read from cache, drift {found.drift}"


def _figure(piece: PieceInfluence) -> str:
    if piece.per_answer_token is not None:
        return f"{piece.per_answer_token:.2f}"
    return "–" if piece.lost is None else f"{piece.lost:.0%}"
