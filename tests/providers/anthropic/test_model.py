"""The adapter against a server that does everything wrong: each fault has its name, and what came is kept."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.answers import Kept, keep, question
from tests.fakes.anthropic_server import WIRE, refusing, saying, server
from tests.fakes.fault_server import Act, Asked, Connection
from tests.fakes.loop import in_loop
from tests.fakes.wires import MODEL, QUICK
from tests.providers.anthropic.test_client import ENVIRONMENT
from workbench.domain.answer import (
    AnswerNamed,
    CallMade,
    Finished,
    ModelFailed,
    TextGrew,
    ThinkingGrew,
    UsageReported,
)
from workbench.domain.caching import ProviderSays
from workbench.domain.errors import InvalidInput
from workbench.domain.message import ToolCall
from workbench.domain.model import ModelCard
from workbench.domain.request import ModelRequest, Timeouts
from workbench.domain.secrets import Secret
from workbench.domain.usage import Usage
from workbench.providers.anthropic.model import AnthropicModel, EventReader
from workbench.providers.harness.harness import CallGrew
from workbench.providers.wire.endpoint import endpoint_of
from workbench.providers.wire.faults import SaidError

KEY = Secret.of_text("sk-ant-real-key-0123456789")
TEXT = WIRE.start() + WIRE.text("Some ") + WIRE.text("words")
HURRIED = Timeouts(connect_s=20, first_token_s=0.4, idle_s=0.4)
CARD = ModelCard("m", "anthropic", 1000, None, "o200k_base", False, 3, 3, "anthropic", "2026-01-01")


async def ask(act: Act, request: ModelRequest | None = None) -> tuple[Kept, list[Asked]]:
    async with server(act=act) as serving:
        model = WIRE.model(serving.url("act"), KEY)
        kept = await keep(model.stream(request or question()))
        await model.close()
        return kept, serving.asked


@in_loop
async def test_an_answer_with_everything():
    call = ToolCall("toolu_1", "ls", '{"path": "."}')
    signed = WIRE.block(
        {"type": "thinking", "thinking": ""},
        {"type": "thinking_delta", "thinking": "Hm."},
        {"type": "signature_delta", "signature": "sig"},
    )
    usage = Usage(125, 100, 20, 7)
    kept, asked = await ask(saying(TEXT, signed, WIRE.calls(call), WIRE.finish("tool_calls", usage)))
    assert (kept.state, kept.text, kept.thinking) == ("complete", "Some words", "Hm.")
    assert [made.call for made in kept.calls] == [call]
    assert kept.usage[-1].usage == usage
    assert ThinkingGrew("", "sig") in kept.parts
    assert kept.parts[-1] == Finished("tool_calls")
    (sent,) = asked
    body = json.loads(sent.body)
    assert (sent.method, sent.path) == ("POST", "/act/v1/messages")
    assert (body["model"], body["stream"], body["max_tokens"]) == (MODEL, True, 4096)
    assert body["messages"] == [{"role": "user", "content": [{"type": "text", "text": "Why?"}]}]


@in_loop
async def test_only_what_is_needed_is_sent(monkeypatch: pytest.MonkeyPatch):
    """The client would send the machine's details, and what the environment tells it to."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    _, (sent,) = await ask(saying(TEXT, WIRE.finish()))
    assert set(sent.headers) == {
        *("host", "accept", "content-type", "content-length", "connection"),
        *("accept-encoding", "user-agent", "anthropic-version", "x-api-key"),
    }
    assert sent.headers["x-api-key"] == KEY.reveal_text()
    assert set(json.loads(sent.body)) == {"model", "max_tokens", "messages", "stream"}


async def _page(connection: Connection) -> None:
    await connection.whole(b"<html>Sign in</html>", "text/html")


async def _document(connection: Connection) -> None:
    await connection.whole(b'{"type": "message", "content": []}', "application/json")


async def _redirect(connection: Connection) -> None:
    await connection.head(
        "", "307 Temporary Redirect", location="http://127.0.0.1:1/steal", content_length="0"
    )


async def _zipped(connection: Connection) -> None:
    await connection.whole(b"\x1f\x8b", "text/event-stream", content_encoding="gzip")


