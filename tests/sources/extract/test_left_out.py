"""What is not in a text is counted by kind, and can be told in another language after it came from the reader."""

from __future__ import annotations

import io

from workbench.domain.files.document import Document, ReadAs
from workbench.domain.translation import translated
from workbench.sources.extract.left_out import MACROS, left_out, number_of
from workbench.sources.extract.messages import WholeReads, document_in, document_message, read_message

GERMAN = {
    "{counted} left out": "{counted} ausgelassen",
    "{number:,} pictures": "{number:,} Bilder",
    "macros left out": "Makros ausgelassen",
}


def test_every_kind_that_there_is_any_of_is_told():
    assert left_out({"picture": 2, "chart": 0, "embedded object": 1}) == [
        "2 pictures left out",
        "1 embedded object left out",
    ]
    assert number_of("attached file that cannot be read", 3) == "3 attached files that cannot be read"


def test_notes_come_from_the_reader_with_their_words_and_values():
    notes = (*left_out({"picture": 2000}), MACROS, "as it is")
    written = document_message(Document("text", ReadAs("word", notes=notes)))
    read = document_in(*read_message(WholeReads(io.BytesIO(written)), 1000)).read_as.notes
    assert read == notes
    assert [translated(one, lambda words: GERMAN.get(words, words)) for one in read] == [
        "2,000 Bilder ausgelassen",
        "Makros ausgelassen",
        "as it is",
    ]
