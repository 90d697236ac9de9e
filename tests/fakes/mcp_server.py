"""A small server of tools made with the official library, run as a program: over stdio, or on a port that it names."""

from __future__ import annotations

import os
import socket
import sys

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

served = MCPServer("sample")


@served.tool(annotations=ToolAnnotations(read_only_hint=True))
def add(a: int, b: int) -> str:
    """Adds two numbers."""
    return str(a + b)


@served.tool()
def surroundings() -> str:
    """What the server knows of its surroundings."""
    return "\n".join([os.getcwd(), *(f"{name}={value}" for name, value in sorted(os.environ.items()))])


@served.tool()
def fail() -> str:
    """Fails."""
    raise ValueError("This does not work.")


@served.resource("sample://notes", mime_type="text/markdown")
def notes() -> str:
    """Some notes."""
    return "# Notes\nkäse"


@served.resource("sample://picture", mime_type="image/png")
def picture() -> bytes:
    """A picture."""
    return b"\x89PNG\x00"


@served.prompt()
def review(subject: str) -> str:
    """Asks for a review."""
    return f"Review {subject}, please."


def over_http() -> None:
    """Serve on a free port, which is named in the first line of standard output."""
    import uvicorn

    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(served.streamable_http_app(), log_level="error")).run([listening])


if __name__ == "__main__":
    over_http() if sys.argv[1:] == ["http"] else served.run()
