"""Compares a watched request with the previous one: whether it extends it, the first difference, and its causes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.context.text.changed_text import common_length, common_tail
from workbench.context.watch.measuring import shared_pieces
from workbench.context.watch.pieces import SUMMARY
from workbench.context.watch.prefix import BILLING, telling_parameters
from workbench.domain.reading.loose_json import parsed
from workbench.domain.translation import counted, tr
from workbench.domain.watch.request import (
    AgainstBefore,
    Cause,
    FirstDifference,
    WatchedPiece,
    WatchedRequest,
)

# Causes of a changed prefix in words: tools, system prompt, history, parameters.


Many = Sequence[WatchedPiece]
_MOST_NAMED = 5
_MOST_BLOCKS = 3
_LONGEST_QUOTE = 60
DATE = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?|\b\d{1,2}:\d\d(?::\d\d)?\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b"
    r"|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d{1,2}(?:, \d{4})?"
    r"|\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
    r"|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"
)
_NUMBER = re.compile(r"\d[\d,.]*")


def why_tools(before: Many, after: Many) -> list[str]:
    """How the tool list changed, in sentences."""
    old, new = {one.name: one for one in before}, {one.name: one for one in after}
    added, removed = [name for name in new if name not in old], [name for name in old if name not in new]
    found = []
    if added:
        one = tr("The tool {added} was added.", added=added[0])
        found.append(
            one
            if len(added) == 1
            else tr("{n} tools were added: {names}.", n=len(added), names=_names(added))
        )
    if removed:
        one = tr("The tool {removed} was removed.", removed=removed[0])
        found.append(
            one
            if len(removed) == 1
            else tr("{n} tools were removed: {names}.", n=len(removed), names=_names(removed))
        )
    pairs = [(old[name], new[name]) for name in new if name in old and old[name].digest != new[name].digest]
    found += _redefined(pairs)
    kept = [name for name in old if name in new]
    if kept != [name for name in new if name in old]:
        found.append(tr("The tools are in another order."))
    if not found and [one.digest for one in before] != [one.digest for one in after]:
        found.append(tr("A tool is listed more or less often than before."))
    return found


def _redefined(pairs: Sequence[tuple[WatchedPiece, WatchedPiece]]) -> list[str]:
    """How tools of the same name changed."""
    told = [now.name for was, now in pairs if _described(parsed(was.text)) != _described(parsed(now.text))]
    other = [now.name for _, now in pairs if now.name not in told]
    found = []
    if len(told) == 1:
        found.append(tr("The description of the tool {name} changed.", name=told[0]))
    elif told:
        found.append(tr("The descriptions of {n} tools changed: {names}.", n=len(told), names=_names(told)))
    if len(other) == 1:
        found.append(tr("The definition of the tool {name} changed.", name=other[0]))
    elif other:
        found.append(tr("The definitions of {n} tools changed: {names}.", n=len(other), names=_names(other)))
    return found


def _described(tool: object) -> object:
    if not isinstance(tool, dict):
        return None
    inner = tool.get("function")
    return (inner if isinstance(inner, dict) else tool).get("description")


def why_system(before: Many, after: Many) -> list[str]:
    """How the system prompt changed: a block added, removed or edited."""
    if [one.digest for one in before] == [one.digest for one in after]:
        return []
    if not before or not after:
        return [tr("A system prompt was added.")] if after else [tr("The system prompt was removed.")]
    added, removed = _only_in_first(after, before), _only_in_first(before, after)
    if len(added) == len(removed):
        pairs = list(zip(removed, added, strict=True))
        found = [describe_edit(old, new) for old, new in pairs[:_MOST_BLOCKS]]
        rest = len(pairs) - _MOST_BLOCKS
        return (
            found
            if rest <= 0
            else [*found, tr("{rest} more blocks of the system prompt changed.", rest=rest)]
        )
    found = []
    more = len(added) - len(removed)
    if more > 0:
        one = tr("A block was added to the system prompt.")
        found.append(one if more == 1 else tr("{count} blocks were added to the system prompt.", count=more))
    else:
        one = tr("A block was removed from the system prompt.")
        found.append(
            one if more == -1 else tr("{count} blocks were removed from the system prompt.", count=-more)
        )
    was, now = (sum(len(one.text) for one in pieces) for pieces in (before, after))
    return [*found, tr("The system prompt has {now:,} characters in place of {was:,}.", now=now, was=was)]


def _only_in_first(some: Many, others: Many) -> list[WatchedPiece]:
    known = {one.digest for one in others}
    return [one for one in some if one.digest not in known]


def describe_edit(was: WatchedPiece, now: WatchedPiece) -> str:
    """How one text changed into another: by a date, a number, or so many characters."""
    head = common_length(was.text, now.text)
    tail = common_tail(was.text, now.text, min(len(was.text), len(now.text)) - head)
    for what, pattern in ((tr("date or time"), DATE), ("number", _NUMBER)):
        left, right = (_covering_match(one.text, head, tail, pattern) for one in (was, now))
        if left and right and left != right:
            line = now.text.count("\n", 0, head) + 1
            return tr(
                "A {what} in {path}, line {line}, changed from {left} to {right}.",
                what=what,
                path=now.path,
                line=line,
                left=left,
                right=right,
            )
    if abs(len(now.text) - len(was.text)) > _LONGEST_QUOTE:
        return tr(
            "{path} has {n:,} characters in place of {n_2:,}.",
            path=now.path,
            n=len(now.text),
            n_2=len(was.text),
        )
    old, new = (_quoted(one.text, head, tail) for one in (was, now))
    return tr("{path} changed from “{old}” to “{new}”.", path=now.path, old=old, new=new)


def _covering_match(text: str, head: int, tail: int, pattern: re.Pattern[str]) -> str:
    """The pattern's match that covers the whole difference; empty where there is none."""
    end = len(text) - tail
    for found in pattern.finditer(text, max(0, head - 32), end + 32):
        if found.start() <= head and found.end() >= end:
            return found[0]
    return ""


