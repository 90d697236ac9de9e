"""Collects the pieces of a watched body in reading order, and assigns their layers."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from workbench.context.watch.prefix import ReadBefore, Run
from workbench.domain.files.pictures import picture_in
from workbench.domain.message import Image, Role
from workbench.domain.model import CacheLifetime
from workbench.domain.reading.loose_json import table_in, text_in
from workbench.domain.segment import LayerName
from workbench.domain.text import digest_text, repair_text
from workbench.domain.translation import tr
from workbench.domain.watch.request import PieceKind, WatchedPiece

CacheMark = CacheLifetime | Literal[""]
SUMMARY = "summary"
"""Name of a piece that a client wrote in place of what was said before."""

UNSEEN_TEXT = tr("(not in the session file)")
UNSEEN = "unseen"
"""Name of the piece for content that a session file lacks: it has the tokens that nothing else accounts for."""

# A client's own words within a user's message: one tag around everything, or a heading it always writes.
_WRAPPED = re.compile(r"\s*<([a-zA-Z]+(?:[-_ ][a-zA-Z]+)+)>.*</\1>\s*", re.DOTALL)
_HEADED = ("# AGENTS.md instructions", "<system-reminder>", "<INSTRUCTIONS>", "[workbench: ")
_SUMMARISED = (
    "This session is being continued from a previous conversation",
    "Another language model started to solve this problem",
)


def compact(value: object) -> str:
    """A value as compact JSON; equal values give equal texts."""
    return _ENCODER.encode(value)


# Made once: a long request has thousands of calls.
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class Place(NamedTuple):
    """A location in a body, with its role and message number."""

    path: str
    role: Role
    message: int = -1

    def at(self, more: str) -> Place:
        return Place(self.path + more, self.role, self.message)


@dataclass(slots=True, eq=False)
class _Found:
    """A piece whose layer is not known yet; made once and cached, since long requests have thousands."""

    place: Place
    kind: PieceKind
    text: str
    name: str
    call: str
    mark: CacheMark
    image: Image | None
    digest: str
    made: WatchedPiece | None = None

    def piece(self, layer: LayerName) -> WatchedPiece:
        if self.made is None or self.made.layer != layer:
            self.made = self._piece(layer)
        return self.made

    def _piece(self, layer: LayerName) -> WatchedPiece:
        place = self.place
        return WatchedPiece(
            place.path, layer, self.kind, self.text, place.role, place.message, self.name, 0, self.call, self.mark,
            self.image, self.digest,
        )  # fmt: skip


Read = Callable[[Any, str, int, "Pieces"], None]


class Pieces:
    """The pieces of one body; `odd` lists deviations from its protocol."""

    def __init__(self, before: ReadBefore[_Found] | None = None) -> None:
        self._before = before
        self._found: list[_Found] = []
        self._tools: dict[str, str] = {}
        self.odd: list[str] = []

    def add(
        self,
        place: Place,
        kind: PieceKind,
        text: str,
        *,
        name: str = "",
        call: str = "",
        mark: CacheMark = "",
        image: Image | None = None,
    ) -> None:
        """Add a piece; the fields are those of `WatchedPiece`."""
        text, name, call = repair_text(text), repair_text(name), repair_text(call)
        if kind == "call" and call:
            self._tools[call] = name
        elif kind == "result":
            name = name or self._tools.get(call, "")
        if UNSEEN_TEXT in (text, name):
            name = UNSEEN
        told = name if kind in ("call", "tool") else ""
        digest = digest_text(f"{place.role}\0{told}\0{call}\0{image.digest if image else ''}\0{text}")
        self._found.append(_Found(place, kind, text, name, call, mark, image, digest))

    def add_bare(self, place: Place, kind: PieceKind, name: str, mark: CacheMark) -> None:
        """Add a piece of which only the name matters."""
        self._found.append(_Found(place, kind, "", repair_text(name), "", mark, None, ""))

    def add_each(self, name: str, values: Sequence[object], read: Read) -> None:
        """Read the messages of a list, reusing leading ones that were read before."""
        run = Run[_Found]() if self._before is None else self._before.begun(values)
        self._found += run.found
        self._tools |= run.tools()
        self.odd += (words for _, words in run.odd)
        for n in range(len(run.values), len(values)):
            start, odd = len(self._found), len(self.odd)
            read(values[n], f"{name}[{n}]", n, self)
            found = self._found[start:]
            run.odd += ((n, words) for words in self.odd[odd:])
            run.calls += ((n, one.call, one.name) for one in found if one.kind == "call" and one.call)
            run.add(values[n], found, (one.text for one in found if one.text))

    def add_text(self, place: Place, text: str, mark: CacheMark = "") -> None:
        """Add a text of a message: an answer, instructions, a question, or what the client added to it."""
        match place.role:
            case "assistant":
                self.add(place, "answer", text, mark=mark)
            case "system":
                self.add(place, "system", text, mark=mark)
            case "tool":
                self.add(place, "result", text, mark=mark)
            case "user" if text.startswith(_SUMMARISED):
                self.add(place, "reminder", text, mark=mark, name=SUMMARY)
            case _:
                self.add(place, "reminder" if _is_added_by_client(text) else "question", text, mark=mark)

    def add_unknown(self, place: Place, value: object) -> None:
        """Add something of unknown form as JSON, and note it as odd."""
        text = value if isinstance(value, str) else compact(value)
        called = text_in(value, "type") if isinstance(value, Mapping) else type(value).__name__
        self.odd.append(
            tr(
                "{path} is a “{called}”, which is shown as JSON.",
                path=place.path,
                called=called[:40] or tr("nameless part"),
            )
        )
        if place.role == "user":
            self.add(place, "reminder", text)
        else:
            self.add_text(place, text)

    def add_tool(self, path: str, name: str, definition: Mapping[str, Any]) -> None:
        """Add a tool's definition, without its cache mark, which changes nothing that the model reads."""
        bare = {key: value for key, value in definition.items() if key != "cache_control"}
        self.add(Place(path, "system"), "tool", compact(bare), name=name, mark=mark_in(definition))

    def mark_last(self, mark: CacheMark) -> None:
        """Put a cache mark on the newest piece, where the request asks for one without a place."""
        if self._found and mark:
            self._found[-1] = replace(self._found[-1], mark=mark, made=None)

    def keep(self, pieces: Sequence[WatchedPiece]) -> None:
        """Store counted pieces, so that the next request that repeats them has the same objects."""
        for found, piece in zip(self._found, pieces, strict=False):
            found.made = piece

    def all(self) -> tuple[WatchedPiece, ...]:
        """All pieces, each with its layer."""
        layers = layers_of([(one.kind, one.place.message) for one in self._found])
        # Nearly all are there already: asking each of a few thousand would take longer than everything else.
        return tuple(
            [
                made if (made := one.made) is not None and made.layer == layer else one.piece(layer)
                for one, layer in zip(self._found, layers, strict=True)
            ]
        )

    def as_answer(self) -> tuple[WatchedPiece, ...]:
        """All pieces of an answer, which has no layers: they become history with the next request."""
        return tuple(one.piece("L4_STRIP") for one in self._found)


