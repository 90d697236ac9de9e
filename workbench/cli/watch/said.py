"""What a watch says: the address and the variables to set, a line for each request, and the end."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import IO, Any

from workbench.cli.terminal import counted, print_json, print_text, tell
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedTurn
from workbench.domain.watch.routes import Routes


class Lines:
    """One line a request, where they were asked for; and what was seen in all."""

    def __init__(self, file: IO[bytes] | None, aloud: bool) -> None:
        self._file, self._aloud = file, aloud
        self.count = 0
        self._bytes = 0

    def tell(self, exchange: Exchange, turn: WatchedTurn | None) -> None:
        """A request is over."""
        self.count += exchange.format is not None
        self._bytes += exchange.request_bytes
        document = line_of(exchange, turn)
        if self._file is not None:
            self._file.write(json.dumps(document).encode("ascii") + b"\n")
            self._file.flush()
        elif self._aloud:
            print_json(document)

    def summary(self) -> Sequence[str]:
        """What was seen."""
        return [f"{counted(self.count, 'request')}, {self._bytes:,} bytes"]

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()


def line_of(exchange: Exchange, turn: WatchedTurn | None) -> dict[str, Any]:
    """The line of a request; one that could not be read has what is known of it from outside."""
    known: dict[str, Any] = {
        "n": exchange.n,
        "client": exchange.header("user-agent").partition(" ")[0],
        "format": exchange.format,
        "method": exchange.method,
        "path": exchange.path,
        "bytes": exchange.request_bytes,
        "status": exchange.status,
        "first_byte_ms": exchange.first_byte_ms,
        "ending": exchange.ending,
    }
    return {**known, "unread": exchange.unread} if exchange.unread else known


def address_lines(address: str, routes: Routes, beside: bool) -> None:
    """Where the watch listens, and what to set; beside the results where those are JSON."""
    say = tell if beside else print_text
    say(f"Watching on {address}. Press Ctrl-C to stop. Set one of these where the program starts:")
    for name, value in routes.lines(address):
        say(f"  export {name}={value}")


def nothing_seen(address: str, routes: Routes) -> None:
    """Why that may be, with what to set."""
    tell("workbench watch: no request was seen")
