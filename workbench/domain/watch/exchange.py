"""A request of another program that passed through, and its answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from workbench.domain.watch.rules import RuleOutcome

WatchedFormat = Literal["openai", "responses", "anthropic", "ollama", "gemini"]
"""The protocol of a request: `openai` are chat completions, `responses` their successor."""

Unread = Literal["", "encoding", "too_large", "not_json", "unknown_path"]
"""Why a request could not be read; empty where it was."""

Ending = Literal["complete", "client_left", "cut", "unreachable"]


OWN_WORDS = "workbench watch:"
"""An error that begins so is an answer of the watch itself: its request went to no server."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request that passed through and its answer, without keys and cookies.

    Attributes:
        n: its place in the order of arrival, from 1.
        format: None where the path belongs to no format.
        path: with its query, from which keys were taken.
        headers: names in lower case; only those that say who asked, in which session, and with which switches.
        request: the body, decompressed; empty where it could not be read.
        request_bytes: how long the body was on the wire.
        status: None where no answer came.
        answer: what of the answer was kept for looking, decompressed. answer_cut: only its beginning was.
        answer_end: the last of an answer that was cut, where that can be read without the rest.
        started_at: seconds since 1970.
        upstream: the base address of the API it went to; empty where unknown.
        came_in: the body as it came, where `request` is what rules made of it. sent_bytes: how long that was, sent.
        rules: what became of each rule, where there are any.
    """

    n: int
    format: WatchedFormat | None
    method: str
    path: str
    started_at: float
    headers: tuple[tuple[str, str], ...] = ()
    request: bytes = b""
    request_bytes: int = 0
    status: int | None = None
    answer: bytes = b""
    answer_bytes: int = 0
    first_byte_ms: float | None = None
    total_ms: float | None = None
    unread: Unread = ""
    ending: Ending = "complete"
    upstream: str = ""
    answer_cut: bool = False
    answer_end: bytes = b""
    came_in: bytes = b""
    sent_bytes: int | None = None
    rules: tuple[RuleOutcome, ...] = ()

    def header(self, name: str) -> str:
        """A header's value; empty where it was not sent or not stored."""
        return next((value for key, value in self.headers if key == name), "")


_PROGRAMS = {
    "claude-cli": "Claude Code", "claude": "Claude Code", "claude code": "Claude Code", "codex_cli_rs": "Codex",
    "codex_exec": "Codex", "codex": "Codex", "opencode": "opencode", "aider": "aider", "cline": "Cline",
}  # fmt: skip


def program_name(client: str) -> str:
    """Display name of a program, from its user agent."""
    product = client.split("/", 1)[0].strip()
    return _PROGRAMS.get(product.lower(), product)


# Bodies of requests without keys: what a program sends along for somebody else's server is not kept.


HIDDEN = "…"
# A field of a tool server that the provider calls by itself, or a header for it. In a text within the body the quotes
# around it are escaped, so that what somebody writes about keys stays as it is. What it begins with is looked for
# first: a search that begins by looking back takes a hundred times as long (bench watch).
_KEY = re.compile(
    rb'"(?<!\\")(?=[abcgrx])(authorization|authorization_token|(?:x-)?(?:goog-)?api[_-]?key|access_token|refresh_token|client_secret'
    rb'|bearer_token|x-auth-token|cookie)"(\s*:\s*)"(?:[^"\\]|\\.)+"',
    re.IGNORECASE,
)


def without_keys(body: bytes) -> bytes:
    """The body with a mark in place of every key; the same object where it has none."""
    return _KEY.sub(rb'"\1"\2"' + HIDDEN.encode() + b'"', body)


# A request refused in the words of the API that it was sent to, so that its program shows why.


@dataclass(frozen=True, slots=True)
class VendorError:
    """Status, reason and body of an API's own error; `headers` keep its clients from trying again."""

    status: int
    reason: str
    body: Mapping[str, Any]
    headers: tuple[tuple[str, str], ...] = (("x-should-retry", "false"),)


def over_cap(kind: WatchedFormat, words: str) -> VendorError:
    """The error with which each API refuses a request that nobody wants to pay for (read November 2026)."""
    match kind:
        case "anthropic":
            error: dict[str, Any] = {"type": "billing_error", "message": words}
            return VendorError(402, "Payment Required", {"type": "error", "error": error})
        case "openai" | "responses":
            quota = "insufficient_quota"
            error = {"message": words, "type": quota, "param": None, "code": quota}
            return VendorError(429, "Too Many Requests", {"error": error})
        case "gemini":
            error = {"code": 429, "message": words, "status": "RESOURCE_EXHAUSTED"}
            return VendorError(429, "Too Many Requests", {"error": error})
        case "ollama":
            return VendorError(402, "Payment Required", {"error": words})


def refused_by_person(kind: WatchedFormat, words: str) -> VendorError:
    """The error with which each API refuses what is not permitted: a held request that was not sent."""
    error: Any = words
    if kind == "anthropic":
        error = {"type": "permission_error", "message": words}
    elif kind == "gemini":
        error = {"code": 403, "message": words, "status": "PERMISSION_DENIED"}
    elif kind != "ollama":
        error = {"message": words, "type": "invalid_request_error", "param": None, "code": None}
    body = {"type": "error", "error": error} if kind == "anthropic" else {"error": error}
    return VendorError(403, "Forbidden", body)
