"""Pictures and texts that came with a message, kept as they were: from the file itself, or from beside it."""

from __future__ import annotations

import base64
import binascii
import hashlib

from workbench.domain.files.attached import MOST_ATTACHED_BYTES
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.pictures import picture_in
from workbench.domain.message import Image
from workbench.domain.record import Snapshot
from workbench.domain.text import repair_text
from workbench.domain.translation import tr
from workbench.engine.exchange.beside import Beside
from workbench.engine.exchange.imported import Losses

FILE, PICTURE = tr("attached file"), "picture"
_UNNAMED = tr("pasted text")
_LONGEST_NAME = 200


def in_data_url(url: object) -> bytes | None:
    """The bytes that an address holds itself."""
    if not isinstance(url, str) or not url.startswith("data:") or ";base64," not in url[:100]:
        return None
    try:
        return base64.b64decode(url.partition(",")[2], validate=True)
    except (binascii.Error, ValueError):
        return None


class KeptFiles:
    """What the messages of one chat had with them; what cannot be kept is counted. `beside` are files to look in."""

    def __init__(self, chat: str, beside: Beside, lost: Losses) -> None:
        self._chat, self.beside, self._lost = chat, beside, lost
        self._taken: dict[str, Snapshot] = {}

    def snapshots(self) -> tuple[Snapshot, ...]:
        """Everything that was kept."""
        return tuple(self._taken.values())

    def picture(self, content: bytes | None, when_utc: str) -> Image | None:
        """A picture for a message; None, and counted, where these bytes are none."""
        shown = picture_in(content) if content else None
        if content is None or shown is None or len(content) > MOST_ATTACHED_BYTES:
            self._lost.left_out[PICTURE] += 1
            return None
        digest = hashlib.sha256(content).hexdigest()
        key = f"picture:{digest[:12]}"
        artifact = Artifact(key, "image", shown.described, recoverable=False)
        self._taken.setdefault(key, Snapshot(self._chat, artifact, when_utc, content))
        return Image(digest, width=shown.width, height=shown.height, source=key)

    def text(self, name: object, text: str, when_utc: str) -> str:
        """A text that was attached; the key it has now."""
        called = " ".join(repair_text(name).split())[:_LONGEST_NAME] if isinstance(name, str) else ""
        key, number, said = called or _UNNAMED, 1, repair_text(text)
        while key in self._taken and self._taken[key].artifact.text != said:
            number += 1
            key = f"{called or _UNNAMED} ({number})"
        self._taken.setdefault(
            key, Snapshot(self._chat, Artifact(key, "file", said), when_utc, said.encode())
        )
        return key

    def found(self, places: tuple[object, ...], name: object, when_utc: str) -> Image | str | None:
        """A file by the names it may have beside: a picture, or the key of its text; None, and counted, otherwise."""
        contents = (self.beside.find(one) for one in places if isinstance(one, str))
        content = next((one for one in contents if one is not None), None)
        if content is None:
            self._lost.left_out[FILE] += 1
            return None
        if picture_in(content) is not None:
            return self.picture(content, when_utc)
        try:
            if b"\0" in content:
                raise UnicodeDecodeError("utf-8", content, 0, 1, "binary")
            return self.text(name, content.decode("utf-8-sig"), when_utc)
        except UnicodeDecodeError:
            self._lost.left_out[tr("{file} that is not text", file=FILE)] += 1
            return None
