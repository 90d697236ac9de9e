"""Elara's files: names, order and the three forms; what cannot be opened is named and counted."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.archives import fresh, full_archive, plain_archive
from tests.fakes.turns import assistant, result, user
from workbench.domain.errors import CannotOpen
from workbench.engine.exchange.elara_format import (
    enveloped,
    export_elara,
    import_elara,
    is_elara,
    is_elara_name,
    plain_envelope,
)

SPOKEN = b"""{
  "role": "User",
  "content": "What's the weather like tomorrow?",
  "timestampUtc": "2025-08-24T16:36:25.123Z",
  "metadata": {"source": "voice", "lang": "en"}
}"""
ANSWER = b'{"Role":1,"Content":"Sunny.","TimestampUtc":"2025-08-24T18:36:27.5+02:00","Metadata":null}'
FIRST, SECOND = "20250824T163625123Z_0001_user.json", "20250824T163627500Z_0002_assistant.json"


class Backwards:
    """An encryption that turns the bytes around; whatever does not begin with "}" is another key's."""

    def seal(self, plain: bytes) -> bytes:
        body = base64.b64encode(plain[::-1]).decode()
        return json.dumps({"Alg": "AES-256-GCM", "Iv": "", "Content": body, "Tag": ""}).encode()

    def open(self, envelope: bytes) -> bytes:
        fields = json.loads(envelope)
        body = base64.b64decode(fields.get("Content") or fields.get("ciphertext"))
        if not body.startswith(b"}"):
            raise CannotOpen("it is encrypted with another key, or damaged")
        return body[::-1]


def test_files_are_one_chat_in_the_order_of_their_names():
    back = import_elara([(SECOND, ANSWER), (FIRST, SPOKEN)], fresh(), None)
    question, answer = back.archives[0].records
    assert question.entry.text == "What's the weather like tomorrow?"  # type: ignore[union-attr]
    assert (question.id, question.created_utc) == (FIRST.removesuffix(".json"), "2025-08-24T16:36:25.123Z")
    assert question.metadata == {"source": "voice", "lang": "en"}
    assert answer.entry.role == "assistant"  # type: ignore[union-attr]
    assert (answer.created_utc, answer.parent) == ("2025-08-24T16:36:27.500Z", question.id)
    assert (back.problems, back.archives[0].chat.created_utc) == ((), "2025-08-24T16:36:25.123Z")


def test_all_three_forms_are_read():
    files = [("a.json", SPOKEN), ("b.json", plain_envelope(SPOKEN)), ("c.json", Backwards().seal(SPOKEN))]
    back = import_elara(files, fresh(), Backwards())
    assert {record.entry.text for record in back.archives[0].records} == {"What's the weather like tomorrow?"}  # type: ignore[union-attr]
    assert (len(back.archives[0].records), back.problems, back.refused) == (3, (), 0)


def test_what_cannot_be_decrypted_is_named_and_counted():
    other = json.dumps({"alg": "AES-256-GCM", "iv": "", "ciphertext": "AAAA", "tag": ""}).encode()
    back = import_elara([(FIRST, SPOKEN), (SECOND, other), ("broken.json", b"{")], fresh(), Backwards())
    assert len(back.archives[0].records) == 1
    assert (back.refused, back.locked) == (2, 1)
    assert back.problems == (
        f"{SECOND}: it is encrypted with another key, or damaged",
        "broken.json: line 1 column 2: not valid JSON: Expecting property name enclosed in double quotes; left out",
        "1 of 3 files could not be decrypted.",
    )


def test_without_a_key_nothing_is_tried():
    back = import_elara([(FIRST, Backwards().seal(SPOKEN))], fresh(), None)
    assert (back.archives, back.locked) == ((), 1)
    assert back.problems[0] == f"{FIRST}: it is encrypted, and no key was given"


def test_a_missing_role_and_time_are_in_the_name():
    back = import_elara(
        [(SECOND, b'{"content": "Hi"}'), ("x.json", b'{"role": "user", "content": "Hi"}')], fresh(), None
    )
    first, second = back.archives[0].records
    assert (first.entry.role, first.created_utc) == ("assistant", "2025-08-24T16:36:27.500Z")  # type: ignore[union-attr]
    assert second.created_utc == first.created_utc
    assert back.problems == ("x.json: it has no time that can be read; the one before it was used",)


