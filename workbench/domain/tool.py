"""Tools: their definitions, previews of calls, their results, and the rules for approval."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal

from workbench.domain.reading.constraints import AsJson, Called, Name


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool the model may call; the schema is kept as compact JSON, the form that is counted and sent."""

    name: Name
    description: str = ""
    schema_json: Annotated[str, Called("input_schema"), AsJson()] = "{}"


@dataclass(frozen=True, slots=True)
class ToolPreview:
    """What a call is about to do, for the user to allow or deny.

    Attributes:
        diff: unified, where a text would change.
        outside: the paths it names outside the workspace's folder, where nothing holds it inside.
        reads: whether it changes nothing; of a server's tool, what the server says.
    """

    summary: str
    diff: str = ""
    outside: tuple[str, ...] = ()
    reads: bool = False


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """The result of a call.

    Attributes:
        text: what the model gets.
        failed: whether the text says why it did not work.
        undo: JSON values from which the effect can be taken back; None where there was none.
    """

    text: str
    failed: bool = False
    undo: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ToolProgress:
    """How far a running call is, as its server says; `share` is between 0 and 1, where it says of how much."""

    words: str = ""
    share: float | None = None


# What a model may do unasked, and what never: rules by tool and path, of which the first that fits decides.
#
# A rule that allows fits only what it surely knows: every path of the call is plain and lies where the rule says. One
# that asks or refuses fits whatever might lie there. So a path that is written oddly is never allowed by its oddness,
# nor by the name of the argument that it stands under.


Decision = Literal["allow", "ask", "never"]

# What holds a path, by the names that our tools and common servers have for it.
PATH_NAMES = frozenset({
    "path", "paths", "file", "files", "filename", "filenames", "filepath", "file_path", "file_paths", "dir",
    "directory", "folder", "source", "src", "destination", "dest", "dst", "target", "from", "to", "root", "cwd",
    "repo_path", "uri", "old_path", "new_path", "base_path", "working_directory",
})  # fmt: skip
# Of these, what stands for the whole folder where nothing is said.
WHOLE_NAMES = frozenset({"path", "dir", "directory", "folder", "root", "cwd"})
# What holds text and is never taken for a path.
TEXT_NAMES = frozenset({
    "content", "contents", "text", "old", "new", "oldtext", "newtext", "old_text", "new_text", "pattern", "query",
    "message", "description", "title", "body", "encoding",
})  # fmt: skip
_DEEPEST = 20
# No system takes a longer path.
_LONGEST = 4096
# What a text has that may be a path which is written oddly.
_ODD = re.compile(r"[/\\~$%]|\.\.")


@dataclass(frozen=True, slots=True)
class ApprovalRule:
    """A rule that allows, denies or asks about calls.

    Attributes:
        tools: names of tools, `*` for any letters: "read", "github__*".
        path: where the call's paths lie, relative to the workspace's folder or from a root; `*` within a name, `**` for
            any folders. Empty: wherever they lie, and also where a call has none.
    """

    tools: tuple[str, ...]
    path: str = ""
    decision: Decision = "ask"


def decide(
    rules: Iterable[ApprovalRule], tool: str, arguments: Mapping[str, Any], default: Decision
) -> Decision:
    """The decision of the first matching rule; the default where none matches."""
    said = None
    for rule in rules:
        if not any(glob_pattern(name, across=True).fullmatch(tool) for name in rule.tools):
            continue
        if rule.path:
            said = _paths_in(arguments) if said is None else said
            if not _matches_rule(rule, said):
                continue
        return rule.decision
    return default


@dataclass(frozen=True, slots=True)
class Ruling:
    """The approval rules of one chat.

    Attributes:
        rules: the first that fits decides.
        answers: what was allowed in the chat itself: it answers questions, and lifts nothing that is forbidden.
    """

    rules: tuple[ApprovalRule, ...] = ()
    answers: tuple[ApprovalRule, ...] = ()


@dataclass(frozen=True, slots=True)
class _Paths:
    """The paths of a call; `certain` where no others are possible and each is in plain form.

    Attributes:
        maybe: what may be a path, or a word that is one, under an unfamiliar name.
    """

    plain: tuple[str, ...]
    maybe: frozenset[str]
    odd: bool
    certain: bool


def _matches_rule(rule: ApprovalRule, paths: _Paths) -> bool:
    if rule.decision == "allow":
        pattern = glob_pattern(_normal(rule.path))
        return bool(paths.plain) and paths.certain and all(pattern.fullmatch(path) for path in paths.plain)
    where = _folded(rule.path)
    named = any(_may_name(where, _folded(word)) for word in paths.maybe)
    return paths.odd or named or any(_may_match(where, _folded(path)) for path in paths.plain)


