"""Which kind of document a file is: by its content first; its name only says which kind of plain text it is."""

from __future__ import annotations

import json
import re
import zipfile
from io import BytesIO
from pathlib import PurePath

from workbench.domain.document import DocumentKind
from workbench.domain.pictures import picture_in
from workbench.sources.extract.refusal import Unreadable, broken

_PICTURES = ("a picture of a kind that models are not sent", "Save it as PNG or JPEG, and attach that.")
_ARCHIVE = "Unpack it, and attach the files in it."
_PROGRAM = "Attach its source, or what it says."
_MEDIA = "Attach a text of it."
_OTHER = "Attach a text of it, or save it in another format."
_OFFICE = "Save it in the newer format (.docx, .xlsx or .pptx) or as PDF, and attach that."

_MAGIC: tuple[tuple[int, bytes, str, str], ...] = (
    (0, b"\x7fELF", "a program", _PROGRAM),
    (0, b"MZ", "a program for Windows", _PROGRAM),
    (0, b"\xca\xfe\xba\xbe", "a program", _PROGRAM),
    (0, b"\xcf\xfa\xed\xfe", "a program for macOS", _PROGRAM),
    (0, b"\xce\xfa\xed\xfe", "a program for macOS", _PROGRAM),
    (0, b"\0asm", "a WebAssembly program", _PROGRAM),
    (0, b"SQLite format 3\0", "an SQLite database", "Export the tables as CSV, and attach those."),
    (0, b"\x1f\x8b", "a gzip archive", _ARCHIVE),
    (0, b"BZh", "a bzip2 archive", _ARCHIVE),
    (0, b"\xfd7zXZ\0", "an xz archive", _ARCHIVE),
    (0, b"\x28\xb5\x2f\xfd", "a zstd archive", _ARCHIVE),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", _ARCHIVE),
    (0, b"Rar!\x1a\x07", "a RAR archive", _ARCHIVE),
    (0, b"PK\x05\x06", "an empty zip archive", _ARCHIVE),
    (257, b"ustar", "a tar archive", _ARCHIVE),
    (0, b"!<arch>\n", "an archive of a package or library", _ARCHIVE),
    (0, b"\xed\xab\xee\xdb", "an RPM package", _ARCHIVE),
    (0, b"OTTO\0", "a font", _OTHER),
    (0, b"\0\x01\0\0\0", "a font", _OTHER),
    (0, b"wOFF", "a font", _OTHER),
    (0, b"wOF2", "a font", _OTHER),
    (0, b"ID3", "a sound recording", _MEDIA),
    (0, b"OggS", "a sound recording", _MEDIA),
    (0, b"fLaC", "a sound recording", _MEDIA),
    (8, b"WAVE", "a sound recording", _MEDIA),
    (8, b"AVI ", "a film", _MEDIA),
    (0, b"\x1a\x45\xdf\xa3", "a film", _MEDIA),
    (4, b"ftypheic", *_PICTURES),
    (4, b"ftypheix", *_PICTURES),
    (4, b"ftypmif1", *_PICTURES),
    (4, b"ftypavif", *_PICTURES),
    (4, b"ftyp", "a film or a sound recording", _MEDIA),
    (0, b"II*\0", *_PICTURES),
    (0, b"MM\0*", *_PICTURES),
    (0, b"8BPS", *_PICTURES),
    (0, b"\0\0\x01\0", *_PICTURES),
    (0, b"PAR1", "a Parquet table", "Export it as CSV, and attach that."),
    (0, b"\x89HDF\r\n", "an HDF5 data file", _OTHER),
    (0, b"\x93NUMPY", "a NumPy array", _OTHER),
    (0, b"GGUF", "a language model", _OTHER),
    (0, b"{\\rtf", "a rich-text document (RTF)", "Save it as .docx or as plain text, and attach that."),
)
_BROKEN_PICTURES = (
    (b"\x89PNG\r\n\x1a\n", "PNG picture"),
    (b"\xff\xd8\xff", "JPEG picture"),
    (b"GIF8", "GIF picture"),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_STREAMS = (
    (
        "EncryptedPackage",
        "an Office document with a password",
        "Save it without a password, and attach that.",
    ),
    ("WordDocument", "a Word document of the old format (.doc)", _OFFICE),
    ("Workbook", "an Excel workbook of the old format (.xls)", _OFFICE),
    ("Book", "an Excel workbook of the old format (.xls)", _OFFICE),
    ("PowerPoint Document", "a PowerPoint file of the old format (.ppt)", _OFFICE),
    ("__substg1.0", "an Outlook message (.msg)", "Save it as .eml, and attach that."),
)
_OFFICE_FOLDERS: tuple[tuple[str, DocumentKind], ...] = (
    ("word/", "word"),
    ("ppt/", "slides"),
    ("xl/", "sheets"),
)
_OTHER_ZIPS = (
    ("xl/workbook.bin", "an Excel binary workbook (.xlsb)", _OFFICE),
    ("META-INF/container.xml", "an e-book (EPUB)", "Attach its chapters as HTML or text."),
    ("content.xml", "an OpenDocument file", "Save it as .docx, .xlsx, .pptx or PDF, and attach that."),
    ("AndroidManifest.xml", "an Android app", _ARCHIVE),
    ("META-INF/MANIFEST.MF", "a Java archive", _ARCHIVE),
)


def binary_kind(content: bytes) -> DocumentKind | None:
    """What a file is by its first bytes; None where it may be text. What is known and no document is refused."""
    if picture_in(content) is not None:
        return "image"
    if _is_pdf(content):
        return "pdf"
    if content.startswith(b"PK\x03\x04"):
        return _zip_kind(content)
    if content.startswith(_OLE):
        raise _ole(content)
    refusal = looks_like(content)
    if refusal is not None:
        raise refusal
    return None


def looks_like(content: bytes) -> Unreadable | None:
    """What is known of a file that is no document, with what can be done."""
    for start, name in _BROKEN_PICTURES:
        if content.startswith(start) and picture_in(content) is None:
            return broken(name)
    for place, mark, what, advice in _MAGIC:
        if content[place : place + len(mark)] == mark and _is_that(content, mark):
            return Unreadable(f"it is {what}", advice)
    return None


def _is_that(content: bytes, mark: bytes) -> bool:
    """Whether letters that a text may begin with as well are those of a format here."""
    return not mark.isascii() or not mark.isalnum() or mark == b"ustar" or b"\0" in content[:1024]


def _is_pdf(content: bytes) -> bool:
    head = content[:1024]
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n\0\f")
    if start.startswith(b"%PDF-"):
        return True
    return bool(re.search(rb"[\r\n]%PDF-\d", head)) and b"startxref" in content[-2048:]


def _zip_kind(content: bytes) -> DocumentKind:
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, UnicodeDecodeError):
        raise broken("zip archive, or a damaged Office document") from None
    for member, what, advice in _OTHER_ZIPS:
        if member in names and (member != "content.xml" or "mimetype" in names):
            raise Unreadable(f"it is {what}", advice)
    if any(name.lower().lstrip("/") == "[content_types].xml" for name in names):
        for folder, kind in _OFFICE_FOLDERS:
            if any(name.lower().lstrip("/").startswith(folder) for name in names):
                return kind
    raise Unreadable("it is a zip archive", _ARCHIVE)


