"""The output of a watch: its address and the variables to set, a JSON line for each request, and the summary."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import IO, Any

from workbench.cli.terminal import print_json, print_text, tell
from workbench.context.watch.lines import json_line, summary
from workbench.domain.translation import counted, joined, tr
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedPiece, WatchedTurn
from workbench.domain.watch.routes import Routes

_REASONS = {
    "": tr("its body is not what its API takes"),
    "encoding": tr("its encoding is not known, or its body is not in it"),
    "too_large": tr("its body is too large"),
    "not_json": tr("its body is no JSON object"),
    "unknown_path": tr("its path belongs to no API that is known"),
}


class Lines:
    """Writes one JSON line per request where that is wanted, and collects figures for the summary."""

    def __init__(self, file: IO[bytes] | None, aloud: bool) -> None:
        self._file, self._aloud = file, aloud
        self._turns: list[WatchedTurn] = []
        self._unread: Counter[str] = Counter()
        self._unreachable = 0

    def tell(self, exchange: Exchange, turn: WatchedTurn | None) -> None:
        """Records a finished request, and writes its line."""
        self._unreachable += exchange.ending == "unreachable"
        if turn is not None:
            self._turns.append(_without_texts(turn))
        elif exchange.unread or exchange.format is not None:
            self._unread[exchange.unread] += 1
        document = line_of(exchange, turn)
        if self._file is not None:
            self._file.write(json.dumps(document).encode("ascii") + b"\n")
            self._file.flush()
        elif self._aloud:
            print_json(document)

    def summary(self, refused: int = 0) -> Sequence[str]:
        """Returns the lines of the summary; empty where no request was seen."""
        seen = summary(self._turns) if self._turns else []
        reasons = joined(
            (
                tr("{counted}: {reasons}", counted=counted(many, "request"), reasons=_REASONS[why])
                for why, many in self._unread.items()
            ),
            "; ",
        )
        more = (
            tr("Passed on unread: {reasons}", reasons=reasons) if reasons else "",
            tr(
                "Without an answer, since the server could not be reached: {counted}",
                counted=counted(self._unreachable, "request"),
            )
            if self._unreachable
            else "",
            tr(
                "Refused, since a browser or another name for this computer asked: {counted}",
                counted=counted(refused, "request"),
            )
            if refused
            else "",
        )
        return [*seen, *(one for one in more if one)]

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()


def _proxy_bypasses_watch(given: Mapping[str, str]) -> bool:
    """Tells whether a program with these variables would use a proxy even for this computer, and so miss the watch."""
    lower = {name.lower(): value for name, value in given.items()}
    spared = lower.get("no_proxy", "")
    return (
        bool(lower.get("http_proxy") or lower.get("all_proxy"))
        and "127.0.0.1" not in spared
        and "*" not in spared
    )


def _without_texts(turn: WatchedTurn) -> WatchedTurn:
    """Returns a turn without its texts, for the summary: a watch may run for days."""
    whole = WatchedPiece("", "L1_SYSTEM", "system", "", tokens=turn.request.tokens)
    request = replace(turn.request, pieces=(whole,), parameters=())
    return replace(turn, request=request, answer=replace(turn.answer, pieces=()), findings=(), forecast=None)


def line_of(exchange: Exchange, turn: WatchedTurn | None) -> dict[str, Any]:
    """Returns the JSON line of a request; of one that could not be read, only what is known from outside."""
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


def print_address(address: str, routes: Routes, beside: bool) -> None:
    """Prints where the watch listens and which variables to set; on standard error where results are JSON."""
    say = tell if beside else print_text
    set_so = routes.plain_variables(address)
    where = tr(", sending to {to}", to=routes.to) if routes.to else ""
    say(tr("Watching on {address}{where}. Press Ctrl-C to stop.", address=address, where=where))
    say(
        tr("Set this where the program starts:")
        if len(set_so) == 1
        else tr("Set one of these where the program starts:")
    )
    for name, value in set_so.items():
        say(tr("  export {name}={value}", name=name, value=value))


def explain_no_requests(address: str, routes: Routes, given: Mapping[str, str] | None) -> None:
    """Explains why no request may have been seen; `given` is the environment of the watched command, if any."""
    tell(tr("workbench watch: no request was seen"))
    if given is None:
        for name, value in routes.plain_variables(address).items():
            tell(tr("  export {name}={value}", name=name, value=value))
        return
    if _proxy_bypasses_watch(given):
        tell(tr("HTTP_PROXY leads the command past this address: add 127.0.0.1 to NO_PROXY."))
    there = routes.variables("http://127.0.0.1:4040")["OPENAI_BASE_URL"]
    tell(
        tr(
            "The command may read its address from a file and not from the "
            "environment. Name a port, and set it there."
        )
    )
    tell(tr('For Codex: workbench watch --port 4040 -- codex -c openai_base_url="{there}"', there=there))
