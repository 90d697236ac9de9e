"""Completions for a name typed after @: commands, attachments, files, their parts, other chats."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

from workbench.domain.files.attachment import ArtifactKind
from workbench.domain.shown.envelope_view import EnvelopeView

OfferKind = Literal["command", "attached", "file", "part", "whole", "chat", "prompt"]
VerdictCode = Literal["", "attached", "past_trim", "over", "problem"]

_MOST_CHARS = 300
# A name in quotes with a part behind it, a name in quotes, or one without; up to where the cursor stands.
_BEGUN = re.compile(
    rf'(?<!\S)@(?:"([^"\n]{{1,{_MOST_CHARS}}})"(#[^\s"]{{0,{_MOST_CHARS}}})|"([^"\n]{{0,{_MOST_CHARS}}})'
    rf'|((?:[^\s"@][^\s"]{{0,{_MOST_CHARS}}})?))\Z'
)


_PROMPT = re.compile(r"(?<!\S)/([^\s/][^\n/]{0,60})?\Z")


class TypedName(NamedTuple):
    """A name being typed: the position of its @ or /, and the typed text without that and quotes."""

    start: int
    word: str


def typed_name(before: str) -> TypedName | None:
    """The name that ends at the cursor, from the text before it; None where there is none."""
    found = _BEGUN.search(before, max(0, len(before) - 2 * _MOST_CHARS - 8))
    if found is None:
        return None
    quoted, part, open_quoted, plain = found.groups()
    return TypedName(found.start(), f"{quoted}{part}" if quoted else open_quoted or plain or "")


def typed_prompt(before: str) -> TypedName | None:
    """The prompt name that ends at the cursor, after a / that begins a word; None where there is none."""
    found = _PROMPT.search(before, max(0, len(before) - 64))
    return None if found is None else TypedName(found.start(), found[1] or "")


@dataclass(frozen=True, slots=True)
class Offer:
    """One completion.

    Attributes:
        name: what it is called in the list; `marks` are the places in it of the letters that were typed.
        text: what is inserted into the message, @ included.
        named: the same without @ and quotes: by that it can be attached at once; empty where it cannot.
        where: the folder it lies in. pages, lines: the first and the last; of a whole file, of all there are.
        used_utc: when a chat was last written in.
        tokens: what it costs in full; None while uncounted. `estimated`: the figure is an estimate.
        added_tokens: what it adds to the next request: what of it is attached already is paid for.
        attached: whether it is attached. in_part: whether something of it is.
        problem: why it cannot be attached, in words.
    """

    kind: OfferKind
    name: str
    text: str
    named: str = ""
    artifact: ArtifactKind = "file"
    where: str = ""
    pages: tuple[int, int] = (0, 0)
    lines: tuple[int, int] = (0, 0)
    used_utc: str = ""
    marks: tuple[int, ...] = ()
    tokens: int | None = None
    added_tokens: int | None = None
    estimated: bool = False
    attached: bool = False
    in_part: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class CompletionView:
    """The completions for a name being typed, best match first.

    Attributes:
        begun: the typed name that this answers; an answer to another one is late.
        file: the file whose parts are offered, as it is called.
        reading: whether more may come: a folder is being listed, a document read.
    """

    begun: TypedName
    offers: tuple[Offer, ...] = ()
    file: str = ""
    reading: bool = False


class Verdict(NamedTuple):
    """How choosing a completion would affect the next request: by how many tokens it exceeds which limit.

    `rest`: only the part that is not attached yet counts.
    """

    code: VerdictCode = ""
    tokens: int = 0
    rest: bool = False


def verdict_on(offer: Offer, view: EnvelopeView | None) -> Verdict:
    """Whether a completion fits into the current next request."""
    if offer.problem:
        return Verdict("problem")
    if offer.attached:
        return Verdict("attached")
    if offer.added_tokens is None or view is None:
        return Verdict()
    total = view.total_tokens + offer.added_tokens
    if total > view.limit_tokens:
        return Verdict("over", total - view.limit_tokens, offer.in_part)
    if view.threshold_tokens is not None and total > view.threshold_tokens:
        return Verdict("past_trim", total - view.threshold_tokens, offer.in_part)
    return Verdict()
