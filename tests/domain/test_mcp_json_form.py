"""Files in which other programs keep their servers: read with their secrets taken out, written without any."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.errors import InvalidInput
from workbench.domain.mcp_json import protected, read_servers, write_servers
from workbench.domain.mcp_server import McpServer

CLAUDE = """{
  "mcpServers": {
    "github": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-github", "--api-key", "hunter2hunter2"],
      "env": {"GITHUB_PERSONAL_ACCESS_TOKEN": "ghp_abcdef1234567890", "LOG_LEVEL": "info", "PORT": 8080},
      "autoApprove": ["create_issue"],
      "timeout": 5
    },
    "My Files": {"command": "files", "args": ["${workspaceFolder}"], "disabled": true},
    "old": {"type": "sse", "url": "https://old.example.com/sse"}
  },
  "globalShortcut": "Ctrl+Space"
}"""
VS_CODE = """{
  // comments are usual here
  "inputs": [{"type": "promptString", "id": "perplexity-key", "description": "API key\\u202e", "password": true}],
  "servers": {
    "perplexity": {
      "type": "stdio", /* started
      here */ "command": "npx", "args": ["-y", "server", "https://example.com//a"],
      "env": {"PERPLEXITY_API_KEY": "${input:perplexity-key}", "MODE": "${MODE:-fast}"},
    },
    "remote": {
      "type": "http", "url": "https://api.example.com/mcp/",
      "headers": {"Authorization": "Bearer abc123", "X-Org": "acme", "Accept": "text/plain"}
    }
  },
}"""


def test_the_form_of_claude_and_cursor():
    found = read_servers(CLAUDE)
    github, files = found.servers
    assert github == McpServer(
        "github",
        "npx",
        ("-y", "@modelcontextprotocol/server-github", "--api-key", "${secret:github.api-key}"),
        {
            "GITHUB_PERSONAL_ACCESS_TOKEN": "${secret:github.GITHUB_PERSONAL_ACCESS_TOKEN}",
            "LOG_LEVEL": "info",
            "PORT": "8080",
        },
    )
    assert files == McpServer("My-Files", "files", ("${workspaceFolder}",), enabled=False)
    assert {name: secret.reveal_text() for name, secret in found.secrets.items()} == {
        "github.GITHUB_PERSONAL_ACCESS_TOKEN": "ghp_abcdef1234567890",
        "github.api-key": "hunter2hunter2",
    }
    assert found.asked == {}
    for said in ("globalShortcut", "autoApprove", "timeout", "SSE", '"My-Files"'):
        assert any(said in note for note in found.notes), said


def test_servers_that_stand_alone_are_read_as_within_their_list():
    found = read_servers('{"files": {"command": "files"}, "remote": {"url": "https://api.example.com/mcp"}}')
    assert [(one.name, one.command or one.url) for one in found.servers] == [
        ("files", "files"),
        ("remote", "https://api.example.com/mcp"),
    ]


def test_the_form_of_vs_code_with_its_comments_and_inputs():
    found = read_servers(VS_CODE)
    asked, remote = found.servers
    assert asked.args[-1] == "https://example.com//a"
    assert asked.env == {"PERPLEXITY_API_KEY": "${secret:perplexity.perplexity-key}", "MODE": "fast"}
    assert found.asked == {"perplexity.perplexity-key": "API key<U+202E>"}
    assert remote.headers == {
        "Authorization": "Bearer ${secret:remote.Authorization}",
        "X-Org": "${secret:remote.X-Org}",
        "Accept": "text/plain",
    }
    assert found.secrets["remote.Authorization"].reveal_text() == "abc123"


def test_what_is_written_holds_no_secret_and_reads_back():
    found = read_servers(CLAUDE)
    plain = McpServer("late", "run", ("--token=abc",), {"DB": "postgres://me:pw@host/db"})
    text = write_servers((*found.servers, plain))
    for secret in ("ghp_abcdef1234567890", "hunter2", "abc", "me:pw"):
        assert secret not in text
    again = read_servers(text)
    assert again.servers == (*found.servers, protected(plain)[0])
    assert set(again.asked) == {*found.secrets, *protected(plain)[1]}


@given(st.sampled_from(["API_TOKEN", "PGPASSWORD", "DB_PASS", "x-auth"]), st.text(min_size=2, max_size=40))
def test_a_value_called_a_secret_never_stays(name: str, value: str):
    """Whatever it looks like; only what names another value, and plain truth values, are none."""
    if name == "DB_PASS" or "${" in value or value.lower() in ("true", "false"):
        return
    server, secrets = protected(McpServer("a", "run", env={name: value}))
    assert server.env[name].startswith("${secret:a.")
    assert [one.reveal_text() for one in secrets.values()] == [value]


def test_a_long_name_is_seen_in_the_command_line_and_a_key_is_not():
    server = McpServer(
        "a",
        "run",
        (
            "my-mcp-server-for-postgres-v2-2024-10",
            "ghp_abcdef1234567890",
            "-n",
            "A1b2C3d4E5f6G7h8I9j0K1l2",
            "sk-abc123456789",
        ),
    )
    kept, secrets = protected(server)
    assert kept.args == (
        server.args[0],
        "${secret:a.argument}",
        "-n",
        "${secret:a.n}",
        "${secret:a.argument-2}",
    )
    assert secrets["a.argument-2"].reveal_text() == "sk-abc123456789"
    assert set(secrets) == {"a.argument", "a.n", "a.argument-2"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[]", "expected an object"),
        ("{}", "no servers here"),
        ('{"mcpServers": {"a": 5}}', "mcpServers.a: expected an object, got 5"),
        ('{"mcpServers": {"a": {"command": ["x"]}}}', "mcpServers.a.command: expected a string"),
        ('{"mcpServers": {"a": {"command": "x", "args": "y"}}}', "mcpServers.a.args: expected a list"),
        (
            '{"mcpServers": {"a": {"command": "x", "env": {"A": []}}}}',
            "mcpServers.a.env.A: expected a string",
        ),
        ('{"mcpServers": {"a": {}}}', "mcpServers.a: give either a command or a url"),
        (
            '{"mcpServers": {"a": {"url": "http://a.example/"}}}',
            "mcpServers.a: http:// can be read on the way",
        ),
        (
            '{"servers": {"a": {"type": "ws", "url": "wss://a"}}}',
            'servers.a.type: expected stdio or http, got "ws"',
        ),
        ('{"servers": {"a": 1, "a": 2}}', 'servers: the key "a" occurs twice'),
        ('{"servers": {\n"a": nonsense}}', "line 2 column 6"),
        ('{"inputs": [5], "servers": {}}', r"inputs\[0\]"),
    ],
)
def test_what_is_wrong_is_said_by_its_path(text: str, says: str):
    with pytest.raises(InvalidInput, match=says):
        read_servers(text)


@pytest.mark.parametrize(
    "text", ['{"servers": "' + '\\"' * 400_000, "/*" * 400_000, ",/*" * 300_000, "{" * 500_000]
)
def test_a_hostile_file_is_refused_at_once(text: str):
    with pytest.raises(InvalidInput):
        read_servers(text)


def test_too_many_servers_are_refused():
    many = {str(number): {"command": "x"} for number in range(65)}
    with pytest.raises(InvalidInput, match="more than 64"):
        read_servers(json.dumps({"mcpServers": many}))
