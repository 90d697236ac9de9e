"""What a page becomes when it is attached."""

from __future__ import annotations

import asyncio

import pytest

from tests.fakes.extractor import PlainExtractor
from workbench.domain.attached import CannotAttach, FetchedPage
from workbench.domain.document import Document, Reading, Section
from workbench.sources.attach import FileAttachments
from workbench.sources.web.pages import attached_page, page_name, said_by_server

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
        ("text/html; charset=ISO-8859-1", "ISO-8859-1"), ('text/html; charset="cp1252"', "cp1252"),
        ("text/html", ""), ("text/html; charset=nonsense", ""), ("text/html; charset=utf-8", ""),
        ("application/pdf; charset=cp1252", ""),
    ],
)  # fmt: skip
def test_an_encoding_that_fits_is_taken_from_the_server(said: str, encoding: str):
    assert said_by_server(FetchedPage("u", b"caf\xe9", said)) == Reading(encoding=encoding)


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
