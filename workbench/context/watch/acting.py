"""Applies rules to a watched request: pure functions on its parsed body, whose edits are spliced into its bytes."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.context.shorten.fit import plan_of
from workbench.context.shorten.head_and_tail import HeadAndTail
from workbench.context.watch.pieces import Pieces, Place, compact, mark_in
from workbench.context.watch.prefix import ReadBefore
from workbench.context.watch.reading import ReadRequests, protocol_of
from workbench.context.watch.redacting import Redactor, hidden
from workbench.context.watch.splicing import (
    Bodies,
    Draft,
    NotUnderstood,
    Path,
    Places,
    path_of,
    value_at,
    written_at,
)  # fmt: skip
from workbench.domain.reading.loose_json import strings_in
from workbench.domain.spending import CHARS_A_TOKEN
from workbench.domain.text import digest_chain
from workbench.domain.translation import counted, joined, tr
from workbench.domain.watch.exchange import WatchedFormat
from workbench.domain.watch.request import WatchedPiece
from workbench.domain.watch.rules import (
    NO_CHANGE,
    NOT_UNDERSTOOD,
    WAITING,
    Changed,
    Rule,
    RuleName,
    RuleOutcome,
)

LISTS: Mapping[WatchedFormat, str] = {"responses": "input", "gemini": "contents"}
_CHOICES = ("tool_choice", "function_call", "toolConfig", "tool_config")
_BILLING = "x-anthropic-billing-header"
_REFERENCE = re.compile(r'"tool_name":"([^"]*)"')
_LINE = re.compile(r"\[workbench: [^\n]* since it was first sent: [^\n]*\]\s*$")
_CUT = re.compile(r"\[shortened by a rule, from [\d,]+ characters\]\s*$")
_STEP_SHARE = 0.25
"""Results are cut once that saves such a share of the request; a cut each request would lose each prefix."""
_LONGEST_CHANGE = 2_000
_LONGEST_PLANNED = 400_000
_MOST_LINES = 400
_MOST_MARKS = 4
_BEGINNING = 24


@dataclass(frozen=True, slots=True)
class Remembered:
    """What rules know of a conversation from its earlier requests.

    Attributes:
        frozen: texts as they were first sent, by their places; how blocks begin that leave, by their rules.
        lines: what was said of their changes: in which message, its digest, the line, the place, and the new text.
        cut: shortened results, by the digests of the whole ones.
        called: tools that were called. said: how many pieces the last request's messages had, and their digest.
        secrets: placeholders of secrets.
        cold: its last request was so long ago that nothing of it is cached.
    """

    frozen: Mapping[str, str] = field(default_factory=dict)
    lines: tuple[tuple[int, str, str, str, str], ...] = ()
    cut: Mapping[str, str] = field(default_factory=dict)
    called: frozenset[str] = frozenset()
    said: tuple[int, str] = (0, "")
    secrets: Mapping[str, str] = field(default_factory=dict)
    cold: bool = False


@dataclass(frozen=True, slots=True)
class Acted:
    """What rules made of a request: its edits, what became of each rule, and what is to be remembered."""

    draft: Draft
    outcomes: tuple[RuleOutcome, ...]
    memory: Remembered
    restore: Mapping[str, str]


def changed_body(
    body: bytes,
    name: WatchedFormat,
    rules: Sequence[Rule],
    known: Callable[[dict[str, Any]], tuple[Remembered, Redactor]],
    *,
    to_vendor: bool = False,
    before: ReadRequests | None = None,
) -> tuple[Changed, Acted | None]:
    """The body after the rules that are on, as spliced bytes; `known` finds what is known of its conversation.

    `to_vendor`: it goes to the API's own vendor. `before`: what was read of earlier requests, strictly.
    """
    before = before or ReadRequests(strict=True)
    try:
        text = body.decode("utf-8")
        parsed, places = understood(text, name, before.bodies)
        source = Source(text, places, before.before(name))
        acted = act(parsed, name, rules, *known(parsed), to_vendor=to_vendor, source=source)
    except (NotUnderstood, UnicodeDecodeError, RecursionError):
        return not_understood(rules), None
    new = acted.draft.spliced(text).encode() if acted.draft.is_changed else body
    return Changed(None if new == body else new, acted.outcomes + _off(rules), acted.restore or None), acted


def not_understood(rules: Sequence[Rule]) -> Changed:
    """A request that passes unchanged because it could be read in more than one way, or not at all."""
    return Changed(None, tuple(_skipped(rule, NOT_UNDERSTOOD) for rule in rules if rule.on) + _off(rules))


def understood(text: str, name: WatchedFormat, bodies: Bodies) -> tuple[dict[str, Any], Places]:
    """A body that rules may change, with its places; `NotUnderstood` where its parts are not what its API takes."""
    body, places = bodies.parsed(text)
    if not isinstance(body, dict):
        raise NotUnderstood
    for key in ("tools", "functions", "messages", "contents"):
        some = body.get(key, [])
        if not isinstance(some, list) or not all(isinstance(one, dict) for one in some):
            raise NotUnderstood
    if name == "gemini" and not all(
        isinstance(part, dict) for one in body.get("contents", []) for part in one.get("parts") or ()
    ):
        raise NotUnderstood
    return body, places


@dataclass(frozen=True, slots=True)
class Source:
    """What a body was read from: its text, the places in it, and the messages that were read before."""

    text: str = ""
    places: Places = field(default_factory=dict)
    before: ReadBefore[Any] | None = None


def act(
    body: dict[str, Any], name: WatchedFormat, rules: Sequence[Rule], memory: Remembered, redactor: Redactor,
    *, to_vendor: bool = False, source: Source | None = None,
) -> Acted:  # fmt: skip
    """Apply the rules that are on to a parsed body."""
    work = _Work(body, name, memory, redactor, to_vendor=to_vendor, source=source)
    found = {rule: _RULES[rule.name](work, rule) for rule in sorted(rules, key=_order) if rule.on}
    return Acted(work.draft, tuple(found[rule] for rule in rules if rule.on), work.remembered(), work.restore)


def recalled(
    came: dict[str, Any], sent: dict[str, Any], name: WatchedFormat, rules: Sequence[Rule], *, to_vendor: bool
) -> Remembered:
    """What was known of frozen texts after a request, from its bodies as it came and as it was sent."""
    dropping = [one for one in rules if one.name == "block.drop"]
    gone = act(came, name, dropping, Remembered(), Redactor(b""), to_vendor=to_vendor)
    work = _Work(came, name, gone.memory, Redactor(b""), to_vendor=to_vendor)
    told = {one.message: one.text for one in _pieces(sent, name)}
    for value in (value for one in rules if one.name == "text.freeze" for value in one.values):
        written = value.partition("~")[0]
        now, first = value_at(came, path_of(written)), value_at(sent, _moved(path_of(written), gone.draft))
        if isinstance(now, dict) and isinstance(first, dict):
            now, first = now.get("text"), first.get("text")
        if not isinstance(now, str) or not isinstance(first, str) or "REDACTED_" in first:
            continue
        work.frozen[value] = first
        for number in {one.message for one in work.pieces if one.message >= 0}:
            line = _LINE.search(told.get(_moved((work.list, number), gone.draft)[1], ""))
            if line is not None and line[0].startswith(f"[workbench: {written} has changed"):
                work.lines.append((number, work.digest(number), line[0], value, now))
    return work.remembered()


def _moved(path: Path, draft: Draft) -> Any:
    """Where something stands once what was removed before it is gone."""
    before = [one for one in draft.removed if isinstance(one[-1], int)]
    return tuple(
        step
        if isinstance(step, str)
        else step - sum(one[:-1] == path[:n] and int(one[-1]) < step for one in before)
        for n, step in enumerate(path)
    )


class _Said(Pieces):
    """The pieces of a body, with tools by their names alone: writing their definitions takes longer than the rest."""

    def add_tool(self, path: str, name: str, definition: Mapping[str, Any]) -> None:
        self.add_bare(Place(path, "system"), "tool", name, mark_in(definition))


def _pieces(
    body: Mapping[str, Any], name: WatchedFormat, before: ReadBefore[Any] | None = None
) -> tuple[WatchedPiece, ...]:
    into = _Said(before)
    protocol_of(name).read(body, into)
    return into.all()


def _off(rules: Iterable[Rule]) -> tuple[RuleOutcome, ...]:
    return tuple(RuleOutcome(rule.text, "off", rule.why) for rule in rules if not rule.on)


def _order(rule: Rule) -> int:
    return list(_RULES).index(rule.name)


def _skipped(rule: Rule, why: str) -> RuleOutcome:
    return RuleOutcome(rule.text, "skipped", why)


class _Work:
    """A request while rules are applied to it."""

    def __init__(
        self, body: dict[str, Any], name: WatchedFormat, memory: Remembered, redactor: Redactor, *,
        to_vendor: bool, source: Source | None = None,
    ) -> None:  # fmt: skip
        self._source = source = source or Source()
        self.draft, self.format = Draft(body, source.places), name
        self.pieces = pieces = self.read_again()
        self.memory, self.redactor = memory, redactor
        self.is_billing: Callable[[str], bool] = lambda text: to_vendor and text.startswith(_BILLING)
        self.frozen, self.lines = dict(memory.frozen), list(memory.lines)
        self.cut, self.secrets = dict(memory.cut), dict(memory.secrets)
        self.called = memory.called | {one.name for one in pieces if one.kind == "call"}
        self.called |= {name.removesuffix("_call") for name in self.called}
        self.restore: Mapping[str, str] = {}
        self._said = [one.digest for one in pieces if one.message >= 0]
        self.list = LISTS.get(name, "messages")

    @property
    def body(self) -> Any:
        return self.draft.body

    @property
    def history_holds(self) -> bool:
        """Whether the last request's messages stand at the beginning of this one."""
        count, digest = self.memory.said
        return bool(count) and digest == digest_chain(self._said[:count])

    def read_again(self) -> tuple[WatchedPiece, ...]:
        """The pieces of the body as it is now."""
        return _pieces(self.body, self.format, self._source.before)

    def digest(self, message: int) -> str:
        """The digest of a message; empty where it is not there."""
        said = [one.digest for one in self.pieces if one.message == message >= 0]
        return digest_chain(said) if said else ""

    def messages(self) -> list[Any]:
        found = self.body.get(self.list)
        return found if isinstance(found, list) else []

    def newest(self) -> int:
        """The number of the newest message that the model does not say itself; -1 where there is none."""
        said = [one.message for one in self.pieces if one.message >= 0 and one.role in ("user", "tool")]
        return max(said, default=-1)

    def remembered(self) -> Remembered:
        said = len(self._said), digest_chain(self._said)
        return Remembered(
            self.frozen, tuple(self.lines), self.cut, frozenset(self.called), said, self.secrets
        )

    def referenced(self) -> set[str]:
        """Tools that were found by a search, which is as good as a call."""
        if self._source.text and "tool_reference" not in self._source.text:
            return set()
        said = compact(self.messages())
        return set(_REFERENCE.findall(said)) if '"tool_reference"' in said else set()

    def written(self, piece: WatchedPiece) -> str:
        """A tool's definition as it was written."""
        path = path_of(piece.path)
        return written_at(self._source.text, self._source.places, path) or compact(value_at(self.body, path))


