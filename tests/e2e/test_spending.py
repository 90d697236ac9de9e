"""`workbench spend` and its caps as a person uses them: the real program and store, and a recording server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.program import loaded_program
from tests.fakes.schemas import problems
from workbench.sources.resources import resource_path

PATIENCE_S = 120
KEY = "sk-canary-8d1f0c2b7a6e5d4c3b2a"


@dataclass
class Server:
    """OpenAI and Anthropic on loopback; what it reports depends on the length of the question.

    Attributes:
        bodies: of all requests. reported: their usage. waits: whether answers are held back until it is cleared.
    """

    bodies: list[bytes] = field(default_factory=list)
    reported: list[tuple[int, int, int]] = field(default_factory=list)
    arrived: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    open: threading.Event = field(default_factory=threading.Event)
    url: str = ""

    def answer(self, path: str, body: bytes) -> tuple[str, bytes]:
        """Count a request, and answer it once that is allowed."""
        prompt, cached, answered = 1_000 + len(body), 512, 30 + len(self.bodies)
        self.bodies.append(body)
        self.reported.append((prompt, cached, answered))
        self.arrived.release()
        assert self.open.wait(PATIENCE_S)
        if path.endswith("/messages"):
            spent = {
                "input_tokens": prompt - cached, "cache_read_input_tokens": cached, "output_tokens": answered,
            }  # fmt: skip
            whole = {
                "id": "m", "type": "message", "role": "assistant", "model": "claude-sonnet-4-6",
                "content": [{"type": "text", "text": "Yes."}], "stop_reason": "end_turn", "usage": spent,
            }  # fmt: skip
            return "application/json", json.dumps(whole).encode()
        usage: dict[str, Any] = {
            "prompt_tokens": prompt,
            "completion_tokens": answered,
            "prompt_tokens_details": {"cached_tokens": cached},
        }
        frame = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o"}
        chunks: list[dict[str, Any]] = [
            {**frame, "choices": [{"index": 0, "delta": {"content": "Yes."}, "finish_reason": "stop"}]},
            {**frame, "choices": [], "usage": usage},
        ]
        events = b"".join(b"data: %b\n\n" % json.dumps(chunk).encode() for chunk in chunks)
        return "text/event-stream", events + b"data: [DONE]\n\n"


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    made.open.set()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            kind, answer = made.answer(self.path, body)
            try:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)
            except OSError:
                return  # whoever asked was killed

        def do_GET(self) -> None:
            self.send_response(404)
            self.send_header("content-length", "0")
            self.end_headers()

    there = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{there.server_address[1]}"
    thread = threading.Thread(target=there.serve_forever, daemon=True)
    thread.start()
    yield made
    made.open.set()
    there.shutdown()
    thread.join()
    there.server_close()


@dataclass(frozen=True)
class Desk:
    """A data folder whose OpenAI is the server."""

    folder: Path
    server: Server

    @property
    def surroundings(self) -> dict[str, str]:
        known = {**os.environ, "WORKBENCH_PASSPHRASE": "correct horse battery", "CANARY": KEY, "TZ": "UTC"}
        return known | {"ANTHROPIC_BASE_URL": self.server.url}

    def run(self, *argv: str) -> subprocess.CompletedProcess[str]:
        given = ("--data-dir", str(self.folder / "data"), *argv)
        return loaded_program().run(*given, cwd=self.folder, environment=self.surroundings)

    def ask(self, *argv: str) -> subprocess.CompletedProcess[str]:
        return self.run("ask", "--model", "openai:gpt-4o", "--key-env", "CANARY", *argv)

    def asking(self, *argv: str) -> subprocess.Popen[str]:
        """Ask in another process, until its request has arrived."""
        command = [sys.executable, "-m", "workbench", "--data-dir", str(self.folder / "data"), "ask"]
        command += ["--model", "openai:gpt-4o", "--key-env", "CANARY", *argv]
        out, err = subprocess.PIPE, subprocess.PIPE
        made = subprocess.Popen(
            command, cwd=self.folder, env=self.surroundings, text=True, stdout=out, stderr=err
        )
        assert self.server.arrived.acquire(timeout=PATIENCE_S)
        return made

    def spent(self, *argv: str) -> dict[str, Any]:
        done = self.run("spend", "--json", *argv)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        assert problems("spend", found) == []
        return found


@pytest.fixture
def desk(tmp_path: Path, server: Server) -> Desk:
    made = Desk(tmp_path, server)
    assert made.run("settings", "set", f"openai_url={server.url}/v1").returncode == 0
    return made


def priced(reported: list[tuple[int, int, int]], provider: str, model: str) -> float:
    """Tokens times the price list, read here once more."""
    families = tomllib.loads(resource_path("prices.toml").read_text(encoding="utf-8"))["family"]
    models = (one for family in families if family["provider"] == provider for one in family["models"])
    price = next(one for one in models if one["name"] == model)
    fresh, cached, output = (float(price[name]) for name in ("input", "cached", "output"))
    return sum((p - c) * fresh + c * cached + a * output for p, c, a in reported) / 1e6


def test_tokens_are_the_server_s_and_dollars_are_those_times_the_price_list(desk: Desk):
    assert desk.ask("How are you?", "And now?", "And then?").returncode == 0
    found, told = desk.spent("--by", "model"), desk.server.reported
    assert len(told) == 3
    (row,) = found["rows"]
    assert row["key"] == "openai:gpt-4o"
    sums = [sum(one[place] for one in told) for place in range(3)]
    assert [row[f"{name}_tokens"] for name in ("input", "cached", "output")] == sums
    assert (row["requests"], row["unpriced_requests"]) == (3, 0)
    assert row["usd"] == pytest.approx(priced(told, "openai", "gpt-4o"), abs=1e-9)
    assert found["total"] == {name: value for name, value in row.items() if name != "key"}
    for by in ("day", "week", "month", "workspace", "program"):
        assert desk.spent("--by", by)["total"] == found["total"]
    assert desk.spent("--since", "2999-01-01") == {
        "rows": [],
        "total": desk.spent("--since", "2999-01-01")["total"],
    }
    table = desk.run("spend")
    assert "total" in table.stdout
    assert (desk.run("spend", "--since", "soon").returncode, KEY in table.stdout + table.stderr) == (2, False)


def test_what_has_no_known_price_is_unknown(desk: Desk):
    done = desk.run("ask", "--model", f"server:{desk.server.url}/v1#lab", "Hello?")
    assert done.returncode == 0, done.stderr
    (row,) = desk.spent("--by", "program")["rows"]
    assert (row["key"], row["usd"], row["saved_usd"], row["unpriced_requests"]) == (
        "workbench",
        None,
        None,
        1,
    )
    assert "no price is known for 1 request" in desk.run("spend").stderr


def test_a_request_that_would_pass_a_cap_is_not_sent_unless_it_may_once(desk: Desk):
    assert desk.run("settings", "set", "spend.day_usd=0.01").returncode == 0
    done = desk.ask("--json", "How are you?")
    (line,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, line["error"]["kind"], desk.server.bodies) == (1, "cap", [])
    assert line["error"]["message"].startswith("$0.01 of $0.01 left today; this one may cost $0.1")
    assert "--over-cap" in done.stderr
    assert desk.ask("--over-cap", "How are you?").returncode == 0
    assert len(desk.server.bodies) == 1
    assert desk.ask("How are you?").returncode == 1
    assert desk.run("settings", "set", "spend.day_usd=null", "spend.chat_usd=5").returncode == 0
    assert desk.ask("How are you?").returncode == 0
    assert len(desk.server.bodies) == 2


def test_two_at_once_do_not_both_pass_a_cap_that_allows_one(desk: Desk):
    assert desk.run("settings", "set", "spend.month_usd=0.30").returncode == 0
    desk.server.open.clear()
    with desk.asking("First") as first:
        second = desk.ask("--json", "Second")
        assert (second.returncode, json.loads(second.stdout)["error"]["kind"]) == (1, "cap"), second.stderr
        assert len(desk.server.bodies) == 1
        desk.server.open.set()
        assert first.wait(PATIENCE_S) == 0
    third = desk.ask("Third")
    assert third.returncode == 0, "what the first one reserved is given back at its end"


@pytest.mark.skipif(os.name == "nt", reason="processes end in another way there")
def test_what_a_killed_program_had_reserved_does_not_count_for_ever(desk: Desk):
    assert desk.run("settings", "set", "spend.month_usd=0.30").returncode == 0
    desk.server.open.clear()
    with desk.asking("First") as first:
        first.kill()
    desk.server.open.set()
    assert desk.ask("Second").returncode == 0
    shown = desk.run("spend")
    assert desk.spent()["total"]["requests"] == 2
    assert "1 request had no usage reported; the figures for that are predicted" in shown.stderr
    assert not list((desk.folder / "data").glob("spending-*.lock"))


ASKS = """
import json, urllib.error, urllib.request, os
body = {"model": "claude-sonnet-4-6", "max_tokens": 1000, "messages": [{"role": "user", "content": "Hello there?"}]}
asked = urllib.request.Request(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", json.dumps(body).encode())
asked.add_header("content-type", "application/json")
asked.add_header("user-agent", "claude-cli/2.1.0")
try:
    print(urllib.request.urlopen(asked).status)
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
"""


def test_a_watched_program_is_counted_and_gets_its_vendor_s_error(desk: Desk):
    (desk.folder / "asks.py").write_text(ASKS, encoding="utf-8")
    watch = ("watch", "--", sys.executable, "asks.py")
    assert desk.ask("Hello?").returncode == 0
    assert desk.run(*watch).stdout.splitlines()[0] == "200"
    rows = {row["key"]: row for row in desk.spent("--by", "program")["rows"]}
    assert rows.keys() == {"workbench", "claude-cli"}
    told = desk.server.reported[-1:]
    assert rows["claude-cli"]["input_tokens"] == told[0][0]
    assert rows["claude-cli"]["usd"] == pytest.approx(
        priced(told, "anthropic", "claude-sonnet-4-6"), abs=1e-9
    )
    assert desk.run("settings", "set", "spend.day_usd=0.001").returncode == 0
    code, _, error = desk.run(*watch).stdout.splitlines()[0].partition(" ")
    assert (code, json.loads(error)["error"]["type"], len(desk.server.bodies)) == ("402", "billing_error", 2)


def beside_the_store(desk: Desk) -> dict[str, bytes]:
    """Every file of the data folder with its content, but the encrypted store and the number of its last writer."""
    files = (one for one in (desk.folder / "data").rglob("*") if one.is_file())
    return {one.name: one.read_bytes() for one in files if not one.name.startswith(("store.db", "writer"))}


def test_a_temporary_chat_leaves_only_what_it_cost(desk: Desk):
    assert desk.ask("Something to keep.").returncode == 0
    before = beside_the_store(desk)
    done = desk.ask("--temporary", "--json", "Nobody hears of the heliotrope.")
    assert done.returncode == 0, done.stderr
    line = json.loads(done.stdout)
    assert problems("ask", line) == []
    assert (line["chat"], line["temporary"], line["state"]) == (None, True, "complete")
    assert beside_the_store(desk) == before
    assert desk.spent()["total"]["requests"] == 2
    assert len(json.loads(desk.run("history", "list", "--json").stdout)) == 1
    assert json.loads(desk.run("history", "search", "heliotrope", "--json").stdout) == []
    assert desk.ask("--temporary", "--chat", "x", "Hello?").returncode == 2


def test_a_chat_is_kept_warm_by_its_own_request_and_that_is_counted_as_its_own_kind(desk: Desk):
    done = desk.ask("--model", "openai:gpt-4.1-mini", "--json", "words and more words " * 400)
    chat = json.loads(done.stdout)["chat"]
    priced_first = desk.run("history", "warm", chat, "--key-env", "CANARY", "--dry-run", "--json")
    assert priced_first.returncode == 0, priced_first.stderr
    offer = json.loads(priced_first.stdout)
    assert offer["refreshes"] == 0
    assert 0 < offer["refresh_usd"] < offer["reread_usd"]
    done = desk.run("history", "warm", chat, "--key-env", "CANARY", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["refreshes"], told["reported_tokens"]) == (1, 512)
    first, again = (json.loads(body) for body in desk.server.bodies)
    assert again["messages"] == first["messages"]
    assert {**again, "max_tokens": 0} == {**first, "max_tokens": 0}
    assert again["max_tokens"] == 1
    total = desk.spent()["total"]
    assert (total["requests"], total["refreshes"]) == (2, 1)
    shown = json.loads(desk.run("history", "show", chat, "--json").stdout)
    assert [one["cached_tokens"] for one in shown["refreshes"]] == [512]
    assert "1 request kept a cache warm" in desk.run("spend").stdout
