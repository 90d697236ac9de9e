"""PDF files written by hand: every byte of them is known, the wrong ones too."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

PADDING = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
# A picture of one white dot, in the page itself.
PICTURE = b"\nq 50 0 0 50 100 100 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \xff EI Q"


@dataclass(frozen=True)
class Bookmark:
    """A line of the outline: where it points to, and those below it."""

    title: str
    page: int
    below: tuple[Bookmark, ...] = ()


@dataclass(frozen=True)
class Style:
    """How pages are written: the font's name and encoding; or by a map from codes to Unicode; packed or not."""

    font: str = "Helvetica"
    encoding: str = "WinAnsiEncoding"
    codec: str = "cp1252"
    unicode_map: bool = False
    packed: bool = False


class PdfFile:
    """Objects by number, written one after the other with a table of where they are."""

    def __init__(self) -> None:
        self.objects: list[bytes] = []

    def add(self, content: bytes = b"") -> int:
        """A new object; its number."""
        self.objects.append(content)
        return len(self.objects)

    def set(self, number: int, content: bytes) -> None:
        """What an object is."""
        self.objects[number - 1] = content

    def stream(self, content: bytes, entries: bytes = b"") -> bytes:
        """An object that carries bytes."""
        return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), entries, content)

    def written(self, root: int, trailer: bytes = b"") -> bytes:
        """The file."""
        out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
        places = []
        for number, content in enumerate(self.objects, 1):
            places.append(len(out))
            out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
        start = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(self.objects) + 1)
        for place in places:
            out += b"%010d 00000 n \n" % place
        out += b"trailer\n<< /Size %d /Root %d 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (
            len(self.objects) + 1, root, trailer, start,
        )  # fmt: skip
        return bytes(out)


def made_pdf(
    pages: Sequence[str],
    bookmarks: Sequence[Bookmark] = (),
    style: Style | None = None,
    password: str | None = None,
    drawn: frozenset[int] = frozenset(),
) -> bytes:
    """Pages of text, line by line; a drawing on those named; with a password where there is one (empty: for owners)."""
    style = style or Style()
    file = PdfFile()
    root, tree, font = file.add(), file.add(), file.add()
    file.set(font, _font(file, style, "".join(pages)))
    numbers = []
    for index, text in enumerate(pages):
        content = _content(text, style)
        if index + 1 in drawn:
            content += b"\n0.5 g 100 100 200 200 re f" if not text else PICTURE
        body = file.add(_stream(file, content, style))
        numbers.append(
            file.add(
                b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
                b"/Resources << /Font << /F1 %d 0 R >> >> >>" % (tree, body, font)
            )
        )
    kids = b" ".join(b"%d 0 R" % one for one in numbers)
    file.set(tree, b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(numbers)))
    outline = _outline(file, bookmarks, numbers)
    file.set(root, b"<< /Type /Catalog /Pages %d 0 R %s >>" % (tree, outline))
    if password is None:
        return file.written(root)
    return _encrypted(file, root, password)


def _stream(file: PdfFile, content: bytes, style: Style) -> bytes:
    if style.packed:
        return file.stream(zlib.compress(content), b"/Filter /FlateDecode")
    return file.stream(content)


def _content(text: str, style: Style) -> bytes:
    if not text:
        return b""
    lines = []
    for line in text.split("\n"):
        if style.unicode_map:
            lines.append(b"<%s> Tj T*" % line.encode("utf-16-be").hex().encode())
        else:
            written = (
                line.encode(style.codec).replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
            )
            lines.append(b"(%s) Tj T*" % written)
    return b"BT /F1 11 Tf 14 TL 50 800 Td\n" + b"\n".join(lines) + b"\nET"


def _font(file: PdfFile, style: Style, letters: str) -> bytes:
    if not style.unicode_map:
        return b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /%s >>" % (
            style.font.encode(), style.encoding.encode(),
        )  # fmt: skip
    codes = sorted(
        {letters.encode("utf-16-be")[place : place + 2] for place in range(0, 2 * len(letters), 2)}
    )
    mapped = b"\n".join(b"<%s> <%s>" % (code.hex().encode(), code.hex().encode()) for code in codes)
    to_unicode = file.add(
        file.stream(
            b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def\n"
            b"1 begincodespacerange <0000> <FFFF> endcodespacerange\n"
            b"%d beginbfchar\n%s\nendbfchar\nendcmap end end" % (len(codes), mapped)
        )
    )
    described = file.add(
        b"<< /Type /FontDescriptor /FontName /Made /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 "
        b"/Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>"
    )
    below = file.add(
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Made /CIDSystemInfo << /Registry (Adobe) /Ordering "
        b"(Identity) /Supplement 0 >> /FontDescriptor %d 0 R /DW 600 >>" % described
    )
    return (
        b"<< /Type /Font /Subtype /Type0 /BaseFont /Made /Encoding /Identity-H /DescendantFonts [%d 0 R] "
        b"/ToUnicode %d 0 R >>" % (below, to_unicode)
    )


def _outline(file: PdfFile, bookmarks: Sequence[Bookmark], pages: Sequence[int]) -> bytes:
    if not bookmarks:
        return b""
    root = file.add()
    first, last = _lines(file, bookmarks, root, pages)
    file.set(root, b"<< /Type /Outlines /First %d 0 R /Last %d 0 R >>" % (first, last))
    return b"/Outlines %d 0 R" % root


