"""`workbench models`: lists the models that can be used now, or fetches the built-in one."""

from __future__ import annotations

import argparse
from dataclasses import asdict, fields
from typing import Any

from workbench.cli.services import Services
from workbench.cli.terminal import print_json, print_table, tell, visible_line
from workbench.domain.caching import CacheRules
from workbench.domain.model import ModelCard, ModelLearnt, ModelListing
from workbench.domain.translation import tr

_BY_MODEL = tr("by model")
_NOT_SHOWN = ("name", "control_tokens")
_CACHE_SHOWN = ("id", "match", "minimum_tokens", "lifetime_s", "as_of", "source")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "action", nargs="?", choices=("list", "install"), default="list", metavar="ACTION",
        help="list (what can be used now; looks for providers' keys where WORKBENCH_PASSPHRASE, --key-file or the "
        "keyring opens the history, and asks Ollama and your servers) | install (fetch the built-in model)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Lists models, or fetches the built-in one."""
    # Late: `--help` answers without it.
    import asyncio

    return asyncio.run(
        _install(arguments, services) if arguments.action == "install" else _list(arguments, services)
    )


async def _list(arguments: argparse.Namespace, services: Services) -> int:
    services.check_catalogue()
    models = services.models()
    try:
        found = await models.available()
    finally:
        await models.close()
    learnt = await services.learnt()
    known = [
        (listing, _rules(listing.card, services), learnt.get(listing.name, ModelLearnt()))
        for listing in found
    ]
    if arguments.json:
        print_json(
            [
                {**_document(listing), "cache": _cache_document(rules), **learnt_document(one)}
                for listing, rules, one in known
            ]
        )
        return 0
    rows = [(tr("model"), tr("window"), tr("tokenizer"), tr("cache"), tr("forecasts"), tr("use"))]
    print_table([*rows, *(_row(*one) for one in known)], right=frozenset({1}))
    return 0


async def _install(arguments: argparse.Namespace, services: Services) -> int:
    path = await services.install_model(tell)
    if arguments.json:
        print_json({"installed": path})
    else:
        tell(tr("The built-in model is ready: {path}", path=visible_line(path)))
    return 0


def _rules(card: ModelCard | None, services: Services) -> CacheRules | None:
    return None if card is None else services.builder.cache_rules(card)


def _cache_document(rules: CacheRules | None) -> dict[str, Any] | None:
    """Returns what is known of a model's cache, with the date of that knowledge; None where nothing is."""
    return None if rules is None else {name: getattr(rules, name) for name in _CACHE_SHOWN}


def _row(listing: ModelListing, rules: CacheRules | None, learnt: ModelLearnt) -> tuple[str, ...]:
    use = tr("ready") if listing.usable else visible_line(listing.advice)
    if listing.via:
        use = tr("{use} (through the proxy {via})", use=use, via=visible_line(listing.via))
    cache = _BY_MODEL if listing.card is None else tr("unknown")
    if rules is not None:
        cache = tr("{id}, as of {as_of}", id=rules.id, as_of=rules.as_of)
    forecasts = accuracy_words(learnt) or tr("none yet")
    return visible_line(listing.name), *_known(listing.card), cache, forecasts, use


def accuracy_words(learnt: ModelLearnt) -> str:
    """Says how often forecasts of a model came true; empty where none was judged."""
    return (
        tr("{within} of {judged} within 1 %", within=learnt.within, judged=learnt.judged)
        if learnt.judged
        else ""
    )


def learnt_document(learnt: ModelLearnt) -> dict[str, Any]:
    """Returns as a JSON document what turns have taught about a model."""
    counts = None if learnt.calibration is None else asdict(learnt.calibration)
    return {
        "forecasts": {"judged": learnt.judged, "within_1_percent": learnt.within},
        "calibration": counts,
    }


def _known(card: ModelCard | None) -> tuple[str, str]:
    if card is None:
        return _BY_MODEL, _BY_MODEL
    return tr(
        "{context_window_tokens:,}{window_source}",
        context_window_tokens=card.context_window_tokens,
        window_source=window_source(card),
    ), visible_line(card.tokenizer)


def window_source(card: ModelCard) -> str:
    """Says where the size of the window comes from, unless it is the model's own."""
    if card.window_assumed:
        return tr(" assumed")
    match card.window_from:
        case "modelfile":
            return tr(" from its Modelfile")
        case "default" if card.largest_window_tokens is not None:
            return tr(
                " by default; the model supports {largest_window_tokens:,}",
                largest_window_tokens=card.largest_window_tokens,
            )
        case "default":
            return tr(" by default")
        case _:
            return ""


def _document(listing: ModelListing) -> dict[str, Any]:
    said = {"name": listing.name, "usable": listing.usable, "advice": listing.advice, "via": listing.via}
    return {**said, **_card(listing)}


def _card(listing: ModelListing) -> dict[str, Any]:
    """Returns the model's card; a line that stands for many models has only its provider."""
    if listing.card is None:
        card: dict[str, Any] = {field.name: None for field in fields(ModelCard)}
        card["provider"] = listing.name.partition(":")[0]
    else:
        card = asdict(listing.card)
    return {key: value for key, value in card.items() if key not in _NOT_SHOWN}
