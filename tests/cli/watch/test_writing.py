"""`workbench watch write`: the target first, then a new file; the original stays; what came is as predicted."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.catalogue import FakeCatalogue
from tests.fakes.history_access import MemoryAccess, history_parts
from tests.fakes.passing import passed, understanding
from tests.fakes.session_files import LONG, SESSION, THREAD, MemorySessions, claude_lines, codex_lines
from workbench.cli.main import run
from workbench.cli.watch.writing import add_write_arguments
from workbench.domain.watch.exchange import WatchedFormat
from workbench.engine.watch.stored_requests import Keeper

CLAUDE, CODEX = f"/h/.claude/projects/w/{SESSION}.jsonl", f"/h/.codex/sessions/2026/rollout-1-{THREAD}.jsonl"


class Stage:
    """A history with watched conversations, and the session files that their programs left."""

    def __init__(self, version: str = "2.1.327") -> None:
        self.access = MemoryAccess()
        self.files = MemorySessions({CLAUDE: claude_lines(version), CODEX: codex_lines()})
        self.watch("claude", "claude-cli/2.1.327", SESSION)
        self.watch("codex", "codex_exec/0.169.0", THREAD, "responses")
        self.watch("other", "aider/0.86", "", "openai")

    def watch(
        self, name: str, client: str, session: str, spoken: WatchedFormat = "anthropic", **body: Any
    ) -> None:
        """Keep one request of a program."""
        headers = (
            ("user-agent", client),
            ("x-claude-code-session-id" if spoken == "anthropic" else "session-id", session),
        )
        given = body or {"messages": [{"role": "user", "content": "Hi"}], "input": "Hi"}
        exchange = passed(1, spoken, {"model": "m", **given}, headers=headers)
        turn = understanding().take(exchange)
        assert turn is not None
        kept = replace(turn, conversation=name)
        asyncio.run(self._keep(kept, exchange))

    async def _keep(self, turn: Any, exchange: Any) -> None:
        await Keeper(self.access.store, FakeCatalogue()).keep(turn, exchange)

    def write(self, *argv: str) -> int:
        parts = replace(history_parts(self.access), session_files=lambda folder: self.files)
        return run(["watch", "write", *argv], lambda _: parts)

    def new(self) -> str:
        """The path of the file that was written."""
        (path,) = set(self.files.files) - {CLAUDE, CODEX}
        return path


@pytest.fixture
def stage() -> Stage:
    return Stage()


def test_the_target_is_shown_and_nothing_is_written_unasked(stage: Stage, capsys: pytest.CaptureFixture[str]):
    assert stage.write("claude", "--leave-out", "2") == 1
    shown = capsys.readouterr()

    assert "2  goes" in shown.err
    assert "A new file: /h/.claude/projects/w/" in shown.err
    assert "No terminal to confirm on; use --yes." in shown.err
    assert set(stage.files.files) == {CLAUDE, CODEX}
    assert stage.write("claude", "--dry-run", "--yes") == 0
    assert set(stage.files.files) == {CLAUDE, CODEX}


@pytest.mark.parametrize(
    ("name", "original", "said"), [("claude", CLAUDE, "claude --resume"), ("codex", CODEX, "codex resume")]
)
def test_a_new_file_beside_the_original_which_stays(
    stage: Stage, name: str, original: str, said: str, capsys: pytest.CaptureFixture[str]
):
    before = list(stage.files.files[original])

    assert stage.write(name, "--shorten", "100", "--yes") == 0
    shown, path = capsys.readouterr(), stage.new()

    assert shown.out.strip() == path
    assert path.rpartition("/")[0] == original.rpartition("/")[0]
    assert f"Written. The original stays as it was. Go on with: {said} " in shown.err
    assert "1 result shortened" in shown.err
    assert stage.files.files[original] == before
    assert LONG not in "".join(stage.files.files[path])


def test_as_json_with_the_prediction(stage: Stage, capsys: pytest.CaptureFixture[str]):
    assert stage.write("claude", "--leave-out", "1,3", "--out", "/h/x.jsonl", "--json", "--yes") == 0
    document = json.loads(capsys.readouterr().out)

    assert (document["written"], document["file"], document["original"]) == (True, "/h/x.jsonl", CLAUDE)
    assert [one["stays"] for one in document["turns"]] == [False, True, False]
    assert document["predicted"]["messages"][0]["content"][0]["text"] == "And a.py?"
    assert document["command"] == f"claude --resume {document['id']}"


def test_a_summary_from_a_file(stage: Stage, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "summary.md"
    file.write_text("In short: lines.\n")

    assert stage.write("codex", "--summarise", "1-2", "--summary", str(file), "--yes", "--json") == 0
    assert "In short: lines." in "".join(stage.files.files[stage.new()])


def test_what_came_is_held_against_the_prediction(stage: Stage, capsys: pytest.CaptureFixture[str]):
    assert stage.write("claude", "--leave-out", "1", "--dry-run", "--json") == 0
    said = json.loads(capsys.readouterr().out)["predicted"]["messages"]
    newest = {"role": "user", "content": [{"type": "text", "text": "Newest?\n"}]}
    stage.watch("resumed", "claude-cli/2.1.327", "new", messages=[*said, newest])

    assert stage.write("claude", "--leave-out", "1", "--against", "resumed") == 0
    assert "Request 1 begins with the messages that were predicted." in capsys.readouterr().out
    assert stage.write("claude", "--leave-out", "2", "--against", "resumed", "--json") == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["as_predicted"], found["first_difference"]["path"]) == (
        False,
        "messages[0].content[0].text",
    )
    assert stage.write("claude", "--against", "claude") == 1
    assert "No request of another session was watched" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (["other"], 1, "in a database, which is never written"),
        (["claude", "--as", "codex"], 2, "this session is one of claude"),
        (["claude", "--out", CODEX, "--yes"], 2, "is there already"),
        (["claude", "--leave-out", "two"], 2, "expected turns such as 3 or 1-12"),
        (["claude", "--leave-out", "9"], 2, "there is no turn 9"),
        (["claude", "--summarise", "1-2"], 2, "belong together"),
        (["claude", "--summary", "x.md"], 2, "belong together"),
        (["claude", "--shorten", "-1"], 2, "--shorten"),
    ],
)
def test_what_is_refused(
    stage: Stage, argv: Sequence[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
):
    assert stage.write(*argv) == code
    assert said in capsys.readouterr().err
    assert set(stage.files.files) == {CLAUDE, CODEX}


def test_turns_are_written_as_numbers_and_spans():
    parser = argparse.ArgumentParser()
    add_write_arguments(parser)
    given = parser.parse_args(["c", "--leave-out", "2,4-6"])

    assert (given.leave_out, given.keep_last, given.shorten) == ("2,4-6", 1, 0)


def test_a_version_that_is_not_known_is_refused_with_those_that_are(capsys: pytest.CaptureFixture[str]):
    stage = Stage("2.1.400")

    assert stage.write("claude", "--yes") == 1
    said = capsys.readouterr().err
    assert (
        "This session is of version 2.1.400; its form is known of 2.1.327 alone. Nothing was written." in said
    )
    assert set(stage.files.files) == {CLAUDE, CODEX}