async def _reset(connection: Connection) -> None:
    await connection.head()
    await connection.send(TEXT)
    await connection.reset()


async def _pings(connection: Connection) -> None:
    await connection.head()
    for _ in range(200):
        await connection.send(WIRE.keep_alive())
        await asyncio.sleep(0.05)


async def _silence_after_text(connection: Connection) -> None:
    await connection.head()
    await connection.send(TEXT)
    await _pings(connection)


def error_event(kind: str) -> bytes:
    return WIRE.raw({"type": "error", "error": {"type": kind, "message": f"{kind} for {KEY.reveal_text()}"}})


def error(kind: str, message: str = "No.") -> dict[str, str]:
    return {"type": kind, "message": message}


LONG = "prompt is too long: 210000 tokens > 200000 maximum"
FAULTS: list[tuple[str, Act, str, str, int]] = [
    # name, what the server does, state, kind, attempts
    ("cut after text", saying(TEXT), "interrupted", "protocol", 1),
    ("cut in an event", saying(TEXT, b'event: content_block_delta\ndata: {"type"'), "interrupted", "protocol", 1),
    ("cut after the reason", saying(TEXT, WIRE.delta("end_turn")), "interrupted", "protocol", 1),
    ("cut at once", saying(), "failed", "protocol", 1),
    ("reset in the middle", _reset, "interrupted", "network", 1),
    ("a web page", _page, "failed", "protocol", 1),
    ("a whole document with nothing in it", _document, "failed", "empty", 1),
    ("a redirect", _redirect, "failed", "protocol", 1),
    ("a compressed answer", _zipped, "failed", "protocol", 1),
    ("overloaded at once", saying(error_event("overloaded_error")), "failed", "server", 3),
    ("overloaded in the middle", saying(TEXT, error_event("overloaded_error")), "interrupted", "server", 1),
    ("rate limit in the stream", saying(error_event("rate_limit_error")), "failed", "rate", 3),
    ("not JSON", saying(TEXT, WIRE.framed(b"{nonsense")), "interrupted", "protocol", 1),
    ("not UTF-8", saying(TEXT, WIRE.framed(b'{"type": "\xff"}')), "interrupted", "protocol", 1),
    ("JSON of another kind", saying(TEXT, WIRE.framed(b"[1]")), "interrupted", "protocol", 1),
    ("an endless line", saying(TEXT, b"data: " + b"x" * 5_000_000), "interrupted", "too_big", 1),
    ("no content", saying(WIRE.start(), WIRE.finish()), "failed", "empty", 1),
    ("refused without a word", saying(WIRE.start(), WIRE.finish("refusal")), "failed", "empty", 1),
    ("a bad key", refusing("401 Unauthorized", error("authentication_error")), "failed", "auth", 1),
    ("no permission", refusing("403 Forbidden", error("permission_error")), "failed", "auth", 1),
    ("no such model", refusing("404 Not Found", error("not_found_error")), "failed", "request", 1),
    ("too large", refusing("413 Too Large", error("request_too_large")), "failed", "too_big", 1),
    ("too long", refusing("400 Bad Request", error("invalid_request_error", LONG)), "failed", "context", 1),
    ("a rate limit", refusing("429 Too Many", error("rate_limit_error"), retry_after="1"), "failed", "rate", 3),
    ("a long wait", refusing("429 Too Many", error("rate_limit_error"), retry_after="900"), "failed", "rate", 1),
    ("overloaded", refusing("529 Overloaded", error("overloaded_error")), "failed", "server", 3),
]  # fmt: skip


@pytest.mark.parametrize(("name", "act", "state", "kind", "attempts"), FAULTS, ids=[row[0] for row in FAULTS])
@in_loop
async def test_every_fault_has_its_name(name: str, act: Act, state: str, kind: str, attempts: int):
    """pydantic-ai #6610: for the official client a stream that was cut is one that has ended."""
    kept, asked = await ask(act)
    assert (kept.state, kept.kind, len(asked)) == (state, kind, attempts)
    assert kept.text == ("Some words" if state == "interrupted" else "")
    assert kept.failure is not None
    assert KEY.reveal_text() not in f"{kept.failure.message} {kept.error!r}"
    assert "127.0.0.1" in kept.failure.message or kind == "context"


