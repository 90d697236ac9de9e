"""A request refused in the words of the API that it was sent to, so that its program shows why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.domain.watch.exchange import WatchedFormat


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