def test_an_export_is_a_file_a_message():
    archive = plain_archive(
        user("q", "Hi"), assistant("a", "Yes"), result("r", "c", "text"), metadata={"n": 1}
    )
    files = export_elara(archive)
    assert [name for name, _ in files] == [
        "20260101T120000000Z_0001_user.json",
        "20260101T120000000Z_0002_assistant.json",
        "20260101T120000000Z_0003_system.json",
    ]
    assert json.loads(files[0][1]) == {
        "role": "User", "content": "Hi", "timestampUtc": "2026-01-01T12:00:00Z", "metadata": {"n": "1"},
    }  # fmt: skip
    assert json.loads(files[2][1])["metadata"] == {"n": "1", "kind": "tool_result"}


def test_names_keep_the_order_even_where_the_clock_went_backwards():
    archive = plain_archive(user("q"), assistant("a"), user("q2"))
    times = ["2026-01-01T12:00:00Z", "2025-01-01T12:00:00Z", "no time"]
    records = tuple(replace(r, created_utc=when) for r, when in zip(archive.records, times, strict=True))
    files = export_elara(replace(archive, records=records))
    assert [name for name, _ in files] == sorted(name for name, _ in files)
    assert json.loads(files[1][1])["timestampUtc"] == "2025-01-01T12:00:00Z"


def test_what_was_exported_comes_back():
    archive = full_archive()
    back = import_elara(export_elara(archive), fresh(), None).archives[0]
    assert [r.entry.text for r in back.records] == [r.entry.text for r in archive.records[:12]]  # type: ignore[union-attr]


def test_elaras_files_are_recognised():
    assert is_elara(json.loads(SPOKEN))
    assert is_elara(json.loads(ANSWER))
    assert is_elara(json.loads(plain_envelope(b"{}")))
    assert not is_elara({"role": "user", "content": "Hi"})
    assert not is_elara([])
    assert is_elara_name(FIRST)
    assert not is_elara_name("conversations.json")


@given(
    st.dictionaries(
        st.sampled_from(
            ["role", "Role", "content", "timestampUtc", "metadata", "alg", "ciphertext", "iv", "tag"]
        ),
        st.none()
        | st.integers()
        | st.text(max_size=5)
        | st.lists(st.none())
        | st.sampled_from(["PLAINTEXT", "AES-256-GCM", "e30="]),
    ),
    st.text(max_size=5),
)
def test_no_file_ends_in_a_traceback(document: Any, name: str):
    raw = json.dumps(document).encode()
    import_elara([(name, raw), (name, raw[:-1]), (name, plain_envelope(raw))], fresh(), None)


MESSAGE = {"Role": "User", "Content": "Hi.", "TimestampUtc": "2025-09-24T16:36:25.123Z"}


@pytest.mark.parametrize("change", [str, str.lower, str.upper])
def test_messages_in_the_clear_are_read_as_they_are_written_since_september_2025(
    change: Callable[[str], str],
):
    """Every file of the newer program was refused as damaged."""
    message = {change(name): value for name, value in MESSAGE.items()}
    raw = json.dumps({change("Alg"): "PLAINTEXT", change("Content"): message}).encode()
    assert is_elara(json.loads(raw))
    back = import_elara([(FIRST, raw)], fresh(), None)
    [record] = back.archives[0].records
    assert (record.entry.text, record.created_utc) == ("Hi.", "2025-09-24T16:36:25.123Z")  # type: ignore[union-attr]
    assert (back.problems, back.refused) == ((), 0)


def test_the_newer_form_is_written_and_the_seeds_where_it_is_asked_for():
    body = b'{"role":"User","content":"Hi.","timestampUtc":"2025-09-24T16:36:25.123Z","metadata":{"k":"v"}}'
    message = {**MESSAGE, "Metadata": {"k": "v"}}
    assert json.loads(enveloped(body, None)) == {"Alg": "PLAINTEXT", "Content": message}
    sealed = enveloped(body, Backwards())
    assert list(json.loads(sealed)) == ["Alg", "Iv", "Content", "Tag"]
    assert json.loads(Backwards().open(sealed)) == message
    assert enveloped(body, None, seed_form=True) == plain_envelope(body)
    seeded = enveloped(body, Backwards(), seed_form=True)
    assert list(json.loads(seeded)) == ["alg", "iv", "ciphertext", "tag"]
    assert Backwards().open(seeded) == body
