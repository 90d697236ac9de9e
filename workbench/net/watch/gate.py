"""Who may use the proxy: programs of this computer that were given its address, and no page in a browser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_NAMES = ("127.0.0.1", "localhost", "[::1]")
_ELSEWHERE = ("cross-site", "same-site")


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer of ours in place of one from a model's server."""

    status: int
    reason: str
    words: str


def refusal(method: str, target: str, headers: Mapping[str, str], port: int) -> Refusal | None:
    """Why a request is not passed on; None where it is. Names of headers are in lower case."""
    if method == "CONNECT" or not target.startswith("/"):
        return Refusal(400, "Bad Request", "This is the address of one API, not a proxy for every address.")
    if headers.get("host", "").lower() not in {f"{name}:{port}" for name in _NAMES}:
        return Refusal(403, "Forbidden", "The Host header does not name this address.")
    origin = headers.get("origin")
    if origin is not None and origin.lower() not in {f"http://{name}:{port}" for name in _NAMES}:
        return Refusal(403, "Forbidden", "Pages in a browser are not passed on.")
    if headers.get("sec-fetch-site", "").lower() in _ELSEWHERE:
        return Refusal(403, "Forbidden", "Pages in a browser are not passed on.")
    if "websocket" in headers.get("upgrade", "").lower():
        # Clients that try a WebSocket first take this status as the word to use plain HTTP.
        return Refusal(426, "Upgrade Required", "WebSockets are not passed on; use HTTP.")
    return None