@pytest.mark.parametrize(("act", "state"), [(_pings, "failed"), (_silence_after_text, "interrupted")])
@in_loop
async def test_pings_are_not_content(act: Act, state: str):
    kept, _ = await ask(act, question(timeouts=HURRIED))
    assert (kept.state, kept.kind) == (state, "timeout")


@in_loop
async def test_the_numbers_of_a_request_that_is_too_long_are_told():
    kept, _ = await ask(refusing("400 Bad Request", error("invalid_request_error", LONG)))
    assert kept.failure is not None
    assert (kept.failure.limit_tokens, kept.failure.asked_tokens) == (200000, 210000)


@in_loop
async def test_what_comes_after_the_end_does_not_matter():
    kept, _ = await ask(saying(TEXT, WIRE.finish(), WIRE.text("more"), b"\xff garbage"))
    assert (kept.state, kept.text) == ("complete", "Some words")


@in_loop
async def test_a_server_that_recovers_is_asked_again_visibly():
    async def act(connection: Connection) -> None:
        play = (
            refusing("529 x", error("overloaded_error"))
            if connection.number == 1
            else saying(TEXT, WIRE.finish())
        )
        await play(connection)

    kept, _ = await ask(act)
    assert (kept.state, kept.text, len(kept.retries)) == ("complete", "Some words", 1)


@in_loop
async def test_stopping_closes_the_connection():
    async def act(connection: Connection) -> None:
        await connection.head()
        await connection.send(TEXT)
        await connection.gone()

    async with server(act=act) as serving:
        model = WIRE.model(serving.url("act"))
        stream = model.stream(question())
        await anext(stream)
        await stream.aclose()
        async with asyncio.timeout(250):
            await serving.closed.wait()
        await model.close()


@in_loop
async def test_no_key_is_needed_where_none_is_set():
    async with server(act=saying(TEXT, WIRE.finish())) as serving:
        model = WIRE.model(serving.url("act"))
        await model.ready(lambda what, fraction: None)
        assert (await keep(model.stream(question()))).state == "complete"
        assert "x-api-key" not in serving.asked[0].headers
        assert await model.meter() is None
        await model.close()


@in_loop
async def test_an_older_model_is_asked_without_a_word_on_standard_error(recwarn: pytest.WarningsRecorder):
    async with server(act=saying(TEXT, WIRE.finish())) as serving:
        name = "anthropic:claude-3-opus-20240229"
        model = AnthropicModel(endpoint_of(name, lambda _: None, serving.url("act")))
        assert (await keep(model.stream(question()))).state == "complete"
        assert json.loads(serving.asked[0].body)["model"] == "claude-3-opus-20240229"
        await model.close()
    assert len(recwarn) == 0


def about(**said: Any) -> Act:
    async def act(connection: Connection) -> None:
        await connection.whole(json.dumps(said).encode(), "application/json")

    return act


@pytest.mark.parametrize(
    ("act", "window", "longest"),
    [
        (about(id="m", max_input_tokens=200_000, max_tokens=64_000), 200_000, 64_000),
        (about(id="m", max_input_tokens=None), 1000, None),
        (about(max_input_tokens="many"), 1000, None),
        (_page, 1000, None),
        (refusing("500 x", error("api_error")), 1000, None),
    ],
)
@in_loop
async def test_the_card_knows_what_the_server_says(act: Act, window: int, longest: int | None):
    async with server(act=act) as serving:
        model = WIRE.model(serving.url("act"), KEY)
        card = await model.card(CARD)
        assert (card.context_window_tokens, card.max_output_tokens) == (window, longest)
        await model.close()


@in_loop
async def test_a_missing_package_is_named_with_what_to_do(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "anthropic", None)
    monkeypatch.delitem(sys.modules, "workbench.providers.anthropic.client", raising=False)
    model = AnthropicModel(endpoint_of("anthropic:m", lambda _: None))
    kept = await keep(model.stream(question()))
    assert (kept.state, kept.kind) == ("failed", "unavailable")
    assert kept.failure is not None
    assert "pip install anthropic" in kept.failure.message
    with pytest.raises(ModelFailed):
        await model.ready(lambda what, fraction: None)
    assert await model.card(CARD) == CARD


