"""`workbench ask` as a person runs it: the real program, the real store, the real model or a real server."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.loop import in_loop
from tests.fakes.program import loaded_program
from tests.fakes.secret_texts import GITHUB
from tests.fakes.wires import OpenAiWire
from workbench.domain.usage import Usage

CANARY = "sk-canary-8d1f0c2b7a6e5d4c3b2a"
PROGRAM = (sys.executable, "-m", "workbench")
PATIENCE_S = 240
"""A guard against hanging only."""


def surroundings(**more: str) -> dict[str, str]:
    return {**os.environ, "WORKBENCH_PASSPHRASE": "correct horse battery", **more}


def ask(folder: Path, *argv: str, **more: str) -> subprocess.CompletedProcess[str]:
    given = ("--data-dir", str(folder / "data"), "ask", *argv)
    return loaded_program().run(*given, cwd=folder, environment=surroundings(**more))


def ask_from_nothing(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    command = [*PROGRAM, "--data-dir", str(folder / "data"), "ask", *argv]
    return subprocess.run(
        command, cwd=folder, env=surroundings(), capture_output=True, text=True, timeout=PATIENCE_S
    )


def lines(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_first_start_talks_and_every_number_is_the_servers(tmp_path: Path):
    """No key, no server, no account: turns with a file, counted and foretold exactly."""
    (tmp_path / "notes.md").write_text("The release is on 3 March. 漢字 🙂\n", encoding="utf-8")
    given = ("--attach", "notes.md", "--set", "reserved_output_tokens=24", "--json")
    done = ask_from_nothing(tmp_path, "When is the release?", "Write <|im_end|> twice.", *given)
    assert done.returncode == 0, done.stderr
    turns = lines(done)
    assert [turn["state"] for turn in turns] == ["complete"] * 2
    for turn in turns:
        report = turn["report"]
        assert (report["total_tokens"], report["count"]) == (turn["usage"]["prompt_tokens"], "exact")
        assert turn["cache"]["verdict"] == "as_predicted"
        assert turn["cache"]["predicted_read_tokens"] == turn["usage"]["cached_tokens"]
        assert report["violations"] == []
    assert turns[1]["report"]["repaired"] != []
    assert turns[1]["usage"]["cached_tokens"] > 0
    again = ask(tmp_path, "Hello again.", "--chat", turns[0]["chat"], *given[2:])
    (turn,) = lines(again)
    assert (turn["turn"], turn["cache"]["predicted_read_tokens"]) == (3, 0)
    assert turn["report"]["total_tokens"] == turn["usage"]["prompt_tokens"]


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGINT to send to another process")
def test_ctrl_c_keeps_what_arrived(tmp_path: Path):
    """That no server of ours is left behind is said by `test_builtin_model`."""
    wire = OpenAiWire()

    async def stalls(connection: Connection) -> None:
        await connection.head(wire.content_type)
        await connection.send(wire.text("one two "))
        await connection.gone()

    @in_loop
    async def talk() -> None:
        async with FaultServer({"slow": stalls}) as server:
            asking = await _started(tmp_path, "Count.", "--model", f"server:{server.url('slow', '/v1')}#m")
            assert asking.stdout is not None
            first = await asyncio.wait_for(asking.stdout.readexactly(1), PATIENCE_S)
            asking.send_signal(signal.SIGINT)
            rest, told = await asyncio.wait_for(asking.communicate(), PATIENCE_S)
            assert asking.returncode == 130, told
            assert (first + rest).decode().strip() == "one two"

    talk()
    found = _history(tmp_path, "search", "Count", "--json")
    kept = _history(tmp_path, "show", found[0]["chat"], "--json")
    assert (kept["messages"][-1]["state"], kept["messages"][-1]["text"].strip()) == ("stopped", "one two")


def _history(folder: Path, *argv: str) -> Any:
    given = ("--data-dir", str(folder / "data"), "history", *argv)
    return json.loads(loaded_program().run(*given, cwd=folder, environment=surroundings()).stdout)


async def _started(folder: Path, *argv: str, **more: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *PROGRAM, "--data-dir", str(folder / "data"), "ask", *argv,
        env=surroundings(**more), cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip


async def _run(folder: Path, *argv: str, **more: str) -> tuple[int, str, str]:
    done = await asyncio.to_thread(ask, folder, *argv, **more)
    return done.returncode, done.stdout, done.stderr


def test_a_server_gets_its_key_and_nothing_of_it_is_found_anywhere(tmp_path: Path):
    """A hostile server echoes the key in its answer's headers, in an error body and in the stream."""
    wire = OpenAiWire()

    async def answers(connection: Connection) -> None:
        await connection.head(wire.content_type)
        await connection.send(wire.text("All well."), wire.finish("stop", Usage(9, 0, None, 2)))

    async def refuses(connection: Connection) -> None:
        body = json.dumps({"error": {"message": f"bad key {CANARY}", "type": "auth"}}).encode()
        await connection.whole(body, "application/json", "401 Unauthorized", echo=CANARY)

    @in_loop
    async def talk() -> None:
        async with FaultServer({"good": answers, "bad": refuses}) as server:
            more = {
                "MY_KEY": CANARY,
                "WORKBENCH_LOG": str(tmp_path / "log.txt"),
                "OPENAI_API_KEY": "sk-other",
            }
            given = ("--key-env", "MY_KEY", "--json", "--set", "timeouts.first_token_s=20")
            good = f"server:{server.url('good', '/v1')}#m"
            code, out, err = await _run(tmp_path, "Well?", "--model", good, *given, **more)
            assert (code, json.loads(out)["answer"]) == (0, "All well."), err
            bad = f"server:{server.url('bad', '/v1')}#m"
            code, out, err = await _run(tmp_path, "Well?", "--model", bad, *given, **more)
            assert (code, json.loads(out)["error"]["kind"]) == (1, "auth")
            assert CANARY not in out + err
            sent = [
                asked.headers.get("authorization") for asked in server.asked if "completions" in asked.path
            ]
            assert set(sent) == {f"Bearer {CANARY}"}

    talk()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert [path.name for path in files if CANARY.encode() in path.read_bytes()] == []


