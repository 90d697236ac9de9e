"""Syntax highlighting of code: which parts of each line are keywords, strings, names or comments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module
from typing import Any, Literal, NamedTuple

from workbench.ui.widgets.plain import utf16_units

Ink = Literal["kw", "str", "fn", "comment", "add", "del"]

LONGEST_CODE = 50_000
WINDOW_CHARS = 6_000
"""Longer code is lexed in windows of this size, cut at unindented lines: some lexers take quadratic time."""

# Lexers that were measured with hostile code; of the others some stand still for seconds in a single step.
_TRUSTED = frozenset(
    {
        "Python", "JavaScript", "TypeScript", "JSON", "Bash", "HTML", "CSS", "SCSS", "C", "C++", "Java", "Go", "Rust",
        "SQL", "YAML", "TOML", "Diff", "Ruby", "PHP", "Kotlin", "Swift", "C#", "XML", "Docker", "Lua", "Perl", "S",
        "Scala", "Haskell", "PowerShell", "Markdown", "TSX", "JSX", "Objective-C", "Dart", "Elixir", "Clojure", "Julia",
        "Matlab", "GraphQL", "Nginx configuration file", "CMake", "TeX", "VimL", "Zig", "F#", "Erlang",
        "Protocol Buffer",
    }
)  # fmt: skip
_SAME_AS = {
    "ini": "toml", "cfg": "toml", "conf": "toml", "console": "bash", "shell-session": "bash", "sh-session": "bash",
    "zsh": "bash", "jsonc": "json", "json5": "json", "py3": "python", "patch": "diff", "node": "javascript",
}  # fmt: skip
_NEW_START = re.compile(r"\n(?=\n\S)|\n(?=\S)")
_INKS: tuple[tuple[str, Ink], ...] = (
    ("Token.Comment.Preproc", "kw"),
    ("Token.Comment", "comment"),
    ("Token.Keyword", "kw"),
    ("Token.Operator.Word", "kw"),
    ("Token.Literal.String.Interpol", "fn"),
    ("Token.Literal.String", "str"),
    ("Token.Name.Function", "fn"),
    ("Token.Name.Class", "fn"),
    ("Token.Name.Decorator", "fn"),
    ("Token.Name.Tag", "fn"),
    ("Token.Name.Attribute", "fn"),
    ("Token.Generic.Inserted", "add"),
    ("Token.Generic.Deleted", "del"),
    ("Token.Generic.Subheading", "comment"),
    ("Token.Generic.Heading", "comment"),
)


class Run(NamedTuple):
    """A part of a line in one colour; line and start count from 0, the start in UTF-16 units as in Qt."""

    line: int
    start: int
    length: int
    ink: Ink


def colour_runs(
    code: str, language: str, give_up: Callable[[], bool] = lambda: False
) -> tuple[Run, ...] | None:
    """The coloured parts of code; None if its language is not known, or it is too long or takes too long."""
    lexer = _lexer(language.lower())
    if lexer is None or len(code) > LONGEST_CODE:
        return None
    runs: list[Run] = []
    line = column = 0
    for kind, text in _tokens(lexer, code):
        if give_up():
            return None
        ink = _ink(str(kind))
        for number, part in enumerate(text.split("\n")):
            if number:
                line, column = line + 1, 0
            if ink and part.strip():
                runs.append(Run(line, column, utf16_units(part), ink))
            column += utf16_units(part)
    return tuple(runs)


def _tokens(lexer: Any, code: str) -> Iterator[tuple[object, str]]:
    start = 0
    while start < len(code):
        end = _window_end(code, start)
        # Many rules want the end of a line; the last one may have none.
        window = code[start:end] if code[end - 1] == "\n" else f"{code[start:end]}\n"
        yield from ((kind, text) for _, kind, text in lexer.get_tokens_unprocessed(window))
        start = end


def _window_end(code: str, start: int) -> int:
    if len(code) - start <= WINDOW_CHARS:
        return len(code)
    end = start + WINDOW_CHARS
    ends = [found.end() for found in _NEW_START.finditer(code, start + WINDOW_CHARS // 2, end)]
    return ends[-1] if ends else end


@lru_cache(maxsize=64)
def _lexer(language: str) -> Any:
    if not language:
        return None
    wanted = _SAME_AS.get(language, language)
    mapping = import_module("pygments.lexers._mapping")
    for class_name, (module, name, aliases, _, _) in mapping.LEXERS.items():
        if wanted in aliases and name in _TRUSTED:
            return getattr(import_module(module), class_name)(ensurenl=False, stripnl=False)
    return None


@lru_cache(maxsize=512)
def _ink(kind: str) -> Ink | None:
    return next((ink for begin, ink in _INKS if kind == begin or kind.startswith(f"{begin}.")), None)
