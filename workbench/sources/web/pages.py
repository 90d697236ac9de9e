"""What a page becomes when it is attached: its readable text, or the part of it that its address names."""

from __future__ import annotations

import codecs
import hashlib
import re
from urllib.parse import unquote

from workbench.domain.attached import Attached, FetchedPage
from workbench.domain.attachment import Artifact
from workbench.domain.document import AS_FOUND, Document, Reading, find_section, part_text
from workbench.domain.pictures import picture_in

_CHARSET = re.compile(r"charset=[\"']?([\w.:-]+)", re.IGNORECASE | re.ASCII)


def page_name(url: str) -> str:
    """What a page would be called as a file: its extension is a hint where its content says nothing."""
    path = unquote(url.partition("://")[2].partition("?")[0])
    return path.rstrip("/").rpartition("/")[2] or "page"


def said_by_server(page: FetchedPage) -> Reading:
    """The encoding that a server names for a text, where there is one."""
    found = _CHARSET.search(page.media_type)
    if found is None or not page.media_type.lower().startswith("text/"):
        return AS_FOUND
    try:
        page.content.decode(codecs.lookup(found[1]).name)
    except (LookupError, ValueError):
        return AS_FOUND
    return Reading(encoding=found[1])


def attached_page(url: str, page: FetchedPage, document: Document) -> Attached:
    """A page under the address that was given; a fragment that is none of its parts means all of it."""
    anchor = unquote(url.partition("#")[2])
    part = find_section(document, anchor) if anchor else None
    text = document.text if part is None else part_text(document, part)
    picture = picture_in(page.content) if document.read_as.kind == "image" else None
    artifact = Artifact(url, "url" if picture is None else "image", text)
    digest = hashlib.sha256(page.content).hexdigest()
    return Attached(artifact, page.content, digest, "", picture, read_as=document.read_as, document=document)
