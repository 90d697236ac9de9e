"""Assigns watched requests to conversations: by session, by common prefix, or as a sub-agent's of another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from workbench.context.watch.habits import Habits
from workbench.context.watch.measuring import shared_pieces
from workbench.context.watch.pieces import SUMMARY
from workbench.context.watch.prefix import Beginnings
from workbench.context.watch.reading import Sender
from workbench.domain.reading.loose_json import parsed, strings_in
from workbench.domain.text import digest_text
from workbench.domain.translation import tr
from workbench.domain.watch.request import WatchedPiece, WatchedRequest

MOST_KEPT = 100
_MOST_KNOWN = 20_000
"""The most questions and answers that are remembered, since a watch may run for weeks."""
_MOST_ENDED = 200
"""The most requests kept with their answers, for requests that continue one by its id alone."""
_LEAST_TELLING = 8
"""A shorter question may be anybody's."""


@dataclass(slots=True, eq=False)
class Conversation:
    """One conversation so far; only its newest requests are kept.

    Attributes:
        call: the id of the parent's call that began it; empty where none is known.
        last, answered: the newest request that has ended, counted, and the pieces of its answer.
        newest: the newest request that was started, by which the next one is recognised.
        chain: of that request, at its server. last_at: when it was sent. turns: how many requests there were.
        habits: what its requests show over time. scale: how many tokens a server counts where we count one.
    """

    id: str
    sender: Sender
    parent: str | None = None
    call: str = ""
    last: WatchedRequest | None = None
    newest: WatchedRequest | None = None
    answered: tuple[WatchedPiece, ...] = ()
    chain: Beginnings | None = None
    last_at: float = 0.0
    turns: int = 0
    log_usd: float | None = 0.0
    habits: Habits = field(default_factory=Habits)
    scale: float = 1.0

    @property
    def talk(self) -> tuple[WatchedPiece, ...]:
        return () if self.newest is None else talk_of(self.newest.pieces)


Ended = tuple[WatchedRequest | None, tuple[WatchedPiece, ...]]
"""A request and its answer; None and nothing where there is none."""


def talk_of(pieces: Iterable[WatchedPiece]) -> tuple[WatchedPiece, ...]:
    """The messages of a request, without tools and system prompt."""
    return tuple([one for one in pieces if one.layer != "L1_SYSTEM"])


class Conversations:
    """All conversations of a watch."""

    def __init__(self) -> None:
        self._all: dict[str, Conversation] = {}
        self._asked: dict[str, dict[str, None]] = {}
        self._answers: dict[str, str] = {}
        self._ended: dict[str, Ended] = {}

    def place(self, request: WatchedRequest, sender: Sender, seed: str) -> Conversation:
        """The conversation of a request, created where it is the first; `seed` makes a new one's id unique."""
        found = self._find(request, sender) or self._create(request, sender, seed)
        found.newest = request
        self._index_request(found, request)
        return found

    def _create(self, request: WatchedRequest, sender: Sender, seed: str) -> Conversation:
        parent, call = self._parent(request, sender)
        made = Conversation(digest_text(f"{sender.session}\0{sender.agent}\0{seed}")[:12], sender)
        made.parent, made.call = None if parent is None else parent.id, call
        if parent is None and _has_tools(request):
            # What a client asked beside its session may come first, such as a title for it.
            for one in self._in_session(sender.session):
                one.parent = one.parent or made.id
        self._all[made.id] = made
        while len(self._all) > MOST_KEPT:
            del self._all[next(iter(self._all))]
        return made

    def note(self, conversation: Conversation, request: WatchedRequest, answer_id: str) -> None:
        """Record the id of a request's answer, by which the next request of its conversation is found."""
        if answer_id:
            self._answers[answer_id] = conversation.id
            self._ended[answer_id] = request, conversation.answered
            while len(self._ended) > _MOST_ENDED:
                del self._ended[next(iter(self._ended))]
        self._index_request(conversation, request)

    def before(self, conversation: Conversation, request: WatchedRequest) -> Ended:
        """The request that this one continues: the one it names, where known, else its conversation's last."""
        named = self._ended.get(request.previous) if request.previous else None
        return named or (conversation.last, conversation.answered)

    def _index_request(self, conversation: Conversation, request: WatchedRequest) -> None:
        # The newest conversation stands last: it is the first to be looked at, and the last to be forgotten.
        self._all[conversation.id] = self._all.pop(conversation.id, conversation)
        # What comes last is asked for first: the first question tells whose a request is.
        first = next((one for one in request.pieces if one.kind == "question"), None)
        if first is not None:
            known = self._asked.pop(first.digest, {})
            self._asked[first.digest] = {name: None for name in known if name in self._all} | {
                conversation.id: None
            }
        for table in (self._answers, self._asked):
            while len(table) > _MOST_KNOWN:
                del table[next(iter(table))]

    def _find(self, request: WatchedRequest, sender: Sender) -> Conversation | None:
        answered = self._all.get(self._answers.get(request.previous, ""))
        if answered is not None:
            return answered
        if sender.agent:
            mine = (one for one in self._in_session(sender.session) if one.sender.agent == sender.agent)
            return next(mine, None)
        talk = talk_of(request.pieces)
        found = self._by_prefix(request, talk, sender)
        if found is not None or self._caller(talk)[0] is not None:
            return found
        return self._by_instructions(request, sender)

    def _in_session(self, session: str) -> Iterator[Conversation]:
        """The conversations of a session, the newest first."""
        if session:
            yield from (one for one in reversed(self._all.values()) if one.sender.session == session)

    def _by_prefix(
        self, request: WatchedRequest, talk: Sequence[WatchedPiece], sender: Sender
    ) -> Conversation | None:
        """The conversation with the longest common prefix, if that is more than what the client always sends."""
        first = next((one for one in talk if one.kind == "question"), None)
        ids = self._asked.get(first.digest, {}) if first is not None else {}
        best, most = None, (0, False, 0)
        for place, one in enumerate(self._all[name] for name in ids if name in self._all):
            shared, same = shared_pieces(one.talk, talk), one.sender.session == sender.session
            asked = any(piece.kind == "question" for piece in talk[:shared])
            foreign = not same and bool(one.sender.session and sender.session)
            if (
                not asked
                or one.sender.agent
                or not _is_alike(one, request, sender)
                or (foreign and not _goes_on(one, talk, shared))
            ):
                continue
            if (shared, same, place) > most:
                best, most = one, (shared, same, place)
        return best

    def _by_instructions(self, request: WatchedRequest, sender: Sender) -> Conversation | None:
        """The session's conversation with about the same tools or instructions, whose history was rewritten."""
        mine = _instructed(request.pieces)
        for one in self._in_session(sender.session):
            theirs = _instructed(one.newest.pieces if one.newest is not None else ())
            if (
                one.sender.agent == sender.agent
                and mine
                and 2 * len(mine & theirs) >= max(len(mine), len(theirs))
            ):
                return one
        return None

    def _parent(self, request: WatchedRequest, sender: Sender) -> tuple[Conversation | None, str]:
        caller, call = self._caller(talk_of(request.pieces))
        if sender.parent_thread:
            parent = next(self._in_session(sender.parent_thread), None)
            return parent, call if parent is caller else ""
        if caller is not None:
            return caller, call
        family = [
            one for one in self._in_session(sender.session) if one.parent is None and one.newest is not None
        ]
        if _has_tools(request):
            family = [one for one in family if one.newest is not None and _has_tools(one.newest)]
        parent = family[-1] if family else None
        said = () if parent is None or parent.newest is None or not sender.agent else parent.newest.pieces
        return parent, _call_in(said, _first_question(talk_of(request.pieces))) or ""

    def _caller(self, talk: Sequence[WatchedPiece]) -> tuple[Conversation | None, str]:
        """The conversation whose newest answer calls a sub-agent with this very question, and the id of that call."""
        asked = _first_question(talk)
        for one in reversed(self._all.values()):
            if (call := _call_in(one.answered, asked)) is not None:
                return one, call
        return None, ""


