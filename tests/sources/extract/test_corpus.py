"""Every kind of file through the child process: what it becomes, or why it is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.fakes.corpus import Case, corpus
from tests.fakes.corpus_documents import documents
from tests.fakes.corpus_hostile import hostile
from workbench.domain.files.attached import CannotAttach
from workbench.domain.files.document import Document
from workbench.sources.extract.process import ChildExtractor

CASES = [*corpus(), *documents()]


@pytest.fixture(scope="module")
def extractor() -> Iterator[ChildExtractor]:
    """One for all: what a file does to its reader, the next must not notice."""
    made = ChildExtractor()
    yield made
    asyncio.run(made.close())


def test_each_is_another():
    assert len({(str(case), case.name) for case in CASES}) == len(CASES)


def read(extractor: ChildExtractor, case: Case) -> Document:
    return asyncio.run(extractor.document(case.name, case.content, case.reading))


@pytest.mark.parametrize("case", [one for one in CASES if not one.refused], ids=str)
def test_a_file_becomes_text(extractor: ChildExtractor, case: Case):
    document = read(extractor, case)
    assert document.read_as.kind == case.kind
    assert document.read_as.chosen == case.reading
    if case.whole:
        assert document.text == case.says[0]
    for piece in case.says:
        assert piece in document.text
    if case.anchors is not None:
        assert tuple(one.anchor for one in document.sections) == case.anchors
    if case.notes:
        assert document.read_as.left_out == case.notes
    for one in (*document.sections, *document.pages):
        assert 0 <= one.start <= one.end <= len(document.text)


@pytest.mark.parametrize("case", [one for one in CASES if one.refused], ids=str)
def test_a_file_is_refused_with_a_reason(extractor: ChildExtractor, case: Case):
    with pytest.raises(CannotAttach) as error:
        read(extractor, case)
    assert error.value.path == case.name
    assert case.refused in error.value.reason
    assert error.value.left_out[0].advice.endswith(".")


def test_a_file_that_is_made_to_do_harm_harms_itself_only(extractor: ChildExtractor):
    """Refused, or read within limits; and the next file is read as if nothing had been."""
    cases = hostile()
    assert len(CASES) + len(cases) >= 250
    assert {str(case): what for case in cases if (what := harm_of(extractor, case))} == {}


def harm_of(extractor: ChildExtractor, case: Case) -> str:
    """What a file did that it must not; nothing where it did none."""
    try:
        document = read(extractor, case)
    except CannotAttach as error:
        if not case.refused or case.refused not in error.reason:
            return f"refused: {error.reason}"
    else:
        if case.refused or len(document.text) >= 2_000_000:
            return f"read: {len(document.text)} characters"
        if not all(piece in document.text for piece in case.says):
            return f"read otherwise: {document.text[:80]}"
    after = read(extractor, Case("after.md", b"# Still here\n", "markdown"))
    return "" if after.text == "# Still here\n" else f"the next file: {after.text[:80]}"