def test_the_name_says_where_it_is_served():
    keys = {"https://api.anthropic.com:443": KEY}
    endpoint = endpoint_of("anthropic:claude-x", keys.get)
    assert (endpoint.base_url, endpoint.model, endpoint.local) == (
        "https://api.anthropic.com",
        "claude-x",
        False,
    )
    assert endpoint.key == KEY
    assert endpoint_of("anthropic:m", keys.get, "https://proxy.example").key is None
    for name in ("anthropic:", "anthropic", "anthropic:a\nb"):
        with pytest.raises(InvalidInput):
            endpoint_of(name, keys.get)


def named(answer: str, **diagnostics: Any) -> bytes:
    """How an answer begins that has a name, and perhaps a diagnosis."""
    message = {"id": answer, "role": "assistant", "usage": {}, **diagnostics}
    return WIRE.raw({"type": "message_start", "message": message})


async def diagnosed(act: Act, request: ModelRequest) -> tuple[Kept, Any]:
    """The answer of a server that is taken for Anthropic's own, and what it was sent last."""
    async with server(act=act) as serving:
        endpoint = endpoint_of(f"anthropic:{MODEL}", lambda _: KEY, serving.url("act"))
        asking = AnthropicModel(endpoint, waits=QUICK, diagnosed=True)
        kept = await keep(asking.stream(request))
        again = json.loads(json.dumps(asking.wire(request).body))
        await asking.close()
        bodies = [json.loads(asked.body) for asked in serving.asked]
        assert again == bodies[-1]
        return kept, bodies


@in_loop
async def test_the_first_request_opts_in_and_names_its_answer():
    kept, (body,) = await diagnosed(
        saying(named("msg_1", diagnostics=None), WIRE.text("Yes."), WIRE.finish()), question()
    )
    assert body["diagnostics"] == {"previous_message_id": None}
    # With nothing to compare, nothing is said; silence is no "unchanged".
    assert AnswerNamed("msg_1") in kept.parts


@pytest.mark.parametrize(
    ("diagnostics", "says"),
    [
        ({}, None),
        ({"diagnostics": None}, ProviderSays("unchanged")),
        ({"diagnostics": {"cache_miss_reason": None}}, ProviderSays("pending")),
        (
            {
                "diagnostics": {
                    "cache_miss_reason": {"type": "system_changed", "cache_missed_input_tokens": 4120}
                }
            },
            ProviderSays("system_changed", 4120),
        ),
        (
            {"diagnostics": {"cache_miss_reason": {"type": "previous_message_not_found"}}},
            ProviderSays("previous_message_not_found"),
        ),
        ({"diagnostics": {"cache_miss_reason": {"type": 5}}}, None),
        ({"diagnostics": "odd"}, None),
    ],
)
@in_loop
async def test_what_it_says_of_its_cache_is_read(diagnostics: dict[str, Any], says: ProviderSays | None):
    request = replace(question(), compare_with="msg_1")
    kept, (body,) = await diagnosed(
        saying(named("msg_2", **diagnostics), WIRE.text("Yes."), WIRE.finish()), request
    )
    assert body["diagnostics"] == {"previous_message_id": "msg_1"}
    assert [part for part in kept.parts if isinstance(part, AnswerNamed)] == [AnswerNamed("msg_2", says)]


@in_loop
async def test_a_refusal_that_names_the_field_drops_it():
    asked = 0

    async def act(connection: Connection) -> None:
        nonlocal asked
        asked += 1
        if asked == 1:
            words = "diagnostics: Extra inputs are not permitted"
            await refusing("400 Bad Request", error("invalid_request_error", words))(connection)
        else:
            await saying(named("msg_1"), WIRE.text("Yes."), WIRE.finish())(connection)

    kept, bodies = await diagnosed(act, question())
    assert (kept.state, kept.text) == ("complete", "Yes.")
    assert ["diagnostics" in body for body in bodies] == [True, False]
    assert not [part for part in kept.parts if isinstance(part, AnswerNamed)]