# Tools.


def _tools_without(work: _Work, rule: Rule) -> RuleOutcome:
    tools = [one for one in work.pieces if one.kind == "tool"]
    named = [one for one in tools if rule.names(one.name)]
    stays = work.called | work.referenced() | set(strings_in([work.body.get(key) for key in _CHOICES]))
    gone = [one for one in named if one.name not in stays]
    if not gone:
        return _skipped(
            rule, tr("They were called in this conversation, or are chosen.") if named else NO_CHANGE
        )
    if len(gone) == len(tools) and (why := _empty_tools(work)):
        return _skipped(rule, why)
    paths = [path_of(one.path) for one in gone]
    for path in paths:
        _remove(work, path)
    if work.format == "gemini":  # a group of declarations without any leaves, too
        for group in {path[:-1] for path in paths if len(path) > 2}:
            if all(work.draft.is_gone((*group, n)) for n in range(len(value_at(work.body, group)))):
                work.draft.remove(group[:-1])
    kept = [one.name for one in named if one.name in stays]
    note = tr("{gone} tools", gone=len(gone)) if len(gone) > 1 else gone[0].name
    why = (
        tr("Called in this conversation, or chosen, so not left out: {kept}.", kept=", ".join(kept[:8]))
        if kept
        else ""
    )
    return RuleOutcome(rule.text, "applied", why, note, removed=tuple(work.written(one) for one in gone))


