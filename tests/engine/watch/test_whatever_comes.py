"""Whatever programs send, in whichever order, it is understood or left alone; nothing makes the watch fail."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.context.watch.test_reading import FORMATS, JSON
from tests.fakes.passing import STARTED, passed, understanding
from workbench.context.watch.exports import as_curl, as_json_lines, as_spans, as_trajectory
from workbench.engine.watch.understanding import summary

TEXT = st.sampled_from(
    ["", "Why?", "word " * 400, "2026-11-17 11:08:20", "This session is being continued from a previous"]
)
BLOCK = st.one_of(
    st.builds(
        lambda text, mark: {"type": "text", "text": text, **mark},
        TEXT,
        st.sampled_from([{}, {"cache_control": {"type": "ephemeral"}}]),
    ),
    st.just({"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "a.py"}}),
    st.just({"type": "tool_result", "tool_use_id": "t1", "content": "line\n" * 500}),
    JSON,
)
MESSAGE = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant", "system", "tool", "model"]),
        "content": TEXT | st.lists(BLOCK, max_size=3),
    }
)
BODY = st.fixed_dictionaries(
    {
        "model": st.sampled_from(["claude-opus-4-8", "gpt-4o", "gpt-5.6", "m", ""]),
        "messages": st.lists(MESSAGE, max_size=5),
    },
    optional={
        "input": st.lists(MESSAGE, max_size=3) | TEXT,
        "contents": JSON,
        "system": TEXT | st.lists(BLOCK, max_size=2),
        "tools": st.lists(st.fixed_dictionaries({"name": st.sampled_from("ab")}), max_size=3) | JSON,
        "previous_response_id": st.sampled_from(["r1", "r2"]),
        "thinking": JSON,
        "max_tokens": st.integers(0, 2),
    },
)
ANSWER = st.one_of(
    st.just(b""),
    st.binary(max_size=20),
    st.builds(lambda document: json.dumps(document).encode(), JSON),
    st.builds(
        lambda tokens, cached: json.dumps(
            {
                "id": "r1", "type": "message", "content": [{"type": "text", "text": "So."}],
                "choices": [{"message": {"content": "So."}, "finish_reason": "stop"}],
                "usage": {"input_tokens": tokens, "prompt_tokens": tokens, "output_tokens": 3, "completion_tokens": 3,
                          "cache_read_input_tokens": cached, "cache_creation_input_tokens": tokens},
            }
        ).encode(),
        st.integers(0, 5000),
        st.integers(0, 9000),
    ),
)  # fmt: skip
SESSION, AGENT = ("x-claude-code-session-id", "s"), ("x-claude-code-agent-id", "a")
PASSED = st.tuples(
    st.sampled_from(FORMATS), BODY, ANSWER, st.integers(-10, 10_000), st.sampled_from([200, 400, 529, None]),
    st.sampled_from([(), (SESSION,), (SESSION, AGENT)]),
)  # fmt: skip


@given(st.lists(PASSED, max_size=6))
def test_nothing_makes_the_watch_fail(passing: list[tuple[Any, ...]]):
    watch, turns = understanding(), []
    for n, (name, body, answer, later, status, headers) in enumerate(passing, 1):
        about = {"started_at": STARTED + later, "status": status, "headers": headers}
        exchange = passed(n, name, body, answer, **about)
        turn = watch.take(exchange)
        as_curl(exchange)
        if turn is not None:
            turns.append(turn)
            json.dumps(as_trajectory(turn))
            assert turn.against.lost_tokens >= 0
            assert (turn.against.relation == "changed") <= bool(turn.against.causes)
            assert turn.forecast is None or turn.forecast.fresh_tokens >= 0
            assert all(one.tokens >= 0 and one.words and one.advice for one in turn.findings)

    as_json_lines(turns)
    as_spans(turns)
    assert len(summary(turns)) == (5 if turns else 1)
