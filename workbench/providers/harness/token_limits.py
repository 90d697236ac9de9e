"""Whether a provider says that a request is longer than the window, and the numbers it gives."""

from __future__ import annotations

import re

from workbench.providers.harness.provider_words import ProviderWords

_LABELS = {
    "context_length_exceeded",
    "exceed_context_size_error",
    "context_window_exceeded",
    "model_max_length",
}
_PHRASES = re.compile(
    r"(?i)maximum (?:context|prompt|model) length|context[ _](?:length|window|size)[^.]{0,40}exceed"
    r"|exceeds?[^.]{0,60}(?:context|maximum number of tokens|token limit|model'?s? max)"
    r"|maximum context|prompt is too long|context the overflows|input is too long|too many (?:input )?tokens"
    r"|reduce the length of the (?:messages|prompt)|longer than the (?:model's )?context"
)
_NUMBER = r"(\d[\d,_.]{0,14})"
_LIMITS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"maximum (?:context|prompt|model) length (?:is|of) (?:only )?{_NUMBER}",
        rf"context (?:length|size|window) (?:is|of) (?:only )?{_NUMBER}",
        rf"(?:available context size|context length|context window|context size) \({_NUMBER}",
        rf"> {_NUMBER} maximum",
        rf"maximum number of tokens allowed \({_NUMBER}",
        rf"{_NUMBER} maximum context length",
        rf"limit (?:is|of) {_NUMBER} tokens",
    )
)
_ASKED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # The sum that is "requested" counts the answer's limit too; the messages alone are what can be compared.
        rf"\({_NUMBER} (?:in|of) (?:the )?(?:messages|prompt|input|text input)\b",
        rf"requested (?:about )?{_NUMBER} tokens",
        rf"resulted in {_NUMBER} tokens",
        rf"(?:request|prompt|input)(?: only)? (?:has|contains|is|of) {_NUMBER}(?: input)? tokens",
        rf"request \({_NUMBER} tokens",
        rf"too long: {_NUMBER} tokens",
        rf"input token count(?: is)? \(?{_NUMBER}",
        rf"prompt contains {_NUMBER}",
        rf"keep the first {_NUMBER} tokens",
        rf"input length \({_NUMBER}",
    )
)


def is_overflow(said: ProviderWords) -> bool:
    """Whether the error says that the request does not fit the window."""
    return bool(said.labels & _LABELS) or _PHRASES.search(said.text) is not None


def window_tokens(said: ProviderWords) -> int | None:
    """The window the provider has, where it says so."""
    fields = said.fields or {}
    return fields.get("n_ctx") or _first(_LIMITS, said.text)


def request_tokens(said: ProviderWords) -> int | None:
    """What the provider counted, where it says so."""
    fields = said.fields or {}
    return fields.get("n_prompt_tokens") or _first(_ASKED, said.text)


def _first(patterns: tuple[re.Pattern[str], ...], text: str) -> int | None:
    for pattern in patterns:
        if found := pattern.search(text):
            return int(re.sub(r"\D", "", found[1])) or None
    return None
