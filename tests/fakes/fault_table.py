"""Everything a server can do wrong, one row each: what it does, how the answer must end, and which text is kept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

from tests.fakes import fault_acts as acts
from tests.fakes.fault_acts import (
    END,
    HELLO,
    TEXT,
    Fault,
    answers,
    finish,
    framed,
    good,
    raw,
    refuses,
    sends,
    text,
    value,
)
from tests.fakes.fault_server import Act, Connection
from tests.fakes.wires import Wire
from workbench.domain.answer import FailureKind
from workbench.domain.request import Timeouts

HASTY = Timeouts(connect_s=20, first_token_s=1.2, idle_s=1.0)
BEGUN = Timeouts(connect_s=20, first_token_s=120, idle_s=1.0)
"""The same where an answer begins: a busy machine may take its time until then."""
CANARY = "sk-canary-7f3a9c51e0b2d846aa0917"

State = Literal["complete", "interrupted", "failed"]


@dataclass(frozen=True)
class Row:
    """One fault. `asked` is how many attempts must have been made; `only` the wire it belongs to, if not both."""

    name: str
    act: Fault
    state: State
    kind: FailureKind | None = None
    text: str = ""
    asked: int = 1
    timeouts: Timeouts | None = None
    retry_after_s: float | None = None
    only: str | None = None


def rows_for(wire: Wire) -> list[Row]:
    """The table of one wire."""
    return [row for row in ROWS if row.only in (None, wire.name)]


def acts_for(wire: Wire) -> dict[str, Act]:
    """The rows as a server plays them."""
    return {row.name: partial(_play, row, wire) for row in rows_for(wire)}


async def _play(row: Row, wire: Wire, connection: Connection) -> None:
    await row.act(connection, wire)


CONTEXT = "This model's maximum context length is 4097 tokens. However, you requested 5000 tokens."
NULLS = {
    "choices": [{"index": 0, "delta": None}, None, {"delta": {"content": None, "tool_calls": None}}],
    "message": None, "done": None, "usage": None, "error": None, "timings": None,
}  # fmt: skip
WRONG = {"choices": "none", "message": [1], "usage": 7, "done": "yes", "timings": "fast"}
DEEP = b'{"choices":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
NAN = b'{"choices": [], "message": {}, "score": NaN}'
SECOND, HOUR = {"retry_after": "1"}, {"retry_after": "3600"}
DATES = {"date": "Sun, 01 Nov 2026 10:00:00 GMT", "retry_after": "Sun, 01 Nov 2026 10:00:02 GMT"}
FAR_DATE = {**DATES, "retry_after": "Sun, 01 Nov 2026 11:00:00 GMT"}
PAGE = b"<!doctype html><title>Sign in</title><p>Welcome to the hotel network"

ROWS: tuple[Row, ...] = (
    Row("control", good, "complete", text=TEXT),
    # statuses
    Row("status-400", refuses("400 Bad Request"), "failed", "request"),
    Row("status-401", refuses("401 Unauthorized"), "failed", "auth"),
    Row("status-403", refuses("403 Forbidden"), "failed", "auth"),
    Row("status-404", refuses("404 Not Found"), "failed", "request"),
    Row("status-408", refuses("408 Request Timeout"), "failed", "timeout", asked=3),
    Row("status-409", refuses("409 Conflict"), "failed", "request"),
    Row("status-413", refuses("413 Too Large"), "failed", "too_big"),
    Row("status-413-context", refuses("413 Too Large", {"error": CONTEXT}), "failed", "context"),
    Row("status-422", refuses("422 Unprocessable", {"detail": [{"msg": "no", "loc": ["x"]}]}), "failed", "request"),
    Row("status-429", refuses("429 Too Many"), "failed", "rate", asked=3),
    Row("status-429-seconds", refuses("429 Too Many", headers=SECOND), "failed", "rate", asked=3, retry_after_s=1),
    Row("status-429-date", refuses("429 Too Many", headers=DATES), "failed", "rate", asked=3, retry_after_s=2),
    Row("status-429-long", refuses("429 Too Many", headers=HOUR), "failed", "rate", retry_after_s=3600),
    Row("status-429-far-date", refuses("429 Too Many", headers=FAR_DATE), "failed", "rate", retry_after_s=3600),
    Row("status-429-nonsense", refuses("429 Too Many", headers={"retry_after": "1e999"}), "failed", "rate", asked=3),
    Row("status-429-quota", refuses("429 Too Many", {"error": {"code": "insufficient_quota"}}), "failed", "rate"),
    Row("status-429-once", refuses("429 Too Many", times=1, headers=SECOND), "complete", text=TEXT, asked=2),
    Row("status-500", refuses("500 Internal Server Error"), "failed", "server", asked=3),
    Row("status-502", refuses("502 Bad Gateway", "<html>bad gateway</html>"), "failed", "server", asked=3),
    Row("status-503", refuses("503 Unavailable"), "failed", "server", asked=3),
    Row("status-503-twice", refuses("503 Unavailable", times=2), "complete", text=TEXT, asked=3),
    Row("status-529", refuses("529 Overloaded"), "failed", "server", asked=3),
    Row("status-204", raw(b"HTTP/1.1 204 No Content\r\n\r\n"), "failed", "protocol"),
    Row("status-context", refuses("400 Bad Request", {"error": {"message": CONTEXT}}), "failed", "context"),
    Row("status-empty-body", refuses("400 Bad Request", ""), "failed", "request"),
    Row("refusal-stalls", acts.stalled_refusal, "failed", "auth"),
    Row("refusal-cut", acts.cut_refusal, "failed", "auth"),
    Row("refusal-endless", acts.endless_refusal, "failed", "server", asked=3),
    # redirects
    Row("redirect-301", partial(acts.redirect, "301 Moved"), "failed", "protocol"),
    Row("redirect-302", partial(acts.redirect, "302 Found"), "failed", "protocol"),
    Row("redirect-303", partial(acts.redirect, "303 See Other"), "failed", "protocol"),
    Row("redirect-307", partial(acts.redirect, "307 Temporary Redirect"), "failed", "protocol"),
    Row("redirect-308", partial(acts.redirect, "308 Permanent Redirect"), "failed", "protocol"),
    # connections
    Row("cut-before-head", raw(b""), "failed", "network", asked=3),
    Row("cut-in-head", raw(b"HTTP/1.1 200 OK\r\ncontent-ty"), "failed", "network", asked=3),
    Row("cut-after-head", sends(), "failed", "protocol"),
    Row("cut-in-event", acts.cut_in_an_event, "interrupted", "protocol", TEXT),
    Row("cut-in-character", acts.cut_in_a_character, "interrupted", "protocol", TEXT),
    Row("cut-after-text", sends(HELLO), "interrupted", "protocol", TEXT),
    Row("reset-before-head", raw(then="reset"), "failed", "network", asked=3),
    Row("reset-after-text", sends(HELLO, then="reset"), "interrupted", "network", TEXT),
    Row("no-http", raw(b"SSH-2.0-OpenSSH_9.9\r\n\r\n"), "failed", "protocol"),
    Row("wrong-version", raw(b"HTTP/9.9 banana\r\n\r\n"), "failed", "protocol"),
    Row("length-too-long", partial(acts.declared, 50), "interrupted", "protocol", TEXT),
    Row("length-too-short", partial(acts.declared, -9), "interrupted", "protocol", TEXT),
    Row("chunk-size-broken", partial(acts.chunked, b"zz\r\nxx\r\n"), "interrupted", "protocol", TEXT),
    Row("chunk-cut", partial(acts.chunked, b"ff\r\nxx"), "interrupted", "protocol", TEXT),
    Row("chunks-without-end", partial(acts.chunked, b""), "interrupted", "protocol", TEXT),
    Row("early-hints", acts.early_hints, "complete", text=TEXT),
    Row("headers-endless", acts.long_headers, "failed", "protocol"),
    # time
    Row("stall-before-head", acts.stall_at_once, "failed", "timeout", timeouts=HASTY),
    Row("stall-after-head", sends(then="stall"), "failed", "timeout", timeouts=HASTY),
    Row("stall-after-text", sends(HELLO, then="stall"), "interrupted", "timeout", TEXT, timeouts=BEGUN),
    Row("drip-before-text", acts.drip, "failed", "timeout", timeouts=HASTY),
    Row("drip-after-text", acts.drip_after_text, "interrupted", "timeout", TEXT, timeouts=BEGUN),
    Row("keep-alives-only", acts.keep_alives, "failed", "timeout", timeouts=HASTY),
    Row("keep-alives-after-text", acts.keep_alives_after_text, "interrupted", "timeout", TEXT, timeouts=BEGUN),
    Row("empty-deltas", acts.empty_deltas, "failed", "timeout", timeouts=HASTY),
    Row("steady-but-slow", acts.steady_but_slow, "complete", text="tick " * 14, timeouts=BEGUN),
    Row("thinks-slowly", acts.thinks_slowly, "complete", text=TEXT, timeouts=HASTY),
    Row("calls-slowly", acts.calls_slowly, "complete", text=TEXT, timeouts=HASTY, only="openai"),
    # what is not an answer
    Row("page", answers(PAGE, "text/html; charset=utf-8"), "failed", "protocol"),
    Row("page-untyped", answers(PAGE, ""), "failed", "protocol"),
    Row("document", answers(b'{"status": "ok"}', "application/json"), "failed", "protocol"),
    Row("document-with-error", answers(b'{"error": {"code": 401}}', "application/json"), "failed", "auth"),
    Row("empty-200", answers(b"", ""), "failed", "protocol"),
    Row("empty-stream", sends(), "failed", "protocol"),
    Row("gzip-bomb", partial(acts.bomb, "gzip"), "failed", "protocol"),
    Row("gzip-refusal", refuses("502 Bad Gateway", headers={"content_encoding": "gzip"}), "failed", "server", asked=3),
    Row("other-encoding", partial(acts.bomb, "br"), "failed", "protocol"),
    # too much
    Row("endless-line", acts.endless_line, "interrupted", "too_big", TEXT),
    Row("endless-event", acts.endless_event, "interrupted", "too_big", TEXT, only="openai"),
    Row("endless-body", acts.endless_body, "interrupted", "too_big", TEXT),
    Row("endless-document", acts.endless_document, "failed", "too_big", only="openai"),
    # malformed
    Row("json-broken", sends(HELLO, framed(b'{"choices": [}')), "interrupted", "protocol", TEXT),
    Row("json-broken-first", sends(framed(b"{oops"), HELLO, END), "failed", "protocol"),
    Row("json-not-object", sends(HELLO, value([1, 2])), "interrupted", "protocol", TEXT),
    Row("json-deep", sends(HELLO, framed(DEEP)), "interrupted", "protocol", TEXT),
    Row("json-nan", sends(HELLO, framed(NAN)), "interrupted", "protocol", TEXT),
    Row("utf8-broken", sends(HELLO, framed(b'{"x": "\xff\xfe"}')), "interrupted", "protocol", TEXT),
    Row("utf8-overlong", sends(HELLO, framed(b'{"x": "\xc0\x80"}')), "interrupted", "protocol", TEXT),
    # harmless oddities
    Row("null-fields", sends(value(NULLS), HELLO, value(NULLS), END), "complete", text=TEXT),
    Row("missing-fields", sends(value({}), HELLO, value({"choices": [{}]}), END), "complete", text=TEXT),
    Row("wrong-types", sends(value(WRONG), HELLO, END), "complete", text=TEXT),
    Row("duplicate-chunk", sends(HELLO, HELLO, END), "complete", text=TEXT * 2),
    Row("blank-lines", sends(b"\n\n\n", HELLO, b"\n\n", END, b"\n"), "complete", text=TEXT),
    Row("crlf", acts.crlf, "complete", text=TEXT),
    Row("crlf-split", acts.split_crlf, "complete", text=TEXT),
    Row("bare-cr", acts.bare_cr, "complete", text=TEXT),
    Row("byte-by-byte", acts.byte_by_byte, "complete", text=TEXT),
    Row("split-in-character", acts.split_in_a_character, "complete", text=TEXT),
    Row("line-separators", acts.line_separators, "complete", text="a\u2028b\u0085c"),
    Row("byte-order-mark", acts.byte_order_mark, "complete", text=TEXT),
    Row("untyped", acts.untyped, "complete", text=TEXT),
    Row("surrogates-split", sends(text("\ud83c"), text("\udf0d!"), END), "complete", text="🌍!"),
    Row("surrogate-alone", sends(text("a\ud83c"), text("b"), END), "complete", text="a\ufffdb"),
    Row("no-last-line-end", acts.no_end_of_line, "complete", text=TEXT),
    Row("reason-unknown", sends(HELLO, finish("because")), "complete", text=TEXT),
    # ends
    Row("text-after-end", acts.after_the_end, "complete", text=TEXT),
    Row("garbage-after-end", acts.garbage_after_the_end, "complete", text=TEXT),
    Row("stall-after-end", sends(HELLO, END, then="stall"), "complete", text=TEXT, timeouts=BEGUN),
    Row("reset-after-end", sends(HELLO, END, then="reset"), "complete", text=TEXT),
    Row("finish-without-text", sends(END), "failed", "empty"),
    Row("finish-empty-length", sends(finish("length")), "failed", "empty"),
    Row("error-in-stream", sends(HELLO, value({"error": {"message": "it broke"}})), "interrupted", "server", TEXT),
    Row("error-in-stream-text", sends(HELLO, value({"error": "it broke"})), "interrupted", "server", TEXT),
    Row("error-first", sends(value({"error": "it broke"})), "failed", "server", asked=3),
    Row("error-once", acts.error_then_good, "complete", text=TEXT, asked=2),
    Row("error-context", sends(value({"error": CONTEXT})), "failed", "context"),
    # keys that come back
    Row("echo-in-body", acts.echo_in_body, "failed", "auth"),
    Row("echo-in-page", acts.echo_in_page, "failed", "request"),
    Row("echo-in-header", acts.echo_in_header, "failed", "rate", retry_after_s=3600),
    Row("echo-in-location", acts.echo_in_location, "failed", "protocol"),
    Row("echo-in-event", acts.echo_in_event, "interrupted", "server", TEXT),
    Row("echo-in-garbage", acts.echo_in_garbage, "interrupted", "protocol", TEXT),
    # server-sent events only
    Row("comments", sends(b": one\n\n:\n", HELLO, b": two\n", END), "complete", text=TEXT, only="openai"),
    Row("unknown-events", sends(b'event: ping\ndata: {"x": 1}\n\n', HELLO, END), "complete", text=TEXT, only="openai"),
    Row("unknown-fields", sends(b"id: 7\nretry: 1\nnonsense\n", HELLO, END), "complete", text=TEXT, only="openai"),
    Row("error-event", sends(HELLO, b'event: error\ndata: {"message": "it broke"}\n\n'),
        "interrupted", "server", TEXT, only="openai"),
    Row("done-without-reason", sends(HELLO, b"data: [DONE]\n\n"), "complete", text=TEXT, only="openai"),
    Row("reason-without-done", sends(HELLO, value({"choices": [{"delta": {}, "finish_reason": "stop"}]})),
        "complete", text=TEXT, only="openai"),
    Row("reason-then-keep-alives", acts.keep_alives_after_reason, "complete", text=TEXT, timeouts=BEGUN,
        only="openai"),
    Row("event-in-two-lines", sends(HELLO, b'data: {"choices":\ndata: []}\n\n', END), "complete", text=TEXT,
        only="openai"),
    Row("finish-error", sends(HELLO, finish("error")), "interrupted", "server", TEXT, only="openai"),
    # Ollama only
    Row("done-without-reason", sends(HELLO, finish(None)), "complete", text=TEXT, only="ollama"),
    Row("front-dropped", sends(HELLO, value({"done": True, "done_reason": "stop", "prompt_eval_count": 4096})),
        "interrupted", "context", TEXT, only="ollama"),
    Row("only-loaded", sends(finish("load")), "failed", "empty", only="ollama"),
)  # fmt: skip
