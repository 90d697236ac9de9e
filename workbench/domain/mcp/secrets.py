"""Secrets of tool servers: a server's values name them, and only what starts it knows them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from workbench.domain.errors import InvalidInput
from workbench.domain.keys.secret import Secret
from workbench.domain.mcp.server import McpServer

_PLACE = re.compile(r"\$\{secret:([A-Za-z0-9_.-]{1,128})\}", re.ASCII)


def secret_place(name: str) -> str:
    """What stands in the place of a secret."""
    return f"${{secret:{name}}}"


def secrets_in(server: McpServer) -> tuple[str, ...]:
    """The names of the secrets that a server needs, in the order they stand in."""
    texts = (*server.args, *server.env.values(), *server.headers.values())
    return tuple(dict.fromkeys(name for text in texts for name in _PLACE.findall(text)))


def owned_secret(server: str, name: str) -> str:
    """What a secret of a server is kept under: no other server can name it."""
    return f"{server}/{name}"


def with_owned_secrets(server: McpServer) -> McpServer:
    """The server as it is started: each secret it names is its own, whatever another one calls by the same name."""

    def owned(text: str) -> str:
        return _PLACE.sub(lambda found: secret_place(f"{server.name}.{found[1]}"), text)

    return replace(
        server,
        args=tuple(map(owned, server.args)),
        env={name: owned(value) for name, value in server.env.items()},
        headers={name: owned(value) for name, value in server.headers.items()},
    )


def filled(text: str, secrets: Mapping[str, Secret]) -> str:
    """The text with its secrets in their places; `InvalidInput` names one that is not kept here."""

    def one(found: re.Match[str]) -> str:
        secret = secrets.get(found[1])
        if secret is None:
            raise InvalidInput(found[1], "this secret is not kept here yet; enter it")
        return secret.reveal_text()

    return _PLACE.sub(one, text)