def _may_name(rule: str, word: str) -> bool:
    """Whether a text of unknown meaning may be a path that a rule covers; a bare word is not taken for a folder."""
    if "/" in word or "." in word:
        return _may_match(rule, word)
    wanted = _normal(rule)
    fixed = re.split(r"[*?]", wanted, maxsplit=1)[0]
    return glob_pattern(wanted).fullmatch(word) is not None or fixed.startswith(f"{word}/")


def _may_match(rule: str, path: str) -> bool:
    """Whether a path may match a rule, or contain what does."""
    wanted = _normal(rule)
    rooted, here = wanted.startswith("/"), path.startswith("/")
    if rooted != here:
        return True  # nobody here knows where the folder lies
    above = "" if path == "." else f"{path.rstrip('/')}/"
    fixed = re.split(r"[*?]", wanted, maxsplit=1)[0]
    return (
        glob_pattern(wanted).fullmatch(path) is not None
        or fixed.startswith(above)
        or (fixed != wanted and above.startswith(fixed) and _reaches_down(wanted, path))
    )


def _reaches_down(wanted: str, path: str) -> bool:
    """Whether something below the path could match: its steps match the first ones of the rule."""
    steps = wanted.split("/")
    for length in range(1, len(steps)):
        if steps[length - 1] == "**" or glob_pattern("/".join(steps[:length])).fullmatch(path):
            return True
    return False


def _paths_in(arguments: Mapping[str, Any]) -> _Paths:
    plain: list[str] = []
    maybe: set[str] = set()
    odd, certain = False, True
    for name, value in texts_in(arguments):
        if name in TEXT_NAMES or value is None:
            continue
        if name not in PATH_NAMES or not isinstance(value, str):
            certain = False
            found = _maybe_paths(value) if isinstance(value, str) else None
            odd = odd or found is None
            maybe.update(found or ())
            continue
        path = plain_path(value)
        if value.startswith(("https://", "http://")):
            certain = False  # a page, whatever the name says
        elif path is None:
            odd, certain = True, False
        else:
            plain.append(path)
    return _Paths(tuple(plain), frozenset(maybe), odd, certain)


def _maybe_paths(text: str) -> set[str] | None:
    """A text of unknown meaning and each of its words as possible paths; None where one is not in plain form."""
    found = set()
    words = re.split(r"[\s\"'`=;,|&<>()]+", text)
    for word in {text.strip(), *words} if len(text) <= _LONGEST else set(words):
        if not word or word.startswith(("https://", "http://")):
            continue
        path = plain_path(word)
        if len(word) > _LONGEST or (path is None and _ODD.search(word)):
            return None
        found.add(word if path is None else path)
    return found


def texts_in(value: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Every text in the arguments with the name of its field; anything nested too deeply counts as unknown.

    A key that is no field name is a text as well: it may be a path to write.
    """
    if depth > _DEEPEST:
        yield "", value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if not str(key).isidentifier():
                yield "", str(key)
            yield from texts_in(inner, str(key).lower(), depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts_in(inner, name, depth + 1)
    elif not isinstance(value, bool | int | float):
        yield name, value


def plain_path(text: str) -> str | None:
    """A path without redundant parts (./, //); None where it goes up or is ambiguous."""
    text = text.removeprefix("file://") if text.startswith("file:///") else text
    odd = "\\" in text or text.startswith("~") or "%" in text or "$" in text or ":" in text
    if not text or odd or not text.isprintable() or text != text.strip() or ".." in text.split("/"):
        return None
    if unicodedata.normalize("NFKC", text) != text:
        return None
    return _normal(text)


def _normal(path: str) -> str:
    steps = "/".join(step for step in path.split("/") if step not in ("", "."))
    return f"/{steps}" if path.startswith("/") else steps or "."


def _folded(text: str) -> str:
    """Case-folded, since some file systems ignore case."""
    return unicodedata.normalize("NFKC", text).casefold()


@lru_cache(maxsize=512)
def glob_pattern(glob: str, across: bool = False) -> re.Pattern[str]:
    """A glob as a regular expression; with `across`, * also matches /."""
    one = ".*" if across else "[^/]*"
    # Stars in a row mean what one of them means, so that no text takes long to compare.
    glob = re.sub(r"\*{3,}", "**", glob)
    glob = re.sub(r"(?:\*\*/)+", "**/", glob)
    written = ""
    for piece in re.split(r"(\*\*/|/\*\*$|\*+|\?)", glob):
        match piece:
            case "**/":
                written += "(?:.*/)?"
            case "/**":
                written += "(?:/.*)?"
            case "?":
                written += "[^/]"
            case _ if piece.startswith("*"):
                written += ".*" if piece == "**" else one
            case _:
                written += re.escape(piece)
    return re.compile(written, re.DOTALL)
