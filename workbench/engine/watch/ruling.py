"""Rules while they run: which hold for which program, what is known of each conversation, and when they stop."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from workbench.context.watch.acting import LISTS, Remembered, changed_body, not_understood
from workbench.context.watch.reading import purpose_of, sender_of
from workbench.context.watch.redacting import Redactor
from workbench.domain.provider import BY_NAME
from workbench.domain.text import digest_text
from workbench.domain.translation import tr
from workbench.domain.watch.exchange import Exchange, WatchedFormat, program_name
from workbench.domain.watch.request import WatchedTurn
from workbench.domain.watch.rules import (
    NO_GAIN,
    REFUSED,
    Changed,
    ProgramRules,
    Rule,
    RuleOutcome,
    merged,
    parse_rule,
)

_log = logging.getLogger(__name__)
_MOST_CONVERSATIONS = 200
_COLD_S = 3600
"""After an hour no vendor has anything cached."""
_FAILURES = 3
_FAILED_SHARE = 0.5
_VENDORS: Mapping[WatchedFormat, str] = {"responses": "openai"}


@dataclass(slots=True)
class _Conversation:
    memory: Remembered
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
        self._failures: dict[str, int] = {}
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

        def known(parsed: dict[str, Any]) -> tuple[Remembered, Redactor]:
            key = conversation_key(exchange, parsed, LISTS.get(name, "messages"))
            mine = self._conversations.pop(key, None) or _Conversation(Remembered())
            self._conversations[key] = mine
            while len(self._conversations) > _MOST_CONVERSATIONS:
                self._conversations.popitem(last=False)
            held.append(mine)
            cold = exchange.started_at - mine.used_at > _COLD_S
            return replace(mine.memory, cold=cold), Redactor(self._salt + key.encode(), self._secrets)

        vendor = BY_NAME.get(_VENDORS.get(name, name))
        at_vendor = vendor is not None and urlsplit(exchange.upstream).netloc == urlsplit(vendor.url).netloc
        changed, acted = changed_body(body, name, rules, known, to_vendor=at_vendor)
        for mine in held:
            mine.used_at = exchange.started_at
            mine.memory = mine.memory if acted is None else acted.memory
        return changed

    def refused(self, exchange: Exchange, changed: Changed, accepted: bool) -> Changed:
        """Switch off the rules that changed a request which the server took only without them."""
        acted = [one.rule for one in changed.outcomes if one.state == "applied"]
        if not accepted:
            why = tr("The server refused the request without rules, too.")
            return replace(changed, body=None, outcomes=_ended(changed.outcomes, "skipped", why))
        self._note(_program(exchange), acted, lambda rule: replace(rule, on=False, why=REFUSED))
        return replace(changed, body=None, outcomes=_ended(changed.outcomes, "off", REFUSED))

    def ended(self, exchange: Exchange, turn: WatchedTurn | None) -> None:
        """Compare the forecast of a changed request with the report; failing three times in a row, it is no gain."""
        if turn is None or turn.forecast is None or turn.answer.usage.cached_tokens is None:
            return
        acted = [one.rule for one in exchange.rules if one.state == "applied"]
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


def _program(exchange: Exchange) -> str:
    """The program that sent a request, as it is shown."""
    return program_name(exchange.header("user-agent")) or "unknown"


def _ended(outcomes: Iterable[RuleOutcome], state: Any, why: str) -> tuple[RuleOutcome, ...]:
    return tuple(
        RuleOutcome(one.rule, state, why, one.note) if one.state == "applied" else one for one in outcomes
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
