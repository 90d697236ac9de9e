"""Completions for a name typed after @, and their ranking.

Only names that can be written in a message are offered, so that a chosen one is found again in its text.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.context.text.at_commands import COMMANDS, can_be_named, mention_text
from workbench.domain.files.attached import FolderList
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.document import Document, Section
from workbench.domain.files.document_parts import find_section
from workbench.domain.record import Chat
from workbench.domain.search_words import TITLE_FIRST, letters_in
from workbench.domain.shown.completion_view import Offer, OfferKind

MOST_OFFERS = 60
CHAT = "chat:"
_MOST_ATTACHED_FIRST, _MOST_CHATS_FIRST = 20, 10
_RANKS: dict[OfferKind, int] = {"command": 0, "attached": 1, "part": 1, "file": 2, "chat": 3, "whole": 4}
_IDS_CHARS = 6


@dataclass(frozen=True, slots=True)
class Held:
    """An attachment, and which part of which file it is; `whole`, `whole_told` are the file's key and name."""

    artifact: Artifact
    whole: str
    whole_told: str
    anchor: str = ""
    place: str = ""


def command_offers() -> tuple[Offer, ...]:
    """The commands that a message may contain."""
    return tuple(Offer("command", f"@{one}", f"@{one}") for one in COMMANDS)


def attached_offers(held: Sequence[Held]) -> Iterator[Offer]:
    """Offers for attachments, and for files of which only parts are attached."""
    for one in held:
        if can_be_named(one.artifact.name_for_model):
            yield _attached(one)
    wholes = {one.artifact.key for one in held}
    for one in held:
        if one.anchor and one.place and one.whole not in wholes and can_be_named(one.whole_told):
            wholes.add(one.whole)
            yield replace(_file(one.whole_told), in_part=True, artifact=one.artifact.kind)


def _attached(one: Held) -> Offer:
    artifact, told = one.artifact, one.artifact.name_for_model
    folder, _, name = told.rpartition("/")
    if artifact.title or artifact.kind in ("url", "note"):
        folder, name = "", artifact.title or told
    return Offer("attached", name, mention_text(told), told, artifact.kind, folder, attached=True)


def file_offers(listed: FolderList, folder: str = "") -> tuple[Offer, ...]:
    """Offers for the workspace's files, or for those of another folder under its name."""
    front = f"{folder}/" if folder else ""
    named = (f"{front}{one.path}" for one in listed.files)
    return tuple(_file(name) for name in named if can_be_named(name))


def _file(named: str) -> Offer:
    folder, _, name = named.rpartition("/")
    return Offer("file", name, mention_text(named), named, where=folder)


def chat_names(chats: Iterable[Chat], own: str) -> dict[str, Chat]:
    """Other chats by the name to type after @; equal titles get a piece of the chat's id."""
    titled = [chat for chat in chats if chat.id != own and chat.deleted_utc is None and _title(chat)]
    found: dict[str, Chat] = {}
    for chat in titled:
        title = _title(chat)
        twice = sum(_title(other) == title for other in titled) > 1
        name = f"{CHAT}{title} ~{chat.id[-_IDS_CHARS:]}" if twice else f"{CHAT}{title}"
        if can_be_named(name):
            found.setdefault(name, chat)
    return found


def _title(chat: Chat) -> str:
    """The title on one line, without quotes, which would end the name."""
    return " ".join(chat.title.replace('"', "'").replace("`", "'").split())[:200].strip()


def chat_offers(named: dict[str, Chat]) -> Iterator[Offer]:
    """Other chats by their titles."""
    for name, chat in named.items():
        yield Offer("chat", name[len(CHAT) :], mention_text(name), name, "note", used_utc=chat.used_utc)


def each_once(offers: Iterable[Offer], taken: Iterable[str] = ()) -> tuple[Offer, ...]:
    """Offers without duplicates: of several with the same text, the first, which that text refers to."""
    found: dict[str, Offer] = {}
    left_out = set(taken)
    for offer in offers:
        if offer.text not in left_out:
            found.setdefault(offer.text, offer)
    return tuple(found.values())


def ranked(typed: str, offers: Iterable[Offer], most: int = MOST_OFFERS) -> tuple[Offer, ...]:
    """The offers that match what was typed, best first; for an empty text, some of each kind."""
    wanted = typed.strip()
    if not wanted:
        return _some_of_each(offers, most)
    found = (fit for offer in offers if (fit := _match(wanted, offer)) is not None)
    best = heapq.nsmallest(
        most, found, key=lambda fit: (-fit[0], _RANKS[fit[1].kind], len(fit[1].text), fit[1].text)
    )
    return tuple(offer for _, offer in best)


