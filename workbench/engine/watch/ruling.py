"""What stands between a watched request and its server: rules that change it, and a person who decides about it."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from workbench.context.watch.acting import LISTS, Remembered, changed_body, not_understood, recalled
from workbench.context.watch.reading import ReadRequests, purpose_of, sender_of
from workbench.context.watch.redacting import Redactor
from workbench.domain.provider import BY_NAME
from workbench.domain.reading.loose_json import parsed
from workbench.domain.shown.sessions_view import HeldView
from workbench.domain.text import digest_text
from workbench.domain.translation import tr
from workbench.domain.watch.exchange import Exchange, WatchedFormat, program_name
from workbench.domain.watch.request import WatchedTurn
from workbench.domain.watch.rules import (
    NO_GAIN,
    REFUSED,
    Changed,
    Decision,
    ProgramRules,
    Rule,
    RuleOutcome,
    RuleState,
    merged,
    parse_rule,
)

_log = logging.getLogger(__name__)
_MOST_CONVERSATIONS, _MOST_READ = 200, 4
_COLD_S = 3600
"""After an hour no vendor has anything cached."""
_FAILURES = 3
_LEAST_ERROR = 400
_FAILED_SHARE = 0.5
_VENDORS: Mapping[WatchedFormat, str] = {"responses": "openai"}


@dataclass(slots=True)
class _Conversation:
    redactor: Redactor
    memory: Remembered = field(default_factory=Remembered)
    used_at: float = 0.0


class Ruling:
    """The rules of one watch → Acting; may be called from several threads.

    Attributes:
        kept: the rules of each program. everywhere: those of this run, for whatever program sends something.
        source: the rules that are kept now, where they are kept by somebody else.
        on_change: told when rules of a program switched themselves off, or were found to bring nothing.
    """

    def __init__(
        self, kept: Iterable[ProgramRules] = (), everywhere: Sequence[Rule] = (), salt: bytes = b""
    ) -> None:
        self.kept = {one.program.lower(): one for one in kept}
        self.everywhere = tuple(everywhere)
        self.source: Callable[[], tuple[ProgramRules, ...]] | None = None
        self._seen: tuple[ProgramRules, ...] | None = None
        self.on_change: Callable[[str, tuple[Rule, ...]], object] = lambda _program, _rules: None
        self._salt = salt
        self._conversations: OrderedDict[str, _Conversation] = OrderedDict()
        self._secrets: dict[str, tuple[tuple[str, str], ...]] = {}
        self._read = ReadRequests(strict=True)
        self._failures: dict[str, int] = {}
        self._taken: set[tuple[str, str]] = set()
        self._lock = Lock()

    def is_on(self) -> bool:
        """Whether any rule stands there, be it one that is off: what is off is said with each request."""
        if self.source is not None and (now := self.source()) is not self._seen:
            self._seen, self.kept = now, {one.program.lower(): one for one in now}
        return bool(self.everywhere) or any(one.rules for one in self.kept.values())

    def rules(self, program: str) -> tuple[Rule, ...]:
        """The rules for a program, those of this run among them."""
        found = self.kept.get(program.lower(), ProgramRules(program)).rules
        for one in self.everywhere:
            found = merged(found, one)
        return found

    def keep(self, kept: ProgramRules) -> None:
        """Replace the rules of a program; they hold from the next request on."""
        with self._lock:
            self.kept[kept.program.lower()] = kept

    def change(self, exchange: Exchange, body: bytes | None) -> Changed:
        """Apply the rules of a request's program, if it asks a model; None as body is one that cannot be read."""
        rules = self.rules(_program(exchange))
        if exchange.format is None or purpose_of(exchange, None) != "turn" or not rules:
            return Changed()
        if body is None:
            return not_understood(rules)
        try:
            with self._lock:
                return self._changed(exchange, exchange.format, body, rules)
        except Exception:  # noqa: BLE001  (a body that nobody foresaw passes as it came, like any other)
            # No traceback: it could quote the request.
            _log.error("no rule could be applied to request %d", exchange.n)
            return not_understood(rules)

    def _changed(
        self, exchange: Exchange, name: WatchedFormat, body: bytes, rules: Sequence[Rule]
    ) -> Changed:
        held: list[_Conversation] = []

        def known(asked: dict[str, Any]) -> tuple[Remembered, Redactor]:
            mine = self._conversation(exchange, asked, name)
            held.append(mine)
            cold = exchange.started_at - mine.used_at > _COLD_S
            return replace(mine.memory, cold=cold), mine.redactor

        changed, acted = changed_body(
            body, name, rules, known, to_vendor=_is_at_vendor(exchange, name), before=self._read
        )
        for mine in held:
            mine.used_at = exchange.started_at
            mine.memory = mine.memory if acted is None else acted.memory
        return changed

    def _conversation(
        self, exchange: Exchange, body: Mapping[str, Any], name: WatchedFormat
    ) -> _Conversation:
        """The conversation of a request; the newest ones stand last."""
        key = conversation_key(exchange, body, LISTS.get(name, "messages"))
        mine = self._conversations.pop(key, None)
        mine = mine or _Conversation(Redactor(self._salt + key.encode(), self._secrets))
        self._conversations[key] = mine
        while len(self._conversations) > _MOST_CONVERSATIONS:
            self._conversations.popitem(last=False)
        for older in islice(reversed(self._conversations.values()), _MOST_READ, _MOST_READ + 1):
            older.redactor.clean = []  # else it held all that was said in all of them
        return mine

    def remember(self, _turn: WatchedTurn, exchange: Exchange) -> None:
        """Restore what is known of a stored conversation from its last request, unless it went on already."""
        name, rules = exchange.format, [one for one in self.rules(_program(exchange)) if one.on]
        sent, came = (
            parsed(body.decode("utf-8", "replace")) for body in (exchange.request, exchange.came_in)
        )
        if name is None or not rules or not isinstance(sent, dict):
            return
        came = came if isinstance(came, dict) else sent
        with self._lock, suppress(Exception):  # what nobody foresaw begins anew
            mine = self._conversation(exchange, came, name)
            if not mine.used_at:
                mine.used_at = exchange.started_at
                mine.memory = recalled(came, sent, name, rules, to_vendor=_is_at_vendor(exchange, name))

    def refused(self, exchange: Exchange, changed: Changed, accepted: bool) -> Changed:
        """Switch off the rules that changed a request which the server took only without them.

        Where no request went through yet with some of them, it is only these.
        """
        acted, program = _applied(changed.outcomes), _program(exchange)
        if not accepted:
            why = tr("The server refused the request without rules, too.")
            return replace(changed, body=None, outcomes=_ended(changed.outcomes, acted, "skipped", why))
        guilty = [rule for rule in acted if (program, rule) not in self._taken] or acted
        self._note(program, guilty, lambda rule: replace(rule, on=False, why=REFUSED))
        outcomes = _ended(changed.outcomes, guilty, "off", REFUSED)
        why = tr("The server took the request only without rules; another one is more likely why.")
        return replace(changed, body=None, outcomes=_ended(outcomes, acted, "skipped", why))

    def ended(self, exchange: Exchange, turn: WatchedTurn | None) -> None:
        """Compare the forecast of a changed request with the report; failing three times in a row, it is no gain."""
        acted = _applied(exchange.rules)
        if exchange.status is not None and exchange.status < _LEAST_ERROR:
            self._taken |= {(_program(exchange), rule) for rule in acted}
        if turn is None or turn.forecast is None or turn.answer.usage.cached_tokens is None:
            return
        foreseen = turn.forecast.predicted_read_tokens
        if not acted or not foreseen:
            return
        failed = turn.answer.usage.cached_tokens < _FAILED_SHARE * foreseen
        for rule in acted:
            self._failures[rule] = self._failures.get(rule, 0) + 1 if failed else 0
        useless = [rule for rule in acted if self._failures[rule] == _FAILURES]
        self._note(_program(exchange), useless, lambda rule: replace(rule, why=NO_GAIN))
        if not failed:
            self._note(_program(exchange), acted, lambda rule: replace(rule, why=""))

    def _note(self, program: str, written: Sequence[str], note: Callable[[Rule], Rule]) -> None:
        with self._lock:
            names = {parse_rule(one).name for one in written}
            kept = self.kept.get(program.lower(), ProgramRules(program))
            rules = tuple(note(one) if one.name in names else one for one in kept.rules)
            everywhere = tuple(note(one) if one.name in names else one for one in self.everywhere)
            if (rules, everywhere) == (kept.rules, self.everywhere):
                return
            self.kept[program.lower()], self.everywhere = replace(kept, rules=rules), everywhere
        self.on_change(program, (*rules, *everywhere))


