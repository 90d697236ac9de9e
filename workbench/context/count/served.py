"""Prices a request as the model's own server counts it: tokens of text pieces, and the chat template's framing.

The counter does no I/O: it estimates unknown texts and lists them as missing; the caller fetches their counts from the
server and passes them to `learn`, after which the same request is exact.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping, Sequence
from weakref import WeakKeyDictionary

from workbench.context.count.counting import CountsOneByOne, TokenizerCounter, shared_segments
from workbench.context.count.measure import without_negative_counts
from workbench.context.count.memo import DigestCounts
from workbench.domain.caching import ChatFraming
from workbench.domain.envelope import WireMessage
from workbench.domain.text import digest_bytes
from workbench.domain.tool import ToolDefinition
from workbench.ports.counting import Tokenizer

_HOT_CHARACTERS = 4_000_000
_MOST_MISSING = 20_000
_ENOUGH_TOKENS = 200
"""The fewest tokens counted by the server before estimates are corrected by its ratio."""


class ServedCounts:
    """Counts received from the server; a text it has not counted is estimated and noted as missing.

    Attributes:
        counts: tokens by SHA-256; may be filled from the store.
        revision: how often something was learned, so that what was derived from estimates can be worked out again.
    """

    def __init__(self, fallback: Tokenizer) -> None:
        self._fallback = fallback
        self.counts = DigestCounts()
        self.revision = 0
        self._new: dict[bytes, int] = {}
        self._hot: dict[str, int] = {}
        self._hot_characters = 0
        self._missing: dict[str, None] = {}
        self._served_tokens, self._estimated_tokens = 0, 0

    def known(self, text: str) -> int | None:
        """The text's tokens; None, and noted as missing, where the server has not counted it yet."""
        if not text:
            return 0
        tokens = self._hot.get(text)
        if tokens is None:
            tokens = self.counts.find(digest_bytes(text))
            if tokens is None:
                self._note(text)
            else:
                self._keep_recent(text, tokens)
        return tokens

    def estimated(self, text: str) -> int:
        """The text's tokens by a local tokenizer, corrected by what the server has counted so far."""
        return self._corrected(self._fallback.count(text))

    def shared_estimate(self, left: str, right: str) -> int:
        """An estimate of the tokens that two texts start with in common."""
        return self._corrected(self._fallback.common_prefix(left, right))

    def missing(self) -> tuple[str, ...]:
        return tuple(self._missing)

    def learn(self, counts: Mapping[str, int]) -> None:
        for text, tokens in counts.items():
            digest = digest_bytes(text)
            self._new[digest] = tokens
            self.counts.know({digest: tokens})
            self._missing.pop(text, None)
            self._keep_recent(text, tokens)
            self._served_tokens += tokens
            self._estimated_tokens += self._fallback.count(text)
        if counts:
            self._new[SERVED_SUM], self._new[ESTIMATED_SUM] = self._served_tokens, self._estimated_tokens
        self.revision += bool(counts)

    def recall(self, counts: Mapping[bytes, int]) -> None:
        self.counts.know(counts)
        self._served_tokens = max(self._served_tokens, counts.get(SERVED_SUM, 0))
        self._estimated_tokens = max(self._estimated_tokens, counts.get(ESTIMATED_SUM, 0))
        self._missing = {text: None for text in self._missing if self.counts.find(digest_bytes(text)) is None}
        self.revision += bool(counts)

    def take_new(self) -> dict[bytes, int]:
        """Counts learned since the last call, for the store."""
        new, self._new = self._new, {}
        return new

    def copy(self, fallback: Tokenizer) -> ServedCounts:
        """A copy for use in a thread, with the same counts; it changes nothing here."""
        other = ServedCounts(fallback)
        other.counts = self.counts.copy()
        other._served_tokens, other._estimated_tokens = self._served_tokens, self._estimated_tokens
        return other

    def _corrected(self, tokens: int) -> int:
        if self._estimated_tokens < _ENOUGH_TOKENS:
            return tokens
        return -(-tokens * self._served_tokens // self._estimated_tokens)

    def _note(self, text: str) -> None:
        """Note a missing text; the oldest are forgotten first, since the server may never be asked."""
        while len(self._missing) >= _MOST_MISSING:
            del self._missing[next(iter(self._missing))]
        self._missing[text] = None

    def _keep_recent(self, text: str, tokens: int) -> None:
        if self._hot_characters > _HOT_CHARACTERS:
            self._hot, self._hot_characters = {}, 0
        self._hot[text] = tokens
        self._hot_characters += len(text)


# Sums over everything the server counted, kept among the counts under digests that no text has.
SUMS = SERVED_SUM, ESTIMATED_SUM = tuple(digest_bytes(f"\ud800{name}") for name in ("served", "estimated"))


# GPT-2's pattern takes a line feed alone as a piece wherever it stands, but splits a longer run of blanks by what
# follows it. Other patterns take "/" together with the line end before it.
_ENDS_A_LINE = re.compile(r"(?:\A|\S)\n\Z")
_STARTS_A_LINE = re.compile(r"[^\s/]")

_Costs = MutableMapping[WireMessage, tuple[int, ...]]


class ServedCounter(CountsOneByOne):
    """Counts with a server's framing and its tokens for every piece of text.

    A piece lies between two places that no token crosses: at a control token, or after a line feed and before a
    character that is not blank. Within a piece a segment costs what it adds to the text before it, so that segments
    sum exactly.

    Attributes:
        framed: whether the server was asked for its framing, whatever it answered.
    """

    additive = True
    spread: float | None = None
    ratio: float | None = None

    def __init__(self, counts: ServedCounts, fallback: TokenizerCounter) -> None:
        self._counts = counts
        self._fallback = fallback
        self.framed = False
        self._framing: ChatFraming | None = None
        self._heads: dict[str, str] = {}
        self._tails: dict[str, str] = {}
        self._controls: tuple[str, ...] = ()
        # Weak: a message that nobody has any more takes what it cost along, and its text.
        self._costs: _Costs = WeakKeyDictionary()
        self._guesses: _Costs = WeakKeyDictionary()
        self._revision = counts.revision

    @property
    def exact(self) -> bool:
        """Whether the server's framing is known; `knows` says whether all texts are counted, too."""
        return self._framing is not None

    @property
    def settled(self) -> bool:
        """Whether no more can be learned: without a framing everything stays an estimate."""
        return self._framing is None

    @property
    def reply_cost(self) -> int:
        """Tokens that open the answer, and that the template puts before the first message."""
        if self._framing is None:
            return self._fallback.reply_cost
        return self._count(self._framing.opening) + self._count(self._framing.reply)

    def missing(self) -> tuple[str, ...]:
        if self._framing is not None:
            _ = self.reply_cost  # notes what it is made of
        return self._counts.missing()

    def learn(self, counts: Mapping[str, int]) -> None:
        self._counts.learn(counts)

    def recall(self, counts: Mapping[bytes, int]) -> None:
        self._counts.recall(counts)

    def frame(self, framing: ChatFraming | None) -> None:
        """Set the server's framing; None: it cannot be told for single messages, so counts stay estimates."""
        self.framed = True
        if framing == self._framing:
            return
        self._framing = framing
        self._heads = dict(framing.heads) if framing else {}
        self._tails = dict(framing.tails) if framing else {}
        self._controls = framing.control_tokens if framing else ()
        self._costs, self._guesses = WeakKeyDictionary(), WeakKeyDictionary()

    def copy(self, counts: ServedCounts, fallback: TokenizerCounter) -> ServedCounter:
        """A copy of the counter over other counts, for use in a thread."""
        other = ServedCounter(counts, fallback)
        if self.framed:
            other.frame(self._framing)
        return other

    def costs(self, message: WireMessage) -> tuple[int, ...]:
        """Raw cost of each segment; recomputed only while something in it was an estimate."""
        known = self._costs.get(message)
        if known is not None:
            return known
        if self._revision != self._counts.revision:
            self._guesses, self._revision = WeakKeyDictionary(), self._counts.revision
        guessed = self._guesses.get(message)
        return self._price(message) if guessed is None else guessed

    def knows(self, messages: Sequence[WireMessage]) -> bool:
        """Whether all these costs are the server's own, and sum to its count of the whole request."""
        framing = self._framing
        if framing is None or not messages:
            return False
        # Without a system message the template may write one; an answer that is gone on with is not closed.
        odd = (framing.default_system and messages[0].role != "system") or messages[-1].role == "assistant"
        if odd or any(self._counts.known(text) is None for text in (framing.opening, framing.reply)):
            return False
        return all(message in self._costs or self._is_fully_counted(message) for message in messages)

    def tool_tokens(self, tool: ToolDefinition) -> int:
        """An estimate: how a template writes tools shows only in the whole request."""
        return self._fallback.tool_tokens(tool)

    def total(self, raw: int) -> int:
        return raw

    def common_cost(self, left: WireMessage, right: WireMessage) -> int:
        """The cost of the common leading segments, and an estimate for the common start of the next pair."""
        if left.role != right.role:
            return 0
        ours, theirs = self.costs(left), self.costs(right)
        if left.content == right.content and len(ours) == len(theirs):
            return min(sum(ours), sum(theirs))
        shared = shared_segments(left, right)
        near = (_rest(message, shared) for message in (left, right))
        guess = self._counts.shared_estimate(*near)
        known = min(sum(ours[:shared]), sum(theirs[:shared]))
        return max(0, min(known + guess, sum(ours), sum(theirs)))

    def _is_fully_counted(self, message: WireMessage) -> bool:
        self.costs(message)
        return message in self._costs

    def _price(self, message: WireMessage) -> tuple[int, ...]:
        if message.role not in self._heads or any(s.tool_calls or s.images for s in message.segments):
            return _remember(self._guesses, message, self._fallback.costs(message))
        texts = [segment.lead + segment.text for segment in message.segments]
        head, tail = self._heads[message.role], self._tails[message.role]
        if message.role == "tool":  # results are messages of their own on the wire
            parts = [self._joined([head, segment.text, tail]) for segment in message.segments]
            costs, counted = [sum(part) for part, _ in parts], all(counted for _, counted in parts)
        else:
            (opened, *costs, closed), counted = self._joined([head, *texts, tail])
            costs[0] += opened
            costs[-1] += closed
        return _remember(
            self._costs if counted else self._guesses, message, tuple(without_negative_counts(costs))
        )

    def _joined(self, texts: Sequence[str]) -> tuple[list[int], bool]:
        """The tokens that each text adds to those before it, and whether the server counted all of them."""
        costs, counted = [], True
        run, run_tokens = "", 0
        for text in texts:
            if self._is_cut(run, text):
                run, run_tokens = "", 0
            run += text
            known = self._counts.known(run)
            counted &= known is not None
            tokens = self._counts.estimated(run) if known is None else known
            costs.append(tokens - run_tokens)
            run_tokens = tokens
        return costs, counted

    def _is_cut(self, left: str, right: str) -> bool:
        controls = self._controls
        return left.endswith(controls) or right.startswith(controls) or is_strict_cut(left, right)

    def _count(self, text: str) -> int:
        known = self._counts.known(text)
        return self._counts.estimated(text) if known is None else known


def is_strict_cut(left: str, right: str) -> bool:
    """Whether no common tokenizer merges tokens across the place between two texts."""
    return _ENDS_A_LINE.search(left, len(left) - 2) is not None and _STARTS_A_LINE.match(right) is not None


def _remember(memory: _Costs, message: WireMessage, costs: tuple[int, ...]) -> tuple[int, ...]:
    memory[message] = costs
    return costs


def _rest(message: WireMessage, shared: int) -> str:
    return "".join(segment.lead + segment.text for segment in message.segments[shared:])
