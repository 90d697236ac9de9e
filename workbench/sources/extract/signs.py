"""Recognises what a file is, by its content first; its name only tells kinds of plain text apart."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable
from functools import cached_property
from io import BytesIO
from pathlib import PurePath

from workbench.domain.files.pictures import picture_in
from workbench.domain.reading.loose_json import parsed
from workbench.domain.translation import tr
from workbench.sources.extract.refusal import Unreadable, broken

_PICTURES = (
    tr("a picture of a kind that models are not sent"),
    tr("Save it as PNG or JPEG, and attach that."),
)
_ARCHIVE = tr("Unpack it, and attach the files in it.")
_PROGRAM = tr("Attach its source, or what it says.")
_MEDIA = tr("Attach a text of it.")
_OTHER = tr("Attach a text of it, or save it in another format.")
_OFFICE = tr("Save it in the newer format (.docx, .xlsx or .pptx) or as PDF, and attach that.")

_MAGIC: tuple[tuple[int, bytes, str, str], ...] = (
    (0, b"\x7fELF", "a program", _PROGRAM),
    (0, b"MZ", tr("a program for Windows"), _PROGRAM),
    (0, b"\xca\xfe\xba\xbe", "a program", _PROGRAM),
    (0, b"\xcf\xfa\xed\xfe", tr("a program for macOS"), _PROGRAM),
    (0, b"\xce\xfa\xed\xfe", tr("a program for macOS"), _PROGRAM),
    (0, b"\0asm", tr("a WebAssembly program"), _PROGRAM),
    (0, b"SQLite format 3\0", tr("an SQLite database"), tr("Export the tables as CSV, and attach those.")),
    (0, b"\x1f\x8b", tr("a gzip archive"), _ARCHIVE),
    (0, b"BZh", tr("a bzip2 archive"), _ARCHIVE),
    (0, b"\xfd7zXZ\0", tr("an xz archive"), _ARCHIVE),
    (0, b"\x28\xb5\x2f\xfd", tr("a zstd archive"), _ARCHIVE),
    (0, b"7z\xbc\xaf\x27\x1c", tr("a 7-Zip archive"), _ARCHIVE),
    (0, b"Rar!\x1a\x07", "a RAR archive", _ARCHIVE),
    (0, b"PK\x05\x06", tr("an empty zip archive"), _ARCHIVE),
    (257, b"ustar", tr("a tar archive"), _ARCHIVE),
    (0, b"!<arch>\n", tr("an archive of a package or library"), _ARCHIVE),
    (0, b"\xed\xab\xee\xdb", tr("an RPM package"), _ARCHIVE),
    (0, b"OTTO\0", "a font", _OTHER),
    (0, b"\0\x01\0\0\0", "a font", _OTHER),
    (0, b"wOFF", "a font", _OTHER),
    (0, b"wOF2", "a font", _OTHER),
    (0, b"ID3", tr("a sound recording"), _MEDIA),
    (0, b"OggS", tr("a sound recording"), _MEDIA),
    (0, b"fLaC", tr("a sound recording"), _MEDIA),
    (8, b"WAVE", tr("a sound recording"), _MEDIA),
    (8, b"AVI ", "a film", _MEDIA),
    (0, b"\x1a\x45\xdf\xa3", "a film", _MEDIA),
    (4, b"ftypheic", *_PICTURES),
    (4, b"ftypheix", *_PICTURES),
    (4, b"ftypmif1", *_PICTURES),
    (4, b"ftypavif", *_PICTURES),
    (4, b"ftyp", tr("a film or a sound recording"), _MEDIA),
    (0, b"II*\0", *_PICTURES),
    (0, b"MM\0*", *_PICTURES),
    (0, b"8BPS", *_PICTURES),
    (0, b"\0\0\x01\0", *_PICTURES),
    (0, b"PAR1", tr("a Parquet table"), tr("Export it as CSV, and attach that.")),
    (0, b"\x89HDF\r\n", tr("an HDF5 data file"), _OTHER),
    (0, b"\x93NUMPY", tr("a NumPy array"), _OTHER),
    (0, b"GGUF", tr("a language model"), _OTHER),
)
_BROKEN_PICTURES = (
    (b"\x89PNG\r\n\x1a\n", tr("PNG picture")),
    (b"\xff\xd8\xff", tr("JPEG picture")),
    (b"GIF8", tr("GIF picture")),
)
_OPEN_TYPE = re.compile(r"application/vnd\.oasis\.opendocument\.[a-z-]+")
ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_STREAMS = (
    (
        "EncryptedPackage",
        tr("an Office document with a password"),
        tr("Save it without a password, and attach that."),
    ),
    ("WordDocument", tr("a Word document of the old format (.doc)"), _OFFICE),
    ("Workbook", tr("an Excel workbook of the old format (.xls)"), _OFFICE),
    ("Book", tr("an Excel workbook of the old format (.xls)"), _OFFICE),
    ("PowerPoint Document", tr("a PowerPoint file of the old format (.ppt)"), _OFFICE),
    ("__substg1.0", tr("an Outlook message (.msg)"), tr("Save it as .eml, and attach that.")),
)
_OTHER_ZIPS = (
    ("xl/workbook.bin", tr("an Excel binary workbook (.xlsb)"), _OFFICE),
    (
        "content.xml",
        tr("an OpenDocument file"),
        tr("Save it as .docx, .xlsx, .pptx or PDF, and attach that."),
    ),
    ("AndroidManifest.xml", tr("an Android app"), _ARCHIVE),
    ("META-INF/MANIFEST.MF", tr("a Java archive"), _ARCHIVE),
)


class BinaryContent:
    """The bytes of a file, with what was detected in them, cached."""

    def __init__(self, content: bytes) -> None:
        self.bytes = content

    @cached_property
    def members(self) -> tuple[str, ...]:
        """Names of the members of a zip archive; empty where it is none."""
        return _members(self.bytes) if self.bytes.startswith(ZIP) else ()

    @cached_property
    def office_members(self) -> tuple[str, ...]:
        """Names of the members of an Office document, in lower case; empty for other archives."""
        if "xl/workbook.bin" in self.members:
            return ()
        found = tuple(name.lower().lstrip("/") for name in self.members)
        return found if "[content_types].xml" in found else ()

    @cached_property
    def media_type(self) -> str:
        """The media type that an OpenDocument file or e-book states; empty where it states none."""
        if "mimetype" in self.members:
            return _start_of(self.bytes, "mimetype").strip()
        if "content.xml" not in self.members:
            return ""
        # Some programs leave it out, and say the same in the list of members.
        found = _OPEN_TYPE.search(_start_of(self.bytes, "META-INF/manifest.xml"))
        return found[0] if found else ""


def refusal_of_binary(content: bytes) -> Unreadable | None:
    """Returns the refusal of a known format that has no reader; None where the file may be text."""
    if content.startswith(ZIP):
        return _other_zip(content)
    return _ole(content) if content.startswith(_OLE) else known_format(content)


def known_format(content: bytes) -> Unreadable | None:
    """Returns the refusal of a known binary format or damaged picture; None where the file may be text."""
    for start, name in _BROKEN_PICTURES:
        if content.startswith(start) and picture_in(content) is None:
            return broken(name)
    for place, mark, what, advice in _MAGIC:
        if content[place : place + len(mark)] == mark and _is_signature(content, mark):
            return Unreadable(tr("it is {what}", what=what), advice)
    return None


def _is_signature(content: bytes, mark: bytes) -> bool:
    """Tells whether a signature of ASCII letters, with which a text may also start, is really that of a format."""
    return not mark.isascii() or not mark.isalnum() or mark == b"ustar" or b"\0" in content[:1024]


def is_picture(seen: BinaryContent) -> bool:
    """Tells whether it is a picture of a kind that models accept."""
    return picture_in(seen.bytes) is not None


def is_pdf(seen: BinaryContent) -> bool:
    """Tells whether a PDF starts here, possibly after a few other bytes."""
    head = seen.bytes[:1024]
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n\0\f")
    if start.startswith(b"%PDF-"):
        return True
    return bool(re.search(rb"[\r\n]%PDF-\d", head)) and b"startxref" in seen.bytes[-2048:]


def has_folder(folder: str) -> Callable[[BinaryContent], bool]:
    """Returns a test whether an Office document has this folder, which tells the formats apart."""
    return lambda seen: any(name.startswith(folder) for name in seen.office_members)


def is_open_document(*kinds: str) -> Callable[[BinaryContent], bool]:
    """Returns a test whether a file is an OpenDocument of one of these kinds, or a template of one."""
    starts = tuple(f"application/vnd.oasis.opendocument.{kind}" for kind in kinds)
    return lambda seen: "content.xml" in seen.members and seen.media_type.startswith(starts)


def is_book(seen: BinaryContent) -> bool:
    """Tells whether it is an e-book."""
    return "META-INF/container.xml" in seen.members and "content.xml" not in seen.members


def _members(content: bytes) -> tuple[str, ...]:
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            return tuple(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, UnicodeDecodeError):
        raise broken(tr("zip archive, or a damaged Office document")) from None


def _start_of(content: bytes, member: str) -> str:
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive, archive.open(member) as opened:
            return opened.read(4000).decode("ascii", "replace")
    except (zipfile.BadZipFile, zlib.error, ValueError, OSError, EOFError, RuntimeError, KeyError):
        return ""


def _other_zip(content: bytes) -> Unreadable:
    names = _members(content)
    for member, what, advice in _OTHER_ZIPS:
        if member in names and (member != "content.xml" or "mimetype" in names):
            return Unreadable(tr("it is {what}", what=what), advice)
    return Unreadable(tr("it is a zip archive"), _ARCHIVE)


def _ole(content: bytes) -> Unreadable:
    for stream, what, advice in _OLE_STREAMS:
        if stream.encode("utf-16-le") in content:
            return Unreadable(tr("it is {what}", what=what), advice)
    return Unreadable(tr("it is an Office document of an old format"), _OFFICE)


# Plain text: what it says itself goes before what its name says.

_MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"})
_TABLES = frozenset({".csv", ".tsv", ".tab"})
_TEMPLATES = frozenset({
    ".php", ".vue", ".svelte", ".jsx", ".tsx", ".erb", ".j2", ".jinja", ".jinja2", ".hbs", ".tmpl", ".tpl",
    ".ejs", ".astro", ".py", ".js", ".ts", ".go", ".rs", ".java", ".rb", ".c", ".h", ".cpp", ".cs", ".patch",
    ".diff",
})  # fmt: skip
_CODE = _TEMPLATES | frozenset({
    ".mjs", ".cjs", ".mts", ".cts", ".pyi", ".pyx", ".ipy", ".kt", ".kts", ".scala", ".swift", ".m", ".mm",
    ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd", ".sql",
    ".lua", ".pl", ".pm", ".r", ".jl", ".hs", ".ml", ".mli", ".ex", ".exs", ".erl", ".clj", ".lisp", ".el",
    ".dart", ".zig", ".nim", ".css", ".scss", ".less", ".xml", ".xsl", ".xsd", ".svg", ".json", ".jsonc",
    ".json5", ".jsonl", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".proto", ".graphql", ".tf", ".hcl",
    ".cmake", ".mk", ".gradle", ".groovy", ".asm", ".s", ".v", ".sv", ".vhd", ".f", ".f90", ".for", ".pas",
    ".d", ".vb", ".fs", ".sol", ".tex", ".nix", ".properties", ".lock",
})  # fmt: skip
_CODE_NAMES = frozenset({"makefile", "dockerfile", "cmakelists.txt", "rakefile", "gemfile", "jenkinsfile"})
_HTML_NAMES = frozenset({".html", ".htm", ".xhtml", ".xht", ".shtml", ".mht", ".mhtml"})
_HTML_START = re.compile(
    r"(?:\s|<!--.{0,4000}?-->|<\?xml[^>]{0,300}\?>)*<(?:!doctype\s+html|html[\s>]|head[\s>]|body[\s>])",
    re.IGNORECASE | re.DOTALL,
)
_HTML_TAG = re.compile(
    r"<(?:body|head|div|p|title|h[1-6]|table|ul|br|span|meta)\b[^>]{0,500}>", re.IGNORECASE
)
_HEADER = re.compile(r"([A-Za-z][A-Za-z0-9-]{0,60}):(?:[ \t]|\r?\n[ \t]|$)")
_SENT = frozenset({"received", "message-id", "mime-version", "return-path", "delivered-to"})
_PAGE_HEADERS = re.compile(r"^content-type:\s*multipart/related", re.IGNORECASE | re.MULTILINE)
_START_CHARACTERS = 20_000


class TextContent:
    """A text with the name of its file.

    Attributes:
        ending: of the name, in lower case. start: the beginning of the text, where most signs are.
    """

    def __init__(self, name: str, text: str) -> None:
        path = PurePath(name.replace("\\", "/"))
        self.name, self.ending = path.name.lower(), path.suffix.lower()
        self.text, self.start = text, text[:_START_CHARACTERS].lstrip("\ufeff")

    @cached_property
    def headers(self) -> frozenset[str]:
        """Names of the header lines that an e-mail starts with; empty where it is none."""
        found = header_names(self.start)
        return found if is_message(self.ending, found) else frozenset()


def is_notebook(seen: TextContent) -> bool:
    """Tells whether it is a notebook, whatever its name says."""
    return seen.start.lstrip().startswith("{") and '"nbformat"' in seen.text and has_cells(seen.text)


def is_page(seen: TextContent) -> bool:
    """Tells whether it is an HTML page, also one saved with its pictures as a message."""
    if seen.ending not in _TEMPLATES and _HTML_START.match(seen.start):
        return True
    if seen.headers:
        return "from" in seen.headers and bool(_PAGE_HEADERS.search(seen.start.partition("\n\n")[0]))
    return seen.ending in _HTML_NAMES and bool(_HTML_TAG.search(seen.start))


def is_mail(seen: TextContent) -> bool:
    """Tells whether it starts with the headers of an e-mail."""
    return bool(seen.headers)


def is_markdown(seen: TextContent) -> bool:
    """Decides by the name alone, since any text is valid Markdown."""
    return seen.ending in _MARKDOWN


def is_table(seen: TextContent) -> bool:
    """Decides by the name alone, since most texts contain commas."""
    return seen.ending in _TABLES


def is_code(seen: TextContent) -> bool:
    """Decides by the name, or by a `#!` line."""
    return seen.ending in _CODE or seen.name in _CODE_NAMES or seen.start.startswith("#!")


def is_saved_page(text: str) -> bool:
    """Tells whether a page was saved as a message, of which its pictures are parts."""
    return {"mime-version", "content-type"} <= header_names(text[:_START_CHARACTERS])


def has_cells(text: str) -> bool:
    """Tells whether a text is the JSON of a notebook with cells."""
    found = parsed(text)
    if not isinstance(found, dict) or "nbformat" not in found:
        return False
    return isinstance(found.get("cells", found.get("worksheets")), list)


def header_names(start: str) -> frozenset[str]:
    """Returns the names of the header lines that a text starts with; empty where it starts otherwise."""
    names: set[str] = set()
    for line in start.splitlines()[:200]:
        if not line.strip():
            return frozenset(names)
        found = _HEADER.match(line)
        if found:
            names.add(found[1].lower())
        elif not (names and line[0] in " \t") and not (not names and line.startswith("From ")):
            return frozenset()
    return frozenset(names)


def is_message(ending: str, headers: frozenset[str]) -> bool:
    """Tells whether these are the headers of an e-mail; without a telling file name, more of them are required."""
    if ending in (".patch", ".diff"):
        return False
    if ending in (".eml", ".mht", ".mhtml"):
        return bool(headers & (_SENT | {"from", "subject", "date", "to"}))
    return {"from"} < headers and bool(headers & _SENT) and bool(headers & {"date", "subject"})
