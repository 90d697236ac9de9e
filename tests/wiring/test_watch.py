"""Where requests of other programs go, by command line and environment; and that nobody's key is found anywhere."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.loop import in_loop
from tests.fakes.program import loaded_program
from tests.fakes.raw_server import RawServer, serving
from workbench.domain.errors import InvalidInput
from workbench.domain.watch.routes import vendors
from workbench.wiring.watch import routes_for, without_own_variables


def test_the_vendors_unless_something_else_is_said():
    assert routes_for("", {}).bases == vendors()
    assert routes_for("", {}).to == ""


def test_what_the_variables_named_before_is_kept_with_its_path():
    given = {
        "ANTHROPIC_BASE_URL": "https://gate.example/anthropic/",
        "OPENAI_API_BASE": "https://old.example/v1",
        "OPENAI_BASE_URL": "https://gate.example/openai",
        "OLLAMA_HOST": "127.0.0.1:4000",
        "GOOGLE_GEMINI_BASE_URL": "",
    }
    assert routes_for("", given).bases == {
        "anthropic": "https://gate.example/anthropic",
        "openai": "https://gate.example/openai",
        "ollama": "http://127.0.0.1:4000",
        "gemini": vendors()["gemini"],
    }


def test_a_name_is_the_vendor_whatever_the_variable_says():
    routes = routes_for(
        "anthropic", {"ANTHROPIC_BASE_URL": "https://gate.example", "OPENAI_BASE_URL": "https://o.example"}
    )
    assert (routes.to, routes.bases["anthropic"]) == ("https://api.anthropic.com",) * 2
    assert routes.bases["openai"] == "https://o.example"


@pytest.mark.parametrize(
    "url", ["https://gate.example/x", "https://gate.example/x/", "https://gate.example/x/v1"]
)
def test_an_address_is_for_everything(url: str):
    routes = routes_for(url, {"ANTHROPIC_BASE_URL": "https://other.example"})
    assert routes.to == "https://gate.example/x"
    assert routes.bases["anthropic"] == "https://gate.example/x"
    assert routes.bases["openai"] == "https://gate.example/x/v1"


@pytest.mark.parametrize(
    "url",
    [
        "nonsense",
        "ftp://x",
        "http://models.example",
        "https://me:pw@x.example",
        "https://x.example/?key=1",
        "https://",
    ],
)
def test_an_address_that_cannot_be_used(url: str):
    for to, environment in ((url, {}), ("", {"OPENAI_BASE_URL": url})):
        with pytest.raises(InvalidInput) as problem:
            routes_for(to, environment)
        assert problem.value.path == ("--to" if to else "OPENAI_BASE_URL")
        assert "pw@" not in str(problem.value)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("localhost", "http://localhost:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        (":4000", "http://127.0.0.1:4000"),
        ("0.0.0.0:4000", "http://127.0.0.1:4000"),
        ("http://127.0.0.1", "http://127.0.0.1"),
        ("https://box.example/ollama", "https://box.example/ollama"),
        ("[::1]", "http://[::1]:11434"),
        ("[::]:5000", "http://[::1]:5000"),
    ],
)
def test_the_address_that_ollama_s_variable_stands_for(host: str, url: str):
    assert routes_for("", {"OLLAMA_HOST": host}).bases["ollama"] == url


def test_our_own_variables_are_not_the_command_s_business():
    assert without_own_variables(
        {"PATH": "p", "WORKBENCH_PASSPHRASE": "x", "WORKBENCH_DATA_DIR": "d", "HOME": "h"}
    ) == {
        "PATH": "p",
        "HOME": "h",
    }


ASKS = """
import os, urllib.request as u
body = b'{"model": "m", "messages": [{"role": "user", "content": "hello there"}]}'
for path in ("/v1/messages?key=SECRET-query", "/v1/else?SECRET-bare", "/v1/messages/count_tokens?token=SECRET-t"):
    heads = {"Authorization": "Bearer SECRET-bearer", "x-api-key": "SECRET-api", "Cookie": "a=SECRET-cookie",
             "x-goog-api-key": "SECRET-goog", "Proxy-Authorization": "SECRET-proxy", "user-agent": "me/1"}
    u.urlopen(u.Request(os.environ["ANTHROPIC_BASE_URL"] + path, body, heads)).read()
print("WORKBENCH" in str(dict(os.environ)))
"""
OK = b"HTTP/1.1 200 OK\r\nSet-Cookie: a=SECRET-set\r\nContent-Length: 2\r\n\r\n{}"


@pytest.mark.parametrize("kept", [True, False])
@in_loop
async def test_keys_pass_through_and_are_found_nowhere(tmp_path: Path, kept: bool):
    """In no file, the log and the standard streams included; what is encrypted is looked at as it is exported."""
    act, seen = serving(OK)
    async with RawServer(act) as server:
        environment = {
            "PATH": os.defpath,
            "HOME": str(tmp_path),
            "ANTHROPIC_BASE_URL": server.url,
            "WORKBENCH_LOG": str(tmp_path / "log"),
            "WORKBENCH_PASSPHRASE": "four words as one",
            "WORKBENCH_DATA_DIR": str(tmp_path / "data"),
        }

        def run(*argv: str) -> subprocess.CompletedProcess[str]:
            return loaded_program().run(*argv, cwd=tmp_path, environment=environment)

        out = ("--json", "--out", str(tmp_path / "out"), *(() if kept else ("--no-keep",)))
        done = await asyncio.to_thread(run, "watch", *out, "--", sys.executable, "-c", ASKS)
    exported = await asyncio.to_thread(run, "history", "export") if kept else None
    assert (done.returncode, done.stdout) == (0, "False\n")
    assert len(seen) == 3
    assert all(b"SECRET-bearer" in head and b"SECRET-cookie" in head for head, _ in seen)
    assert "SECRET" not in done.stdout + done.stderr
    if exported is not None:
        assert ("hello there" in exported.stdout, "SECRET" in exported.stdout) == (True, False)
    written = _all_files(tmp_path)
    assert {"out", "data/store.db"} - written.keys() == (set() if kept else {"data/store.db"})
    assert [name for name, text in written.items() if b"SECRET" in text] == []


def _all_files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