def _is_at_vendor(exchange: Exchange, name: WatchedFormat) -> bool:
    """Whether a request goes to the vendor of its API."""
    vendor = BY_NAME.get(_VENDORS.get(name, name))
    return vendor is not None and urlsplit(exchange.upstream).netloc == urlsplit(vendor.url).netloc


def _program(exchange: Exchange) -> str:
    """The program that sent a request, as it is shown."""
    return program_name(exchange.header("user-agent")) or "unknown"


def _applied(outcomes: Iterable[RuleOutcome]) -> list[str]:
    return [one.rule for one in outcomes if one.state == "applied"]


def _ended(
    outcomes: Iterable[RuleOutcome], rules: Sequence[str], state: RuleState, why: str
) -> tuple[RuleOutcome, ...]:
    """The outcomes with another one of some rules that were applied."""
    return tuple(
        RuleOutcome(one.rule, state, why, one.note) if one.state == "applied" and one.rule in rules else one
        for one in outcomes
    )


def conversation_key(exchange: Exchange, body: Mapping[str, Any], messages: str) -> str:
    """What tells conversations of a program apart before anything is compared: its session, else the first message.

    Requests beside a conversation, such as for its title, ask another model or have no tools.
    """
    sender = sender_of(exchange, body)
    told = [sender.client, sender.session, sender.agent, str(body.get("model")), str(bool(body.get("tools")))]
    if not sender.session:
        said = body.get(messages)
        first = next(
            (one for one in said if isinstance(one, dict) and one.get("role") not in ("system", "developer")), ""
        ) if isinstance(said, list) else said  # fmt: skip
        told.append(str(first))
    return digest_text("\0".join(told))


