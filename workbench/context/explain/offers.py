"""What can be offered while a name is typed behind an @, and which of it fits best.

Nothing is offered that the message could not name: what is taken from the list is found again by its words.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.context.text.mentions import COMMANDS, can_be_named, mention_text
from workbench.domain.files.attached import FolderList
from workbench.domain.files.attachment import Artifact
from workbench.domain.matching import TITLE_FIRST, letters_in
from workbench.domain.record import Chat
from workbench.domain.shown.completion_view import Offer, OfferKind

MOST_OFFERS = 60
CHAT = "chat:"
_MOST_ATTACHED_FIRST, _MOST_CHATS_FIRST = 20, 10
_RANKS: dict[OfferKind, int] = {"command": 0, "attached": 1, "part": 1, "file": 2, "chat": 3, "whole": 4}
_IDS_CHARS = 6


@dataclass(frozen=True, slots=True)
class Held:
    """Something attached, and which part of which file it is; `whole`, `whole_told` are the file's key and name."""

    artifact: Artifact
    whole: str
    whole_told: str
    anchor: str = ""
    place: str = ""


def command_offers() -> tuple[Offer, ...]:
    """The commands that a message may carry."""
    return tuple(Offer("command", f"@{one}", f"@{one}") for one in COMMANDS)


def attached_offers(held: Sequence[Held]) -> Iterator[Offer]:
    """What is attached, and files of which only parts are."""
    for one in held:
        if can_be_named(one.artifact.told):
            yield _attached(one)
    wholes = {one.artifact.key for one in held}
    for one in held:
        if one.anchor and one.place and one.whole not in wholes and can_be_named(one.whole_told):
            wholes.add(one.whole)
            yield replace(_file(one.whole_told), in_part=True, artifact=one.artifact.kind)


def _attached(one: Held) -> Offer:
    artifact, told = one.artifact, one.artifact.told
    folder, _, name = told.rpartition("/")
    if artifact.title or artifact.kind in ("url", "note"):
        folder, name = "", artifact.title or told
    return Offer("attached", name, mention_text(told), told, artifact.kind, folder, attached=True)


def file_offers(listed: FolderList, folder: str = "") -> tuple[Offer, ...]:
    """The files of the workspace; of another folder, under that folder's own name."""
    front = f"{folder}/" if folder else ""
    named = (f"{front}{one.path}" for one in listed.files)
    return tuple(_file(name) for name in named if can_be_named(name))


def _file(named: str) -> Offer:
    folder, _, name = named.rpartition("/")
    return Offer("file", name, mention_text(named), named, where=folder)


def chat_names(chats: Iterable[Chat], own: str) -> dict[str, Chat]:
    """What other chats are called behind an @; of several with one title, each has a piece of its id behind it."""
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
    """The title in one line, without quotes, which would end the name."""
    return " ".join(chat.title.replace('"', "'").replace("`", "'").split())[:200].strip()


def chat_offers(named: dict[str, Chat]) -> Iterator[Offer]:
    """Other chats by their titles."""
    for name, chat in named.items():
        yield Offer("chat", name[len(CHAT) :], mention_text(name), name, "note", used_utc=chat.used_utc)


def each_once(offers: Iterable[Offer], taken: Iterable[str] = ()) -> tuple[Offer, ...]:
    """Of several that would be written alike only the first: that is the one which the words would mean."""
    found: dict[str, Offer] = {}
    left_out = set(taken)
    for offer in offers:
        if offer.text not in left_out:
            found.setdefault(offer.text, offer)
    return tuple(found.values())


def ranked(typed: str, offers: Iterable[Offer], most: int = MOST_OFFERS) -> tuple[Offer, ...]:
    """Those that fit what was typed, best first; where nothing was, some of each kind."""
    wanted = typed.strip()
    if not wanted:
        return _some_of_each(offers, most)
    found = (fit for offer in offers if (fit := _fit(wanted, offer)) is not None)
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


def _fit(typed: str, offer: Offer) -> tuple[int, Offer] | None:
    """By its name, which counts most, else by where it lies."""
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
