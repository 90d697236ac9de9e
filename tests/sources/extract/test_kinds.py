"""Which kind a file is: by its content, and only between plain kinds by its name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.document import DOCUMENT_KINDS
from workbench.sources.extract.kinds import binary_kind, header_names, is_notebook, text_kind
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


def test_headers_may_be_folded():
    assert header_names("From: a\n b\nSubject: c\n\nFrom here\n") == {"from", "subject"}
    assert header_names("no header\nFrom: a\n\n") == frozenset()


def test_a_notebook_has_cells():
    assert is_notebook('{"nbformat": 4, "cells": []}')
    assert not is_notebook('{"nbformat": 4}')
    assert not is_notebook('["nbformat"]')
    assert not is_notebook('{"nbformat": ')