def _some_of_each(offers: Iterable[Offer], most: int) -> tuple[Offer, ...]:
    groups: dict[OfferKind, list[Offer]] = {}
    for offer in offers:
        groups.setdefault(offer.kind, []).append(offer)
    first = [*groups.get("command", ()), *groups.get("attached", ())[:_MOST_ATTACHED_FIRST]]
    chats = groups.get("chat", [])[:_MOST_CHATS_FIRST]
    files = groups.get("file", [])[: max(0, most - len(first) - len(chats))]
    return (*first, *files, *chats)


def _match(typed: str, offer: Offer) -> tuple[int, Offer] | None:
    """An offer's match by its name, which counts most, else by its folder."""
    named = offer.named or offer.name
    plain = typed.removeprefix(CHAT) if offer.kind == "chat" else typed
    name = offer.name.removeprefix("@") if offer.kind == "command" else offer.name
    by_name = letters_in(plain, name)
    if by_name is not None:
        shift = len(offer.name) - len(name)
        marks = tuple(place + shift for place in by_name[1])
        whole = TITLE_FIRST if len(plain) == len(name) else 0
        return by_name[0] + TITLE_FIRST + whole, replace(offer, marks=marks)
    by_path = letters_in(typed, named)
    return None if by_path is None else (by_path[0], offer)


# Completions for the parts of one file: what is typed behind #.


BLOCK_LINES = 100
MOST_BLOCKS = 2_000


def listed_parts(document: Document) -> tuple[Section, ...]:
    """Every part of a document that can be chosen, each before those within it."""
    if document.sections or document.pages:
        return tuple(_with_pages(document.sections, document.pages))
    return tuple(_blocks(document.text))


def _with_pages(sections: Sequence[Section], pages: Sequence[Section]) -> Iterator[Section]:
    """The sections with each page under the deepest heading open at its start."""
    left = list(pages)
    open_level = 0
    for section in sections:
        while left and left[0].start < section.start:
            yield _below(left.pop(0), open_level)
        yield section
        open_level = section.level
    for page in left:
        yield _below(page, open_level)


def _below(page: Section, level: int) -> Section:
    return replace(page, level=level + 1)


def _blocks(text: str) -> Iterator[Section]:
    """Blocks of lines, longer in a very long text; none where a single block would be all of it."""
    lines = text.count("\n") + (not text.endswith("\n"))
    size = max(BLOCK_LINES, -(-lines // MOST_BLOCKS))
    if lines <= size:
        return
    place = 0
    for first in range(1, lines + 1, size):
        last = min(first + size - 1, lines)
        end = place
        for _ in range(last - first + 1):
            end = text.find("\n", end) + 1 or len(text)
        yield Section(f"L{first}-{last}", f"lines {first:,}–{last:,}", 1, place, end)
        place = end


MOST_PARTS = 400
_RANGE = re.compile(r"(?:p\d+|L\d+)(?:-L?\d+)?")


def part_offers(told: str, document: Document, typed: str) -> tuple[Offer, ...]:
    """The parts that match what was typed after #, best first, the whole file last; a range is one offer."""
    exact = find_section(document, typed) if _RANGE.fullmatch(typed) else None
    if exact is not None and "-" in typed:
        return tuple(_parts(told, document, (exact,)))
    sections = listed_parts(document)
    if exact is not None:
        sections = (exact, *(one for one in sections if one.anchor != exact.anchor))
    offers = list(_parts(told, document, sections[:MOST_PARTS]))
    if typed.strip():
        first = [offer for offer in offers if exact is not None and offer.named.endswith(f"#{exact.anchor}")]
        offers = list(each_once((*first, *ranked(typed, offers))))
    whole = Offer(
        "whole", told, mention_text(told), told, pages=(1, document.read_as.pages) if document.pages else (0, 0),
        lines=(1, _lines(document.text)),
    )  # fmt: skip
    return (*offers, whole) if offers or not typed.strip() else ()


def _parts(told: str, document: Document, sections: Sequence[Section]) -> Iterator[Offer]:
    line, place = 1, 0
    for one in sorted(sections, key=lambda section: section.start) if len(sections) > 1 else sections:
        line, place = line + document.text.count("\n", place, one.start), one.start
        named = f"{told}#{one.anchor}"
        if can_be_named(named):
            last = line + document.text.count("\n", one.start, max(one.start, one.end - 1))
            yield Offer(
                "part",
                one.title,
                mention_text(named),
                named,
                pages=(one.first_page, one.last_page),
                lines=(line, last),
            )


def _lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n"))


def covered(
    offer_span: tuple[int, int], held: Sequence[Held], document: Document
) -> tuple[bool, tuple[Held, ...]]:
    """Whether a span of a file is attached already, and else which attached parts lie within it."""
    start, end = offer_span
    within: list[Held] = []
    for one in held:
        found = find_section(document, one.anchor) if one.anchor else None
        if not one.anchor or (found is not None and found.start <= start and end <= found.end):
            return True, ()
        if found is not None and start <= found.start and found.end <= end:
            within.append(one)
    return False, tuple(within)
