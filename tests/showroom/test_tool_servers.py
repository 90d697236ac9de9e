"""The scripted tool servers: one that has changed, one that fails, one that is off."""

from __future__ import annotations

import asyncio

import pytest

from workbench.domain.mcp_server import McpListing, check_server, tool_state
from workbench.ports.tools import ToolServerFailed
from workbench.showroom.tool_servers import ScriptedToolServers


def test_they_say_what_is_written_down():
    servers, told = ScriptedToolServers(), list[McpListing]()
    github, postgres, sentry = servers.before()
    for server in (github, postgres, sentry):
        check_server(server)
    servers.configure((github, postgres, sentry), {})
    end = servers.subscribe(told.append)
    listing = asyncio.run(servers.start("github"))
    assert {tool_state(github, tool) for tool in listing.tools} == {"approved", "changed"}
    assert asyncio.run(servers.start("postgres")).state == "failed"
    assert (servers.names, sentry.enabled) == (("github", "postgres", "sentry"), False)
    assert [one.server for one in told] == ["github", "postgres"]
    end()
    asyncio.run(servers.stop("github"))
    assert (servers.listing("github").state, servers.tools("github")) == ("off", ())
    for nothing in (servers.read("github", "x://y"), servers.prompt("github", "x", {})):
        with pytest.raises(ToolServerFailed):
            asyncio.run(nothing)
    asyncio.run(servers.close())
