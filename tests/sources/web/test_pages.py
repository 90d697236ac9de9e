"""What a page becomes when it is attached."""

from __future__ import annotations

import asyncio
from io import BytesIO
from typing import Literal

import pytest
from PIL import Image

from tests.domain.files.test_pictures import PNG
from tests.fakes.extractor import PlainExtractor
from tests.fakes.loop import in_loop
from workbench.domain.files.attached import CannotAttach, FetchedPage
from workbench.domain.files.document import Document, Reading, Section
from workbench.sources.attach import FileAttachments
from workbench.sources.extract.process import ChildExtractor
from workbench.sources.web.fetching import attached_page, page_name, reading_by_content_type

PAGE = FetchedPage("https://example.org/notes.txt", b"caf\xe9", "text/plain; charset=iso-8859-1")


class OnePage:
    """A page that is always there → PageFetcher."""

    async def fetch(self, url: str) -> FetchedPage:
        """That page."""
        return PAGE


def test_a_page_is_attached_under_its_address_with_what_its_server_says():
    found = asyncio.run(
        FileAttachments(PlainExtractor(), pages=OnePage()).read("https://example.org/notes.txt#x")
    )
    assert (found.artifact.key, found.artifact.kind) == ("https://example.org/notes.txt#x", "url")
    assert (found.content, found.modified_utc, found.place) == (b"caf\xe9", "", "")


def test_without_a_way_to_fetch_a_page_is_refused():
    with pytest.raises(CannotAttach, match="pages are not fetched here"):
        asyncio.run(FileAttachments(PlainExtractor()).read("https://example.org/"))


@pytest.mark.parametrize(
    ("said", "encoding"),
    [
        ("text/plain; charset=ISO-8859-1", "ISO-8859-1"), ('text/css; charset="cp1252"', "cp1252"),
        ("text/plain", ""), ("text/plain; charset=nonsense", ""), ("text/plain; charset=utf-8", ""),
        ("application/pdf; charset=cp1252", ""),
    ],
)  # fmt: skip
def test_an_encoding_that_fits_is_taken_from_the_server(said: str, encoding: str):
    assert reading_by_content_type(FetchedPage("u", b"caf\xe9", said)) == Reading(encoding=encoding)


SOURCE = b"<!DOCTYPE html><html><body><p>x</p></body></html>"


@pytest.mark.parametrize(
    ("said", "content", "kind"),
    [
        ("text/html", b"<p>a fragment</p>", "html"), ("Text/HTML; charset=utf-8", b"some words", "html"),
        ("application/xhtml+xml", b"<p>x</p>", "html"), ("text/plain", SOURCE, "text"), ("text/html", SOURCE, ""),
        ("text/plain", b"# Words", ""), ("text/html", b"%PDF-1.7\n1 0 obj", ""), ("text/plain", PNG, ""),
        ("text/html", b"\x7fELF", ""), ("", SOURCE, ""), ("application/json", b"{}", ""),
    ],
)  # fmt: skip
def test_a_page_is_read_as_its_server_says_unless_it_is_clearly_something_else(
    said: str, content: bytes, kind: Literal["html", "text", ""]
):
    assert reading_by_content_type(FetchedPage("https://e.org/a", content, said)) == Reading(kind)


class Served:
    """One answer → PageFetcher."""

    def __init__(self, content: bytes, media_type: str) -> None:
        self._page = FetchedPage("https://e.org/a", content, media_type)

    async def fetch(self, url: str) -> FetchedPage:
        """That one."""
        return self._page


@in_loop
async def test_the_source_of_a_page_stays_source():
    reader = FileAttachments(ChildExtractor(), pages=Served(SOURCE, "text/plain"))
    found = await reader.read("https://e.org/a")
    await reader.close()
    assert found.artifact.text == SOURCE.decode()
    # Whoever reads the copy anew reads it so.
    assert found.read_as.chosen == Reading("text")


@in_loop
async def test_a_picture_of_the_web_is_sent_upright_as_one_of_a_file():
    made, picture = BytesIO(), Image.new("RGB", (60, 20), (200, 10, 10))
    turned = picture.getexif()
    turned[0x0112] = 6
    picture.save(made, "JPEG", exif=turned)
    reader = FileAttachments(ChildExtractor(), pages=Served(made.getvalue(), "image/jpeg"))
    found = await reader.read("https://e.org/a")
    await reader.close()
    assert found.picture is not None
    assert (found.picture.width, found.picture.height) == (20, 60)
    assert found.sendable


def test_a_place_on_a_page_is_a_part_only_where_there_is_one():
    document = Document("# One\na\n# Two\nb\n", sections=(Section("Two", "Two", 1, 8, 16),))
    assert attached_page("https://e.org/#Two", PAGE, document).artifact.text == "# Two\nb\n"
    assert attached_page("https://e.org/#cite-7", PAGE, document).artifact.text == document.text


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://e.org/a/b.html?x=1", "b.html"),
        ("https://e.org/", "e.org"),
        ("https://e.org/a%20b.md", "a b.md"),
    ],
)
def test_a_page_has_a_name(url: str, name: str):
    assert page_name(url) == name
