"""Failures with a name: whatever goes wrong with a provider becomes a sentence for a person, and never a key."""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from socket import gaierror

from workbench.domain.answer import Failure, FailureKind, ModelFailed
from workbench.providers.harness.failure_sentences import SENTENCES, STOPPED_EMPTY, numbers_in_words
from workbench.providers.harness.provider_words import Said, said_by, said_in, shown
from workbench.providers.harness.retry_after import retry_after_s
from workbench.providers.harness.token_limits import is_overflow, request_tokens, window_tokens
from workbench.providers.wire import faults
from workbench.providers.wire.endpoint import Endpoint
from workbench.providers.wire.redaction import Redactor

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
# Both HTTP libraries, and those built on them, name their errors alike; by name no library need be imported here.
_BY_ERROR_NAME: tuple[tuple[str, FailureKind, str], ...] = (
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
    """One attempt failed; `again` says whether another one may go better."""

    def __init__(self, failure: Failure, *, again: bool = False) -> None:
        super().__init__(failure)
        self.again = again


@dataclass(frozen=True, slots=True)
class Explainer:
    """Puts what went wrong with one endpoint into words.

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

    def _refusal(self, status: int, headers: Mapping[str, str], said: Said) -> AttemptFailed:
        kind = _kind_of_status(status)
        wait_s = retry_after_s(headers)
        if status in (400, 413, 422, 500) and is_overflow(said):
            return AttemptFailed(self._overflow(said))
        sentence = {"rate": "rate", "auth": "auth" if self.endpoint.key else "no_key"}.get(
            kind, f"status_{kind}"
        )
        if status == 404:
            sentence = "missing"
        if said.labels & _OUT_OF_CREDIT:
            return AttemptFailed(self._failure(kind, "credit", said.text, status=status))
        failure = self._failure(kind, sentence, said.text, status=status, wait_s=wait_s)
        return AttemptFailed(failure, again=kind in _WORTH_RETRYING or status == 408)

    def _in_stream(self, said: Said) -> AttemptFailed:
        if is_overflow(said):
            return AttemptFailed(self._overflow(said))
        if said.status is not None:
            return self._refusal(said.status, {}, said)
        kinds = [_BY_LABEL[label] for label in sorted(said.labels) if label in _BY_LABEL]
        kind: FailureKind = kinds[0] if kinds else "server"
        return AttemptFailed(self._failure(kind, "in_stream", said.text), again=kind in _WORTH_RETRYING)

    def _overflow(self, said: Said) -> Failure:
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
        if any(isinstance(one, gaierror) for one in chain):
            return AttemptFailed(self._failure("network", "unknown_host"), again=True)
        if any(isinstance(one, ssl.SSLError) for one in chain):
            return AttemptFailed(self._failure("tls", "tls"))
        names = {base.__name__ for one in chain for base in type(one).__mro__}
        if "RemoteProtocolError" in names and "without sending a response" in " ".join(map(str, chain)):
            return AttemptFailed(self._failure("network", "broken"), again=True)
        for name, kind, sentence in _BY_ERROR_NAME:
            if name in names:
                again = kind == "network" or sentence == "connect"
                return AttemptFailed(self._failure(kind, sentence), again=again)
        return AttemptFailed(Failure("protocol", self._message("unexpected", what=type(error).__name__)))

    def _failure(
        self,
        kind: FailureKind,
        sentence: str,
        words: str = "",
        *,
        status: int = 0,
        wait_s: float | None = None,
    ) -> Failure:
        waited = "" if wait_s is None else f" {wait_s:g} s"
        message = self._message(sentence, words, status=str(status), wait=waited or " a moment")
        return Failure(kind, message, retry_after_s=wait_s)

    def _message(self, sentence: str, words: str = "", **parts: str) -> str:
        """The sentence, what else to do, and a little of what the provider said; parts of it only."""
        filled = {
            "seconds": "the time given",
            **parts,
            "host": self.endpoint.host,
            "model": self.endpoint.model,
        }
        quoted = self._shown(words)
        said = f" It said: “{quoted}”" if quoted else ""
        return (
            " ".join(filter(None, (SENTENCES[sentence].format(**filled), self.advice.get(sentence, ""))))
            + said
        )

    def _shown(self, words: str) -> str:
        return shown(words, Redactor([self.endpoint.key] if self.endpoint.key else []))


def _host_in(target: str) -> str:
    """The host of an address that a server wrote, or as much of it as there is."""
    return target.partition("://")[2].partition("/")[0] or target or "without saying which"


def _kind_of_status(status: int) -> FailureKind:
    return "server" if status >= 500 else _BY_STATUS.get(status, "request")


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what led to it."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__
