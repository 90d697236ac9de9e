"""Whether Ollama dropped a part of the request without saying so, told from the counts it gives afterwards.

Asked with `truncate: false` newer servers refuse instead. For the others these rules name only what is certain:

1. The request alone fills the window: `prompt_eval_count` ≥ window − 1. Nothing was left for an answer.
2. Request and answer together are more than the window: the beginning was shifted out while it answered.
3. Fewer tokens were read than the request has words, and the request may be longer than the window. No tokenizer in
   use puts two words into one token, so the words are a lower bound; its bytes are an upper bound. A drop that is
   smaller than the distance between words and tokens (about a quarter of English prose) stays unnoticed.
"""

from __future__ import annotations

import re

from workbench.domain.request import ModelRequest
from workbench.domain.usage import Usage
from workbench.providers.wire.faults import Overflowed

# Letters of scripts that put spaces between words; elsewhere a run of letters may be any number of words.
_WORD = re.compile(r"[A-Za-z\u00c0-\u024f\u0370-\u052f]+")
# Framing and tools of a template, in tokens, on which no bound is known: more than any template adds.
_FRAMING_BYTES = 64


def check_overflow(request: ModelRequest, usage: Usage | None) -> None:
    """Raise `Overflowed` where the counts show that something of the request was dropped."""
    if usage is None or usage.prompt_tokens is None:
        return
    window, read = request.window_tokens, usage.prompt_tokens
    if read >= window - 1 or read + (usage.completion_tokens or 0) > window:
        raise Overflowed(window)
    words = least_tokens(request)
    if read < words and most_tokens(request) > window:
        raise Overflowed(window, words)


def least_tokens(request: ModelRequest) -> int:
    """A lower bound: one token for each word of the messages."""
    return sum(len(_WORD.findall(message.text)) for message in request.messages)


def most_tokens(request: ModelRequest) -> int:
    """An upper bound: one token for each byte, and the framing."""
    texts = [message.text for message in request.messages]
    texts += [call.arguments for message in request.messages for call in message.tool_calls]
    texts += [f"{tool.description}{tool.schema_json}" for tool in request.tools]
    framing = _FRAMING_BYTES * (len(request.messages) + len(request.tools) + 1)
    return framing + sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
