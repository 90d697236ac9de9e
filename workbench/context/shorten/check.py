"""The one door every compaction passes: what a short text must not lose and must not add, checked after it was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from workbench.context.recall.terms import folded, stems_of
from workbench.context.shorten.facts import FactsOf
from workbench.domain.files.attachment import Artifact

_NAMED = 8
NOT_SHORTER = "It would not be shorter than what it replaces."
NOT_RECOVERABLE = "Its text cannot be had again from anywhere, so it stays as it is."


@dataclass(frozen=True, slots=True)
class Checked:
    """What is wrong with a short text: facts that are not in the original, and the user's own that are gone."""

    invented: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether every fact is kept and none is new."""
        return not (self.invented or self.lost)

    @property
    def words(self) -> str:
        """What was lost and what was added, in words; empty where nothing was."""
        said = [
            f"{about}: {_listed(facts)}"
            for about, facts in (
                ("lost from your messages", self.lost),
                ("not in the original", self.invented),
            )
            if facts
        ]
        return "; ".join(said)


@dataclass(frozen=True)
class Original:
    """What a short text stands for; its facts are looked for once.

    Attributes:
        texts: everything that it replaces; own_words: what the user wrote of it, whose facts must stay.
        recoverable: whether the whole can be had again.
        must_say: what has to stand in the short text as it is, such as how to have it whole.
        extractive: the short text is made of pieces of the original and of our own words about it, so that its facts
            hold by construction and are not looked for again.
    """

    texts: tuple[str, ...]
    own_words: tuple[str, ...] = ()
    recoverable: bool = True
    must_say: tuple[str, ...] = ()
    extractive: bool = False

    @property
    def chars(self) -> int:
        return sum(map(len, self.texts))

    @cached_property
    def facts(self) -> FactsOf:
        return FactsOf("\n\n".join(self.texts))

    @cached_property
    def own_facts(self) -> FactsOf:
        return FactsOf("\n\n".join(self.own_words), self.facts.names, self.facts.language)


def extract_of(artifact: Artifact, hint: str) -> Original:
    """An artifact of which pieces are sent: they say how to have it whole, and its name stands in its tags."""
    return Original((artifact.text,), recoverable=artifact.recoverable, must_say=(hint,), extractive=True)


@dataclass(frozen=True, slots=True)
class Enforced:
    """The short text where it may stand for the original; None where the original stays, with the reason in words."""

    text: str | None
    refusal: str = ""
    checked: Checked = Checked()


def check(short: str, original: Original) -> Checked:
    """Hold the facts of a short text against the original: none may be new, and none of the user's own may be gone."""
    made = FactsOf(short, original.facts.names, original.facts.language)
    invented = [fact.text for fact in made.found if not original.facts.holds(fact)]
    invented += [word for word in made.openings if not _is_said(word, original.facts)]
    lost = [fact.text for fact in original.own_facts.found if not made.holds_exactly(fact)]
    return Checked(tuple(dict.fromkeys(invented)), tuple(dict.fromkeys(lost)))


def _is_said(word: str, facts: FactsOf) -> bool:
    """Whether a word, or another form of it, stands in a text."""
    return word.lower() in facts.words or not facts.stems.isdisjoint(stems_of(folded(word), facts.language))


def enforced(short: str, original: Original) -> Enforced:
    """Let a compaction pass, or say why the original stays as it is."""
    if not original.recoverable:
        return Enforced(None, NOT_RECOVERABLE)
    if len(short) >= original.chars:
        return Enforced(None, NOT_SHORTER)
    missing = [words for words in original.must_say if words not in short]
    if missing:
        return Enforced(None, f"It does not say: {_listed(missing)}.")
    if original.extractive:
        return Enforced(short)
    checked = check(short, original)
    if not checked.holds:
        return Enforced(None, checked.words, checked)
    return Enforced(short, checked=checked)


def _listed(words: Sequence[str]) -> str:
    more = len(words) - _NAMED
    return ", ".join(words[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