def _empty_tools(work: _Work) -> str:
    """Removes what is left of a list without tools; returns why that is not possible."""
    if any(key in work.body for key in (*_CHOICES, "parallel_tool_calls")):
        return tr("No tool would be left, and the request says how tools are chosen.")
    if work.format != "anthropic":
        for key in ("tools", "functions"):
            if key in work.body:
                work.draft.remove((key,))
    return ""


def _remove(work: _Work, path: Path) -> None:
    """Remove an element of a list; a cache mark that ends with it goes on to the element before it."""
    draft, place = work.draft, path[-1]
    draft.remove(path)
    mark = _mark_of(value_at(draft.body, path))
    if mark is None or not isinstance(place, int):
        return
    before = [(*path[:-1], n) for n in range(place) if not draft.is_gone((*path[:-1], n))][-1:]
    for one in before:
        if isinstance(value := value_at(draft.body, one), dict) and _mark_of(value) is None:
            draft.put((*one, "cache_control"), mark)


def _mark_of(value: Any) -> Any:
    return value.get("cache_control") if isinstance(value, dict) else None


# Blocks.


def _block_drop(work: _Work, rule: Rule) -> RuleOutcome:
    removed, why = [], NO_CHANGE
    for value in rule.values:
        written, _, begins = value.partition("~")
        begins = begins or work.frozen.get(f"{rule.name} {value}", "")
        for piece in work.pieces:
            if not _stands_at(piece, written) or not piece.text.startswith(begins):
                continue
            why = _undroppable(work, piece) or why
            if why == NO_CHANGE:
                # The block that takes its place is another one, and stays.
                work.frozen.setdefault(f"{rule.name} {value}", piece.text[:_BEGINNING])
                _remove(work, _block(work, piece))
                removed.append(piece)
    if not removed:
        return _skipped(rule, why)
    said = tuple(one.text for one in removed)
    return RuleOutcome(rule.text, "applied", "" if why == NO_CHANGE else why, removed[0].path, removed=said)


