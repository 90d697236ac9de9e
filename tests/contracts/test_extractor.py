"""What every extractor does."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.fakes.corpus import picture
from tests.fakes.extractor import PlainExtractor
from tests.fakes.loop import in_calm_loop
from tests.fakes.made_pdf import made_pdf
from workbench.domain.files.attached import CannotAttach, Locked
from workbench.domain.files.document import Document, Reading
from workbench.domain.files.document_parts import find_section
from workbench.domain.secrets import Secret
from workbench.ports.attaching import Extractor
from workbench.sources.extract.process import ChildExtractor

WORDS = "# One\nünï\n# Two\nwords\n"


@pytest.fixture(params=["child", "plain"])
def extractor(request: pytest.FixtureRequest) -> Iterator[Extractor]:
    """In a child process, and the fake that tests use instead."""
    made: Extractor = ChildExtractor() if request.param == "child" else PlainExtractor()
    yield made
    asyncio.run(made.close())


def paged(extractor: Extractor) -> bytes:
    """Two pages, as this one reads them."""
    return b"one\ftwo" if isinstance(extractor, PlainExtractor) else made_pdf(["one", "two"])


@in_calm_loop
async def test_text_stays_as_it_is(extractor: Extractor):
    document = await extractor.document("notes.txt", WORDS.encode(), Reading())
    assert (document.text, document.read_as.kind, document.read_as.encoding) == (WORDS, "text", "utf-8")
    assert document.read_as.chosen == Reading()


@in_calm_loop
async def test_a_heading_can_be_named(extractor: Extractor):
    document = await extractor.document("notes.md", WORDS.encode(), Reading())
    part = find_section(document, "Two")
    assert part is not None
    assert document.text[part.start : part.end] == "# Two\nwords\n"


@in_calm_loop
async def test_several_files_are_read_in_their_order_and_one_that_is_refused_stands_in_its_place(
    extractor: Extractor,
):
    files = [("a.txt", b"One."), ("b.html", b"\0\0"), ("c.html", b"Three."), ("d.txt", b"Four.")]
    found = await extractor.documents(files)
    told = [one.text.strip() if isinstance(one, Document) else "refused" for one in found]
    assert told == ["One.", "refused", "Three.", "Four."]


@in_calm_loop
async def test_what_somebody_chose_is_done_and_kept(extractor: Extractor):
    chosen = Reading("code", "latin-1")
    document = await extractor.document("notes.txt", "ünï".encode("latin-1"), chosen)
    assert (document.text, document.read_as.kind, document.read_as.chosen) == ("ünï", "code", chosen)
    with pytest.raises(CannotAttach):
        await extractor.document("notes.txt", b"\xff\xff", Reading(encoding="utf-8"))


@in_calm_loop
async def test_pages_have_numbers(extractor: Extractor):
    document = await extractor.document("spec", paged(extractor), Reading())
    assert [(one.anchor, one.first_page, one.last_page) for one in document.pages] == [
        ("p1", 1, 1),
        ("p2", 2, 2),
    ]
    assert document.read_as.pages == 2
    part = find_section(document, "p2")
    assert part is not None
    assert "two" in document.text[part.start : part.end]
    assert "one" not in document.text[part.start : part.end]


@in_calm_loop
async def test_what_is_no_text_is_refused_by_its_name(extractor: Extractor):
    with pytest.raises(CannotAttach) as error:
        await extractor.document("a.bin", b"\0\1\2\3" * 50, Reading())
    assert error.value.path == "a.bin"


@in_calm_loop
async def test_a_picture_is_described(extractor: Extractor):
    document = await extractor.document("a.png", picture("PNG"), Reading())
    assert (document.text, document.read_as.kind) == ("A picture: image/png, 8 × 6 pixels.", "image")


@in_calm_loop
async def test_pages_can_be_looked_at(extractor: Extractor):
    found = await extractor.page_pictures("spec", paged(extractor), (2, 9))
    assert [number for number, _ in found] == [2]
    assert all(content.startswith(b"\x89PNG\r\n\x1a\n") for _, content in found)
    with pytest.raises(CannotAttach):
        await extractor.page_pictures("spec", paged(extractor), (7, 9))


@in_calm_loop
async def test_a_picture_within_the_limits_stays_as_it_is(extractor: Extractor):
    content = picture("PNG")
    assert await extractor.smaller_picture(content, 10_000, 100) == content
    with pytest.raises(CannotAttach):
        await extractor.smaller_picture(b"words", 10_000, 100)


@in_calm_loop
async def test_after_closing_nothing_is_read(extractor: Extractor):
    await extractor.close()
    with pytest.raises(CannotAttach, match="closing"):
        await extractor.document("notes.txt", b"words", Reading())


@in_calm_loop
async def test_a_locked_file_is_opened_by_its_password_alone(extractor: Extractor):
    """Nothing but saving it without one in another program helped."""
    content = (
        b"locked sesame\nSecret words"
        if isinstance(extractor, PlainExtractor)
        else made_pdf(["Secret words"], password="sesame")
    )
    for wrong in (None, Secret.of_text("wrong")):
        with pytest.raises(Locked) as error:
            await extractor.document("spec", content, Reading(), wrong)
        assert error.value.left_out[0].locked
    document = await extractor.document("spec", content, Reading(), Secret.of_text("sesame"))
    assert "Secret words" in document.text
    assert await extractor.page_pictures("spec", content, (1, 1), Secret.of_text("sesame"))
