"""`workbench influence`: how much less likely an answer becomes without each piece of its request."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from workbench.cli.open_history import find_chat, open_kept, turn_on_branch
from workbench.cli.services import Services, WorldOptions
from workbench.cli.terminal import (
    STOPPED,
    confirm_spending,
    print_json,
    print_table,
    print_text,
    run_stoppable,
    show_progress,
    tell,
    visible_line,
)
from workbench.domain.errors import InvalidInput, NotKept
from workbench.domain.influence import (
    CHANGED,
    FROM_CACHE,
    NOISE,
    NOTHING_CARRIED,
    NOTHING_SO_FAR,
    REQUESTS_DONE,
    THEN_SENTENCES,
    Influence,
    InfluenceWish,
    PieceInfluence,
)
from workbench.domain.translation import counted, tr
from workbench.engine.influence.asking import InfluenceByAsking
from workbench.engine.influence.measuring import Measuring
from workbench.engine.influence.running import measuring_for
from workbench.engine.influence.target import (
    Target,
    changed_texts,
    find_target,
    is_stale,
    keep,
    kept_influence,
)
from workbench.engine.tasks import Stopper
from workbench.engine.workbench import Workbench

# What `workbench influence` does and prints: a table for people, one document for programs.


_TRUST = {
    "reliable": tr("reliable (ρ {rank:.2f} on {held} unseen masks)"),
    "not_reliable": tr("not reliable here (ρ {rank:.2f} on {held} unseen masks)"),
    "too_few": tr("reliability unknown: too few unseen masks"),
}
_MOST_WORDS = 3


async def measure(arguments: argparse.Namespace, services: Services) -> int:
    """Measures influence, or shows the stored result; returns the exit code."""
    wish = _wish(arguments)
    kept, code = arguments.kept, 0
    store = await (services.history().open(writable=False) if kept else open_kept(services))
    close = store.close
    try:
        chat = await find_chat(store, arguments.chat)
        target = await find_target(await turn_on_branch(store, chat, arguments.turn), store)
        if kept:
            found = _stored_influence(target)
        else:
            model = target.turn.built.inputs.settings.model
            world = services.world(store, WorldOptions(model=model, key_env=arguments.key_env))
            close = Workbench(world).close
            way = await measuring_for(target, wish, world)
            if not _confirm_cost(way, wish, yes=arguments.yes):
                tell(tr("No model was asked, and nothing was changed."))
                return 1
            stopper = Stopper(world.tasks)
            found = await run_stoppable(way.run(stopper, show_progress), stopper)
            await keep(found, target, world)
            code = STOPPED if stopper.stopped() else 0 if found.complete else 1
        changed = await changed_texts(target, store)
    finally:
        await close()
    stale = is_stale(found, target.turn.built)
    if arguments.json:
        print_json({**document(found), "stale": stale, "changed": list(changed)})
    else:
        if stale:
            tell(tr("The request has changed since this was measured."))
        if changed:
            names = ", ".join(visible_line(key) for key in changed)
            tell(CHANGED.format(names=names))
        _print(found, target.answer)
    return code


def _stored_influence(target: Target) -> Influence:
    found = kept_influence(target.record)
    if found is None:
        raise NotKept(
            tr(
                "No influence was measured for turn {number} yet; run this without --kept.",
                number=target.turn.number,
            )
        )
    return found


def _wish(arguments: argparse.Namespace) -> InfluenceWish:
    for name, least in (("masks", 0), ("pieces", 1), ("repeats", 1)):
        if getattr(arguments, name) < least:
            raise InvalidInput(
                f"--{name}",
                tr("expected {least} or more, got {getattr}", least=least, getattr=getattr(arguments, name)),
            )
    return InfluenceWish(
        masks=arguments.masks,
        sentences=arguments.sentences,
        most_pieces=arguments.pieces,
        asking=arguments.asking,
        repeats=arguments.repeats,
        cap_usd=arguments.cap_usd,
    )


def _confirm_cost(way: Measuring | InfluenceByAsking, wish: InfluenceWish, *, yes: bool) -> bool:
    """Prints the highest price and asks for consent; a cap counts as consent, and a free model needs none."""
    price = way.price
    if price.cost_usd == 0.0 or (price.cost_usd is None and isinstance(way, Measuring)):
        return True
    what = tr("Asking again") if isinstance(way, InfluenceByAsking) else "Scoring"
    cost = (
        tr("price unknown")
        if price.cost_usd is None
        else tr("at most ${cost_usd:.4f}", cost_usd=price.cost_usd)
    )
    requests = counted(price.requests, "request")
    requests = THEN_SENTENCES.format(requests=requests) if price.open_end else requests
    tell(
        tr(
            "{what}: {requests}, {prompt_tokens:,} tokens in, up to {answer_tokens:,} out, {cost}.",
            what=what,
            requests=requests,
            prompt_tokens=price.prompt_tokens,
            answer_tokens=price.answer_tokens,
            cost=cost,
        )
    )
    return wish.cap_usd is not None or confirm_spending(yes=yes, priced=price.cost_usd is not None)


def document(found: Influence) -> dict[str, Any]:
    """Returns the result as a JSON document."""
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
        "could_go": None if found.could_go is None else asdict(found.could_go),
        "finer": None if found.finer is None else asdict(found.finer),
        "notes": list(found.notes),
    }


def _segment(piece: PieceInfluence) -> dict[str, Any]:
    told = asdict(piece)
    del told["first_turn"], told["last_turn"]
    return {**told, "members": list(piece.members)}


def _print(found: Influence, answer: str) -> None:
    for note in found.notes:
        tell(note)
    print_text(f"{visible_line(found.model)}  turn {found.turn}  {found.method.replace('_', ' ')}")
    print_text(tr("{cost_words}; {trust}", cost_words=_cost_words(found), trust=_trust(found)))
    if not found.pieces:
        return
    if not found.carried and found.complete:
        print_text(tr("{nothing_carried} The order below is noise.", nothing_carried=NOTHING_CARRIED))
    elif not found.carried:
        print_text(NOTHING_SO_FAR)
    print_text()
    rows = [row for piece in found.pieces for row in _rows(piece, answer)]
    print_table([("", "segment", "tokens", "influence", tr("words it carried")), *rows], frozenset({2, 3}))
    if found.could_go is not None:
        one = found.could_go
        name = next(piece.name for piece in found.pieces if piece.id == one.id)
        print_text()
        print_text(
            tr(
                "could go: {name}, {tokens:,} tokens, influence {per_answer_token:.2f}",
                name=visible_line(name),
                tokens=one.tokens,
                per_answer_token=one.per_answer_token,
            )
        )
    if found.finer is not None:
        more = found.finer
        print_text(
            tr(
                "{counted} in {n} groups; each alone takes {counted_2}, "
                "{prompt_tokens:,} tokens (--pieces {pieces})",
                counted=counted(more.pieces, "piece"),
                n=len(found.pieces),
                counted_2=counted(more.requests, "request"),
                prompt_tokens=more.prompt_tokens,
                pieces=more.pieces,
            )
        )


def _cost_words(found: Influence) -> str:
    share = (
        tr("cache not reported")
        if found.cached_share is None
        else FROM_CACHE.format(share=f"{found.cached_share:.0%}")
    )
    told = [REQUESTS_DONE.format(n=found.requests, all=found.planned), share]
    drift = found.drift_per_token
    if drift is not None:
        noise = f"{drift:.0%}" if found.method == "asking" else f"{drift:.3f}"
        told.append(NOISE.format(n=noise))
    if found.cost_usd:
        told.append(f"${found.cost_usd:.4f}")
    return ", ".join(told)


def _trust(found: Influence) -> str:
    if found.method == "asking":
        return tr("rough: compared by words")
    rank = found.reliability
    if rank.complete and rank.trust == "too_few":
        return tr("every combination of pieces was scored")
    return _TRUST[rank.trust].format(rank=rank.spearman or 0.0, held=rank.held_out)


def _rows(piece: PieceInfluence, answer: str) -> list[tuple[str, ...]]:
    words = " · ".join(visible_line(answer[one.start : one.end]) for one in piece.carried[:_MOST_WORDS])
    rows: list[tuple[str, ...]] = [
        (piece.layer[:2], visible_line(piece.name), f"{piece.tokens:,}", _figure(piece), words)
    ]
    tokens = (piece.nats or 0.0) / piece.per_answer_token if piece.per_answer_token else 0.0
    for one in piece.sentences:
        share = f"{one.nats / tokens:.2f}" if tokens else ""
        rows.append(
            (
                "",
                tr("  line {line}", line=one.line),
                f"{one.tokens:,}",
                share,
                f"“{visible_line(one.text)[:80]}”",
            )
        )
    if piece.sentences:
        more = counted(piece.more_sentences, "more sentence") if piece.more_sentences else tr("the rest")
        share = f"{piece.more_nats / tokens:.2f}" if tokens else ""
        rows.append(
            (
                "",
                tr("  {more}", more=more),
                f"{piece.more_tokens:,}",
                share,
                tr("with what only counts together"),
            )
        )
    return rows


def _figure(piece: PieceInfluence) -> str:
    if piece.per_answer_token is not None:
        return f"{piece.per_answer_token:.2f}"
    return "–" if piece.lost is None else f"{piece.lost:.0%}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("chat", metavar="CHAT", help="a chat's id or its start")
    parser.add_argument("--turn", type=int, metavar="N", help="the N-th turn; default: the last")
    parser.add_argument(
        "--masks",
        type=int,
        default=0,
        metavar="N",
        help="fit N random masks; default: leave pieces out one by one",
    )
    parser.add_argument("--sentences", action="store_true", help="look inside the pieces that carried most")
    parser.add_argument(
        "--pieces", type=int, default=32, metavar="N", help="group neighbours beyond N pieces; default: 32"
    )
    parser.add_argument(
        "--asking", action="store_true", help="ask again and compare words, even where the server can score"
    )
    parser.add_argument("--repeats", type=int, default=1, metavar="K", help="ask K times each; default: 1")
    parser.add_argument(
        "--cap-usd", type=float, metavar="X", help="never spend more than X dollars on asking"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask before requests that may cost")
    parser.add_argument("--key-env", metavar="NAME", help="environment variable that holds the model's key")
    parser.add_argument(
        "--kept", action="store_true", help="show what was measured before; no model is asked"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Measures, prints and stores the influence of every piece of a stored request."""
    # Late: `--help` answers without them.
    import asyncio

    services.check_catalogue()
    if not arguments.kept:
        services.check_sending()
    return asyncio.run(measure(arguments, services))
