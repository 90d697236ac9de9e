"""Followed folders: packed segments open as they were written, and rank what a question in plain words is about."""

from __future__ import annotations

import gc

import pytest

from workbench.context.folders.packed import (
    IndexedSection,
    Segment,
    SegmentBroken,
    SegmentWriter,
    document_sections,
    hash_of,
)
from workbench.context.folders.rank import FolderSearch, Hit, RelatedWords, Words, read_related
from workbench.context.recall.rank import run_to_end
from workbench.domain.files.document import Document, ReadAs, Section
from workbench.sources.resources import resource_path

FILLER = "Other things are told here, one after the other, for whoever reads the manual from end to end. " * 3
DOCS = {
    "docs/blame.md": f"# blame\nShows which author last modified each line.\n\n{FILLER}\n",
    "docs/stash.md": f"# stash\nSaves the changes of a dirty working directory away.\n\n{FILLER}\n",
    "docs/bisect.md": f"# bisect\nFinds the commit that introduced a defect, by binary search.\n\n{FILLER}\n",
    "docs/gc.md": f"# gc\nRemoves unreachable objects and compresses revisions.\n\n{FILLER}\n",
    "src/Größe.py": "class Budget:\n    def over_limit(self) -> int:\n        return 1\n",
}
RELATED = read_related("# a comment\n! who this when thing\nbug: defect regression\nwrote: author modified\n")


def segment_of(docs: dict[str, str]) -> Segment:
    writer = SegmentWriter()
    for path, text in docs.items():
        run_to_end(writer.add(path, Document(text)))
    return Segment(writer.packed())


def found(
    question: str, *segments: Segment, related: RelatedWords = RELATED
) -> tuple[FolderSearch, list[Hit]]:
    search = FolderSearch(segments, question, Words(None, related))
    hits = run_to_end(search.run())
    texts = {hit.path: DOCS[hit.path][hit.section.start : hit.section.end] for hit in hits}
    return search, [search.explained(hit, texts[hit.path]) for hit in hits]


def test_a_long_list_of_words_gives_the_garbage_collector_nothing_to_look_through():
    """With an array for each word a full collection stopped all threads for 180 ms while a folder was indexed."""
    text = "# Words\n\n" + "\n\n".join(" ".join(f"word{n}x{m}" for m in range(40)) for n in range(60))
    writer = SegmentWriter()
    gc.collect()
    before = len(gc.get_objects())
    run_to_end(writer.add("words.md", Document(text)))
    gc.collect()
    assert len(gc.get_objects()) - before < 200
    assert Segment(writer.packed()).word(b"word7x9", hash_of(b"word7x9")) is not None


def test_prose_comes_before_an_index_that_has_the_same_words():
    """The index that a documentation's own search has was quoted for whatever was asked."""
    index = "restore,archive,lost,file,backup,key,repository,mount,prune " * 4
    told = "To restore a file that was lost, it can be taken from the archive as it was when you made it."
    segment = segment_of({"a/searchindex.js": index, "b/extract.md": told})
    search = FolderSearch([segment], "restore a lost file from the archive", Words(None, RELATED))
    hits = run_to_end(search.run())
    assert [hit.path for hit in hits[:2]] == ["b/extract.md", "a/searchindex.js"]


def test_a_long_paragraph_is_cut_behind_a_sentence_and_never_in_a_word():
    """Pages have a line for each paragraph: words were cut in two, and found by neither half."""
    text = "A sentence that is told in some ten words or so. " * 20 + "word" * 50 + " and " * 200
    cuts = [text[: one.end] for one in document_sections("a.md", Document(text))]
    assert all(cut.endswith((". ", "word ", "and ")) for cut in cuts)
    assert sum(cut.endswith(". ") for cut in cuts) >= 2


def test_pieces_of_one_long_line_have_names_of_their_own():
    segment = segment_of({"docs/long.txt": "one line of many words " * 90})
    anchors = [segment.section(place).anchor for place in range(len(segment))]
    assert anchors == ["L1-1", *(f"L1-1.{n}" for n in range(2, len(segment) + 1))]
    assert len(anchors) > 2


def test_a_segment_opens_as_it_was_written():
    segment = segment_of(DOCS)
    assert segment.files == tuple(DOCS)
    for place in range(len(segment)):
        section, path = segment.section(place), segment.files[segment.file_of[place]]
        assert section in document_sections(path, Document(DOCS[path]))
    word = segment.word(b"author", hash_of(b"author"))
    assert word is not None
    assert [segment.files[segment.file_of[place]] for place in segment.sections.of(word)[0]] == [
        "docs/blame.md"
    ]
    assert segment.word(b"nowhere", hash_of(b"nowhere")) is None