def _quoted(text: str, head: int, tail: int) -> str:
    """The differing text, from the start of its word."""
    start = max(text.rfind(" ", 0, head), text.rfind("\n", 0, head), head - _LONGEST_QUOTE // 2) + 1
    shown = text[start : max(start, len(text) - tail)].strip()
    return shown if len(shown) <= _LONGEST_QUOTE else f"{shown[:_LONGEST_QUOTE]}…"


def why_history(before: Many, after: Many) -> list[str]:
    """How the messages changed, in sentences."""
    shared = shared_pieces(before, after)
    if shared == len(before):
        return []
    old, new = before[shared:], after[shared:]
    messages = len({one.message for one in old})
    known = {one.digest for one in before}
    if any(one.name == SUMMARY and one.digest not in known for one in new):
        return [_compacted(messages)]
    if not new:
        return [
            tr("The end of the conversation was removed: {messages}.", messages=counted(messages, "message"))
        ]
    first, then = old[0], new[0]
    if first.kind == then.kind == "result" and first.call == then.call:
        return [_edited(first, then)]
    kept = {one.digest for one in new}
    if then.digest in known and (gone := {one.message for one in old if one.digest not in kept}):
        return [
            tr(
                "Earlier parts of the history were removed: {messages}.",
                messages=counted(len(gone), "message"),
            )
        ]
    return [
        tr(
            "The history was rewritten from {path} on: {messages} changed or were removed.",
            path=then.path,
            messages=counted(messages, "message"),
        )
    ]


def _compacted(messages: int) -> str:
    return tr(
        "The history was compacted: a summary replaces {messages}.", messages=counted(messages, "message")
    )


def _edited(was: WatchedPiece, now: WatchedPiece) -> str:
    name = now.name or "a tool"
    if len(now.text) < len(was.text) // 2:
        return tr(
            "The result of {name} at {path} was cut from {n:,} to {n_2:,} characters.",
            name=name,
            path=now.path,
            n=len(was.text),
            n_2=len(now.text),
        )
    return tr("The result of {name} at {path} was edited.", name=name, path=now.path)


def why_parameters(before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]]) -> list[str]:
    """Which parameters changed, in sentences."""
    old, new = dict(before), dict(after)
    changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    return [
        tr(
            "The parameter {name} changed from {value} to {value_2}.",
            name=name,
            value=_value(old.get(name)),
            value_2=_value(new.get(name)),
        )
        for name in changed
    ]


def _value(text: str | None) -> str:
    if text is None:
        return "unset"
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…"


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    return (
        shown
        if len(names) <= _MOST_NAMED
        else tr("{shown} and {n} more", shown=shown, n=len(names) - _MOST_NAMED)
    )


FIRST = AgainstBefore("first")
_AROUND, _LONGEST = 24, 120


@dataclass(frozen=True, slots=True)
class Why:
    """A cause and its sentence."""

    cause: Cause
    words: str


def compared(before: WatchedRequest, after: WatchedRequest, server: str = "") -> AgainstBefore:
    """Compare two counted requests: what became of the prefix."""
    old, new = _read(before, server), _read(after, server)
    shared = shared_pieces(old, new)
    told = telling_parameters(before) == telling_parameters(after)
    whole = before.model == after.model and told
    if whole and shared == len(old):
        return AgainstBefore("identical" if len(new) == shared else "extended")
    whys = _causes(before, after, (old, new, shared))
    return AgainstBefore(
        "changed",
        _first_difference(before, after, (old, new, shared)),
        tuple(dict.fromkeys(one.cause for one in whys)),
        _lost_tokens(before, after, (old, new, shared)),
        tuple(one.words for one in whys),
    )


Pair = tuple[Sequence[WatchedPiece], Sequence[WatchedPiece], int]


def _read(request: WatchedRequest, server: str) -> tuple[WatchedPiece, ...]:
    """The pieces without those that the server removes itself."""
    if server != "anthropic":
        return request.pieces
    pieces = request.pieces
    head = next((n for n, one in enumerate(pieces) if one.layer != "L1_SYSTEM"), len(pieces))
    read = [one for one in pieces[:head] if not (one.kind == "system" and one.text.startswith(BILLING))]
    return pieces if len(read) == head else (*read, *pieces[head:])