def _stands_at(piece: WatchedPiece, written: str) -> bool:
    return piece.path == written or piece.path.removesuffix(".text").removesuffix(".content") == written


def _block(work: _Work, piece: WatchedPiece) -> Path:
    """What leaves with a piece: its block, its message where that is a system's, or all instructions."""
    path = path_of(piece.path)
    if piece.role == "system" and piece.message >= 0:
        alone = sum(one.message == piece.message for one in work.pieces) == 1
        return path[:2] if alone else path[:-1] if path[-1] == "text" else path
    return path[:-1] if path[-1] == "text" and len(path) > 1 else path


def _undroppable(work: _Work, piece: WatchedPiece) -> str:
    if piece.kind not in ("system", "reminder"):
        return tr("Only instructions and reminders can leave.")
    if work.is_billing(piece.text):
        return tr("Claude Code’s billing header is never changed towards Anthropic.")
    path = _block(work, piece)
    beside = value_at(work.body, path[:-1])
    if isinstance(beside, list):
        alone = all(work.draft.is_gone((*path[:-1], n)) for n in range(len(beside)) if n != path[-1])
        return tr("It is all that its message says.") if alone else ""
    return "" if len(path) == 1 else tr("It is all that its message says.")


# Texts that are sent as they were first seen.


def _text_freeze(work: _Work, rule: Rule) -> RuleOutcome:
    if any(
        _LINE.search(one.text[-_LONGEST_CHANGE - 500 :])
        for one in work.pieces
        if one.role in ("user", "tool")
    ):
        return _skipped(rule, tr("Its line is there already."))
    notes = [_freeze(work, value) for value in rule.values]
    added = tuple(_restored_lines(work))
    changed = [path for path, _, state in notes if state == "changed"]
    if not changed and not added:
        return _skipped(rule, next((state for _, _, state in notes if state), NO_CHANGE))
    removed = tuple(text for _, text, state in notes if state == "changed")
    kept = tuple(work.frozen[key] for key, _, state in notes if state == "changed")
    return RuleOutcome(rule.text, "applied", "", ", ".join(changed), removed=removed, added=(*kept, *added))


