"""Causes of a changed prefix in words: tools, system prompt, history, parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.context.text.edits import common_length, common_tail
from workbench.context.watch.documents import parsed
from workbench.context.watch.measuring import shared_pieces
from workbench.context.watch.pieces import SUMMARY
from workbench.domain.watch.request import WatchedPiece

Many = Sequence[WatchedPiece]
_MOST_NAMED = 5
_MOST_BLOCKS = 3
_LONGEST = 60
DATE = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?|\b\d{1,2}:\d\d(?::\d\d)?\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b"
    r"|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d{1,2}(?:, \d{4})?"
    r"|\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
    r"|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"
)
_NUMBER = re.compile(r"\d[\d,.]*")


def why_tools(before: Many, after: Many) -> list[str]:
    """What became of the tool list."""
    old, new = {one.name: one for one in before}, {one.name: one for one in after}
    added, removed = [name for name in new if name not in old], [name for name in old if name not in new]
    found = []
    if added:
        one = f"The tool {added[0]} was added."
        found.append(one if len(added) == 1 else f"{len(added)} tools were added: {_names(added)}.")
    if removed:
        one = f"The tool {removed[0]} was removed."
        found.append(one if len(removed) == 1 else f"{len(removed)} tools were removed: {_names(removed)}.")
    pairs = [(old[name], new[name]) for name in new if name in old and old[name].digest != new[name].digest]
    found += _redefined(pairs)
    kept = [name for name in old if name in new]
    if kept != [name for name in new if name in old]:
        found.append("The tools are in another order.")
    if not found and [one.digest for one in before] != [one.digest for one in after]:
        found.append("A tool is listed more or less often than before.")
    return found


def _redefined(pairs: Sequence[tuple[WatchedPiece, WatchedPiece]]) -> list[str]:
    """What became of tools that kept their names."""
    told = [now.name for was, now in pairs if _described(parsed(was.text)) != _described(parsed(now.text))]
    other = [now.name for _, now in pairs if now.name not in told]
    found = []
    for names, what in ((told, "description"), (other, "definition")):
        if len(names) == 1:
            found.append(f"The {what} of the tool {names[0]} changed.")
        elif names:
            found.append(f"The {what}s of {len(names)} tools changed: {_names(names)}.")
    return found


def _described(tool: object) -> object:
    if not isinstance(tool, dict):
        return None
    inner = tool.get("function")
    return (inner if isinstance(inner, dict) else tool).get("description")


def why_system(before: Many, after: Many) -> list[str]:
    """What became of the system prompt: a block added or removed, or the text of one."""
    if [one.digest for one in before] == [one.digest for one in after]:
        return []
    if not before or not after:
        return ["A system prompt was added."] if after else ["The system prompt was removed."]
    added, removed = _apart(after, before), _apart(before, after)
    if len(added) == len(removed):
        pairs = list(zip(removed, added, strict=True))
        found = [_rewritten(old, new) for old, new in pairs[:_MOST_BLOCKS]]
        rest = len(pairs) - _MOST_BLOCKS
        return found if rest <= 0 else [*found, f"{rest} more blocks of the system prompt changed."]
    found = []
    if len(added) > len(removed):
        found.append(_blocks(len(added) - len(removed), "added to"))
    else:
        found.append(_blocks(len(removed) - len(added), "removed from"))
    was, now = (sum(len(one.text) for one in pieces) for pieces in (before, after))
    return [*found, f"The system prompt has {now:,} characters in place of {was:,}."]


def _blocks(count: int, done: str) -> str:
    return (
        f"A block was {done} the system prompt."
        if count == 1
        else f"{count} blocks were {done} the system prompt."
    )


def _apart(some: Many, others: Many) -> list[WatchedPiece]:
    known = {one.digest for one in others}
    return [one for one in some if one.digest not in known]


def _rewritten(was: WatchedPiece, now: WatchedPiece) -> str:
    """One text in place of another: by a date, by a number, or by so many characters."""
    head = common_length(was.text, now.text)
    tail = common_tail(was.text, now.text, min(len(was.text), len(now.text)) - head)
    for what, pattern in (("date or time", DATE), ("number", _NUMBER)):
        left, right = (_around(one.text, head, tail, pattern) for one in (was, now))
        if left and right and left != right:
            line = now.text.count("\n", 0, head) + 1
            return f"A {what} in {now.path}, line {line}, changed from {left} to {right}."
    if abs(len(now.text) - len(was.text)) > _LONGEST:
        return f"{now.path} has {len(now.text):,} characters in place of {len(was.text):,}."
    old, new = (_quoted(one.text, head, tail) for one in (was, now))
    return f"{now.path} changed from “{old}” to “{new}”."


def _around(text: str, head: int, tail: int, pattern: re.Pattern[str]) -> str:
    """The match that covers all that differs; empty where there is none."""
    end = len(text) - tail
    for found in pattern.finditer(text, max(0, head - 32), end + 32):
        if found.start() <= head and found.end() >= end:
            return found[0]
    return ""


def _quoted(text: str, head: int, tail: int) -> str:
    """What differs, from the beginning of its word on."""
    start = max(text.rfind(" ", 0, head), text.rfind("\n", 0, head), head - _LONGEST // 2) + 1
    shown = text[start : max(start, len(text) - tail)].strip()
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"


def why_history(before: Many, after: Many) -> list[str]:
    """What became of the messages."""
    shared = shared_pieces(before, after)
    if shared == len(before):
        return []
    old, new = before[shared:], after[shared:]
    messages = len({one.message for one in old})
    known = {one.digest for one in before}
    if any(one.name == SUMMARY and one.digest not in known for one in new):
        return [_compacted(messages)]
    if not new:
        return [f"The end of the conversation was removed: {_messages(messages)}."]
    first, then = old[0], new[0]
    if first.kind == then.kind == "result" and first.call == then.call:
        return [_edited(first, then)]
    kept = {one.digest for one in new}
    if then.digest in known and (gone := {one.message for one in old if one.digest not in kept}):
        return [f"Earlier parts of the history were removed: {_messages(len(gone))}."]
    return [f"The history was rewritten from {then.path} on: {_messages(messages)} changed or were removed."]


def _compacted(messages: int) -> str:
    return f"The history was compacted: a summary replaces {_messages(messages)}."


def _messages(count: int) -> str:
    return "1 message" if count == 1 else f"{count:,} messages"


def _edited(was: WatchedPiece, now: WatchedPiece) -> str:
    name = now.name or "a tool"
    if len(now.text) < len(was.text) // 2:
        return f"The result of {name} at {now.path} was cut from {len(was.text):,} to {len(now.text):,} characters."
    return f"The result of {name} at {now.path} was edited."


def why_parameters(before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]]) -> list[str]:
    """Which parameters changed."""
    old, new = dict(before), dict(after)
    changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    return [
        f"The parameter {name} changed from {_value(old.get(name))} to {_value(new.get(name))}."
        for name in changed
    ]


def _value(text: str | None) -> str:
    if text is None:
        return "unset"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    return shown if len(names) <= _MOST_NAMED else f"{shown} and {len(names) - _MOST_NAMED} more"