def _lost_tokens(before: WatchedRequest, after: WatchedRequest, pair: Pair) -> int:
    """Tokens after the first difference; 0 where the request merely ends earlier."""
    old, new, shared = pair
    if before.model != after.model:
        return before.tokens
    if telling_parameters(before) != telling_parameters(after):
        shared = min(
            shared, sum(one.layer == "L1_SYSTEM" for one in old) if after.format == "anthropic" else 0
        )
    elif shared == len(new):
        return 0
    return sum(one.tokens for one in old[shared:])


def _causes(before: WatchedRequest, after: WatchedRequest, pair: Pair) -> list[Why]:
    old, new, _ = pair
    found = []
    if before.model != after.model:
        found.append(
            Why(
                "model",
                tr("The model changed from {model} to {model_2}.", model=before.model, model_2=after.model),
            )
        )
    found += [Why("tools", words) for words in why_tools(_tools(old), _tools(new))]
    found += [Why("system", words) for words in why_system(_system(old), _system(new))]
    found += [Why("history", words) for words in why_history(_messages_of(old), _messages_of(new))]
    if before.model != after.model:
        return found  # its parameters go with a model
    changed = why_parameters(telling_parameters(before), telling_parameters(after))
    return found + [Why("parameters", words) for words in changed]


def _tools(pieces: Sequence[WatchedPiece]) -> list[WatchedPiece]:
    return [one for one in pieces if one.kind == "tool"]


def _system(pieces: Sequence[WatchedPiece]) -> list[WatchedPiece]:
    return [one for one in pieces if one.layer == "L1_SYSTEM" and one.kind != "tool"]


def _messages_of(pieces: Sequence[WatchedPiece]) -> list[WatchedPiece]:
    return [one for one in pieces if one.layer != "L1_SYSTEM"]


# The first difference.


def _first_difference(before: WatchedRequest, after: WatchedRequest, pair: Pair) -> FirstDifference:
    old, new, shared = pair
    if before.model != after.model:
        return FirstDifference("model", before.model, after.model)
    was, now = (pieces[shared] if shared < len(pieces) else None for pieces in (old, new))
    if was is None:
        name, left, right = _changed_parameter(before, after)
        return FirstDifference(name, *differing(left, right))
    if now is None:
        return FirstDifference(was.path, *differing(was.text, ""))
    if was.kind == now.kind == "tool":
        return _tool_difference(was, now)
    if was.text == now.text:
        return FirstDifference(now.path, _identity_text(was), _identity_text(now))
    return FirstDifference(now.path, *differing(was.text, now.text))


def _changed_parameter(before: WatchedRequest, after: WatchedRequest) -> tuple[str, str, str]:
    left, right = dict(telling_parameters(before)), dict(telling_parameters(after))
    name = next(name for name in {**left, **right} if left.get(name) != right.get(name))
    return name, left.get(name, ""), right.get(name, "")


def _identity_text(piece: WatchedPiece) -> str:
    """Role, name, call and picture, in which pieces of equal text may still differ."""
    named = " ".join(part for part in (piece.role, piece.name, piece.call) if part)
    return f"{named}, picture {piece.image.digest[:12]}" if piece.image is not None else named


def _tool_difference(was: WatchedPiece, now: WatchedPiece) -> FirstDifference:
    """The first difference in a tool's definition, or the other tool in its place."""
    if was.name != now.name:
        return FirstDifference(now.path, was.name, now.name)
    left, right, path = parsed(was.text), parsed(now.text), now.path
    while isinstance(left, dict) and isinstance(right, dict):
        name = next((name for name in {**left, **right} if left.get(name) != right.get(name)), None)
        if name is None:
            break
        left, right, path = left.get(name), right.get(name), f"{path}.{name}"
    if isinstance(left, str) and isinstance(right, str):
        return FirstDifference(path, *differing(left, right))
    return FirstDifference(path, *differing(was.text, now.text))


def differing(was: str, now: str) -> tuple[str, str]:
    """Two texts cut to where they differ, with a little context."""
    head = common_length(was, now)
    tail = common_tail(was, now, min(len(was), len(now)) - head)
    return _cut(was, head, tail), _cut(now, head, tail)


def _cut(text: str, head: int, tail: int) -> str:
    start, end = max(0, head - _AROUND), min(len(text), len(text) - tail + _AROUND)
    shown = text[start : min(end, start + _LONGEST)]
    after = "…" if start + len(shown) < len(text) else ""
    return f"{'…' if start else ''}{shown}{after}"


def with_cause(against: AgainstBefore, why: Why, lost_tokens: int) -> AgainstBefore:
    """The comparison with another cause, one that the texts do not show."""
    return replace(
        against,
        causes=(*against.causes, why.cause),
        words=(*against.words, why.words),
        lost_tokens=max(against.lost_tokens, lost_tokens),
    )
