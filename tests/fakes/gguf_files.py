"""Small GGUF files, written field by field; they have metadata and no tensors."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

Value = str | int | bool | float | Sequence[str] | Sequence[int]

TEMPLATE = "{% for message in messages %}…{% endfor %}"
TOKENS = ("<|im_start|>", "<|im_end|>", "word", "<|tool|>", "plain", "<unk>")
KINDS = (3, 3, 1, 4, 4, 2)
ENTRIES: dict[str, Value] = {
    "general.architecture": "llama",
    "general.name": "Tiny",
    "llama.context_length": 2048,
    "llama.block_count": 3,
    "tokenizer.ggml.tokens": TOKENS,
    "tokenizer.ggml.token_type": KINDS,
    "tokenizer.ggml.merges": ("w o", "wo r"),
    "tokenizer.chat_template": TEMPLATE,
    "general.quantized": True,
    "llama.rope.freq_base": 0.5,
}


def gguf_bytes(entries: dict[str, Value] | None = None, version: int = 3, magic: bytes = b"GGUF") -> bytes:
    """The head of a model file."""
    chosen = ENTRIES if entries is None else entries
    body = b"".join(text(key) + value(entry) for key, entry in chosen.items())
    return magic + struct.pack("<IQQ", version, 0, len(chosen)) + body


def write_gguf(path: Path, entries: dict[str, Value] | None = None) -> Path:
    """A model file."""
    path.write_bytes(gguf_bytes(entries))
    return path


def text(content: str) -> bytes:
    """A string as GGUF has it."""
    encoded = content.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def value(entry: Value) -> bytes:
    """A value with its type."""
    match entry:
        case bool():
            return struct.pack("<I?", 7, entry)
        case str():
            return struct.pack("<I", 8) + text(entry)
        case int():
            return struct.pack("<II", 4, entry)
        case float():
            return struct.pack("<If", 6, entry)
        case _:
            return _array(list(entry))


def _array(entries: Sequence[object]) -> bytes:
    if all(isinstance(entry, str) for entry in entries):
        return struct.pack("<IIQ", 9, 8, len(entries)) + b"".join(text(str(entry)) for entry in entries)
    return struct.pack(f"<IIQ{len(entries)}i", 9, 5, len(entries), *entries)