# Requests that wait until a person has decided about each.


NOT_SENT = tr("This request was held, and refused by a person. Nothing was sent.")
CLOSED = tr("The watch was closed while this request was held. Nothing was sent.")


class HeldRequests:
    """The requests that wait → Holding; never on by itself.

    `show` is called with whether requests are held, and those that wait, whenever that changes.
    """

    def __init__(
        self, show: Callable[[bool, tuple[HeldView, ...]], None], utc_now: Callable[[], str]
    ) -> None:
        self._show, self._utc_now = show, utc_now
        self._on = False
        self._waiting: dict[int, tuple[HeldView, asyncio.Future[Decision]]] = {}

    def is_on(self) -> bool:
        return self._on

    async def decide(self, exchange: Exchange, body: bytes, timeout_s: float | None) -> Decision:
        """Wait until a person has decided; given up where the program no longer waits."""
        if not self._on:
            return Decision()
        name = program_name(exchange.header("user-agent"))
        held = HeldView(exchange.n, name, self._utc_now(), timeout_s, body.decode("utf-8", "replace"))
        decided: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._waiting[exchange.n] = held, decided
        self._tell()
        try:
            return await decided
        finally:
            self._waiting.pop(exchange.n, None)
            self._tell()

    def switch(self, on: bool) -> None:
        """Hold requests from now on; or no longer, and send those that wait."""
        self._on = on
        if not on:
            self._end(Decision())
        self._tell()

    def answer(self, n: int, send: bool, body: str | None = None) -> None:
        """Decide about one; an edit is only this request's."""
        held, decided = self._waiting.get(n, (None, None))
        if held is not None and decided is not None and not decided.done():
            edited = None if body is None or body == held.body else body.encode("utf-8", "replace")
            decided.set_result(Decision(body=edited) if send else Decision(NOT_SENT))

    def close(self) -> None:
        """Refuse all that wait, since nobody will decide about them."""
        self._on = False
        self._end(Decision(CLOSED))
        self._tell()

    def _end(self, decision: Decision) -> None:
        for _, decided in self._waiting.values():
            if not decided.done():
                decided.set_result(decision)

    def _tell(self) -> None:
        self._show(self._on, tuple(held for held, _ in self._waiting.values()))