def _freeze(work: _Work, value: str) -> tuple[str, str, str]:
    """Freeze one text; returns its key, the text as it came, and what was done: "changed", or why nothing was."""
    written, _, begins = value.partition("~")
    path = path_of(written)
    now = value_at(work.body, path)
    if isinstance(now, dict):
        path, now = (*path, "text"), now.get("text")
    if not isinstance(now, str) or not now.startswith(begins):
        return value, "", NO_CHANGE
    if work.is_billing(now):
        return value, "", tr("Claude Code’s billing header is never changed towards Anthropic.")
    if path[:2] == (work.list, work.newest()):
        return value, "", tr("It stands in the newest message.")
    first = work.frozen.setdefault(value, now)
    if now != first and now == hidden(first, work.secrets):  # as it was sent before, without its secrets
        return value, "", NO_CHANGE
    said = [line[4] for line in _holding_lines(work) if line[3] == value]
    told = said[-1] if said else first
    if now != told:
        words = _what_changed(first, now)
        if len(words) > _LONGEST_CHANGE:
            work.frozen[value] = now
            work.lines = [line for line in work.lines if line[3] != value]
            return value, "", tr("Another text stands there now; that one is frozen.")
        line = f"[workbench: {written} has changed since it was first sent: {words}]"
        newest = work.newest()
        if newest >= 0:
            work.lines.append((newest, work.digest(newest), line, value, now))
    if now == first:
        return value, "", NO_CHANGE
    work.draft.put(path, first)
    return value, now, "changed"


def _holding_lines(work: _Work) -> list[tuple[int, str, str, str, str]]:
    """The lines whose messages are still there."""
    return [line for line in work.lines if work.digest(line[0]) == line[1]]


def _restored_lines(work: _Work) -> Iterator[str]:
    """Put every line to its message, so that what was sent once is sent so again."""
    work.lines = _holding_lines(work)
    for number, _, line, _, _ in work.lines:
        if _add_line(work, number, line):
            yield line


def _add_line(work: _Work, number: int, line: str) -> bool:
    """Put a line at the end of a message; returns whether its form is known."""
    whole = work.body.get(work.list)
    if isinstance(whole, str):
        work.draft.put((work.list,), f"{whole}\n\n{line}")
        return True
    path: Path = (work.list, number)
    message = value_at(work.body, path)
    key = {"gemini": "parts"}.get(work.format, "output" if "output" in message else "content")
    match message.get(key):
        case str() as text:
            work.draft.put((*path, key), f"{text}\n\n{line}")
        case list() as parts:
            kind = {"responses": {"type": "input_text"}, "gemini": {}}.get(work.format, {"type": "text"})
            work.draft.put((*path, key, len(parts)), {**kind, "text": line})
        case _:
            return False
    return True


