"""Statistics of a conversation's requests: tools that are called, results that are used, cache marks that hit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from workbench.domain.reading.loose_json import parsed, text_in
from workbench.domain.watch.request import WatchedPiece, WatchedRequest, WatchedTurn
from workbench.domain.watch.rules import RuleOutcome

_PATHS = ("file_path", "path", "filename", "file", "notebook_path", "target_file", "relative_path", "uri")
LARGE_TOKENS = 2000
"""A result of fewer tokens is not worth a word when it grows old."""


@dataclass(slots=True)
class Result:
    """A tool's result in the request: its tool and file, and the number of questions when it was last used."""

    name: str
    file: str
    used_at: int


@dataclass(slots=True)
class Habits:
    """Statistics of a conversation; only what is new in a request is processed.

    Attributes:
        offered: at which request each tool was first in the list. called: which were ever called.
        questions: how many questions were asked. results: those of large results, by the ids of their calls.
        files: the file of each call, by its id.
        written: requests that wrote to the cache, and tokens; hits: requests that were served anything.
        ruled: what became of the rules in the newest request; switched: the names of those that began to change
            requests with it, or no longer change any, since somebody switched them, or since one took a step.
    """

    requests: int = 0
    offered: dict[str, int] = field(default_factory=dict)
    called: set[str] = field(default_factory=set)
    questions: int = 0
    results: dict[str, Result] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    written: int = 0
    written_tokens: int = 0
    hits: int = 0
    ruled: tuple[RuleOutcome, ...] = ()
    switched: tuple[str, ...] = ()

    def copy(self) -> Habits:
        """An independent copy, to try a request on."""
        results = {call: replace(one) for call, one in self.results.items()}
        return replace(
            self, offered={**self.offered}, called={*self.called}, results=results, files={**self.files}
        )

    def take(self, turn: WatchedTurn, begun: int) -> None:
        """Add a request, of which the first `begun` pieces are known, and its answer."""
        self.requests += 1
        self.switched, self.ruled = _switched(self.ruled, turn.rules), turn.rules
        names = (one.name for one in turn.request.tools)
        self.offered = {name: self.offered.get(name, self.requests) for name in names}
        self._read(turn.request.pieces[begun:])
        self._read(turn.answer.pieces)
        # What no longer stands in the request can neither be stale nor be there twice.
        here = {one.call for one in turn.request.results}
        self.results = {call: one for call, one in self.results.items() if call in here}
        usage = turn.answer.usage
        if usage.cache_write_tokens and usage.cached_tokens is not None:
            self.written, self.written_tokens = (
                self.written + 1,
                self.written_tokens + usage.cache_write_tokens,
            )
        self.hits += bool(usage.cached_tokens)

    def unused_tools(self, least_requests: int) -> set[str]:
        """Tools that were in the list for so many requests and never called."""
        old = {name for name, since in self.offered.items() if self.requests - since + 1 >= least_requests}
        return old - self.called

    def _read(self, pieces: Iterable[WatchedPiece]) -> None:
        for one in pieces:
            match one.kind:
                case "question":
                    self.questions += 1
                case "call":
                    self.called.add(one.name)
                    if one.call and (path := path_in(one.text)):
                        self.files[one.call] = path
                    self._use(one.text)
                case "answer" | "thought":
                    self._use(one.text)
                case "result" if one.tokens >= LARGE_TOKENS:
                    self.results[one.call] = Result(one.name, self.files.get(one.call, ""), self.questions)

    def _use(self, text: str) -> None:
        """Mark results as used whose file a text mentions."""
        for one in self.results.values():
            name = one.file.rpartition("/")[2]
            if name and name in text:
                one.used_at = self.questions


def _switched(before: Sequence[RuleOutcome], now: Sequence[RuleOutcome]) -> tuple[str, ...]:
    """Rules that changed one of two requests, and were off, not there or written otherwise at the other one.

    One that shortens takes a step, too, where it saves more than before.
    """
    saved = {one.rule: one.tokens_saved for one in before}
    found = [
        one.name
        for one in now
        if one.name == "results.shorten" and one.tokens_saved > max(0, saved.get(one.rule, 0))
    ]
    for some, others in ((before, now), (now, before)):
        on = {one.rule for one in others if one.state != "off"}
        found += [one.name for one in some if one.state == "applied" and one.rule not in on]
    return tuple(dict.fromkeys(found))


def path_in(arguments: str) -> str:
    """The file that a call is about; empty where its arguments name none."""
    given = parsed(arguments)
    if not isinstance(given, dict):
        return ""
    return next((path for name in _PATHS if (path := text_in(given, name))), "")


def copies(request: WatchedRequest, files: dict[str, str]) -> dict[str, Sequence[WatchedPiece]]:
    """Results that occur more than once in the request: by file, or by text where that is unknown."""
    found: dict[str, list[WatchedPiece]] = {}
    for one in request.results:
        if one.text:
            found.setdefault(files.get(one.call) or one.text, []).append(one)
    return {name: some for name, some in found.items() if len(some) > 1}
