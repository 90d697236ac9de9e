"""Out of the program: as a command that runs, as lines, as spans; and never with a key."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from typing import Any

import pytest

from tests.context.watch.test_lines import TURN
from tests.fakes.passing import messages, passed, said
from workbench.context.watch.exports import as_curl, as_json_lines, as_spans
from workbench.context.watch.lines import json_line
from workbench.domain.usage import Usage
from workbench.domain.watch.exchange import WatchedFormat
from workbench.domain.watch.request import WatchedAnswer

HEADERS = (("anthropic-version", "2023-06-01"), ("content-encoding", "zstd"), ("x-title", "it's $HOME `id`"))


def test_a_command_has_the_body_and_a_variable_in_the_place_of_the_key():
    exchange = passed(1, "anthropic", messages(said("user", "Why?")), headers=HEADERS)
    found = as_curl(exchange)

    assert found.startswith("curl 'https://api.anthropic.com/v1/messages?beta=true' \\\n")
    assert '-H "x-api-key: $ANTHROPIC_API_KEY"' in found
    assert "zstd" not in found
    assert exchange.request.decode() in found


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("openai", "authorization: Bearer $OPENAI_API_KEY"),
        ("responses", "authorization: Bearer $OPENAI_API_KEY"),
        ("gemini", "x-goog-api-key: $GEMINI_API_KEY"),
        ("ollama", ""),
    ],
)
def test_every_format_has_its_own_key(name: WatchedFormat, key: str):
    found = as_curl(passed(1, name, {}, path="/p?key=…&alt=sse"))

    assert "key=…" not in found
    assert "/p?alt=sse" in found
    assert (key in found) if key else ("API_KEY" not in found)


def test_another_server_may_be_named():
    assert as_curl(passed(1, "openai", {}), "http://127.0.0.1:8080/").startswith(
        "curl 'http://127.0.0.1:8080/v1/chat"
    )


def test_a_shell_runs_the_command_with_these_very_bytes():
    """Whatever stands in a body or a header, the shell must not take it for its own."""
    body = messages(said("user", 'it\'s `id` $HOME \\ "x"\nBODY\nBODY_\n<<EOF'))
    exchange = passed(1, "anthropic", body, headers=HEADERS)
    show = 'curl() { for one in "$@"; do printf "%s\\n" "$one"; done; cat; }\n'
    shell = subprocess.run(
        ["/bin/sh", "-c", show + as_curl(exchange)],
        capture_output=True,
        check=True,
        env={"ANTHROPIC_API_KEY": "k"},
        timeout=10,
    ).stdout.decode()

    assert "x-title: it's $HOME `id`\n" in shell
    assert "x-api-key: k\n" in shell
    assert shell.endswith(f"\n@-\n{exchange.request.decode()}\n")


def test_lines_are_the_ones_of_the_watch():
    assert [json.loads(one) for one in as_json_lines([TURN, TURN]).splitlines()] == [json_line(TURN)] * 2


def attributes(document: dict[str, Any]) -> dict[str, Any]:
    [span] = document["resourceSpans"][0]["scopeSpans"][0]["spans"]
    return {one["key"]: next(iter(one["value"].values())) for one in span["attributes"]}


def test_a_span_counts_what_a_cache_read_and_wrote_as_input():
    answer = WatchedAnswer(usage=Usage(125, 100, 20, 7), finish_reason="end_turn", id="msg_1")
    found = attributes(as_spans([replace(TURN, answer=answer)]))

    assert {name: value for name, value in found.items() if name.startswith("gen_ai.usage")} == {
        "gen_ai.usage.input_tokens": "125",
        "gen_ai.usage.output_tokens": "7",
        "gen_ai.usage.cache_read.input_tokens": "100",
        "gen_ai.usage.cache_creation.input_tokens": "20",
    }
    assert found["gen_ai.conversation.id"] == "c1"
    assert found["gen_ai.provider.name"] == "openai"


def test_spans_of_a_conversation_share_a_trace_and_nothing_else():
    sub = replace(TURN, conversation="c2", parent="c1")
    spans = as_spans([TURN, replace(TURN, n=3), sub], "1.0")["resourceSpans"][0]["scopeSpans"][0]["spans"]

    assert len({one["traceId"] for one in spans}) == 1
    assert len({one["spanId"] for one in spans}) == 3
    assert {(len(one["traceId"]), len(one["spanId"])) for one in spans} == {(32, 16)}


def test_what_was_not_reported_is_not_there_and_an_error_is_marked():
    failed = replace(TURN, answer=WatchedAnswer(error="Overloaded"), status=529)
    [span] = as_spans([failed])["resourceSpans"][0]["scopeSpans"][0]["spans"]

    assert span["status"] == {"code": 2}
    assert not any(one["key"].startswith("gen_ai.usage") for one in span["attributes"])
    assert attributes(as_spans([failed]))["error.type"] == "529"


def test_no_text_goes_with_a_span():
    assert "Be brief." not in json.dumps(as_spans([TURN]))
