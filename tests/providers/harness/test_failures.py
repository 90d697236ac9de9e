"""Every error gets a name and a sentence, and never a key."""

from __future__ import annotations

import json
import socket
import ssl

import httpx
import httpx2
import openai
import pytest

from workbench.domain.answer import Failure, FailureKind, ModelFailed
from workbench.domain.secrets import Secret
from workbench.providers.harness.failures import (
    SHOWN_CHARS,
    AttemptFailed,
    Explainer,
    ProviderWords,
    is_overflow,
    request_tokens,
    said_by,
    said_in,
    shown,
    window_tokens,
)
from workbench.providers.wire import faults
from workbench.providers.wire.endpoint import Endpoint
from workbench.providers.wire.redaction import Redactor

KEY = "sk-canary-7f3a9c51e0b2d846aa0917"
PLACE = Endpoint("https://host.example/v1", "some-model")
explain = Explainer(PLACE)


def refused(status: int, body: str = "", **headers: str) -> AttemptFailed:
    lower = {name.replace("_", "-"): value for name, value in headers.items()}
    return explain(faults.Refused(status, lower, body.encode()))


@pytest.mark.parametrize(
    ("status", "kind", "again"),
    [
        (400, "request", False), (401, "auth", False), (402, "request", False), (403, "auth", False),
        (404, "request", False), (408, "timeout", True), (409, "request", False), (413, "too_big", False),
        (422, "request", False), (429, "rate", True), (500, "server", True),
        (503, "server", True), (529, "server", True),
    ],
)  # fmt: skip
def test_a_status_has_a_kind(status: int, kind: FailureKind, again: bool):
    failed = refused(status)
    assert (failed.failure.kind, failed.again) == (kind, again)


def test_a_wait_that_was_asked_for_is_kept_and_said():
    failure = refused(429, retry_after="30").failure
    assert failure.retry_after_s == 30
    assert "Wait 30 s" in failure.message


def test_an_account_without_credit_is_not_tried_again():
    failed = refused(429, '{"error": {"code": "insufficient_quota", "message": "You exceeded your quota"}}')
    assert (failed.failure.kind, failed.again) == ("rate", False)
    assert "credit" in failed.failure.message


@pytest.mark.parametrize("status", [400, 413, 422, 500])
def test_a_request_that_is_too_long_says_how_much_too_long(status: int):
    body = '{"error": {"message": "maximum context length is 100 tokens. However, you requested 120 tokens"}}'
    failure = refused(status, body).failure
    assert (failure.kind, failure.limit_tokens, failure.asked_tokens) == ("context", 100, 120)
    assert "it has 120 tokens, 100 fit" in failure.message


def test_a_missing_key_and_a_wrong_one_are_told_apart():
    with_key = Explainer(Endpoint(PLACE.base_url, "m", Secret.of_text(KEY)))
    assert "none is kept" in explain(faults.Refused(401, {}, b"")).failure.message
    assert "did not accept the key" in with_key(faults.Refused(401, {}, b"")).failure.message
    assert explain(faults.Refused(401, {}, b"")).failure.keyless
    assert with_key(faults.Refused(401, {}, b"")).failure.keyless is None


@pytest.mark.parametrize(
    ("said", "kind", "again"),
    [
        ({"error": "it broke"}, "server", True),
        ({"error": {"message": "m", "code": 502}}, "server", True),
        ({"error": {"message": "m", "code": 401}}, "auth", False),
        ({"error": {"type": "rate_limit_exceeded"}}, "rate", True),
        ({"error": {"type": "overloaded_error"}}, "server", True),
        ({"error": {"type": "invalid_request_error"}}, "request", False),
        ({"error": {"code": "context_length_exceeded"}}, "context", False),
        ({"error": True}, "server", True),
    ],
)
def test_an_error_in_the_stream_has_a_kind(said: dict[str, object], kind: FailureKind, again: bool):
    failed = explain(faults.SaidError(said))
    assert (failed.failure.kind, failed.again) == (kind, again)


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (faults.Redirected("https://other.example/x?key=1"), "protocol", "(other.example)"),
        (faults.Redirected(""), "protocol", "pointed to another address"),
        (faults.NotAStream("text/html", b"<html>"), "protocol", "web page"),
        (faults.NotAStream("application/json", b'{"message": "hm"}'), "protocol", "“hm”"),
        (faults.Encoded(), "protocol", "compressed"),
        (faults.TooBig("a mountain"), "too_big", "a mountain"),
        (faults.Garbled("a riddle"), "protocol", "a riddle"),
        (faults.CutOff(), "protocol", "cut the answer off"),
        (faults.Slow(1.5, begun=False), "timeout", "within 1.5 s"),
        (faults.Slow(60, begun=True), "timeout", "silent for 60 s"),
        (faults.Empty(None), "empty", "without a word"),
        (faults.Empty("length"), "empty", "limit for answers"),
        (faults.Empty("content_filter"), "empty", "content rules"),
        (faults.KeyUnusable(), "auth", "nothing was sent"),
        (faults.Overflowed(4096, 5000), "context", "it has 5,000 tokens, 4,096 fit"),
    ],
)
def test_a_fault_on_the_wire_has_a_kind_and_a_sentence(
    fault: faults.WireFault, kind: FailureKind, words: str
):
    failed = explain(fault)
    assert (failed.failure.kind, failed.again) == (kind, False)
    assert words in failed.failure.message
    assert "host.example" in failed.failure.message


