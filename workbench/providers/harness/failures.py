"""Turns provider errors into failures with a sentence for a person, never revealing a key."""

from __future__ import annotations

import math
import re
import ssl
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from socket import gaierror
from typing import Any

from workbench.domain.answer import Failure, FailureKind, ModelFailed
from workbench.domain.translation import tr
from workbench.net.rules import NotSent, target_of
from workbench.providers.wire import faults
from workbench.providers.wire.endpoint import Endpoint
from workbench.providers.wire.faults import Garbled
from workbench.providers.wire.redaction import Redactor
from workbench.providers.wire.strict_json import parse_json

# What a provider says about an error, found in the many forms they use, and as much of it as may be shown.


SHOWN_CHARS = 200
# Enough for any sentence, and for the numbers at its end.
_READ_CHARS = 4_000
_INVISIBLE = {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}
# Where the sentence is, by the key it stands under.
_SENTENCE_KEYS = ("message", "detail", "msg", "error", "error_message", "reason")


@dataclass(frozen=True, slots=True)
class ProviderWords:
    """An error in the provider's own words.

    Attributes:
        text: its sentences, not yet safe to show.
        labels: its code and type in lower case, such as "context_length_exceeded".
        status: the status it names, where it names one.
        fields: the numbers that stand beside the sentences.
    """

    text: str
    labels: frozenset[str] = frozenset()
    status: int | None = None
    fields: Mapping[str, int] | None = None


def said_in(body: bytes) -> ProviderWords:
    """The error in a response body; if it is not JSON, the body itself."""
    try:
        return said_by(parse_json(body))
    except Garbled:
        return ProviderWords(body.decode("utf-8", "replace")[:_READ_CHARS])


def said_by(value: Any) -> ProviderWords:
    """The error in a JSON value."""
    inner = value.get("error", value) if isinstance(value, Mapping) else value
    text = " ".join(_sentences(value, depth=4))[:_READ_CHARS]
    if not isinstance(inner, Mapping):
        return ProviderWords(text)
    named = [inner.get(key) for key in ("code", "type", "status")]
    labels = frozenset(label.lower() for label in named if isinstance(label, str))
    numbers = {key: n for key, n in inner.items() if isinstance(n, int) and not isinstance(n, bool)}
    statuses = [numbers[key] for key in ("code", "status") if 400 <= numbers.get(key, 0) < 600]
    return ProviderWords(text, labels, statuses[0] if statuses else None, numbers)


def shown(text: str, redact: Redactor) -> str:
    """An excerpt of foreign text on one line: keys removed, invisible characters escaped."""
    bare = "".join(char for char in text[:_READ_CHARS] if unicodedata.category(char) not in _INVISIBLE)
    # A key with invisible characters in it is still a key to whoever reads it.
    text = redact(bare) if redact(bare) != bare else redact(text[:_READ_CHARS])
    line = "".join(map(_visible, " ".join(text.split())))
    return line if len(line) <= SHOWN_CHARS else f"{line[: SHOWN_CHARS - 1]}…"


def _sentences(value: Any, depth: int) -> list[str]:
    if isinstance(value, str):
        return [value]
    if depth == 0:
        return []
    if isinstance(value, Mapping):
        # OpenRouter passes another provider's error on under `metadata.raw`.
        inner = [value[key] for key in (*_SENTENCE_KEYS, "metadata", "raw") if key in value]
        return [sentence for part in inner for sentence in _sentences(part, depth - 1)]
    if isinstance(value, list):
        return [sentence for part in value[:3] for sentence in _sentences(part, depth - 1)]
    return []


def _visible(char: str) -> str:
    return f"\\u{ord(char):04x}" if unicodedata.category(char) in _INVISIBLE else char


# Whether a provider says that a request is longer than the window, and the numbers it gives.


