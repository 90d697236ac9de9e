"""Files that a question names, such as `@notes.md` or `@"spec 2.pdf#p3-5"`: they are attached to it.

What is a command (`@read`, `@search`, `@ls`) is none, and neither is an address such as `me@example.org`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from workbench.context.text.at_commands import code_spans, is_in

MOST_NAME_CHARS = 1_000
COMMANDS = ("read", "search", "ls")
_MENTION = re.compile(r'(?<!\S)@(?:"([^"\n]{1,1000})"|([^\s"@][^\s"]{0,1000}))')
# Ends a sentence, not a name: "see @notes.md, then answer."
_PUNCTUATION = ".,;:!?)…"
# What breaks a line, hides, turns text around or is half a letter; and what would make code of the words around it.
_UNWRITABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff`]"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name behind an @, and where it stands in the text, @ and quotes included."""

    name: str
    start: int
    end: int


def mentions(question: str) -> tuple[Mention, ...]:
    """What a question names, in its order, each once, outside code."""
    # A long draft is read at every key, and most name nothing.
    if "@" not in question:
        return ()
    code = code_spans(question)
    found: dict[str, Mention] = {}
    for match in _MENTION.finditer(question):
        quoted, plain = match[1], (match[2] or "").rstrip(_PUNCTUATION)
        name = quoted or plain
        if not name.strip() or (plain in COMMANDS and not quoted) or is_in(code, match.start()):
            continue
        end = match.end() if quoted else match.start() + 1 + len(plain)
        found.setdefault(name, Mention(name, match.start(), end))
    return tuple(found.values())


def mention_text(name: str) -> str:
    """How a name is written in a question so that it is found again; empty where it cannot be written."""
    if _UNWRITABLE.search(name):
        return ""
    for written in (f"@{name}", f'@"{name}"'):
        if [one.name for one in mentions(written)] == [name] and _MENTION.fullmatch(written):
            return written
    return ""


def can_be_named(name: str) -> bool:
    """Whether a name, written by `mention_text`, is read as that very name again, and shows what it is."""
    return name == name.strip() and len(name) <= MOST_NAME_CHARS and mention_text(name) != ""
