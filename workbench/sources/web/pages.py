"""What a page becomes when it is attached: its readable text, or the part of it that its address names."""

from __future__ import annotations

import codecs
import hashlib
import re
from urllib.parse import unquote

from workbench.domain.files.attached import Attached, FetchedPage
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.document import AS_FOUND, Document, Reading
from workbench.domain.files.document_parts import find_section, part_text
from workbench.domain.files.pictures import picture_in
from workbench.sources.extract.kinds import binary_kind, text_kind
from workbench.sources.extract.refusal import Unreadable

_PAGES = ("text/html", "application/xhtml+xml")
_CHARSET = re.compile(r"charset=[\"']?([\w.:-]+)", re.IGNORECASE | re.ASCII)


def page_name(url: str) -> str:
    """What a page would be called as a file: its extension is a hint where its content says nothing."""
    path = unquote(url.partition("://")[2].partition("?")[0])
    return path.rstrip("/").rpartition("/")[2] or "page"


def said_by_server(page: FetchedPage) -> Reading:
    """How a page is read by what its server says of it, where its content would not be read so by itself."""
    said = page.media_type.partition(";")[0].strip().lower()
    if not said.startswith("text/") and said not in _PAGES:
        return AS_FOUND
    try:
        if binary_kind(page.content) is not None:
            return AS_FOUND
    except Unreadable:
        return AS_FOUND
    encoding = _encoding(page)
    found = text_kind(page_name(page.url), page.content.decode(encoding or "utf-8", "replace"))
    if said in _PAGES and found != "html":
        return Reading("html", encoding)
    # Other plain text may still be code, a table or a notebook: a server has no word for those.
    return Reading("text" if said == "text/plain" and found == "html" else "", encoding)


def _encoding(page: FetchedPage) -> str:
    """The encoding that a server names, where it is a text's and not the usual one."""
    found = _CHARSET.search(page.media_type)
    try:
        name = "" if found is None else codecs.lookup(found[1]).name
        page.content.decode(name or "utf-8")
    except (LookupError, ValueError):
        return ""
    return "" if found is None or name == "utf-8" else found[1]


def attached_page(url: str, page: FetchedPage, document: Document) -> Attached:
    """A page under the address that was given; a fragment that is none of its parts means all of it."""
    anchor = unquote(url.partition("#")[2])
    part = find_section(document, anchor) if anchor else None
    text = document.text if part is None else part_text(document, part)
    picture = picture_in(page.content) if document.read_as.kind == "image" else None
    artifact = Artifact(url, "url" if picture is None else "image", text, unread=document.read_as.unread)
    digest = hashlib.sha256(page.content).hexdigest()
    return Attached(artifact, page.content, digest, "", picture, read_as=document.read_as, document=document)
