"""An extractor in this process: text in UTF-8, with pages where there are form feeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.domain.files.attached import CannotAttach, Locked
from workbench.domain.files.document import AS_FOUND, Document, ReadAs, Reading, Section
from workbench.domain.files.pictures import picture_in
from workbench.domain.secrets import Secret

PAGE = b"\x89PNG\r\n\x1a\npage "


class PlainExtractor:
    """UTF-8 as it is → Extractor.

    Attributes:
        asked: the names of what it was asked to read, in order.
        closed: whether it was closed.
    """

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.closed = False

    async def document(
        self, name: str, content: bytes, reading: Reading, password: Secret | None = None
    ) -> Document:
        """The text, a page from one form feed to the next, a section for each line that begins with #."""
        self._open(name)
        content = _unlocked(name, content, password)
        picture = picture_in(content)
        if picture is not None:
            return Document(picture.described, ReadAs("image", chosen=reading))
        encoding = reading.encoding or "utf-8"
        try:
            text = content.decode(encoding)
        except (UnicodeError, LookupError):
            raise CannotAttach(name, f"it is no text in {encoding}", "Choose another encoding.") from None
        if "\0" in text:
            raise CannotAttach(name, "it is not text", "Attach another file.")
        pages = _pages(text) if "\f" in text else ()
        read_as = ReadAs(reading.kind or "text", encoding, len(pages), chosen=reading)
        return Document(text, read_as, _headings(text), pages)

    async def documents(self, files: Sequence[tuple[str, bytes]]) -> tuple[Document | CannotAttach, ...]:
        """Each file as `document` reads it."""
        found: list[Document | CannotAttach] = []
        for name, content in files:
            try:
                found.append(await self.document(name, content, AS_FOUND))
            except CannotAttach as refusal:
                found.append(refusal)
        return tuple(found)

    async def page_pictures(
        self, name: str, content: bytes, pages: tuple[int, int], password: Secret | None = None
    ) -> tuple[tuple[int, bytes], ...]:
        """Bytes that say which page they are."""
        self._open(name)
        first, last = pages
        content = _unlocked(name, content, password)
        there = content.count(b"\f") + 1
        found = tuple((one, PAGE + str(one).encode()) for one in range(first, min(last, there) + 1))
        if not found:
            raise CannotAttach(name, f"it has {there} pages", "Choose pages that are there.")
        return found

    async def smaller_picture(self, content: bytes, most_bytes: int, longest_side: int) -> bytes:
        """The same bytes; a picture that is over a limit is refused."""
        self._open("the picture")
        picture = picture_in(content)
        if picture is None or len(content) > most_bytes or max(picture.width, picture.height) > longest_side:
            raise CannotAttach("the picture", "it is no picture within the limits", "Attach a smaller one.")
        return content

    async def close(self) -> None:
        """Nothing runs; what is asked afterwards is refused."""
        self.closed = True

    def _open(self, name: str) -> None:
        self.asked.append(name)
        if self.closed:
            raise CannotAttach(name, "the program is closing", "Attach it again when the program runs.")


def _unlocked(name: str, content: bytes, password: Secret | None) -> bytes:
    """A file whose first line is `locked WORD` is opened by that word."""
    first, _, rest = content.partition(b"\n")
    if not first.startswith(b"locked "):
        return content
    if password is None or first != b"locked " + password.reveal():
        raise Locked(name, "it is locked", "Give its password, or save it without one.")
    return rest


def _pages(text: str) -> tuple[Section, ...]:
    found: list[Section] = []
    place = 0
    for number, page in enumerate(text.split("\f"), 1):
        end = min(len(text), place + len(page) + 1)
        found.append(Section(f"p{number}", f"page {number}", 1, place, end, number, number))
        place = end
    return tuple(found)


def _headings(text: str) -> tuple[Section, ...]:
    found: list[Section] = []
    place = 0
    for line in text.splitlines(keepends=True):
        if line.startswith("#"):
            title = line.strip("# \n")
            found = [replace(one, end=min(one.end, place)) for one in found]
            found.append(Section(title.replace(" ", "-"), title, 1, place, len(text)))
        place += len(line)
    return tuple(found)
