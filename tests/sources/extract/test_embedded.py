"""Documents in documents."""

from __future__ import annotations

from tests.fakes.made_office import Deck, changed, workbook
from workbench.domain.files.document import AS_FOUND, Document
from workbench.sources.extract.archives import OfficeFile, embedded_texts
from workbench.sources.extract.child import read_document
from workbench.sources.extract.refusal import Unreadable

_RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
_KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def deck(content: bytes) -> bytes:
    """A slide with something embedded in it."""
    relation = f'<Relationship Id="rId9" Type="{_KINDS}/package" Target="../embeddings/book.xlsx"/>'
    members: dict[str, str | bytes | None] = {
        "ppt/embeddings/book.xlsx": content,
        "ppt/slides/_rels/slide1.xml.rels": f'<Relationships xmlns="{_RELS}">{relation}</Relationships>',
    }
    shape = "<p:graphicFrame><p:oleObj/></p:graphicFrame>"
    return changed(Deck().slide("A", shape).written(), members)


def test_a_workbook_on_a_slide_is_read_by_its_own_reader():
    """It was counted and left out, though it is a document like any other."""
    document = read_document("a.pptx", deck(workbook({"S": [["North", 3]]})), AS_FOUND)
    assert "Embedded book.xlsx:" in document.text
    assert "| 1 | North | 3 |" in document.text
    assert document.read_as.notes == ()


def test_what_cannot_be_read_stays_counted():
    document = read_document("a.pptx", deck(b"\0\1\2"), AS_FOUND)
    assert document.read_as.notes == ("1 embedded object left out",)


def test_decks_in_decks_end_somewhere():
    content = workbook({"S": [["innermost"]]})
    for _ in range(6):
        content = deck(content)
    assert "innermost" not in read_document("a.pptx", content, AS_FOUND).text


def test_without_a_reader_nothing_is_opened():
    def refuse(name: str, content: bytes) -> Document:
        raise Unreadable("no")

    archive = OfficeFile(deck(b"x"), "PowerPoint file")
    related = [("package", "ppt/embeddings/book.xlsx")]
    assert embedded_texts(archive, related, None, []) == embedded_texts(archive, related, refuse, []) == []
