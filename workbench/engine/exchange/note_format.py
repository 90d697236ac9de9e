"""Imports chats kept as Markdown notes: lines such as `**user**: …`, or a heading per speaker."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from workbench.domain.message import Role
from workbench.domain.translation import tr
from workbench.engine.exchange.context_line import Named, read_context
from workbench.engine.exchange.foreign_json import to_utc
from workbench.engine.exchange.imported import Fresh, Ids, Imported, ImportedMessage, linear_archive, started
from workbench.engine.exchange.markdown_reading import wanted_of

_ROLES: dict[str, Role] = {
    "user": "user", "you": "user", "human": "user", "me": "user", "ai": "assistant", "assistant": "assistant",
    "chatgpt": "assistant", "gpt": "assistant", "system": "system", "tool": "tool",
}  # fmt: skip
_NAMES = "|".join(_ROLES)
_BOLD = re.compile(rf"\*\*({_NAMES})\*\*: ?(.*)", re.IGNORECASE)
_HEADING = re.compile(rf"#{{1,4}} +\**({_NAMES})\**:?\**(?:\s+[·—–-]?\s*(\S.*?))?\s*", re.IGNORECASE)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_TIMESTAMP = re.compile(r"\[Timestamp: (.*)\]\s*")
_FIELD = re.compile(r"([^\s:#-][^:]*): *(.*?) *")
_MILLISECONDS_BEGIN = 10**11


def is_note(text: str) -> bool:
    """Whether the text has speakers in one of the two forms."""
    # By its first signs: nearly no line has them, and whatever is imported comes by here. Cutting megabytes into lines
    # would stop all threads for two frames.
    lines = (line for sign in ("**", "#") for line in _lines_with(text, sign))
    return any(_BOLD.fullmatch(line) or _HEADING.fullmatch(line) for line in lines)


def _lines_with(text: str, sign: str) -> Iterator[str]:
    """The lines that begin with a sign."""
    start = 0 if text.startswith(sign) else text.find(f"\n{sign}") + 1 or None
    while start is not None:
        end = text.find("\n", start)
        yield text[start : None if end < 0 else end]
        start = text.find(f"\n{sign}", start) + 1 or None


def import_note(text: str, fresh: Fresh) -> Imported:
    """The chat in the note; text belongs to the last speaker."""
    front, lines = _front_matter(text.split("\n"))
    topic = front.get("topic", "").strip("\"'")
    bold = any(_BOLD.fullmatch(line) for line in lines)
    before, spoken = _split(lines, bold)
    messages = [_finished(one) for one in spoken]
    created = _created(front) or next((m.said.created_utc for m in messages if m.said.created_utc), None)
    chat = started(fresh.new_id(), topic or _title(before), created or fresh.now_utc)
    archive = linear_archive(chat, [one.said for one in messages], Ids(fresh.new_id), fresh.now_utc)
    wanted = wanted_of(chat.id, archive.records, [one.named for one in messages])
    problems = [problem for one in messages for problem in one.problems]
    return Imported((archive,), (*_left_out(front, before, topic), *dict.fromkeys(problems)), wanted)


@dataclass
class _Spoken:
    """A speaker, the time in the heading, and the lines until the next."""

    role: Role
    time: str = ""
    lines: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Finished:
    """A message, the attachments it names, and what could not be parsed."""

    said: ImportedMessage
    named: tuple[Named, ...]
    problems: tuple[str, ...]


def _split(lines: Sequence[str], bold: bool) -> tuple[list[str], list[_Spoken]]:
    """The lines before the first speaker, and each speaker's lines."""
    before: list[str] = []
    spoken: list[_Spoken] = []
    for line, in_fence in _with_fences(lines, ignore=bold):
        opened = None if in_fence else _speaker(line, bold)
        if opened is not None:
            spoken.append(opened)
        else:
            (spoken[-1].lines if spoken else before).append(line)
    return before, spoken


def _with_fences(lines: Iterable[str], ignore: bool) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it is in a fenced block, where no speaker begins.

    The project that writes `**user**:` looks for it everywhere, and an answer that was cut may leave a fence open.
    """
    fence = ""
    for line in lines:
        yield line, bool(fence) and not ignore
        if found := _FENCE.match(line):
            mark = found.group(1)
            if not fence:
                fence = mark
            elif mark.startswith(fence) and not line.strip().strip(mark[0]):
                fence = ""


def _speaker(line: str, bold: bool) -> _Spoken | None:
    found = (_BOLD if bold else _HEADING).fullmatch(line)
    if found is None:
        return None
    role, rest = _ROLES[found.group(1).lower()], found.group(2) or ""
    return _Spoken(role, lines=[rest]) if bold else _Spoken(role, rest)


def _finished(one: _Spoken) -> _Finished:
    lines = "\n".join(one.lines).strip("\n").split("\n")
    time: str | None = one.time.strip("()") or None
    problems: list[str] = []
    if found := _TIMESTAMP.fullmatch(lines[-1]):
        time = found.group(1)
        lines.pop()
    named = _take_context_line(lines, problems)
    when = to_utc(time)
    if time and when is None and time.lower() != "unknown time":
        problems.append(tr("Times that cannot be read were replaced by the one before."))
    elif when is not None and not re.search(r"Z|[+-]\d\d:?\d\d$", time or ""):
        problems.append(tr("Times without a zone were taken as UTC."))
    text = "\n".join(lines).strip()
    attached = tuple(key for _, key in named)
    return _Finished(ImportedMessage(one.role, (text,), when, attached=attached), named, tuple(problems))


def _take_context_line(lines: list[str], problems: list[str]) -> tuple[Named, ...]:
    """Remove and parse the `[Context: …]` line at the end or the beginning of a message."""
    for place in (-1, 0):
        found = read_context(lines[place]) if lines else None
        if found is not None:
            del lines[place]
            problems.extend(
                tr("{label!r} is not a known kind of attachment; left out.", label=label)
                for label in found[1]
            )
            return found[0]
    return ()


def _front_matter(lines: Sequence[str]) -> tuple[dict[str, str], Sequence[str]]:
    if not lines or lines[0].rstrip() != "---":
        return {}, lines
    for place, line in enumerate(lines[1:], start=1):
        if line.rstrip() == "---":
            fields = (_FIELD.fullmatch(one.rstrip()) for one in lines[1:place])
            return {one.group(1): one.group(2) for one in fields if one is not None}, lines[place + 1 :]
    return {}, lines


def _created(front: dict[str, str]) -> str | None:
    try:
        epoch = float(front.get("epoch", ""))
    except ValueError:
        return None
    return to_utc(epoch, 1_000 if epoch > _MILLISECONDS_BEGIN else 1)


def _title(before: Sequence[str]) -> str:
    return next((line.lstrip("# ") for line in before if line.startswith("# ")), "")


def _left_out(front: dict[str, str], before: Sequence[str], topic: str) -> Iterator[str]:
    names = [name for name in front if name not in ("epoch", "topic")]
    if names:
        yield tr("The note's properties were left out: {names}.", names=", ".join(names))
    titles = [] if topic else [line for line in before if line.startswith("# ")][:1]
    stray = [line for line in before if line.strip() and line not in titles]
    if stray:
        yield (
            tr("1 line before the first message was left out.")
            if len(stray) == 1
            else tr("{n} lines before the first message were left out.", n=len(stray))
        )
