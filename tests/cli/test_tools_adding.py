"""What `workbench tools add` was given becomes servers whose secrets stand apart."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import pytest

from workbench.cli.tools import Added, read_added
from workbench.domain.errors import InvalidInput
from workbench.domain.mcp_server import McpServer
from workbench.domain.secrets import Secret


def added(*names: str, **given: Any) -> Added:
    arguments = Namespace(
        **{
            "names": list(names),
            "program": (),
            "env": [],
            "header": [],
            "roots": False,
            "sampling": False,
            "client_id": "",
            **given,
        }
    )
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


def test_what_a_server_may_ask_of_this_program_is_for_the_person_to_say():
    (server,) = added("far", "https://far.example/mcp", roots=True, sampling=True, client_id="me").servers
    assert (server.roots, server.sampling, server.client_id) == (True, True, "me")
    with pytest.raises(InvalidInput, match="for one server"):
        added("servers.json", sampling=True)
    with pytest.raises(InvalidInput, match="client_id"):
        added("near", program=("near",), client_id="me")