def layers_of(pieces: Sequence[tuple[PieceKind, int]]) -> list[LayerName]:
    """The layers of pieces by kind and message: system and tools, history, the newest user turn."""
    leading = next((n for n, (kind, _) in enumerate(pieces) if kind not in ("tool", "system")), len(pieces))
    newest = _newest_turn(pieces, leading)
    layers: list[LayerName] = ["L1_SYSTEM"] * leading
    layers += ["L4_STRIP"] * (newest - leading)
    layers += ["L5_USER" if kind == "question" else "L3_TURN" for kind, _ in pieces[newest:]]
    return layers


def _newest_turn(pieces: Sequence[tuple[PieceKind, int]], leading: int) -> int:
    """The message in which a user last said something; the last message where none did."""
    last = len(pieces) - 1
    place = next((n for n in range(last, leading - 1, -1) if pieces[n][0] == "question"), last)
    while place > leading and pieces[place - 1][1] == pieces[place][1]:
        place -= 1
    return max(place, leading)


def _is_added_by_client(text: str) -> bool:
    return text.lstrip().startswith(_HEADED) or _WRAPPED.fullmatch(text) is not None


# Parts that several protocols have.


def mark_in(part: Mapping[str, Any]) -> CacheMark:
    """How long a part's cache mark asks to be held; empty where it has none."""
    control = table_in(part, "cache_control")
    if not control:
        return ""
    return "1h" if text_in(control, "ttl") == "1h" else "5m"


def picture_of(encoded: str) -> Image:
    """A base64 picture, identified by its bytes, or by its text where it cannot be decoded."""
    try:
        plain = encoded.partition(",")[2] if encoded.startswith("data:") else encoded
        # Google's own client writes the alphabet for addresses.
        content = base64.b64decode(plain.replace("-", "+").replace("_", "/"))
    except (binascii.Error, ValueError):
        return Image(digest_text(repair_text(encoded)))
    found = picture_in(content)
    digest = hashlib.sha256(content).hexdigest()
    return Image(digest) if found is None else Image(digest, width=found.width, height=found.height)


def picture_at(address: str) -> tuple[str, Image]:
    """A picture and its caption: an address is named, embedded data is not repeated."""
    if address.startswith("data:"):
        return "", picture_of(address)
    return address, Image(digest_text(repair_text(address)))


def arguments_of(value: object) -> str:
    """A call's arguments as text: as written, or an object as compact JSON."""
    return value if isinstance(value, str) else compact({} if value is None else value)