def caused(error: Exception, cause: BaseException) -> Exception:
    error.__cause__ = cause
    return error


REQUEST = httpx2.Request("POST", "https://host.example")


@pytest.mark.parametrize(
    ("error", "kind", "again"),
    [
        (httpx.ConnectError("x"), "network", True),
        (httpx2.ConnectError("x"), "network", True),
        (httpx.ConnectTimeout("x"), "timeout", True),
        (httpx2.PoolTimeout("x"), "timeout", True),
        (httpx2.ReadTimeout("x"), "timeout", False),
        (httpx.ReadError("x"), "network", True),
        (httpx2.WriteError("x"), "network", True),
        (httpx.RemoteProtocolError("peer closed connection without sending complete message body"), "protocol", False),
        (httpx2.RemoteProtocolError("Server disconnected without sending a response."), "network", True),
        (httpx.LocalProtocolError("x"), "request", False),
        (caused(httpx.ConnectError("x"), ssl.SSLCertVerificationError("x")), "tls", False),
        (caused(openai.APIConnectionError(request=REQUEST), caused(httpx2.ConnectError("x"), socket.gaierror())),
         "network", True),
        (caused(openai.APIConnectionError(request=REQUEST), ssl.SSLError("x")), "tls", False),
        (caused(openai.APITimeoutError(request=REQUEST), httpx2.ConnectTimeout("x")), "timeout", True),
        (ConnectionResetError(), "network", True),
        (UnicodeEncodeError("ascii", "ü", 0, 1, "x"), "request", False),
        (RuntimeError(KEY), "protocol", False),
        (openai.OpenAIError(KEY), "protocol", False),
    ],
)  # fmt: skip
def test_a_librarys_error_has_a_kind_and_its_words_are_not_repeated(
    error: Exception, kind: FailureKind, again: bool
):
    failed = explain(error)
    assert (failed.failure.kind, failed.again) == (kind, again)
    assert "canary" not in failed.failure.message


def test_errors_that_lead_to_each_other_in_a_circle_are_named_too():
    one, other = httpx.ReadError("x"), OSError()
    one.__cause__, other.__cause__ = other, one
    assert explain(one).failure.kind == "network"


def test_a_failure_that_has_a_name_keeps_it():
    failure = Failure("unavailable", "m")
    assert explain(ModelFailed(failure)).failure is failure
    attempt = AttemptFailed(failure, again=True)
    assert explain(attempt) is attempt


def test_of_the_providers_words_a_little_is_shown_and_never_a_key():
    """Providers repeat a wrong key; hostile servers repeat every header they were sent."""
    placed = Explainer(Endpoint(PLACE.base_url, "m", Secret.of_text(KEY)))
    body = f"Incorrect API key provided: {KEY[:12]}***. Header was: Bearer {KEY} " + "x" * 1000
    message = placed(faults.Refused(401, {}, body.encode())).failure.message
    assert "canary" not in message
    assert "Incorrect API key provided: [key]" in message
    assert len(message) < 400


def test_advice_is_added_to_the_sentence_it_belongs_to():
    advised = Explainer(PLACE, {"missing": "Fetch it first."})
    assert "Check both. Fetch it first." in advised(faults.Refused(404, {}, b"")).failure.message
    assert "Fetch" not in advised(faults.Refused(500, {}, b"")).failure.message


# Sentences by which providers say that a request is too long, as they are seen in the wild.


