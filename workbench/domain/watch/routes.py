"""Routes of watched requests: one fixed address for each kind of API, selected by path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from workbench.domain.provider import BY_NAME
from workbench.domain.watch.exchange import WatchedFormat

Api = Literal["anthropic", "openai", "ollama", "gemini"]
APIS: tuple[Api, ...] = get_args(Api)
VARIABLES: Mapping[str, Api] = {
    "ANTHROPIC_BASE_URL": "anthropic",
    "OPENAI_BASE_URL": "openai",
    "OPENAI_API_BASE": "openai",
    "OLLAMA_HOST": "ollama",
    "GOOGLE_GEMINI_BASE_URL": "gemini",
}
"""What programs read their address from, and the API they speak there."""

_VERSION = "/v1"
_FORMATS: Mapping[str, WatchedFormat] = {
    "/chat/completions": "openai",
    "/responses": "responses",
    "/messages": "anthropic",
    "/api/chat": "ollama",
    "/api/generate": "ollama",
    ":generateContent": "gemini",
    ":streamGenerateContent": "gemini",
}
# Asked beside the conversation: nothing in them is a turn.
_ASIDE = (
    "/count_tokens", ":countTokens", "/input_tokens", "/models", "/embeddings", "/api/embed", "/api/embeddings",
    "/api/show", "/api/tags", "/api/ps", "/api/version", "/api/pull",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Way:
    """A request's route: the address it goes to, its path without our prefix, and its API's base address."""

    url: str
    path: str
    format: WatchedFormat | None
    base: str = ""


@dataclass(frozen=True, slots=True)
class Routes:
    """The addresses of one watch; nothing is sent to any other.

    Attributes:
        bases: the address of each API, as its clients are given it: OpenAI's ends in its version.
        to: where everything goes that names no API by its path's first part; empty where the path decides.
    """

    bases: Mapping[Api, str] = field(default_factory=lambda: dict(vendors()))
    to: str = ""

    def way(self, target: str, headers: Mapping[str, str]) -> Way | None:
        """The route of a request for that target; None where its path belongs to no known API."""
        path, mark, query = target.partition("?")
        first, slash, rest = path[1:].partition("/")
        if first in APIS:
            base, path = self.bases[first], f"{slash}{rest}"
        elif self.to:
            first, base = "", self.to
        elif (api := _api(path, headers)) is not None:
            first, base = api, self.bases[api]
        else:
            return None
        behind = path.removeprefix(_VERSION) if first == "openai" and _is_versioned(path) else path
        return Way(f"{base}{behind}{mark}{query}", f"{path or '/'}{mark}{query}", format_of(path), base)

    def leads_to(self, port: int) -> bool:
        """Whether everything would come back to that port of this computer."""
        return _is_at(self.to, port)

    def avoiding(self, port: int) -> Routes:
        """The routes for a watch at that port: addresses that lead back to it are replaced by the vendor's."""
        own = {api: vendors()[api] if _is_at(base, port) else base for api, base in self.bases.items()}
        return replace(self, bases=own)

    def variables(self, address: str) -> dict[str, str]:
        """Environment variables that direct the clients of every API here, each with a path of its own."""
        return {name: _versioned(f"{address}/{api}", api) for name, api in VARIABLES.items()}

    def plain_variables(self, address: str) -> dict[str, str]:
        """Environment variables for the user to set: the default API's alone, if there is one."""
        if not self.to:
            return self.variables(address)
        led = [api for api, base in self.bases.items() if rooted(base) == self.to]
        return {name: _versioned(address, api) for name, api in VARIABLES.items() if api in led}


def vendors() -> Mapping[Api, str]:
    """The vendor's own address of each API."""
    return {api: _versioned(BY_NAME[api].url, api) for api in APIS}


def _is_at(address: str, port: int) -> bool:
    here = tuple(f"http://{name}:{port}/" for name in ("127.0.0.1", "localhost", "[::1]"))
    return f"{address}/".startswith(here)


def _versioned(address: str, api: Api) -> str:
    return address + _VERSION if api == "openai" else address


def rooted(url: str) -> str:
    """An address without OpenAI's version, which the paths of requests begin with."""
    return url.removesuffix("/").removesuffix(_VERSION)


def format_of(path: str) -> WatchedFormat | None:
    """The protocol of a request path; None where it asks no model for an answer."""
    return next((found for end, found in _FORMATS.items() if path.rstrip("/").endswith(end)), None)


def is_aside(path: str) -> bool:
    """Whether a request path is known and not part of a conversation."""
    plain = path.partition("?")[0].rstrip("/")
    return plain.endswith(_ASIDE) or ("/models/" in plain and ":" not in plain)


def _is_versioned(path: str) -> bool:
    return path == _VERSION or path.startswith(f"{_VERSION}/")


def _api(path: str, headers: Mapping[str, str]) -> Api | None:
    """The API of a path; where several share it, the client's headers decide."""
    if "anthropic-version" in headers or path.startswith(("/v1/messages", "/v1/complete/")):
        return "anthropic"
    if path.startswith("/api/"):
        return "ollama"
    if path.startswith(("/v1beta/", "/v1alpha/")):
        return "gemini"
    return "openai" if _is_versioned(path) else None