def _lines(file: PdfFile, marks: Sequence[Bookmark], parent: int, pages: Sequence[int]) -> tuple[int, int]:
    numbers = [file.add() for _ in marks]
    for place, (mark, number) in enumerate(zip(marks, numbers, strict=True)):
        entries = [
            b"/Title <feff%s>" % mark.title.encode("utf-16-be").hex().encode(), b"/Parent %d 0 R" % parent,
        ]  # fmt: skip
        if mark.page <= len(pages):
            entries.append(b"/Dest [%d 0 R /Fit]" % pages[mark.page - 1])
        if place:
            entries.append(b"/Prev %d 0 R" % numbers[place - 1])
        if place + 1 < len(numbers):
            entries.append(b"/Next %d 0 R" % numbers[place + 1])
        if mark.below:
            entries.append(b"/First %d 0 R /Last %d 0 R" % _lines(file, mark.below, number, pages))
        file.set(number, b"<< %s >>" % b" ".join(entries))
    return numbers[0], numbers[-1]


# The oldest way of encrypting a PDF (RC4 with 40 bits): that it is one is what counts.


def _encrypted(file: PdfFile, root: int, password: str) -> bytes:
    mark = b"0123456789abcdef"
    owner = _rc4(hashlib.md5(_padded("owner")).digest()[:5], _padded(password))
    key = hashlib.md5(_padded(password) + owner + (-4 & 0xFFFFFFFF).to_bytes(4, "little") + mark).digest()[:5]
    user = _rc4(key, PADDING)
    for number, content in enumerate(file.objects, 1):
        head, begin, rest = content.partition(b"\nstream\n")
        if begin:
            body = rest.removesuffix(b"\nendstream")
            own = hashlib.md5(key + number.to_bytes(3, "little") + b"\0\0").digest()[:10]
            file.set(number, head + begin + _rc4(own, body) + b"\nendstream")
    encrypt = file.add(
        b"<< /Filter /Standard /V 1 /R 2 /O <%s> /U <%s> /P -4 >>"
        % (owner.hex().encode(), user.hex().encode())
    )
    hexed = mark.hex().encode()
    return file.written(root, b"/Encrypt %d 0 R /ID [<%s> <%s>]" % (encrypt, hexed, hexed))


def _padded(password: str) -> bytes:
    return (password.encode("latin-1") + PADDING)[:32]


def _rc4(key: bytes, content: bytes) -> bytes:
    state = list(range(256))
    other = 0
    for place in range(256):
        other = (other + state[place] + key[place % len(key)]) % 256
        state[place], state[other] = state[other], state[place]
    out = bytearray()
    place = other = 0
    for byte in content:
        place = (place + 1) % 256
        other = (other + state[place]) % 256
        state[place], state[other] = state[other], state[place]
        out.append(byte ^ state[(state[place] + state[other]) % 256])
    return bytes(out)


# Files that are made to do harm.


def looping_pages() -> bytes:
    """A page tree whose nodes hold one another."""
    file = PdfFile()
    root, first, second = file.add(), file.add(), file.add()
    file.set(root, b"<< /Type /Catalog /Pages %d 0 R >>" % first)
    file.set(first, b"<< /Type /Pages /Kids [%d 0 R %d 0 R] /Count 4 >>" % (second, first))
    file.set(second, b"<< /Type /Pages /Kids [%d 0 R] /Count 4 /Parent %d 0 R >>" % (first, first))
    return file.written(root)


def many_pages(count: int) -> bytes:
    """A page tree that says it has far more pages than there are."""
    file = PdfFile()
    root, tree, page = file.add(), file.add(), file.add()
    file.set(root, b"<< /Type /Catalog /Pages %d 0 R >>" % tree)
    file.set(tree, b"<< /Type /Pages /Kids [%d 0 R] /Count %d >>" % (page, count))
    file.set(page, b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 100 100] >>" % tree)
    return file.written(root)


def bomb(megabytes: int, times: int = 1) -> bytes:
    """A page whose content is that much when it is unpacked, packed so many times over."""
    packed = zlib.compress(b"(x) Tj " + b" " * megabytes * 1024 * 1024, 1)
    for _ in range(times - 1):
        packed = zlib.compress(packed, 1)
    file = PdfFile()
    root, tree, page = file.add(), file.add(), file.add()
    filters = b"/Filter [%s]" % b" ".join([b"/FlateDecode"] * times)
    body = file.add(file.stream(packed, filters))
    file.set(root, b"<< /Type /Catalog /Pages %d 0 R >>" % tree)
    file.set(tree, b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % page)
    file.set(
        page, b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 100 100] /Contents %d 0 R >>" % (tree, body)
    )
    return file.written(root)


def nested(depth: int) -> bytes:
    """A catalogue with arrays in arrays."""
    file = PdfFile()
    root, tree = file.add(), file.add()
    file.set(root, b"<< /Type /Catalog /Pages %d 0 R /X %s%s >>" % (tree, b"[" * depth, b"]" * depth))
    file.set(tree, b"<< /Type /Pages /Kids [] /Count 0 >>")
    return file.written(root)


def looping_bookmarks() -> bytes:
    """An outline whose last line is followed by its first."""
    whole = made_pdf(["Alpha", "Beta"], [Bookmark("One", 1), Bookmark("Two", 2)])
    at = whole.index(b"/Next")
    number = whole[at + 6 : whole.index(b" 0 R", at)]
    return whole.replace(b"/Next " + number + b" 0 R", b"/Next " + b"%d" % (int(number) - 1) + b" 0 R")
