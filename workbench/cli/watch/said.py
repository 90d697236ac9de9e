"""What a watch says: the address and the variables to set, a line for each request, and the end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import IO, Any

from workbench.cli.terminal import counted, print_json, print_text, tell
from workbench.context.watch.lines import json_line, summary
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedPiece, WatchedTurn
from workbench.domain.watch.routes import Routes

_REASONS = {
    "": "its body is not what its API takes",
    "encoding": "its encoding is not known, or its body is not in it",
    "too_large": "its body is too large",
    "not_json": "its body is no JSON object",
    "unknown_path": "its path belongs to no API that is known",
}


class Lines:
    """One line a request, where they were asked for; and what was seen in all."""

    def __init__(self, file: IO[bytes] | None, aloud: bool) -> None:
        self._file, self._aloud = file, aloud
        self._turns: list[WatchedTurn] = []
        self._unread: Counter[str] = Counter()
        self._unreachable = 0

    def tell(self, exchange: Exchange, turn: WatchedTurn | None) -> None:
        """A request is over."""
        self._unreachable += exchange.ending == "unreachable"
        if turn is not None:
            self._turns.append(_light(turn))
        elif exchange.unread or exchange.format is not None:
            self._unread[exchange.unread] += 1
        document = line_of(exchange, turn)
        if self._file is not None:
            self._file.write(json.dumps(document).encode("ascii") + b"\n")
            self._file.flush()
        elif self._aloud:
            print_json(document)

    def summary(self, refused: int = 0) -> Sequence[str]:
        """What was seen, and what else there is to say; nothing where nothing was."""
        seen = summary(self._turns) if self._turns else []
        reasons = "; ".join(
            f"{counted(many, 'request')}: {_REASONS[why]}" for why, many in self._unread.items()
        )
        more = (
            f"Passed on unread: {reasons}" if reasons else "",
            f"Without an answer, since the server could not be reached: {counted(self._unreachable, 'request')}"
            if self._unreachable
            else "",
            f"Refused, since a browser or another name for this computer asked: {counted(refused, 'request')}"
            if refused
            else "",
        )
        return [*seen, *(one for one in more if one)]

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()


def _goes_past(given: Mapping[str, str]) -> bool:
    """Whether a program that goes by these variables asks a proxy even for this computer."""
    lower = {name.lower(): value for name, value in given.items()}
    spared = lower.get("no_proxy", "")
    return (
        bool(lower.get("http_proxy") or lower.get("all_proxy"))
        and "127.0.0.1" not in spared
        and "*" not in spared
    )


def _light(turn: WatchedTurn) -> WatchedTurn:
    """All that a summary needs: a watch may go on for days, and texts of all requests would not fit."""
    whole = WatchedPiece("", "L1_SYSTEM", "system", "", tokens=turn.request.tokens)
    request = replace(turn.request, pieces=(whole,), parameters=())
    return replace(turn, request=request, answer=replace(turn.answer, pieces=()), findings=(), forecast=None)


def line_of(exchange: Exchange, turn: WatchedTurn | None) -> dict[str, Any]:
    """The line of a request; one that could not be read has what is known of it from outside."""
    if turn is not None:
        return {**json_line(turn), "ending": exchange.ending}
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
    set_so = routes.plain_variables(address)
    where = f", sending to {routes.to}" if routes.to else ""
    say(f"Watching on {address}{where}. Press Ctrl-C to stop.")
    say(
        "Set this where the program starts:"
        if len(set_so) == 1
        else "Set one of these where the program starts:"
    )
    for name, value in set_so.items():
        say(f"  export {name}={value}")


def nothing_seen(address: str, routes: Routes, given: Mapping[str, str] | None) -> None:
    """What may be the reason, with what to set; `given` is the environment of the command, where there was one."""
    tell("workbench watch: no request was seen")
    if given is None:
        for name, value in routes.plain_variables(address).items():
            tell(f"  export {name}={value}")
        return
    if _goes_past(given):
        tell("HTTP_PROXY leads the command past this address: add 127.0.0.1 to NO_PROXY.")
    there = routes.variables("http://127.0.0.1:4040")["OPENAI_BASE_URL"]
    tell(
        "The command may read its address from a file and not from the environment. Name a port, and set it there."
    )
    tell(f'For Codex: workbench watch --port 4040 -- codex -c openai_base_url="{there}"')
