"""`workbench doctor`: checks everything the program needs; each line says ok, or what to do."""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from workbench.cli.services import Services
from workbench.cli.terminal import print_json, print_table, print_text, visible_line
from workbench.domain.connection import NetworkSeen
from workbench.domain.errors import InvalidInput, NoKeysYet, WorkbenchError
from workbench.domain.model import ServerLook
from workbench.domain.provider import KEYED
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.translation import tr
from workbench.engine.assembly.prepare import Builder

# How a run connects, and what this one has connected to: for `workbench doctor`.


UNSEEN = tr(
    "The built-in model runs on this computer and is not listed. "
    "Connections made by tool servers cannot be seen here."
)


def connection_lines(seen: NetworkSeen) -> tuple[str, ...]:
    """Describes in sentences how the program connects: offline, proxy, certificates, unencrypted servers."""
    said = []
    if seen.offline:
        said.append(
            tr(
                "Offline is switched on: nothing leaves this computer. What runs on it "
                "still answers, but for programs of tool servers: what they do cannot "
                "be seen, so none is started."
            )
        )
    if seen.proxy:
        whose = "from HTTPS_PROXY" if seen.system else tr("from the settings")
        spared = tr(", but not for {no_proxy}", no_proxy=", ".join(seen.no_proxy)) if seen.no_proxy else ""
        said.append(
            tr(
                "Through the proxy {proxy} ({whose}){spared}; this computer is asked directly.",
                proxy=seen.proxy,
                whose=whose,
                spared=spared,
            )
        )
    elif seen.system:
        said.append(tr("Directly: the settings take the system's proxy, and HTTPS_PROXY names none."))
    else:
        said.append(tr("Directly, without a proxy."))
    if seen.ca_file:
        said.append(
            tr("The certificates in {ca_file} are believed beside the usual ones.", ca_file=seen.ca_file)
        )
    said.extend(tr("{one} is asked without encryption.", one=one) for one in seen.plain_http)
    return tuple(said)


def show_connections(seen: NetworkSeen, findings: Sequence[Any], as_json: bool) -> None:
    """Prints how the program connects, and the connections that this run made."""
    if as_json:
        print_json({"findings": [asdict(one) for one in findings], "network": asdict(seen)})
        return
    print_text("")
    for sentence in connection_lines(seen):
        print_text(visible_line(sentence))
    if not seen.made:
        print_text(tr("This run made no connection."))
    else:
        head = ("when", "host", tr("what for"), "sent", "received", "through")
        rows = (
            (one.at, one.host, one.why, f"{one.sent_bytes:,}", f"{one.received_bytes:,}", one.via or "-")
            for one in seen.made
        )
        print_table([head, *rows], right=frozenset({3, 4}))
    print_text(UNSEEN)


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check; `advice` says what to do where it is not ok."""

    check: str
    ok: bool
    found: str
    advice: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "--ask",
        action="store_true",
        help="also check hosted providers and remote servers; default: only those nearby",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument(
        "--connections",
        action="store_true",
        help="also show how the program connects, and the connections of this check",
    )


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Runs all checks; returns 1 where something needs attention."""
    # Late: `--help` answers without it.
    import asyncio

    findings = asyncio.run(_run_checks(services, hosted=arguments.ask))
    if arguments.json and not arguments.connections:
        print_json([asdict(finding) for finding in findings])
    elif not arguments.json:
        for one in findings:
            advice = "" if one.ok else tr("\n        {advice}", advice=visible_line(one.advice))
            print_text(
                tr(
                    "{words}  {check}: {found}{advice}",
                    words="ok  " if one.ok else "look",
                    check=one.check,
                    found=visible_line(one.found),
                    advice=advice,
                )
            )
    if arguments.connections:
        show_connections(services.network(), findings, arguments.json)
    return 0 if all(finding.ok for finding in findings) else 1