def _ole(content: bytes) -> Unreadable:
    for stream, what, advice in _OLE_STREAMS:
        if stream.encode("utf-16-le") in content:
            return Unreadable(f"it is {what}", advice)
    return Unreadable("it is an Office document of an old format", _OFFICE)


# Plain text: what it says itself goes before what its name says.

_MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"})
_TABLES = frozenset({".csv", ".tsv", ".tab"})
_TEMPLATES = frozenset(
    {
        ".php",
        ".vue",
        ".svelte",
        ".jsx",
        ".tsx",
        ".erb",
        ".j2",
        ".jinja",
        ".jinja2",
        ".hbs",
        ".tmpl",
        ".tpl",
        ".ejs",
    }
    | {
        ".astro",
        ".py",
        ".js",
        ".ts",
        ".go",
        ".rs",
        ".java",
        ".rb",
        ".c",
        ".h",
        ".cpp",
        ".cs",
        ".patch",
        ".diff",
    }
)
_CODE = _TEMPLATES | frozenset(
    {
        ".mjs",
        ".cjs",
        ".mts",
        ".cts",
        ".pyi",
        ".pyx",
        ".ipy",
        ".kt",
        ".kts",
        ".scala",
        ".swift",
        ".m",
        ".mm",
        ".cc",
    }
    | {
        ".cxx",
        ".hpp",
        ".hh",
        ".hxx",
        ".sh",
        ".bash",
        ".zsh",
        ".fish",
        ".ps1",
        ".bat",
        ".cmd",
        ".sql",
        ".lua",
        ".pl",
    }
    | {
        ".pm",
        ".r",
        ".jl",
        ".hs",
        ".ml",
        ".mli",
        ".ex",
        ".exs",
        ".erl",
        ".clj",
        ".lisp",
        ".el",
        ".dart",
        ".zig",
        ".nim",
    }
    | {
        ".css",
        ".scss",
        ".less",
        ".xml",
        ".xsl",
        ".xsd",
        ".svg",
        ".json",
        ".jsonc",
        ".json5",
        ".jsonl",
        ".yaml",
        ".yml",
    }
    | {
        ".toml",
        ".ini",
        ".cfg",
        ".conf",
        ".proto",
        ".graphql",
        ".tf",
        ".hcl",
        ".cmake",
        ".mk",
        ".gradle",
        ".groovy",
    }
    | {
        ".asm",
        ".s",
        ".v",
        ".sv",
        ".vhd",
        ".f",
        ".f90",
        ".for",
        ".pas",
        ".d",
        ".vb",
        ".fs",
        ".sol",
        ".tex",
        ".nix",
    }
    | {".properties", ".lock"}
)
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


