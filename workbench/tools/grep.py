"""The tool `grep`: finds lines of the workspace's files by text, by words, or by a regular expression."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any

from workbench.tools.arguments import Field, Form
from workbench.tools.reading_tool import ReadingTool
from workbench.tools.workspace.candidates import Candidates
from workbench.tools.workspace.expressions import ExpressionSearch
from workbench.tools.workspace.paths import Refused, WorkspacePath, parse_path, shown
from workbench.tools.workspace.workspace import Workspace

_MOST_LINES = 100
_LONGEST_LINE_CHARS = 240
_LONGEST_GLOB_CHARS = 200
_LONGEST_PATTERN_CHARS = 1000
Found = tuple[WorkspacePath, int, str]


@dataclass(frozen=True, slots=True)
class GrepArguments:
    """What to look for, where, and how the pattern is meant."""

    pattern: str
    path: WorkspacePath
    glob: str | None = None
    regex: bool = False
    words: bool = False
    ignore_case: bool = False


class Grep(ReadingTool[GrepArguments]):
    """Searches text files line by line."""

    form = Form(
        "grep",
        "Search the workspace's text files line by line. The pattern is plain text unless regex or words is true.",
        (
            Field("pattern", "text", "What to look for.", required=True),
            Field(
                "path", "text", "File or folder to search, relative to the workspace; all of it by default."
            ),
            Field("glob", "text", "Only files whose name matches, such as *.py."),
            Field("regex", "flag", "The pattern is a regular expression."),
            Field("words", "flag", "Lines that hold all words of the pattern, in any order."),
            Field("ignore_case", "flag", "Upper and lower case are the same."),
        ),
    )
    searches = True

    def __init__(self, workspace: Workspace, expressions: ExpressionSearch) -> None:
        super().__init__(workspace)
        self._expressions = expressions

    def accept(self, given: Mapping[str, Any]) -> GrepArguments:
        """Checks the pattern and the path."""
        asked = GrepArguments(**{**given, "path": parse_path(given.get("path", ""))})
        if not asked.pattern.strip():
            raise Refused("The pattern is empty.")
        if len(asked.pattern) > _LONGEST_PATTERN_CHARS or len(asked.glob or "") > _LONGEST_GLOB_CHARS:
            raise Refused("The pattern or the glob is too long.")
        if "\n" in asked.pattern and not asked.regex:
            raise Refused("The pattern has several lines; search is line by line, so give one of them.")
        if asked.regex and asked.words:
            raise Refused("Set regex or words, not both.")
        return asked

    def summary(self, asked: GrepArguments) -> str:
        """Describes the search on one line."""
        return f'Search {asked.path} for "{shown(asked.pattern[:80])}"'

    def answer(self, asked: GrepArguments) -> str:
        """Returns matching lines as `path:line: text`, how many more there are, and what was not searched."""
        candidates = Candidates(self.workspace, asked.glob)
        found = self._by_expression(asked, candidates) if asked.regex else _by_text(asked, candidates)
        lines = [
            f"{shown(str(path))}:{number}: {_cut(line)}" for path, number, line in islice(found, _MOST_LINES)
        ]
        more = sum(1 for _ in found)
        looked = f"{candidates.files:,} {'file' if candidates.files == 1 else 'files'}"
        if not lines:
            lines.append(f"No line matches in {looked}.")
        if more:
            lines.append(
                f"… {more:,} more matching lines; narrow the search with path, glob or a longer pattern"
            )
        return "\n".join(part for part in (*lines, candidates.note()) if part)

    def _by_expression(self, asked: GrepArguments, candidates: Candidates) -> Iterator[Found]:
        texts = list(candidates.find(asked.path))
        hits = self._expressions.find(asked.pattern, asked.ignore_case, [one.text for one in texts])
        for text, group in groupby(hits, key=lambda hit: hit[0]):
            lines = texts[text].text.split("\n")
            yield from ((texts[text].path, line + 1, lines[line]) for _, line in group)


def _by_text(asked: GrepArguments, candidates: Candidates) -> Iterator[Found]:
    holds = _test(asked)
    for one in candidates.find(asked.path):
        for number, line in enumerate(one.text.split("\n"), 1):
            if holds(line):
                yield one.path, number, line


def _test(asked: GrepArguments) -> Callable[[str], bool]:
    wanted = asked.pattern.split() if asked.words else [asked.pattern]
    if asked.ignore_case:
        folded = [each.casefold() for each in wanted]
        return lambda line: all(each in line.casefold() for each in folded)
    return lambda line: all(each in line for each in wanted)


def _cut(line: str) -> str:
    line = line.strip()
    return line if len(line) <= _LONGEST_LINE_CHARS else f"{line[:_LONGEST_LINE_CHARS]}…"
