"""Finds symbols of code by simple grammars: a line that declares something, and where its block ends.

It knows braces, strings and comments, and no more of a language than that; what it misses can be chosen by lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_LONGEST_LINE = 400
_MOST_SYMBOLS = 20_000
# How many lines a declaration may take until its block opens.
_WAITS_LINES = 30


@dataclass(frozen=True, slots=True)
class Symbol:
    """A declared symbol: its full name, how deeply it is nested, and its first and last line."""

    name: str
    level: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class _Grammar:
    """How a language declares symbols: patterns for anywhere and for inside another symbol, and how a block ends.

    `ends` is by braces, by the word `end` at the same indentation, by a semicolon, or where the next symbol starts.
    """

    anywhere: re.Pattern[str]
    within: re.Pattern[str] | None = None
    ends: str = "braces"
    quiet: re.Pattern[str] | None = None


_SLASHES = r"//[^\n]*|/\*.*?\*/"
_QUOTES = r"|\"(?:\\.|[^\"\\\n])*\""
_SINGLE = r"|'(?:\\.|[^'\\\n])*'"
_QUIET = re.compile(_SLASHES + _QUOTES + _SINGLE, re.DOTALL)
_QUIET_SCRIPT = re.compile(_SLASHES + _QUOTES + _SINGLE + r"|`(?:\\.|[^`\\])*`", re.DOTALL)
_QUIET_RUST = re.compile(_SLASHES + _QUOTES + r"|'(?:\\.|[^'\\\n])'", re.DOTALL)
_QUIET_GO = re.compile(_SLASHES + _QUOTES + _SINGLE + r"|`[^`]*`", re.DOTALL)
_QUIET_SHELL = re.compile(r"(?:(?<=\s)|^)#[^\n]*|\"(?:\\.|[^\"\\])*\"|'[^']*'|\$\{[^}\n]*\}", re.MULTILINE)
_NO_NAMES = (
    r"(?!(?:if|for|while|switch|catch|function|return|else|do|new|throw|using|lock|await|when|sizeof)\b)"
)

_SCRIPT = _Grammar(
    re.compile(
        r"\s*(?:(?:export|default|declare|abstract|async)\s+)*"
        r"(?:(?:class|interface|enum|namespace|trait|function\s*\*?)\s+(?P<name>[\w$]+)"
        r"|type\s+(?P<type>[\w$]+)[^=]{0,100}=\s*\{"
        r"|(?:const|let|var)\s+(?P<value>[\w$]+)\s*(?::[^=]{0,100})?=\s*(?:async\s*)?"
        r"(?:function\b|\([^)]*\)[^=]{0,100}=>|[\w$]+\s*=>))"
    ),
    re.compile(
        r"\s+(?:(?:public|private|protected|static|async|get|set|readonly|override|final|abstract|function)\s+)*"
        rf"\*?{_NO_NAMES}(?P<name>[\w$#]+)\s*(?:<[^>]*>)?\([^;{{}}]*\)[^;{{]{{0,100}}\{{"
    ),
    quiet=_QUIET_SCRIPT,
)
_GO = _Grammar(
    re.compile(
        r"(?:func\s+(?:\(\s*(?:\w+\s+)?\*?(?P<owner>\w+)[^)]*\)\s*)?(?P<name>\w+)"
        r"|type\s+(?P<type>\w+)(?:\[[^\]]*\])?\s+(?:struct|interface)\b)"
    ),
    quiet=_QUIET_GO,
)
_RUST = _Grammar(
    re.compile(
        r"\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:default|const|async|unsafe|extern)\s+)*"
        r"(?:(?:fn|struct|enum|trait|mod|union|macro_rules!)\s+(?P<name>\w+)"
        r"|impl\b(?:<[^{]{0,100}?>)?\s+(?:[^{]{1,150}?\sfor\s+)?(?P<type>\w+))"
    ),
    quiet=_QUIET_RUST,
)
_JAVA = _Grammar(
    re.compile(
        r"\s*(?:(?:public|private|protected|internal|static|final|abstract|sealed|partial|open|data|inner|inline"
        r"|override|suspend|readonly|export|companion|case|mutating|unsafe)\s+)*"
        r"(?:class|interface|enum|record|struct|object|namespace|@interface|fun|func|protocol|extension|trait|def)\s+"
        r"(?:<[^>]*>\s*)?(?P<name>(?!class\b)[\w.]+)"
    ),
    re.compile(
        r"\s+(?:@\w+\s+)?(?!(?:return|new|throw|else|case|await|yield|if|for|while|switch|catch|using|lock)\b)"
        rf"(?:[\w.<>\[\],?]+\s+){{1,6}}{_NO_NAMES}(?P<name>\w+)\s*\([^;=]*$"
    ),
    quiet=_QUIET,
)
_C = _Grammar(
    re.compile(
        r"(?:\s*(?:template\s*<[^>]*>\s*)?(?:typedef\s+)?(?:class|struct|namespace|enum(?:\s+class)?|union)\s+"
        r"(?P<name>\w+)[^;()=]*$"
        rf"|(?!\s|#|return\b|else\b|typedef\b|using\b)[A-Za-z_][\w\s*&:<>,\[\]]*?{_NO_NAMES}(?P<value>~?[\w:~]+)"
        r"\s*\([^;]*$)"
    ),
    re.compile(rf"\s+(?:[\w:<>,*&]+\s+){{0,5}}[*&]?{_NO_NAMES}(?P<name>~?\w+)\s*\([^;]*\)[^;()]*\{{"),
    quiet=_QUIET,
)
_RUBY = _Grammar(re.compile(r"\s*(?:class|module|def)\s+(?P<name>(?:self\.)?[\w:?!=.]+)"), ends="end")
_LUA = _Grammar(re.compile(r"(?:local\s+)?function\s+(?P<name>[\w.:]+)"), ends="end")
_SHELL = _Grammar(
    re.compile(r"\s*(?:function\s+(?P<name>[\w:.-]+)|(?P<value>[\w:.-]+)\s*\(\s*\))"), quiet=_QUIET_SHELL
)
_SQL = _Grammar(
    re.compile(
        r"\s*create\s+(?:or\s+replace\s+)?(?:(?:temp|temporary|unique|materialized|global|virtual)\s+)*"
        r"(?:table|view|function|procedure|trigger|index|type|schema|sequence)\s+(?:if\s+not\s+exists\s+)?"
        r"(?P<name>[\w.\"`\[\]]+)",
        re.IGNORECASE,
    ),
    ends="semicolon",
)
_PYTHON = _Grammar(re.compile(r"(?P<indent>\s*)(?:async\s+)?(?:def|class)\s+(?P<name>\w+)"), ends="indent")
_TABLES = _Grammar(re.compile(r"\[\[?(?P<name>[^\]\n]+)\]\]?\s*(?:[#;].*)?$"), ends="next")
_TEX = _Grammar(
    re.compile(r"\s*\\(?:part|chapter|(?:sub){0,2}section|paragraph)\*?\{(?P<name>[^}]+)\}"), ends="next"
)

_GRAMMARS: Mapping[str, _Grammar] = {
    **dict.fromkeys(
        (".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte", ".php"), _SCRIPT
    ),
    **dict.fromkeys((".java", ".cs", ".kt", ".kts", ".scala", ".swift", ".dart", ".groovy"), _JAVA),
    **dict.fromkeys((".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".m", ".mm"), _C),
    **dict.fromkeys((".sh", ".bash", ".zsh"), _SHELL),
    **dict.fromkeys((".toml", ".ini", ".cfg", ".conf"), _TABLES),
    **dict.fromkeys((".py", ".pyi", ".pyx"), _PYTHON),
    **{".go": _GO, ".rs": _RUST, ".rb": _RUBY, ".lua": _LUA, ".sql": _SQL, ".tex": _TEX},
}


def symbols_in(ending: str, text: str) -> list[Symbol]:
    """Returns the symbols that a text declares, in order; empty where its language is not known."""
    grammar = _GRAMMARS.get(ending)
    if grammar is None:
        return []
    if grammar.quiet is not None:
        # What stands in strings and comments is no declaration, and its braces are no blocks.
        text = grammar.quiet.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    lines = (
        text.split("\n") if "\r" not in text else text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    )
    return _Search(grammar, lines).found()


@dataclass(slots=True)
class _Open:
    """A symbol whose end is not found yet, and its index in the result."""

    name: str
    place: int
    first: int
    depth: int
    opened: bool = False


class _Search:
    """Finds symbols in one pass over the lines; open ones are on a stack."""

    def __init__(self, grammar: _Grammar, lines: list[str]) -> None:
        self._grammar, self._lines = grammar, lines
        self._stack: list[_Open] = []
        self._found: list[Symbol] = []
        self._depth = 0

    def found(self) -> list[Symbol]:
        """Returns all symbols, in the order in which they start."""
        by_ends = {
            "braces": self._braces,
            "end": self._end_words,
            "indent": self._indents,
            "semicolon": self._semicolons,
            "next": self._next_starts,
        }
        for number, line in enumerate(self._lines, 1):
            by_ends[self._grammar.ends](number, line)
            if len(self._found) >= _MOST_SYMBOLS:
                break
        while self._stack:
            self._close(len(self._lines))
        return self._found

    def _declared_name(self, line: str) -> str:
        if len(line) > _LONGEST_LINE:
            return ""
        found = self._grammar.anywhere.match(line)
        if found is None and self._grammar.within is not None and self._directly_within():
            found = self._grammar.within.match(line)
        if found is None:
            return ""
        groups = found.groupdict()
        name = groups.get("name") or groups.get("value") or groups.get("type") or ""
        return f"{groups['owner']}.{name}" if groups.get("owner") else name.strip()

    def _directly_within(self) -> bool:
        """Tells whether a line is directly inside a class body; in a method's body many lines look like methods."""
        if not self._stack or not self._stack[-1].opened:
            return False
        return self._depth == self._stack[-1].depth + 1

    def _begin(self, number: int, name: str, depth: int) -> None:
        full = f"{self._stack[-1].name}.{name}" if self._stack else name
        self._stack.append(_Open(full, len(self._found), number, depth))
        self._found.append(Symbol(full, len(self._stack), number, number))

    def _close(self, last: int) -> None:
        one = self._stack.pop()
        self._found[one.place] = Symbol(
            one.name, self._found[one.place].level, one.first, max(one.first, last)
        )

    def _braces(self, number: int, line: str) -> None:
        name = self._declared_name(line)
        if name:
            self._begin(number, name, self._depth)
        opened = "{" in line
        self._depth += line.count("{") - line.count("}")
        if self._stack and opened and not self._stack[-1].opened:
            self._stack[-1].opened = True
        while self._stack:
            top = self._stack[-1]
            if top.opened and self._depth <= top.depth:
                self._close(number)
            elif not top.opened and (line.rstrip().endswith(";") or number - top.first >= _WAITS_LINES):
                self._close(top.first if number - top.first >= _WAITS_LINES else number)
            else:
                return

    def _end_words(self, number: int, line: str) -> None:
        indent = len(line) - len(line.lstrip())
        name = self._declared_name(line)
        if name:
            self._begin(number, name, indent)
            if re.search(r"\bend\s*$", line):
                self._close(number)
        elif self._stack and re.match(r"\s*end\b", line) and indent <= self._stack[-1].depth:
            self._close(number)

    def _indents(self, number: int, line: str) -> None:
        if not line.strip() or line.lstrip().startswith("#"):
            return
        indent = len(line) - len(line.lstrip())
        closing = line.strip()[0] in ")]}\"'"
        while self._stack and indent <= self._stack[-1].depth and not closing:
            self._close(self._last_nonblank(number - 1))
        name = self._declared_name(line)
        if name:
            self._begin(number, name, indent)

    def _last_nonblank(self, number: int) -> int:
        while number > 1 and not self._lines[number - 1].strip():
            number -= 1
        return number

    def _semicolons(self, number: int, line: str) -> None:
        name = self._declared_name(line)
        if name:
            while self._stack:
                self._close(self._last_nonblank(number - 1))
            self._begin(number, name.strip('"`[]'), 0)
        if self._stack:
            self._depth = (self._depth + line.count("$$")) % 2
            if not self._depth and line.rstrip().endswith(";"):
                self._close(number)

    def _next_starts(self, number: int, line: str) -> None:
        name = self._declared_name(line)
        if name:
            while self._stack:
                self._close(number - 1)
            self._begin(number, name, 0)
