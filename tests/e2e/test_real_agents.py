"""The real Claude Code and Codex, where installed: each line for them is taken, and written sessions are resumed."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.agent_server import AgentServer
from workbench.context.watch.reading import read_request
from workbench.context.watch.session_copies import copied_session
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.request import WatchedRequest
from workbench.domain.watch.session_copy import SessionTuning
from workbench.domain.watch.switch import ClientSwitch, SessionKind, between
from workbench.engine.watch.session_writing import against_prediction
from workbench.providers.clients import load_clients
from workbench.sources.resources import resource_path
from workbench.sources.session_files import FOLDERS, create_session, find_session

CLIENTS = load_clients(resource_path("clients.toml"))
PROGRAMS = {"claude-cli": "claude", "codex_exec": "codex"}
LINES = [one for one in CLIENTS.switches if one.clients[0] in PROGRAMS]
LONG = "".join(f"line {n} of a long file\n" for n in range(400))
NOTES = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    version = asked.get("params", {}).get("protocolVersion")
    tool = {"name": "find", "description": "Find notes. " * 40, "inputSchema": {"type": "object"}}
    about = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "notes", "version": "1"}}
    told = {"initialize": about, "tools/list": {"tools": [tool]}}.get(asked.get("method"), {})
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": told}), flush=True)
"""


class Agent:
    """A program with a home of its own, which asks a server here."""

    def __init__(self, name: str, home: Path, server: AgentServer) -> None:
        program = shutil.which(name)
        if program is None:
            pytest.skip(f"{name} is not installed here")
        self.name, self.program, self.home, self.server = name, program, home, server
        self.folder = home / "work"
        self.folder.mkdir(parents=True)
        (self.folder / "long.txt").write_text(LONG)
        (home / "notes.py").write_text(NOTES)
        found = re.search(r"\d+\.\d+\.\d+", self._run(program, "--version"))
        assert found is not None
        self.version = found[0]
        tools = {"command": shutil.which("python3") or "python3", "args": [str(home / "notes.py")]}
        if name == "claude":
            (home / ".claude.json").write_text(
                json.dumps({"mcpServers": {"notes": {"type": "stdio", **tools}}})
            )
        else:
            (home / ".codex").mkdir()
            (home / ".codex" / "config.toml").write_text(
                f'model_provider = "here"\nmodel = "gpt-5.1-codex"\n[model_providers.here]\nname = "here"\n'
                f'base_url = "{server.url}/v1"\nenv_key = "OPENAI_API_KEY"\nwire_api = "responses"\n'
                f"[mcp_servers.notes]\ncommand = {json.dumps(tools['command'])}\nargs = {json.dumps(tools['args'])}\n"
            )

    def ask(self, text: str, line: str = "", session: str = "") -> dict[str, Any]:
        """The last request that the program makes of a question, with a line as a person would copy it."""
        words = shlex.split(line)
        variables = dict(one.split("=", 1) for one in words if re.match(r"[A-Z_0-9]+=", one))
        flags = [one for one in words if one != self.name and not re.match(r"[A-Z_0-9]+=", one)]
        if self.name == "claude":
            command = [self.program, "-p", text, *(["--resume", session] if session else []), *flags]
        else:
            resume = ["resume", session] if session else []
            command = [self.program, "exec", *flags, "--skip-git-repo-check", *resume, text]
        self._run(*command, **{"ENABLE_TOOL_SEARCH": "false", **variables})
        return self.server.asked[-1]

    def _run(self, *command: str, **variables: str) -> str:
        around = {"PATH": os.environ["PATH"], "HOME": str(self.home), "CODEX_HOME": str(self.home / ".codex")}
        around |= {"ANTHROPIC_BASE_URL": self.server.url, "ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"}
        around |= {"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        done = subprocess.run(
            command, env={**around, **variables}, cwd=self.folder, capture_output=True, text=True, timeout=120,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Callable[[str], Agent]]:
    with AgentServer() as server:
        yield lambda name: Agent(name, tmp_path / name, server)