def _first_question(talk: Iterable[WatchedPiece]) -> str:
    """The user's first question; empty where it is too short to identify a conversation."""
    asked = next((one.text.strip() for one in talk if one.kind == "question"), "")
    return asked if len(asked) >= _LEAST_TELLING else ""


def _call_in(pieces: Iterable[WatchedPiece], asked: str) -> str | None:
    """The id of the call that passes on this very question (may be empty); None where no call does."""
    calls = (one for one in pieces if asked and one.kind == "call")
    told = (one.call for one in calls if any(asked in text for text in strings_in(parsed(one.text))))
    return next(told, None)


def _has_tools(request: WatchedRequest) -> bool:
    return any(one.kind == "tool" for one in request.pieces)


def _is_alike(one: Conversation, request: WatchedRequest, sender: Sender) -> bool:
    """Whether a request may belong to a conversation: same program, same protocol."""
    names = (who.client.partition("/")[0] for who in (one.sender, sender))
    return one.newest is not None and one.newest.format == request.format and len({*names}) == 1


def _goes_on(one: Conversation, talk: Sequence[WatchedPiece], shared: int) -> bool:
    """Whether a request has all of another one and an answer to it, as in a forked session."""
    return shared == len(one.talk) and any(piece.role == "assistant" for piece in talk[shared : shared + 1])


def _instructed(pieces: Iterable[WatchedPiece]) -> set[str]:
    """What identifies a client: the names of its tools, or its instructions where it has none."""
    tools = {one.name for one in pieces if one.kind == "tool"}
    return tools or {one.digest for one in pieces if one.kind == "system" and one.layer == "L1_SYSTEM"}


# What a compaction took out of a conversation, as a text that can be attached again.


_HEADS = {"question": "User", "answer": "Assistant", "thought": "Assistant, thinking"}


def removed_text(before: Sequence[WatchedPiece], after: Sequence[WatchedPiece]) -> str:
    """The text of messages that a summary replaced; empty where none did."""
    known, kept = ({one.digest for one in some} for some in (before, after))
    if not any(one.name == SUMMARY and one.digest not in known for one in after):
        return ""
    gone = [
        one for one in before if one.layer != "L1_SYSTEM" and one.kind != "picture" and one.digest not in kept
    ]
    return "\n\n".join(f"{_head(one)}:\n{one.text}" for one in gone if one.text.strip())


def _head(piece: WatchedPiece) -> str:
    match piece.kind:
        case "call":
            return tr("Call of {name}", name=piece.name)
        case "result":
            return tr("Result of {name}", name=piece.name or "a tool")
        case kind:
            return _HEADS.get(kind, "Context")