@pytest.mark.parametrize("cut", [0, 7, 40, -1])
def test_a_damaged_segment_is_refused_and_not_guessed(cut: int):
    writer = SegmentWriter()
    run_to_end(writer.add("a.md", Document(DOCS["docs/gc.md"])))
    with pytest.raises(SegmentBroken):
        Segment(writer.packed()[:cut])


def test_an_empty_segment_finds_nothing():
    search, hits = found("who wrote this line", Segment(SegmentWriter().packed()))
    assert hits == []
    assert not search.fits(hits)


def test_what_a_manual_calls_otherwise_is_found_by_related_words():
    _, hits = found("Who wrote this line?", segment_of(DOCS))
    assert hits[0].path == "docs/blame.md"
    assert {word.word: word.kind for word in hits[0].words} == {"wrote": "near", "line": "exact"}
    assert sum(word.part for word in hits[0].words) == pytest.approx(hits[0].score)
    search, hits = found("Which author modified this line?", segment_of(DOCS))
    assert search.fits(hits)
    assert found("the thing that introduced a bug", segment_of(DOCS))[1][0].path == "docs/bisect.md"


def test_nothing_fits_a_question_about_other_things():
    """Its best section has a score: a threshold on that alone would quote it."""
    search, hits = found("How do I prune the roses in line with the moon?", segment_of(DOCS))
    assert hits
    assert hits[0].score > 0
    assert not search.fits(hits)


def test_a_name_in_code_and_a_path_are_found():
    assert found("where is overLimit", segment_of(DOCS))[1][0].path == "src/Größe.py"
    assert found("größe", segment_of(DOCS))[1][0].path == "src/Größe.py"


def test_files_that_changed_since_are_not_found_any_more():
    segment = segment_of(DOCS)
    segment.dead = {0}
    assert "docs/blame.md" not in {hit.path for hit in found("which author modified the line", segment)[1]}


def test_several_segments_rank_as_one():
    parts = [segment_of({path: text}) for path, text in DOCS.items()]
    question = "the commit that introduced a defect"
    whole, apart = found(question, segment_of(DOCS))[1], found(question, *parts)[1]
    assert [hit.path for hit in apart][:3] == [hit.path for hit in whole][:3]
    assert apart[0].score == pytest.approx(whole[0].score)


def test_a_second_section_of_a_file_comes_later_than_its_score_says():
    twice = "# Parts\n" + "\n\n".join(f"The spare key lies under stone {n}. {FILLER * 2}" for n in range(3))
    hits = run_to_end(
        FolderSearch(
            [segment_of({"a.md": twice, "b.md": f"# Key\nThe spare key. {FILLER}"})], "spare key", Words()
        ).run()
    )
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert len({hit.path for hit in hits[:2]}) == 2


def test_pages_name_sections_without_headings():
    text = "one two\n" * 40 + "three four\n" * 40
    pages = (Section("p1", "page 1", 1, 0, 320), Section("p2", "page 2", 1, 320, len(text)))
    sections = document_sections("a.pdf", Document(text, ReadAs("pdf"), (), pages))
    assert {one.title for one in sections} == {"page 1", "page 2"}


def test_the_shipped_table_is_read_whole():
    table = read_related(resource_path("related-words.txt").read_text("utf-8"))
    assert len(table.everyday) > 250
    assert "revert" in table.related["undo"]
    assert IndexedSection(0, 1, 3, 4, "").anchor == "L3-4"


def test_a_long_question_in_other_words_fits_where_words_of_it_stand_together():
    """The share of a long question that a section covers is small: nine in ten were refused in small folders."""
    segment = segment_of(DOCS)
    search, hits = found(
        "Which author modified the line that introduced a defect in the working directory?", segment
    )
    assert hits[0].path == "docs/blame.md"
    assert search.fits(hits)


def test_words_joined_by_a_hyphen_and_either_spelling_are_found():
    segment = segment_of({"docs/colour.md": "# Colours\nHow colours are organised by hue.\n", **DOCS})
    for asked in ("organize colors", "binary-search defect-finder"):
        search = FolderSearch([segment], asked, Words(None, RELATED))
        best = run_to_end(search.run())[0]
        texts = {**DOCS, "docs/colour.md": "# Colours\nHow colours are organised by hue.\n"}
        hit = search.explained(best, texts[best.path])
        assert hit.path == ("docs/bisect.md" if "-" in asked else "docs/colour.md")
        assert search.fits([hit]), asked
