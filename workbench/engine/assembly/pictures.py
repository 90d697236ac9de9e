"""Pictures of open chats: read in a thread, cached by digest, shared by what is shown and what is sent."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from workbench.domain.files.attached import AttachedPicture
from workbench.domain.files.pictures import picture_in
from workbench.domain.memo import ByIdentity, Memo
from workbench.domain.message import Entry, Image, Message
from workbench.domain.record import Snapshot
from workbench.domain.request import Picture
from workbench.domain.shown.attachment_view import ShownPicture
from workbench.engine.conversation import Conversation
from workbench.ports.history import HistoryStore

Versions = tuple[tuple[str, str], ...]
"""Which pictures are attached, by key and digest: another file under the same name is another version."""


@dataclass(frozen=True)
class ChatPictures:
    """The known pictures of a chat at one moment.

    Attributes:
        newest: the picture that each attached key stands for now.
        found: the bytes by digest, those of earlier messages included.
    """

    newest: Mapping[str, Image] = field(default_factory=dict)
    found: Mapping[str, Picture] = field(default_factory=dict)
    _memo: Memo = field(default_factory=Memo, compare=False, repr=False)

    def shown(self) -> dict[str, ShownPicture]:
        return {
            key: ShownPicture(
                self.found[image.digest].content, image.digest, image.width or 0, image.height or 0
            )
            for key, image in self.newest.items()
            if image.digest in self.found
        }

    def asked(self, conversation: Conversation, question: Message) -> Message:
        """The question with attached pictures; one that the conversation contains already is not sent again."""
        if not self.newest:
            return question
        history, attached = conversation.history, conversation.attached
        fresh = self._memo.cached(
            "fresh", (ByIdentity(history), ByIdentity(attached)), lambda: self._fresh(conversation)
        )
        own = digests_in((question,))
        added = tuple(image for image in fresh if image.digest not in own)
        return replace(question, images=(*question.images, *added)) if added else question

    def _fresh(self, conversation: Conversation) -> tuple[Image, ...]:
        seen = digests_in(conversation.history)
        images = [self.newest[one.key] for one in conversation.attached if one.key in self.newest]
        return tuple(image for image in dict.fromkeys(images) if image.digest not in seen)


@dataclass(frozen=True, slots=True)
class _PictureCache:
    """Pictures read for a chat, and digests looked for, so that missing ones are not looked for again."""

    pictures: ChatPictures
    versions: Versions
    sought: frozenset[str]


class PictureShelves:
    """A picture cache per chat, filled when attachments or messages change; a keystroke only reads it."""

    def __init__(self) -> None:
        self._shelves: dict[str, _PictureCache] = {}
        self._filling = asyncio.Lock()

    def of(self, chat: str) -> ChatPictures:
        return self._shelves[chat].pictures if chat in self._shelves else _NONE

    def forget(self, chat: str) -> None:
        self._shelves.pop(chat, None)

    async def fill(
        self, conversation: Conversation, store: HistoryStore, also: Iterable[Entry] = ()
    ) -> ChatPictures:
        """Load the pictures of a conversation, and of further messages."""
        chat = conversation.id
        keys = [artifact.key for artifact in conversation.attached if artifact.kind == "image"]
        wanted = digests_in((*conversation.history, *also))
        if not keys and not wanted and chat not in self._shelves:
            return _NONE
        # One after the other: what was read first must not be held last.
        async with self._filling:
            held = self._shelves.get(chat)
            versions = await _versions(keys, chat, store)
            if held is None or held.versions != versions or not wanted <= held.sought:
                held = self._shelves[chat] = await _read(chat, versions, wanted, held, store)
        return held.pictures


def digests_in(entries: Iterable[Entry]) -> frozenset[str]:
    """Digests of the pictures in messages."""
    return frozenset(
        image.digest for entry in entries if isinstance(entry, Message) for image in entry.images
    )


_NONE = ChatPictures()


async def _versions(keys: Sequence[str], chat: str, store: HistoryStore) -> Versions:
    """Stored versions of pictures by key; a pasted one has its digest in its key, a file may have several."""
    copies = {copy.key: copy.sha256 for copy in await store.copies(chat)} if keys else {}
    return tuple((key, copies.get(key, "")) for key in keys)


async def _read(
    chat: str, versions: Versions, wanted: frozenset[str], held: _PictureCache | None, store: HistoryStore
) -> _PictureCache:
    snapshots = [one for one in await store.snapshots(chat) if one.artifact.kind == "image"]
    taken = await asyncio.to_thread(_recognised, snapshots)
    keys = {key for key, _ in versions}
    newest = {key: image for key, image, _ in taken if key in keys}
    # What an answer on its way was sent with stays, whatever is detached meanwhile.
    found = {} if held is None else dict(held.pictures.found)
    found |= {image.digest: picture for _, image, picture in taken}
    sought = wanted if held is None else wanted | held.sought
    return _PictureCache(ChatPictures(newest, found), versions, sought)


def _image(taken: Snapshot, shown: AttachedPicture, digest: str) -> Image:
    """The image of a snapshot; its token price follows from its size, by each model's rule."""
    return Image(digest, width=shown.width, height=shown.height, source=taken.artifact.key)


def _recognised(snapshots: Sequence[Snapshot]) -> list[tuple[str, Image, Picture]]:
    """Key, image and bytes of each; runs in a thread, since digests of large pictures take a while."""
    taken = []
    for one in snapshots:
        shown = picture_in(one.content)
        if shown is not None:
            digest = hashlib.sha256(one.content).hexdigest()
            picture = Picture(shown.media_type, one.content)
            taken.append((one.artifact.key, _image(one, shown, digest), picture))
    return taken
