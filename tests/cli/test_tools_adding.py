"""What `workbench tools add` was given becomes servers whose secrets stand apart."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from workbench.cli.tools import Added, read_added
from workbench.domain.mcp_server import McpServer
from workbench.domain.secrets import Secret


def added(*names: str, **given: Any) -> Added:
    arguments = Namespace(**{"names": list(names), "program": (), "env": [], "header": [], **given})
    return read_added(arguments, (), lambda name: None)


def test_every_value_of_the_environment_is_a_secret_and_a_key_among_the_arguments_too():
    made = added("git", program=("uvx", "git", "--token", "t0ken"), env=["MODE=fast"])
    args = ("git", "--token", "${secret:git.token}")
    (server,) = made.servers
    assert server == McpServer("git", "uvx", args, {"MODE": "${secret:git.env.MODE}"})
    kept = {"git.token": Secret.of_text("t0ken"), "git.env.MODE": Secret.of_text("fast")}
    assert made.secrets_of(server) == kept


def test_a_header_may_be_written_as_it_is_sent():
    (server,) = added("far", "https://far.example/mcp", header=["X-Team: blue", "accept=text/plain"]).servers
    assert server.headers == {"X-Team": "${secret:far.X-Team}", "accept": "text/plain"}
