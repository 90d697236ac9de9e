"""Sentences by which providers say that a request is too long, as they are seen in the wild."""

from __future__ import annotations

import pytest

from workbench.providers.harness.failures import (
    ProviderWords,
    is_overflow,
    request_tokens,
    said_by,
    window_tokens,
)

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
