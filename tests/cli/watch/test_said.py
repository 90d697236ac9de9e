"""The words of a watch."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.cli.watch.said import Lines, explain_no_requests, line_of, print_address
from workbench.domain.watch.exchange import Exchange
from workbench.domain.watch.routes import Routes
from workbench.files.writing import append_private

HERE = "http://127.0.0.1:4040"
PASSED = Exchange(
    2,
    "anthropic",
    "POST",
    "/v1/messages?beta=true",
    0.0,
    (("user-agent", "claude-cli/2.1 (x)"),),
    b"{}",
    2,
    200,
)


def test_a_request_that_was_not_understood_has_a_line_too():
    line = line_of(Exchange(1, None, "POST", "/v1/else", 0.0, unread="unknown_path"), None)
    assert (line["n"], line["format"], line["status"], line["unread"]) == (1, None, None, "unknown_path")
    assert line_of(PASSED, None)["client"] == "claude-cli/2.1"


def test_what_else_there_is_to_say():
    lines = Lines(None, aloud=False)
    assert lines.summary() == []
    lines.tell(
        Exchange(1, "anthropic", "POST", "/v1/messages", 0.0, unread="encoding", ending="unreachable"), None
    )
    lines.tell(Exchange(2, None, "HEAD", "/", 0.0), None)
    assert lines.summary(2) == [
        "Passed on unread: 1 request: its encoding is not known, or its body is not in it",
        "Without an answer, since the server could not be reached: 1 request",
        "Refused, since a browser or another name for this computer asked: 2 requests",
    ]


def test_lines_are_added_to_a_file(tmp_path: Path):
    for _ in range(2):
        lines = Lines(append_private(tmp_path / "out"), aloud=False)
        lines.tell(PASSED, None)
        lines.close()
    written = (tmp_path / "out").read_text().splitlines()
    assert [json.loads(one)["n"] for one in written] == [2, 2]
    assert (tmp_path / "out").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("beside", [True, False])
def test_the_address_is_a_result_unless_the_results_are_json(
    beside: bool, capsys: pytest.CaptureFixture[str]
):
    print_address(HERE, Routes(to="https://api.anthropic.com"), beside)
    shown = capsys.readouterr()
    said = shown.err if beside else shown.out
    assert said.splitlines() == [
        f"Watching on {HERE}, sending to https://api.anthropic.com. Press Ctrl-C to stop.",
        "Set this where the program starts:",
        f"  export ANTHROPIC_BASE_URL={HERE}",
    ]
    assert not (shown.out if beside else shown.err)


def test_nothing_seen_says_what_to_set(capsys: pytest.CaptureFixture[str]):
    explain_no_requests(HERE, Routes(), {})
    told = capsys.readouterr().err
    assert 'codex -c openai_base_url="http://127.0.0.1:4040/openai/v1"' in told
    assert "NO_PROXY" not in told
    explain_no_requests(HERE, Routes(), {"http_proxy": "http://p.example", "NO_PROXY": "intern.example"})
    assert "add 127.0.0.1 to NO_PROXY" in capsys.readouterr().err
    explain_no_requests(HERE, Routes(), {"HTTP_PROXY": "http://p.example", "NO_PROXY": "localhost,127.0.0.1"})
    assert "NO_PROXY" not in capsys.readouterr().err
    explain_no_requests(HERE, Routes(), None)
    assert f"export OLLAMA_HOST={HERE}/ollama" in capsys.readouterr().err
