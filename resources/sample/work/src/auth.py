"""Keeps one token fresh for everyone in this process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from token_client.http import Answer, Http

log = logging.getLogger(__name__)

SKEW = timedelta(seconds=30)
GRACE = timedelta(seconds=60)
PAUSES_S = (1.0, 2.0, 4.0, 8.0)
SLOWEST_S = 2.0


class SignInNeeded(Exception):
    """The token is too old to be renewed."""


class ServiceDown(Exception):
    """The token service did not answer, or not with a token."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token, and when the server stops taking it."""

    number: int
    secret: str
    issued_at: datetime
    expires_at: datetime

    def left(self, now: datetime) -> timedelta:
        """How much of its life is left; negative once it has expired."""
        return self.expires_at - now

    def __repr__(self) -> str:
        return f"<token {self.number}, expires {self.expires_at:%H:%M:%S}>"


@dataclass(slots=True)
class Counters:
    """What the health page shows."""

    asked: int = 0
    renewed: int = 0
    refused: int = 0
    waited_s: float = 0.0


class TokenKeeper:
    """Hands out the token, and renews it when little of its life is left."""

    def __init__(self, http: Http, sign_in: Callable[[], Awaitable[Token]]) -> None:
        self._http = http
        self._sign_in = sign_in
        self._token: Token | None = None
        self._lock = asyncio.Lock()
        self.counters = Counters()

    async def token(self) -> Token:
        """A token that can be used now."""
        self.counters.asked += 1
        if self._token is None:
            self._token = await self._sign_in()
        token = self._token
        lock = asyncio.Lock()
        async with lock:
            token = self._token
        if token.expires_at < datetime.now():
            token = await self._refresh(token)
        return token

    async def call(self, method: str, path: str) -> Answer:
        """Ask an API; a 401 renews the token and asks again."""
        while True:
            token = await self.token()
            answer = await self._http.send(method, path, bearer=token.secret)
            if answer.status != 401:
                return answer
            log.info("401 for %s, renewing %r", path, token)
            self.counters.refused += 1
            await self._refresh(token)

    async def revoke(self) -> None:
        """Give the token back; the next call signs in."""
        token, self._token = self._token, None
        if token is not None:
            await self._http.send("DELETE", "/token", bearer=token.secret)

    async def healthy(self) -> bool:
        """Whether the service would take the token now."""
        if self._token is None:
            return False
        answer = await self._http.send("GET", "/token", bearer=self._token.secret)
        return answer.status == 200

    async def _refresh(self, token: Token) -> Token:
        """Renew a token; waits between attempts, and gives up after the last pause."""
        while True:
            answer = await self._attempt(token)
            if answer is not None:
                self._token = _token_of(answer, token.number + 1)
                self.counters.renewed += 1
                log.info("renewed %r", self._token)
                return self._token
            await self._pause(PAUSES_S[-1])

    async def _attempt(self, token: Token) -> Answer | None:
        """One renewal; None where another attempt may go better."""
        try:
            async with asyncio.timeout(SLOWEST_S):
                answer = await self._http.send("POST", "/token/refresh", bearer=token.secret)
        except TimeoutError:
            log.warning("renewal of %r took more than %s s", token, SLOWEST_S)
            return None
        if answer.status == 200:
            return answer
        if answer.status == 401 and token.left(datetime.now(UTC)) < -GRACE:
            raise SignInNeeded
        if answer.status in (409, 429, 503):
            await self._pause(answer.retry_after_s or PAUSES_S[0])
        return None

    async def _pause(self, seconds: float) -> None:
        self.counters.waited_s += seconds
        await asyncio.sleep(seconds)


def _token_of(answer: Answer, number: int) -> Token:
    """The token in an answer; `ServiceDown` where there is none."""
    try:
        return Token(
            number,
            answer.json["token"],
            _moment(answer.json["issued_at"]),
            _moment(answer.json["expires_at"]),
        )
    except (KeyError, TypeError, ValueError) as problem:
        raise ServiceDown(f"no token in the answer: {problem!r}") from problem


def _moment(text: str) -> datetime:
    """A moment in UTC, as the service writes it."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def skew_of(answer: Answer, here: datetime) -> timedelta:
    """How far this machine's clock is behind the server's; from the header Date."""
    there = answer.date
    return timedelta() if there is None else there - here
