"""How a run connects, and what this one has connected to: for `workbench doctor`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from workbench.cli.terminal import print_json, print_table, print_text, visible_line
from workbench.domain.connection import NetworkSeen

UNSEEN = (
    "The built-in model runs on this computer and is not listed. Connections made by tool "
    "servers cannot be seen here."
)


def ways(seen: NetworkSeen) -> tuple[str, ...]:
    """What a run would use, in sentences."""
    said = []
    if seen.offline:
        said.append(
            "Offline is switched on: nothing leaves this computer. What runs on it still answers, but for programs of "
            "tool servers: what they do cannot be seen, so none is started."
        )
    if seen.proxy:
        whose = "from HTTPS_PROXY" if seen.system else "from the settings"
        spared = f", but not for {', '.join(seen.no_proxy)}" if seen.no_proxy else ""
        said.append(f"Through the proxy {seen.proxy} ({whose}){spared}; this computer is asked directly.")
    elif seen.system:
        said.append("Directly: the settings take the system's proxy, and HTTPS_PROXY names none.")
    else:
        said.append("Directly, without a proxy.")
    if seen.ca_file:
        said.append(f"The certificates in {seen.ca_file} are believed beside the usual ones.")
    said.extend(f"{one} is asked without encryption." for one in seen.plain_http)
    return tuple(said)


def show_connections(seen: NetworkSeen, findings: Sequence[Any], as_json: bool) -> None:
    """What a run would use, and the connections that this one made."""
    if as_json:
        print_json({"findings": [asdict(one) for one in findings], "network": asdict(seen)})
        return
    print_text("")
    for sentence in ways(seen):
        print_text(visible_line(sentence))
    if not seen.made:
        print_text("This run made no connection.")
    else:
        head = ("when", "host", "what for", "sent", "received", "through")
        rows = (
            (one.at, one.host, one.why, f"{one.sent_bytes:,}", f"{one.received_bytes:,}", one.via or "-")
            for one in seen.made
        )
        print_table([head, *rows], right=frozenset({3, 4}))
    print_text(UNSEEN)