def _what_changed(first: str, now: str) -> str:
    """The lines that differ, as quoted texts in one line."""
    if first == now:
        return tr("it is again as it was")
    was, new = first.split("\n"), now.split("\n")
    head = next(
        (n for n, pair in enumerate(zip(was, new, strict=False)) if pair[0] != pair[1]),
        min(len(was), len(new)),
    )
    tail = 0
    while tail < min(len(was), len(new)) - head and was[-1 - tail] == new[-1 - tail]:
        tail += 1
    was, new = was[head : len(was) - tail], new[head : len(new) - tail]
    blocks: Sequence[tuple[str, int, int, int, int]] = [("replace", 0, len(was), 0, len(new))]
    if max(len(was), len(new)) <= _MOST_LINES:
        blocks = difflib.SequenceMatcher(None, was, new, autojunk=False).get_opcodes()
    said = []
    for kind, a, b, c, d in blocks:
        old, fresh = _quoted(was[a:b]), _quoted(new[c:d])
        if kind != "equal":
            said.append(
                tr("{old} is now {fresh}", old=old, fresh=fresh)
                if a < b and c < d
                else tr("{old} is gone", old=old)
                if a < b
                else tr("{fresh} is new", fresh=fresh)
            )
    return joined(said, "; ")


def _quoted(lines: Sequence[str]) -> str:
    return json.dumps("\n".join(lines).strip("\n"), ensure_ascii=False)


# Results of tools.


def _results_shorten(work: _Work, rule: Rule) -> RuleOutcome:
    old = [one for one in _old_results(work, rule.after) if len(one.text) > rule.tokens * CHARS_A_TOKEN]
    old = [one for one in old if not _CUT.search(one.text[-100:])]
    key = f"{rule.tokens}:"
    new = [one for one in old if key + one.digest not in work.cut]
    saved = sum(len(one.text) - rule.tokens * CHARS_A_TOKEN for one in new)
    enough = saved >= _STEP_SHARE * sum(len(one.text) for one in work.pieces)
    if not work.history_holds or work.memory.cold or enough:
        for one in new:
            work.cut[key + one.digest] = ""
    done, removed, added = 0, list[str](), list[str]()
    for one in old:
        if key + one.digest in work.cut:
            for path, text, short in _shortened(work, one, rule.tokens * CHARS_A_TOKEN, key + one.digest):
                work.draft.put(path, short)
                removed.append(text)
                added.append(short)
            done += 1
    if not removed:
        return _skipped(rule, WAITING if new else NO_CHANGE)
    note = f"{done} result{'s' if done > 1 else ''}"
    return RuleOutcome(rule.text, "applied", "", note, removed=tuple(removed), added=tuple(added))


def _old_results(work: _Work, after: int) -> list[WatchedPiece]:
    """Results that more than so many exchanges came after, the newest first."""
    old, exchanges, answering = [], 0, False
    for one in reversed(work.pieces):
        exchanges += one.role == "assistant" and not answering
        answering = one.role == "assistant"
        if one.kind == "result" and exchanges > after:
            old.append(one)
    return old


