"""Failed turns in words: what happened by its kind, and what a person can do about it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from workbench.domain.answer import Failure, FailureKind
from workbench.domain.shown.turn_view import TurnRow
from workbench.ui import formatting
from workbench.ui.translation import translator
from workbench.ui.widgets.plain import shown

_tr = translator("Failure")

LONGEST_MESSAGE = 600

Remedy = Literal["key", "add_key", "retry", "model", "edit", "settings"]


class FailureLook(NamedTuple):
    """The icon and title of a kind, and what is offered, the best first."""

    icon: str
    title: str
    remedies: tuple[Remedy, ...]


def failure_look(failure: Failure) -> FailureLook:
    """How a failure is shown, by its kind; a key that nobody gave was not refused."""
    if failure.keyless:
        return FailureLook("key", _tr("No key yet"), ("add_key", "retry", "model"))
    looks: dict[FailureKind, FailureLook] = {
        "auth": FailureLook("key", _tr("The key was refused"), ("key", "retry")),
        "rate": FailureLook("clock", _tr("Too many requests"), ("retry", "model")),
        "server": FailureLook("server", _tr("The server failed"), ("retry", "model")),
        "context": FailureLook("warn", _tr("Too long for this model"), ("edit", "model")),
        "request": FailureLook("warn", _tr("The request was refused"), ("edit", "retry")),
        "network": FailureLook("globe", _tr("No connection"), ("retry", "model")),
        "tls": FailureLook("shield", _tr("The connection isn’t secure"), ("settings", "retry")),
        "timeout": FailureLook("clock", _tr("No answer in time"), ("retry", "model")),
        "protocol": FailureLook("warn", _tr("The answer couldn’t be read"), ("retry", "model")),
        "too_big": FailureLook("warn", _tr("The answer was too large"), ("retry", "edit")),
        "empty": FailureLook("info", _tr("The answer was empty"), ("retry", "model")),
        "unavailable": FailureLook("chip", _tr("The model isn’t available"), ("model", "retry")),
        "store": FailureLook("warn", _tr("Couldn’t save"), ("retry",)),
        "internal": FailureLook("warn", _tr("The program failed"), ("retry",)),
    }
    return looks[failure.kind]


def remedy_words(remedy: Remedy) -> tuple[str, str]:
    """A remedy's icon and words."""
    words: dict[Remedy, tuple[str, str]] = {
        "key": ("key", _tr("Replace key…")),
        "add_key": ("key", _tr("Add key…")),
        "retry": ("refresh", _tr("Retry")),
        "model": ("chip", _tr("Use another model…")),
        "edit": ("edit", _tr("Edit by hand")),
        "settings": ("gear", _tr("Server settings…")),
    }
    return words[remedy]


def failure_sentence(failure: Failure) -> str:
    """What happened, and where a key is missing what to press: this window has other ways than a command line."""
    said = shown(failure.message, LONGEST_MESSAGE)
    if not failure.keyless:
        return said
    return _tr("{said} Your question is kept: press “Add key…”, then “Retry”.").format(said=said)


def details_of(failure: Failure, turn: TurnRow | None) -> str:
    """What else is known, for those who want to find out why; no key is ever in it."""
    lines = [_tr("kind: {kind}").format(kind=failure.kind)]
    if failure.limit_tokens is not None:
        lines.append(_tr("window: {n} tokens").format(n=formatting.tokens(failure.limit_tokens)))
    if failure.asked_tokens is not None:
        lines.append(_tr("request: {n} tokens").format(n=formatting.tokens(failure.asked_tokens)))
    if failure.retry_after_s is not None:
        lines.append(_tr("asked to wait: {s}").format(s=formatting.seconds(failure.retry_after_s * 1000)))
    if turn is not None:
        lines.append(_tr("model: {name}").format(name=shown(turn.model)))
        sent = _tr("turn {n}, sent at {time}, took {s}")
        lines.append(
            sent.format(
                n=turn.number, time=formatting.clock(turn.sent_utc), s=formatting.seconds(turn.total_ms)
            )
        )
    return "\n".join(lines)


def interruption(failure: Failure | None, turn: TurnRow | None) -> str:
    """Why an answer broke off, and what of it is kept."""
    why = shown(failure.message, 400) if failure is not None else _tr("The answer was cut off.")
    if turn is None or turn.completion_tokens is None:
        return _tr("{why} What arrived is kept.").format(why=why)
    kept = formatting.counted(turn.completion_tokens, _tr("1 token is kept."), _tr("{n} tokens are kept."))
    return f"{why} {kept}"