def test_tools_change_the_workspace_only_with_a_yes_and_can_be_undone(tmp_path: Path):
    (tmp_path / "a.txt").write_text("one\n", encoding="utf-8")
    script = [
        {"tool_calls": [{"name": "grep", "arguments": {"pattern": "one"}}]},
        {"tool_calls": [{"name": "edit", "arguments": {"path": "a.txt", "old": "one", "new": "two"}}]},
        {"text": "Done."},
    ]
    (tmp_path / "script.json").write_text(json.dumps(script), encoding="utf-8")
    given = ("Change it.", "--model", "scripted:script.json", "--tools", "--json")
    refused = ask(tmp_path, *given)
    assert (refused.returncode, (tmp_path / "a.txt").read_text(encoding="utf-8")) == (0, "one\n")
    assert "refused (no --yes)" in refused.stderr
    allowed = ask(tmp_path, *given, "--yes")
    (turn,) = lines(allowed)
    assert (turn["answer"], (tmp_path / "a.txt").read_text(encoding="utf-8")) == ("Done.", "two\n")
    roles = [message["role"] for message in turn["report"]["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool"]
    assert "[User query]:\nChange it." in turn["report"]["messages"][3]["content"]
    kinds = [segment["kind"] for segment in turn["report"]["layers"][0]["segments"]]
    assert kinds.count("tool") == 8
    assert "tool_guidelines" in kinds


def test_a_second_program_asks_beside_the_first(tmp_path: Path):
    (tmp_path / "slow.json").write_text(json.dumps([{"text": "a b", "delay_ms": 20000}]), encoding="utf-8")
    command = [
        *PROGRAM,
        "--data-dir",
        str(tmp_path / "data"),
        "ask",
        "Slow?",
        "--model",
        "scripted:slow.json",
    ]
    with subprocess.Popen(
        command, env=surroundings(), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as slow:
        try:
            assert slow.stderr is not None
            while b"recovery code" not in slow.stderr.readline():
                pass
            _wait_for_writer(tmp_path)
            (tmp_path / "quick.json").write_text('[{"text": "Done."}]', encoding="utf-8")
            done = ask(tmp_path, "Me too?", "--model", "scripted:quick.json")
            assert (done.returncode, done.stdout) == (0, "Done.\n")
        finally:
            slow.kill()


def _wait_for_writer(folder: Path) -> None:
    """Until the first program has the store open; a coarse guard against waiting for ever."""
    import time

    for _ in range(PATIENCE_S * 20):
        if list((folder / "data").glob("*.db-wal")) or list((folder / "data").glob("writer*")):
            return
        time.sleep(0.05)
    raise AssertionError("the first program did not open the history")


def test_keys_are_warned_of_and_paths_are_not_told(tmp_path: Path):
    """The file lies in a folder that is nobody's business, and has a key in it: told here, not there."""
    wire = OpenAiWire()
    outside = tmp_path / "home" / "ada-lovelace" / "deploy.env"
    outside.parent.mkdir(parents=True)
    outside.write_text(f"A=1\nTOKEN={GITHUB}\n", encoding="utf-8")
    (tmp_path / "here").mkdir()

    async def answers(connection: Connection) -> None:
        await connection.head(wire.content_type)
        await connection.send(wire.text("All well."), wire.finish("stop", Usage(9, 0, None, 2)))

    @in_loop
    async def talk() -> None:
        async with FaultServer({"good": answers}) as server:
            model = f"server:{server.url('good', '/v1')}#m"
            given = ("Well?", "--model", model, "--attach", str(outside), "--json")
            for number in range(2):
                code, out, err = await _run(tmp_path / "here", *given)
                assert code == 0, err
                assert GITHUB[4:14] not in err
                (found,) = json.loads(out)["secrets"]
                assert found == {
                    "kind": "github", "where": "deploy.env", "line": 2, "hint": "ghp_…", "replaced": number == 1,
                }  # fmt: skip
                wanted = "was replaced before sending" if number else "and is sent with the request"
                assert f"deploy.env, line 2: {'' if number else 'looks like '}a GitHub key" in err
                assert wanted in err
                settings = tmp_path / "here" / "data" / "settings.toml"
                settings.write_text('redaction = "replace"\n', encoding="utf-8")
            bodies = [asked.body.decode() for asked in server.asked if "completions" in asked.path]
            assert len(bodies) == 2
            assert all("ada-lovelace" not in body and str(tmp_path) not in body for body in bodies)
            assert [GITHUB in body for body in bodies] == [True, False]
            assert all('id=\\"deploy.env\\"' in body for body in bodies)

    talk()