def _shortened(work: _Work, piece: WatchedPiece, chars: int, key: str) -> Iterator[tuple[Path, str, str]]:
    """The texts of a result that become shorter: where they stand, as they were, and as they become."""
    path = path_of(piece.path)
    content = value_at(work.body, path)
    texts = [(path, content)] if isinstance(content, str) else [
        ((*path, n, "text"), part["text"])
        for n, part in enumerate(content if isinstance(content, list) else ())
        if isinstance(part, dict) and isinstance(part.get("text"), str)
    ]  # fmt: skip
    known = (
        json.loads(work.cut[key]) if work.cut[key] else [_cut(text, chars // len(texts)) for _, text in texts]
    )
    work.cut[key] = json.dumps(known)
    for (place, text), short in zip(texts, known, strict=False):
        if len(short) < len(text):
            yield place, text, short


def _cut(text: str, chars: int) -> str:
    if len(text) <= chars:
        return text
    plan = plan_of("", text) if len(text) <= _LONGEST_PLANNED else HeadAndTail(text)
    return f"{plan.cut(chars)}\n[shortened by a rule, from {len(text):,} characters]"


# Secrets.


def _secrets_redact(work: _Work, rule: Rule) -> RuleOutcome:
    # Rules before this one may have put a secret in a place where there was none.
    pieces = work.read_again() if work.draft.is_changed else work.pieces
    # Only where their numbers are those of the pieces.
    messages = work.messages() if all(isinstance(one, dict) for one in work.messages()) else []
    edits, used = work.redactor.redact(work.body, pieces, messages, work.secrets, work.is_billing)
    for path, text in edits:
        work.draft.put(path, text)
    work.restore = {placeholder: secret for secret, placeholder in used.items()}
    if "previous_response_id" in work.body:  # what its provider keeps was sent with these
        work.restore = {placeholder: secret for secret, placeholder in work.secrets.items()}
    if not edits:
        return _skipped(rule, NO_CHANGE)
    note = counted(len(used), "key")
    return RuleOutcome(rule.text, "applied", "", note)


# Marks.


def _cache_mark(work: _Work, rule: Rule) -> RuleOutcome:
    if work.format != "anthropic":
        return _skipped(rule, tr("Only Anthropic reads cache marks."))
    if any(one.mark for one in work.pieces) or "cache_control" in work.body:
        return _skipped(rule, tr("The program sets marks itself."))
    ends = [_last_left(work, "tools"), _last_left(work, "system")]
    said = [n for n, one in enumerate(work.messages()) if one.get("role") == "user"]
    places = [place for place in (*ends, *(_end_of_message(work, n) for n in said[-2:])) if place is not None]
    for path in places[:_MOST_MARKS]:
        _mark(work, path)
    note = f"{len(places)} mark{'s' if len(places) > 1 else ''}"
    return RuleOutcome(rule.text, "applied", "", note) if places else _skipped(rule, NO_CHANGE)


def _last_left(work: _Work, key: str) -> Path | None:
    """The last element of a list that stays; the value itself where it is a text."""
    value = work.body.get(key)
    if isinstance(value, str):
        return (key,) if value.strip() and not work.draft.is_gone((key,)) else None
    left = [n for n in range(len(value or ())) if not work.draft.is_gone((key, n))]
    return (key, left[-1]) if left and _can_be_marked(value_at(work.body, (key, left[-1])), key) else None


def _end_of_message(work: _Work, number: int) -> Path | None:
    path: Path = ("messages", number, "content")
    content = value_at(work.body, path)
    if isinstance(content, str):
        return path if content.strip() else None
    left = [n for n in range(len(content or ())) if not work.draft.is_gone((*path, n))]
    return (*path, left[-1]) if left and _can_be_marked(content[left[-1]], "") else None


def _can_be_marked(block: Any, key: str) -> bool:
    if not isinstance(block, dict) or "thinking" in str(block.get("type")):
        return False
    return key == "tools" or block.get("type") != "text" or bool(str(block.get("text")).strip())


def _mark(work: _Work, path: Path) -> None:
    value, mark = value_at(work.body, path), {"type": "ephemeral"}
    if isinstance(value, str):
        work.draft.put(path, [{"type": "text", "text": value, "cache_control": mark}])
    else:
        work.draft.put((*path, "cache_control"), mark)


_RULES: Mapping[RuleName, Callable[[_Work, Rule], RuleOutcome]] = {
    "text.freeze": _text_freeze,
    "results.shorten": _results_shorten,
    "secrets.redact": _secrets_redact,
    "tools.without": _tools_without,
    "block.drop": _block_drop,
    "cache.mark": _cache_mark,
}
"""In the order in which they are applied: what leaves leaves last, since places are those of the request that came."""
