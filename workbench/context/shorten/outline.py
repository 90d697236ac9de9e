"""A run of messages in short without a model: their own sentences, chosen by the facts in them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from workbench.context.shorten.check import NOT_SHORTER, Checked, Enforced, Original, check, enforced
from workbench.context.shorten.facts import FactsOf
from workbench.domain.chunk import command_of
from workbench.domain.message import Entry, Message

_SENTENCE = re.compile(r"(?<=[.!?…])(?:['\")\]’”»]*)\s+(?=\S)|(?<=[。！？])")
_SPEAKERS = {"user": "User", "assistant": "Assistant", "tool": "Tool", "system": "System"}
_LONGEST_CALL = 200
_TRIES = 4


@dataclass(frozen=True, slots=True)
class SummaryMessage:
    """One message as a summary sees it; `note` is our word about what is not told, such as a tool's result."""

    speaker: str
    text: str = ""
    own: bool = False
    note: str = ""


def summary_messages(entries: Sequence[Entry]) -> tuple[SummaryMessage, ...]:
    """What was said in a run: words as they are, and a line for each result of a tool and each picture."""
    calls = {call.id: call for one in entries if isinstance(one, Message) for call in one.tool_calls}
    found: list[SummaryMessage] = []
    for entry in entries:
        if not isinstance(entry, Message):
            found.append(_said_chunk(entry))
        elif entry.role == "tool":
            call = calls.get(entry.tool_call_id or "")
            words = "a result" if call is None else f"{call.name} {_short(call.arguments)}"
            found.append(SummaryMessage("Tool", note=_left_out(words, entry.text)))
        else:
            note = (
                f"[{len(entry.images)} picture{'s' if len(entry.images) > 1 else ''}]" if entry.images else ""
            )
            found.append(SummaryMessage(_SPEAKERS[entry.role], entry.text, entry.role == "user", note))
    return tuple(one for one in found if one.text.strip() or one.note)


def _said_chunk(chunk: Entry) -> SummaryMessage:
    assert not isinstance(chunk, Message)
    command = command_of(chunk)
    if command is not None:
        return SummaryMessage("Tool", note=_left_out(command.words, command.result))
    if chunk.kind in ("environment", "delegation"):
        return SummaryMessage("Tool", note=_left_out(chunk.kind, chunk.body))
    own = chunk.kind == "agent" and getattr(chunk, "role", "") == "user"
    return SummaryMessage("User" if own else "Assistant", chunk.body, own)


def _left_out(words: str, text: str) -> str:
    return f"[{words}: {len(text):,} characters are left out; call it again to have them]"


def _short(arguments: str) -> str:
    return arguments if len(arguments) <= _LONGEST_CALL else "as before"


def original_of(said: Sequence[SummaryMessage]) -> Original:
    """What a summary of these is held against; what we say about results ourselves counts as said."""
    texts = tuple(part for one in said for part in (one.text, one.note) if part)
    return Original(texts, tuple(one.text for one in said if one.own))


@dataclass
class _Outline:
    """An outline while it is made: which sentences of each message stay."""

    said: Sequence[SummaryMessage]
    whole: FactsOf
    sentences: list[list[str]] = field(default_factory=list)
    kept: list[set[int]] = field(default_factory=list)

    def choose(self) -> None:
        """Of the user every first sentence and all with facts; of answers the first, and facts that come up again."""
        self.sentences = [list(_sentences(one.text)) for one in self.said]
        names, language = self.whole.names, self.whole.language
        facts = [
            [FactsOf(sentence, names, language).found for sentence in sentences] if one.text else []
            for one, sentences in zip(self.said, self.sentences, strict=True)
        ]
        own: set[str] = set()
        for one, found in zip(self.said, facts, strict=True):
            own |= {key for some in found for fact in some for key in fact.keys} if one.own else set()
        later: set[str] = set()
        self.kept = [set() for _ in self.said]
        for place in range(len(self.said) - 1, -1, -1):
            about = own | later
            self.kept[place] = set(_chosen(facts[place], None if self.said[place].own else about))
            later |= {key for some in facts[place] for fact in some for key in fact.keys}

    def mend(self, checked: Checked) -> bool:
        """Put sentences back that hold what was lost, and take those of answers out that seem to say something new."""
        changed = False
        for place, one in enumerate(self.said):
            for number, sentence in enumerate(self.sentences[place]):
                if one.own and number not in self.kept[place] and _holds_any(sentence, checked.lost):
                    self.kept[place].add(number)
                    changed = True
                if not one.own and number in self.kept[place] and _holds_any(sentence, checked.invented):
                    self.kept[place].remove(number)
                    changed = True
        return changed

    @property
    def text(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        for one, sentences, kept in zip(self.said, self.sentences, self.kept, strict=True):
            chosen = [sentence for number, sentence in enumerate(sentences) if number in kept]
            if chosen:
                yield f"{one.speaker}: " + "\n".join(chosen)
            if one.note:
                yield one.note


def _holds_any(sentence: str, facts: Collection[str]) -> bool:
    return any(fact in sentence for fact in facts)


def _chosen(facts: Sequence[Sequence[object]], about: Collection[str] | None) -> Iterator[int]:
    for number, found in enumerate(facts):
        keys = {key for fact in found for key in getattr(fact, "keys", ())}
        if number == 0 or (keys and (about is None or not keys.isdisjoint(about))):
            yield number


def _sentences(text: str) -> Iterator[str]:
    """A text in sentences, none of them over a line's end."""
    for line in text.splitlines():
        yield from (part.strip() for part in _SENTENCE.split(line) if part.strip())


def outline(said: Sequence[SummaryMessage]) -> Enforced:
    """A run in its own sentences, checked as every summary is; refused where that is not shorter."""
    original = original_of(said)
    made = _Outline(said, original.facts)
    made.choose()
    for _ in range(_TRIES):
        if len(made.text) >= original.chars:
            return Enforced(None, NOT_SHORTER)
        checked = check(made.text, original)
        if checked.holds or not made.mend(checked):
            break
    return enforced(made.text, original)