SAID = {
    "OpenAI": (
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. "
        "Please reduce the length of the messages.", 8192, 9001,
    ),
    "vLLM": (
        "This model's maximum context length is 4096 tokens. However, you requested 4200 tokens (4100 in the "
        "messages, 100 in the completion). Please reduce the length of the messages or completion.", 4096, 4100,
    ),
    "newer vLLM": (
        "'max_tokens' is too large: 4096. This model's maximum context length is 8192 tokens and your request has "
        "7000 input tokens (4096 > 8192 - 7000).", 8192, 7000,
    ),
    # A lower bound is no count: the server stopped counting at its window.
    "vLLM 0.32": (
        "This model's maximum context length is 8192 tokens. However, your prompt contains at least 8193 input tokens, "
        "which exceeds this limit even without any output tokens. Please reduce the length of the input prompt. "
        "(parameter=input_tokens, value=8193)", 8192, None,
    ),
    "vLLM 0.32 with an answer's limit": (
        "This model's maximum context length is 8192 tokens. However, you requested 24 output tokens and your prompt "
        "contains at least 8169 input tokens, for a total of at least 8193 tokens. Please reduce the length of the "
        "input prompt or the number of requested output tokens.", 8192, None,
    ),
    "OpenRouter": (
        "This endpoint's maximum context length is 131,072 tokens. However, you requested about 158,263 tokens "
        "(150263 of text input, 8000 in the output).", 131072, 150263,
    ),
    "llama.cpp": ("request (5000 tokens) exceeds the available context size (4096 tokens), try it", 4096, 5000),
    "older llama.cpp": ("the request exceeds the available context size. try increasing the context size", None, None),
    "Ollama": ("the input length exceeds the context length", None, None),
    "Anthropic": ("prompt is too long: 210000 tokens > 200000 maximum", 200000, 210000),
    "Google": ("The input token count (12000) exceeds the maximum number of tokens allowed (10485).", 10485, 12000),
    "Mistral": ("Prompt contains 40000 tokens, too large for model with 32768 maximum context length", 32768, 40000),
    "xAI": ("This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131072, 537812),
    "LM Studio": (
        "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context "
        "length of only 4096 tokens, which is not enough.", 4096, 5000,
    ),
}  # fmt: skip


@pytest.mark.parametrize("who", SAID)
def test_an_overflow_is_known_with_its_numbers(who: str):
    text, limit, asked = SAID[who]
    said = ProviderWords(text)
    assert (is_overflow(said), window_tokens(said), request_tokens(said)) == (True, limit, asked)


def test_numbers_beside_the_sentence_are_taken_first():
    said = said_by(
        {
            "error": {
                "code": 400,
                "type": "exceed_context_size_error",
                "message": "m",
                "n_prompt_tokens": 9,
                "n_ctx": 8,
            }
        }
    )
    assert (is_overflow(said), window_tokens(said), request_tokens(said)) == (True, 8, 9)


def test_a_code_is_enough():
    assert is_overflow(said_by({"error": {"code": "context_length_exceeded", "message": "Too long."}}))


@pytest.mark.parametrize(
    "text",
    [
        "Rate limit: you requested 9000 tokens a minute",
        "max_tokens must be positive",
        "",
        "The file is too large",
    ],
)
def test_another_error_is_not_an_overflow(text: str):
    assert not is_overflow(ProviderWords(text))


# What providers say about errors, and how much of it is shown.


KEY_PROVIDER_WORDS = "canary-7f3a9c51e0b2d846aa0917"
nothing = Redactor()


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"error": {"message": "OpenAI", "type": "x"}}, "OpenAI"),
        ({"error": "Ollama"}, "Ollama"),
        ({"object": "error", "message": "vLLM", "code": 400}, "vLLM"),
        ({"detail": "FastAPI"}, "FastAPI"),
        ({"detail": [{"msg": "first", "loc": ["body"]}, {"msg": "second"}]}, "first second"),
        ([{"error": {"message": "Google"}}], "Google"),
        ({"error": {"message": "OpenRouter", "metadata": {"raw": "inner"}}}, "OpenRouter inner"),
        ({"status": "ok"}, ""),
        ({}, ""),
        (7, ""),
    ],
)
def test_the_sentence_is_found_wherever_it_stands(body: object, text: str):
    assert said_in(json.dumps(body).encode()).text == text


def test_a_body_that_is_no_json_is_its_own_sentence():
    assert said_in(b"Bad \xff gateway") == ProviderWords("Bad \ufffd gateway")


def test_labels_status_and_numbers_are_kept():
    error = {"message": "m", "code": 529, "type": "Overloaded_Error", "n_ctx": 8, "ok": True}
    assert said_by({"error": error}) == ProviderWords(
        "m", frozenset({"overloaded_error"}), 529, {"code": 529, "n_ctx": 8}
    )


def test_a_deep_error_ends():
    deep: object = "end"
    for _ in range(500):
        deep = {"error": deep}
    assert said_by(deep).text == ""


def test_only_a_little_is_shown_on_one_line():
    assert shown("a\n\n  b\tc", nothing) == "a b c"
    assert shown("x" * 500, nothing) == "x" * (SHOWN_CHARS - 1) + "…"


def test_what_is_invisible_is_written_out():
    assert shown("a\u202eb\u200bc\x1b[31m\x00", nothing) == "a\\u202eb\\u200bc\\u001b[31m\\u0000"


@pytest.mark.parametrize(
    "echo",
    [
        KEY_PROVIDER_WORDS,
        "\u200b".join(KEY_PROVIDER_WORDS),
        f"\x1b{KEY_PROVIDER_WORDS}\u202e",
        "x" * 190 + KEY_PROVIDER_WORDS,
    ],
)
def test_a_key_is_never_shown_whatever_is_put_between_its_characters(echo: str):
    line = shown(f"You sent {echo}.", Redactor([Secret.of_text(KEY_PROVIDER_WORDS)]))
    assert "canary" not in line
    assert "7f3a9c" not in line
