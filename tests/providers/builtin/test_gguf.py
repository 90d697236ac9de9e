"""The head of a model file: what is read from it, and that no file can make the reader hang, swell or fall over."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from tests.fakes.gguf_files import ENTRIES, TEMPLATE, gguf_bytes, text, write_gguf
from workbench.domain.errors import InvalidInput
from workbench.providers.builtin.gguf import read_gguf


def read(tmp_path: Path, content: bytes):
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    return read_gguf(path)


def complaint(tmp_path: Path, content: bytes) -> str:
    with pytest.raises(InvalidInput) as caught:
        read(tmp_path, content)
    return str(caught.value)


def test_the_facts_that_decide_how_a_model_is_run_are_read(tmp_path: Path):
    header = read_gguf(write_gguf(tmp_path / "model.gguf"))
    assert (header.architecture, header.name) == ("llama", "Tiny")
    assert (header.context_tokens, header.layers, header.chat_template) == (2048, 3, TEMPLATE)


def test_control_tokens_are_those_of_that_type_and_added_ones_that_look_like_them(tmp_path: Path):
    header = read_gguf(write_gguf(tmp_path / "model.gguf"))
    assert header.control_tokens == ("<|im_start|>", "<|im_end|>", "<|tool|>")


def test_of_too_many_control_tokens_those_that_the_template_writes_are_kept(tmp_path: Path):
    """They become a search pattern over everything that is sent; a hostile file must not make that endless."""
    many = (*(f"<|reserved_{number}|>" for number in range(3000)), "<|end|>")
    head = {
        **ENTRIES, "tokenizer.ggml.tokens": many, "tokenizer.ggml.token_type": (3,) * 3001,
        "tokenizer.chat_template": "… <|end|>",
    }  # fmt: skip
    tokens = read(tmp_path, gguf_bytes(head)).control_tokens
    assert (len(tokens), tokens[0]) == (1024, "<|end|>")


def test_a_head_longer_than_one_read_is_read_to_its_end(tmp_path: Path):
    """Vocabularies of large models take many megabytes; the template comes after them."""
    many = tuple(f"piece {number:09}" for number in range(300_000))
    head = {**ENTRIES, "tokenizer.ggml.merges": many, "tokenizer.chat_template": "last"}
    header = read(tmp_path, gguf_bytes(head))
    assert (header.chat_template, header.control_tokens[:1]) == ("last", ("<|im_start|>",))


def test_the_older_version_reads_the_same(tmp_path: Path):
    assert read(tmp_path, gguf_bytes(version=2)) == read(tmp_path, gguf_bytes(version=3))


def test_what_a_file_does_not_say_is_not_made_up(tmp_path: Path):
    header = read(tmp_path, gguf_bytes({"general.architecture": "new"}))
    assert (header.name, header.context_tokens, header.layers) == ("new", None, None)
    assert (header.chat_template, header.control_tokens) == (None, ())


def test_the_tokenizer_s_digest_changes_with_the_tokenizer_only(tmp_path: Path):
    one = read(tmp_path, gguf_bytes())
    renamed = read(tmp_path, gguf_bytes({**ENTRIES, "general.name": "Other"}))
    merged = read(tmp_path, gguf_bytes({**ENTRIES, "tokenizer.ggml.merges": ("w o",)}))
    assert one.tokenizer_digest == renamed.tokenizer_digest != merged.tokenizer_digest


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is cut off, or not a model"),
        (b"hello, world", "this is not a GGUF model file"),
        (gguf_bytes(magic=b"GGML"), "this is not a GGUF model file"),
        (gguf_bytes(version=1), "GGUF version 1 is not known"),
        (b"GGUF" + struct.pack(">I", 3) + bytes(40), "or its byte order is not"),
        (gguf_bytes()[:-1], "the file is cut off"),
        (gguf_bytes({"general.name": "x"}), "it does not say which kind of model it is"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 60), "it claims"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1 << 62), "a text of"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("k") + struct.pack("<I", 77), "the unknown type 77"),
        (
            b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("k") + struct.pack("<IIQ", 9, 8, 1 << 40),
            "its lists are longer than any model's",
        ),
        (
            b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("k") + struct.pack("<IIQ", 9, 5, 1 << 62),
            "its head is longer than 64 MB",
        ),
        (
            b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("k") + struct.pack("<IIQ", 9, 9, 1),
            "a list of lists is not expected",
        ),
        (
            b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("k") + struct.pack("<IQ", 8, 1 << 40),
            "its head is longer than 64 MB",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_reason(tmp_path: Path, content: bytes, said: str):
    assert said in complaint(tmp_path, content)


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(InvalidInput, match=r"nowhere\.gguf: there is no model file"):
        read_gguf(tmp_path / "nowhere.gguf")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_is_not_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidInput, match="there is no model file"):
        read_gguf(tmp_path / "pipe")


def test_many_empty_lists_do_not_keep_the_reader_busy(tmp_path: Path):
    """A list of a billion empty texts is a few bytes a text in a sparse file; counting them would take hours."""
    entry = text("k") + struct.pack("<IIQ", 9, 8, 1_499_999)
    path = tmp_path / "sparse.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 4096) + entry)
    os.truncate(path, 1 << 40)
    with pytest.raises(InvalidInput):
        read_gguf(path)


whole = gguf_bytes()
flips = st.lists(st.tuples(st.integers(0, len(whole) - 1), st.integers(0, 255)), min_size=1, max_size=6)


@settings(max_examples=tries(300))
@given(changes=flips, length=st.integers(0, len(whole)), keep_length=st.booleans())
def test_no_damage_makes_anything_but_a_header_or_a_refusal(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, int]], length: int, keep_length: bool
):
    content = bytearray(whole if keep_length else whole[:length])
    for place, byte in changes:
        if place < len(content):
            content[place] = byte
    path = tmp_path_factory.getbasetemp() / "damaged.gguf"
    path.write_bytes(content)
    try:
        header = read_gguf(path)
    except InvalidInput:
        return
    assert header.architecture


@settings(max_examples=tries(100))
@given(tail=st.binary(max_size=200))
def test_no_bytes_after_the_magic_do_either(tmp_path_factory: pytest.TempPathFactory, tail: bytes):
    path = tmp_path_factory.getbasetemp() / "random.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 3) + tail)
    with pytest.raises(InvalidInput):
        read_gguf(path)
