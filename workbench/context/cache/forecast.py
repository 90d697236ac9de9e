"""What a provider's cache will do with a request, by its published or measured rules, and what it did."""

from __future__ import annotations

from dataclasses import replace

from workbench.domain.change import Built, PrefixChange
from workbench.domain.envelope import WireMessage
from workbench.domain.forecast import CacheForecast, Verdict
from workbench.ports.counting import TokenCounter

_LLAMA_CPP = "llamacpp"
_SERVED_HERE = ("builtin", "gguf")


def forecast(
    previous: Built | None, current: Built, change: PrefixChange, counter: TokenCounter
) -> CacheForecast | None:
    """The forecast for the step from the previous request; None where the rules are not known here.

    llama.cpp keeps what it read and what it answered, and reads at least one token again. A server that has just
    started, or has served others since, has less: who can ask it, does.
    """
    card, total = current.inputs.model, current.envelope.total_tokens
    if card.cache_rules != _LLAMA_CPP or card.provider not in _SERVED_HERE:
        return None
    read = 0
    if previous is not None and previous.inputs.question is not None:
        read = change.reused_tokens + _answered(previous, current, change, counter)
    read = max(0, min(read, total - 1))
    return CacheForecast(card.provider, read, total - read)


def verdict(predicted_tokens: int, reported_tokens: int | None, change: PrefixChange) -> Verdict:
    """How a forecast compares with what the provider reported."""
    if reported_tokens is None:
        return "not_reported"
    if reported_tokens >= predicted_tokens:
        return "as_predicted"
    return "our_change" if change.change in ("diverged", "shrunk") else "expired"


def _answered(previous: Built, current: Built, change: PrefixChange, counter: TokenCounter) -> int:
    """The tokens of the previous answer, where the new request goes on after it; its opening is counted already."""
    place = len(previous.envelope.messages)
    messages = current.envelope.messages
    if change.change != "extended" or place >= len(messages) or messages[place].role != "assistant":
        return 0
    return counter.total(_text_cost(messages[place], counter))


def _text_cost(message: WireMessage, counter: TokenCounter) -> int:
    """What a message costs without its framing."""
    bare = replace(message.segments[0], text="", lead="", tool_calls=(), images=())
    empty = WireMessage(message.id, message.role, (bare,))
    return max(0, sum(counter.costs(message)) - sum(counter.costs(empty)))