def read(body: dict[str, Any]) -> WatchedRequest:
    name, path = ("responses", "/v1/responses") if "input" in body else ("anthropic", "/v1/messages")
    return read_request(Exchange(1, name, "POST", path, 0.0), body)  # type: ignore[arg-type]


@pytest.mark.parametrize("switch", LINES, ids=[f"{one.clients[0]}: {one.line}" for one in LINES])
def test_every_line_does_in_the_real_program_what_it_is_for(
    switch: ClientSwitch, agent: Callable[[str], Agent]
):
    program = agent(PROGRAMS[switch.clients[0]])
    if not between(program.version, switch.since, switch.until):
        pytest.skip(f"it is not for version {program.version}")
    asked = "READ:long.txt" if program.name == "claude" else "RUN:ls"
    plain = read(program.ask(asked))
    names = {one.name for one in plain.tools}
    gone = {"Workflow", "Skill"} & names
    line = (
        switch.line.replace("{tools}", ",".join(gone))
        .replace("{server}", "notes")
        .replace("{model}", "gpt-5-codex")
    )
    body = program.ask(asked, line)
    request, left = read(body), {one.name for one in read(body).tools}
    match switch.finding, switch.cause:
        case "unused_tools", _:
            assert left - {"ToolSearch", "DeferredToolPlaceholder"} < names
            assert gone.isdisjoint(left) or "{tools}" not in switch.line
            assert not switch.tools or not any(
                re.match(one.replace("*", ".*"), name) for one in switch.tools for name in left
            )
        case "cold_resume", _:
            assert {one.mark for one in plain.pieces} == {"", "5m"}
            assert {one.mark for one in request.pieces} == {"", "1h"}
        case _, "model":
            assert request.model == "gpt-5-codex" != plain.model
        case _, "parameters":
            assert dict(request.parameters) != dict(plain.parameters)
        case _:
            texts = [[one.text for one in some.pieces if one.kind == "system"] for some in (plain, request)]
            assert len("".join(texts[1])) < len("".join(texts[0]))
            assert not any(text.startswith(switch.sign or "\0") for text in texts[1])


TUNINGS = {
    "whole": SessionTuning(),
    "without a turn": SessionTuning(frozenset({2})),
    "without the first turn": SessionTuning(frozenset({1})),
    "shortened": SessionTuning(shorten_chars=600),
    "summarised": SessionTuning(summary="In short: lines.", summarised=(1, 2)),
}


@pytest.mark.parametrize("tuning", TUNINGS.values(), ids=TUNINGS)
@pytest.mark.parametrize("kind", ["claude", "codex"])
def test_a_written_session_is_resumed_as_predicted(
    kind: SessionKind, tuning: SessionTuning, agent: Callable[[str], Agent]
):
    program = agent(kind)
    if not any(one.kind == kind and one.has(program.version) for one in CLIENTS.sessions):
        pytest.skip(f"sessions of version {program.version} are not written")
    program.ask("READ:long.txt" if kind == "claude" else "RUN:cat long.txt")
    folder = program.home / FOLDERS[kind]
    (original,) = folder.rglob("*.jsonl")
    session = re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", original.name)[-1]
    for question in ("And then?", "And now?"):
        program.ask(question, session=session)
    before = hashlib.sha256(original.read_bytes()).digest()

    path, lines = find_session(str(folder), session)
    copy = copied_session(kind, lines, tuning, "seed")
    target = path.replace(session, copy.id)
    create_session(target, "".join(f"{line}\n" for line in copy.lines).encode())
    came = read(program.ask("Newest?", session=copy.id))

    found = against_prediction(copy, came)
    assert (found.relation, found.first_difference) == ("extended", None)
    assert "Newest?" in [one.text for one in came.pieces]
    assert hashlib.sha256(original.read_bytes()).digest() == before
