"""A file is recognised by what is in it; what is nothing we know is refused in one line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.archives import full_archive
from workbench.domain.errors import InvalidInput
from workbench.engine.exchange import importing as detecting
from workbench.engine.exchange.importing import detect
from workbench.engine.exchange.json_format import export_json
from workbench.engine.exchange.markdown_format import export_markdown
from workbench.engine.exchange.openai_format import export_openai
from workbench.engine.exchange.sharegpt_format import export_sharegpt

MESSAGES = {"messages": [{"role": "user", "content": "Hi"}]}
FULL = full_archive()


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (export_json([FULL]), "json"),
        (export_markdown(FULL), "markdown"),
        (export_openai([FULL, FULL]), "openai"),
        (export_sharegpt([FULL]), "sharegpt"),
        (b"\xef\xbb\xbf" + json.dumps(MESSAGES).encode(), "openai"),
        (json.dumps([MESSAGES]).encode(), "openai"),
        (json.dumps(MESSAGES["messages"]).encode(), "openai"),
        (b'{"conversations": []}\n{"conversations": []}\n', "sharegpt"),
        (b'[{"title": "x", "mapping": {}}]', "chatgpt"),
        (b'{"mapping": {}}', "chatgpt"),
        (b'{"alg": "PLAINTEXT", "ciphertext": ""}', "elara"),
        (b'{"Role": "User", "Content": "", "TimestampUtc": ""}', "elara"),
        (b"**user**: hi\n", "note"),
        (b"## User\nhi\n", "note"),
        (b"[Context: Notes: a.md]\n## User\nhi\n", "note"),
    ],
)
def test_it_is_recognised(raw: bytes, expected: str):
    assert detect(raw).format == expected


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"\xff\xfe", "not valid UTF-8"),
        (b"hello", "none of the formats"),
        (b"{}", "none of the formats"),
        (b"[]", "none of the formats"),
        (b"[1, 2]", "none of the formats"),
        (b'{"format": "workbench-chats/2"}', "a newer program wrote this file"),
        (b'{"messages": [', "not valid JSON"),
        (b"[" * 100_000, "nested"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_is_none_of_them_is_refused(raw: bytes, said: str):
    with pytest.raises(InvalidInput, match=said):
        detect(raw)


def test_a_file_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(detecting, "LARGEST_FILE_BYTES", 10)
    with pytest.raises(InvalidInput, match="import it in parts"):
        detect(b"x" * 11)


def test_a_bad_line_among_good_ones_is_said():
    found = detect(json.dumps(MESSAGES).encode() + b"\n{broken\n")
    assert found.content == [MESSAGES]
    assert found.problems[0].startswith("line 2: not valid JSON")


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")))
def test_nothing_ends_in_a_traceback(raw: Any):
    try:
        detect(raw)
    except InvalidInput:
        return