def test_only_anthropic_itself_is_asked_why():
    """A gateway may refuse the whole request, and one more field is one more thing that it learns."""
    for url, is_asked in (("https://api.anthropic.com", True), ("https://gateway.example/v1", False)):
        model = AnthropicModel(endpoint_of(f"anthropic:{MODEL}", lambda _: KEY, url))
        assert ("diagnostics" in model.wire(question()).body) is is_asked


# Events become parts; nothing but `message_stop` is an end.


STOP = {"type": "message_stop"}


def start(block: dict[str, Any], index: int = 0) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(kind: str, field: str, value: str, index: int = 0) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": f"{kind}_delta", field: value}}


def end(index: int = 0) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def read(*events: dict[str, Any]) -> list[Any]:
    reader = EventReader(question())
    return [part for event in events for part in reader.read(event)]


def test_text_thoughts_and_calls_in_their_order():
    parts = read(
        start({"type": "thinking", "thinking": ""}),
        delta("thinking", "thinking", "Hm."),
        delta("signature", "signature", "si"),
        delta("signature", "signature", "g"),
        end(),
        start({"type": "redacted_thinking", "data": "xyz"}, 1),
        end(1),
        start({"type": "text", "text": "I "}, 2),
        delta("text", "text", "look.", 2),
        end(2),
        start({"type": "tool_use", "id": "c1", "name": "ls", "input": {}}, 3),
        delta("input_json", "partial_json", '{"path"', 3),
        delta("input_json", "partial_json", ': "."}', 3),
        end(3),
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        STOP,
    )
    assert [part for part in parts if not isinstance(part, CallGrew)] == [
        ThinkingGrew("Hm."),
        ThinkingGrew("", "sig"),
        ThinkingGrew("", "redacted:xyz"),
        TextGrew("I "),
        TextGrew("look."),
        CallMade(ToolCall("c1", "ls", '{"path": "."}')),
        Finished("tool_calls"),
    ]


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("tool_use", "tool_calls"),
        ("refusal", "refusal"),
        ("pause_turn", "other"),
        ("something new", "other"),
        (None, None),
    ],
)
def test_reasons_are_told_in_our_words(reason: str | None, finish: str | None):
    assert read({"type": "message_delta", "delta": {"stop_reason": reason}}, STOP)[-1] == Finished(finish)  # type: ignore[arg-type]


def test_counts_of_the_beginning_hold_where_the_end_is_silent():
    usage = {
        "input_tokens": 5,
        "cache_read_input_tokens": 90,
        "cache_creation_input_tokens": 5,
        "output_tokens": 1,
    }
    parts = read(
        {"type": "message_start", "message": {"usage": usage}},
        {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 30, "input_tokens": None}},
        STOP,
    )
    assert parts[1:] == [UsageReported(Usage(100, 90, 5, 30)), Finished(None)]


def test_what_the_request_was_is_known_before_the_first_word():
    """An answer that was cut off had no usage, though its request was paid for."""
    usage = {"input_tokens": 5, "cache_read_input_tokens": 90, "output_tokens": 1}
    assert read({"type": "message_start", "message": {"usage": usage}}) == [UsageReported(Usage(95, 90))]


def test_without_counts_none_are_reported():
    assert read(STOP) == [Finished(None)]


def test_a_call_that_came_whole_and_one_without_an_id():
    parts = read(
        start({"type": "tool_use", "name": "ls", "input": {"path": "ü"}}), end(),
        start({"type": "tool_use", "id": "c", "name": "", "input": {}}), end(), STOP,
    )  # fmt: skip
    (call,) = [part.call for part in parts if isinstance(part, CallMade)]
    assert (call.name, call.arguments, call.id.startswith("call_")) == ("ls", '{"path": "ü"}', True)


def test_an_error_in_the_stream_is_raised():
    with pytest.raises(SaidError):
        read({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"type": "ping"},
        {"type": "new_kind_of_event", "x": 1},
        start({"type": "server_tool_use", "id": "s", "name": "web_search"}),
        delta("citations", "x", "y"),
        delta("input_json", "partial_json", "x", 9),
        delta("signature", "signature", "x", 9),
        end(9),
        {"type": "content_block_delta", "index": "?", "delta": None},
        {"type": "message_start", "message": None},
        {"type": "message_delta"},
    ],
)
def test_what_says_nothing_is_skipped(event: dict[str, Any]):
    assert read(event) == []