async def _run_checks(services: Services, *, hosted: bool) -> list[Finding]:
    services.preferences_problems()  # shown among the findings, so they are not told besides
    looks: list[Callable[[Services], Awaitable[list[Finding]]]] = [
        _surroundings, _store, _settings, _connections, _catalogue, _ranks,
    ]  # fmt: skip
    found = [finding for look in looks for finding in await look(services)]
    return [*found, *await _servers(services, hosted=hosted)]


async def _surroundings(services: Services) -> list[Finding]:
    """Checks display, Qt and keyring."""
    return [Finding(name, not advice, found, advice) for name, found, advice in services.surroundings()]


async def _store(services: Services) -> list[Finding]:
    try:
        status = services.keys().status()
    except NoKeysYet:
        return [Finding("store", True, tr("none yet; the first question makes it"))]
    except WorkbenchError as problem:
        return [Finding("store", False, tr("its keys cannot be read"), str(problem))]
    ways = ", ".join(protector.kind for protector in status.protectors)
    return [Finding("store", True, tr("made {created}, opened by {ways}", created=status.created, ways=ways))]


async def _ranks(services: Services) -> list[Finding]:
    """Checks that the tokenizers that come with the program can count."""
    try:
        tokens = _count(services.builder)
    except WorkbenchError as problem:
        return [Finding("ranks", False, tr("the tokenizers cannot count"), str(problem))]
    return [Finding("ranks", True, tr("o200k_base and cl100k_base count ({tokens} tokens)", tokens=tokens))]


def _count(builder: Builder) -> int:
    from workbench.domain.envelope import WireMessage
    from workbench.domain.segment import Segment

    hello = WireMessage("m", "user", (Segment("m", "L5_USER", "user", "Hello, world", ""),))
    counters = (
        builder.counters.counter(ContextSettings().counter, builder.catalogue.find(name))
        for name in ("gpt-4o", "gpt-4")
    )
    return sum(sum(counter.costs(hello)) for counter in counters)


async def _settings(services: Services) -> list[Finding]:
    problems = services.preferences_problems()
    if problems:
        return [
            Finding("settings", False, str(problem), tr("Correct the file, or delete it."))
            for problem in problems
        ]
    return [Finding("settings", True, "readable")]


async def _connections(services: Services) -> list[Finding]:
    """Reports how connections are made, only where the settings change that."""
    seen = services.network()
    return [] if seen.usual else [Finding("connections", True, " ".join(connection_lines(seen)))]


async def _catalogue(services: Services) -> list[Finding]:
    """Checks the model catalogue; one that cannot be used is reported, and the other checks go on without it."""
    try:
        services.check_catalogue()
    except InvalidInput as problem:
        return [Finding("catalogue", False, str(problem), tr("Correct the file, or move it away."))]
    return [Finding("catalogue", True, "readable")]


async def _servers(services: Services, *, hosted: bool) -> list[Finding]:
    """Asks the built-in model and all servers nearby at once; providers that were not asked share one line."""
    models = services.models()
    try:
        looks = await models.look(hosted=hosted)
    finally:
        await models.close()
    chosen = services.new_chat_settings(False).model
    findings = [Finding("model", one.usable, one.found, one.advice) for one in looks if one.name == "builtin"]
    usable = sorted(one.name for one in looks if one.usable and one.name != "builtin")
    names = ", ".join(usable) or tr("none besides the built-in model")
    findings.append(Finding("providers", True, names))
    others = [one for one in looks if one.name != "builtin" and not _only_listed(one)]
    return [*findings, *(_server_finding(one, chosen) for one in others)]


def _only_listed(look: ServerLook) -> bool:
    """Tells whether this is a provider that was not asked; with or without a key, that is no fault."""
    return look.name in KEYED and not look.asked and (look.usable or look.keyless)


def _server_finding(look: ServerLook, chosen: str) -> Finding:
    """Returns a server's result; that Ollama is not running is a fault only where new chats would use it."""
    if look.name == "ollama" and not look.usable and not chosen.startswith("ollama:"):
        return Finding(look.name, True, tr("{found} (no new chat asks it)", found=look.found), look.advice)
    return Finding(look.name, look.usable, look.found, look.advice)