_LABELS = {
    "context_length_exceeded",
    "exceed_context_size_error",
    "context_window_exceeded",
    "model_max_length",
}
_PHRASES = (  # like those below compiled by `re` when a provider has failed: all of them took 5 ms of each start
    r"(?i)maximum (?:context|prompt|model) length|context[ _](?:length|window|size)[^.]{0,40}exceed"
    r"|exceeds?[^.]{0,60}(?:context|maximum number of tokens|token limit|model'?s? max)"
    r"|maximum context|prompt is too long|context the overflows|input is too long|too many (?:input )?tokens"
    r"|reduce the length of the (?:messages|prompt)|longer than the (?:model's )?context"
)
_NUMBER = r"(\d[\d,_.]{0,14})"
_LIMITS = (
    rf"maximum (?:context|prompt|model) length (?:is|of) (?:only )?{_NUMBER}",
    rf"context (?:length|size|window) (?:is|of) (?:only )?{_NUMBER}",
    rf"(?:available context size|context length|context window|context size) \({_NUMBER}",
    rf"> {_NUMBER} maximum",
    rf"maximum number of tokens allowed \({_NUMBER}",
    rf"{_NUMBER} maximum context length",
    rf"limit (?:is|of) {_NUMBER} tokens",
)
_ASKED = (
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


def is_overflow(said: ProviderWords) -> bool:
    """Whether the error says that the request exceeds the window."""
    return bool(said.labels & _LABELS) or re.search(_PHRASES, said.text) is not None


def window_tokens(said: ProviderWords) -> int | None:
    """The provider's window, if the error states it."""
    fields = said.fields or {}
    return fields.get("n_ctx") or _first(_LIMITS, said.text)


def request_tokens(said: ProviderWords) -> int | None:
    """The provider's count of the request, if the error states it."""
    fields = said.fields or {}
    return fields.get("n_prompt_tokens") or _first(_ASKED, said.text)


def _first(patterns: tuple[str, ...], text: str) -> int | None:
    for pattern in patterns:
        if found := re.search(pattern, text, re.IGNORECASE):
            return int(re.sub(r"\D", "", found[1])) or None
    return None


# How long a server asks to be left alone: seconds, milliseconds, or a date.


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from lower-case headers; None if there is no usable value."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    seconds = _number(value)
    return _seconds_until(value, headers.get("date", "")) if seconds is None else seconds


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _seconds_until(then: str, now: str) -> float | None:
    """Seconds between two times of the server's clock: ours may be wrong by hours."""
    try:
        return max(0.0, (parsedate_to_datetime(then) - parsedate_to_datetime(now)).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None


# What a person is told when a model does not answer: what happened, and what to do.

SENTENCES: Mapping[str, str] = {
    "auth": tr("{host} did not accept the key. Check the key that is kept for this address, and try again."),
    "no_key": tr("{host} asks for a key, and none is kept for this address. Enter one, and try again."),
    "kept_key": tr(
        "{host} asks for a key, and yours was not sent: others in your network could read it. Tick "
        "that it may be sent, in Settings, or add the server to `plain_http_with_key` in the "
        "settings file."
    ),
    "bad_key": tr("The key for {host} has characters that no key has, so nothing was sent. Enter it again."),
    "rate": tr("{host} is limiting requests. Wait{wait}, then try again."),
    "credit": tr("The account at {host} has no credit left. Add some there, or choose another model."),
    "status_server": tr("{host} reported an internal error (status {status}). Try again later."),
    "status_request": tr("{host} refused the request (status {status}). Check the model and its settings."),
    "status_timeout": tr("{host} gave up waiting for the request (status {status}). Try again."),
    "status_too_big": tr(
        "{host} takes no request as big as this one (status {status}). Leave something out."
    ),
    "missing": tr("{host} has no model “{model}”, or nothing at this address (status {status}). Check both."),
    "in_stream": tr("{host} broke the answer off with an error. Try again."),
    "context": tr(
        "The request is longer than the model's window{numbers}. Leave something out, or use a "
        "larger window."
    ),
    "dropped": tr(
        "{host} dropped the beginning of the request without saying so: it is longer than the "
        "window{numbers}. What came was answered without it. Leave something out, or choose a "
        "larger window."
    ),
    "unreachable": tr("No response from {host}. Check the server and the address."),
    "unknown_host": tr("No address is known for {host}. Check its spelling, and the network."),
    "proxy": tr(
        "The proxy did not pass the request on to {host}. Check the proxy in Settings, or ask who "
        "runs it."
    ),
    "no_proxy": tr(
        "The proxy in the settings does not answer, so {host} was not asked. Check the proxy in "
        "Settings."
    ),
    "broken": tr("The connection to {host} broke. Check the network, and try again."),
    "unsendable": tr("The request cannot be written as {host} expects it. Check the model and its settings."),
    "tls": tr(
        "The certificate of {host} cannot be verified, so nothing was sent. Check the address; do "
        "not enter a key."
    ),
    "connect": tr("{host} did not accept a connection in time. Check the network, or try again in a while."),
    "first": tr(
        "{host} did not begin to answer within {seconds} s. Try again, or allow more time in the "
        "settings."
    ),
    "idle": tr("{host} stopped in the middle of the answer, and was silent for {seconds} s. Try again."),
    "redirected": tr(
        "{host} pointed to another address ({what}); nothing was sent there. Enter the right one."
    ),
    "page": tr(
        "{host} answered with a web page. Sign in to the network if it asks for that, or check the "
        "address."
    ),
    "document": tr("{host} answered with something that is not a stream. Check the address and the server."),
    "garbled": tr("{host} sent {what}. Try again; if it stays so, the server is broken."),
    "cut": tr("{host} cut the answer off before its end. Try again."),
    "encoded": tr(
        "{host} sent a compressed answer, which was not asked for; it was not unpacked. Check the "
        "server."
    ),
    "big": tr("{host} sent {what}, which is more than is taken. Check the server."),
    "empty": tr("{host} ended the answer without a word. Try again, or change the question."),
    "empty_length": tr(
        "{host} ended the answer before its first word: the limit for answers is too small. Raise "
        "it."
    ),
    "empty_filter": tr("{host} held the answer back because of its content rules. Change the question."),
    "unexpected": tr("The answer from {host} could not be read ({what}). Try again."),
}  # fmt: skip

STOPPED_EMPTY: Mapping[str, str] = {
    "length": "empty_length",
    "content_filter": "empty_filter",
    "refusal": "empty_filter",
}


def numbers_in_words(limit_tokens: int | None, asked_tokens: int | None) -> str:
    """The known numbers, in brackets."""
    if limit_tokens and asked_tokens:
        return tr(
            " (it has {asked_tokens:,} tokens, {limit_tokens:,} fit)",
            asked_tokens=asked_tokens,
            limit_tokens=limit_tokens,
        )
    if limit_tokens:
        return tr(" ({limit_tokens:,} tokens fit)", limit_tokens=limit_tokens)
    return tr(" (it has {asked_tokens:,} tokens)", asked_tokens=asked_tokens) if asked_tokens else ""


# A second attempt may go better; every other kind fails again in the same way.
_WORTH_RETRYING: frozenset[FailureKind] = frozenset({"rate", "server", "network"})
_BY_STATUS: Mapping[int, FailureKind] = {
    401: "auth",
    403: "auth",
    408: "timeout",
    413: "too_big",
    429: "rate",
}
_OUT_OF_CREDIT = {"insufficient_quota", "billing_hard_limit_reached", "insufficient_balance"}
_BY_LABEL: Mapping[str, FailureKind] = {
    "rate_limit_error": "rate", "rate_limit_exceeded": "rate", "authentication_error": "auth",
    "invalid_api_key": "auth", "permission_error": "auth", "invalid_request_error": "request",
}  # fmt: skip
_BY_FAULT: Mapping[type[faults.WireFault], tuple[FailureKind, str]] = {
    faults.TooBig: ("too_big", "big"),
    faults.Garbled: ("protocol", "garbled"),
    faults.Encoded: ("protocol", "encoded"),
    faults.KeyUnusable: ("auth", "bad_key"),
    faults.NotAStream: ("protocol", "page"),
}
_NOT_CONNECTED = {"ConnectError", "ConnectTimeout", "gaierror"}
# Both HTTP libraries, and those built on them, name their errors alike; by name no library need be imported here.
_BY_ERROR_NAME: tuple[tuple[str, FailureKind, str], ...] = (
    ("ProxyError", "network", "proxy"),
    ("ConnectTimeout", "timeout", "connect"),
    ("PoolTimeout", "timeout", "connect"),
    ("TimeoutException", "timeout", "first"),
    ("ConnectError", "network", "unreachable"),
    ("NetworkError", "network", "broken"),
    ("LocalProtocolError", "request", "unsendable"),
    ("ProtocolError", "protocol", "cut"),
    ("UnicodeError", "request", "unsendable"),
    ("OSError", "network", "broken"),
    ("EndOfStream", "network", "broken"),
)


class AttemptFailed(ModelFailed):
    """One attempt failed; `again` says whether a retry may succeed."""

    def __init__(self, failure: Failure, *, again: bool = False) -> None:
        super().__init__(failure)
        self.again = again


@dataclass(frozen=True, slots=True)
class Explainer:
    """Explains the errors of one endpoint.

    Attributes:
        advice: what else to do, by the sentence it is added to (see `failure_sentences.py`).
    """

    endpoint: Endpoint
    advice: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, error: Exception) -> AttemptFailed:
        """The failure that the error is."""
        match error:
            case AttemptFailed():
                return error
            case ModelFailed(failure=failure):
                return AttemptFailed(failure)
            case faults.Refused(status=status, headers=headers, body=body):
                return self._refusal(status, headers, said_in(body))
            case faults.SaidError(said=said):
                return self._in_stream(said_by(said))
            case faults.WireFault():
                return AttemptFailed(self._wire(error))
            case _:
                return self._library(error)

    def _refusal(self, status: int, headers: Mapping[str, str], said: ProviderWords) -> AttemptFailed:
        kind = _kind_of_status(status)
        wait_s = retry_after_s(headers)
        if status in (400, 413, 422, 500) and is_overflow(said):
            return AttemptFailed(self._overflow(said))
        sentence = {"rate": "rate", "auth": "auth" if self.endpoint.key else "no_key"}.get(
            kind, f"status_{kind}"
        )
        if status == 404:
            sentence = "missing"
        if sentence == "auth" and self.endpoint.net.rules.withholds_key(target_of(self.endpoint.base_url)):
            sentence = "kept_key"
        if said.labels & _OUT_OF_CREDIT:
            return AttemptFailed(self._failure(kind, "credit", said.text, status=status))
        failure = self._failure(kind, sentence, said.text, status=status, wait_s=wait_s)
        if sentence == "no_key":
            failure = replace(failure, keyless=True)
        return AttemptFailed(failure, again=kind in _WORTH_RETRYING or status == 408)

    def _in_stream(self, said: ProviderWords) -> AttemptFailed:
        if is_overflow(said):
            return AttemptFailed(self._overflow(said))
        if said.status is not None:
            return self._refusal(said.status, {}, said)
        kinds = [_BY_LABEL[label] for label in sorted(said.labels) if label in _BY_LABEL]
        kind: FailureKind = kinds[0] if kinds else "server"
        return AttemptFailed(self._failure(kind, "in_stream", said.text), again=kind in _WORTH_RETRYING)

    def _overflow(self, said: ProviderWords) -> Failure:
        limit, asked = window_tokens(said), request_tokens(said)
        message = self._message("context", said.text, numbers=numbers_in_words(limit, asked))
        return Failure("context", message, limit_tokens=limit, asked_tokens=asked)

    def _wire(self, fault: faults.WireFault) -> Failure:
        match fault:
            case faults.Redirected(target=target):
                return self._of_wire("protocol", "redirected", what=self._shown(_host_in(target)))
            case faults.NotAStream(body=body) if not fault.is_page:
                return self._failure("protocol", "document", said_in(body).text)
            case faults.Slow(waited_s=waited_s, begun=begun):
                return self._of_wire("timeout", "idle" if begun else "first", seconds=f"{waited_s:g}")
            case faults.Empty(reason=reason):
                return self._of_wire("empty", STOPPED_EMPTY.get(reason or "", "empty"))
            case faults.Overflowed(limit_tokens=limit, asked_tokens=asked):
                message = self._message("dropped", numbers=numbers_in_words(limit, asked))
                return Failure("context", message, limit_tokens=limit, asked_tokens=asked)
            case _:
                kind, sentence = _BY_FAULT.get(type(fault), ("protocol", "cut"))
                return self._of_wire(kind, sentence, what=getattr(fault, "what", ""))

    def _of_wire(self, kind: FailureKind, sentence: str, **parts: str) -> Failure:
        return Failure(kind, self._message(sentence, **parts))

    def _library(self, error: Exception) -> AttemptFailed:
        chain = list(_chain(error))
        kept_back = next((one for one in chain if isinstance(one, NotSent)), None)
        if kept_back is not None:
            return AttemptFailed(Failure("network", str(kept_back)))
        names = {base.__name__ for one in chain for base in type(one).__mro__}
        if (
            names & _NOT_CONNECTED
            and not any(isinstance(one, ssl.SSLError) for one in chain)
            and self._proxied()
        ):
            return AttemptFailed(self._failure("network", "no_proxy"), again=True)
        if any(isinstance(one, gaierror) for one in chain):
            return AttemptFailed(self._failure("network", "unknown_host"), again=True)
        if any(isinstance(one, ssl.SSLError) for one in chain):
            return AttemptFailed(self._failure("tls", "tls"))
        if "RemoteProtocolError" in names and "without sending a response" in " ".join(map(str, chain)):
            return AttemptFailed(self._failure("network", "broken"), again=True)
        for name, kind, sentence in _BY_ERROR_NAME:
            if name in names:
                again = kind == "network" or sentence == "connect"
                return AttemptFailed(self._failure(kind, sentence), again=again)
        return AttemptFailed(Failure("protocol", self._message("unexpected", what=type(error).__name__)))

    def _proxied(self) -> bool:
        net = self.endpoint.net
        return bool(net.rules.proxy_for(target_of(self.endpoint.base_url)))

    def _failure(
        self,
        kind: FailureKind,
        sentence: str,
        words: str = "",
        *,
        status: int = 0,
        wait_s: float | None = None,
    ) -> Failure:
        waited = "" if wait_s is None else tr(" {wait_s:g} s", wait_s=wait_s)
        message = self._message(sentence, words, status=str(status), wait=waited or tr(" a moment"))
        return Failure(kind, message, retry_after_s=wait_s)

    def _message(self, sentence: str, words: str = "", **parts: str) -> str:
        """The sentence, advice, and an excerpt of the provider's words, as far as there are any."""
        filled = {
            "seconds": tr("the time given"),
            **parts,
            "host": self.endpoint.host,
            "model": self.endpoint.model,
        }
        quoted = self._shown(words)
        said = tr(" It said: “{quoted}”", quoted=quoted) if quoted else ""
        return (
            " ".join(filter(None, (SENTENCES[sentence].format(**filled), self.advice.get(sentence, ""))))
            + said
        )

    def _shown(self, words: str) -> str:
        return shown(words, Redactor([self.endpoint.key] if self.endpoint.key else []))


def _host_in(target: str) -> str:
    """Host of an address given by a server, as far as it can be parsed."""
    return target.partition("://")[2].partition("/")[0] or target or tr("without saying which")


def _kind_of_status(status: int) -> FailureKind:
    return "server" if status >= 500 else _BY_STATUS.get(status, "request")


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and its causes."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__
