"""Which kind a file is: by its content, and only between plain kinds by its name."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.added_lines import run_with_lines
from workbench.domain.files.document import DOCUMENT_KINDS, TextKind
from workbench.sources.extract.kinds import BINARY_KINDS, KINDS, TEXT_KINDS, binary_kind, text_kind
from workbench.sources.extract.refusal import Unreadable


@given(st.binary(max_size=400) | st.binary(max_size=60).map(lambda some: b"PK\x03\x04" + some))
def test_any_bytes_are_a_kind_or_refused(content: bytes):
    try:
        kind = binary_kind(content)
    except Unreadable as refusal:
        kind, words = None, (refusal.reason, refusal.advice)
    else:
        words = ("it is ", ".")
    assert kind is None or kind in DOCUMENT_KINDS
    assert words[0].startswith("it is ")
    assert words[1].endswith(".")


@given(st.text(max_size=30), st.text(max_size=400))
def test_any_text_is_a_kind(name: str, text: str):
    assert text_kind(name, text) in DOCUMENT_KINDS


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.md", "markdown"), ("A.MD", "markdown"), ("x/y.py", "code"), ("C:\\x\\y.rs", "code"), ("a.csv", "table"),
        ("a.txt", "text"), ("README", "text"), ("Dockerfile", "code"), ("a.unknown", "text"), ("a.log", "text"),
    ],
)  # fmt: skip
def test_the_name_says_which_plain_kind_it_is(name: str, kind: str):
    assert text_kind(name, "words and words\n") == kind


@pytest.mark.parametrize(
    "text",
    [
        "From: the beginning\nTo: the end\n\nA poem.\n",
        "Subject: maths\nDate: today\n\nHomework\n",
        "Title: x\nAuthor: y\n\nA page of a wiki.\n",
        "key: value\nother: value\n",
    ],
)
def test_lines_with_colons_are_no_message_without_more(text: str):
    assert text_kind("notes.txt", text) == "text"


def test_every_kind_has_its_line_and_a_reader_that_can_be_loaded():
    """A kind that was added without a reader was read as a workbook, or as a page."""
    assert {kind.name for kind in TEXT_KINDS} == set(get_args(TextKind))
    assert len(BINARY_KINDS) + len(TEXT_KINDS) == len(KINDS)
    assert set(KINDS) == set(DOCUMENT_KINDS)
    assert all(callable(kind.load()) for kind in KINDS.values())


# What a new kind takes beside its reader: its name, its line, and in the window what it is called there.
LINES = {
    "workbench.domain.files.document": {
        'TextKind = Literal[PlainKind, "html",': 'TextKind = Literal[PlainKind, "calendar", "html",',
        'BinaryKind = Literal["pdf",': 'BinaryKind = Literal["pdf", "tape",',
    },
    "workbench.sources.extract.kinds": {
        '    Kind("pdf",': (
            '    Kind("tape", "a tape", lambda seen: seen.bytes.startswith(b"\\0TAPE"), _tape),\n    Kind("pdf",'
        ),
        '    Kind("html",': (
            '    Kind("calendar", "a calendar", lambda seen: seen.start.startswith("BEGIN:"), _calendar),\n'
            '    Kind("html",'
        ),
        "BINARY_KINDS: ": (
            'def _tape(): return lambda given: Document(given.content[5:].decode(), ReadAs("tape"))\n'
            'def _calendar(): return lambda given: Document(given.text[6:], ReadAs("calendar", given.encoding))\n'
            "BINARY_KINDS: "
        ),
    },
    "workbench.ui.reading_words": {
        '        "pdf": ': '        "tape": tr("tape"), "calendar": tr("calendar"),\n        "pdf": ',
    },
}
SCRIPT = """
import json
from workbench.domain.codec import decode, encode
from workbench.domain.files.document import AS_FOUND, ReadAs, Reading
from workbench.sources.extract.child import preload, read_document
from workbench.sources.extract.refusal import Unreadable
from workbench.ui.attachments.preview import kinds_for
from workbench.ui.reading_words import kind_words

def told(name, content):
    document = read_document(name, content, AS_FOUND)
    again = read_document(name, content, decode(Reading, encode(Reading(document.read_as.kind))))
    try:
        read_document(name, b"%PDF-1.4", again.read_as.chosen)
        refusal = ""
    except Unreadable as problem:
        refusal = problem.reason
    kind = again.read_as.kind
    return [kind, document.text, again.text, kind_words(kind), kind in kinds_for(ReadAs("text")), refusal]

preload()
print(json.dumps([told("a", b"\\0TAPEwords"), told("a.txt", b"BEGIN:words")]))
"""


def test_a_new_kind_is_found_read_chosen_kept_and_named_by_its_line():
    """Adding one meant five files, and reading it as another kind where one was forgotten."""
    tape, calendar = run_with_lines(LINES, SCRIPT)
    assert tape == ["tape", "words", "words", "tape", False, "it is not a tape: it is a PDF"]
    assert calendar == ["calendar", "words", "words", "calendar", True, ""]