def text_kind(name: str, text: str) -> DocumentKind:
    """What a text is."""
    path = PurePath(name.replace("\\", "/"))
    ending, start = path.suffix.lower(), text[:_START_CHARACTERS].lstrip("\ufeff")
    said = _structured(ending, start, text)
    if said is not None:
        return said
    if ending in _MARKDOWN:
        return "markdown"
    if ending in _TABLES:
        return "table"
    if ending in _CODE or path.name.lower() in _CODE_NAMES or start.startswith("#!"):
        return "code"
    return "text"


def _structured(ending: str, start: str, text: str) -> DocumentKind | None:
    """A page, a message or a notebook, whatever its name says."""
    if start.lstrip().startswith("{") and '"nbformat"' in text and is_notebook(text):
        return "notebook"
    if ending not in _TEMPLATES and _HTML_START.match(start):
        return "html"
    headers = header_names(start)
    if is_message(ending, headers):
        return "html" if _PAGE_HEADERS.search(start.partition("\n\n")[0]) and "from" in headers else "email"
    return "html" if ending in _HTML_NAMES and _HTML_TAG.search(start) else None


def is_notebook(text: str) -> bool:
    """Whether a text is a notebook of cells."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(found, dict) or "nbformat" not in found:
        return False
    return isinstance(found.get("cells", found.get("worksheets")), list)


def header_names(start: str) -> frozenset[str]:
    """The names of the header lines that a text begins with; none where it begins otherwise."""
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
    """Whether these are a message's headers; what stands in a text by chance is not enough without the name."""
    if ending in (".patch", ".diff"):
        return False
    if ending in (".eml", ".mht", ".mhtml"):
        return bool(headers & (_SENT | {"from", "subject", "date", "to"}))
    return {"from"} < headers and bool(headers & _SENT) and bool(headers & {"date", "subject"})
